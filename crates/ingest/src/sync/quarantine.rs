//! When a good-looking pass is not believed: it would remove too much, brings nothing, lost a field that nearly all had,
//! or it would add far more than there was. `sync --force SOURCE` takes it all the same.
//!
//! How much may go grows with the time since the last good sync, and a removal that the source repeats a day later with other bytes is
//! believed: measured over two price lists, 7 % of the entries went in six months of one and 21 % in three months of the other, and all
//! of it was meant. A list that is empty is never believed by itself.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use refdesk_catalog::resolve::is_stated;
use refdesk_core::fact::{CoveredKeys, StoredFact};
use refdesk_core::{Covers, Kind, Reject};
use serde_json::{Map, Value};

use crate::config::Span;
use crate::store::{PreparedFact, without_commit};

/// A source with fewer live facts may lose any number of them, but not all.
pub const LIVE_FACTS_MIN: usize = 5;
/// More than this share of the live facts may not go in one sync, in percent, unless the setting says otherwise.
pub const REMOVED_PERCENT_MAX: usize = 20;
/// In so long that share may go; in twice as long, twice the share …
pub const REMOVALS_NORMAL_SPAN: Duration = Duration::from_hours(30 * 24);
/// … but never more than this by itself, in percent, so that what is nearly empty is looked at.
pub const REMOVED_PERCENT_CAP: usize = 90;
/// A removal is believed when the source repeats it so much later with other bytes.
pub const REPEATED_AFTER: Span = Span::days(1);
/// The shape of fewer facts of a kind is not judged.
pub const SHAPE_FACTS_MIN: usize = 20;
/// A field that at least this share of the facts stated must not vanish from all, in percent.
pub const SHAPE_STATED_PERCENT_MIN: usize = 50;

/// A sync that adds more than this share of a source's live facts is held back, in percent, unless the setting says otherwise.
pub const ADDED_PERCENT_MAX: usize = 100;
/// So many new facts are never too many.
pub const ADDED_FACTS_MIN: usize = 250;
/// Code of a quarantine for growth.
pub const MASS_ADDITION: &str = "mass_addition";

/// Why a pass is held back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suspicion {
    /// `zero_rows`, `mass_removal`, `mass_addition` or `shape_changed`.
    pub code: &'static str,
    /// For people, with the command that accepts it.
    pub message: String,
    /// The facts that the pass does not list.
    pub missing: Vec<(Kind, String)>,
}

/// A pass beside the stored facts of its source.
#[derive(Debug)]
pub struct Compared<'a> {
    /// The source.
    pub source_id: &'a str,
    /// What is stored of it.
    pub stored: &'a [StoredFact],
    /// What the pass brings.
    pub new: &'a [PreparedFact],
    /// What it could not take. The facts of these records are held back, so they do not go.
    pub rejects: &'a [Reject],
    /// Connector and options are those of the last pass.
    pub same_parser: bool,
    /// The share of the live facts that may go, in percent.
    pub allowed_percent: usize,
    /// Facts whose removal the source repeated.
    pub believed_gone: &'a BTreeSet<(Kind, String)>,
    /// The share of the live facts that may come, in percent; `None` for any.
    pub added_percent: Option<usize>,
    /// The pass names a part of the facts: what it does not name is not gone.
    pub partial: bool,
}

/// The share of the live facts that may go after `elapsed_secs` without a good sync, in percent.
pub fn allowed_percent(percent_max: usize, elapsed_secs: i64, normal_span: Duration) -> usize {
    grown(percent_max, elapsed_secs, normal_span).min(REMOVED_PERCENT_CAP.max(percent_max))
}

/// The share of the live facts that may come after `elapsed_secs` without a good sync, in percent. `None` when `percent_max` is 0, which
/// sets no bound.
pub fn added_percent(percent_max: usize, elapsed_secs: i64, normal_span: Duration) -> Option<usize> {
    (percent_max > 0).then(|| grown(percent_max, elapsed_secs, normal_span))
}

/// `percent_max` for each normal span in `elapsed_secs`, begun ones by their part, and at least one.
fn grown(percent_max: usize, elapsed_secs: i64, normal_span: Duration) -> usize {
    let span = u128::from(normal_span.as_secs().max(1));
    let elapsed = u128::try_from(elapsed_secs).unwrap_or(0).max(span);
    usize::try_from(percent_max as u128 * elapsed / span).unwrap_or(usize::MAX)
}

/// Adds the keys of the stored facts to the rejects that cover them by the address of their record.
pub fn name_covered(rejects: &mut [Reject], stored: &[StoredFact]) {
    let mut by_url: BTreeMap<Cow<'_, str>, Vec<&str>> = BTreeMap::new();
    for reject in rejects {
        let Covers::RecordsAt { url, keys } = &mut reject.covers else { continue };
        if by_url.is_empty() {
            for fact in stored {
                if let Some(url) = &fact.provenance.record_url {
                    by_url.entry(without_commit(url)).or_default().push(&fact.key);
                }
            }
        }
        let url = without_commit(url);
        let below = format!("{}/", url.trim_end_matches('/'));
        let within = by_url.range(Cow::Borrowed(below.as_str())..).take_while(|(known, _)| known.starts_with(&below));
        let at = by_url.get(url.as_ref()).into_iter().chain(within.map(|(_, keys)| keys)).flatten();
        let known: Vec<String> = at.map(|key| (*key).to_owned()).collect();
        keys.extend(known);
    }
}

