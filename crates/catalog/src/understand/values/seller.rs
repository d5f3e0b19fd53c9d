//! Who sells models: `on openrouter`, `via Bedrock`, `hosted by Groq`, `only available on azure`. Who makes them is read in `vendor`.

use std::ops::Range;

use super::vendor::vendor_at;
use super::{SOLD, VALUE_WORDS_MAX, count, done_behind, listed_behind, longest_at};
use crate::resolve::model::makers::{self, is_family};
use crate::snapshot::Snapshot;
use crate::snapshot::gazetteer::compact;
use crate::understand::reading::Reading;
use crate::understand::vocabulary::is_part_of_topic;
use crate::understand::words::{ONLY, SELLS, Words as _};
use refdesk_core::Kind;
use refdesk_search::text::folded;

/// What stands before the seller's name only: `available at Groq`.
const OFFERED: [&str; 2] = ["available", "offered"];
/// What stands between a model and the seller's name.
const LINKS: [&str; 6] = ["on", "via", "through", "by", "at", "from"];

/// Reads a seller at a position; in `from openrouter` and `groq models` where no maker is called so.
pub fn parse(reading: &mut Reading<'_>, at: usize) -> bool {
    if reading.kind != Kind::Model {
        return false;
    }
    let both = usize::from(reading.is_behind(at, &["both", "either"]));
    let link = at.checked_sub(1 + both);
    let is_link = |any: &[&str]| link.is_some_and(|link| reading.is(link, any));
    // `offered only by groq`
    let only = usize::from(link.is_some_and(|link| reading.is_behind(link, &ONLY)));
    let verb = link.and_then(|link| link.checked_sub(1 + only));
    let sold = is_link(&LINKS) && verb.is_some_and(|verb| reading.is(verb, &SOLD) || reading.is(verb, &OFFERED));
    // Most words are none, and need no look at the names of all sellers.
    let mut ends = at + 1..=at + VALUE_WORDS_MAX;
    let may_sell = |end: usize| reading.is(end, &SELLS) || reading.is(end, &SOLD) || reading.denies(end);
    let is_before = ends.any(|end| may_sell(end) || is_before_models(reading, end));
    // `on openrouter but not groq` goes on with sellers.
    let may_be_left_out = reading.has("seller") && reading.negation_before(at) > 0;
    if !(is_before || is_link(&LINKS) || may_be_left_out) {
        return false;
    }
    // `retirements at anthropic`: days are those of the maker.
    let is_of_maker = !sold && is_link(&["at"]) && speaks_of_days(reading) && reading.negation_before(at - 1) == 0;
    if is_of_maker && vendor_at(reading, at).is_some() {
        return false;
    }
    let Some((mut same, taken)) = seller_at(reading, at) else { return false };
    // `that groq charges less than $1 for`, `groq hosted models`, `that groq doesn't host`
    let sells = done_behind(reading, at + taken, &SELLS);
    let is_selling = sells.is_some() || reading.is(at + taken, &SOLD);
    let (sells_end, is_not_sold) = sells.unwrap_or((at + taken + usize::from(is_selling), false));
    let introduced = is_link(&["on", "via", "through", "at"]) || sold || is_selling;
    // `amazon bedrock` names a seller although `amazon` is a maker; `groq models` means what Groq sells, because it makes few models itself.
    let is_no_maker = !introduced
        && !is_family(&reading.words[at].folded)
        && vendor_at(reading, at).is_none_or(|(maker, of_maker)| of_maker < taken || is_host(reading, &same, &maker));
    let is_from = is_no_maker && is_link(&["from"]);
    let is_before_kind = is_no_maker && is_before_models(reading, at + taken);
    let is_left_out = is_no_maker && may_be_left_out;
    if !(introduced || is_from || is_before_kind || is_left_out) || !introduced && is_part_of_topic(reading, at) {
        return false;
    }
    let linked = if introduced && !is_selling || is_from { 1 + both } else { 0 };
    let start = at - linked - if sold { 1 + only } else { 0 };
    // `Groq, Cerebras or Together`
    let (others, end) = listed_behind(reading, sells_end, &[], false, seller_at);
    let words = if introduced { with_only(reading, start..end) } else { start..end };
    let negation = reading.negation_before(words.start);
    let is_only = (sold && only > 0 || words.len() > end - start) && !is_not_sold;
    if is_only {
        let is_own = |(maker, of_maker): (Vec<&str>, usize)| of_maker == taken && !is_host(reading, &same, &maker);
        let is_maker = vendor_at(reading, at).is_some_and(is_own);
        tell_only(reading, is_maker, negation > 0, !others.is_empty());
    }
    same.extend(others.into_iter().flatten());
    if both > 0 && reading.is(at - 1, &["both"]) && negation == 0 {
        reading.warn("`both` is read as either: no filter asks for what several sellers have in common");
    }
    // What is `not only on azure` is there as well.
    reading.filter("seller", negation > 0 && !is_only || is_not_sold, &same);
    reading.take(words.start - negation..words.end);
    true
}

