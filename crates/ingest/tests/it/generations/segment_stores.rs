//! Places for segment files: which settings name one, and a directory that several processes write to.

use std::io::Write as _;
use std::time::{Duration, SystemTime};

use refdesk_ingest::segment_store::{SegmentStore, SegmentStoreError};
use refdesk_ingest::store::Store;

/// In containers every writer has the same process id: before, two of them wrote into one unfinished file, and what the one published the
/// other still wrote to.
#[tokio::test]
async fn two_writers_of_a_directory_never_write_into_one_file_and_old_leftovers_are_deleted() {
    let folder = tempfile::tempdir().unwrap();
    let [segments, file] = ["segments", "tools-1.segment"].map(|name| folder.path().join(name));
    std::fs::create_dir(&segments).unwrap();
    std::fs::write(&file, "the whole segment").unwrap();
    let other_writer = format!("tools-1.segment.{}.new", std::process::id());
    let mut other = std::fs::File::create(segments.join(&other_writer)).unwrap();
    let old = std::fs::File::create(segments.join("tools-0.segment.1.new")).unwrap();
    old.set_modified(SystemTime::now() - Duration::from_hours(25)).unwrap();

    let store = SegmentStore::open(segments.to_str().unwrap(), &Store::open_in_memory().await.unwrap()).unwrap();
    store.put("tools-1.segment", &file).await.unwrap();
    other.write_all(b"half of it").unwrap();
    assert_eq!(std::fs::read_to_string(segments.join("tools-1.segment")).unwrap(), "the whole segment");
    assert_eq!(std::fs::read_to_string(segments.join(&other_writer)).unwrap(), "half of it", "it may go on");
    let mut left: Vec<_> = std::fs::read_dir(&segments).unwrap().map(|file| file.unwrap().file_name()).collect();
    left.sort();
    assert_eq!(left, ["tools-1.segment", other_writer.as_str()], "what was left for a day is gone");
}

#[test]
fn a_segment_store_that_cannot_be_is_refused_with_what_to_write() {
    let refused = |setting: &str| {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let store = runtime.block_on(Store::open(&folder.path().join("s.sqlite3"))).unwrap();
        match SegmentStore::open(setting, &store) {
            Err(error @ SegmentStoreError::Setting(_)) => error.to_string(),
            other => panic!("{other:?}"),
        }
    };
    assert!(refused("postgres").contains("needs database_url"));
    assert!(refused("ftp://example.org/x").contains("s3://BUCKET/FOLDER"));
    assert!(refused("s3:/bucket/x").contains("s3://BUCKET/FOLDER"), "before, it was a directory of each node");
    assert!(refused("s3://key:secret@bucket/x").contains("AWS_"), "keys are not part of a setting");
    assert!(!refused("s3://key:secret@bucket/x").contains("secret"));
}

/// In a process that has fetched nothing yet, as a node's is.
#[tokio::test]
async fn object_stores_of_each_provider_are_opened() {
    let store = Store::open_in_memory().await.unwrap();
    for setting in ["s3://bucket/desk", "gs://bucket/desk"] {
        let opened = SegmentStore::open(setting, &store);
        assert!(matches!(opened, Ok(SegmentStore::Objects(_))), "{setting}: {opened:?}");
    }
}
