//! Orders of what has no day on which it came out, by the last change: `newest mcp servers`, `oldest documents`, `new skills`.

use super::{PHRASES, Said};
use crate::understand::reading::Reading;
use crate::understand::rest::is_understood;
use refdesk_core::Kind;

/// The order that a phrase at a position asks for in front of the word for the kind. In `latest news server` it says something else.
pub(super) fn changed_at(reading: &Reading<'_>, at: usize, said: Option<(usize, &Said)>) -> Option<(String, usize)> {
    let (sign, taken) = match said? {
        (taken, Said::Newest) => ("-", taken),
        (taken, Said::NewestBeforeKind) if is_of_several(reading, at) => ("-", taken),
        (taken, Said::Oldest) => ("", taken),
        _ => return None,
    };
    reading.is_before_kind(at + taken).then(|| (format!("{sign}updated_at"), taken))
}

/// Whether `new` and `recent` are said of several things that are asked for: who `adds new skills` or `needs a new server` asks for no order.
fn is_of_several(reading: &Reading<'_>, at: usize) -> bool {
    reading.is_of_several() && !reading.is(at, &["last"]) && reading.words[..at].iter().all(is_understood)
}

/// Says that an order is by the last change, where the day was asked for on which things came out. Registries state when servers were updated.
pub(super) fn warn_of_change(reading: &mut Reading<'_>, at: usize, sort: &str) {
    let is_by_change = sort.trim_start_matches('-') == "updated_at" && reading.kind != Kind::McpServer;
    let asks_for_change = matches!(PHRASES.at(&reading.words, at), Some((_, Said::Updated)));
    if is_by_change && !asks_for_change {
        let last = if sort.starts_with('-') { "first" } else { "last" };
        reading.warn(format!("no source states when these came out: what changed last comes {last}"));
    }
}
