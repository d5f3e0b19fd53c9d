//! What a pass keeps until it is committed: facts and rejects, of each no more than [`ITEMS_MAX`] and no more than the memory of the sync
//! holds. What lies beyond is dropped, and the engine refuses a batch that is not whole.

use refdesk_core::item::Item;
use refdesk_core::{Body, Fact, Record, Reject};
use serde_json::Value;

use crate::connectors::formats::json_text;
use crate::memory_budget::charge;

/// Most facts of one pass, and most rejects.
pub const ITEMS_MAX: usize = 100_000;
/// What a fact takes in memory beside its texts until it is committed, in bytes.
const FACT_BYTES: u64 = 8 << 10;
/// The same of a reject.
const REJECT_BYTES: u64 = 256;
/// A record is held as it is, packed, and in parts in the fields.
const COPIES: u64 = 3;

/// Adds one of a weight in bytes to what a pass keeps, while there is room. Why there is none any more comes to `full`, and nothing is kept
/// from then on.
pub(super) fn keep<T>(kept: &mut Vec<T>, weight: u64, item: T, full: &mut Option<String>) {
    if full.is_some() {
        return;
    }
    if kept.len() == ITEMS_MAX {
        *full = Some(format!("the source lists more than {ITEMS_MAX} items; split it into several sources"));
        return;
    }
    match charge(weight) {
        Ok(()) => kept.push(item),
        Err(no_room) => *full = Some(no_room.to_string()),
    }
}

/// What a fact takes in memory, about, in bytes.
pub(super) fn fact_weight(fact: &Fact) -> u64 {
    let record = match &fact.record {
        // A slice of a file that is counted already; it is packed, and once more as plain text.
        Record::Bytes(bytes) => 2 * bytes.len() as u64,
        Record::Json(text) => COPIES * text.len() as u64,
    };
    let body = if let Body::Markdown(text) = &fact.body { COPIES * text.len() as u64 } else { 0 };
    let values: Vec<&Value> = match &fact.item {
        Item::Tool(tool) => tool.input_schema.iter().chain(&tool.output_schema).collect(),
        Item::McpServer(server) => server.packages.iter().chain(&server.remotes).chain(&server.config_schema).collect(),
        _ => Vec::new(),
    };
    // In the fact, and in the fields that are written.
    FACT_BYTES + record + body + 2 * values.into_iter().map(json_text::weight).sum::<u64>()
}

/// The same of a reject.
pub(super) fn reject_weight(reject: &Reject) -> u64 {
    REJECT_BYTES + (reject.key.len() + reject.reason.len() + reject.excerpt.len()) as u64
}
