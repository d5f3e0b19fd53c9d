//! Lists and details of any kind; [`super::kinds`] has their handlers.

use axum::response::Response;
use bytes::Bytes;
use http::{HeaderName, HeaderValue, header};
use refdesk_catalog::answer::{self, DetailExtras, Export, ListAnswer};
use refdesk_core::Kind;
use refdesk_core::query::{DetailQuery, Format, ListQuery, Warning};

use serde_json::Value;

use super::full_texts;
use crate::http::problem::Problem;
use crate::http::request::ApiRequest;
use crate::negotiation::{CSV, JSON, NDJSON, preferred_media_type};

/// A page of the items of a kind, or the whole list as NDJSON or CSV.
pub(crate) fn list(request: &ApiRequest, kind: Kind) -> Result<Response, Problem> {
    let params = request.params(ListQuery::names(kind));
    let mut query = ListQuery::parse(kind, &params)?;
    let snapshot = request.shown(query.collection.as_deref())?;
    if params.get("format").is_none() {
        query.selection.format = accepted_format(request);
    }
    let media_type = Export::media_type(query.selection.format);
    if let Some(not_modified) = request.respond().not_modified(media_type, "")? {
        return Ok(not_modified);
    }
    if query.selection.format != Format::Json {
        let rows_max = request.state.settings.export_rows_max;
        let export = Export::new(snapshot, kind, query, rows_max);
        return table(request, media_type, "", export, &params.warnings);
    }
    let ListAnswer { pieces, next_offset, .. } = answer::list(&snapshot, kind, &query, &params.warnings);
    page(request, pieces, query.limit, next_offset)
}

/// A page with a link to the next one. Only a `base_url` that no header can hold fails, and then the answer has no `Link`.
pub(super) fn page(
    request: &ApiRequest,
    pieces: Vec<Bytes>,
    limit: usize,
    next_offset: Option<usize>,
) -> Result<Response, Problem> {
    let mut response = request.respond().data(JSON, || pieces)?;
    let link = next_offset.and_then(|next| request.next_link(limit, next).parse::<HeaderValue>().ok());
    response.headers_mut().extend(link.map(|link| (header::LINK, link)));
    Ok(response)
}

/// Rows as a table, with its warnings and those of the request in a header. `part` is what it depends on besides the request.
pub(super) fn table(
    request: &ApiRequest,
    media_type: &'static str,
    part: &str,
    export: Export,
    of_request: &[Warning],
) -> Result<Response, Problem> {
    let warnings = warnings_header(request, of_request.iter().chain(export.warnings()));
    let mut response = request.respond().stream(media_type, part, export)?;
    response.headers_mut().extend(warnings);
    Ok(response)
}

/// Says in a header that a path takes no parameters, where some were sent: its answer is a record of its own, without `warnings`.
///
/// # Errors
/// 400 for one that must not be passed over.
pub(super) fn tell_ignored(response: &mut Response, request: &ApiRequest) -> Result<(), Problem> {
    let params = request.params(&[]);
    params.refuse_misspelt()?;
    response.headers_mut().extend(warnings_header(request, &params.warnings));
    Ok(())
}

/// The warnings of an answer that has no place for them.
pub(crate) const WARNINGS: HeaderName = HeaderName::from_static("refdesk-warnings");
/// Bytes of this header; later warnings are left out.
const WARNINGS_BYTES_MAX: usize = 4_096;

/// Warnings as a JSON list of texts in ASCII, as a header can hold it; none where there are none.
fn warnings_header<'a>(
    request: &ApiRequest,
    warnings: impl IntoIterator<Item = &'a Warning>,
) -> Option<(HeaderName, HeaderValue)> {
    let mut length = 2;
    let kept: Vec<String> = warnings
        .into_iter()
        .map(|warning| in_ascii(&Value::from(warning.told(request.base())).to_string()))
        .take_while(|warning| {
            length += warning.len() + 1;
            length <= WARNINGS_BYTES_MAX
        })
        .collect();
    let list = (!kept.is_empty()).then(|| HeaderValue::try_from(format!("[{}]", kept.join(","))).ok());
    list.flatten().map(|list| (WARNINGS, list))
}

/// JSON with all but ASCII escaped.
fn in_ascii(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        if c.is_ascii() {
            out.push(c);
        } else {
            let mut units = [0; 2];
            c.encode_utf16(&mut units).iter().for_each(|unit| out.push_str(&format!("\\u{unit:04x}")));
        }
    }
    out
}

/// The format that `Accept` names.
pub(super) fn accepted_format(request: &ApiRequest) -> Format {
    match preferred_media_type(&request.headers, [JSON, NDJSON, CSV]) {
        NDJSON => Format::Ndjson,
        CSV => Format::Csv,
        _ => Format::Json,
    }
}

/// An item by id or alias.
pub(crate) async fn detail(request: &ApiRequest, kind: Kind) -> Result<Response, Problem> {
    let spelling = request.tail(kind.path_segment());
    let params = request.params(DetailQuery::names(kind));
    let query = DetailQuery::parse(&params)?;
    let (ordinal, alias) = request.item(kind, &spelling)?;
    if query.fresh_only
        && let Some(reason) = request.snapshot.evidence_of(ordinal).stale_reason
    {
        return Err(Problem::only_stale(kind, &spelling, reason));
    }
    if let Some(response) = full_texts::negotiated(request, kind, ordinal).await? {
        return Ok(response);
    }
    let has_text = answer::body_key(kind).is_some() && request.snapshot.body(ordinal).is_some();
    let body = if has_text { full_texts::markdown_of(&request.state, &request.snapshot, ordinal).await? } else { None };
    let extras = DetailExtras { query, resolved_from: alias, body: body.as_deref(), warnings: &params.warnings };
    let detail = || Bytes::from(answer::detail(&request.snapshot, ordinal, &extras));
    let respond = request.respond();
    if has_text && body.is_none() {
        respond.incomplete(JSON, vec![detail()])
    } else if alias.is_none() && request.uri.query().is_none() {
        respond.detail(answer::body_key(kind).is_some(), detail)
    } else {
        respond.data(JSON, || vec![detail()])
    }
}
