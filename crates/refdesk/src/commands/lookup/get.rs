//! `get`: one item with its evidence, its raw text, its record, or the prompt of a card.

use std::collections::BTreeMap;

use refdesk_catalog::answer::{self, DetailExtras};
use refdesk_catalog::snapshot::Snapshot;
use refdesk_core::Kind;
use refdesk_core::fact::RecordWithheld;
use refdesk_core::item::Prompt;
use refdesk_core::query::{DetailQuery, Params};
use refdesk_ingest::generation::Part;
use refdesk_ingest::store::RecordAt;
use serde_json::Value;

use super::not_there::no_item;
use super::{asked, is_item, kind_of, on, pairs, part_or_all, show};
use crate::app::App;
use crate::cli;
use crate::commands::bad_request::wrong;
use crate::config::Config;
use crate::exit::Exit;
use crate::output::{self, Refusal};
use crate::view;

/// Of a record that the catalog names.
const NOT_STORED: &str = "the store does not have this record; `refdesk verify` shows details";

/// `refdesk get`.
pub async fn get(config: Config, flags: &cli::Get, json: bool) -> anyhow::Result<Exit> {
    let kind = kind_of(&flags.kind)?;
    for_its_kind(kind, "--prompt", flags.prompt, Kind::Framework)?;
    for_its_kind(kind, "--all-offers", flags.all_offers, Kind::Model)?;
    let given = pairs(&[
        ("include_prompt", on(flags.prompt)),
        ("fresh_only", on(flags.fresh_only)),
        ("all_offers", on(flags.all_offers)),
    ]);
    let params = Params::new(given.iter().copied(), DetailQuery::names(kind));
    let query = DetailQuery::parse(&params).map_err(wrong)?;
    if !flags.raw
        && !flags.record
        && let Some(answer) = asked(&config, &detail_path(kind, &flags.id), &given).await
        // An id like `list` has another answer at its path.
        && answer[kind.singular()].is_object()
    {
        return shown_detail(json, kind, flags, answer);
    }
    let has = |snapshot: &Snapshot| flags.evidence.is_none() && is_item(snapshot, kind, &flags.id);
    let (app, snapshot) = part_or_all(config, Part::Kinds(&[kind]), has).await?;
    let (ordinal, spelling) = match answer::resolve(&snapshot, kind, &flags.id) {
        Ok(found) => found,
        Err(unresolved) => return Ok(no_item(kind, &flags.id, unresolved)),
    };
    if flags.record {
        return record(&app, &snapshot, ordinal, flags.evidence.as_deref()).await;
    }
    if query.fresh_only
        && let Some(reason) = snapshot.evidence_of(ordinal).stale_reason
    {
        let label = kind.label();
        return Ok(output::not_found(&format!(
            "what is known of this {label} is stale ({}); leave --fresh-only out to see it",
            reason.as_str()
        )));
    }
    if flags.raw {
        return raw(&app, &snapshot, ordinal).await;
    }
    let body = match snapshot.body(ordinal) {
        Some(body) => app.store.body(&body.source_id, body.kind, &body.key).await?,
        None => None,
    };
    let extras = DetailExtras { query, resolved_from: spelling, body: body.as_deref(), warnings: &[] };
    shown_detail(json, kind, flags, serde_json::from_slice(&answer::detail(&snapshot, ordinal, &extras))?)
}

/// Refuses a flag that only items of another kind have an answer to.
fn for_its_kind(kind: Kind, flag: &str, is_given: bool, its: Kind) -> anyhow::Result<()> {
    if is_given && kind != its {
        let told = format!("{flag} is for {}s; {} has none", its.label(), kind.with_article());
        return Err(Refusal::invalid_argument(told).into());
    }
    Ok(())
}

fn shown_detail(json: bool, kind: Kind, flags: &cli::Get, answer: Value) -> anyhow::Result<Exit> {
    if flags.prompt {
        return prompt(answer, &flags.var, json);
    }
    show(json, &answer, |paint, answer| view::detail(paint, kind, answer));
    Ok(Exit::Done)
}

