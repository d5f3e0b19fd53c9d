//! Resources: every item as `refdesk://{kind}/{id}`; documents, skills and tutorials as Markdown, everything else as JSON.

use http::StatusCode;
use refdesk_catalog::answer::{self, DetailExtras, RESOURCES, item_at};
use refdesk_catalog::json::{self, Object};
use refdesk_catalog::segment::Found;
use refdesk_catalog::snapshot::Snapshot;
use refdesk_core::Kind;
use serde::Deserialize;
use serde_json::json;

use super::protocol::cursor;
use super::protocol::era::Era;
use super::protocol::request::{McpRequest, internal_error};
use super::protocol::rpc::{INVALID_PARAMS, RpcError};
use super::{DATA_NOTICE, STATIC_TTL_MS};
use crate::api::full_texts;
use crate::http::problem::Problem;

/// Template of the documents.
pub(crate) const DOCUMENT_TEMPLATE: &str = "refdesk://document/{id}";
/// Template of everything.
pub(crate) const ITEM_TEMPLATE: &str = "refdesk://{kind}/{id}";
const LIST_METHOD: &str = "resources/list";
/// The order of the list: what has a full text first.
const KIND_ORDER: [Kind; 7] =
    [Kind::Document, Kind::Skill, Kind::Tutorial, Kind::Framework, Kind::Model, Kind::Tool, Kind::McpServer];
/// Resource not found, before 2026-07-28.
const LEGACY_NOT_FOUND: i32 = -32002;

/// The address of an item.
pub(crate) fn uri(kind: Kind, id: &str) -> String {
    format!("{RESOURCES}{}/{id}", kind.singular())
}

fn media_type(snapshot: &Snapshot, ordinal: u32) -> &'static str {
    if snapshot.item(ordinal).body.is_some() { "text/markdown" } else { "application/json" }
}

/// Writes what links and list entries say about an item into an open object.
fn describe(snapshot: &Snapshot, ordinal: u32, object: &mut Object<'_>) {
    let id = snapshot.id(ordinal);
    object.text("uri", &uri(snapshot.kind_of(ordinal), id));
    object.text("name", id);
    object.text("title", &snapshot.name(ordinal));
    object.text("mimeType", media_type(snapshot, ordinal));
    let modified = snapshot.evidence_of(ordinal).known().last_synced_at;
    let mut annotations = Object::open(object.name("annotations"));
    if modified.is_some() {
        annotations.stamp("lastModified", modified);
    }
    annotations.close();
}

/// Writes a link for the content of a tool result.
pub(crate) fn write_link(snapshot: &Snapshot, ordinal: u32, out: &mut Vec<u8>) {
    let mut object = Object::open(out);
    object.text("type", "resource_link");
    describe(snapshot, ordinal, &mut object);
    object.close();
}

/// `resources/list`. Client libraries fetch such lists in full and give up after some dozens of pages, so the list ends at the setting
/// `mcp_resources_max`; templates and search reach the other items.
pub(crate) fn list(request: &McpRequest<'_>, result: &mut Object<'_>) -> Result<(), RpcError> {
    let offset = cursor::decode(LIST_METHOD, request.params)?;
    let (snapshot, settings) = (&*request.snapshot, &request.state.settings);
    let wanted = settings.mcp_page_size.min(settings.mcp_resources_max.saturating_sub(offset));
    let all = KIND_ORDER
        .into_iter()
        .flat_map(|kind| snapshot.listed_rows(kind, false, false).map(move |row| snapshot.ordinal(kind, row)));
    let mut all = all.take(settings.mcp_resources_max).skip(offset);
    let page: Vec<u32> = all.by_ref().take(wanted).collect();
    let has_more = all.next().is_some();
    let entries = page.into_iter().map(|ordinal| Ok((ordinal, size(snapshot, ordinal)?)));
    let entries: Vec<(u32, Option<u64>)> =
        entries.collect::<Result<_, _>>().map_err(|problem| internal_error(&problem))?;
    json::array(result.name("resources"), &entries, |out, (ordinal, bytes)| {
        write_entry(snapshot, *ordinal, *bytes, out);
    });
    if has_more {
        result.text("nextCursor", &cursor::encode(LIST_METHOD, offset.saturating_add(wanted)));
    }
    request.write_caching(result, request.catalog_ttl_ms());
    Ok(())
}

fn write_entry(snapshot: &Snapshot, ordinal: u32, bytes: Option<u64>, out: &mut Vec<u8>) {
    let mut object = Object::open(out);
    describe(snapshot, ordinal, &mut object);
    object.text(
        "description",
        &format!("{} · {}", snapshot.kind_of(ordinal).label(), snapshot.evidence_of(ordinal).source_url),
    );
    if let Some(bytes) = bytes {
        object.value("size", &bytes);
    }
    object.close();
}

