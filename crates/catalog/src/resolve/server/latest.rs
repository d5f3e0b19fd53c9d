//! Which version of an MCP server is the latest, where several entries of registries are one server: each entry knows only its own versions.

use std::collections::HashSet;

use serde_json::Value;

use super::publishers::foreign;
use crate::resolve::choose::{Chosen, ConsideredFact, is_too_far_ahead};
use crate::resolve::{Conflict, ResolvedItem};
use refdesk_core::Stamp;
use refdesk_core::fact::StoredFact;
use refdesk_core::item::McpVersion;

/// The field that says whether a version is the latest.
const IS_LATEST: &str = "is_latest";

/// The version that is shown is not the latest if another entry of the server has a newer one. What its own entry says is then a conflict.
pub fn settle_latest(chosen: &mut Chosen, considered: &[ConsideredFact<'_>]) {
    if chosen.fields.get(IS_LATEST) != Some(&Value::Bool(true)) {
        return;
    }
    let Some(evidence) = chosen.evidence.iter_mut().find(|stated| stated.path == IS_LATEST) else { return };
    let Some(shown) = considered.iter().find(|fact| fact.at == evidence.fact) else { return };
    let Some(published_at) = published_at(shown) else { return };
    let is_newer = |other: &&ConsideredFact<'_>| {
        !other.is_foreign
            && self::published_at(other) > Some(published_at)
            && other.fields.get("version") != shown.fields.get("version")
    };
    let Some(newest) = considered.iter().filter(is_newer).max_by_key(|other| self::published_at(other)) else { return };
    evidence.fact = newest.at;
    chosen.fields.insert(IS_LATEST.to_owned(), Value::Bool(false));
    chosen.conflicts.retain(|conflict| conflict.path != IS_LATEST || conflict.value != Value::Bool(false));
    let conflict = Conflict::plain(IS_LATEST.to_owned(), Value::Bool(true), shown.at);
    chosen.conflicts.push(conflict.because("another entry of this server has a newer version"));
}

fn published_at(fact: &ConsideredFact<'_>) -> Option<Stamp> {
    let stated = fact.fields.get("published_at").and_then(Value::as_str)?;
    Stamp::parse(stated).filter(|_| !is_too_far_ahead(stated, fact.stated_at))
}

/// The registry versions that the facts of an item list, newest first; not those of [`foreign`] entries. If several list some, those of
/// all of them: a version that two list is as the better one has it. Only the newest of those that are stated to be the latest is.
pub fn versions(item: &ResolvedItem, facts: &[StoredFact]) -> Vec<McpVersion> {
    let foreign = foreign(facts, &item.live);
    let speaking = item.live.iter().filter(|at| !foreign.contains(at));
    let lists = speaking.map(|at| &facts[*at].identity.versions).filter(|versions| !versions.is_empty());
    let mut seen = HashSet::new();
    let new = lists.flatten().filter(|version| seen.insert(version.version.as_str()));
    let mut joined: Vec<McpVersion> = new.cloned().collect();
    joined.sort_by_key(|version| std::cmp::Reverse(version.published_at));
    let mut latest = joined.iter_mut().filter(|version| version.is_latest == Some(true));
    // The first of them is the newest.
    latest.next();
    latest.for_each(|version| version.is_latest = Some(false));
    joined
}
