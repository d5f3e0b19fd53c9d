//! `llm-prices`: llm-prices.com, the vendors' own prices as of today and their history.
//!
//! `current-v1.json` gives one fact a row; a row for long prompts (`Gemini 2.5 Pro >200k`) is a tier of the plain model. The rows of
//! `historical-v1.json` beside it are earlier and later prices of the same models: counted as versions, never facts of their own.

use std::collections::BTreeSet;

use refdesk_core::fact::{Identity, Provenance};
use refdesk_core::item::{Head, Item, Model, OtherPrice, PriceTier, Pricing};
use refdesk_core::resolve::model::bare_name;
use refdesk_core::{Body, Fact, Kind, Record, Reject};
use serde_json::{Map, Value};
use url::Url;

use super::json_fields::{self as fields, Reason};
use super::public_url::public_url;
use super::{Answer, Connector, Harvest, ParseError, Pass, Request, Target};

/// The connector.
pub struct LlmPrices;

const EXPECTED: &str = "llm-prices.com's file: an object with a list `prices`";
const CURRENT: &str = "current";
const HISTORY: &str = "history";

impl Connector for LlmPrices {
    fn name(&self) -> &'static str {
        "llm-prices"
    }

    fn kinds(&self) -> &'static [Kind] {
        &[Kind::Model]
    }

    fn describe(&self) -> &'static str {
        "llm-prices.com: current-v1.json and, beside it, historical-v1.json"
    }

    fn open(&self, target: &Target) -> Result<Box<dyn Pass>, ParseError> {
        Ok(Box::new(PricesPass { target: target.clone(), harvest: Harvest::default() }))
    }
}

struct PricesPass {
    target: Target,
    harvest: Harvest,
}

impl Pass for PricesPass {
    fn first(&mut self) -> Vec<Request> {
        let mut requests = vec![Request::get(self.target.url.clone(), CURRENT)];
        if let Some(history) = history_url(&self.target.url) {
            requests.push(Request { may_be_missing: true, ..Request::get(history, HISTORY) });
        }
        requests
    }

    fn accept(&mut self, answer: Answer) -> Result<Vec<Request>, ParseError> {
        if answer.status == 404 {
            return Ok(Vec::new());
        }
        let file = fields::json(&answer.body, EXPECTED)?;
        let Some(rows) = file.get("prices").and_then(Value::as_array) else {
            return Err(ParseError::new(format!("expected {EXPECTED}")));
        };
        self.harvest.items_upstream += rows.len();
        if answer.tag == HISTORY {
            self.take_history(rows);
        } else {
            self.take_current(rows);
        }
        Ok(Vec::new())
    }

    fn finish(self: Box<Self>) -> Result<Harvest, ParseError> {
        if self.harvest.facts.is_empty() {
            return Err(ParseError::new(format!("no price in the file; expected {EXPECTED}")));
        }
        Ok(self.harvest)
    }
}

impl PricesPass {
    fn take_current(&mut self, rows: &[Value]) {
        let page = public_url(&self.target.source_id, &self.target.url).to_string();
        let mut used = BTreeSet::new();
        for (position, row) in rows.iter().enumerate() {
            match fact(row, &page, &mut used) {
                Ok(fact) => self.harvest.facts.push(fact),
                Err(reason) => self.reject(format!("{CURRENT} row {}", position + 1), reason, row),
            }
        }
    }

    fn take_history(&mut self, rows: &[Value]) {
        for (position, row) in rows.iter().enumerate() {
            let read = row.as_object().ok_or("the row is no object".to_owned()).and_then(|row| {
                fields::required(row, "id")?;
                fields::price(row, "input")?;
                fields::price(row, "output")
            });
            match read {
                Ok(_) => self.harvest.versions += 1,
                Err(reason) => self.reject(format!("{HISTORY} row {}", position + 1), reason, row),
            }
        }
    }

    fn reject(&mut self, key: String, reason: Reason, row: &Value) {
        self.harvest.rejects.push(Reject::new(key, reason, &row.to_string()));
    }
}

/// `historical-v1.json` beside `current-v1.json`.
fn history_url(current: &Url) -> Option<Url> {
    let path = current.path().strip_suffix("current-v1.json")?;
    let mut url = current.clone();
    url.set_path(&format!("{path}historical-v1.json"));
    Some(url)
}

fn fact(value: &Value, page: &str, used: &mut BTreeSet<String>) -> Result<Fact, Reason> {
    let row = value.as_object().ok_or("the row is no object")?;
    let id = fields::required(row, "id")?;
    let vendor = fields::required(row, "vendor")?;
    let name = fields::text(row, "name").unwrap_or(id);
    let meter = Meter::of(id, name);
    let base = meter.base_id(id);
    // One id stands twice upstream with two names: both rows stay, told apart by the name.
    let key = if used.contains(id) { format!("{id} ({name})") } else { id.to_owned() };
    if !used.insert(key.clone()) {
        return Err(format!("the row `{key}` is listed twice"));
    }
    Ok(Fact {
        key,
        head: Head {
            id: bare_name(base),
            name: meter.base_name(name).to_owned(),
            aliases: vec![id.to_owned(), base.to_owned()],
            ..Head::default()
        },
        item: Item::Model(Model { pricing: meter.pricing(row)?.or_unknown(), ..Model::default() }),
        source_url: page.to_owned(),
        record: Record::of_json(value).map_err(|error| format!("the row has no canonical form: {error}"))?,
        body: Body::None,
        identity: Identity {
            provider: Some(vendor.to_owned()),
            api_model_id: Some(base.to_owned()),
            maker: Some(vendor.to_owned()),
            ..Identity::default()
        },
        provenance: Provenance::default(),
        checked_on: None,
    })
}

/// What a row's prices are for; upstream tells it in the name and in the end of the id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Meter {
    /// All tokens, or those of prompts up to a size.
    Plain,
    /// Prompts above so many tokens: `… >200k`, id `…-200k`.
    Above(u64),
    /// Image tokens of an image model: `… image tokens`, id `…-image`.
    ImageTokens,
    /// Text tokens of an image model: `… text tokens`, id `…-text`.
    TextTokens,
}

impl Meter {
    fn of(id: &str, name: &str) -> Self {
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

    fn pricing(self, row: &Map<String, Value>) -> Result<Pricing, Reason> {
        let (input, output) = (fields::price(row, "input")?, fields::price(row, "output")?);
        let cache_read = fields::price(row, "input_cached")?;
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
