//! Values that the catalog has: makers, families, sellers, licences.

use super::reading::Reading;
use super::words::Word;
use crate::resolve::model::makers::is_family;
use refdesk_core::Kind;
use refdesk_search::text::folded;

/// Most words of a value.
const VALUE_WORDS_MAX: usize = 3;
/// What a company's name may end with and is left out in speech.
const LEFT_OUT: [&str; 3] = [" ai", " labs", " research"];

/// Reads a value at a position, with the word in front that says what it is.
pub fn read(reading: &mut Reading<'_>, at: usize) -> bool {
    open(reading, at) || seller(reading, at) || vendor(reading, at) || family(reading, at) || license(reading, at)
}

/// `open models`, `open qwen models`: directly before the kind, with nothing but a family between.
fn open(reading: &mut Reading<'_>, at: usize) -> bool {
    let is_family_or_read = |word: &Word<'_>| word.used || is_family(&word.folded);
    let is_before_head =
        reading.head_end.is_some_and(|end| at + 1 < end && reading.words[at + 1..end].iter().all(is_family_or_read));
    if reading.kind != Kind::Model || !is_before_head || !reading.is(at, &["open"]) {
        return false;
    }
    reading.set("open_weights", "true");
    reading.take(at..at + 1);
    true
}

/// The value of a field that stands at a position, and how many words it takes.
fn value_at<'a>(reading: &Reading<'a>, field: &str, at: usize) -> Option<(&'a str, usize)> {
    (1..=VALUE_WORDS_MAX).rev().find_map(|taken| {
        let words = reading.words.get(at..at + taken)?;
        if words.iter().any(|word| word.used) {
            return None;
        }
        let said = words.iter().map(|word| word.folded.as_str()).collect::<Vec<_>>().join(" ");
        let is_meant = |value: &&str| {
            // Most values differ in length alone.
            if value.len() + LEFT_OUT[2].len() < said.len() || value.len() > said.len() + LEFT_OUT[2].len() + 1 {
                return false;
            }
            let value = folded(value);
            value == said
                || value.replace(['-', ' ', '.'], "") == said.replace(['-', ' ', '.'], "")
                || LEFT_OUT.iter().any(|end| value.strip_suffix(end) == Some(said.as_str()))
        };
        let mut values = reading.values(field).filter(is_meant);
        let value = values.next()?;
        Some((value, taken))
    })
}

fn vendor(reading: &mut Reading<'_>, at: usize) -> bool {
    let Some((vendor, taken)) = value_at(reading, "vendor", at) else { return false };
    let negation = reading.negation_before(at);
    let said = ["from", "by", "of"];
    let introduced = at > 0 && reading.is(at - 1, &said);
    // `made by`, `released by`
    let made =
        introduced && at > 1 && reading.is(at - 2, &["made", "built", "published", "developed", "trained", "created"]);
    if negation > 0 {
        reading.set_value("vendor__not", vendor);
    } else if introduced || reading.kind == Kind::Model {
        reading.set_value("vendor", vendor);
    } else {
        return false;
    }
    reading.take(at - negation.max(usize::from(introduced) + usize::from(made))..at + taken);
    // `OpenAI or Anthropic`
    let next = at + taken;
    if reading.is(next, &["or", "and", "nor"])
        && let Some((other, taken)) = value_at(reading, "vendor", next + 1)
    {
        reading.set_value(if negation > 0 { "vendor__not" } else { "vendor" }, other);
        reading.take(next..next + 1 + taken);
    }
    true
}

/// Sellers whose names have one part in common, at most.
const SELLERS_MAX: usize = 8;

fn seller(reading: &mut Reading<'_>, at: usize) -> bool {
    let sold = at > 1 && reading.is(at - 2, &["available", "hosted", "offered", "sold", "served"]);
    let introduced =
        at > 0 && (reading.is(at - 1, &["on", "via", "through", "at"]) || sold && reading.is(at - 1, &["by"]));
    if reading.kind != Kind::Model || !introduced {
        return false;
    }
    let (sellers, taken) = if let Some((seller, taken)) = value_at(reading, "seller", at) {
        (vec![seller], taken)
    } else {
        // `Bedrock` is `amazon-bedrock`, and whatever else has that part.
        let Some(word) = reading.words.get(at).filter(|word| !word.used) else { return false };
        let said = word.folded.as_str();
        let has_part = |seller: &&str| seller.split(['-', '_']).any(|part| part == said);
        (reading.values("seller").filter(has_part).collect(), 1)
    };
    if !(1..=SELLERS_MAX).contains(&sellers.len()) {
        return false;
    }
    sellers.iter().for_each(|seller| reading.set_value("seller", seller));
    reading.take(at - 1 - usize::from(sold)..at + taken);
    true
}

/// `claude models`, `cheapest gemini`: a family, or all whose names begin with the word.
fn family(reading: &mut Reading<'_>, at: usize) -> bool {
    let Some(word) = reading.words.get(at).filter(|word| !word.used) else { return false };
    let before_head = reading.words.get(at + 1).is_some_and(|next| next.used || next.folded == "open");
    // Without a word for the kind, a limit or an order has told that models are meant.
    let without_head = reading.head_end.is_none();
    let after_order = at > 0 && reading.words[at - 1].used && reading.has("sort");
    if reading.kind != Kind::Model || !is_family(&word.folded) || !(before_head || after_order || without_head) {
        return false;
    }
    let said = word.folded.clone();
    let is_of = |family: &&str| {
        let family = folded(family);
        family == said || family.strip_prefix(said.as_str()).is_some_and(|rest| rest.starts_with('-'))
    };
    let families: Vec<&str> = reading.values("family").filter(is_of).collect();
    families.iter().for_each(|family| reading.set_value("family", family));
    if !families.is_empty() {
        reading.take(at..at + 1);
    }
    !families.is_empty()
}

/// Words for licences.
const LICENSE: [&str; 6] = ["license", "licence", "licensed", "licenced", "licenses", "licences"];

/// `MIT licensed`, `under the Apache 2.0 licence`.
fn license(reading: &mut Reading<'_>, at: usize) -> bool {
    let mut start = at;
    while start > 0 && reading.is(start - 1, &["under", "the", "an", "a", "with", "by"]) {
        start -= 1;
    }
    let introduced = start > 0 && start < at && reading.is(start - 1, &LICENSE);
    for taken in [2, 1] {
        let Some(words) = reading.words.get(at..at + taken) else { continue };
        let followed = reading.is(at + taken, &LICENSE);
        if words.iter().any(|word| word.used) || !(followed || introduced) {
            continue;
        }
        let said = words.iter().map(|word| word.folded.as_str()).collect::<Vec<_>>().join("-");
        let is_meant = |license: &&str| {
            let license = folded(license).replace(' ', "-");
            license == said || license.strip_prefix(said.as_str()).is_some_and(|rest| rest.starts_with('-'))
        };
        let licenses: Vec<&str> = reading.values("license").filter(is_meant).collect();
        if licenses.is_empty() {
            continue;
        }
        licenses.iter().for_each(|license| reading.set_value("license", license));
        reading.take(start - usize::from(introduced)..at + taken + usize::from(followed));
        return true;
    }
    false
}
