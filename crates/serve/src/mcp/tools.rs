//! The eight tools: read the arguments, ask the core what REST asks it, cut what is too long for a model.

use std::collections::HashMap;

use bytes::Bytes;
use refdesk_catalog::answer::{self as catalog, DetailExtras, Resolved};
use refdesk_catalog::json::Object;
use refdesk_core::Kind;
use refdesk_core::query::{DetailQuery, FrameworkSearchQuery, ListQuery, Params, RouteQuery, SearchQuery};
use refdesk_search::SearchOutcome;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::answer::{self, Answer, Cited};
use super::arguments::{self, Arguments, Name};
use super::dispatch::Call;
use super::rpc::RpcError;
use super::{CATALOG_BYTES_MAX, resources, shrink};
use crate::problem::{Code, Problem};
use crate::rest::{documents, sources};
use crate::semantic;

/// Characters of a `read_document` answer when none are asked for, and the most.
pub(crate) const READ_CHARS: (usize, usize) = (20_000, 50_000);
/// The kinds that have full texts, in the order in which an id without a type is tried.
pub(crate) const READABLE: [Kind; 3] = [Kind::Document, Kind::Skill, Kind::Tutorial];
/// What is left of the answer's bytes for the members beside a full text.
const BESIDE_TEXT_BYTES: usize = 4_096;

/// A tool: its name and the arguments it knows.
type Tool = (&'static str, &'static [Name]);

/// All tools, in the order of `tools/list`.
pub(crate) const TOOLS: [Tool; 8] = [
    (
        "search_catalog",
        &[
            arguments::Q,
            arguments::TYPE,
            arguments::FRESH_ONLY,
            arguments::INCLUDE_MARKDOWN,
            arguments::LIMIT,
            arguments::MODE,
        ],
    ),
    ("get_item", &[arguments::ID, arguments::TYPE, arguments::INCLUDE_PROMPT]),
    ("list_items", &[arguments::TYPE, arguments::LIMIT, arguments::OFFSET, arguments::INCLUDE_CANDIDATES]),
    ("read_document", &[arguments::ID, arguments::TYPE, arguments::OFFSET, arguments::LIMIT]),
    (
        "search_frameworks",
        &[arguments::Q, arguments::DOMAIN, arguments::INCLUDE_CANDIDATES, arguments::INCLUDE_PROMPT, arguments::LIMIT],
    ),
    ("route_framework", &[arguments::Q, arguments::DOMAIN, arguments::INCLUDE_CANDIDATES, arguments::MODE]),
    ("get_framework", &[arguments::ID, arguments::INCLUDE_PROMPT]),
    ("source_status", &[]),
];

/// `tools/call`.
pub(crate) async fn call(call: &Call<'_>, out: &mut Vec<u8>) -> Result<(), RpcError> {
    let name = call.text("name")?;
    let Some((name, known)) = TOOLS.iter().find(|(tool, _)| *tool == name) else {
        let names: Vec<&str> = TOOLS.iter().map(|(name, _)| *name).collect();
        let shown = refdesk_core::clean::excerpt(name, 100);
        let message = format!("Unknown tool: {shown}. The tools are {}.", names.join(", "));
        return Err(RpcError::invalid_params(message).with(json!({"tools": names})));
    };
    let none = Map::new();
    let sent = match call.params.get("arguments") {
        None | Some(Value::Null) => &none,
        Some(Value::Object(sent)) => sent,
        Some(_) => return Err(RpcError::invalid_params("Invalid params: `arguments` must be an object.")),
    };
    let answered = match Arguments::read(known, sent) {
        Ok(arguments) => run(call, name, &arguments).await,
        Err(problem) => Err(problem),
    };
    match answered {
        Ok(answer) => answer.write(call, out),
        Err(problem) => {
            log_cause(&problem);
            answer::write_error(call, &problem, out);
        }
    }
    Ok(())
}

/// What went wrong inside is for the log only.
pub(crate) fn log_cause(problem: &Problem) {
    if let Some(cause) = &problem.cause {
        tracing::error!(code = problem.code.as_str(), %cause, "an MCP request failed");
    }
}

