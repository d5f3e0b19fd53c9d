//! Evidence: the record of a fact's origin, and the very bytes that hash to its `content_hash`, so that anyone can recompute it.
//!
//! An upstream wrote those bytes, so browsers are told to save them as a file and to run none of them. A record that must not be passed on
//! is a 404 that says why; the flag is stored beside the fact.

use axum::response::Response;
use bytes::Bytes;
use http::{HeaderValue, header};
use refdesk_catalog::answer;
use refdesk_core::fact::{HashBasis, RecordWithheld};

use super::catalog::tell_ignored;
use super::full_texts;
use crate::http::problem::{Problem, ProblemCode};
use crate::http::request::ApiRequest;
use crate::negotiation::JSON;
use crate::state::RecordRead;

const BYTES_MEDIA_TYPE: &str = "application/octet-stream";
/// Content security policy of a record: a browser that shows it runs, loads and frames nothing.
const RECORD_POLICY: &str = "sandbox; default-src 'none'; frame-ancestors 'none'";

/// Get an evidence record by its key.
#[utoipa::path(
    get, path = "/v1/evidence/{key}", tag = "evidence",
    params(("key" = String, Path, description = "`evidence_key` of a row.")),
    responses(
        (status = 200, description = "The record.", body = super::schema::Evidence),
        (status = 404, description = "No such key.", body = super::schema::ProblemDocument, content_type = "application/problem+json"),
        super::schema::CommonErrors,
    )
)]
pub async fn get_evidence(request: ApiRequest) -> Result<Response, Problem> {
    let key = request.tail("evidence");
    let Some(record) = answer::evidence(&request.snapshot, &key) else {
        return Err(Problem::evidence_not_found(&key));
    };
    let mut response = request.respond().data(JSON, || vec![Bytes::from(record)])?;
    tell_ignored(&mut response, &request)?;
    Ok(response)
}

/// Get the record behind an evidence key: the exact bytes that hash to its `content_hash`.
#[utoipa::path(
    get, path = "/v1/evidence/{key}/record", tag = "evidence",
    params(("key" = String, Path, description = "`evidence_key` of a row.")),
    responses(
        (status = 200, description = "The bytes whose SHA-256 is `content_hash`: the raw bytes of a page or file, or the RFC 8785 canonical JSON of a record. The entity tag is the hash.", body = String, content_type = "application/octet-stream"),
        (status = 404, description = "No such key (`not_found`), or a record that may not be given out (`record_withheld`).", body = super::schema::ProblemDocument, content_type = "application/problem+json"),
        super::schema::CommonErrors,
    )
)]
pub async fn get_record(request: ApiRequest) -> Result<Response, Problem> {
    let tail = request.tail("evidence");
    let key = tail.strip_suffix("/record").unwrap_or(&tail);
    let Some(evidence) = request.snapshot.evidence(key) else { return Err(Problem::evidence_not_found(key)) };
    let (row, evidence_key) = (evidence.row, evidence.key);
    match request.state.store.record(row, evidence_key).await.map_err(full_texts::unavailable)? {
        RecordRead::Found { bytes, basis, content_hash } => {
            let (media, ending) = match basis {
                HashBasis::Record => (JSON, "json"),
                HashBasis::Bytes => (BYTES_MEDIA_TYPE, "bin"),
            };
            let mut response = request.respond().content(media, &content_hash, bytes)?;
            let headers = response.headers_mut();
            let name = format!("attachment; filename=\"{evidence_key}.{ending}\"");
            let name = HeaderValue::try_from(name).map_err(|error| Problem::internal().because(error.to_string()))?;
            headers.insert(header::CONTENT_DISPOSITION, name);
            headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(RECORD_POLICY));
            tell_ignored(&mut response, &request)?;
            Ok(response)
        }
        RecordRead::Withheld(reason) => Err(Problem::record_withheld(reason)),
        // The store is ahead of this generation for a moment, or the fact was imported without its record.
        RecordRead::Gone => Err(Problem::document_store_unavailable().because("the store has no such record any more")),
    }
}

impl Problem {
    /// 404 for an unknown evidence key.
    pub fn evidence_not_found(key: &str) -> Self {
        let shown = refdesk_core::clean::excerpt(key, 100);
        let detail = format!("No evidence record has the key {shown:?}.");
        Self::new(ProblemCode::NotFound, "evidence not found", detail)
            .hint("Keys are in evidence_key of rows and in evidence.key of details.")
    }

    /// 404 for a record or raw text that the desk must not pass on.
    pub fn record_withheld(reason: RecordWithheld) -> Self {
        let detail = match reason {
            RecordWithheld::Licence => {
                "The item's own license does not allow this desk to pass its text on, or could not be read. Its hash and evidence stay."
            }
            RecordWithheld::Secret => "The record holds a literal secret. Its hash and evidence stay.",
        };
        Self::new(ProblemCode::RecordWithheld, "record withheld", detail)
            .with("reason", reason.as_str())
            .hint("Read it at source_url of the evidence record.")
    }
}
