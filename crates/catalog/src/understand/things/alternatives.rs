//! What else there is: `alternatives to langchain`, `gpt-5 alternative`. Tools of the same category, models of the same mode that others make.

use serde_json::Value;

use crate::json;
use crate::snapshot::Snapshot;
use crate::understand::modalities::of_mode;
use crate::understand::words::{Word, is_one_of, is_phrase};
use crate::understand::{Understood, named};
use refdesk_core::Kind;
use refdesk_core::field::escaped;

/// Words for another thing of the kind.
const ALTERNATIVES: [&str; 2] = ["alternative", "alternatives"];
/// Phrases before what there is another of.
const BEFORE: [&[&str]; 3] = [&["alternative", "to"], &["alternatives", "to"], &["alternatives", "for"]];

/// The list of what else there is, if a question asks for that.
pub fn read(snapshot: &Snapshot, words: &[Word<'_>], groups: u8) -> Option<Understood> {
    let name = name(words)?;
    let ordinal = named(snapshot, &name, groups)?;
    let kind = snapshot.kind_of(ordinal);
    let item: Value = json::read_own(snapshot.row(ordinal));
    let text = |field: &str| item.get(field).and_then(Value::as_str);
    let param = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let mut params = match kind {
        Kind::Tool => vec![param("category", &escaped(text("category")?))],
        Kind::Model => vec![
            param("vendor__not", &escaped(text("vendor")?)),
            of_mode(text("mode")),
            param("status__not", "deprecated,retired"),
            param("sort", "-offers"),
        ],
        _ => return None,
    };
    params.push(param("include_removed", "false"));
    Some(Understood { kind: Some(kind), params, beside: Some(ordinal), ..Understood::default() })
}

/// The name of what there is to be another of.
fn name(words: &[Word<'_>]) -> Option<String> {
    let joined = |words: &[Word<'_>]| words.iter().map(|word| word.text).collect::<Vec<_>>().join(" ");
    let behind = (0..words.len()).find_map(|at| {
        let phrase = BEFORE.iter().find(|phrase| is_phrase(words, at, phrase))?;
        words.get(at + phrase.len()..)
    });
    let before =
        words.len().checked_sub(1).filter(|last| is_one_of(words, *last, &ALTERNATIVES)).map(|last| &words[..last]);
    behind.or(before).map(joined).filter(|name| !name.is_empty())
}
