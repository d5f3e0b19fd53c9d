//! Numbers with units: `1M context`, `at least 128k tokens`, `between $1 and $3`, `under $0.10 per million input tokens`.

mod clause;
mod cursor;
mod free;
mod left_over;
mod limit;
mod number;
mod per_count;
mod range;
mod sellers;
mod spoken;

use super::reading::Reading;
pub use cursor::Cursor;
pub use left_over::is_doubtful;
pub use number::is_numeric;
use refdesk_core::Kind;
pub use spoken::spoken;

/// What is put in or out.
const MODALITIES: [&str; 9] = ["text", "image", "images", "pdf", "pdfs", "audio", "video", "speech", "voice"];
/// The price that a word `input` names …
const INPUT: &str = "price_input";
/// … and that of `output`.
const OUTPUT: &str = "price_output";

/// Reads a limit, or a range, at a position.
pub fn parse(reading: &mut Reading<'_>, at: usize) -> bool {
    // `PDF input` is of what a model takes, not of what it costs.
    let is_modality = at > 0 && reading.is(at - 1, &MODALITIES) && reading.is(at, &["input", "output"]);
    if reading.kind != Kind::Model || is_modality {
        return false;
    }
    unit_of_order(reading, at)
        || sellers::parse(reading, at)
        || free::parse(reading, at)
        || per_count::parse(reading, at)
        || range::parse(reading, at)
        || !range::is_within(reading, at) && limit::parse(reading, at)
}

/// Reads what the price is per that things are ordered by: `cheapest model per 1k output tokens`. Their order is the same per 1M.
fn unit_of_order(reading: &mut Reading<'_>, at: usize) -> bool {
    let is_by_price = |(name, order): &(String, String)| name == "sort" && order.contains("price_");
    let Some(order) = reading.params.iter().position(is_by_price).filter(|_| reading.is(at, &["per"])) else {
        return false;
    };
    let mut cursor = Cursor { reading, at };
    let (per, end) = (cursor.per_tokens(), cursor.at);
    if end == at {
        return false;
    }
    if let Some(meter) = per.meter {
        let order = &mut reading.params[order].1;
        *order = order.replace("price_blended", meter);
    }
    reading.take(at..end);
    true
}
