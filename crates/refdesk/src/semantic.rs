//! The operator's sentence-embedding model: read from its directory, and the vectors of the catalog, computed once for each text and
//! kept in the store. How questions are answered with them is the job of `refdesk_serve`.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use refdesk_catalog::semantic::{Passage, passages};
use refdesk_catalog::snapshot::Snapshot;
use refdesk_core::parallel::in_parallel;
use refdesk_embed::{Code, Encoder, Matrix, ModelFiles, file};
use refdesk_ingest::files::if_there;
use refdesk_ingest::store::Store;
use refdesk_serve::AppState;
use refdesk_serve::state::semantic::{Semantic, Vectors};

use crate::config::{Config, key};

/// Texts that are encoded between two writes to the store.
const CHUNK: usize = 64;
/// While vectors are being computed, hybrid answers take in new ones this often.
const REALIGN: Duration = Duration::from_secs(15);
/// How often is looked for a new generation.
const WATCH: Duration = Duration::from_secs(2);
/// Wait after the store failed.
const PAUSE: Duration = Duration::from_mins(1);

/// The configured model, if there is one.
///
/// # Errors
/// When the directory is wrong or incomplete; the file is named.
pub async fn open(config: &Config) -> anyhow::Result<Option<Arc<Semantic>>> {
    let Some(dir) = config.get(key::EMBEDDING_MODEL).map(Path::to_owned) else { return Ok(None) };
    let read = tokio::task::spawn_blocking(move || {
        let encoder = read_model(&dir)?;
        let name = dir.canonicalize().ok().and_then(|dir| Some(dir.file_name()?.to_string_lossy().into_owned()));
        anyhow::Ok(Semantic::new(name.unwrap_or_else(|| "model".to_owned()), Arc::new(encoder)))
    });
    Ok(Some(Arc::new(read.await??)))
}

fn read_model(dir: &Path) -> anyhow::Result<Encoder> {
    let optional = |name: &str| {
        if_there(std::fs::read(dir.join(name)))
            .with_context(|| format!("embedding_model: {} cannot be read", dir.join(name).display()))
    };
    let needed = |name: &str| {
        optional(name)?.with_context(|| {
            format!(
                "embedding_model: {} is missing; the directory needs {}, {}, and {} or {}",
                dir.join(name).display(),
                file::CONFIG,
                file::WEIGHTS,
                file::TOKENIZER,
                file::VOCABULARY
            )
        })
    };
    let (config, weights) = (needed(file::CONFIG)?, needed(file::WEIGHTS)?);
    let tokenizer = optional(file::TOKENIZER)?;
    let vocabulary = if tokenizer.is_none() { Some(needed(file::VOCABULARY)?) } else { None };
    let (pooling, sentence) = (optional(file::POOLING)?, optional(file::SENTENCE)?);
    let files = ModelFiles {
        config: &config,
        weights: &weights,
        tokenizer: tokenizer.as_deref(),
        vocabulary: vocabulary.as_deref(),
        pooling: pooling.as_deref(),
        sentence: sentence.as_deref(),
    };
    Encoder::load(&files).map_err(|error| {
        anyhow::anyhow!("embedding_model: {} cannot be used: {}", dir.join(error.file).display(), error.problem)
    })
}

/// The vectors kept of a model, by the key of their passage.
type Kept = HashMap<String, Code>;

/// What the store has of a model. A vector that cannot be read is none: it is computed again.
async fn kept(store: &Store, encoder: &Encoder) -> anyhow::Result<Kept> {
    let kept = store.embeddings(encoder.key()).await?.into_iter();
    Ok(kept.filter_map(|(key, bytes)| Some((key, Code::from_bytes(&bytes, encoder.dimensions())?))).collect())
}

/// Puts the kept vectors into the order of a snapshot.
async fn aligned(snapshot: &Arc<Snapshot>, encoder: &Encoder, kept: Kept) -> anyhow::Result<Vectors> {
    let (snapshot, dimensions) = (Arc::clone(snapshot), encoder.dimensions());
    let align = move || {
        let mut matrix = Matrix::with_capacity(dimensions, kept.len());
        let mut wanted = 0;
        for passage in passages(&snapshot) {
            wanted += 1;
            if let Some(code) = kept.get(&passage.key()) {
                matrix.push(passage.ordinal, passage.role, code);
            }
        }
        Vectors { generation: snapshot.generation(), matrix, wanted }
    };
    Ok(tokio::task::spawn_blocking(align).await?)
}

/// The vectors that the store has for a snapshot.
///
/// # Errors
/// When the store cannot be read.
pub async fn vectors(store: &Store, encoder: &Encoder, snapshot: &Arc<Snapshot>) -> anyhow::Result<Vectors> {
    aligned(snapshot, encoder, kept(store, encoder).await?).await
}

