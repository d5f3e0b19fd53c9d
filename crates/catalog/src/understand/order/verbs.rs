//! Superlatives behind what a model does: `which model costs the least`, `outputs the most tokens`, `accepts the longest prompts`.

use super::{meter_at, sign_at};
use crate::understand::amounts::{TAKING, WRITING};
use crate::understand::reading::Reading;
use crate::understand::words::{TOKENS, Words as _};
use refdesk_core::Kind;
use refdesk_search::text::word_array;

/// What a model does for money …
const COSTS: [&str; 6] = ["cost", "costs", "costing", "charge", "charges", "charging"];
/// … and how much of it.
const MONEY: [&str; 2] = ["least", "most"];
/// Of what models write and take in much.
const TEXTS: [&str; 12] =
    word_array("token tokens text texts input inputs prompt prompts answer answers document documents");
/// Words between such a superlative and the price that it is of: `charges the least for output`.
const OF_METER: [&str; 3] = ["for", "per", "on"];

/// An order by what models do the most or the least of, and where its words end.
pub fn done_most(reading: &Reading<'_>, at: usize) -> Option<(String, usize)> {
    if reading.kind != Kind::Model {
        return None;
    }
    let superlative = reading.past(at + 1, &["the"]);
    let sign = sign_at(reading, superlative)?;
    let behind = superlative + 1;
    let is_of_texts = reading.is(behind, &TEXTS);
    if reading.is(at, &COSTS) && reading.is(superlative, &MONEY) && !is_of_texts {
        let meter = reading.is(behind, &OF_METER).then(|| meter_at(reading, behind + 1)).flatten();
        let (field, end) = meter.map_or(("price_blended", behind), |(meter, end)| (meter, reading.past(end, &TOKENS)));
        return Some((format!("{sign}{field}"), end));
    }
    let field = if reading.is(at, &WRITING) {
        "output_tokens"
    } else if reading.is(at, &TAKING) {
        "context_tokens"
    } else {
        return None;
    };
    is_of_texts.then(|| (format!("{sign}{field}"), behind + 1))
}
