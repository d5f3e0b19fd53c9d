//! Full texts of documents, skills and tutorials: as members of JSON answers, as raw Markdown, or as a sanitised HTML page.

use std::collections::HashMap;
use std::sync::Arc;

use axum::response::Response;
use bytes::Bytes;
use http::HeaderValue;
use refdesk_catalog::answer::{self, HitTexts, Searched};
use refdesk_catalog::snapshot::Snapshot;
use refdesk_core::Kind;
use refdesk_core::query::SearchQuery;

use crate::http::problem::Problem;
use crate::http::request::ApiRequest;
use crate::markdown::{self, LinkBase};
use crate::negotiation::{FULL_TEXT_MEDIA_TYPES, HTML, preferred_media_type};
use crate::policy::headers::PAGE_POLICY;
use crate::state::cache::RenderedText;
use crate::state::{AppState, RecordRead, StoreReadError};

const MARKDOWN_MEDIA_TYPE: &str = "text/markdown; charset=utf-8";

/// The Markdown of an item, when it has one.
pub(crate) async fn markdown_of(
    state: &AppState,
    snapshot: &Snapshot,
    ordinal: u32,
) -> Result<Option<String>, Problem> {
    let Some(body) = snapshot.body(ordinal) else { return Ok(None) };
    state.store.markdown(&body).await.map_err(unavailable)
}

/// What a search wants of the full texts of its hits.
pub(crate) async fn of_hits(
    state: &AppState,
    snapshot: &Snapshot,
    query: &SearchQuery,
    searched: &Searched,
) -> Result<HitTexts, Problem> {
    let mut read = HashMap::new();
    for ordinal in HitTexts::wanted(snapshot, query, &searched.outcome.hits) {
        if let Some(text) = markdown_of(state, snapshot, ordinal).await? {
            read.insert(ordinal, text);
        }
    }
    Ok(HitTexts::new(snapshot, query, searched, read))
}

/// The HTML of an item's Markdown.
pub(crate) async fn rendered(
    state: &AppState,
    snapshot: &Snapshot,
    ordinal: u32,
    text: String,
) -> Result<Arc<RenderedText>, Problem> {
    let evidence = snapshot.evidence_of(ordinal);
    let published_at = published_at(snapshot, ordinal)?.or_else(|| evidence.provenance.references.first().cloned());
    let links = LinkBase::new(evidence.source_url, published_at.as_deref());
    Ok(markdown::rendered(state, links, text).await?)
}

/// The page of a document on its public site.
fn published_at(snapshot: &Snapshot, ordinal: u32) -> Result<Option<String>, Problem> {
    #[derive(serde::Deserialize)]
    struct TextRow {
        canonical_url: Option<String>,
    }
    let row = serde_json::from_slice::<TextRow>(snapshot.row(ordinal));
    row.map(|row| row.canonical_url).map_err(|error| Problem::internal().because(format!("a rendered row: {error}")))
}

/// The raw Markdown or an HTML page, if the client prefers one of them to JSON and the item has a full text.
pub(crate) async fn negotiated(request: &ApiRequest, kind: Kind, ordinal: u32) -> Result<Option<Response>, Problem> {
    let snapshot = &*request.snapshot;
    if answer::body_key(kind).is_none() {
        return Ok(None);
    }
    let preferred = preferred_media_type(&request.headers, FULL_TEXT_MEDIA_TYPES);
    let body = snapshot.body(ordinal);
    if preferred == "text/markdown" {
        let text = match &body {
            Some(body) if body.verbatim => request.state.store.raw(body).await.map_err(unavailable)?,
            Some(_) => markdown_of(&request.state, snapshot, ordinal).await?.map(Bytes::from),
            None => None,
        };
        return match text {
            Some(text) => request.respond().data(MARKDOWN_MEDIA_TYPE, || vec![text]).map(Some),
            None => refuse_withheld(request, ordinal).await.map(|()| None),
        };
    }
    if body.is_none() {
        return Ok(None);
    }
    if preferred == "text/html" {
        let mut response = if let Some(not_modified) = request.respond().not_modified(HTML, "")? {
            not_modified
        } else {
            let Some(text) = markdown_of(&request.state, snapshot, ordinal).await? else { return Ok(None) };
            let text = rendered(&request.state, snapshot, ordinal, text).await?;
            let page = || vec![Bytes::from(markdown::bare_page(&snapshot.name(ordinal), &text))];
            request.respond().data(HTML, page)?
        };
        let policy = HeaderValue::from_static(PAGE_POLICY);
        response.headers_mut().insert(http::header::CONTENT_SECURITY_POLICY, policy);
        return Ok(Some(response));
    }
    Ok(None)
}

/// Fails when an item has no raw text because its record must not be passed on. An item without any text is answered in JSON.
async fn refuse_withheld(request: &ApiRequest, ordinal: u32) -> Result<(), Problem> {
    let evidence = request.snapshot.evidence_of(ordinal);
    let (row, key) = (evidence.row, evidence.key);
    match request.state.store.record(row, key).await {
        Ok(RecordRead::Withheld(reason)) => Err(Problem::record_withheld(reason)),
        // A store that cannot be read is no reason to refuse the JSON, which does not need it.
        Ok(RecordRead::Found { .. } | RecordRead::Gone) | Err(_) => Ok(()),
    }
}

pub(crate) fn unavailable(error: StoreReadError) -> Problem {
    Problem::document_store_unavailable().because(error.0)
}
