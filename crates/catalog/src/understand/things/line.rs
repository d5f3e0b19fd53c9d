//! The line of models that one word names, `claude` or `sonnet`: who types it means those of it that many know today.

use crate::resolve::model::makers::is_family;
use crate::snapshot::Snapshot;
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
