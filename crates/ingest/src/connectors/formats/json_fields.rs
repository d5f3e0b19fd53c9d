//! Reads typed values out of upstream JSON records.
//!
//! Unknown stays `None`. A value of the wrong type is an error that names the field, so that the record becomes a reject with that
//! reason and the batch goes on. A value of the right type that cannot be (a price below zero, the 30th of February) is unknown: the
//! record's other fields stand, and [`LeftOut`] counts it by name. What a record means is each connector's own business.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::LazyLock;

use refdesk_core::{Fact, Record, Stamp, Usd};
use serde_json::{Map, Value};
use url::Url;

use crate::connectors::formats::distinct;
use crate::connectors::{Batch, Reread};

/// Years of a date that may be one: others are placeholders (1970, 2098), or what an unset time reads as.
const YEARS_PLAUSIBLE: std::ops::Range<u16> = 1990..2090;

/// Limits from the largest 32-bit number on stand for none, or are what an unset one reads as.
const TOKENS_PLAUSIBLE: std::ops::Range<u64> = 0..2_147_483_647;

/// Something is wrong with one record: the reason of its reject.
pub type Reason = String;

/// Counts by name what records state and no field shows, so that nothing is left out silently.
#[derive(Debug, Default)]
pub struct LeftOut(RefCell<BTreeMap<String, usize>>);

impl LeftOut {
    /// Prices below zero other than -1.
    const NEGATIVE_PRICES: &str = "negative prices, unknown";
    /// Upstreams write -1 for a price that depends on the request.
    const DEPENDING_PRICES: &str = "prices of -1, which depend on the request, unknown";
    /// Dates that no calendar has, placeholders and other texts.
    pub const NO_DATES: &str = "dates that cannot be, unknown";
    /// Limits of zero stand for limits that nobody filled in.
    const ZERO_LIMITS: &str = "limits of 0, unknown";
    /// Limits that no model has.
    const HUGE_LIMITS: &str = "limits too large to be one, unknown";

    /// A text, flag, list or object that is none, and what is no text in a list of texts.
    const OF_OTHER_TYPES: &str = "values of another type than their field has, unknown";

    /// Counts a value of a fact.
    pub fn count(&self, what: impl Into<String>) {
        *self.0.borrow_mut().entry(what.into()).or_default() += 1;
    }

    /// Adds the counts to those of a batch.
    pub fn add_to(self, batch: &mut Batch) {
        for (what, count) in self.0.into_inner() {
            *batch.unshown.entry(what).or_default() += count;
        }
    }
}

/// The reason with the whole path of a nested field: `cost.input` for `input`.
pub fn inside(parent: &'static str) -> impl Fn(Reason) -> Reason {
    move |reason| match reason.strip_prefix('`') {
        Some(rest) => format!("`{parent}.{rest}"),
        None => reason,
    }
}

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

/// The object of a field; empty when the record does not tell.
///
/// # Errors
/// When it is something else.
pub fn object<'a>(record: &'a Map<String, Value>, field: &str) -> Result<&'a Map<String, Value>, Reason> {
    static NOTHING: LazyLock<Map<String, Value>> = LazyLock::new(Map::new);
    match record.get(field) {
        None | Some(Value::Null) => Ok(&NOTHING),
        Some(Value::Object(object)) => Ok(object),
        Some(other) => Err(format!("`{field}` is {}, which is not a mapping", kind_of(other))),
    }
}

/// The list of a field; empty when the record does not tell.
///
/// # Errors
/// When it is something else.
pub fn list<'a>(record: &'a Map<String, Value>, field: &str) -> Result<&'a [Value], Reason> {
    match record.get(field) {
        None | Some(Value::Null) => Ok(&[]),
        Some(Value::Array(list)) => Ok(list),
        Some(other) => Err(format!("`{field}` is {}, which is not a list", kind_of(other))),
    }
}

/// What a value is, in words for people.
pub const fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "nothing",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "a mapping",
    }
}

/// A flag; `None` when the record does not tell.
pub fn flag(record: &Map<String, Value>, field: &str) -> Option<bool> {
    record.get(field).and_then(Value::as_bool)
}