/// Size of the resource in bytes, where it is known without reading a full text.
///
/// # Errors
/// 500 when the row of an item is not JSON.
fn size(snapshot: &Snapshot, ordinal: u32) -> Result<Option<u64>, Problem> {
    #[derive(Deserialize)]
    struct ResourceRow {
        bytes: Option<u64>,
    }
    if snapshot.item(ordinal).body.is_some() {
        let row = serde_json::from_slice::<ResourceRow>(snapshot.row(ordinal));
        return row.map(|row| row.bytes).map_err(|error| Problem::internal().because(format!("a row: {error}")));
    }
    Ok(Some(answer::detail(snapshot, ordinal, &DetailExtras::default()).len() as u64))
}

/// `resources/templates/list`.
pub(crate) fn list_templates(request: &McpRequest<'_>, result: &mut Object<'_>) -> Result<(), RpcError> {
    cursor::refuse_any("resources/templates/list", request.params)?;
    let kinds: Vec<&str> = Kind::ALL.iter().map(|kind| kind.singular()).collect();
    let templates = json!([
        {
            "uriTemplate": DOCUMENT_TEMPLATE,
            "name": "document",
            "title": "Documentation page",
            "description": "The full Markdown of a documentation page, by its id or its upstream path.",
            "mimeType": "text/markdown"
        },
        {
            "uriTemplate": ITEM_TEMPLATE,
            "name": "item",
            "title": "Catalog item",
            "description": format!(
                "Any item by its kind ({}) and its id or an upstream spelling. Documents, skills and tutorials with a full text are Markdown, everything else is JSON with its evidence.",
                kinds.join(", ")
            )
        }
    ]);
    result.value("resourceTemplates", &templates);
    request.write_caching(result, STATIC_TTL_MS);
    Ok(())
}

/// `resources/read`.
pub(crate) async fn read(request: &McpRequest<'_>, result: &mut Object<'_>) -> Result<(), RpcError> {
    let asked = request.string_param("uri")?;
    let snapshot = &*request.snapshot;
    let Some((kind, id)) = item_at(asked).filter(|_| asked.starts_with(RESOURCES)) else {
        // Whatever else names an item: its id, an upstream spelling, or the address of its page.
        let (kinds, id) =
            item_at(asked).map_or_else(|| (Kind::ALL.to_vec(), asked.to_owned()), |(kind, id)| (vec![kind], id));
        let named = kinds.into_iter().filter_map(|kind| match snapshot.find(kind, &id) {
            Found::Id(ordinal) | Found::Alias(ordinal) => Some(uri(kind, snapshot.id(ordinal))),
            Found::Ambiguous(_) | Found::Unknown => None,
        });
        return Err(not_found(request, asked, &named.collect::<Vec<_>>()));
    };
    let ordinal = match answer::resolve(snapshot, kind, &id) {
        Ok((ordinal, _)) => ordinal,
        Err(unresolved) => {
            let of_other_kinds = unresolved.of_other_kinds.iter().map(|(kind, id)| uri(*kind, id));
            let near: Vec<String> =
                of_other_kinds.chain(unresolved.suggestions.iter().map(|id| uri(kind, id))).collect();
            return Err(not_found(request, asked, &near));
        }
    };
    let body = full_texts::markdown_of(request.state, snapshot, ordinal).await;
    let body = body.map_err(|problem| internal_error(&problem))?;
    let (media, text) = if let Some(body) = body {
        ("text/markdown", refdesk_core::clean::visible(&body).into_owned())
    } else {
        let text = String::from_utf8(answer::detail(snapshot, ordinal, &DetailExtras::default()));
        let text = text.map_err(|error| internal_error(&Problem::internal().because(format!("a detail: {error}"))))?;
        ("application/json", text)
    };
    let evidence = snapshot.evidence_of(ordinal);
    json::array(result.name("contents"), [text], |out, text| {
        let mut contents = Object::open(out);
        contents.text("uri", asked);
        contents.text("mimeType", media);
        contents.text("text", &text);
        let mut meta = Object::open(contents.name("_meta"));
        evidence.write(meta.name("refdesk/evidence"));
        meta.stamp("refdesk/lastModified", evidence.known().last_synced_at);
        meta.count("refdesk/size", text.len());
        meta.text("refdesk/dataNotice", DATA_NOTICE);
        meta.close();
        contents.close();
    });
    request.write_caching(result, request.catalog_ttl_ms());
    Ok(())
}

fn not_found(request: &McpRequest<'_>, uri: &str, suggestions: &[String]) -> RpcError {
    let code = if request.era == Era::Modern { INVALID_PARAMS } else { LEGACY_NOT_FOUND };
    let shown = refdesk_core::clean::excerpt(uri, 200);
    RpcError::new(StatusCode::OK, code, format!("Resource not found: {shown}. Addresses are {ITEM_TEMPLATE}."))
        .with(json!({"uri": shown, "suggestions": suggestions}))
}
