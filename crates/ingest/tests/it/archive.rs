//! Archives: what is exported is imported, fact by fact and byte by byte, or not at all. And verification of what is stored.

use std::io::Write;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::support::{commit, document, model, run, tool};
use refdesk_core::fact::RecordWithheld;
use refdesk_core::{Body, Kind, Reject, Stamp};
use refdesk_ingest::SourceConfig;
use refdesk_ingest::archive::{ArchiveError, ExportOptions, export, import};
use refdesk_ingest::generation::{SourceStates, changes_since};
use refdesk_ingest::keys::{self, KeyError};
use refdesk_ingest::store::{Effect, Patience, RunOutcome, SourceState, Store, SyncNote};
use refdesk_ingest::verify::{Readers, Scope, verify};

/// A file in memory that can be looked at after the writer is gone.
#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

async fn filled() -> Store {
    let store = Store::open_in_memory().await.unwrap();
    let mut first =
        commit("s", Stamp(100), vec![model("a", "1"), model("gone", "2"), document("d.md", &"text\r\n".repeat(500))]);
    first.rejects = vec![Reject::new("bad", "no number", "{\"x\": \u{0}}")];
    store.commit_sync(&first).await.unwrap();
    let many = (0..600).map(|n| tool(&format!("t{n}"), Body::Markdown(format!("# body {n}")))).collect();
    store.commit_sync(&commit("many", Stamp(100), many)).await.unwrap();
    let mut second = commit("s", Stamp(200), vec![model("a", "3"), document("d.md", &"text\r\n".repeat(500))]);
    second.rejects = first.rejects;
    store.commit_sync(&second).await.unwrap();
    let state = SourceState { consecutive_failures: 3, ..SourceState::default() };
    let failed = SyncNote {
        source_id: "down".into(),
        state,
        run: run("down", Stamp(300), RunOutcome::Failed),
        effect: Effect::None,
    };
    store.note_sync(&failed).await.unwrap();
    store
}

/// Which run changed the facts of a kind is said of one store: in another, or after the import, it would hide that they are others.
#[tokio::test]
async fn an_archive_does_not_say_which_run_of_its_store_changed_facts() {
    let store = filled().await;
    assert!(!store.source_state("s").await.unwrap().changed.is_empty());
    let file = Shared::default();
    export(&store, &[], file.clone(), Stamp(400), ExportOptions::default()).await.unwrap();
    let before: SourceStates = store.source_states().await.unwrap();
    let archive = file.0.lock().unwrap().clone();
    import(&store, std::io::Cursor::new(archive)).await.unwrap();
    assert!(store.source_state("s").await.unwrap().changed.is_empty());
    let after = store.source_states().await.unwrap();
    let changes = changes_since(&before, &after).unwrap();
    assert_eq!((changes.kinds, changes.unmarked), (vec![], vec!["many".to_owned(), "s".to_owned()]));
}

/// Every bit of an archive that is turned makes another file of it, and none of them is taken for the archive.
#[tokio::test]
async fn every_single_bit_that_is_turned_is_refused_and_leaves_the_store_as_it_was() {
    let store = Store::open_in_memory().await.unwrap();
    let facts = vec![model("a", "1"), document("d.md", "# Title\n"), tool("t", Body::Markdown("body".into()))];
    store.commit_sync(&commit("s", Stamp(100), facts)).await.unwrap();
    let file = Shared::default();
    export(&store, &[], file.clone(), Stamp(400), ExportOptions::default()).await.unwrap();
    let archive = file.0.lock().unwrap().clone();
    let other = Store::open_in_memory().await.unwrap();
    // All bits of the ends, where the frames are, and some of every byte between.
    let bits = (0..archive.len() * 8).filter(|bit| {
        let byte = bit / 8;
        byte < 32 || byte + 160 > archive.len() || bit % 8 == byte % 8
    });
    for bit in bits {
        let mut turned = archive.clone();
        turned[bit / 8] ^= 1 << (bit % 8);
        let refused = import(&other, std::io::Cursor::new(turned)).await;
        assert!(
            matches!(refused, Err(ArchiveError::Damaged(_) | ArchiveError::Newer { .. })),
            "bit {bit}: {refused:?}"
        );
    }
    for length in 0..archive.len() {
        let cut = import(&other, std::io::Cursor::new(archive[..length].to_vec())).await;
        assert!(matches!(cut, Err(ArchiveError::Damaged(_))), "{length} bytes: {cut:?}");
    }
    assert_eq!(other.facts(&Kind::ALL).await.unwrap(), []);
    assert_eq!(import(&other, std::io::Cursor::new(archive)).await.unwrap().facts, 3);
}

