//! `GET /v1/evidence/:key/record`: the bytes behind a hash, and those that may not be given out.

use crate::common::{Bench, Mood, targets};
use bytes::Bytes;
use http::StatusCode;
use refdesk_core::Kind;
use refdesk_core::fact::{EvidenceKey, HashBasis, RecordWithheld};
use refdesk_core::hash::content_hash;
use refdesk_serve::state::RecordRead;

fn model_key() -> EvidenceKey {
    EvidenceKey::new("first", Kind::Model, "acme/nova-2")
}

fn with_record(record: RecordRead) -> Bench {
    let bench = Bench::new();
    bench.bodies.records.lock().unwrap().insert(model_key(), record);
    bench
}

#[tokio::test]
async fn a_record_is_the_bytes_that_hash_to_its_entity_tag_and_is_kept_as_a_file() {
    let record = Bytes::from_static(br#"{"id":"nova-2","input":1.5e-7}"#);
    let hash = content_hash(&record);
    let found = RecordRead::Found { bytes: record.clone(), basis: HashBasis::Record, content_hash: hash.clone() };
    let bench = with_record(found);
    let target = format!("/v1/evidence/{}/record", model_key());
    let answer = bench.get(&target).await;
    assert_eq!((answer.status, &answer.body), (StatusCode::OK, &record));
    assert_eq!(content_hash(&answer.body), hash);
    assert_eq!(answer.header("etag"), format!("\"{hash}\""));
    assert_eq!(answer.header("content-type"), "application/json");
    assert_eq!(answer.header("x-content-type-options"), "nosniff");
    let name = format!("attachment; filename=\"{}.json\"", model_key());
    assert_eq!(answer.header("content-disposition"), name);
    assert!(answer.header("content-security-policy").starts_with("sandbox"));
    assert!(answer.header("cache-control").starts_with("public, max-age="));
    let again = bench.get_with(&target, &[("if-none-match", answer.header("etag"))]).await;
    assert_eq!((again.status, again.body.len()), (StatusCode::NOT_MODIFIED, 0));
}

#[tokio::test]
async fn raw_bytes_go_out_as_octets_whatever_they_are() {
    let bench = Bench::new();
    let (_, target) = targets().into_iter().find(|(path, _)| path.ends_with("/record")).unwrap();
    let answer = bench.get(&target).await;
    assert_eq!(answer.header("content-type"), "application/octet-stream");
    assert!(answer.header("content-disposition").ends_with(".bin\""), "{answer:?}");
}

#[tokio::test]
async fn a_withheld_record_is_a_404_with_its_reason_and_so_is_its_raw_text() {
    for (reason, word) in [(RecordWithheld::Licence, "licence"), (RecordWithheld::Secret, "secret")] {
        let bench = with_record(RecordRead::Withheld(reason));
        let problem = bench.get(&format!("/v1/evidence/{}/record", model_key())).await.problem(404, "record_withheld");
        assert_eq!(problem["reason"], word);
        assert_eq!(bench.get(&format!("/v1/evidence/{}", model_key())).await.status, StatusCode::OK, "the hash stays");

        // A document whose body is left out for its licence.
        let bare = bench.desk.snapshot();
        let key = bare.evidence(bench.json("/v1/documents/guide-bare").await["evidence"]["key"].as_str().unwrap());
        bench.bodies.records.lock().unwrap().insert(key.unwrap().key, RecordRead::Withheld(reason));
        let raw = bench.get_with("/v1/documents/guide-bare", &[("accept", "text/markdown")]).await;
        assert_eq!(raw.problem(404, "record_withheld")["reason"], word);
        assert_eq!(bench.json("/v1/documents/guide-bare").await["document"]["body"], serde_json::Value::Null);
    }
}

#[tokio::test]
async fn an_unknown_key_is_a_404_and_a_store_that_fails_a_500() {
    let bench = Bench::new();
    for key in ["ev_0123456789abcdef0123", "nonsense", "%2F", "a/b"] {
        bench.get(&format!("/v1/evidence/{key}/record")).await.problem(404, "not_found");
    }
    bench.get("/v1/evidence//record").await.problem(404, "not_found");
    let (_, target) = targets().into_iter().find(|(path, _)| path.ends_with("/record")).unwrap();
    bench.bodies.set(Mood::Fails);
    bench.get(&target).await.problem(500, "document_store_unavailable");
    bench.get(&format!("/v1/evidence/{}/record", model_key())).await.problem(500, "document_store_unavailable");
}
