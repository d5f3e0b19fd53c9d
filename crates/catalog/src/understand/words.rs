//! The words of a question, and phrases looked up among them.

use std::ops::{Deref, Range};
use std::sync::OnceLock;

use foldhash::{HashMap, HashMapExt as _};
use refdesk_core::field::FIELDS;
use refdesk_core::text::listed_lines;
use refdesk_search::text::{folded, word_array};

/// Words that a thing is spoken of with.
pub const DETERMINERS: [&str; 7] = ["a", "an", "the", "my", "our", "your", "their"];

/// What is asked for a model.
pub const PRICES: [&str; 5] = ["price", "prices", "pricing", "cost", "costs"];
/// What who sells a model does.
pub const SELLS: [&str; 11] =
    ["charge", "charges", "sell", "sells", "offer", "offers", "host", "hosts", "serve", "serves", "asks"];

/// Participles that end otherwise than most do.
const PARTICIPLES: [&str; 12] = word_array("made built written sold run given held kept taught sent put driven");

/// Whether a folded word may be a participle: `maintained`, `written`.
pub fn is_participle(word: &str) -> bool {
    PARTICIPLES.contains(&word) || word.len() > 4 && word.ends_with("ed") && !word.ends_with("eed")
}

/// A word of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word<'a> {
    /// As it was typed, without punctuation around it.
    pub text: &'a str,
    /// Lower case, without accents.
    pub folded: String,
    /// It was understood and is not searched for.
    pub used: bool,
    /// A comma or semicolon stands behind it.
    pub ends_clause: bool,
}

