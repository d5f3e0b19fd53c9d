//! Where words begin and end: what is typed without a blank may be several, `200k-token`, and a number with blanks in it is one.

use std::ops::Range;

use super::{Word, only_digits};
use refdesk_core::field::FIELDS;
use refdesk_search::text::{folded, word_array};

/// Digits between the separators of a number.
const GROUP_DIGITS: usize = 3;
/// Signs of money in front of a number …
const CURRENCY_SIGNS: [char; 4] = ['$', '€', '£', '¥'];
/// … and whatever else may be there.
const NUMBER_MARKS: [char; 9] = ['$', '€', '£', '¥', '<', '>', '=', '≤', '≥'];

/// Units behind a slash that a price is stated in.
const PER_UNITS: [&str; 13] =
    ["m", "1m", "mtok", "mtoken", "mtokens", "1mtok", "million", "k", "1k", "ktok", "1ktok", "tokens", "token"];

/// Words that are typed in short, and what they are read as.
const ABBREVIATIONS: [(&str, &str); 8] = [
    ("ctx", "context"),
    ("w/", "with"),
    ("w", "with"),
    ("w/o", "without"),
    ("w/out", "without"),
    ("n", "and"),
    ("toks", "tokens"),
    ("approx", "about"),
];
/// The same where a comparison hangs on them: `out>=64k`.
const BEFORE_COMPARATOR: [(&str, &str); 2] = [("in", "input"), ("out", "output")];
/// Codes of currencies that are typed right behind a number: `3USD`.
const CODES: [&str; 3] = ["usd", "eur", "gbp"];
/// Money in front of a slash: `3 $/Mtok`.
const CURRENCIES: [&str; 10] = ["$", "us$", "usd", "dollar", "dollars", "cent", "cents", "ct", "cts", "¢"];
/// Units behind a range whose numbers have none.
const UNITS_BEHIND: [&str; 12] =
    word_array("dollar dollars usd bucks cent cents k thousand million tokens sellers providers");
/// Words of what is measured, in the singular.
const MEASURES: [&str; 9] = ["input", "output", "token", "context", "window", "length", "size", "price", "cost"];

/// The words of a text. A number and what hangs on it are several: `200k-token`, `$0.50/M`, `>=200k`; so is what `non-` negates. One whose
/// thousands stand apart is one word: `128 000`.
pub fn words(text: &str) -> Vec<Word<'_>> {
    let mut words = Vec::new();
    let parts = between_blanks(text);
    for (at, typed) in parts.iter().copied().enumerate() {
        if let Some(number) = typed.strip_prefix('~').filter(|number| number.starts_with(begins_number)) {
            words.push(word(&typed[..typed.len() - number.len()]));
        }
        let bare = typed.trim_matches(|c: char| c.is_ascii_punctuation() && !"$+-!#@/<>=%".contains(c));
        let bare = bare.trim_end_matches(['?', '!', ',', ';', ':', '.', '？', '。', '、', '！', '，']);
        let bare = without_country(bare);
        match comparator_in(bare) {
            // `context:200k` and `price:$1` are two words.
            Some(comparator) => {
                split(&bare[..comparator.start], &mut words);
                if let Some(last) = words.last_mut().filter(|_| comparator.start > 0)
                    && let Some((_, long)) = BEFORE_COMPARATOR.iter().find(|(short, _)| *short == last.folded)
                {
                    (*long).clone_into(&mut last.folded);
                }
                let sign = &bare[comparator.clone()];
                if sign != ":" {
                    words.push(word(sign));
                }
                split(&bare[comparator.end..], &mut words);
            }
            None => match parts.get(at + 1).and_then(|unit| range_of(bare, unit)) {
                Some(range) => words.extend(range.map(word)),
                None => split(bare, &mut words),
            },
        }
        if let Some(last) = words.last_mut() {
            last.ends_clause |= typed.ends_with([',', ';', '，', '、']);
        }
    }
    words
}

/// A sum without the country whose dollars they are: `$3` of `US$3`.
fn without_country(bare: &str) -> &str {
    let sum = bare.strip_prefix("US").or_else(|| bare.strip_prefix("us"));
    sum.filter(|sum| sum.starts_with('$') && sum[1..].starts_with(|c: char| c.is_ascii_digit())).unwrap_or(bare)
}

