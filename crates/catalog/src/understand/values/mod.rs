//! Values that the catalog has: makers, families, sellers, licences, and what stands beside the name of its field.

mod either;
mod known;
mod labelled;
pub mod parameters;
mod regions;
mod seller;
mod vendor;

use super::modalities::is_noun;
use super::order::VERSIONS;
use super::reading::Reading;
use super::vocabulary::is_part_of_topic;
use super::words::{Words, has_digit, hyphenated, without_possessive};
use crate::resolve::model::makers::is_family;
use crate::snapshot::gazetteer::compact;
pub use known::metered;
pub use labelled::ahead;
use refdesk_core::Kind;
use refdesk_core::field;
use refdesk_core::query::Test;
use refdesk_search::text::{folded, is_language, is_stop_word};
pub use seller::is_seller;

/// Most words of a value.
const VALUE_WORDS_MAX: usize = 3;
/// What sellers do with models, before or behind the seller's name: `hosted by Groq`, `groq hosted models`.
const SOLD: [&str; 3] = ["hosted", "served", "sold"];
/// What stands before the maker of something.
const FROM: [&str; 3] = ["from", "by", "of"];
/// What stands between the makers of a list.
const LISTING: [&str; 4] = ["or", "and", "nor", "&"];

/// Reads a value at a position, with the word in front that says what it is.
pub fn parse(reading: &mut Reading<'_>, at: usize) -> bool {
    if reading.words[at].used {
        return false;
    }
    known::parse(reading, at)
        || open(reading, at)
        || regions::parse(reading, at)
        || seller::parse(reading, at)
        || either::parse(reading, at)
        || vendor::parse(reading, at)
        || family(reading, at)
        || license(reading, at)
        || labelled::parse(reading, at)
        || language(reading, at)
}

/// What may follow where `open` stands behind the word for the kind.
const BEHIND_OPEN: [&str; 10] = ["with", "without", "from", "by", "under", "and", "less", "more", "fewer", "over"];

/// `open models`, `open qwen models`: directly before the kind, with nothing but a family between. Behind it only where the question or
/// what is said of them ends, as in `models open with vision`: other languages say it there.
fn open(reading: &mut Reading<'_>, at: usize) -> bool {
    // `open or closed models`
    let first = reading.past(at + 1, &["or", "and"]);
    let is_before_head = reading.leads_to_kind(first, |word| word.used || is_family(&word.folded));
    let is_behind_head = reading.head_end == Some(at)
        && reading.words.get(at + 1).is_none_or(|next| next.used || reading.is(at + 1, &BEHIND_OPEN));
    if reading.kind != Kind::Model || !(is_before_head || is_behind_head) || !reading.is(at, &["open"]) {
        return false;
    }
    reading.set("open_weights", "true");
    reading.take(at..at + 1);
    true
}

/// The longest run of unused words from a position on that something is known by, and how many words it takes.
fn longest_at<T>(reading: &Reading<'_>, at: usize, known: impl Fn(&str) -> Option<T>) -> Option<(T, usize)> {
    (1..=VALUE_WORDS_MAX).rev().find_map(|taken| {
        let words = reading.words.get(at..at + taken)?;
        if words.iter().any(|word| word.used) {
            return None;
        }
        let said: String = words.iter().map(|word| word.folded.as_str()).collect();
        // `OpenAI's models`
        known(&compact(without_possessive(&said))).map(|value| (value, taken))
    })
}

/// Where the words end that say what somebody does whose name ends at a position, and whether they deny it: `hosts`, `doesn't host`, `does not
/// host`.
fn done_behind(reading: &Reading<'_>, at: usize, verbs: &[&str]) -> Option<(usize, bool)> {
    let denial = at + usize::from(reading.is(at, &["do", "does", "did"]) && reading.denies(at + 1));
    let is_denied = reading.denies(denial);
    let verb = denial + usize::from(is_denied);
    reading.is(verb, verbs).then_some((verb + 1, is_denied))
}

/// The names, any of which will do, that go on a list behind one which ends in front of `end`, and where the last of them ends. What introduces the
/// first may be `repeated` behind what joins them; an open list goes on with nothing between.
fn listed_behind<'a, T>(
    reading: &Reading<'a>,
    mut end: usize,
    repeated: &[&str],
    is_open: bool,
    named_at: impl Fn(&Reading<'a>, usize) -> Option<(T, usize)>,
) -> (Vec<T>, usize) {
    let mut names = Vec::new();
    loop {
        let is_joined = reading.is(end, &LISTING);
        if !is_joined && !is_open && !reading.words[end - 1].ends_clause {
            break;
        }
        let mut next = end + usize::from(is_joined);
        next += usize::from(is_joined && reading.is(next, repeated));
        let Some((name, taken)) = named_at(reading, next) else { break };
        names.push(name);
        end = next + taken;
    }
    (names, end)
}

