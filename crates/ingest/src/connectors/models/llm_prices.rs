//! `llm-prices`: llm-prices.com, the vendors' own prices as of today and their history.
//!
//! `current-v1.json` gives one fact a row; a row for long prompts (`Gemini 2.5 Pro >200k`) is a tier of the plain model. The rows of
//! `historical-v1.json` beside it are earlier and later prices of the same rows. A fact's record holds both, as canonical JSON:
//! `{"current": <row>, "history": [<rows of the same id and name, in the file's order>]}`. A dated row counts as a version of its fact;
//! one whose id no current row has is counted by name.

use std::collections::BTreeMap;

use refdesk_catalog::resolve::model::bare_name;
use refdesk_core::fact::Identity;
use refdesk_core::item::{Head, Item, Model, OtherPrice, PriceTier, Pricing};
use refdesk_core::{Fact, Kind, Reject};
use serde_json::{Map, Value, json};
use url::Url;

use crate::connectors::formats::json_fields::{self as fields, LeftOut, Reason};
use crate::connectors::formats::json_text;
use crate::connectors::repository::public_url::public_url;
use crate::connectors::{
    Answer, Batch, Connector, CountMethod, FetchSession, JsonRule, ParseError, Request, Reread, Step, StoredKey, Target,
};
use crate::memory_budget::charge;

/// The connector.
pub const CONNECTOR: Connector = Connector {
    name: "llm-prices",
    kinds: &[Kind::Model],
    description: "llm-prices.com: current-v1.json and, beside it, historical-v1.json",
    count: CountMethod::Json(JsonRule::Elements(&[Step::Key("prices")])),
    open: |target| {
        Ok(Box::new(PricesSession {
            target: target.clone(),
            current: None,
            history: Vec::new(),
            batch: Batch::default(),
        }))
    },
    reread,
    ..Connector::RECORDS
};

const EXPECTED: &str = "llm-prices.com's file: an object with a list `prices`";
const CURRENT: &str = "current";
const HISTORY: &str = "history";
/// Dated rows that belong to no fact.
const NOT_CURRENT: &str = "dated rows of ids that are not current";

fn reread(target: &Target, stored: StoredKey<'_>, record: &[u8]) -> Result<Reread, String> {
    let page = public_url(&target.source_id, &target.url);
    fields::reread(record, |record| {
        let row = record.get(CURRENT).ok_or("the stored record has no `current` row")?;
        let history = record.get(HISTORY).and_then(Value::as_array).into_iter().flatten().collect();
        fact(stored.key, row, history, page.as_str(), &LeftOut::default())
    })
}

struct PricesSession {
    target: Target,
    current: Option<Vec<Value>>,
    history: Vec<Value>,
    /// At first the rows of both files that could not be read.
    batch: Batch,
}

impl FetchSession for PricesSession {
    fn first(&mut self) -> Vec<Request> {
        let mut requests = vec![Request::get(self.target.url.clone(), CURRENT)];
        if let Some(history) = history_url(&self.target.url) {
            requests.push(Request::get_if_there(history, HISTORY));
        }
        requests
    }

    fn accept(&mut self, answer: Answer) -> Result<Vec<Request>, ParseError> {
        if answer.status == 404 {
            return Ok(Vec::new());
        }
        let listed = json_text::list_in(&json_text::object(&answer.body, EXPECTED)?, "prices", EXPECTED)?;
        let mut rows = Vec::new();
        for (position, row) in listed.into_iter().enumerate() {
            match json_text::read(row, |row| Ok(row.clone())) {
                Ok(row) => {
                    charge(json_text::weight(&row))?;
                    rows.push(row);
                }
                Err(reason) => {
                    let key = format!("{} row {}", answer.tag, position + 1);
                    self.batch.take(Err(Reject::new(key, reason, &json_text::shown(row))));
                }
            }
        }
        if answer.tag == HISTORY {
            self.history = rows;
        } else {
            self.current = Some(rows);
        }
        Ok(Vec::new())
    }

