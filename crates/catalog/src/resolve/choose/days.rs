//! Days of the past: one that lies far after the day on which its source was first seen to state it is a slip (`2089` for `2025`), and would
//! lead every list of what is newest. So is a release in an earlier month than the date in the model's own name, where another statement
//! fits that name.

use serde_json::Value;

use super::{Chosen, ConsideredFact, Statements};
use crate::resolve::agreement::MONTH;
use refdesk_core::Stamp;

/// Fields for a day that is over once the thing can be used.
const DAYS_OF_THE_PAST: [&str; 5] = ["released_on", "knowledge_cutoff", "published_on", "published_at", "updated_at"];
/// The day on which the thing came out.
const RELEASE: &str = "released_on";
/// Why a release is not shown that the name of its model rules out.
const BEFORE_NAME: &str = "it lies before the date in the model's name";
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

/// Takes releases out of the statements that lie in an earlier month than the date in the model's name, if others do not, and lists them as
/// conflicts. A name without a year tells too little.
pub(super) fn withhold_before(
    named_on: &str,
    chosen: &mut Chosen,
    paths: &[String],
    statements: &mut [Statements<'_>],
    considered: &[ConsideredFact<'_>],
) {
    let (Some(month), Some(at)) = (named_on.get(..MONTH), paths.iter().position(|path| path == RELEASE)) else {
        return;
    };
    let is_before = |(_, day): &(usize, &Value)| {
        day.as_str().map(str::trim).filter(|day| is_day(day)).is_some_and(|day| {
            let told = day.len().min(MONTH);
            day.as_bytes()[..told] < month.as_bytes()[..told]
        })
    };
    let (refuted, believed): (Statements<'_>, Statements<'_>) = statements[at].iter().copied().partition(is_before);
    if is_day(month) && !believed.is_empty() {
        statements[at] = believed;
        chosen.tell(RELEASE, considered, refuted.iter().filter(|(by, _)| considered[*by].speaks), BEFORE_NAME);
    }
}

/// Whether a text begins with a year.
fn is_day(text: &str) -> bool {
    text.len() >= "YYYY".len() && text.as_bytes()[.."YYYY".len()].iter().all(u8::is_ascii_digit)
}

/// Whether a time, day, month or year lies more than a year after a moment, compared as far as both tell.
pub(in crate::resolve) fn is_too_far_ahead(day: &str, stated_at: Stamp) -> bool {
    let day = day.trim();
    let last = stated_at.plus_secs(ANNOUNCED_SECS).to_string();
    let told = day.len().min("YYYY-MM-DD".len());
    is_day(day) && day.as_bytes()[..told] > last.as_bytes()[..told]
}
