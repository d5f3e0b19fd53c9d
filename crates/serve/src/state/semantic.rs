//! The operator's sentence-embedding model with the vectors of each generation, and a cache of query vectors.
//!
//! The binary computes the vectors of the catalog; hybrid requests compare a query's vector with them. Encoding is CPU work of
//! milliseconds, so it runs on blocking threads, a bounded number at a time.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arc_swap::ArcSwap;
use refdesk_embed::{self, Code, Encoder, Matrix};
use tokio::sync::Semaphore;
use tokio::task::JoinError;

use super::worker_pool::joined;

/// What a hybrid question is told where the operator gave no model.
pub const NO_MODEL: &str =
    "no embedding model is set up; the answer is lexical (mode=hybrid needs the setting embedding_model)";
/// Queries whose vectors are cached.
const QUERY_VECTORS_MAX: usize = 1_024;
/// Generations whose vectors are kept: the current one, and the one that running requests may still hold.
const GENERATIONS_MAX: usize = 2;

/// The vectors of one generation's passages.
#[derive(Debug)]
pub struct Vectors {
    /// The snapshot's generation.
    pub generation: u64,
    /// The vectors computed so far.
    pub matrix: Matrix,
    /// How many there will be when all are computed.
    pub wanted: usize,
}

/// An embedding model with the vectors of the catalog.
pub struct Semantic {
    name: String,
    encoder: Arc<Encoder>,
    generations: ArcSwap<Vec<Arc<Vectors>>>,
    query_vectors: Mutex<QueryVectorCache>,
    /// A permit for each encoding that may run at once.
    encodings: Semaphore,
}

impl fmt::Debug for Semantic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Semantic").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Semantic {
    /// A model without vectors yet. The name is shown in `/health`.
    pub fn new(name: impl Into<String>, encoder: Arc<Encoder>) -> Self {
        let encodings = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Self {
            name: name.into(),
            encoder,
            generations: ArcSwap::from_pointee(Vec::new()),
            query_vectors: Mutex::default(),
            encodings: Semaphore::new(encodings),
        }
    }

    /// The model's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The model.
    pub const fn encoder(&self) -> &Arc<Encoder> {
        &self.encoder
    }

    /// Stores the vectors of a generation, replacing earlier ones of it. Call it before the generation is published.
    pub fn put(&self, vectors: Vectors) {
        let vectors = Arc::new(vectors);
        self.generations.rcu(|before| {
            let mut kept: Vec<Arc<Vectors>> =
                before.iter().filter(|one| one.generation != vectors.generation).cloned().collect();
            kept.push(Arc::clone(&vectors));
            kept.sort_by_key(|one| one.generation);
            kept.split_off(kept.len().saturating_sub(GENERATIONS_MAX))
        });
    }

    /// The vectors of a generation.
    pub fn vectors(&self, generation: u64) -> Option<Arc<Vectors>> {
        self.generations.load().iter().find(|one| one.generation == generation).cloned()
    }

    /// The query's vector, from the cache or computed as soon as a permit is free.
    ///
    /// # Errors
    /// When the runtime ended.
    pub(crate) async fn query_vector(&self, query: &str) -> Result<Arc<Code>, JoinError> {
        if let Some(code) = self.cached(query) {
            return Ok(code);
        }
        // The semaphore is never closed.
        let _permit = self.encodings.acquire().await;
        // Another request may have computed it while this one waited.
        if let Some(code) = self.cached(query) {
            return Ok(code);
        }
        let (encoder, text) = (Arc::clone(&self.encoder), query.to_owned());
        let code = Arc::new(joined(tokio::task::spawn_blocking(move || encoder.code(&text)).await)?);
        self.lock().put(query, &code);
        Ok(code)
    }

    fn cached(&self, query: &str) -> Option<Arc<Code>> {
        self.lock().by_query.get(query).cloned()
    }

    fn lock(&self) -> MutexGuard<'_, QueryVectorCache> {
        self.query_vectors.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The vectors of the last queries; the oldest is dropped first.
#[derive(Default)]
struct QueryVectorCache {
    by_query: HashMap<Arc<str>, Arc<Code>>,
    order: VecDeque<Arc<str>>,
}

impl QueryVectorCache {
    fn put(&mut self, query: &str, code: &Arc<Code>) {
        let query: Arc<str> = query.into();
        if self.by_query.insert(Arc::clone(&query), Arc::clone(code)).is_none() {
            self.order.push_back(query);
        }
        while self.order.len() > QUERY_VECTORS_MAX {
            if let Some(oldest) = self.order.pop_front() {
                self.by_query.remove(&oldest);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use refdesk_embed::Code;

    use super::{QUERY_VECTORS_MAX, QueryVectorCache};

    #[test]
    fn of_too_many_questions_the_oldest_are_dropped() {
        let (mut cache, code) = (QueryVectorCache::default(), Arc::new(Code::quantize(&[1.0, 0.0])));
        for n in 0..QUERY_VECTORS_MAX + 3 {
            cache.put(&format!("question {n}"), &code);
        }
        assert_eq!((cache.by_query.len(), cache.order.len()), (QUERY_VECTORS_MAX, QUERY_VECTORS_MAX));
        assert!(!cache.by_query.contains_key("question 2") && cache.by_query.contains_key("question 3"));
    }
}
