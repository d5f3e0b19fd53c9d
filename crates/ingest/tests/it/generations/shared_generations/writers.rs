//! Several writers of manifests: whichever comes last and whatever its clock says, the segment store names the newest generation last, and each
//! manifest has the bytes that its name states.

use refdesk_core::hash;
use refdesk_ingest::generation::GenerationError;

use super::*;

/// The manifests in the segment store, oldest first by their names.
fn manifests(desks: &Desks) -> Vec<PathBuf> {
    let files = std::fs::read_dir(desks.segments()).unwrap().map(|file| file.unwrap().path());
    let mut manifests: Vec<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|it| it == "manifest")).collect();
    manifests.sort();
    manifests
}

/// What a node begins with that has nothing and no database.
async fn begun(desks: &Desks, name: &str) -> String {
    let node = desks.node(name, &desks.segments().display().to_string());
    node.newest_in_segment_store().await.unwrap().unwrap().revision().to_owned()
}

/// Before, a node that started without the database began with what the node whose clock was ahead had told before the newest.
#[tokio::test]
async fn the_newest_manifest_is_the_last_whatever_the_clocks_of_the_writers_say() {
    let desks = Desks::new().await;
    let (leader, other) = desks.nodes();
    let first = desks.built(None).await;
    leader.tell(Arc::clone(&first), Vec::new()).await.unwrap();
    // As a leader whose clock is ten minutes ahead had told it.
    let told = leader.newest().await.unwrap().unwrap();
    let ahead = clock::now().plus_secs(600);
    let text = serde_json::to_string(&told.manifest).unwrap();
    desks.store.put_generation(first.revision(), &text, ahead).await.unwrap();
    let copy = manifests(&desks).remove(0);
    let (_, hash) = copy.file_stem().unwrap().to_str().unwrap().rsplit_once('-').unwrap();
    std::fs::rename(&copy, desks.segments().join(format!("{:012}-{:012}-{hash}.manifest", ahead.0, told.id + 1)))
        .unwrap();
    desks.card("tool", "wick").await;
    let second = desks.built(None).await;
    other.tell(Arc::clone(&second), Vec::new()).await.unwrap();
    assert_eq!(begun(&desks, "new").await, second.revision());
    // It stays so when the generation that was told too early is known by its manifest alone.
    desks.store.delete_generations_until(told.id + 1).await.unwrap();
    desks.card("tool", "oil").await;
    let third = desks.built(None).await;
    leader.tell(Arc::clone(&third), Vec::new()).await.unwrap();
    assert_eq!(begun(&desks, "newer").await, third.revision());
}

/// Before, a manifest was copied of the folder, where that of another writer could stand by then: its bytes were not what its name stated.
#[tokio::test(flavor = "multi_thread")]
async fn two_writers_of_one_data_directory_lose_no_manifest() {
    let desks = Desks::new().await;
    let shared = desks.segments().display().to_string();
    let mut writers = Vec::new();
    for id in ["a", "b"] {
        desks.card("tool", id).await;
        writers.push((desks.node("node", &shared), desks.built(None).await));
    }
    let telling = writers.into_iter().map(|(node, snapshot)| {
        tokio::spawn(async move {
            let mut told = Vec::new();
            while told.len() < 20 {
                match node.tell(Arc::clone(&snapshot), Vec::new()).await {
                    Ok(id) => told.push((id, snapshot.revision().to_owned())),
                    // The other writes just now, or has just deleted what no manifest of the folder named: it is told again.
                    Err(GenerationError::FolderBusy | GenerationError::Segments(_) | GenerationError::Unwritten(_)) => {
                    }
                    Err(error) => panic!("{error}"),
                }
            }
            told
        })
    });
    let mut told = Vec::new();
    for writer in telling.collect::<Vec<_>>() {
        told.extend(writer.await.unwrap());
    }
    let manifests = manifests(&desks);
    assert_eq!(manifests.len(), told.len());
    for path in &manifests {
        let (_, stated) = path.file_stem().unwrap().to_str().unwrap().rsplit_once('-').unwrap();
        assert_eq!(hash::hex(&hash::sha256(&std::fs::read(path).unwrap())), stated, "{path:?}");
    }
    told.sort();
    assert_eq!(begun(&desks, "new").await, told.last().unwrap().1);
}