#[tokio::test]
async fn verify_sees_a_statement_that_was_changed_in_the_store_whether_its_record_can_be_read_or_not() {
    let path = tempfile::tempdir().unwrap().keep().join("s.sqlite3");
    let store = Store::open(&path).await.unwrap();
    store
        .commit_sync(&commit("s", Stamp(100), vec![model("a", "1"), tool("t", Body::Markdown("body".into()))]))
        .await
        .unwrap();
    let differences = async || verify(&store, &Readers::default(), Scope::All).await.unwrap().differences;
    assert_eq!(differences().await, []);
    for (change, back) in [
        ("UPDATE facts SET source_url = source_url || 'x'", "UPDATE facts SET source_url = rtrim(source_url, 'x')"),
        (
            "UPDATE facts SET fields = replace(fields, '1', '7') WHERE key = 'a'",
            "UPDATE facts SET fields = replace(fields, '7', '1')",
        ),
        ("UPDATE standings SET checked_on = 7", "UPDATE standings SET checked_on = NULL"),
    ] {
        let mut other =
            sqlx::ConnectOptions::connect(&sqlx::sqlite::SqliteConnectOptions::new().filename(&path)).await.unwrap();
        sqlx::query(change).execute(&mut other).await.unwrap();
        let found = differences().await;
        assert!(!found.is_empty() && found[0].reason.contains("changed by something else"), "{change}: {found:?}");
        sqlx::query(back).execute(&mut other).await.unwrap();
        assert_eq!(differences().await, [], "{back}");
    }
}

async fn exported(store: &Store, sources: &[SourceConfig]) -> Vec<u8> {
    let file = Shared::default();
    let summary = export(store, sources, file.clone(), Stamp(400), ExportOptions::default()).await.unwrap();
    assert_eq!((summary.sources, summary.facts), (3, 603));
    file.0.lock().unwrap().clone()
}

#[tokio::test]
async fn an_import_has_every_fact_record_body_reject_run_and_state_of_the_export() {
    let store = filled().await;
    let archive = exported(&store, &[]).await;
    let other = Store::open_in_memory().await.unwrap();
    let summary = import(&other, std::io::Cursor::new(archive)).await.unwrap();
    assert_eq!(summary.facts, 603);

    let facts = store.facts(&Kind::ALL).await.unwrap();
    assert_eq!(facts, other.facts(&Kind::ALL).await.unwrap());
    for fact in &facts {
        let record = async |store: &Store| store.record(&fact.source_id, fact.kind, &fact.key).await.unwrap().unwrap();
        assert_eq!(record(&store).await, record(&other).await);
        let body = async |store: &Store| store.body(&fact.source_id, fact.kind, &fact.key).await.unwrap();
        assert_eq!(body(&store).await, body(&other).await);
    }
    let mut states = store.source_states().await.unwrap();
    states.iter_mut().for_each(|(_, state)| state.changed.clear());
    assert_eq!(states, other.source_states().await.unwrap());
    for source in ["s", "many", "down"] {
        assert_eq!(store.rejects(source).await.unwrap(), other.rejects(source).await.unwrap());
        assert_eq!(store.runs(source, 100).await.unwrap(), other.runs(source, 100).await.unwrap());
        assert_eq!(store.validators(source).await.unwrap(), other.validators(source).await.unwrap());
    }
    assert!(verify(&other, &Readers::default(), Scope::All).await.unwrap().differences.is_empty());
}

