//! Superlatives and orders: `cheapest`, `top 5 newest`, `longest context`, `context longest`, `sort models by price descending`.

mod around;
mod before_kind;
mod key;
mod verbs;

use super::amounts::{Cursor, is_numeric};
use super::reading::Reading;
use super::words::{PhraseRows, Word, Words as _, only_digits};
use around::{ORDINALS, TOP, counted_before, counted_behind, is_count, said_again, version_behind};
pub use around::{VERSIONS, take_count};
pub use before_kind::parse as before_values;
use before_kind::{changed_at, is_of_newest, is_of_oldest, warn_of_change};
use key::{direction_at, key_at, tokens_at};
use refdesk_core::Kind;
use verbs::done_most;

/// What a phrase of orders says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Said {
    Cheapest,
    Dearest,
    Newest,
    /// The same where the question ends: `released last month` is a period.
    NewestAtEnd,
    /// The same directly before the word for the kind: `New Relic server` does not ask for the newest.
    NewestBeforeKind,
    Oldest,
    /// The same directly before the word for the kind: `openai's first model`.
    OldestBeforeKind,
    /// Updated last.
    Updated,
    /// What many sell.
    Popular,
    /// The day up to which a model knows something.
    Cutoff,
    Context,
}
static PHRASES: PhraseRows<Said> = PhraseRows::new(&[
    (
        "low price to high,low to high price,cheapest,as cheap as possible,as cheaply as possible,most affordable,\
         most inexpensive,least expensive,least costly,lowest priced,lowest price,lowest prices,lowest cost,lowest-cost,smallest price",
        Said::Cheapest,
    ),
    ("high price to low,high to low price,most expensive,most costly,priciest,costliest,highest price", Said::Dearest),
    (
        "from new to old,new to old,most recently released,recently released,newly released,last released,most recent,\
         newest,latest released,latest,came out most recently,released most recently",
        Said::Newest,
    ),
    ("came out last,released last,launched last", Said::NewestAtEnd),
    ("recent,new,last", Said::NewestBeforeKind),
    ("from old to new,old to new,oldest,earliest,released first,came out first,launched first", Said::Oldest),
    ("first", Said::OldestBeforeKind),
    (
        "most recently updated,updated most recently,recently updated,latest updated,last updated,most recently changed,\
         changed most recently,recently changed,last changed",
        Said::Updated,
    ),
    ("most popular,most widely available,most widely offered,most widely hosted,most available", Said::Popular),
    ("knowledge cutoff,knowledge cut-off,training cutoff,training data cutoff,training data", Said::Cutoff),
    ("context window,context length,context", Said::Context),
]);
/// What a superlative is of.
const MEASURED: [&str; 8] = ["context", "window", "windows", "length", "size", "limit", "output", "tokens"];
/// What else `max` bounds: what has a price.
const PRICED: [&str; 3] = ["input", "price", "cost"];
const MOST: [&str; 9] = ["largest", "longest", "biggest", "highest", "most", "greatest", "maximum", "widest", "max"];
const LEAST: [&str; 4] = ["smallest", "shortest", "lowest", "least"];
/// Those that stand behind what they are of as well: `context longest`, as a question in Chinese is put in English.
const BEHIND: [&str; 7] = ["largest", "longest", "biggest", "highest", "smallest", "shortest", "lowest"];
const PRICE_WORDS: [&str; 4] = ["price", "prices", "pricing", "cost"];
/// The same, and what a price is of: `cheapest output tokens`.
const PRICES: [&str; 5] = ["price", "prices", "pricing", "cost", "tokens"];

/// `sorted by price`
const SORTED: [&str; 6] = ["sorted", "ordered", "order", "sort", "ranked", "rank"];

