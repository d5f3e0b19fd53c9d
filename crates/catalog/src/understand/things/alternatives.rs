//! What else there is: `alternatives to langchain`, `gpt-5 alternative`. Tools of the same category, models of the same mode that others make.

use serde_json::Value;

use super::relation::{Relation, named};
use crate::json;
use crate::snapshot::Snapshot;
use crate::understand::modalities::of_mode;
use crate::understand::words::Word;
use refdesk_core::Kind;
use refdesk_core::field::escaped;

/// Words for another thing of the kind, behind its name …
const ALTERNATIVES: [&str; 2] = ["alternative", "alternatives"];
/// … and phrases before what there is another of.
const BEFORE: [&[&str]; 3] = [&["alternative", "to"], &["alternatives", "to"], &["alternatives", "for"]];

/// What else there is, if a question asks for that.
pub fn parse(snapshot: &Snapshot, words: &[Word<'_>], groups: u8) -> Option<Relation> {
    let find = |name: &str| snapshot.whole_name(name, groups);
    let (ordinal, taken) = named(words, &BEFORE, &ALTERNATIVES, find)?;
    let kind = snapshot.kind_of(ordinal);
    let item: Value = json::read_own(snapshot.row(ordinal));
    let text = |field: &str| item.get(field).and_then(Value::as_str);
    let param = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let params = match kind {
        Kind::Tool => vec![param("category", &escaped(text("category")?))],
        Kind::Model => vec![
            param("vendor__not", &escaped(text("vendor")?)),
            of_mode(text("mode")),
            param("status__not", "deprecated,retired"),
            param("sort", "-offers"),
        ],
        _ => return None,
    };
    Some(Relation { kind, taken, params, beside: Some(ordinal), line: String::new(), warning: None })
}