/// The same; what is there and no flag is counted.
pub fn flag_or_counted(record: &Map<String, Value>, field: &str, left_out: &LeftOut) -> Option<bool> {
    if record.get(field).is_some_and(|value| !value.is_null() && !value.is_boolean()) {
        left_out.count(LeftOut::OF_OTHER_TYPES);
    }
    flag(record, field)
}

/// A count of tokens, written as an integer, as a whole float, or as a text of digits.
///
/// # Errors
/// When it is something else.
pub fn count(record: &Map<String, Value>, field: &str) -> Result<Option<u64>, Reason> {
    match record.get(field) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => match value.as_u64().or_else(|| value.as_f64().and_then(whole)).or_else(|| digits(value)) {
            Some(count) => Ok(Some(count)),
            None => Err(format!("`{field}` is {value}, which is not a whole number of zero or more")),
        },
    }
}

/// The number of a text of digits alone, as some lists write theirs.
fn digits(value: &Value) -> Option<u64> {
    let text = value.as_str()?.trim();
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

/// A limit in tokens; one that is too large is unknown.
///
/// # Errors
/// As [`count`].
pub fn limit_or_zero(record: &Map<String, Value>, field: &str, left_out: &LeftOut) -> Result<Option<u64>, Reason> {
    let limit = count(record, field)?;
    let plausible = limit.filter(|tokens| TOKENS_PLAUSIBLE.contains(tokens));
    if plausible != limit {
        left_out.count(LeftOut::HUGE_LIMITS);
    }
    Ok(plausible)
}

/// The same; one of zero is unknown, too.
///
/// # Errors
/// As [`count`].
pub fn limit(record: &Map<String, Value>, field: &str, left_out: &LeftOut) -> Result<Option<u64>, Reason> {
    let limit = limit_or_zero(record, field, left_out)?;
    if limit == Some(0) {
        left_out.count(LeftOut::ZERO_LIMITS);
    }
    Ok(limit.filter(|tokens| *tokens > 0))
}

/// A float that is a whole number of zero or more; the largest there is for one beyond. A count is no price: here a float is exact.
fn whole(value: f64) -> Option<u64> {
    (value >= 0.0 && value.fract() == 0.0).then_some(value as u64)
}

/// A price as it stands; one below zero is unknown.
///
/// # Errors
/// When it is no number.
pub fn price(record: &Map<String, Value>, field: &str, left_out: &LeftOut) -> Result<Option<Usd>, Reason> {
    let Some(value) = record.get(field).filter(|value| !value.is_null()) else { return Ok(None) };
    let price = Usd::from_json(value).ok_or_else(|| format!("`{field}` is {value}, which is not a price"))?;
    if price.is_negative() {
        let depends = price.to_string() == "-1";
        left_out.count(if depends { LeftOut::DEPENDING_PRICES } else { LeftOut::NEGATIVE_PRICES });
        return Ok(None);
    }
    Ok(Some(price))
}

/// A price per token as a price per million tokens.
///
/// # Errors
/// When it is no number, or too large.
pub fn price_per_token(record: &Map<String, Value>, field: &str, left_out: &LeftOut) -> Result<Option<Usd>, Reason> {
    price(record, field, left_out)?
        .map(|price| price.per_million().ok_or_else(|| format!("`{field}` is {price} per token, which is too large")))
        .transpose()
}

/// A page that a record refers to, for `references`: none when the value is no web address.
pub fn web_page(value: Option<&Value>) -> Vec<String> {
    let page = value.and_then(Value::as_str).map(str::trim).filter(|page| is_web(page));
    page.map(str::to_owned).into_iter().collect()
}

/// True for an http or https address with a host.
pub fn is_web(text: &str) -> bool {
    Url::parse(text).is_ok_and(|url| matches!(url.scheme(), "http" | "https") && url.host_str().is_some())
}

/// Counts those of some fields that are there and are not what their connector reads there, such as a number for a name.
pub fn count_others(
    record: &Map<String, Value>,
    fields: &[&str],
    is_right: impl Fn(&Value) -> bool,
    left_out: &LeftOut,
) {
    let stated = fields.iter().filter_map(|field| record.get(*field));
    stated.filter(|value| !value.is_null() && !is_right(value)).for_each(|_| left_out.count(LeftOut::OF_OTHER_TYPES));
}

/// The same of the entries of a list: counts what is there and no list, and in a list what is not of the right type.
pub fn count_other_entries(
    record: &Map<String, Value>,
    field: &str,
    is_right: impl Fn(&Value) -> bool,
    left_out: &LeftOut,
) {
    let others = list(record, field).map_or(1, |entries| entries.iter().filter(|entry| !is_right(entry)).count());
    (0..others).for_each(|_| left_out.count(LeftOut::OF_OTHER_TYPES));
}

/// A list of texts; anything else in it is left out.
pub fn texts(record: &Map<String, Value>, field: &str) -> Vec<String> {
    let items = record.get(field).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    items.iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// The same without blanks around them, each once; what is there and no text, or no list, is counted.
pub fn texts_or_counted(record: &Map<String, Value>, field: &str, left_out: &LeftOut) -> Vec<String> {
    count_other_entries(record, field, Value::is_string, left_out);
    let stated = texts(record, field).into_iter().map(|text| text.trim().to_owned());
    distinct(stated.filter(|text| !text.is_empty()))
}

/// `Some(true)` where a record states a price above zero for what a model must be able to do for it.
pub fn is_charged(record: &Map<String, Value>, field: &str) -> Option<bool> {
    let price = record.get(field).and_then(Usd::from_json)?;
    (!price.is_zero() && !price.is_negative()).then_some(true)
}

/// A date as `YYYY`, `YYYY-MM` or `YYYY-MM-DD`. One that no calendar has, a placeholder (1970, 2098) and any other text is unknown.
pub fn date(record: &Map<String, Value>, field: &str, left_out: &LeftOut) -> Option<String> {
    let stated = record.get(field).filter(|value| !value.is_null() && value.as_str() != Some(""))?;
    let date = stated.as_str().and_then(calendar_date);
    if date.is_none() {
        left_out.count(LeftOut::NO_DATES);
    }
    date
}

/// A time of RFC 3339; none that is a placeholder.
pub fn time(text: &str) -> Option<Stamp> {
    let year: u16 = text.trim().get(..4)?.parse().ok()?;
    Stamp::parse(text).filter(|_| YEARS_PLAUSIBLE.contains(&year))
}

fn calendar_date(text: &str) -> Option<String> {
    let text = text.trim();
    // A time of day may follow.
    let followed = text.as_bytes().get(10).is_some_and(|next| matches!(next, b'T' | b' '));
    let date = text.get(..10).filter(|_| followed).unwrap_or(text);
    let year: u16 = date.get(..4)?.parse().ok()?;
    (YEARS_PLAUSIBLE.contains(&year) && is_date(date)).then(|| date.to_owned())
}

/// Whether a text is a day, month or year of the calendar, written in this one way: a calendar's reader takes others, too (`20260819`, a
/// time of day behind it), which no answer may have.
pub fn is_date(text: &str) -> bool {
    let is_shaped = text.bytes().enumerate().all(|(at, byte)| match at {
        4 | 7 => byte == b'-',
        _ => byte.is_ascii_digit(),
    });
    let day = match text.len() {
        4 => format!("{text}-01-01"),
        7 => format!("{text}-01"),
        10 => text.to_owned(),
        _ => return false,
    };
    is_shaped && Stamp::from_date(&day).is_some()
}

/// The JSON of a stored record, which is read again.
///
/// # Errors
/// When it is no JSON.
pub fn stored(record: &[u8]) -> Result<Value, Reason> {
    serde_json::from_slice(record).map_err(|error| format!("the stored record is not JSON: {error}"))
}

/// Reads a stored record again that holds all that its fact states.
///
/// # Errors
/// When it is no JSON, or no record of this upstream any more.
pub fn reread(record: &[u8], fact: impl FnOnce(&Value) -> Result<Fact, Reason>) -> Result<Reread, Reason> {
    stored(record).and_then(|value| fact(&value)).map(Reread::whole)
}

/// What an upstream states, as the record of its fact.
///
/// # Errors
/// When it holds a number that canonical JSON cannot express.
pub fn canonical_record(stated: &Value) -> Result<Record, Reason> {
    Record::of_json(stated).map_err(|error| format!("it has no canonical form: {error}"))
}