/// A number and the currency that is typed right behind it: `3` and `USD` of `3USD`.
fn with_code_apart(bare: &str) -> Option<[&str; 2]> {
    let (number, code) = bare.split_at_checked(bare.len().checked_sub(CODES[0].len())?)?;
    let is_code = |known: &&str| known.eq_ignore_ascii_case(code);
    (is_number(number) && CODES.iter().any(is_code)).then_some([number, code])
}

/// The ends of a range whose unit stands behind it, and what joins them: `1-2 dollars`.
fn range_of<'a>(bare: &'a str, unit: &str) -> Option<[&'a str; 3]> {
    let (low, high) = bare.split_once(['-', '–'])?;
    let unit = unit.trim_end_matches(|c: char| c.is_ascii_punctuation()).to_lowercase();
    let is_range = is_number(low) && is_number(high) && UNITS_BEHIND.contains(&unit.as_str());
    is_range.then(|| with_sign(bare, low, high))
}

/// Whether a number may begin so.
fn begins_number(c: char) -> bool {
    c.is_ascii_digit() || CURRENCY_SIGNS.contains(&c)
}

/// The parts of a text between blanks, where a number with blanks between its thousands is one.
fn between_blanks(text: &str) -> Vec<&str> {
    let mut parts: Vec<Range<usize>> = Vec::new();
    for part in text.split_whitespace() {
        let start = part.as_ptr().addr() - text.as_ptr().addr();
        let end = start + part.len();
        match parts.last_mut() {
            Some(last) if is_group(part) && takes_groups(&text[last.clone()]) => last.end = end,
            _ => parts.push(start..end),
        }
    }
    parts.into_iter().map(|part| &text[part]).collect()
}

/// Three digits of a longer number: `000`, `000,`.
fn is_group(part: &str) -> bool {
    let rest = part.trim_start_matches(|c: char| c.is_ascii_digit());
    part.len() - rest.len() == GROUP_DIGITS && !rest.contains(char::is_alphanumeric)
}

/// Whether groups of digits may follow: `128`, `$1 000`.
fn takes_groups(number: &str) -> bool {
    let mut groups = number.trim_start_matches(NUMBER_MARKS).split_whitespace();
    groups
        .next()
        .is_some_and(|first| (1..=GROUP_DIGITS).contains(&first.len()) && only_digits(first) && !first.starts_with('0'))
        && groups.all(only_digits)
}

/// Where a comparison stands that a number hangs on, `>=200k`, `context≥1M`, or what stands between a measure and its number: `context=200k`.
fn comparator_in(bare: &str) -> Option<Range<usize>> {
    let start = bare.find(['<', '>', '≤', '≥', '=', ':'])?;
    let sign = &bare[start..];
    if sign.starts_with(['=', ':']) && !is_name_of_measure(&bare[..start]) {
        return None;
    }
    let number = sign.trim_start_matches(['<', '>', '≤', '≥', '=', ':']);
    let is_number = number.trim_start_matches(CURRENCY_SIGNS).starts_with(|c: char| c.is_ascii_digit());
    is_number.then(|| start..bare.len() - number.len())
}

/// Adds what was typed without blanks between.
fn split<'a>(bare: &'a str, words: &mut Vec<Word<'a>>) {
    match bare.split_once(['-', '–', '—']) {
        _ if is_field(bare) => words.extend(bare.split('_').map(word)),
        Some((first, second)) if are_two_words(first, second) => words.extend([first, second].map(word)),
        // `100k-200k`
        Some((low, high)) if is_number(low) && is_number(high) && (has_unit(low) || has_unit(high)) => {
            words.extend(with_sign(bare, low, high).map(word));
        }
        _ if bare.is_empty() => {}
        _ => match bare.split_once('/') {
            Some((first, last)) if is_measure(first) && is_measure(last) => {
                words.extend(with_sign(bare, first, last).map(word));
            }
            Some((price, per)) if is_priced_per(price, per) => {
                let [price, sign, per] = with_sign(bare, price, per);
                push_sum(price, words);
                words.extend([sign, per].map(word));
            }
            _ => push_sum(bare, words),
        },
    }
}