/// Compares a pass with the stored facts of its source. What it could not take is told beside the suspicion, for the whole state is held
/// back then, whatever else is mended.
pub fn suspect(compared: &Compared<'_>) -> Option<Suspicion> {
    let Suspicion { code, mut message, missing } = compare(compared)?;
    if !compared.rejects.is_empty() {
        let (count, id) = (compared.rejects.len(), compared.source_id);
        let records = if count == 1 { "record" } else { "records" };
        message.push_str(&format!(
            "; {count} {records} could not be taken: `refdesk sources show {id} --rejects` says why"
        ));
    }
    Some(Suspicion { code, message, missing })
}

fn compare(compared: &Compared<'_>) -> Option<Suspicion> {
    let Compared { source_id, stored, new, same_parser, allowed_percent, believed_gone, .. } = *compared;
    let live: Vec<&StoredFact> = stored.iter().filter(|fact| fact.standing.removed_at.is_none()).collect();
    if live.is_empty() {
        return None;
    }
    let accept = format!("the last good facts stay; `refdesk sync --force {source_id}` accepts the new state");
    if compared.partial {
        return too_many(compared, &live, &accept);
    }
    let listed: BTreeSet<(Kind, &str)> = new.iter().map(|fact| (fact.kind, fact.row.key.as_str())).collect();
    let rejected = CoveredKeys::from_rejects(compared.rejects);
    let missing: Vec<(Kind, String)> = live
        .iter()
        .filter(|fact| !listed.contains(&(fact.kind, fact.key.as_str())) && !rejected.has(&fact.key))
        .map(|fact| (fact.kind, fact.key.clone()))
        .collect();
    if new.is_empty() && missing.len() == live.len() {
        let lists =
            if compared.rejects.is_empty() { "lists nothing any more" } else { "lists nothing that can be read" };
        let message = format!("the source {lists}, it had {}; {accept}", live.len());
        return Some(Suspicion { code: "zero_rows", message, missing });
    }
    let gone = missing.iter().filter(|fact| !believed_gone.contains(fact)).count();
    if live.len() >= LIVE_FACTS_MIN && gone * 100 > live.len() * allowed_percent {
        let message = format!(
            "{gone} of {} facts would go, more than {allowed_percent} %; {accept}, and so does a sync a day later if the source has \
             other bytes by then and still lists none of them",
            live.len()
        );
        return Some(Suspicion { code: "mass_removal", message, missing });
    }
    if !same_parser {
        return None;
    }
    too_many(compared, &live, &accept).or_else(|| lost_field(&live, new, &accept))
}

/// A source that lists far more than it did, read as it was.
fn too_many(compared: &Compared<'_>, live: &[&StoredFact], accept: &str) -> Option<Suspicion> {
    let percent = compared.added_percent.filter(|_| compared.same_parser)?;
    let known: BTreeSet<(Kind, &str)> = live.iter().map(|fact| (fact.kind, fact.key.as_str())).collect();
    let added = compared.new.iter().filter(|fact| !known.contains(&(fact.kind, fact.row.key.as_str()))).count();
    if added <= ADDED_FACTS_MIN || (added as u128) * 100 <= (live.len() as u128) * (percent as u128) {
        return None;
    }
    let message = format!(
        "{added} facts would come to {}, more than {percent} %; {accept}, and so does a sync a day later if the source has other \
         bytes by then and still lists so many",
        live.len()
    );
    Some(Suspicion { code: MASS_ADDITION, message, missing: Vec::new() })
}

/// A field that most facts of a kind stated and none states now.
fn lost_field(live: &[&StoredFact], new: &[PreparedFact], accept: &str) -> Option<Suspicion> {
    Kind::ALL.into_iter().find_map(|kind| {
        let old: Vec<Cow<'_, Map<String, Value>>> =
            live.iter().filter(|fact| fact.kind == kind).map(|fact| fact.fields.read()).collect();
        // They were written as JSON objects just now, so all of them are read.
        let read = |fact: &PreparedFact| serde_json::from_str::<Map<String, Value>>(&fact.row.fields).ok();
        let now: Vec<Cow<'_, Map<String, Value>>> =
            new.iter().filter(|fact| fact.kind == kind).filter_map(read).map(Cow::Owned).collect();
        if old.len() < SHAPE_FACTS_MIN || now.len() < SHAPE_FACTS_MIN {
            return None;
        }
        let (facts, stated_now) = (now.len(), stated(&now));
        let (path, before) = stated(&old).into_iter().find(|(path, count)| {
            count * 100 >= old.len() * SHAPE_STATED_PERCENT_MIN && !stated_now.contains_key(path)
        })?;
        let message = format!("none of {facts} {} states `{path}` any more, {before} did; {accept}", kind.collection());
        Some(Suspicion { code: "shape_changed", message, missing: Vec::new() })
    })
}

/// How many facts state each field, one level deep (`pricing.input`).
fn stated(facts: &[Cow<'_, Map<String, Value>>]) -> BTreeMap<String, usize> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for fields in facts {
        for (name, value) in fields.iter() {
            if let Value::Object(inner) = value {
                for (inner_name, _) in inner.iter().filter(|(_, value)| is_stated(value)) {
                    *counts.entry(format!("{name}.{inner_name}")).or_default() += 1;
                }
            } else if is_stated(value) {
                *counts.entry(name.clone()).or_default() += 1;
            }
        }
    }
    counts
}
