//! `get`: one item with its evidence, its raw text, its record, or the prompt of a card.

use std::collections::BTreeMap;

use refdesk_catalog::answer;
use refdesk_catalog::snapshot::Snapshot;
use refdesk_core::Kind;
use refdesk_core::fact::RecordWithheld;
use refdesk_core::item::Prompt;
use refdesk_core::query::{DetailQuery, Params};
use refdesk_core::slug::RESERVED;
use refdesk_ingest::generation::Part;
use refdesk_ingest::store::RecordAt;
use serde_json::Value;

use super::{kind_of, show};
use crate::cli;
use crate::client::{Client, Extent, InProcess};
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
    // What a person is shown of a model has the maker's own offer, which stands among all of them.
    let all_offers = flags.all_offers || kind == Kind::Model && !json;
    let given = [("include_prompt", flags.prompt), ("fresh_only", flags.fresh_only), ("all_offers", all_offers)];
    let given: Vec<_> = given.into_iter().filter(|(_, is_on)| *is_on).map(|(name, _)| (name, "true")).collect();
    let params = Params::new(given.iter().copied(), DetailQuery::names(kind));
    DetailQuery::parse(&params).map_err(wrong)?;
    let kinds = [kind];
    let is_there = |snapshot: &Snapshot| answer::resolve(snapshot, kind, &flags.id).is_ok();
    // A key may be of evidence about any item.
    let extent =
        if flags.evidence.is_some() { Extent::Whole } else { Extent::PartWith(Part::Kinds(&kinds), &is_there) };
    let reads_store = flags.raw || flags.record;
    let mut client = if reads_store { Client::alone(&config, extent) } else { Client::new(&config, extent).await };
    let answer = match client.json(&detail_path(kind, &flags.id), &given).await? {
        Ok(answer) => answer,
        Err(problem) => return Ok(problem.tell(kind, &flags.id)),
    };
    if !reads_store {
        return shown_detail(json, kind, flags, answer);
    }
    let desk = client.own().await?;
    let snapshot = desk.snapshot();
    let id = answer[kind.singular()]["id"].as_str().unwrap_or_default();
    let Some(ordinal) = snapshot.find(kind, id).item() else { return Ok(output::not_found(NOT_STORED)) };
    if flags.record {
        return record(desk, &snapshot, ordinal, flags.evidence.as_deref()).await;
    }
    raw(desk, &snapshot, ordinal).await
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

/// The path of an item. A word that has another answer there (`list`) is escaped, and so leads to the item all the same; a blank stands for
/// an empty id, which no path ends with.
pub(in crate::commands) fn detail_path(kind: Kind, id: &str) -> String {
    let escaped: String = match id {
        "" => "%20".to_owned(),
        reserved if RESERVED.contains(&reserved) => reserved.bytes().map(|byte| format!("%{byte:02X}")).collect(),
        // A space is a `+` in forms only.
        id => url::form_urlencoded::byte_serialize(id.as_bytes()).collect::<String>().replace('+', "%20"),
    };
    format!("/v1/{}/{escaped}", kind.path_segment())
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
            let told =
                |near: &str, all: &str| format!("--var {name}: the prompt has no such variable{near}; it has {all}");
            return Err(Refusal::unknown(Refusal::invalid_argument, name.trim(), known(), told).into());
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
async fn raw(desk: &InProcess, snapshot: &Snapshot, ordinal: u32) -> anyhow::Result<Exit> {
    let found = desk.app.store.record_at(snapshot.evidence_of(ordinal).row).await?;
    if let Some(reason) = found.and_then(|found| found.withheld) {
        return Ok(output::not_found(&refusal(reason)));
    }
    let Some(body) = snapshot.body(ordinal) else { return Ok(output::not_found("this item has no raw body")) };
    let Some(record) = desk.app.store.record(&body.source_id, body.kind, &body.key).await? else {
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
async fn record(desk: &InProcess, snapshot: &Snapshot, ordinal: u32, key: Option<&str>) -> anyhow::Result<Exit> {
    let evidence = match key {
        Some(key) => snapshot.evidence(key),
        None => Some(snapshot.evidence_of(ordinal)),
    };
    let Some(evidence) = evidence else {
        return Ok(output::not_found(
            "no evidence record has this key; `evidence_key` and `field_evidence` of the item hold keys",
        ));
    };
    match desk.app.store.record_at(evidence.row).await? {
        Some(RecordAt { withheld: Some(reason), .. }) => Ok(output::not_found(&refusal(reason))),
        Some(RecordAt { record: Some(record), .. }) => {
            output::bytes(&record.bytes)?;
            Ok(Exit::Done)
        }
        _ => Ok(output::not_found(NOT_STORED)),
    }
}
