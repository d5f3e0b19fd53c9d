//! What a query names and leaves out all the same, and why.

use super::select_beside;
use crate::snapshot::Snapshot;
use refdesk_core::Kind;
use refdesk_core::query::{Advice, ListQuery, Selection, Warning};

/// The item of a kind of which a text is the id, another spelling or the whole name.
pub fn called(snapshot: &Snapshot, kind: Kind, text: &str) -> Option<u32> {
    snapshot.find(kind, text).item().or_else(|| snapshot.whole_name(text, kind.into()))
}

/// Says that a query leaves out an item whatever its text, and why; nothing where it does not.
pub fn why_left_out(snapshot: &Snapshot, ordinal: u32, query: &ListQuery) -> Option<Warning> {
    let (kind, id) = (snapshot.kind_of(ordinal), snapshot.id(ordinal));
    let ids = vec![id.to_owned()];
    let selection = Selection { text: None, ids, sort: Vec::new(), facets: Vec::new(), ..query.selection.clone() };
    let alone = ListQuery { limit: 1, offset: 0, selection, ..query.clone() };
    let is_listed = |fresh_only: bool, include_candidates: bool| {
        let list = ListQuery { fresh_only, include_candidates, ..alone.clone() };
        !select_beside(snapshot, kind, &list, None).rows.is_empty()
    };
    if is_listed(query.fresh_only, query.include_candidates) {
        return None;
    }
    Some(match (is_listed(false, true), is_listed(false, query.include_candidates)) {
        (false, _) => unmet(snapshot, ordinal),
        (true, false) => of_candidate(snapshot, ordinal),
        (true, true) => format!("`{id}` is stale, and `fresh_only` leaves it out").into(),
    })
}

/// The warning about a candidate that the text of a query is the name of, where it is left out as a candidate alone.
pub(super) fn candidate_called(snapshot: &Snapshot, kind: Kind, query: &ListQuery) -> Option<Warning> {
    if kind != Kind::Framework || query.include_candidates || !query.selection.ids.is_empty() {
        return None;
    }
    let ordinal = called(snapshot, kind, query.selection.text.as_deref()?)?;
    let why = why_left_out(snapshot, ordinal, query)?;
    matches!(why.advice, Some(Advice::Framework(_))).then_some(why)
}

/// The warning about an item that was named and does not meet the filters.
pub fn unmet(snapshot: &Snapshot, ordinal: u32) -> Warning {
    format!("`{}` does not meet the filters", snapshot.id(ordinal)).into()
}

/// Says that the catalog has nothing of some kinds, so that neither words nor filters are at fault.
pub fn of_nothing(snapshot: &Snapshot, kinds: &[Kind]) -> Option<Warning> {
    if kinds.iter().any(|kind| !snapshot.segment(*kind).is_empty()) {
        return None;
    }
    let told = match kinds {
        [kind] => format!("the catalog has no {}s: see", kind.label()),
        _ => "the catalog is empty: see".to_owned(),
    };
    Some(Warning::new(told, Advice::Sources))
}

/// The warning about a framework that was named and, as a candidate, left out.
pub fn of_candidate(snapshot: &Snapshot, ordinal: u32) -> Warning {
    let id = snapshot.id(ordinal);
    let told = format!("`{id}` is a candidate and was left out: add `include_candidates=true`, or look at");
    Warning::new(told, Advice::Framework(id.to_owned()))
}