/// Gives the desk the vectors of a snapshot that is about to be published. Without a model, or when the store
/// fails, hybrid requests for it are answered by words alone until [`keep_up`] comes by.
pub async fn before_publishing(store: &Store, desk: &AppState, snapshot: &Arc<Snapshot>) -> anyhow::Result<()> {
    let Some(semantic) = desk.semantic() else { return Ok(()) };
    let kept = kept(store, semantic.encoder()).await.unwrap_or_else(|error| {
        tracing::warn!(%error, "the vectors of texts cannot be read");
        Kept::new()
    });
    semantic.put(aligned(snapshot, semantic.encoder(), kept).await?);
    Ok(())
}

/// Computes the vectors that the store lacks for a snapshot and keeps them, `threads` texts at once. `tell` hears after each chunk
/// how many of how many are done; when it says false, the rest is left.
///
/// # Errors
/// When the store fails.
pub async fn fill(
    store: &Store,
    encoder: &Arc<Encoder>,
    snapshot: &Arc<Snapshot>,
    threads: usize,
    mut tell: impl FnMut(usize, usize) -> bool,
) -> anyhow::Result<usize> {
    let kept: HashSet<String> = kept(store, encoder).await?.into_keys().collect();
    let of = Arc::clone(snapshot);
    let missing = move || {
        let mut seen = kept;
        let mut missing = Vec::new();
        for passage in passages(&of) {
            let key = passage.key();
            if seen.insert(key.clone()) {
                missing.push((key, passage));
            }
        }
        // Neighbours of like length share a batch well.
        missing.sort_by_key(|(_, passage)| passage.text.len());
        missing
    };
    let missing = Arc::new(tokio::task::spawn_blocking(missing).await?);
    let mut done = 0;
    while done < missing.len() {
        let end = missing.len().min(done + CHUNK * threads);
        let (shared, texts) = (Arc::clone(encoder), Arc::clone(&missing));
        let vectors = tokio::task::spawn_blocking(move || encoded(&shared, &texts[done..end], threads)).await?;
        store.put_embeddings(encoder.key(), &vectors).await?;
        done = end;
        if !tell(done, missing.len()) {
            break;
        }
    }
    Ok(done)
}

/// Encodes texts, shared among threads.
fn encoded(encoder: &Encoder, texts: &[(String, Passage)], threads: usize) -> Vec<(String, Vec<u8>)> {
    let of_part = |part: &[(String, Passage)]| -> Vec<(String, Vec<u8>)> {
        let plain: Vec<&str> = part.iter().map(|(_, passage)| passage.text.as_str()).collect();
        let vectors = encoder.encode(&plain);
        part.iter().zip(vectors).map(|((key, _), vector)| (key.clone(), Code::quantize(&vector).to_bytes())).collect()
    };
    let part = texts.len().div_ceil(threads.max(1)).max(1);
    in_parallel(threads.max(1), texts.chunks(part).collect(), of_part).into_iter().flatten().collect()
}

/// Computes missing vectors of whatever generation is published, on one thread beside the server, for as long as it runs. `works` hears
/// when a step begins.
pub async fn keep_up(store: Store, desk: Arc<AppState>, semantic: Arc<Semantic>, works: impl Fn() + Send + Sync) {
    let mut complete = None;
    loop {
        works();
        let snapshot = desk.snapshot();
        if complete == Some(snapshot.generation()) {
            tokio::time::sleep(WATCH).await;
            continue;
        }
        let caught_up = if desk.node.is_follower() {
            take_over(&store, &semantic, &snapshot).await
        } else {
            catch_up(&store, &desk, &semantic, &snapshot, &works).await.map(|()| true)
        };
        match caught_up {
            Ok(true) => complete = Some(snapshot.generation()),
            Ok(false) => tokio::time::sleep(REALIGN).await,
            Err(error) => {
                tracing::warn!(error = %crate::output::told(&error), "vectors of texts could not be computed; refdesk will try again");
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
}

/// Gives the desk the vectors that whoever leads computed so far; whether those are all.
async fn take_over(store: &Store, semantic: &Semantic, snapshot: &Arc<Snapshot>) -> anyhow::Result<bool> {
    let vectors = vectors(store, semantic.encoder(), snapshot).await?;
    let is_complete = vectors.matrix.len() >= vectors.wanted;
    semantic.put(vectors);
    Ok(is_complete)
}

/// Computes the missing vectors of a snapshot, and gives the desk what is there from time to time. Stops when another is published.
async fn catch_up(
    store: &Store,
    desk: &AppState,
    semantic: &Semantic,
    snapshot: &Arc<Snapshot>,
    works: &(impl Fn() + Sync),
) -> anyhow::Result<()> {
    loop {
        let began = std::time::Instant::now();
        let mut left = 0;
        let done = fill(store, semantic.encoder(), snapshot, 1, |done, all| {
            left = all - done;
            works();
            desk.snapshot().generation() == snapshot.generation() && began.elapsed() < REALIGN
        })
        .await?;
        if done > 0 || semantic.vectors(snapshot.generation()).is_none() {
            semantic.put(vectors(store, semantic.encoder(), snapshot).await?);
            tracing::info!(done, left, "computed vectors of texts");
        }
        if left == 0 || desk.snapshot().generation() != snapshot.generation() {
            return Ok(());
        }
    }
}