async fn run(call: &Call<'_>, tool: &str, arguments: &Arguments) -> Result<Answer, Problem> {
    match tool {
        "search_catalog" => search_catalog(call, arguments).await,
        "get_item" => get_item(call, arguments).await,
        "list_items" => list_items(call, arguments),
        "read_document" => read_document(call, arguments).await,
        "search_frameworks" => search_frameworks(call, arguments),
        "route_framework" => route_framework(call, arguments).await,
        "get_framework" => get_framework(call, arguments).await,
        _ => Ok(source_status(call)),
    }
}

async fn search_catalog(call: &Call<'_>, arguments: &Arguments) -> Result<Answer, Problem> {
    let kind = arguments.kind(&Kind::SEARCHED)?.map(|kind| ("type", kind.search_type()));
    let mut params = Params::new(arguments.pairs_without(&["type"]).chain(kind), &SearchQuery::NAMES);
    let mut query = SearchQuery::read(&params)?;
    let meaning = semantic::of_search(call.desk, &call.snapshot, &mut query, &mut params.warnings).await;
    let snapshot = &*call.snapshot;
    let mut outcome = catalog::find(snapshot, &query, meaning.near.as_ref());
    let base = &call.desk.settings.base_url;
    let render = |outcome: &SearchOutcome, texts: &HashMap<u32, Bytes>| {
        let markdown = |ordinal: u32| texts.get(&ordinal).cloned();
        catalog::search(snapshot, &query, outcome, &markdown, base, &params.warnings)
    };
    let mut texts =
        if query.include_markdown { documents::of_hits(call.desk, snapshot, &outcome).await? } else { HashMap::new() };
    let mut json = render(&outcome, &texts);
    let mut cut = Vec::new();
    if json.len() > CATALOG_BYTES_MAX && !texts.is_empty() {
        let without = render(&outcome, &HashMap::new()).len();
        let each = CATALOG_BYTES_MAX.saturating_sub(without + BESIDE_TEXT_BYTES) / texts.len();
        for (ordinal, text) in &mut texts {
            let whole = String::from_utf8_lossy(text).into_owned();
            let (end, chars) = shrink::prefix(&whole, usize::MAX, each);
            if end < whole.len() {
                *text = Bytes::from(whole[..end].to_owned());
                let id = snapshot.id(*ordinal);
                cut.push(format!("read_document with id={id} and offset={chars} gives the rest of that text"));
            }
        }
        cut.sort();
        json = render(&outcome, &texts);
    }
    let found = outcome.hits.len();
    while json.len() > CATALOG_BYTES_MAX && outcome.hits.len() > 1 {
        let keep = outcome.hits.len() * CATALOG_BYTES_MAX / json.len();
        outcome.hits.truncate(keep.clamp(1, outcome.hits.len() - 1));
        json = render(&outcome, &texts);
    }
    if outcome.hits.len() < found {
        let shown = outcome.hits.len();
        cut.push(format!("only the best {shown} hits are shown; narrow the question or set type for others"));
    }
    let items = outcome.hits.iter().map(|hit| hit.ordinal).collect();
    let answer = Answer { json, items, cited: Cited::Each("results"), cut: (!cut.is_empty()).then(|| cut.join("; ")) };
    Ok(bounded(answer, "get_item gives one of them in full"))
}

async fn get_item(call: &Call<'_>, arguments: &Arguments) -> Result<Answer, Problem> {
    let asked = arguments.id("Send id=<the id of a hit, or any upstream spelling>.")?;
    let (named, asked) = named(asked);
    let kind = arguments.kind(&Kind::ALL)?.or(named);
    let params = Params::new(arguments.pairs_without(&["id", "type"]), &["fresh_only", "all_offers", "include_prompt"]);
    let query = DetailQuery::read(&params)?;
    let kinds = kind.map_or_else(|| Kind::ALL.to_vec(), |kind| vec![kind]);
    let (ordinal, spelling) = the_item(call, &kinds, &asked)?;
    detail(call, ordinal, spelling, query, &params.warnings).await
}

async fn get_framework(call: &Call<'_>, arguments: &Arguments) -> Result<Answer, Problem> {
    let asked = arguments.id("Send id=<the id or an alias of a framework>.")?;
    let (_, asked) = named(asked);
    let params = Params::new(arguments.pairs_without(&["id"]), DetailQuery::names(Kind::Framework));
    let query = DetailQuery::read(&params)?;
    let (ordinal, spelling) = the_item(call, &[Kind::Framework], &asked)?;
    detail(call, ordinal, spelling, query, &params.warnings).await
}