/// How many models have one of some values of a field.
fn count(reading: &Reading<'_>, name: &str, values: &[&str]) -> usize {
    let segment = reading.snapshot.segment(Kind::Model);
    segment.column(name).map_or(0, |column| {
        let accepted = column.accepted(&Test::AnyOf(values.iter().map(|value| (*value).to_owned()).collect()));
        (0..segment.len()).filter(|row| accepted.contains(column.codes.get(*row))).count()
    })
}

/// Of the models of a family so many hundredths must be in the series of that name for it to be meant: not every model has a family, and
/// some are of one that their name tells nothing of.
const IN_SERIES_PERCENT: usize = 66;

/// `claude models`, `claude opus models`, `cheapest gemini`: a series, a family, or all whose names begin with the words. Of those that are left out,
/// `not opus`, any word of the name says which; so it does of those in an order, `newest sonnet`, where it is in the names of one maker only.
fn family(reading: &mut Reading<'_>, at: usize) -> bool {
    (1..=VALUE_WORDS_MAX).rev().any(|taken| family_of(reading, at, taken))
}

/// What a line of models is called behind its name: `except the gpt series`.
const LINE: [&str; 4] = ["series", "family", "line", "lineup"];

/// The same of so many words.
fn family_of(reading: &mut Reading<'_>, at: usize, taken: usize) -> bool {
    let Some(words) = reading.words.get(at..at + taken) else { return false };
    let negation = reading.negation_before_name(at);
    let before_head = reading.words.get(at + taken).is_some_and(|next| next.used || next.folded == "open");
    // Without a word for the kind, a limit or an order has told that models are meant.
    let without_head = reading.head_end.is_none();
    let after_order = at > 0 && reading.words[at - 1].used && reading.has("sort");
    let may_be_one = before_head || after_order || without_head || negation > 0;
    // In `latest stable gemini` the line is named behind.
    let is_before_line = reading.words.get(at + taken).is_some_and(|next| !next.used && is_family(&next.folded));
    let by_any_word = taken == 1
        && (negation > 0 || after_order && without_head && !is_before_line)
        && !is_word_of_a_field(&words[0].folded)
        && !is_noun(&words[0].folded);
    if reading.kind != Kind::Model
        || !may_be_one
        || words.iter().any(|word| word.used || is_stop_word(&word.folded))
        || !(by_any_word || is_family(&words[0].folded))
        || is_part_of_topic(reading, at)
    {
        return false;
    }
    let said = hyphenated(words);
    let Some(families) = families_called(reading, &said, by_any_word, negation > 0) else { return false };
    let narrows = by_any_word && negation == 0;
    let series: Option<&str> = reading.values("series").find(|series| *series == said).filter(|series| {
        is_family(series)
            && (!narrows || is_of_what_was_read(reading, "series", series))
            && count(reading, "series", &[series]) * 100 >= count(reading, "family", &families) * IN_SERIES_PERCENT
    });
    // What is left out is so by either.
    if series.is_none() || negation > 0 {
        reading.filter("family", negation > 0, &families);
    }
    if let Some(series) = series {
        reading.filter("series", negation > 0, &[series]);
    }
    let is_known = series.is_some() || !families.is_empty();
    if is_known {
        // `cheapest grok version`
        let end = at + taken;
        let is_version = reading.has("sort") && reading.is(end, &VERSIONS) || reading.is(end, &LINE);
        reading.take(at - negation..end + usize::from(is_version));
        reading.note_negated(negation, end);
    }
    is_known
}

/// Fields that say whose a model is and of which line.
const OF_LINE: [&str; 3] = ["vendor", "series", "family"];

/// Whether a model of a family or a series is of the maker and the line that were read: in `newest qwen coder` no family of another line is
/// meant.
fn is_of_what_was_read(reading: &Reading<'_>, name: &str, value: &str) -> bool {
    let segment = reading.snapshot.segment(Kind::Model);
    let read = reading.params.iter().filter(|(name, _)| OF_LINE.contains(&name.as_str()));
    let read = read.map(|(name, values)| (name.as_str(), field::split(values)));
    let accepted = read.chain([(name, vec![value.to_owned()])]).map(|(name, values)| {
        let column = segment.column(name)?;
        Some((column, column.accepted(&Test::AnyOf(values))))
    });
    accepted.collect::<Option<Vec<_>>>().is_some_and(|accepted| {
        (0..segment.len()).any(|row| accepted.iter().all(|(column, met)| met.contains(column.codes.get(row))))
    })
}

/// The families whose names begin with some words, or have the one `by_any_word`: of one line, and of what was read, unless they are left out.
fn families_called<'a>(
    reading: &Reading<'a>,
    said: &str,
    by_any_word: bool,
    is_left_out: bool,
) -> Option<Vec<&'a str>> {
    let begins_so =
        |family: &&str| folded(family).strip_prefix(said).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'));
    let mut families: Vec<&str> = reading.values("family").filter(begins_so).collect();
    if by_any_word && (is_left_out || families.is_empty()) {
        let has_word = |family: &&str| folded(family).split('-').any(|part| part == said);
        families = reading.values("family").filter(has_word).collect();
        let line = |family: &str| folded(family).split('-').next().map(str::to_owned);
        if !is_left_out && families.iter().any(|family| line(family) != line(families[0])) {
            return None;
        }
    }
    families.retain(|family| !by_any_word || is_left_out || is_of_what_was_read(reading, "family", family));
    // Who says `gpt-4o` means that model, and not the few others whose family a source calls so.
    let segment = reading.snapshot.segment(Kind::Model);
    let version = segment.by_id(said).filter(|_| has_digit(said));
    let own = version.and_then(|row| segment.column("family")?.value(row));
    if own.is_some_and(|own| !families.contains(&own)) {
        families.clear();
    }
    Some(families)
}

