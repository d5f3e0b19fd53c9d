//! Misspelt words that give a question its structure: `cheepest modle` is read as `cheapest model`, and `newest gemni` goes by `gemini`. What
//! else is misspelt, names of single things above all, is a matter of the search.

use std::sync::LazyLock;

use super::words::Word;
use crate::snapshot::Snapshot;
use refdesk_core::query::Warning;
use refdesk_search::text::Stemmers;
use refdesk_search::{MatchKind, SearchRequest};

/// Letters of the shortest word that is looked at.
const LETTERS_MIN: usize = 4;
/// Of one that is longer, or stands for a longer one, any letter may be wrong; of others two are exchanged, or one behind the first is missing.
const LETTERS_SHORT: usize = 5;
/// A word that so many items have is one, however near it is to another.
const ITEMS_MIN: usize = 5;

/// Words for kinds, orders, limits, days and values that are hard to spell, and names of makers and lines, which an order or a list goes by;
/// at each place those of so many letters.
static STRUCTURE: LazyLock<Vec<Vec<&str>>> = LazyLock::new(|| {
    let words = "model models server servers tutorial tutorials framework cheapest affordable expensive highest newest latest recent oldest earliest largest \
                 biggest longest smallest shortest context window output tokens released deprecated retired discontinued shutdown \
                 knowledge cutoff weights reasoning multimodal vision embedding structured streaming official remote authentication proprietary \
                 without between with what that which under cheap large open source \
                 anthropic alibaba amazon claude cohere deepseek gemini gemma google haiku llama microsoft mistral nvidia openai perplexity sonnet";
    let mut by_length: Vec<Vec<&str>> = Vec::new();
    for word in words.split_whitespace() {
        by_length.resize(by_length.len().max(word.len() + 1), Vec::new());
        by_length[word.len()].push(word);
    }
    by_length
});
/// Words of English that are as near to one of these as a misspelt one.
const OTHER_WORDS: [&str; 15] = [
    "content", "contest", "remove", "boldest", "coldest", "severe", "resent", "release", "chap", "clause", "bonnet",
    "goggle", "mistrial", "mitral", "sunder",
];

/// The words of a question with those corrected that can only be misspelt, and a warning for each.
pub fn corrected<'a>(snapshot: &Snapshot, mut words: Vec<Word<'a>>) -> (Vec<Word<'a>>, Vec<Warning>) {
    let mut warnings = Vec::new();
    for word in &mut words {
        let Some(meant) = meant(&word.folded).filter(|meant| !is_word(snapshot, &word.folded, meant)) else { continue };
        warnings.push(format!("“{}” was read as “{meant}”", word.text).into());
        meant.clone_into(&mut word.folded);
    }
    (words, warnings)
}

/// The one word of structure that a word is one edit away from, if it is none itself.
fn meant(word: &str) -> Option<&'static str> {
    let is_spelt = word.len() >= LETTERS_MIN && word.bytes().all(|byte| byte.is_ascii_lowercase());
    if !is_spelt || OTHER_WORDS.contains(&word) {
        return None;
    }
    let is_near = |known: &&&str| {
        // `models` is an ending of `model`, and no mistake.
        let is_form = word.starts_with(*known) || known.starts_with(word);
        let is_left_out = || known.len() > word.len() && known.as_bytes()[0] == word.as_bytes()[0];
        let is_telling = |edit| edit == Edit::Exchange || word.len().max(known.len()) > LETTERS_SHORT || is_left_out();
        !is_form && one_edit(word.as_bytes(), known.as_bytes()).is_some_and(is_telling)
    };
    // One edit changes the length by one letter at most.
    let lengths = STRUCTURE.iter().skip(word.len() - 1).take(3);
    let mut near = lengths.flatten().filter(is_near);
    let first = near.next()?;
    near.next().is_none().then_some(*first)
}

/// What makes a word of another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Edit {
    /// A letter more, one less, or another one.
    Letter,
    /// Two neighbours change places.
    Exchange,
}

/// The edit that makes a word of another, if it is only one (Damerau 1964): what is left of both without the letters that they begin and end
/// with alike. A distance would be computed for every pair of words of every question.
fn one_edit(word: &[u8], other: &[u8]) -> Option<Edit> {
    let alike = |(a, b): &(&u8, &u8)| a == b;
    let before = word.iter().zip(other).take_while(alike).count();
    let (word, other) = (&word[before..], &other[before..]);
    let behind = word.iter().rev().zip(other.iter().rev()).take_while(alike).count();
    match (&word[..word.len() - behind], &other[..other.len() - behind]) {
        ([_], [_] | []) | ([], [_]) => Some(Edit::Letter),
        ([a, b], [c, d]) if (a, b) == (d, c) => Some(Edit::Exchange),
        _ => None,
    }
}

/// Whether something is called by a word, or several items have it as it is; where no text has it, the index finds what was `meant`.
fn is_word(snapshot: &Snapshot, word: &str, meant: &str) -> bool {
    let found = snapshot.search(&SearchRequest::new(word, ITEMS_MIN));
    let has =
        |is: fn(&MatchKind) -> bool| found.hits.iter().filter(move |hit| hit.matched.iter().any(|(_, how)| is(how)));
    if has(|how| matches!(how, MatchKind::Exact | MatchKind::Alias)).next().is_some() {
        return true;
    }
    let stemmers = Stemmers::default();
    let is_corrected = found.corrected.iter().any(|word| stemmers.stem(word) == stemmers.stem(meant));
    !is_corrected && has(|how| *how != MatchKind::Fuzzy).count() >= ITEMS_MIN
}