#[tokio::test]
async fn importing_twice_is_importing_once_and_other_sources_stay() {
    let archive = exported(&filled().await, &[]).await;
    let other = Store::open_in_memory().await.unwrap();
    other.commit_sync(&commit("own", Stamp(1), vec![model("mine", "1")])).await.unwrap();
    other.commit_sync(&commit("s", Stamp(1), vec![model("older", "1")])).await.unwrap();
    import(&other, std::io::Cursor::new(archive.clone())).await.unwrap();
    let once = other.facts(&Kind::ALL).await.unwrap();
    import(&other, std::io::Cursor::new(archive)).await.unwrap();
    assert_eq!(other.facts(&Kind::ALL).await.unwrap(), once);
    assert_eq!(once.len(), 604);
    assert!(once.iter().any(|fact| fact.key == "mine") && !once.iter().any(|fact| fact.key == "older"));
}

/// An archive of which nothing comes yet.
struct Awaited(std::sync::mpsc::Receiver<()>);

impl std::io::Read for Awaited {
    fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
        // Until its sender is gone.
        let _ = self.0.recv();
        Ok(0)
    }
}

/// Before, `refdesk import -` locked the store until its archive had come, and a key could not be revoked meanwhile.
#[tokio::test]
async fn an_archive_that_is_waited_for_keeps_nobody_from_writing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.sqlite3");
    let hurried = Patience { busy_timeout: Duration::from_millis(200), ..Patience::default() };
    let (store, other) = (Store::open(&path).await.unwrap(), Store::open_with(&path, hurried).await.unwrap());
    let (sender, awaited) = std::sync::mpsc::channel();
    let importing = tokio::spawn(async move { import(&store, Awaited(awaited)).await });
    // Long enough for it to begin, were it to.
    tokio::time::sleep(Duration::from_millis(500)).await;
    other.set_meta("name", "value").await.unwrap();
    drop(sender);
    assert!(matches!(importing.await.unwrap(), Err(ArchiveError::Damaged(_))));
}

#[tokio::test]
async fn an_imported_source_that_is_not_configured_here_is_shown_with_its_licence() {
    let mut config = SourceConfig::new("s", "toy", "https://e.example/");
    config.license = Some("CC0-1.0".into());
    let archive = exported(&filled().await, &[config.clone()]).await;
    let other = Store::open_in_memory().await.unwrap();
    import(&other, std::io::Cursor::new(archive)).await.unwrap();
    let catalog = refdesk_ingest::generation::load(&other, &[], Stamp(1_790_000_000)).await.unwrap();
    assert_eq!(catalog.sources, [config.info()]);
    assert_eq!(catalog.facts.len(), 3, "the two other sources came without a description and are not shown");
    let catalog = refdesk_ingest::generation::load(&filled().await, &[], Stamp(1_790_000_000)).await.unwrap();
    assert!(catalog.facts.is_empty(), "what was synced here and is no longer configured is not shown");
}

#[tokio::test]
async fn a_damaged_a_cut_off_and_a_newer_archive_change_nothing() {
    let archive = exported(&filled().await, &[]).await;
    let plain = zstd::decode_all(&archive[..]).unwrap();
    let packed = |plain: &[u8]| zstd::encode_all(plain, 1).unwrap();
    let newer = {
        let text = String::from_utf8_lossy(&plain[..2_000]).into_owned();
        let at = text.find("\"version\":3").unwrap() + "\"version\":".len();
        let mut newer = plain.clone();
        newer[at] = b'9';
        packed(&newer)
    };
    let forged = {
        let at = plain.windows(8).position(|bytes| bytes == b"text\r\nte").unwrap();
        let mut forged = plain.clone();
        forged[at] = b'T';
        packed(&forged)
    };
    let half = packed(&plain[..plain.len() / 2]);
    let bad = [b"no archive".to_vec(), Vec::new(), archive[..archive.len() / 2].to_vec(), half, forged, newer];
    for (position, bytes) in bad.into_iter().enumerate() {
        let other = Store::open_in_memory().await.unwrap();
        other.commit_sync(&commit("s", Stamp(1), vec![model("older", "1")])).await.unwrap();
        let before = other.facts(&Kind::ALL).await.unwrap();
        let error = import(&other, std::io::Cursor::new(bytes)).await.unwrap_err();
        assert_eq!(matches!(error, ArchiveError::Newer { found: 9 }), position == 5, "{position}: {error}");
        assert!(error.to_string().contains("nothing was imported"), "{error}");
        assert_eq!(other.facts(&Kind::ALL).await.unwrap(), before);
    }
}