/// An id as models send it: plain, as the address of a resource, or as the path in a hit's `url`.
fn named(asked: &str) -> (Option<Kind>, String) {
    if let Some((kind, id)) = resources::parse(asked) {
        return (Some(kind), id);
    }
    let path = asked.split_once("/v1/").and_then(|(_, path)| path.split_once('/'));
    let found =
        path.and_then(|(segment, id)| Some((Kind::ALL.into_iter().find(|kind| kind.path_segment() == segment)?, id)));
    match found {
        Some((kind, id)) => (Some(kind), percent_encoding::percent_decode_str(id).decode_utf8_lossy().into_owned()),
        None => (None, asked.to_owned()),
    }
}

/// The one item of these kinds that an id or spelling names.
fn the_item<'a>(call: &'a Call<'_>, kinds: &[Kind], asked: &'a str) -> Result<(u32, Option<&'a str>), Problem> {
    let (mut found, mut near) = (Vec::new(), Vec::new());
    for kind in kinds {
        match catalog::resolve(&call.snapshot, *kind, asked) {
            Resolved::Item(ordinal, spelling) => found.push((ordinal, spelling)),
            Resolved::Unknown(ids) => near.extend(ids.into_iter().map(|id| (*kind, id))),
        }
    }
    // An id counts for more than an alias of something else.
    if found.len() > 1 && found.iter().filter(|(_, spelling)| spelling.is_none()).count() == 1 {
        found.retain(|(_, spelling)| spelling.is_none());
    }
    let shown = refdesk_core::clean::excerpt(asked, 100);
    match found.as_slice() {
        [one] => Ok(*one),
        [] => {
            let label = if let [kind] = kinds { kind.label() } else { "item" };
            let ids: Vec<&str> = near.iter().take(catalog::SUGGESTIONS_MAX).map(|(_, id)| id.as_str()).collect();
            let search = if kinds == [Kind::Framework] { "search_frameworks" } else { "search_catalog" };
            let hint = format!("Send one of suggestions as id, or look it up with {search}.");
            Err(Problem {
                code: Code::NotFound,
                ..arguments::wrong(
                    "id",
                    format!("{label} not found"),
                    format!("No {label} has the id or alias {shown:?}."),
                    hint,
                )
            }
            .with("suggestions", ids))
        }
        several => {
            let kinds = several.iter().map(|(ordinal, _)| call.snapshot.kind_of(*ordinal).search_type());
            let kinds: Vec<&str> = kinds.collect();
            let detail = format!("{shown:?} names items of several types.");
            Err(arguments::wrong("type", "type is required".to_owned(), detail, "Send type too.".to_owned())
                .with("allowed_types", kinds))
        }
    }
}

async fn detail(
    call: &Call<'_>,
    ordinal: u32,
    spelling: Option<&str>,
    query: DetailQuery,
    warnings: &[String],
) -> Result<Answer, Problem> {
    let snapshot = &*call.snapshot;
    if query.fresh_only
        && let Some(reason) = snapshot.evidence_of(ordinal).stale_reason
    {
        return Err(Problem::only_stale(snapshot.kind_of(ordinal), snapshot.id(ordinal), reason));
    }
    let body = documents::markdown(call.desk, snapshot, ordinal).await?;
    let extras = DetailExtras {
        resolved_from: spelling,
        fresh_only: query.fresh_only,
        all_offers: query.all_offers,
        include_prompt: query.include_prompt,
        body: body.as_deref(),
        warnings,
    };
    let mut json = catalog::detail(snapshot, ordinal, &extras);
    let mut cut = None;
    if json.len() > CATALOG_BYTES_MAX
        && let Some(body) = &body
    {
        let bare = catalog::detail(snapshot, ordinal, &DetailExtras { body: Some(""), ..extras }).len();
        let (end, chars) =
            shrink::prefix(body, usize::MAX, CATALOG_BYTES_MAX.saturating_sub(bare).max(BESIDE_TEXT_BYTES));
        if end < body.len() {
            json = catalog::detail(snapshot, ordinal, &DetailExtras { body: Some(&body[..end]), ..extras });
            let kind = snapshot.kind_of(ordinal).search_type();
            cut = Some(format!(
                "read_document with type={kind}, id={} and offset={chars} gives the rest of the text",
                snapshot.id(ordinal)
            ));
        }
    }
    let answer = Answer { json, items: vec![ordinal], cited: Cited::Whole, cut };
    Ok(bounded(answer, "the REST path of the item gives it in full"))
}

