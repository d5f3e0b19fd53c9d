//! `sources review`: what is withheld or quarantined, and an operator's word on it.
//!
//! Which values are withheld is the catalog's word; a verdict is written beside the stored fact and in the history of its source, and
//! shows with the next generation.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use refdesk_catalog::resolve::Withheld;
use refdesk_core::fact::Verdict;
use refdesk_core::hash::short_key;
use refdesk_core::{Kind, Stamp};
use refdesk_ingest::store::{Accept, Decision, Effect, HeldState, Run, RunOutcome, SourceState, SyncNote};
use refdesk_ingest::sync::{Silent, SyncResult};
use serde::Serialize;
use serde_json::json;

use crate::app::{App, now};
use crate::cli::Reviewed;
use crate::commands::syncs::{self, AskedSyncs};
use crate::exit::Exit;
use crate::output::{self, Paint, Refusal};
use crate::view::moment_or_dash;

/// What ids of entries begin with.
const ID_PREFIX: &str = "rv_";

/// Something that waits for an operator's word.
#[derive(Debug, Clone, Default, Serialize)]
struct Entry {
    id: String,
    /// What is held back.
    #[serde(rename = "type")]
    what: What,
    source_id: String,
    kind: Option<Kind>,
    key: Option<String>,
    item_id: Option<String>,
    path: Option<String>,
    value: Option<String>,
    before: Option<String>,
    siblings: Option<String>,
    others: Option<String>,
    since: Option<Stamp>,
    refused: bool,
    reason: String,
    /// Of a quarantined state: the hash over its bytes, empty where it has none.
    #[serde(skip)]
    state_hash: String,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum What {
    /// A value.
    Withheld,
    /// The whole state of a source.
    #[default]
    Quarantined,
}

impl Entry {
    fn of_withheld(withheld: &Withheld) -> Self {
        let Withheld { source_id, kind, key, path, .. } = withheld;
        Self {
            id: short_key(ID_PREFIX, &[source_id, kind.singular(), key, path]),
            what: What::Withheld,
            source_id: source_id.to_string(),
            kind: Some(*kind),
            key: Some(key.clone()),
            item_id: Some(withheld.item_id.clone()),
            path: Some(path.clone()),
            value: Some(withheld.value.clone()),
            before: withheld.before.clone(),
            siblings: withheld.siblings.clone(),
            others: withheld.others.clone(),
            since: withheld.since,
            refused: withheld.refused,
            reason: withheld.reason.clone(),
            ..Self::default()
        }
    }

