//! Numbers with units: `1M context`, `at least 128k tokens`, `between $1 and $3`, `under $0.10 per million input tokens`.

mod asked;
mod clause;
mod cursor;
mod left_over;
mod limit;
mod number;
mod prices;
mod range;
mod sellers;
mod spoken;

use super::params::Param;
use super::reading::Reading;
use super::vocabulary;
use super::words::{Word, Words as _, has_digit};
pub use asked::{TokensAsked, is_of_tokens, tokens_asked};
pub use clause::{TAKING, WRITING};
pub use cursor::{Cursor, METERS};
pub use left_over::{is_doubtful, leave_out_sizes};
pub use limit::take_back_presumed;
pub use number::is_numeric;
use refdesk_core::Kind;
use refdesk_search::text::WordSet;
pub use spoken::{spoken, whole_number};

/// What is put in or out.
const MODALITIES: [&str; 9] = ["text", "image", "images", "pdf", "pdfs", "audio", "video", "speech", "voice"];
/// The price that a word `input` names …
const INPUT: &str = "price_input";
/// … and that of `output`.
const OUTPUT: &str = "price_output";

/// Words that amounts are said with, beside numbers: without any of them, and without a digit, no rule of this module fits.
static SAID_WITH: WordSet = WordSet::new(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen \
     twenty thirty forty fifty sixty seventy eighty ninety hundred thousand thousands million millions mio mln lakh lakhs crore crores \
     billion billions bn trillion trillions dozen half quarter quarters dollar dollars usd buck bucks cent cents euro euros eur pound pounds \
     gbp yen jpy yuan rmb cny no free nothing single multiple several various per",
);

/// Whether a question speaks of amounts at all. Most do not, and need not be looked through for any.
pub fn are_said(words: &[Word<'_>]) -> bool {
    words.iter().any(|word| {
        has_digit(&word.folded)
            || !word.folded.is_ascii()
            || word.folded.split('-').any(|part| SAID_WITH.contains(part))
    })
}

/// Whether any of the words says money.
pub fn are_of_money(words: &[Word<'_>]) -> bool {
    words.iter().any(|word| word.folded.contains('$') || word.is(&number::DOLLARS))
}

/// Reads a limit, or a range, at a position.
pub fn parse(reading: &mut Reading<'_>, at: usize) -> bool {
    if !reading.speaks_of_amounts || reading.kind != Kind::Model {
        return false;
    }
    // `PDF input` and `JSON output` are of what a model takes and gives, not of what it costs.
    let is_ability = |before: usize| {
        reading.is(before, &MODALITIES) || vocabulary::taken_at(Kind::Model, &reading.words, before) > Some(1)
    };
    if at > 0 && reading.is(at, &["input", "output"]) && is_ability(at - 1) {
        return false;
    }
    unit_of_order(reading, at)
        || sellers::parse(reading, at)
        || prices::of_nothing(reading, at)
        || prices::per_count(reading, at)
        || range::parse(reading, at)
        || !range::is_within(reading, at) && limit::parse(reading, at)
}

/// Reads what the price is per that things are ordered by: `cheapest model per 1k output tokens`, `for 1M tokens of output`. Their order is
/// the same per 1M.
fn unit_of_order(reading: &mut Reading<'_>, at: usize) -> bool {
    let is_by_price = |(name, order): &Param| name == "sort" && order.contains("price_");
    let Some(order) = reading.params.iter().position(is_by_price).filter(|_| reading.is(at, &["per", "for"])) else {
        return false;
    };
    let is_per = reading.is(at, &["per"]);
    let mut cursor = Cursor { reading, at };
    let (per, end) = (cursor.per_tokens(false), cursor.at);
    if end == at || !is_per && (!per.has_unit || per.meter.is_none()) {
        return false;
    }
    if let Some(meter) = per.meter {
        let order = &mut reading.params[order].1;
        *order = order.replace("price_blended", meter);
    }
    reading.take(at..end);
    true
}