/// Whether words are a superlative that needs no other word: `cheapest`, `newest`.
pub fn is_superlative(words: &[Word<'_>]) -> bool {
    let is_whole = |said: &Said| matches!(said, Said::Cheapest | Said::Dearest | Said::Newest | Said::Oldest);
    PHRASES.admitted_at(words, 0, is_whole).is_some_and(|(taken, _)| taken == words.len())
}

/// Where the words end that ask at a position for the lowest price: `cheapest`, `lowest price`.
pub fn cheapest_at(words: &[Word<'_>], at: usize) -> Option<usize> {
    PHRASES.admitted_at(words, at, |said| *said == Said::Cheapest).map(|(taken, _)| at + taken)
}

/// Reads a superlative, or what to sort by, at a position.
pub fn parse(reading: &mut Reading<'_>, at: usize) -> bool {
    if by_key(reading, at) {
        return true;
    }
    if reading.has("sort") {
        return then_by(reading, at) || said_again(reading, at);
    }
    let order = from_to(reading, at)
        .or_else(|| order_at(reading, at))
        .or_else(|| done_most(reading, at))
        .or_else(|| as_possible(reading, at))
        .or_else(|| sorted_by(reading, at))
        .or_else(|| order_behind(reading, at));
    let Some((sort, end)) = order else { return false };
    reading.set("sort", &sort);
    warn_of_change(reading, at, &sort);
    reading.is_of_models |= reading.kind == Kind::Model;
    let start = counted_before(reading, at);
    if let Some(ordinal) = reading.words[start..at].iter().find(|word| word.is(&ORDINALS)) {
        let told = format!("you asked for the {}: it is at that position in this list", ordinal.folded);
        reading.warnings.push(told.into());
    }
    reading.take(start..version_behind(reading, counted_behind(reading, end)));
    // `priciest output tokens, top 3`
    if let Some(top) =
        reading.words.len().checked_sub(2).filter(|top| reading.is(*top, &TOP) && is_count(reading, top + 1))
    {
        reading.take(top..top + 2);
    }
    true
}

/// `from smallest to largest context`, `smallest to largest output`: the first of two opposites says the direction.
fn from_to(reading: &Reading<'_>, at: usize) -> Option<(String, usize)> {
    let first = reading.past(at, &["from"]);
    let sign = sign_at(reading, first)?;
    let is_opposite = reading.is(first + 1, &["to"]) && sign_at(reading, first + 2).is_some_and(|other| other != sign);
    let (order, end) = order_at(reading, first + 2).filter(|_| is_opposite)?;
    Some((format!("{sign}{}", order.trim_start_matches('-')), end))
}

/// What an order goes by that a superlative begins: `cheapest models by output price`, `largest models by context`, `top 5 models by price`.
/// The superlative says its direction where both are of one thing, or it alone says none.
fn by_key(reading: &mut Reading<'_>, at: usize) -> bool {
    if reading.kind != Kind::Model || !reading.is(at, &["by"]) && !is_of_meter(reading, at) {
        return false;
    }
    let order = reading.params.iter().position(|(name, _)| name == "sort");
    let is_by_price = order.is_some_and(|order| reading.params[order].1.contains("price_"));
    // `most expensive models by output`
    let meter = is_by_price.then(|| tokens_at(reading, at + 1)).flatten();
    let Some((key, end)) = meter.or_else(|| key_at(reading, at + 1)) else { return false };
    let field = key.trim_start_matches('-');
    let bare = (0..at).find(|at| reading.is(*at, &BEHIND));
    let top = (0..at).find(|at| reading.is(*at, &TOP));
    let is_asked_for = order.is_some() || bare.is_some() || top.is_some() || reading.head_end == Some(at);
    if !is_asked_for {
        return false;
    }
    let is_of_price = |order: &str| order.contains("price_");
    let said =
        order.map(|order| reading.params[order].1.clone()).filter(|said| is_of_price(said) && is_of_price(field));
    let said_sign = said.map(|said| if said.starts_with('-') { "-" } else { "" });
    let sign = said_sign.or_else(|| bare.and_then(|bare| sign_at(reading, bare)));
    let (sort, end) = match (direction_at(reading, end), sign) {
        (Some((sign, end)), _) => (format!("{sign}{field}"), end),
        (None, Some(sign)) => (format!("{sign}{field}"), end),
        (None, None) => (key.to_owned(), end),
    };
    match order {
        Some(order) => reading.params[order].1 = sort,
        None => reading.set("sort", &sort),
    }
    reading.is_of_models = true;
    if let Some(first) = bare.or(top) {
        let counted = reading.word(first + 1).is_some_and(only_digits);
        reading.take(counted_before(reading, first)..first + 1 + usize::from(counted));
    }
    if let Some(verb) = (0..at).find(|at| reading.is(*at, &SORTED)) {
        reading.take(verb..verb + 1);
    }
    reading.take(at..end);
    true
}

/// Reads the order of what ties in the one that was read: `sorted by context, then by price`. Nothing behind an order by sellers, which ends
/// all others.
fn then_by(reading: &mut Reading<'_>, at: usize) -> bool {
    if reading.kind != Kind::Model || !reading.is(at, &["then"]) {
        return false;
    }
    let next = reading.past(at + 1, &["by"]);
    let key = key_at(reading, next).map(|(key, end)| (key.to_owned(), end));
    let Some((mut key, mut end)) = key.or_else(|| order_at(reading, next)) else { return false };
    if let Some((sign, behind)) = direction_at(reading, end) {
        (key, end) = (format!("{sign}{}", key.trim_start_matches('-')), behind);
    }
    let Some((_, order)) = reading.params.iter_mut().find(|(name, _)| name == "sort") else { return false };
    if [order.as_str(), &key].into_iter().any(|order| order.contains("offers")) {
        return false;
    }
    *order = format!("{order},{key}");
    reading.take(at..end);
    true
}

/// Whether a preposition at a position says of which tokens the price is that an order goes by: `cheapest model on output`, `lowest price on
/// input from alibaba`, but not `cheapest model for output in json under $1`.
fn is_of_meter(reading: &Reading<'_>, at: usize) -> bool {
    let is_by_price = |order: &str| order.trim_start_matches('-') == "price_blended";
    if !reading.is(at, &["on", "for", "in"]) || !reading.param("sort").is_some_and(is_by_price) {
        return false;
    }
    let is_of_tokens = |key: &(&str, usize)| ["price_input", "price_output"].contains(&key.0);
    let price = || key_at(reading, at + 1).filter(is_of_tokens);
    let Some((_, end)) = tokens_at(reading, at + 1).or_else(price) else { return false };
    let goes_on = |next: &Word<'_>| next.used || next.is(&["from", "by", "with", "without", "that", "which", "via"]);
    reading.ends_at(end, goes_on)
}

/// `sorted by price`, `sort models by output price descending`.
fn sorted_by(reading: &Reading<'_>, at: usize) -> Option<(String, usize)> {
    if reading.kind != Kind::Model || !reading.is(at, &SORTED) {
        return None;
    }
    // The word for the kind is understood already.
    let is_sorted = |at: usize| reading.words[at].used || reading.is(at, &["all", "the", "them", "results", "list"]);
    let by = (at + 1..reading.words.len()).find(|at| !is_sorted(*at)).filter(|by| reading.is(*by, &["by"]))?;
    let (key, end) = key_at(reading, by + 1)?;
    Some(match direction_at(reading, end) {
        Some((sign, end)) => (format!("{sign}{}", key.trim_start_matches('-')), end),
        None => (key.to_owned(), end),
    })
}

/// The order that is said at a position, and where its words end.
fn order_at(reading: &Reading<'_>, at: usize) -> Option<(String, usize)> {
    let is_of_model = reading.kind == Kind::Model;
    match PHRASES.at(&reading.words, at).map(|(taken, said)| (at + taken, *said)) {
        Some((end, Said::Updated)) => return Some(("-updated_at".to_owned(), end)),
        said if own_day(reading.kind).is_none() => return changed_at(reading, at, said),
        Some((end, Said::Newest)) => return by_day(reading, end, "-"),
        Some((end, Said::NewestAtEnd)) if end == reading.words.len() => return by_day(reading, end, "-"),
        Some((end, Said::NewestBeforeKind)) if is_of_newest(reading, at) => return by_day(reading, end, "-"),
        Some((end, Said::Oldest)) => return by_day(reading, end, ""),
        Some((end, Said::OldestBeforeKind)) if is_of_model && is_of_oldest(reading, at) => {
            return by_day(reading, end, "");
        }
        Some((end, Said::Cheapest)) if is_of_model => return Some(priced(reading, end, "", "price_blended")),
        Some((end, Said::Dearest)) if is_of_model => return Some(priced(reading, end, "-", "price_blended")),
        Some((end, Said::Popular)) if is_of_model => return Some(("-offers".to_owned(), end)),
        _ if !is_of_model => return None,
        _ => {}
    }
    let sign = sign_at(reading, at)?;
    let next = at + 1;
    if is_limit(reading, at) {
        return None;
    }
    if reading.is(next, &["offers", "sellers", "providers"]) {
        return Some((format!("{sign}offers"), next + 1));
    }
    // `most output tokens` has no price.
    if let Some((meter, _)) = meter_at(reading, next).filter(|(_, end)| reading.is(*end, &PRICE_WORDS)) {
        return Some(priced(reading, next, sign, meter));
    }
    // `largest max output`
    let next = reading.past(next, &["max", "maximum"]);
    let field = if reading.is(next, &["output"]) {
        "output_tokens"
    } else if reading.is(next, &["context", "window"])
        || reading.is(next, &["input"]) && reading.is(next + 1, &["context", "tokens"])
    {
        "context_tokens"
    } else {
        return None;
    };
    Some((format!("{sign}{field}"), reading.end_of(next + 1, &MEASURED)))
}

/// The day on which things of a kind came out, where sources state it.
const fn own_day(kind: Kind) -> Option<&'static str> {
    match kind {
        Kind::Model => Some("released_on"),
        Kind::Tutorial => Some("published_on"),
        _ => None,
    }
}

/// An order by the day on which things came out, or by that up to which models know something where some words go on so.
fn by_day(reading: &Reading<'_>, behind: usize, sign: &str) -> Option<(String, usize)> {
    let date = own_day(reading.kind)?;
    // `most recent knowledge`, but not `latest knowledge graph model`
    let knowledge = || {
        let is_end = reading.words.get(behind + 1).is_none_or(Word::goes_on);
        (is_end && reading.is(behind, &["knowledge"])).then_some(behind + 1)
    };
    let cutoff =
        phrase_end(reading, behind, &[Said::Cutoff]).or_else(knowledge).filter(|_| reading.kind == Kind::Model);
    Some(match cutoff {
        Some(end) => (format!("{sign}knowledge_cutoff"), end),
        None => (format!("{sign}{date}"), behind),
    })
}

/// Whether `max` only names what a number bounds: `max output at least 64k`.
fn is_limit(reading: &Reading<'_>, at: usize) -> bool {
    if !reading.is(at, &["max", "maximum"]) {
        return false;
    }
    // `64k max output`
    let is_behind_number = at > 0 && !reading.words[at - 1].used && is_numeric(&reading.words[at - 1].folded);
    if is_behind_number {
        return true;
    }
    let is_named = |at: &usize| reading.is(*at, &MEASURED) || reading.is(*at, &PRICED);
    let end = (at + 1..reading.words.len()).take_while(is_named).last().unwrap_or(at) + 1;
    let mut cursor = Cursor { reading, at: end };
    cursor.skip(&["of", "is"]);
    end > at + 1 && (cursor.bounds().is_some() || cursor.amount().is_some())
}

/// `as much context as possible`, `as long an output as possible`
fn as_possible(reading: &Reading<'_>, at: usize) -> Option<(String, usize)> {
    let is_most = reading.is(at, &["as"]) && reading.is(at + 1, &["much", "long", "large", "big", "many"]);
    if reading.kind != Kind::Model || !is_most {
        return None;
    }
    let measured = reading.past(at + 2, &["a", "an"]);
    let (field, named_end) = match phrase_end(reading, measured, &[Said::Context]) {
        Some(end) => ("context_tokens", end),
        None => ("output_tokens", reading.past(measured, &["output"])),
    };
    let end = reading.past(named_end, &["tokens"]);
    (named_end > measured && reading.is_phrase(end, &["as", "possible"])).then(|| (format!("-{field}"), end + 2))
}

/// An order whose superlative stands behind what it is of: `context longest`, `output price lowest`.
fn order_behind(reading: &Reading<'_>, at: usize) -> Option<(String, usize)> {
    if reading.kind != Kind::Model {
        return None;
    }
    let (field, behind) = if let Some(end) = phrase_end(reading, at, &[Said::Context]) {
        ("context_tokens", end)
    } else if let Some((meter, end)) = meter_at(reading, at).filter(|(_, end)| reading.is(*end, &PRICE_WORDS)) {
        (meter, end + 1)
    } else if reading.is(at, &["output"]) {
        // `price of output lowest`
        let is_of_price = at > 1 && reading.is(at - 1, &["of", "for"]) && reading.is(at - 2, &PRICE_WORDS);
        (if is_of_price { "price_output" } else { "output_tokens" }, at + 1)
    } else if reading.is(at, &["price"]) {
        ("price_blended", at + 1)
    } else {
        return None;
    };
    let sign = sign_at(reading, behind).filter(|_| reading.is(behind, &BEHIND))?;
    Some((format!("{sign}{field}"), behind + 1))
}

/// Where the phrase ends that says one of some things at a position.
fn phrase_end(reading: &Reading<'_>, at: usize, any: &[Said]) -> Option<usize> {
    PHRASES.admitted_at(&reading.words, at, |said| any.contains(said)).map(|(taken, _)| at + taken)
}

/// The sign of the order that a superlative at a position says.
fn sign_at(reading: &Reading<'_>, at: usize) -> Option<&'static str> {
    if reading.is(at, &MOST) { Some("-") } else { reading.is(at, &LEAST).then_some("") }
}

/// An order by the price that is named behind some words, else by `otherwise`, and where its words end.
fn priced(reading: &Reading<'_>, behind: usize, sign: &str, otherwise: &str) -> (String, usize) {
    let (meter, end) = meter_at(reading, behind).unwrap_or((otherwise, behind));
    (format!("{sign}{meter}"), reading.past(end, &PRICES))
}

/// The price that is named at a position, as a field, and where its name ends.
fn meter_at(reading: &Reading<'_>, at: usize) -> Option<(&'static str, usize)> {
    if let Some(meter) = batch_meter_at(reading, at) {
        return Some((meter, at + 1));
    }
    let mut cursor = Cursor { reading, at };
    let meter = cursor.meter()?;
    // `cheapest prompt caching`
    let is_price = !reading.is(at, &["prompt", "completion"]) || reading.is(cursor.at, &PRICES);
    is_price.then_some((meter, cursor.at))
}

/// The price of a batch at a position: `cheapest batch price`, `lowest batch price for output`. Where none is named it is that of the input,
/// because no order goes by both.
fn batch_meter_at(reading: &Reading<'_>, at: usize) -> Option<&'static str> {
    let is_price = reading.is(at, &["batch", "batched"]) && reading.is(at + 1, &PRICE_WORDS);
    let is_of_output = reading.is(at + 2, &["for", "of", "on"]) && reading.is(at + 3, &["output", "outputs"]);
    is_price.then_some(if is_of_output { "price_batch_output" } else { "price_batch_input" })
}
