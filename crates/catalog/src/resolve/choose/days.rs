//! Days of the past: one that lies far after the day on which its source was first seen to state it is a slip (`2089` for `2025`), and would
//! lead every list of what is newest.

use serde_json::Value;

use super::{Chosen, ConsideredFact, Statements};
use refdesk_core::Stamp;

/// Fields for a day that is over once the thing can be used.
const DAYS_OF_THE_PAST: [&str; 5] = ["released_on", "knowledge_cutoff", "published_on", "published_at", "updated_at"];
/// So far ahead a release is announced; nobody knows a day beyond.
const ANNOUNCED_SECS: i64 = 366 * 86_400;
/// Why such a day is not shown.
const TOO_FAR_AHEAD: &str = "it lies more than a year ahead of the day on which its source was first seen to state it";

/// Takes days of the past that lie too far ahead out of the statements, and lists them as conflicts.
pub(super) fn withhold(
    chosen: &mut Chosen,
    paths: &[String],
    statements: &mut [Statements<'_>],
    considered: &[ConsideredFact<'_>],
) {
    for (path, said) in paths.iter().zip(statements) {
        if DAYS_OF_THE_PAST.contains(&path.as_str()) {
            let is_slip = |(by, value): &(usize, &Value)| {
                value.as_str().is_some_and(|day| is_too_far_ahead(day, considered[*by].stated_at))
            };
            let (slips, believed): (Statements<'_>, Statements<'_>) = said.iter().copied().partition(is_slip);
            *said = believed;
            chosen.unknown(path, considered, slips.iter(), TOO_FAR_AHEAD);
        }
    }
}

/// Whether a time, day, month or year lies more than a year after a moment, compared as far as both tell.
pub(in crate::resolve) fn is_too_far_ahead(day: &str, stated_at: Stamp) -> bool {
    let day = day.trim();
    let last = stated_at.plus_secs(ANNOUNCED_SECS).to_string();
    let told = day.len().min("YYYY-MM-DD".len());
    let is_day = told >= "YYYY".len() && day.as_bytes()[.."YYYY".len()].iter().all(u8::is_ascii_digit);
    is_day && day.as_bytes()[..told] > last.as_bytes()[..told]
}