#[tokio::test]
async fn verification_recomputes_every_hash_and_reports_each_difference() {
    let store = filled().await;
    let all = verify(&store, &Readers::default(), Scope::All).await.unwrap();
    assert_eq!((all.checked, all.differences.len()), (603, 0));
    let one = Scope::One { kind: Kind::Document, key: "d.md", source_id: "s" };
    assert_eq!(verify(&store, &Readers::default(), one).await.unwrap().checked, 1);
    for (kind, source_id) in [(Kind::Tool, "s"), (Kind::Document, "many")] {
        let none = verify(&store, &Readers::default(), Scope::One { kind, key: "d.md", source_id }).await.unwrap();
        assert_eq!(none.checked, 0, "the key is one of a source and a kind");
    }

    let mut forged = commit("forged", Stamp(1), vec![document("x.md", "was this"), model("m", "1")]);
    forged.facts[0].row.content_hash = "sha256:0".into();
    forged.facts[1].contents.record = refdesk_ingest::store::pack::Packer::new().pack(b"{\"b\":1, \"a\":2}");
    forged.facts[1].row.content_hash = refdesk_core::hash::content_hash(b"{\"b\":1, \"a\":2}");
    store.commit_sync(&forged).await.unwrap();
    let differences = verify(&store, &Readers::default(), Scope::All).await.unwrap().differences;
    let told: Vec<(&str, bool)> =
        differences.iter().map(|found| (found.key.as_str(), found.reason.contains("canonical"))).collect();
    assert_eq!(told, [("x.md", false), ("m", true)]);
}

/// The store with what one source states of three models, and the connectors that read them again.
async fn rereadable() -> (Store, Readers) {
    let store = Store::open_in_memory().await.unwrap();
    store.commit_sync(&commit("toys", Stamp(1), vec![model("a", "1"), model("b", "2")])).await.unwrap();
    store.commit_sync(&commit("left", Stamp(1), vec![model("c", "3")])).await.unwrap();
    let source = SourceConfig::new("toys", "toy", "https://e.example/");
    (store, Readers::new(&[source], crate::support::find_toy, std::path::Path::new("/")))
}

