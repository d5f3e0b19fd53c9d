//! Prompts: every published framework that has one, with the card's inputs as arguments.

use std::collections::BTreeMap;

use refdesk_catalog::answer;
use refdesk_catalog::json::{self, Object};
use refdesk_catalog::snapshot::Snapshot;
use refdesk_core::Kind;
use refdesk_core::item::{Framework, Prompt};
use refdesk_route::Card;
use serde_json::{Map, Value, json};

use super::protocol::cursor;
use super::protocol::request::McpRequest;
use super::protocol::rpc::RpcError;

const LIST_METHOD: &str = "prompts/list";
/// Longest description of a prompt, in characters.
const DESCRIPTION_CHARS_MAX: usize = 400;
/// Stands where an optional input was left out.
const NOT_GIVEN: &str = "(not given)";

/// The prompt of a card that is offered.
fn offered(card: &Card) -> Option<&Prompt> {
    card.framework.prompt.as_ref().filter(|prompt| card.published && !prompt.text.is_empty())
}

/// The card that is called so, by id or alias, whether or not it offers a prompt.
fn named<'a>(snapshot: &'a Snapshot, name: &str) -> Option<&'a Card> {
    let Ok((ordinal, _)) = answer::resolve(snapshot, Kind::Framework, name) else { return None };
    card_of(snapshot, snapshot.id(ordinal))
}

fn card_of<'a>(snapshot: &'a Snapshot, id: &str) -> Option<&'a Card> {
    snapshot.router().cards().iter().find(|card| card.id == id)
}

/// The card of an offered prompt, by id or alias.
pub(crate) fn find<'a>(snapshot: &'a Snapshot, name: &str) -> Option<(&'a Card, &'a Prompt)> {
    let card = named(snapshot, name)?;
    Some((card, offered(card)?))
}

/// The answer to a name that no prompt has: a framework that offers none, or what is called nearly so.
fn unknown(snapshot: &Snapshot, name: &str) -> RpcError {
    let shown = refdesk_core::clean::excerpt(name, 100);
    let message = match named(snapshot, name) {
        Some(Card { id, published: false, .. }) => {
            format!("{id} is a candidate. Prompts are the ids of published frameworks.")
        }
        Some(Card { id, .. }) => format!("{id} is a framework without a prompt."),
        None => format!("Unknown prompt: {shown}. Prompts are the ids of published frameworks."),
    };
    let near = snapshot.suggest(Kind::Framework, &shown, answer::SUGGESTIONS_MAX).into_iter();
    let near = near.filter(|id| card_of(snapshot, id).is_some_and(|card| offered(card).is_some()));
    RpcError::invalid_params(message).with(json!({"suggestions": near.collect::<Vec<_>>()}))
}

/// The answer to an argument that a prompt does not have.
pub(crate) fn unknown_argument(card: &Card, argument: &str) -> RpcError {
    let names: Vec<&str> = card.framework.inputs.iter().map(|input| input.name.as_str()).collect();
    let shown = refdesk_core::clean::quoted(argument);
    RpcError::invalid_params(format!("Prompt {} has no argument {shown}; it has: {}.", card.id, names.join(", ")))
}

/// `prompts/list`.
pub(crate) fn list(request: &McpRequest<'_>, result: &mut Object<'_>) -> Result<(), RpcError> {
    let offset = cursor::decode(LIST_METHOD, request.params)?;
    let settings = &request.state.settings;
    let cards = request.snapshot.router().cards().iter().filter(|card| offered(card).is_some());
    let cards: Vec<&Card> = cards.take(settings.mcp_prompts_max).collect();
    let size = settings.mcp_page_size;
    let page = cards.iter().skip(offset).take(size);
    json::array(result.name("prompts"), page, |out, card| {
        let mut entry = Object::open(out);
        entry.text("name", &card.id);
        entry.text("title", &refdesk_core::clean::line(&card.name));
        entry.text("description", &description(&card.framework));
        json::array(entry.name("arguments"), &card.framework.inputs, |out, input| {
            let mut argument = Object::open(out);
            argument.text("name", &input.name);
            argument.text("description", &refdesk_core::clean::line(&input.description));
            argument.flag("required", input.required);
            argument.close();
        });
        entry.close();
    });
    let next = offset.saturating_add(size);
    if next < cards.len() {
        result.text("nextCursor", &cursor::encode(LIST_METHOD, next));
    }
    request.write_caching(result, request.catalog_ttl_ms());
    Ok(())
}

/// `prompts/get`.
pub(crate) fn get(request: &McpRequest<'_>, result: &mut Object<'_>) -> Result<(), RpcError> {
    let name = request.string_param("name")?;
    let Some((card, prompt)) = find(&request.snapshot, name) else { return Err(unknown(&request.snapshot, name)) };
    let given = arguments(request.params)?;
    if let Some(name) = given.keys().find(|name| !card.framework.inputs.iter().any(|input| input.name == **name)) {
        return Err(unknown_argument(card, name));
    }
    let missing: Vec<&str> = card
        .framework
        .inputs
        .iter()
        .filter(|input| input.required && given.get(input.name.as_str()).is_none_or(|text| text.trim().is_empty()))
        .map(|input| input.name.as_str())
        .collect();
    if !missing.is_empty() {
        let message = format!("Missing required arguments of prompt {}: {}.", card.id, missing.join(", "));
        return Err(RpcError::invalid_params(message).with(json!({"missing": missing})));
    }
    let given_text = |name: &str| given.get(name).copied().filter(|text| !text.trim().is_empty());
    let mut text = prompt.filled(|name| Some(given_text(name).unwrap_or(NOT_GIVEN)));
    for input in &card.framework.inputs {
        if let Some(value) = given_text(&input.name)
            && !prompt.variables.contains(&input.name)
        {
            text.extend(["\n\n", &input.name, ": ", value]);
        }
    }
    let text = refdesk_core::clean::visible(&text).into_owned();
    result.text("description", &description(&card.framework));
    result.value("messages", &json!([{"role": "user", "content": {"type": "text", "text": text}}]));
    Ok(())
}

fn description(framework: &Framework) -> String {
    refdesk_core::clean::excerpt(&framework.summary, DESCRIPTION_CHARS_MAX)
}

fn arguments(params: &Map<String, Value>) -> Result<BTreeMap<&str, &str>, RpcError> {
    let wrong = |what: &str| RpcError::invalid_params(format!("Invalid params: {what}."));
    let given = match params.get("arguments") {
        None | Some(Value::Null) => return Ok(BTreeMap::new()),
        Some(Value::Object(given)) => given,
        Some(_) => return Err(wrong("`arguments` must be an object of strings")),
    };
    let no_text = |name: &str| wrong(&format!("`arguments.{}` must be a string", refdesk_core::clean::quoted(name)));
    let given = given.iter().filter(|(_, value)| !value.is_null());
    given.map(|(name, value)| Ok((name.as_str(), value.as_str().ok_or_else(|| no_text(name))?))).collect()
}