    fn of_quarantined(source_id: &str, state: &SourceState) -> Self {
        let held = state.held.as_ref();
        let state_hash = held.and_then(|held| held.last_hash.clone()).unwrap_or_default();
        Self {
            id: short_key(ID_PREFIX, &[source_id, "quarantined", &state_hash]),
            what: What::Quarantined,
            source_id: source_id.to_owned(),
            since: held.map(|held| held.since),
            refused: held.is_some_and(|held| held.refused),
            reason: state.error.as_ref().map_or_else(String::new, |error| format!("{}: {}", error.code, error.message)),
            state_hash,
            ..Self::default()
        }
    }
}

/// Everything that waits, quarantined sources first.
async fn entries(app: &App) -> anyhow::Result<Vec<Entry>> {
    let states = app.store.source_states().await?;
    let is_on = |id: &str| app.config.sources.iter().any(|source| source.id == id && source.enabled);
    let held = states.iter().filter(|(id, state)| state.outcome == Some(RunOutcome::Quarantined) && is_on(id));
    let mut entries: Vec<Entry> = held.map(|(id, state)| Entry::of_quarantined(id, state)).collect();
    entries.extend(app.snapshot().await?.withheld().map(Entry::of_withheld));
    Ok(entries)
}

/// `refdesk sources review`.
pub async fn list(app: &App, source: Option<&str>, json: bool) -> anyhow::Result<Exit> {
    let mut entries = entries(app).await?;
    if let Some(source) = source
        && !is_known(app, source, &entries)
    {
        return Ok(output::missing(&super::unknown(source, &super::stand(app).await?.sources)));
    }
    entries.retain(|entry| source.is_none_or(|source| entry.source_id == source));
    if json {
        output::json(&json!({"entries": entries, "total": entries.len()}));
        return Ok(Exit::Done);
    }
    let paint = Paint::for_stdout();
    let mut out = String::new();
    for entry in &entries {
        told(paint, entry, &mut out);
    }
    let decide = "`refdesk sources review accept ID` shows or takes it, `refuse ID` leaves it held back";
    match entries.len() {
        0 => out.push_str("nothing is withheld or quarantined\n"),
        number => {
            let told = format!("{} held back; {decide}", output::grouped(number));
            out.push_str(&output::fold(&told, output::prose_width(), ""));
        }
    }
    output::print(&out);
    Ok(Exit::Done)
}

/// Whether there is a source of an id, or something is held back of one that there was.
fn is_known(app: &App, source: &str, entries: &[Entry]) -> bool {
    app.config.sources.iter().any(|known| known.id == source) || entries.iter().any(|entry| entry.source_id == source)
}

fn told(paint: Paint, entry: &Entry, out: &mut String) {
    let clean = refdesk_core::clean::line;
    let refused = if entry.refused { paint.dim(" (refused)") } else { String::new() };
    let what = match (&entry.key, &entry.path) {
        (Some(key), Some(path)) => format!("{} {}", clean(key), path),
        _ => "the whole source is quarantined".to_owned(),
    };
    let head = format!("{}  {}  {what}{refused}", paint.strong(&entry.id), entry.source_id);
    if output::fits(&head) {
        let _ = writeln!(out, "{head}");
    } else {
        let _ = writeln!(out, "{}  {}{refused}", paint.strong(&entry.id), entry.source_id);
        below(&what, out);
    }
    let values = [
        ("stated", &entry.value),
        ("believed before", &entry.before),
        ("other sellers", &entry.siblings),
        ("other sources", &entry.others),
    ];
    let values: Vec<String> =
        values.iter().filter_map(|(name, value)| value.as_ref().map(|value| format!("{name} {value}"))).collect();
    if !values.is_empty() {
        below(&values.join(", "), out);
    }
    let since = entry.since.map(|since| format!("since {}: ", moment_or_dash(Some(since)))).unwrap_or_default();
    below(&format!("{since}{}", clean(&entry.reason)), out);
}

/// A line below an entry, folded.
fn below(text: &str, out: &mut String) {
    out.push_str(&output::fold(text, output::prose_width() - 4, "    "));
}

/// `refdesk sources review accept` and `refuse`. Nothing changes when one of the entries is not there.
pub async fn decide(app: &App, verdict: Verdict, what: &Reviewed, json: bool) -> anyhow::Result<Exit> {
    let all = entries(app).await?;
    let mut chosen = Vec::new();
    for id in &what.entries {
        let Some(entry) = all.iter().find(|entry| entry.id == *id) else {
            let of_source = all.iter().filter(|entry| entry.source_id == *id).count();
            let told = if of_source > 0 {
                format!("`{id}` is a source with {of_source} held back: name their ids, or pass --all --source {id}")
            } else {
                format!("{id:?} is not withheld or quarantined; `refdesk sources review` lists what is")
            };
            return Err(Refusal::not_found(format!("{told}. Nothing was changed")).into());
        };
        chosen.push(entry.clone());
    }
    if let Some(source) = &what.source
        && !is_known(app, source, &all)
    {
        return Err(super::unknown(source, &super::stand(app).await?.sources).into());
    }
    if what.all {
        let wanted = |entry: &&Entry| what.source.as_ref().is_none_or(|source| entry.source_id == *source);
        chosen.extend(all.iter().filter(|entry| !entry.refused).filter(wanted).cloned());
    }
    if chosen.is_empty() {
        return Ok(output::not_found("nothing is held back that was not refused; nothing was changed"));
    }
    let undone = carry_out(app, verdict, &chosen).await?;
    let word = verdict.as_str();
    let is_done = |entry: &&Entry| undone.iter().all(|undone| undone.id != entry.id);
    let done: Vec<&str> = chosen.iter().filter(is_done).map(|entry| entry.id.as_str()).collect();
    if json {
        let failed: Vec<&str> = undone.iter().map(|undone| undone.why.as_str()).collect();
        output::json(&json!({"verdict": word, "entries": done, "failed": failed}));
    } else {
        if !done.is_empty() {
            output::line(&format!("{word} {}; a running desk shows it within seconds", done.len()));
        }
        undone.iter().for_each(|undone| output::say(&undone.why));
    }
    Ok(if undone.is_empty() { Exit::Done } else { Exit::Failed })
}

/// An entry on which a verdict was not carried out.
struct Undone {
    id: String,
    /// Why, and what to do.
    why: String,
}

/// Writes the verdicts, and gives those that were not carried out.
async fn carry_out(app: &App, verdict: Verdict, chosen: &[Entry]) -> anyhow::Result<Vec<Undone>> {
    let mut decisions: BTreeMap<&str, Vec<Decision>> = BTreeMap::new();
    let mut undone = Vec::new();
    for entry in chosen {
        match (entry.what, entry.kind, &entry.key, &entry.path) {
            (What::Withheld, Some(kind), Some(key), Some(path)) => {
                let decision = Decision { kind, key: key.clone(), path: path.clone(), verdict };
                decisions.entry(&entry.source_id).or_default().push(decision);
            }
            (What::Quarantined, ..) => {
                let why = match verdict {
                    Verdict::Accepted => accept_state(app, entry).await?,
                    Verdict::Refused => refuse_state(app, entry).await.map(|()| None)?,
                };
                undone.extend(why.map(|why| Undone { id: entry.id.clone(), why }));
            }
            (What::Withheld, ..) => {}
        }
    }
    for (source_id, decisions) in decisions {
        let what: Vec<String> = decisions.iter().map(|said| format!("{} of {}", said.path, said.key)).collect();
        let note = format!("{} {}", verdict.as_str(), what.join(", "));
        let run = Run::by_operator(source_id, now(), RunOutcome::Reviewed, note);
        app.store.decide(source_id, &decisions, now(), &run).await?;
    }
    Ok(undone)
}

/// Syncs a source so that the state that was reviewed is taken, and no other that would be quarantined. Why it was not, in words; then
/// nothing is noted as accepted.
async fn accept_state(app: &App, entry: &Entry) -> anyhow::Result<Option<String>> {
    let id = entry.source_id.as_str();
    let asked = AskedSyncs { ids: vec![id.to_owned()], accept: Accept::State(entry.state_hash.clone()) };
    let reports = syncs::carry_out(app, &[asked], &|_| Arc::new(Silent)).await?;
    let result = reports.into_iter().find(|report| report.source_id == id).map(|report| report.result);
    let why = match result {
        Some(SyncResult::Updated | SyncResult::Confirmed) => {
            let note = accepted_note(entry, &app.store.source_state(id).await?);
            app.store.note_run(&Run::by_operator(id, now(), RunOutcome::Reviewed, note)).await?;
            return Ok(None);
        }
        Some(SyncResult::Quarantined { error }) => format!(
            "the source says something else by now than what was reviewed, and that is quarantined, too: {} ({}); `refdesk sources \
             review` has it under a new id",
            error.message, error.code
        ),
        Some(SyncResult::Failed { error }) => format!(
            "its state could not be taken: {} ({}); `refdesk sources show {id}` shows details",
            error.message, error.code
        ),
        Some(SyncResult::Skipped { reason }) => format!("it was not synced: {reason}"),
        None => "the node that leads does not know it; configure it there".to_owned(),
    };
    Ok(Some(format!("{id} was not accepted: {why}")))
}

/// What the history says of a source that is quarantined no more.
fn accepted_note(entry: &Entry, state: &SourceState) -> String {
    // A pass that lists only what changed leaves no hash.
    let is_reviewed = state.content_hash.as_ref().is_none_or(|hash| *hash == entry.state_hash);
    let by_now = if is_reviewed { "" } else { "; the source says something else by now, which needed no review" };
    format!("{} the quarantined state ({}){by_now}", Verdict::Accepted.as_str(), entry.reason)
}

/// Leaves a quarantined state alone until the source changes.
async fn refuse_state(app: &App, entry: &Entry) -> anyhow::Result<()> {
    let id = entry.source_id.as_str();
    let note = format!("{} the quarantined state ({})", Verdict::Refused.as_str(), entry.reason);
    let run = Run::by_operator(id, now(), RunOutcome::Reviewed, note);
    let state = app.store.source_state(id).await?;
    let held = state.held.clone().map(|held| HeldState { refused: true, ..held });
    let state = SourceState { held, reviewed_at: Some(now()), reviews: state.reviews + 1, ..state };
    let note = SyncNote { source_id: id.to_owned(), state, run, effect: Effect::ForgetMissing };
    Ok(app.store.note_sync(&note).await?)
}