/// `models without context` leaves out no family for having that word in its name: it speaks of a field.
fn is_word_of_a_field(word: &str) -> bool {
    field::of_kind(Kind::Model).any(|field| field.name.split('_').any(|part| part == word))
}

/// Words for licences.
const LICENSE: [&str; 6] = ["license", "licence", "licensed", "licenced", "licenses", "licences"];

/// What names of open licences begin with: nothing else is called so in front of the word for a kind.
const LICENSES: [&str; 11] =
    ["mit", "apache", "apache-2.0", "bsd", "gpl", "agpl", "lgpl", "mpl", "gpl-3.0", "cc-by", "cc-by-4.0"];

/// `MIT licensed`, `apache 2.0 models`, `under the Apache 2.0 licence`, `whose licence is MIT`; any of several, `MIT or Apache licensed`.
fn license<'a>(reading: &mut Reading<'a>, at: usize) -> bool {
    let start = reading.start_of(at, &["under", "the", "an", "a", "with", "by", "is", "=", "of"]);
    let introduced = reading.is_behind(start, &LICENSE);
    let start = if introduced { start - 1 } else { start };
    let is_licence = reading.is(at, &LICENSES);
    if !(is_licence || introduced || reading.is(at + 1, &LICENSE) || reading.is(at + 2, &LICENSE)) {
        return false;
    }
    for taken in [2, 1] {
        let Some(mut licenses) = licenses_of(reading, at, taken) else { continue };
        let (others, end) = listed_behind(reading, at + taken, &[], false, |reading: &Reading<'a>, at| {
            let is_one = is_licence && reading.is(at, &LICENSES);
            [2, 1].into_iter().filter(|_| is_one).find_map(|taken| Some((licenses_of(reading, at, taken)?, taken)))
        });
        let followed = reading.is(end, &LICENSE);
        // `apache 2.0 models`
        let is_negated = reading.negation_before(start) > 0;
        // `vector databases, apache 2`; the name of the foundation alone says no licence of a tool.
        let is_last = end == reading.words.len()
            && reading.head_end.is_some_and(|end| end <= at)
            && (taken > 1 || !reading.is(at, &["apache"]));
        // `apache 2.0 mcp servers`; `apache tools` are for what the foundation makes.
        let is_before_several =
            reading.is_before_kind(end) && reading.is_of_several() && (taken > 1 || !reading.is(at, &["apache"]));
        let is_of_model = reading.kind == Kind::Model && (reading.is_before_kind(end) || is_negated);
        let is_of_kind = is_licence && (is_of_model || is_before_several || is_last);
        if !(followed || introduced || is_of_kind) {
            continue;
        }
        licenses.extend(others.into_iter().flatten());
        reading.filter_by("license", &licenses, start..end + usize::from(followed));
        return true;
    }
    false
}

/// The licences of the catalog whose names begin with so many unused words; none where there is none.
fn licenses_of<'a>(reading: &Reading<'a>, at: usize, taken: usize) -> Option<Vec<&'a str>> {
    let words = reading.words.get(at..at + taken)?;
    if words.iter().any(|word| word.used) {
        return None;
    }
    let said = words.iter().map(|word| word.folded.as_str()).collect::<Vec<_>>().join("-");
    let is_meant = |license: &&str| {
        let license = folded(license).replace(' ', "-");
        license == said || license.strip_prefix(said.as_str()).is_some_and(|rest| rest.starts_with(['-', '.']))
    };
    let licenses: Vec<&str> = reading.values("license").filter(is_meant).collect();
    (!licenses.is_empty()).then_some(licenses)
}

/// How the language is searched for, so that it is none of the words that say nothing.
const IN_LANGUAGE: &str = "in go";

/// Reads a programming language that is called by a stop word, with the preposition before it: `mcp servers in go`, `go library for agents`. No field
/// says it, and it is searched for.
fn language(reading: &mut Reading<'_>, at: usize) -> bool {
    let folded = |at: Option<usize>| at.and_then(|at| reading.words.get(at)).map_or("", |word| word.folded.as_str());
    // `not in go` is no reason to look for it.
    if !is_language(folded(at.checked_sub(1)), folded(Some(at)), folded(Some(at + 1)))
        || (0..at).any(|before| reading.negates(before))
    {
        return false;
    }
    let is_introduced = reading.is_behind(at, &["in", "with", "using"]);
    reading.instead.push(IN_LANGUAGE);
    reading.take(at - usize::from(is_introduced)..at + 1);
    true
}