    fn finish(self: Box<Self>) -> Result<Batch, ParseError> {
        let rows = self.current.ok_or_else(|| ParseError::new(format!("no file came in; expected {EXPECTED}")))?;
        let mut batch = self.batch;
        let left_out = LeftOut::default();
        let current = current(&rows, &mut batch);
        let mut dated = dated(&self.history, &current, &mut batch);
        let page = public_url(&self.target.source_id, &self.target.url).to_string();
        for (at, (key, row)) in current.iter().enumerate() {
            let history = dated.remove(&at).unwrap_or_default();
            let versions = history.len();
            match fact(key, row, history, &page, &left_out) {
                Ok(fact) => {
                    batch.take(Ok(fact));
                    batch.versions += versions;
                    batch.items_upstream += versions;
                }
                Err(reason) => {
                    batch.leave_out(NOT_CURRENT, versions);
                    let reject = Reject::new(format!("{CURRENT} {key}"), reason, &row.to_string());
                    batch.take(Err(reject.of(Some(key))));
                }
            }
        }
        left_out.add_to(&mut batch);
        batch.with_facts(format!("no price in the file; expected {EXPECTED}"))
    }
}

/// The current rows by their keys, in the file's order; what is no row with an id is a reject.
fn current<'a>(rows: &'a [Value], batch: &mut Batch) -> Vec<(String, &'a Value)> {
    let mut current: Vec<(String, &Value)> = Vec::new();
    let mut taken: BTreeMap<String, &Value> = BTreeMap::new();
    for (position, row) in rows.iter().enumerate() {
        let key = key_of(row).map(|(id, name)| match taken.get(id) {
            // One id stands twice upstream with two names: both rows stay, told apart by the name.
            Some(first) if *first != row => format!("{id} ({name})"),
            _ => id.to_owned(),
        });
        let read = key.and_then(|key| match taken.get(&key) {
            Some(first) if *first == row => Ok(None),
            Some(_) => Err(format!("the row `{key}` is listed twice with different contents; the first counts")),
            None => Ok(Some(key)),
        });
        match read {
            Ok(Some(key)) => {
                taken.insert(key.clone(), row);
                current.push((key, row));
            }
            Ok(None) => batch.leave_out(Batch::LISTED_TWICE, 1),
            Err(reason) => {
                let key = format!("{CURRENT} row {}", position + 1);
                batch.take(Err(Reject::new(key, reason, &row.to_string())));
            }
        }
    }
    current
}

/// The dated rows of each current row, by its position.
fn dated<'a>(rows: &'a [Value], current: &[(String, &Value)], batch: &mut Batch) -> BTreeMap<usize, Vec<&'a Value>> {
    let mut by_id: BTreeMap<&str, usize> = BTreeMap::new();
    let mut by_name: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for (at, (id, name)) in current.iter().map(|(_, row)| key_of(row).unwrap_or_default()).enumerate() {
        by_id.entry(id).or_insert(at);
        by_name.entry((id, name)).or_insert(at);
    }
    let mut dated: BTreeMap<usize, Vec<&Value>> = BTreeMap::new();
    for (position, row) in rows.iter().enumerate() {
        match key_of(row) {
            Ok(key) => match by_name.get(&key).or_else(|| by_id.get(key.0)) {
                Some(at) => dated.entry(*at).or_default().push(row),
                None => batch.leave_out(NOT_CURRENT, 1),
            },
            Err(reason) => {
                let key = format!("{HISTORY} row {}", position + 1);
                batch.take(Err(Reject::new(key, reason, &row.to_string())));
            }
        }
    }
    dated
}

/// Id and name of a row.
fn key_of(row: &Value) -> Result<(&str, &str), Reason> {
    let row = row.as_object().ok_or("the row is not an object")?;
    let id = fields::required(row, "id")?;
    Ok((id, fields::text(row, "name").unwrap_or(id)))
}

/// `historical-v1.json` beside `current-v1.json`.
fn history_url(current: &Url) -> Option<Url> {
    let path = current.path().strip_suffix("current-v1.json")?;
    let mut url = current.clone();
    url.set_path(&format!("{path}historical-v1.json"));
    Some(url)
}

