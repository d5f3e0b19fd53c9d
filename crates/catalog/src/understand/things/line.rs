//! Lines of models. Who types the name of one alone, `claude` or `sonnet`, means those of it that many know today; in a question it says that
//! models are meant.

use crate::resolve::model::makers::is_family;
use crate::snapshot::Snapshot;
use crate::understand::words::{self, Word};
use crate::understand::{amounts, is_measure, is_said_anyway, vocabulary};
use refdesk_core::Kind;
use refdesk_core::field::{self, escaped};
use refdesk_core::query::{ListQuery, Params, PriceOf};
use refdesk_search::text::folded;

/// The current models of the line that a text names, those first that most sell; none where it is no single word for one line.
pub fn line(snapshot: &Snapshot, text: &str) -> Option<ListQuery> {
    let word = folded(text.trim());
    if word.is_empty() || word.contains(char::is_whitespace) {
        return None;
    }
    let segment = snapshot.segment(Kind::Model);
    let values = |name: &str| {
        let column = field::named(Kind::Model, name)
            .and_then(|field| segment.columns().get(Kind::Model, field, &PriceOf::Maker));
        column.into_iter().flat_map(|column| column.values.iter())
    };
    let (name, value) = if is_family(&word) {
        ("series", escaped(values("series").find(|series| *series == word)?))
    } else {
        // `sonnet` is of the Claudes alone, `flash` of several.
        let end = format!("-{word}");
        let is_of_word = |family: &&str| {
            let start = family.len().checked_sub(end.len());
            start.and_then(|start| family.get(start..)).is_some_and(|tail| tail.eq_ignore_ascii_case(&end))
        };
        let families: Vec<&str> = values("family").filter(is_of_word).collect();
        let first = |family: &str| family.split('-').next().map(str::to_lowercase);
        let is_one_line = families.first().is_some_and(|one| families.iter().all(|family| first(family) == first(one)));
        ("family", is_one_line.then(|| families.iter().map(|family| escaped(family)).collect::<Vec<_>>().join(","))?)
    };
    let pairs = [
        (name, value.as_str()),
        ("status__not", "deprecated,retired"),
        ("include_removed", "false"),
        ("sort", "-offers"),
    ];
    ListQuery::parse(Kind::Model, &Params::new(pairs, ListQuery::names(Kind::Model))).ok()
}

/// What a line of models is called behind its name.
const LINES: [&str; 8] = ["family", "members", "series", "lineup", "versions", "variants", "family's", "line"];
/// What says that models of the line are told apart by what follows.
const TELLING_APART: [&str; 5] = ["with", "that", "which", "having", "supporting"];
/// What is asked of the models of a line, beside what all things are asked.
const SIZES: [&str; 8] = ["long", "large", "big", "high", "low", "bigger", "longer", "many"];

/// Whether a question without a word for the kind begins with a line of models, and tells its models apart, or asks of a version of it only what
/// models are measured by: `gemma family members with image input`, `llama 4 context`.
pub fn is_asked_for(words: &[Word<'_>]) -> bool {
    // `open source qwen with vision`
    let mut at = 0;
    let described = |at: usize| vocabulary::taken_at(Kind::Model, words, at);
    while let Some(taken) = words.get(at).and_then(|word| if is_said_anyway(word) { Some(1) } else { described(at) }) {
        at += taken;
    }
    let name = at;
    if words.get(name).is_none_or(|word| !is_family(&word.folded)) {
        return false;
    }
    let is_of_line = |word: &&Word<'_>| amounts::is_numeric(&word.folded) || LINES.contains(&word.folded.as_str());
    let behind = name + 1 + words[name + 1..].iter().take_while(is_of_line).count();
    if words::is_one_of(words, behind, &TELLING_APART) {
        return true;
    }
    let rest = &words[behind..];
    let says_no_more =
        |word: &Word<'_>| is_measure(word) || is_said_anyway(word) || SIZES.contains(&word.folded.as_str());
    behind > name + 1 && rest.iter().any(is_measure) && rest.iter().all(says_no_more)
}
