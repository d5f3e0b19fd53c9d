//! Reads typed values out of upstream JSON records, and the pass of a source that is one JSON file.
//!
//! Unknown stays `None`; a value of the wrong type is an error that names the field, so that the record becomes a reject with that
//! reason and the batch goes on. What a record means is each connector's own business.

use refdesk_core::Usd;
use serde_json::{Map, Value};

use super::{Answer, Harvest, ParseError, Pass, Request, Target};

/// Something is wrong with one record: the reason of its reject.
pub type Reason = String;

/// A text that is there and not blank.
pub fn text<'a>(record: &'a Map<String, Value>, field: &str) -> Option<&'a str> {
    record.get(field).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty())
}

/// A text that every record of this upstream has.
///
/// # Errors
/// When it is missing, blank or no text.
pub fn required<'a>(record: &'a Map<String, Value>, field: &str) -> Result<&'a str, Reason> {
    text(record, field).ok_or_else(|| format!("`{field}` is missing or no text"))
}

/// A flag; `None` when the record does not tell.
pub fn flag(record: &Map<String, Value>, field: &str) -> Option<bool> {
    record.get(field).and_then(Value::as_bool)
}

/// A count of tokens, written as an integer or as a whole float.
///
/// # Errors
/// When it is something else.
pub fn count(record: &Map<String, Value>, field: &str) -> Result<Option<u64>, Reason> {
    match record.get(field) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => match value.as_u64().or_else(|| value.as_f64().and_then(whole)) {
            Some(count) => Ok(Some(count)),
            None => Err(format!("`{field}` is {value}, which is no whole number of zero or more")),
        },
    }
}

/// A float that is a whole number of zero or more. A count is no price: here a float is exact.
fn whole(value: f64) -> Option<u64> {
    const EXACT_MAX: f64 = 9_007_199_254_740_992.0;
    ((0.0..=EXACT_MAX).contains(&value) && value.fract() == 0.0).then_some(value as u64)
}

/// A price as it stands; a negative one (`-1`: it depends) is unknown.
///
/// # Errors
/// When it is no number.
pub fn price(record: &Map<String, Value>, field: &str) -> Result<Option<Usd>, Reason> {
    match record.get(field) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => match Usd::from_json(value) {
            Some(price) => Ok((!price.is_negative()).then_some(price)),
            None => Err(format!("`{field}` is {value}, which is no price")),
        },
    }
}

/// A price per token as a price per million tokens.
///
/// # Errors
/// When it is no number, or too large.
pub fn price_per_token(record: &Map<String, Value>, field: &str) -> Result<Option<Usd>, Reason> {
    price(record, field)?
        .map(|price| price.per_million().ok_or_else(|| format!("`{field}` is {price} per token, which is too large")))
        .transpose()
}

/// A list of texts; anything else in it is left out.
pub fn texts(record: &Map<String, Value>, field: &str) -> Vec<String> {
    let items = record.get(field).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    items.iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// A date as `YYYY`, `YYYY-MM` or `YYYY-MM-DD`; placeholders (1970, 2098) and other texts are unknown.
pub fn date(record: &Map<String, Value>, field: &str) -> Option<String> {
    let text = text(record, field)?;
    let date = text
        .get(..10)
        .filter(|_| text.as_bytes().get(10).is_some_and(|next| matches!(next, b'T' | b' ')))
        .unwrap_or(text);
    let shape = date.bytes().enumerate().all(|(at, b)| if at == 4 || at == 7 { b == b'-' } else { b.is_ascii_digit() });
    let year: u16 = date.get(..4)?.parse().ok()?;
    (shape && matches!(date.len(), 4 | 7 | 10) && (1990..2090).contains(&year)).then(|| date.to_owned())
}

/// The JSON of a body.
///
/// # Errors
/// When it is not JSON; the message names what was expected.
pub fn json(body: &[u8], expected: &str) -> Result<Value, ParseError> {
    serde_json::from_slice(body).map_err(|error| ParseError::new(format!("expected {expected}: {error}")))
}

/// Turns the JSON of one file into a harvest.
pub type ReadFile = fn(&Target, &Value) -> Result<Harvest, ParseError>;

/// The pass of a source that is one JSON file.
pub struct JsonFilePass {
    target: Target,
    expected: &'static str,
    read: ReadFile,
    harvest: Option<Harvest>,
}

impl JsonFilePass {
    /// A pass that fetches the target's url and reads it with `read`; `expected` says what it should be, for errors.
    pub fn new(target: &Target, expected: &'static str, read: ReadFile) -> Self {
        Self { target: target.clone(), expected, read, harvest: None }
    }
}

impl Pass for JsonFilePass {
    fn first(&mut self) -> Vec<Request> {
        vec![Request::get(self.target.url.clone(), "file")]
    }

    fn accept(&mut self, answer: Answer) -> Result<Vec<Request>, ParseError> {
        self.harvest = Some((self.read)(&self.target, &json(&answer.body, self.expected)?)?);
        Ok(Vec::new())
    }

    fn finish(self: Box<Self>) -> Result<Harvest, ParseError> {
        self.harvest.ok_or_else(|| ParseError::new(format!("no answer came in; expected {}", self.expected)))
    }
}