fn list_items(call: &Call<'_>, arguments: &Arguments) -> Result<Answer, Problem> {
    arguments.required("type", "Send type=MODEL, TOOL, SKILL, TUTORIAL, MCP_SERVER, DOC or FRAMEWORK.")?;
    let kind = arguments.kind(&Kind::ALL)?.unwrap_or(Kind::Model);
    let params = Params::new(arguments.pairs_without(&["type"]), ListQuery::names(kind));
    let mut query = ListQuery::read(kind, &params)?;
    let snapshot = &*call.snapshot;
    let listed = snapshot.listed(kind, &query);
    let mut cut = None;
    let json = loop {
        let pieces = catalog::list(snapshot, kind, &query, &params.warnings);
        let bytes: usize = pieces.iter().map(Bytes::len).sum();
        if bytes <= CATALOG_BYTES_MAX || query.limit == 1 {
            break pieces.concat();
        }
        let shown = listed.page(query.offset, query.limit).len().max(1);
        query.limit = (shown * CATALOG_BYTES_MAX / bytes).clamp(1, shown.saturating_sub(1).max(1));
        let next = query.offset.saturating_add(query.limit);
        let fresh = if query.fresh_only { ", fresh_only=true" } else { "" };
        let candidates = if query.include_candidates { ", include_candidates=true" } else { "" };
        let next = format!("offset={next}{fresh}{candidates}");
        cut = Some(format!("list_items with type={}, {next} gives the next rows", kind.search_type()));
    };
    let items = listed.page(query.offset, query.limit).map(|row| snapshot.ordinal(kind, row)).collect();
    Ok(bounded(Answer { json, items, cited: Cited::Each(kind.collection()), cut }, "get_item gives one row in full"))
}

async fn read_document(call: &Call<'_>, arguments: &Arguments) -> Result<Answer, Problem> {
    let asked = arguments.id("Send id=<the id of a DOC, SKILL or TUTORIAL hit>.")?;
    let (named, asked) = named(asked);
    let kind = arguments.kind(&READABLE)?.or(named.filter(|kind| READABLE.contains(kind)));
    let offset = arguments.count("offset", 0)?.unwrap_or_default();
    let limit = arguments.count("limit", 1)?.unwrap_or(READ_CHARS.0).min(READ_CHARS.1);
    let kinds = kind.map_or_else(|| READABLE.to_vec(), |kind| vec![kind]);
    let (ordinal, _) = the_item(call, &kinds, &asked)?;
    let snapshot = &*call.snapshot;
    let Some(text) = documents::markdown(call.desk, snapshot, ordinal).await? else {
        let why = snapshot.item(ordinal).body_missing.unwrap_or("The source publishes no full text of this item.");
        let hint = "get_item gives what is known of it; its source_url leads to the original.".to_owned();
        return Err(arguments::wrong("id", "no full text".to_owned(), why.to_owned(), hint));
    };
    let start = text.char_indices().nth(offset).map_or(text.len(), |(at, _)| at);
    let (length, chars) = shrink::prefix(&text[start..], limit, CATALOG_BYTES_MAX - BESIDE_TEXT_BYTES);
    let total = text.chars().count();
    let next = (start + length < text.len()).then_some(offset + chars);
    let evidence = snapshot.evidence_of(ordinal);
    let kind = snapshot.kind_of(ordinal);
    let mut json = Vec::with_capacity(length + length / 8 + 1024);
    let mut object = Object::open(&mut json);
    object.text("type", kind.search_type());
    object.text("id", snapshot.id(ordinal));
    object.text("title", &snapshot.name(ordinal));
    object.text("markdown", &text[start..start + length]);
    object.count("offset", offset);
    object.count("limit", limit);
    object.count("total_chars", total);
    object.value("next_offset", &next);
    object.text("source_url", evidence.source_url);
    object.plain("evidence_key", &evidence.key.written());
    object.flag("stale", evidence.stale_reason.is_some());
    evidence.write(object.name("evidence"));
    object.close();
    let cut = next.map(|next| {
        format!("read_document with type={}, id={} and offset={next} goes on", kind.search_type(), snapshot.id(ordinal))
    });
    Ok(Answer { json, items: vec![ordinal], cited: Cited::Whole, cut })
}