fn detail_path(kind: Kind, id: &str) -> String {
    let id: String = url::form_urlencoded::byte_serialize(id.as_bytes()).collect();
    // A space is a `+` in forms only.
    format!("/v1/{}/{}", kind.path_segment(), id.replace('+', "%20"))
}

/// Prints the prompt of a card alone, with its variables filled; as JSON the whole answer, with `filled` beside the prompt's text.
fn prompt(mut answer: Value, given: &[String], json: bool) -> anyhow::Result<Exit> {
    let stated = &mut answer["framework"]["prompt"];
    let Ok(prompt) = serde_json::from_value::<Prompt>(stated.clone()) else {
        return Ok(output::not_found("this card has no prompt"));
    };
    let mut values = BTreeMap::new();
    for pair in given {
        let (name, value) = pair
            .split_once('=')
            .ok_or_else(|| Refusal::invalid_argument(format!("--var {pair}: write it as NAME=VALUE")))?;
        let known = || prompt.variables.iter().map(String::as_str);
        if !known().any(|variable| variable == name.trim()) {
            let all = prompt.variables.join(", ");
            let told = format!("--var {name}: the prompt has no such variable; it has {all}");
            let (_, suggestions) = output::near_word(name.trim(), known());
            return Err(Refusal { suggestions, ..Refusal::invalid_argument(told) }.into());
        }
        values.insert(name.trim(), value);
    }
    let filled = prompt.filled(|name| values.get(name).copied());
    if json {
        if !values.is_empty() {
            stated["filled"] = Value::String(filled);
        }
        output::json(&answer);
        return Ok(Exit::Done);
    }
    output::line(filled.trim_end());
    let open: Vec<&str> =
        prompt.variables.iter().map(String::as_str).filter(|name| !values.contains_key(name)).collect();
    if !open.is_empty() {
        output::say(&format!("still to fill in: {}; --var NAME=VALUE does", open.join(", ")));
    }
    Ok(Exit::Done)
}

/// Writes the raw body of an item as it is.
async fn raw(app: &App, snapshot: &Snapshot, ordinal: u32) -> anyhow::Result<Exit> {
    let found = app.store.record_at(snapshot.evidence_of(ordinal).row).await?;
    if let Some(reason) = found.and_then(|found| found.withheld) {
        return Ok(output::not_found(&refusal(reason)));
    }
    let Some(body) = snapshot.body(ordinal) else { return Ok(output::not_found("this item has no raw body")) };
    let Some(record) = app.store.record(&body.source_id, body.kind, &body.key).await? else {
        return Ok(output::not_found(NOT_STORED));
    };
    output::bytes(&record.bytes)?;
    Ok(Exit::Done)
}

fn refusal(reason: RecordWithheld) -> String {
    format!(
        "record_withheld ({}): {}; its hash and evidence stay, and source_url leads to the source",
        reason.as_str(),
        reason.because()
    )
}

/// Writes the record behind an item, or behind another evidence key, as it is.
async fn record(app: &App, snapshot: &Snapshot, ordinal: u32, key: Option<&str>) -> anyhow::Result<Exit> {
    let evidence = match key {
        Some(key) => snapshot.evidence(key),
        None => Some(snapshot.evidence_of(ordinal)),
    };
    let Some(evidence) = evidence else {
        return Ok(output::not_found(
            "no evidence record has this key; keys stand in evidence_key and in field_evidence of the item",
        ));
    };
    match app.store.record_at(evidence.row).await? {
        Some(RecordAt { withheld: Some(reason), .. }) => Ok(output::not_found(&refusal(reason))),
        Some(RecordAt { record: Some(record), .. }) => {
            output::bytes(&record.bytes)?;
            Ok(Exit::Done)
        }
        _ => Ok(output::not_found(NOT_STORED)),
    }
}