/// The fact of a current row, with its dated rows in the record.
fn fact(key: &str, current: &Value, history: Vec<&Value>, page: &str, left_out: &LeftOut) -> Result<Fact, Reason> {
    let (id, name) = key_of(current)?;
    let row = current.as_object().ok_or("the row is not an object")?;
    let vendor = fields::required(row, "vendor")?;
    let meter = PricedTokens::of_row(id, name);
    let base = meter.base_id(id);
    let item = Item::Model(Model { pricing: meter.pricing(row, left_out)?.or_unknown(), ..Model::default() });
    let record = fields::canonical_record(&json!({ CURRENT: current, HISTORY: history }))?;
    Ok(Fact {
        head: Head {
            id: bare_name(base),
            name: meter.base_name(name).to_owned(),
            // For a maker that no table gives a name.
            vendor: Some(vendor.to_owned()),
            aliases: vec![id.to_owned(), base.to_owned()],
            ..Head::default()
        },
        identity: Identity { maker: Some(vendor.to_owned()), ..Identity::of_offer(vendor, base) },
        ..Fact::new(key, item, record, page)
    })
}

/// What a row's prices are for; upstream tells it in the name and in the end of the id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PricedTokens {
    /// All tokens, or those of prompts up to a size.
    Plain,
    /// Prompts above so many tokens: `… >200k`, id `…-200k`.
    Above(u64),
    /// Image tokens of an image model: `… image tokens`, id `…-image`.
    ImageTokens,
    /// Text tokens of an image model: `… text tokens`, id `…-text`.
    TextTokens,
}

impl PricedTokens {
    fn of_row(id: &str, name: &str) -> Self {
        if let Some((_, size)) = name.rsplit_once('>')
            && let Some(thousands) = size.trim().strip_suffix('k').and_then(|digits| digits.parse::<u64>().ok())
            && id.ends_with(&format!("-{thousands}k"))
        {
            return Self::Above(thousands.saturating_mul(1_000));
        }
        match name.rsplit_once(' ').map(|(front, _)| front.ends_with(" image") || front.ends_with(" text")) {
            Some(true) if name.ends_with("image tokens") && id.ends_with("-image") => Self::ImageTokens,
            Some(true) if name.ends_with("text tokens") && id.ends_with("-text") => Self::TextTokens,
            _ => Self::Plain,
        }
    }

    /// The id of the model that the row speaks of.
    fn base_id(self, id: &str) -> &str {
        match self {
            Self::Plain => id,
            Self::Above(_) | Self::ImageTokens | Self::TextTokens => id.rsplit_once('-').map_or(id, |(base, _)| base),
        }
    }

    /// The name of that model, less what the row is for.
    fn base_name(self, name: &str) -> &str {
        let cut = match self {
            Self::Plain => name.rsplit_once('≤').map(|(base, _)| base),
            Self::Above(_) => name.rsplit_once('>').map(|(base, _)| base),
            Self::ImageTokens => name.strip_suffix("image tokens"),
            Self::TextTokens => name.strip_suffix("text tokens"),
        };
        cut.unwrap_or(name).trim()
    }

    fn pricing(self, row: &Map<String, Value>, left_out: &LeftOut) -> Result<Pricing, Reason> {
        let price = |field: &str| fields::price(row, field, left_out);
        let (input, output) = (price("input")?, price("output")?);
        let cache_read = price("input_cached")?;
        Ok(match self {
            Self::Plain | Self::TextTokens => Pricing { input, output, cache_read, ..Pricing::default() },
            Self::Above(above_context_tokens) => Pricing {
                tiers: vec![PriceTier { above_context_tokens, input, output, cache_read, cache_write: None }],
                ..Pricing::default()
            },
            Self::ImageTokens => Pricing {
                other: [("input_image", input), ("output_image", output), ("cache_read_image", cache_read)]
                    .into_iter()
                    .filter(|(_, price)| price.is_some())
                    .map(|(meter, price)| OtherPrice { meter: meter.into(), unit: "1M_tokens".into(), price })
                    .collect(),
                ..Pricing::default()
            },
        })
    }
}
