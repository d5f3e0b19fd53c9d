//! Fuzz targets for what is read back from a disk: the catalog's segments, an archive, and the records behind evidence.

use std::collections::BTreeMap;
use std::io::Cursor;

use refdesk_catalog::segment::{Extent, Segment, SegmentInput, Texts};
use refdesk_core::{Kind, Stamp};
use refdesk_ingest::archive::{self, ExportOptions};
use refdesk_ingest::config::SourceConfig;
use refdesk_ingest::connectors::{REGISTRY, StoredKey, Target};
use refdesk_ingest::store::Accept;
use refdesk_ingest::sync::{Engine, EngineOptions};
use refdesk_ingest::{Store, generation};

use super::{files, fuzz, runtime};

const NOW: Stamp = Stamp(1_790_000_000);

/// A store with a few facts: a segment and an archive of it are within the longest input.
async fn filled() -> (Store, Vec<SourceConfig>) {
    let folder = tempfile::tempdir().unwrap().keep();
    for (name, text) in [
        (
            "lamp.yaml",
            "kind: tool\nid: lamp\ndisplay_name: Lamp\nsource_url: https://lamp.example/\ncategory: test\ndescription: Gives light.\n",
        ),
        (
            "guide.md",
            "---\nkind: document\nid: guide\ntitle: Guide\nsource_url: https://lamp.example/guide\n---\n# Guide\n\nTrim the wick.\n",
        ),
    ] {
        std::fs::write(folder.join(name), text).unwrap();
    }
    let sources = vec![SourceConfig::new("mine", "cards", folder.display().to_string())];
    let store = Store::open_in_memory().await.unwrap();
    let engine = Engine::new(store.clone(), sources.clone(), EngineOptions::default()).unwrap();
    engine.sync_source("mine", &Accept::Any).await.unwrap();
    (store, sources)
}

#[test]
fn segments() {
    let (seed, times) = runtime().block_on(async {
        let (store, sources) = filled().await;
        let generation::Loaded { facts, sources } = generation::load(&store, &sources, NOW).await.unwrap();
        let (kind, facts, sources) = (Kind::Tool, &facts[..], &sources[..]);
        let segment =
            Segment::build(SegmentInput { kind, facts: facts.into(), sources, now: NOW, before: None, texts: None });
        let mut bytes = Vec::new();
        segment.write(&mut bytes).unwrap();
        (bytes, segment.times().clone())
    });
    let whole = seed.clone();
    let findings = fuzz("segment", &[seed], |input, _| {
        let read = Segment::read(Cursor::new(input), Kind::Tool, (&times, NOW), Extent::Whole, |_, _| {
            Ok(None::<std::sync::Arc<dyn Texts>>)
        });
        // Nothing of a damaged segment is ever taken for content: what is read is what was written.
        if let Ok(segment) = read {
            assert!(input.starts_with(&whole[..whole.len().min(input.len())]));
            assert!(!segment.is_empty());
        }
    });
    assert_eq!(findings, 0);
}

#[test]
fn archives() {
    let runtime = runtime();
    let seed = runtime.block_on(async {
        let (store, _) = filled().await;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("archive");
        let file = std::fs::File::create(&path).unwrap();
        archive::export(&store, &[], file, NOW, ExportOptions::default()).await.unwrap();
        std::fs::read(&path).unwrap()
    });
    let whole = seed.clone();
    let other = runtime.block_on(Store::open_in_memory()).unwrap();
    let findings = fuzz("archive", &[seed], |input, _| {
        let imported = runtime.block_on(archive::import(&other, Cursor::new(input.to_vec())));
        assert!(imported.is_err() || input == whole, "another archive was imported");
    });
    assert_eq!(findings, 0);
}

/// What `verify` does with a record that is not what its source wrote.
#[test]
fn records_read_again() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../ingest/fixtures");
    let mut all = BTreeMap::new();
    files(&root, &root, &mut all);
    let seeds: Vec<Vec<u8>> = all.into_values().filter(|bytes| bytes.len() < 64 * 1024).collect();
    let url = url::Url::parse("https://api.example/v1/data.json").unwrap();
    let target = Target { source_id: "fuzz".into(), url, options: BTreeMap::new(), serve_restricted: false };
    let keys = ["lamp", "vendor/model", "docs/a.md", "a/SKILL.md", "io.github.x/y", ""];
    let findings = fuzz("records", &seeds, |input, random| {
        let connector = *random.pick(REGISTRY);
        let stored = StoredKey { kind: *random.pick(&Kind::ALL), key: keys[random.below(keys.len())] };
        if let Err(reason) = (connector.reread)(&target, stored, input) {
            assert!(!reason.is_empty(), "{}: an error says what is wrong", connector.name);
        }
    });
    assert_eq!(findings, 0);
}