/// Some words with those beside them that say that nobody else sells it: `only on azure`, `on azure only`.
fn with_only(reading: &Reading<'_>, words: Range<usize>) -> Range<usize> {
    let is_ahead = words.start > 0 && reading.is(words.start - 1, &ONLY);
    words.start - usize::from(is_ahead)..words.end + usize::from(reading.is(words.end, &ONLY))
}

/// Asks for what has no other offer than that of the seller, or has another one where that is denied. A maker's own is none of those that are
/// counted. Of several sellers no filter says so.
fn tell_only(reading: &mut Reading<'_>, is_maker: bool, is_denied: bool, are_several: bool) {
    if are_several {
        reading.warn("`only` beside several sellers was not understood: no filter leaves out what others sell, too");
        return;
    }
    let offers = usize::from(!is_maker);
    if is_denied {
        reading.bound("offers__gte", &(offers + 1).to_string());
    } else {
        reading.bound("offers__lte", &offers.to_string());
    }
    reading.warn("`only` is read by the number of offers, in which that of a model's own maker does not count");
}

/// Whether a question is of the days on which models come and go, or of what is on its way out.
fn speaks_of_days(reading: &Reading<'_>) -> bool {
    let is_of_days =
        |text: &str| ["released_on", "deprecated_on", "retires_on"].iter().any(|field| text.contains(field));
    reading.has("status")
        || reading.param("sort").is_some_and(is_of_days)
        || reading.params.iter().any(|(name, _)| is_of_days(name))
}

/// Whether the word for models follows what ends before a position, with nothing but families between: `azure gpt models`.
fn is_before_models(reading: &Reading<'_>, end: usize) -> bool {
    let is_family_at = |at: usize| reading.words.get(at).is_some_and(|word| !word.used && is_family(&word.folded));
    let families = (end..reading.words.len()).take_while(|at| is_family_at(*at)).count();
    reading.is_before_kind(end + families)
}

/// Models that a seller has for each that it makes, from which on its name stands for what it sells.
const SOLD_FOR_EACH_MADE: usize = 4;

/// Whether who makes models sells many more of others.
fn is_host(reading: &Reading<'_>, spellings: &[&str], maker: &[&str]) -> bool {
    count(reading, "seller", spellings) >= SOLD_FOR_EACH_MADE * count(reading, "vendor", maker)
}

/// What people call the sellers of big clouds, and no program does.
const SPOKEN: [(&str, &str); 8] = [
    ("aws", "amazon-bedrock"),
    ("awsbedrock", "amazon-bedrock"),
    ("amazonwebservices", "amazon-bedrock"),
    ("vertex", "google-vertex"),
    ("gcp", "google-vertex"),
    ("googlecloud", "google-vertex"),
    ("oracle", "oci"),
    ("oraclecloud", "oci"),
];

/// What people call a seller of a big cloud, as the catalog does.
fn seller_spoken_of(said: &str) -> Option<String> {
    SPOKEN.iter().find(|(spoken, _)| *spoken == said).map(|(_, name)| (*name).to_owned())
}

/// Whether a text is the name of a seller, in whatever spelling.
pub fn is_seller(snapshot: &Snapshot, text: &str) -> bool {
    let said = compact(&folded(text));
    seller_spoken_of(&said).or_else(|| makers::seller_said(&said)).is_some()
        || snapshot.segment(Kind::Model).values("seller").any(|seller| compact(&folded(seller)) == said)
}

/// The seller that is named at a position, in all spellings of the catalog, and how many words name it.
fn seller_at<'a>(reading: &Reading<'a>, at: usize) -> Option<(Vec<&'a str>, usize)> {
    let sellers = reading.snapshot.sellers();
    let (name, taken) = longest_at(reading, at, |said| {
        let known = sellers.key(said).map(str::to_owned);
        known.or_else(|| seller_spoken_of(said)).or_else(|| makers::seller_said(said))
    })?;
    let same = sellers.spellings(&name);
    (!same.is_empty()).then_some((same, taken))
}
