//! Orders that are such only in front of the word for the kind, or of values and that word: `new models`, `last three openai models`, `openai's
//! first model`, `newest official mcp servers`. `New Relic server` and `latest news server` ask for no order. What has no day on which it came out is
//! ordered by its last change there: `oldest documents`, `new skills`.

use super::around::is_count;
use super::{PHRASES, Said};
use crate::resolve::model::makers::is_family;
use crate::understand::reading::Reading;
use crate::understand::rest::is_understood;
use crate::understand::words::{Word, Words as _};
use refdesk_core::Kind;

/// What a maker brings out …
const RELEASES: [&str; 2] = ["releases", "launches"];
/// … who is named in so many words.
const MAKER_WORDS_MAX: usize = 3;
/// Whose first model is one that they are about to make or to use.
const BEGINNERS: [&str; 7] = ["my", "our", "your", "their", "a", "an", "at"];

/// Whether `new` or `recent` asks for the newest: only directly before the word for the kind or how many are wanted, `last three models`, and
/// before a maker's releases; `last` also before a line of a question with such a word: `last gemini model`.
pub(super) fn is_of_newest(reading: &Reading<'_>, at: usize) -> bool {
    let is_last = reading.head_end.is_some() && reading.is(at, &["last"]);
    let is_line = |word: &Word<'_>| is_last && is_family(&word.folded);
    let behind = at + 1 + usize::from(is_count(reading, at + 1));
    let is_of_releases = || {
        let behind = reading.words.len().checked_sub(1).filter(|end| reading.is(*end, &RELEASES));
        reading.head_end.is_none()
            && behind.is_some_and(|end| (1..=MAKER_WORDS_MAX).contains(&end.saturating_sub(at + 1)))
    };
    reading.is_before_kind(behind) || reading.words.get(at + 1).is_some_and(is_line) || is_of_releases()
}

/// Whether `first` asks for the oldest: directly before the word for the kind, where it is of nobody who begins. `my first model`
pub(super) fn is_of_oldest(reading: &Reading<'_>, at: usize) -> bool {
    let is_beginning = reading.is_behind(at, &BEGINNERS);
    reading.is_before_kind(at + 1) && !is_beginning
}

/// Reads an order in front of values and the word for the kind, once the values were read: `newest official mcp servers`, `new google models`.
pub fn parse(reading: &mut Reading<'_>, at: usize) -> bool {
    let is_such =
        |said: &Said| matches!(said, Said::Newest | Said::NewestBeforeKind | Said::Oldest | Said::OldestBeforeKind);
    let Some((taken, _)) = PHRASES.admitted_at(&reading.words, at, is_such) else { return false };
    let start = at + taken + usize::from(is_count(reading, at + taken));
    reading.leads_to_kind(start, |word| word.used) && !reading.has("sort") && super::parse(reading, at)
}

/// The order by the last change that a phrase at a position asks for in front of the word for the kind. In `latest news server` it says something
/// else.
pub(super) fn changed_at(reading: &Reading<'_>, at: usize, said: Option<(usize, Said)>) -> Option<(String, usize)> {
    let (sign, end) = match said? {
        (end, Said::Newest) => ("-", end),
        (end, Said::NewestBeforeKind) if is_of_several(reading, at) => ("-", end),
        (end, Said::Oldest) => ("", end),
        _ => return None,
    };
    reading.is_before_kind(end).then(|| (format!("{sign}updated_at"), end))
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