#[tokio::test]
async fn verification_reads_every_record_again_and_names_each_value_that_it_does_not_say() {
    let (store, readers) = rereadable().await;
    let sound = verify(&store, &readers, Scope::All).await.unwrap();
    assert_eq!((sound.checked, sound.compared, sound.not_compared), (3, 2, 1), "`left` is not configured");
    assert_eq!(sound.differences, []);

    // A store whose facts say more than their records: another price, another name, and a licence that comes from elsewhere.
    let mut wrong = commit("toys", Stamp(2), vec![model("a", "1"), model("b", "2")]);
    let mut fields: serde_json::Map<String, serde_json::Value> =
        serde_json::from_str(&wrong.facts[0].row.fields).unwrap();
    fields.insert("pricing".into(), serde_json::json!({"input": 7, "output": null}));
    fields.insert("license".into(), "MIT".into());
    wrong.facts[0].row.fields = serde_json::to_string(&fields).unwrap();
    wrong.facts[0].row.statement_hash = "other".into();
    wrong.facts[1].row.head = wrong.facts[1].row.head.replace("\"name\":\"b\"", "\"name\":\"B\"");
    wrong.facts[1].row.statement_hash = "another".into();
    store.commit_sync(&wrong).await.unwrap();
    let found = verify(&store, &readers, Scope::All).await.unwrap();
    let told: Vec<_> = found
        .differences
        .iter()
        .map(|d| {
            (
                d.source_id.as_str(),
                d.kind.as_str(),
                d.key.as_str(),
                d.path.as_deref(),
                d.stored.as_str(),
                d.computed.as_str(),
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            ("toys", "model", "a", Some("pricing.input"), "7", "1"),
            ("toys", "model", "b", Some("name"), "\"B\"", "\"b\"")
        ]
    );
}

#[tokio::test]
async fn a_record_that_its_connector_cannot_read_any_more_is_a_difference() {
    let (store, readers) = rereadable().await;
    let mut odd = model("a", "1");
    odd.record = refdesk_core::Record::of_json(&serde_json::json!({"id": "a"})).unwrap();
    store.commit_sync(&commit("toys", Stamp(2), vec![odd])).await.unwrap();
    let found = verify(&store, &readers, Scope::One { kind: Kind::Model, key: "a", source_id: "toys" }).await.unwrap();
    assert_eq!(found.differences.len(), 1);
    assert!(found.differences[0].reason.contains("`input` is not a text"), "{found:?}");
}

/// After an update that reads records otherwise nothing is damaged; a wrong hash is, whoever read the record.
#[tokio::test]
async fn values_that_another_refdesk_read_are_no_damage_and_wrong_hashes_are() {
    let (store, readers) = rereadable().await;
    let mut facts = vec![model("a", "1"), model("b", "2")];
    facts[0].record = refdesk_core::Record::of_json(&serde_json::json!({"id": "a", "input": "7"})).unwrap();
    let mut updated = commit("toys", Stamp(2), facts);
    store.commit_sync(&updated).await.unwrap();
    let found = verify(&store, &readers, Scope::All).await.unwrap();
    assert_eq!((found.differences.len(), found.read_otherwise.len()), (1, 0), "this program read it: {found:?}");

    updated.validators.fingerprint = "fp_0.another".into();
    updated.facts[1].row.statement_hash = "other".into();
    store.commit_sync(&updated).await.unwrap();
    let found = verify(&store, &readers, Scope::All).await.unwrap();
    assert_eq!(found.read_otherwise, std::collections::BTreeMap::from([("toys".to_owned(), 1)]));
    let wrong: Vec<_> = found.differences.iter().map(|wrong| (wrong.key.as_str(), wrong.stored.as_str())).collect();
    assert_eq!((found.compared, wrong), (2, vec![("b", "other")]));
}

#[tokio::test]
async fn numbers_that_canonical_form_writes_otherwise_are_no_differences() {
    const URL: &str = "https://c.example/api/v3/tools";
    const PAGE: &str = r#"{"items": [{"slug": "LAMP_DIM", "name": "Dim", "input_parameters": {"properties": {
        "level": {"minimum": -0.0, "default": 1.0, "maximum": 9223372036854775807}}}}], "next_cursor": null}"#;
    let target = crate::tarball::target(URL, &[]).unwrap();
    let batch = crate::tarball::run("composio", &target, |_| Some(PAGE.into())).unwrap();
    let store = Store::open_in_memory().await.unwrap();
    store.commit_sync(&commit("tools", Stamp(1), batch.facts)).await.unwrap();
    let source = SourceConfig::new("tools", "composio", URL);
    let readers = Readers::new(&[source], refdesk_ingest::connectors::find, std::path::Path::new("/"));
    let found = verify(&store, &readers, Scope::All).await.unwrap();
    assert_eq!((found.compared, found.differences), (1, vec![]));
}

fn withheld_page() -> refdesk_core::Fact {
    let mut page = document("secret.md", "# Ours alone");
    page.provenance.record_withheld = Some(RecordWithheld::Licence);
    page
}

#[tokio::test]
async fn what_may_not_be_given_out_stays_out_of_an_archive_unless_it_is_asked_for() {
    let store = Store::open_in_memory().await.unwrap();
    store.commit_sync(&commit("s", Stamp(1), vec![document("open.md", "# Open"), withheld_page()])).await.unwrap();
    for (with_withheld, left_out) in [(false, 1), (true, 0)] {
        let file = Shared::default();
        let options = ExportOptions { with_withheld };
        let summary = export(&store, &[], file.clone(), Stamp(2), options).await.unwrap();
        assert_eq!((summary.facts, summary.withheld), (2, left_out));
        let archive = file.0.lock().unwrap().clone();
        let plain = zstd::decode_all(&archive[..]).unwrap();
        let has = |text: &str| plain.windows(text.len()).any(|bytes| bytes == text.as_bytes());
        assert!(has("# Open") && has("Ours alone") == with_withheld);

        let other = Store::open_in_memory().await.unwrap();
        assert_eq!(import(&other, std::io::Cursor::new(archive)).await.unwrap(), summary);
        let facts = other.facts(&Kind::ALL).await.unwrap();
        assert_eq!(facts, store.facts(&Kind::ALL).await.unwrap(), "hash and provenance came along");
        assert_eq!(facts[1].provenance.record_withheld, Some(RecordWithheld::Licence));
        let told = verify(&other, &Readers::default(), Scope::All).await.unwrap();
        assert_eq!((told.checked, told.withheld, told.differences.len()), (2 - left_out, left_out, 0));
    }
}