fn search_frameworks(call: &Call<'_>, arguments: &Arguments) -> Result<Answer, Problem> {
    #[derive(Deserialize)]
    struct Found {
        frameworks: Vec<Id>,
    }
    let params = Params::new(arguments.pairs_without(&[]), &FrameworkSearchQuery::NAMES);
    let mut query = FrameworkSearchQuery::read(&params)?;
    let base = &call.desk.settings.base_url;
    let asked = query.limit;
    let (json, ids) = loop {
        let json = catalog::framework_search(&call.snapshot, &query, base, &params.warnings);
        let found = serde_json::from_slice::<Found>(&json).map_or_else(|_| Vec::new(), |found| found.frameworks);
        if json.len() <= CATALOG_BYTES_MAX || found.len() <= 1 {
            break (json, found);
        }
        query.limit = (found.len() * CATALOG_BYTES_MAX / json.len()).clamp(1, found.len() - 1);
    };
    let cut = (query.limit < asked)
        .then(|| "get_framework gives one card in full; narrow the question or set domain".to_owned());
    let items = ids.iter().filter_map(|id| id.ordinal(call)).collect();
    Ok(bounded(Answer { json, items, cited: Cited::Each("frameworks"), cut }, "get_framework gives one card in full"))
}

async fn route_framework(call: &Call<'_>, arguments: &Arguments) -> Result<Answer, Problem> {
    #[derive(Deserialize)]
    struct Routed {
        selected: Option<Id>,
    }
    let mut params = Params::new(arguments.pairs_without(&[]), &RouteQuery::NAMES);
    let mut query = RouteQuery::read(&params)?;
    let meaning = semantic::of_route(call.desk, &call.snapshot, &mut query, &mut params.warnings).await;
    let eval = call.desk.evaluation();
    let base = &call.desk.settings.base_url;
    let asked = catalog::Routed { query: &query, near: meaning.near.as_deref(), eval: eval.as_ref() };
    let json = catalog::route(&call.snapshot, &asked, base, &params.warnings);
    let selected = serde_json::from_slice::<Routed>(&json).ok().and_then(|routed| routed.selected);
    let items = selected.and_then(|id| id.ordinal(call)).into_iter().collect();
    Ok(Answer { json, items, cited: Cited::Whole, cut: None })
}

/// The id of a card in an answer.
#[derive(Deserialize)]
struct Id {
    id: String,
}

impl Id {
    fn ordinal(&self, call: &Call<'_>) -> Option<u32> {
        match catalog::resolve(&call.snapshot, Kind::Framework, &self.id) {
            Resolved::Item(ordinal, _) => Some(ordinal),
            Resolved::Unknown(_) => None,
        }
    }
}

fn source_status(call: &Call<'_>) -> Answer {
    let mut json = Vec::new();
    refdesk_catalog::json::write(&mut json, &sources::answer(call.desk));
    bounded(Answer { json, items: Vec::new(), cited: Cited::Nothing, cut: None }, "/v1/sources/status gives all of it")
}

/// The answer, with its longest lists and texts cut when it is still too long.
fn bounded(mut answer: Answer, otherwise: &str) -> Answer {
    if answer.json.len() <= CATALOG_BYTES_MAX {
        return answer;
    }
    if let Ok(mut value) = serde_json::from_slice::<Value>(&answer.json) {
        let paths = shrink::value(&mut value, CATALOG_BYTES_MAX);
        answer.json = value.to_string().into_bytes();
        let how = format!("{} cut; {otherwise}", paths.join(", "));
        answer.cut = Some(answer.cut.map_or(how.clone(), |cut| format!("{cut}; {how}")));
    }
    answer
}