/// Adds a word, or a number and the currency behind it.
fn push_sum<'a>(bare: &'a str, words: &mut Vec<Word<'a>>) {
    match with_code_apart(bare) {
        Some(parts) => words.extend(parts.map(word)),
        None => words.push(word(bare)),
    }
}

/// The words around the hyphen of one, where there is a single one.
pub fn around_hyphen<'a>(both: &Word<'a>) -> Option<[Word<'a>; 2]> {
    let (first, second) = both.text.split_once('-').filter(|(_, second)| !second.contains('-'))?;
    Some([word(first), Word { ends_clause: both.ends_clause, ..word(second) }])
}

/// What a word says that there is none of: `key` of `keyless`, `login` of `login-free`.
pub fn lacked<'a>(word: &Word<'a>) -> Option<Word<'a>> {
    let bare = ["-free", "less"].into_iter().find_map(|ending| word.text.strip_suffix(ending))?;
    Some(Word { ends_clause: word.ends_clause, ..self::word(bare) })
}

/// Whether a hyphen joins what is read as two words: `200k-token`, `non-free`, `sub-$1`, `output-tokens`, `max-output`.
fn are_two_words(first: &str, second: &str) -> bool {
    is_number(first) && second.chars().all(char::is_alphabetic) && !second.is_empty()
        || first.eq_ignore_ascii_case("non") && !second.is_empty()
        || first.eq_ignore_ascii_case("sub") && is_number(second)
        || is_measure(second) && (is_measure(first) || first.eq_ignore_ascii_case("max"))
}

/// Whether a text is the name of a field as programs write it, or is made of measures as one, which is read as its words: `price_output`,
/// `max_output_tokens`. `max_tokens` may be of anything.
fn is_field(bare: &str) -> bool {
    let are_measures = || {
        let name = bare.strip_prefix("max_").filter(|name| *name != "tokens").unwrap_or(bare);
        name.split('_').all(is_measure)
    };
    bare.contains('_') && (FIELDS.iter().any(|field| field.name.eq_ignore_ascii_case(bare)) || are_measures())
}

/// Whether a text is what a measure is called in front of its number: `context`, `ctx`, `in`, `output_price`.
fn is_name_of_measure(text: &str) -> bool {
    let is_short = |(short, long): &(&str, &str)| short.eq_ignore_ascii_case(text) && is_measure(long);
    is_measure(text) || is_field(text) || ABBREVIATIONS.iter().chain(&BEFORE_COMPARATOR).any(is_short)
}

/// Whether a slash separates a price from a second price or from its unit: `$3/$15`, `$0.50/M`.
fn is_priced_per(price: &str, per: &str) -> bool {
    [price, per].iter().all(|price| price.starts_with('$') && is_number(price))
        || (is_number(price) || with_code_apart(price).is_some() || CURRENCIES.contains(&&*price.to_lowercase()))
            && PER_UNITS.contains(&&*per.to_lowercase())
}

/// The two ends of a text, and the sign between them.
fn with_sign<'a>(text: &'a str, first: &'a str, last: &'a str) -> [&'a str; 3] {
    [first, &text[first.len()..text.len() - last.len()], last]
}

fn word(text: &str) -> Word<'_> {
    let mut folded = folded(text);
    folded.retain(|c| !c.is_whitespace());
    let folded =
        ABBREVIATIONS.iter().find(|(short, _)| *short == folded).map_or(folded, |(_, long)| (*long).to_owned());
    Word { text, folded, used: false, ends_clause: false }
}

/// Whether a text is one of the words that are joined by a hyphen as well as by a blank.
fn is_measure(text: &str) -> bool {
    MEASURES.contains(&text.to_lowercase().trim_end_matches('s'))
}

/// `200k`, `$0.10`, `1M+`.
fn is_number(text: &str) -> bool {
    let digits = text.trim_start_matches(CURRENCY_SIGNS).trim_end_matches(['k', 'K', 'm', 'M', '+', '$', '€']);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.' || byte == b',')
}

/// Whether a number is one of money or of thousands.
fn has_unit(number: &str) -> bool {
    number.starts_with('$') || number.ends_with(['k', 'K', 'm', 'M'])
}
