//! `completion/complete`: ids for the resource templates, and for prompt arguments what the catalog can honestly offer: names of
//! items where the argument asks for one, and for the first input the card's own example questions.

use refdesk_catalog::json::Object;
use refdesk_catalog::snapshot::Snapshot;
use refdesk_core::Kind;
use serde_json::{Value, json};

use super::protocol::request::McpRequest;
use super::protocol::rpc::RpcError;
use super::resources::{DOCUMENT_TEMPLATE, ITEM_TEMPLATE};
use super::{COMPLETIONS_MAX, prompts};

/// The matching values, best first, and how many there are in total.
struct Completion {
    values: Vec<String>,
    total: usize,
}

/// Answers `completion/complete`.
pub(crate) fn complete(request: &McpRequest<'_>, result: &mut Object<'_>) -> Result<(), RpcError> {
    let member =
        |object: &str, name: &str| request.params.get(object).and_then(|value| value.get(name)).and_then(Value::as_str);
    let wrong = |what: &str| RpcError::invalid_params(format!("Invalid params: {what}"));
    let argument = member("argument", "name").ok_or_else(|| wrong("`argument.name` must be a string."))?;
    let value = member("argument", "value").ok_or_else(|| wrong("`argument.value` must be a string."))?;
    let value = refdesk_core::clean::excerpt(value, 200);
    let completion = match member("ref", "type") {
        Some("ref/prompt") => {
            let name = member("ref", "name").ok_or_else(|| wrong("`ref.name` must be a string."))?;
            of_prompt(&request.snapshot, name, argument, &value)?
        }
        Some("ref/resource") => {
            let uri = member("ref", "uri").ok_or_else(|| wrong("`ref.uri` must be a string."))?;
            of_template(request, uri, argument, &value)?
        }
        _ => return Err(wrong("`ref.type` must be ref/prompt or ref/resource.")),
    };
    let more = completion.total > completion.values.len();
    result.value("completion", &json!({"values": completion.values, "total": completion.total, "hasMore": more}));
    Ok(())
}

fn of_prompt(snapshot: &Snapshot, name: &str, argument: &str, value: &str) -> Result<Completion, RpcError> {
    // A prompt may have vanished since it was listed. A person is typing, so an empty completion is kinder than an error, and the official
    // conformance suite expects it.
    let Some((card, _)) = prompts::find(snapshot, name) else { return Ok(bounded(Vec::new())) };
    let inputs = &card.framework.inputs;
    let Some(at) = inputs.iter().position(|input| input.name == argument) else {
        return Err(prompts::unknown_argument(card, argument));
    };
    if let Some(kind) = Kind::parse(argument.trim_end_matches("_name").trim_end_matches("_id")) {
        return Ok(ids(snapshot, kind, value));
    }
    let first_required = inputs.iter().position(|input| input.required).unwrap_or(0);
    let lower = value.to_lowercase();
    let fitting = card.framework.example_questions.iter().filter(|question| question.to_lowercase().contains(&lower));
    let values: Vec<String> =
        if at == first_required { fitting.map(|text| refdesk_core::clean::line(text)).collect() } else { Vec::new() };
    Ok(bounded(values))
}

fn of_template(request: &McpRequest<'_>, uri: &str, argument: &str, value: &str) -> Result<Completion, RpcError> {
    let snapshot = &*request.snapshot;
    match (uri, argument) {
        (DOCUMENT_TEMPLATE, "id") => Ok(ids(snapshot, Kind::Document, value)),
        (ITEM_TEMPLATE, "kind") => {
            let lower = value.trim().to_lowercase();
            let kinds = Kind::ALL.iter().map(|kind| kind.singular()).filter(|kind| kind.starts_with(&lower));
            Ok(bounded(kinds.map(str::to_owned).collect()))
        }
        (ITEM_TEMPLATE, "id") => {
            let context = request.params.get("context").and_then(|context| context.get("arguments"));
            let kind = context.and_then(|given| given.get("kind")).and_then(Value::as_str).and_then(Kind::parse);
            let kinds = kind.map_or_else(|| Kind::ALL.to_vec(), |kind| vec![kind]);
            let mut all = Completion { values: Vec::new(), total: 0 };
            for kind in kinds {
                let found = ids(snapshot, kind, value);
                all.total += found.total;
                all.values.extend(found.values);
            }
            all.values.truncate(COMPLETIONS_MAX);
            Ok(all)
        }
        (DOCUMENT_TEMPLATE | ITEM_TEMPLATE, _) => {
            let shown = refdesk_core::clean::quoted(argument);
            let names = if uri == ITEM_TEMPLATE { "kind, id" } else { "id" };
            Err(RpcError::invalid_params(format!("Template {uri} has no argument {shown}; it has: {names}.")))
        }
        _ => {
            let shown = refdesk_core::clean::excerpt(uri, 100);
            Err(RpcError::invalid_params(format!(
                "No completion for {shown}: the templates are {DOCUMENT_TEMPLATE} and {ITEM_TEMPLATE}."
            )))
        }
    }
}

/// Ids of a kind that begin with the text, or with what an upstream spelling has behind its seller, in order; when there are few, the ids of the
/// nearest names after them.
fn ids(snapshot: &Snapshot, kind: Kind, value: &str) -> Completion {
    let prefix = value.trim().to_lowercase();
    let beginning_with = |prefix: &str| snapshot.ids_with_prefix(kind, prefix, COMPLETIONS_MAX);
    let behind_seller = prefix.rsplit_once('/').map(|(_, behind)| behind).filter(|behind| !behind.is_empty());
    let (mut total, matching) = match (beginning_with(&prefix), behind_seller) {
        ((0, _), Some(behind)) => beginning_with(behind),
        (found, _) => found,
    };
    let mut values: Vec<String> = matching.into_iter().map(str::to_owned).collect();
    if values.len() < COMPLETIONS_MAX && !prefix.is_empty() {
        for near in snapshot.suggest(kind, value, COMPLETIONS_MAX) {
            if values.len() < COMPLETIONS_MAX && !values.iter().any(|known| known == near) {
                values.push(near.to_owned());
                total += 1;
            }
        }
    }
    Completion { values, total }
}

fn bounded(mut values: Vec<String>) -> Completion {
    let total = values.len();
    values.truncate(COMPLETIONS_MAX);
    Completion { values, total }
}