impl Word<'_> {
    /// Whether it is one of some, understood or not.
    pub fn is(&self, any: &[&str]) -> bool {
        any.contains(&self.folded.as_str())
    }
}

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
            Some(comparator) => {
                split(&bare[..comparator.start], &mut words);
                if let Some(last) = words.last_mut().filter(|_| comparator.start > 0)
                    && let Some((_, long)) = BEFORE_COMPARATOR.iter().find(|(short, _)| *short == last.folded)
                {
                    (*long).clone_into(&mut last.folded);
                }
                words.push(word(&bare[comparator.clone()]));
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
    let (mut parts, mut at): (Vec<Range<usize>>, usize) = (Vec::new(), 0);
    for part in text.split_whitespace() {
        let start = at + text[at..].find(part).unwrap_or_default();
        at = start + part.len();
        match parts.last_mut() {
            Some(last) if is_group(part) && takes_groups(&text[last.clone()]) => last.end = at,
            _ => parts.push(start..at),
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
    let is_whole = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    groups
        .next()
        .is_some_and(|first| (1..=GROUP_DIGITS).contains(&first.len()) && is_whole(first) && !first.starts_with('0'))
        && groups.all(is_whole)
}

/// Where a comparison stands that a number hangs on: `>=200k`, `context≥1M`.
fn comparator_in(bare: &str) -> Option<Range<usize>> {
    let start = bare.find(['<', '>', '≤', '≥'])?;
    let number = bare[start..].trim_start_matches(['<', '>', '≤', '≥', '=']);
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

/// Whether a hyphen joins what is read as two words: `200k-token`, `non-free`, `sub-$1`, `output-tokens`.
fn are_two_words(first: &str, second: &str) -> bool {
    is_number(first) && second.chars().all(char::is_alphabetic) && !second.is_empty()
        || first.eq_ignore_ascii_case("non") && !second.is_empty()
        || first.eq_ignore_ascii_case("sub") && is_number(second)
        || is_measure(first) && is_measure(second)
}

/// Whether a text is the name of a field as programs write it, which is read as its words: `price_output`.
fn is_field(bare: &str) -> bool {
    bare.contains('_') && FIELDS.iter().any(|field| field.name.eq_ignore_ascii_case(bare))
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
    let folded = folded(text).replace(char::is_whitespace, "");
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

/// What is asked of the words of a question by their positions.
pub trait Words {
    /// Whether an unused word at a position is one of some.
    fn is(&self, at: usize, any: &[&str]) -> bool;

    /// Whether the unused words from a position on are those of a phrase.
    fn is_phrase(&self, at: usize, phrase: &[&str]) -> bool {
        phrase.iter().enumerate().all(|(offset, part)| self.is(at + offset, &[part]))
    }

    /// The folded words with hyphens between, as names have them.
    fn hyphenated(&self) -> String;
}

impl Words for [Word<'_>] {
    fn is(&self, at: usize, any: &[&str]) -> bool {
        self.get(at).is_some_and(|word| !word.used && word.is(any))
    }

    fn hyphenated(&self) -> String {
        self.iter().map(|word| word.folded.as_str()).collect::<Vec<_>>().join("-")
    }
}

/// Whether a text looks like a name: it has several words, or a number.
pub fn is_more_than_a_word(text: &str) -> bool {
    text.contains([' ', '-', '.']) || text.contains(|c: char| c.is_ascii_digit())
}

/// Marks words as understood.
pub fn take(words: &mut [Word<'_>], range: Range<usize>) {
    words[range].iter_mut().for_each(|word| word.used = true);
}

/// A text without the ending that says whose something is: `gpt-4o` of `gpt-4o's successor`.
pub fn without_possessive(text: &str) -> &str {
    text.trim_end_matches("'s").trim_end_matches("’s")
}

/// Words as they were typed, with blanks between.
pub fn text<'w, 'a: 'w>(words: impl IntoIterator<Item = &'w Word<'a>>) -> String {
    words.into_iter().map(|word| word.text).collect::<Vec<_>>().join(" ")
}

/// Phrases and what each means, by their first word.
#[derive(Debug)]
pub struct Phrases<T>(HashMap<Box<str>, Vec<Phrase<T>>>);

/// The words of a phrase after its first, and what it means.
type Phrase<T> = (Vec<Box<str>>, T);

impl<T> Phrases<T> {
    /// Phrases of words between blanks.
    pub fn new<'p>(phrases: impl Iterator<Item = (&'p str, T)>) -> Self {
        let mut by_first: HashMap<Box<str>, Vec<Phrase<T>>> = HashMap::new();
        for (phrase, meaning) in phrases {
            let mut parts = phrase.split(' ');
            let first = parts.next().unwrap_or_default();
            let rest: Vec<Box<str>> = parts.map(Into::into).collect();
            let known = by_first.entry(first.into()).or_default();
            // The longest first; of equal ones, that which was listed first.
            let place = known.partition_point(|(longer, _)| longer.len() >= rest.len());
            known.insert(place, (rest, meaning));
        }
        Self(by_first)
    }

    /// Rows of phrases between commas, with what those of a row mean.
    pub fn listed<'p>(rows: impl IntoIterator<Item = (&'p str, T)>) -> Self
    where
        T: Copy,
    {
        Self::new(
            rows.into_iter()
                .flat_map(|(phrases, meaning)| phrases.split(',').map(move |phrase| (phrase.trim(), meaning))),
        )
    }

    /// The longest phrase of unused words at a position: how many words it takes, and its meaning.
    pub fn at(&self, words: &[Word<'_>], at: usize) -> Option<(usize, &T)> {
        self.admitted_at(words, at, |_| true)
    }

    /// The same of those that some test admits.
    pub fn admitted_at(&self, words: &[Word<'_>], at: usize, admits: impl Fn(&T) -> bool) -> Option<(usize, &T)> {
        let first = words.get(at).filter(|word| !word.used)?;
        let phrases = self.0.get(first.folded.as_str())?;
        let follow = |rest: &[Box<str>]| {
            let next = words.iter().skip(at + 1);
            rest.len() < words.len() - at
                && rest.iter().zip(next).all(|(part, word)| !word.used && word.folded == **part)
        };
        let (rest, meaning) = phrases.iter().find(|(rest, meaning)| admits(meaning) && follow(rest))?;
        Some((1 + rest.len(), meaning))
    }

    /// Where the longest phrase of unused words at a position ends.
    pub fn end_at(&self, words: &[Word<'_>], at: usize) -> Option<usize> {
        self.at(words, at).map(|(taken, _)| at + taken)
    }

    /// Every phrase of one word, with its meaning.
    pub fn single_words(&self) -> impl Iterator<Item = (&str, &T)> {
        self.0.iter().filter_map(|(first, phrases)| {
            phrases.iter().find(|(rest, _)| rest.is_empty()).map(|(_, meaning)| (&**first, meaning))
        })
    }
}

/// Rows of phrases between commas, with what those of a row mean, to look phrases up in.
#[derive(Debug)]
pub struct PhraseRows<T: 'static> {
    rows: &'static [(&'static str, T)],
    phrases: OnceLock<Phrases<T>>,
}

impl<T: 'static> PhraseRows<T> {
    /// Rows whose phrases are told apart when one is looked up first.
    pub const fn new(rows: &'static [(&'static str, T)]) -> Self {
        Self { rows, phrases: OnceLock::new() }
    }
}

impl<T: Copy + 'static> Deref for PhraseRows<T> {
    type Target = Phrases<T>;

    fn deref(&self) -> &Phrases<T> {
        self.phrases.get_or_init(|| Phrases::listed(self.rows.iter().copied()))
    }
}

/// The lines of a data file, cut at bars; comments are left out.
pub fn table(file: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
    listed_lines(file).map(|line| line.split('|').map(str::trim).collect())
}
