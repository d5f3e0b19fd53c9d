//! Full texts: read through the body reader, shown as JSON members, as raw Markdown, or as a sanitised page.

use std::collections::HashMap;

use axum::response::Response;
use bytes::Bytes;
use http::HeaderValue;
use refdesk_catalog::answer;
use refdesk_catalog::snapshot::Snapshot;
use refdesk_core::Kind;
use refdesk_search::SearchOutcome;

use super::Call;
use crate::desk::{BodyError, Desk, RecordRead};
use crate::problem::Problem;
use crate::reply::JSON;

const MARKDOWN: &str = "text/markdown; charset=utf-8";
const HTML: &str = "text/html; charset=utf-8";

/// The Markdown of an item, when it has one.
pub(crate) async fn markdown(desk: &Desk, snapshot: &Snapshot, ordinal: u32) -> Result<Option<String>, Problem> {
    let Some(body) = snapshot.body(ordinal) else { return Ok(None) };
    desk.bodies.markdown(&body).await.map_err(unavailable)
}

/// The Markdown of the document hits of a search, by ordinal.
pub(crate) async fn of_hits(
    desk: &Desk,
    snapshot: &Snapshot,
    outcome: &SearchOutcome,
) -> Result<HashMap<u32, Bytes>, Problem> {
    let mut texts = HashMap::new();
    for hit in outcome.hits.iter().filter(|hit| snapshot.kind_of(hit.ordinal) == Kind::Document) {
        if let Some(text) = markdown(desk, snapshot, hit.ordinal).await? {
            texts.insert(hit.ordinal, Bytes::from(text));
        }
    }
    Ok(texts)
}

/// The raw Markdown or a page for people, when the client asks for one of them and the item has a body.
pub(crate) async fn in_another_form(call: &Call, kind: Kind, ordinal: u32) -> Result<Option<Response>, Problem> {
    let snapshot = &*call.snapshot;
    if answer::body_key(kind).is_none() {
        return Ok(None);
    }
    let preferred = call.preferred(&[JSON, "text/markdown", "text/html"]);
    let body = snapshot.body(ordinal);
    if preferred == "text/markdown" {
        let text = match &body {
            Some(body) if body.verbatim => call.desk.bodies.raw(body).await.map_err(unavailable)?,
            Some(_) => markdown(&call.desk, snapshot, ordinal).await?.map(Bytes::from),
            None => None,
        };
        return match text {
            Some(text) => Ok(Some(call.asked().data(MARKDOWN, || vec![text]))),
            None => refuse_withheld(call, ordinal).await.map(|()| None),
        };
    }
    if body.is_none() {
        return Ok(None);
    }
    if preferred == "text/html" {
        let mut response = if let Some(unchanged) = call.asked().unchanged(HTML) {
            unchanged
        } else {
            let Some(text) = markdown(&call.desk, snapshot, ordinal).await? else { return Ok(None) };
            let page = call.desk.pages.get(&call.desk.workroom, snapshot.name(ordinal).into_owned(), text).await;
            let page = page.ok_or_else(|| Problem::internal().because("making a page ended in a panic"))?;
            call.asked().data(HTML, || vec![page])
        };
        let policy = HeaderValue::from_static(crate::guard::PAGE_POLICY);
        response.headers_mut().insert(http::header::CONTENT_SECURITY_POLICY, policy);
        return Ok(Some(response));
    }
    Ok(None)
}

/// Fails when an item has no raw text to give because its record may not be given out; who has none at all is answered in JSON.
async fn refuse_withheld(call: &Call, ordinal: u32) -> Result<(), Problem> {
    let evidence = call.snapshot.evidence_of(ordinal);
    let (row, key) = (evidence.row, evidence.key);
    match call.desk.bodies.record(row, key).await {
        Ok(RecordRead::Withheld(reason)) => Err(Problem::record_withheld(reason)),
        _ => Ok(()),
    }
}

pub(crate) fn unavailable(error: BodyError) -> Problem {
    Problem::document_store_unavailable().because(error.0)
}
