//! The accountant: it tells of what nobody accounted for. That it agrees with the connectors is asserted
//! wherever their tests run a pass (`tarball::run`).

use refdesk_ingest::config::SourceConfig;
use refdesk_ingest::store::{Accept, Store};
use refdesk_ingest::sync::{Engine, EngineOptions, SyncResult};

/// Most parsers keep the last of two equal keys and say nothing.
#[tokio::test]
async fn a_key_that_stands_twice_is_told_and_the_good_facts_are_committed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("prices.json");
    let model = r#"{"litellm_provider": "lamp", "mode": "chat", "input_cost_per_token": 1e-6}"#;
    let engine = |store: Store| {
        let source = SourceConfig::new("prices", "litellm", path.to_str().unwrap());
        Engine::new(store, vec![source], EngineOptions::default()).unwrap()
    };
    let store = Store::open_in_memory().await.unwrap();
    std::fs::write(&path, format!(r#"{{"sample_spec": {{}}, "a": {model}, "b": {model}, "a": {model}}}"#)).unwrap();
    let report = engine(store.clone()).sync_source("prices", &Accept::No).await.unwrap();
    assert_eq!(report.result, SyncResult::Updated);
    assert_eq!((report.counts.facts, report.counts.ignored, report.counts.uncounted), (2, 1, 0));
    let rejects = store.rejects("prices").await.unwrap();
    assert_eq!(rejects.len(), 1);
    assert_eq!(
        (rejects[0].key.as_str(), rejects[0].reason.as_str()),
        ("a", "the key appears twice in the file; the first entry counts")
    );
    let status = engine(store.clone()).statuses().await.unwrap().remove(0);
    let left_out = store.source_state("prices").await.unwrap().ignored;
    assert_eq!((status.counts.left_out, status.counts.rejects, status.counts.uncounted), (1, 1, 0));
    assert_eq!(left_out.len(), 1, "by name: {left_out:?}");

    std::fs::write(&path, format!(r#"{{"a": {model}, "b": {model}}}"#)).unwrap();
    let report = engine(store).sync_source("prices", &Accept::No).await.unwrap();
    assert_eq!((report.counts.facts, report.counts.uncounted), (2, 0));
}
