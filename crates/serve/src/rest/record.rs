//! `GET /v1/evidence/:key/record`: the very bytes that hash to `content_hash`, so that anyone can recompute it.
//!
//! An upstream wrote them, so browsers are told to keep them as a file and to run nothing of them. A record that may not be given out is
//! a 404 that says why; what decides is the flag that the store keeps beside the fact.

use axum::response::Response;
use http::{HeaderValue, StatusCode, header};
use refdesk_core::fact::{HashBasis, RecordWithheld};

use super::{Call, documents};
use crate::desk::RecordRead;
use crate::problem::{Code, Problem};
use crate::reply::JSON;

const OCTETS: &str = "application/octet-stream";
/// Nothing of a record runs, loads or is framed, wherever a browser shows it.
const RECORD_POLICY: &str = "sandbox; default-src 'none'; frame-ancestors 'none'";

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
pub async fn get_record(call: Call) -> Result<Response, Problem> {
    let tail = call.tail("evidence");
    let key = tail.strip_suffix("/record").unwrap_or(&tail);
    let Some(evidence) = call.snapshot.evidence(key) else { return Err(Problem::evidence_not_found(key)) };
    let (row, evidence_key) = (evidence.row, evidence.key);
    match call.desk.bodies.record(row, evidence_key).await.map_err(documents::unavailable)? {
        RecordRead::Found { bytes, basis, content_hash } => {
            let (media, ending) = match basis {
                HashBasis::Record => (JSON, "json"),
                HashBasis::Bytes => (OCTETS, "bin"),
            };
            let mut response = call.asked().content(media, &content_hash, bytes);
            let headers = response.headers_mut();
            let name = format!("attachment; filename=\"{evidence_key}.{ending}\"");
            headers.extend(HeaderValue::try_from(name).map(|name| (header::CONTENT_DISPOSITION, name)));
            headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(RECORD_POLICY));
            Ok(response)
        }
        RecordRead::Withheld(reason) => Err(Problem::record_withheld(reason)),
        // The store is ahead of this generation for a moment, or an archive came without the record.
        RecordRead::Gone => Err(Problem::document_store_unavailable().because("the store has no such record any more")),
    }
}

impl Problem {
    /// 404 for an evidence key that is none.
    pub fn evidence_not_found(key: &str) -> Self {
        let shown = refdesk_core::clean::excerpt(key, 100);
        let detail = format!("No evidence record has the key {shown:?}.");
        Self::new(StatusCode::NOT_FOUND, Code::NotFound, "evidence not found", detail)
            .hint("Keys stand in evidence_key of rows and in evidence.key of details.")
    }

    /// 404 for a record or raw text that may not be given out.
    pub fn record_withheld(reason: RecordWithheld) -> Self {
        let detail = match reason {
            RecordWithheld::Licence => {
                "The item's own licence does not allow this desk to pass its text on, or could not be read. Its hash and evidence stay."
            }
            RecordWithheld::Secret => "The record holds a literal secret. Its hash and evidence stay.",
        };
        Self::new(StatusCode::NOT_FOUND, Code::RecordWithheld, "record withheld", detail)
            .with("reason", reason.as_str())
            .hint("Read it at source_url of the evidence record.")
    }
}