#[tokio::test]
async fn what_may_not_be_given_out_has_no_text_and_a_sync_brings_a_record_that_an_archive_left_out() {
    let store = Store::open_in_memory().await.unwrap();
    store.commit_sync(&commit("s", Stamp(1), vec![withheld_page()])).await.unwrap();
    let fact = store.facts(&Kind::ALL).await.unwrap().remove(0);
    assert!(!fact.has_body && fact.body_text.read().is_empty());
    assert_eq!(fact.body_missing.as_deref(), Some("licence"));
    assert_eq!(store.body("s", Kind::Document, "secret.md").await.unwrap(), None);
    let at = store.record_at(fact.row).await.unwrap().unwrap();
    assert_eq!((at.key.as_str(), at.withheld), ("secret.md", Some(RecordWithheld::Licence)));
    assert_eq!(at.record.unwrap().bytes, b"# Ours alone", "it is kept, for `verify`");

    let file = Shared::default();
    export(&store, &[], file.clone(), Stamp(2), ExportOptions::default()).await.unwrap();
    let archive = file.0.lock().unwrap().clone();
    let other = Store::open_in_memory().await.unwrap();
    import(&other, std::io::Cursor::new(archive)).await.unwrap();
    let row = other.facts(&Kind::ALL).await.unwrap()[0].row;
    assert_eq!(other.record_at(row).await.unwrap().unwrap().record, None);
    let counts = other.commit_sync(&commit("s", Stamp(3), vec![withheld_page()])).await.unwrap();
    assert_eq!(counts.unchanged, 1);
    assert!(other.record_at(row).await.unwrap().unwrap().record.is_some());
}

#[tokio::test]
async fn keys_are_shown_once_listed_without_their_secret_and_revoked_by_any_of_their_names() {
    let store = Store::open_in_memory().await.unwrap();
    let now = Stamp(1_000);
    let (text, record) = keys::create(&store, " agent ", Some(Stamp(2_000)), Some(5), now).await.unwrap();
    assert!(refdesk_core::key::is_well_formed(&text), "{text}");
    assert_eq!((record.name.as_str(), record.limit_per_minute), ("agent", Some(5)));
    assert!(!format!("{:?}", store.keys().await.unwrap()).contains(&text[16..]));
    assert_eq!(store.keys().await.unwrap()[0].fingerprint, refdesk_core::key::fingerprint(&text));
    let (other, second) = keys::create(&store, "other", None, None, now).await.unwrap();
    assert_ne!(text, other);

    let create = async |name: &str, expires| keys::create(&store, name, expires, None, now).await.unwrap_err();
    assert!(matches!(create("agent", None).await, KeyError::NameTaken(_)));
    assert!(matches!(create("  ", None).await, KeyError::Name));
    assert!(matches!(create("late", Some(now)).await, KeyError::Expired));

    assert_eq!(keys::revoke(&store, "agent", Stamp(1_500)).await.unwrap().revoked_at, Some(Stamp(1_500)));
    assert_eq!(keys::revoke(&store, &second.prefix, Stamp(1_600)).await.unwrap().id, second.id);
    assert_eq!(keys::revoke(&store, &record.id, Stamp(1_700)).await.unwrap().revoked_at, Some(Stamp(1_500)));
    assert!(matches!(keys::revoke(&store, "nobody", now).await.unwrap_err(), KeyError::NotFound(_)));
}
