//! The operator's sentence-embedding model with the vectors of each generation, and a cache of query vectors.
//!
//! The binary computes the vectors of the catalog; hybrid requests compare a query's vector with them. Encoding is CPU work of
//! milliseconds, so it runs on blocking threads, a bounded number at a time.

use std::sync::Arc;

use arc_swap::ArcSwap;
use quick_cache::sync::Cache;
use refdesk_core::parallel::cores;
use refdesk_embed::{self, Code, Encoder, Matrix};
use tokio::sync::Semaphore;
use tokio::task::JoinError;

use super::worker_pool::joined;

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
    query_vectors: Cache<String, Arc<Code>>,
    /// A permit for each encoding that may run at once.
    encodings: Semaphore,
}

impl Semantic {
    /// A model without vectors yet. The name is shown in `/health`.
    pub fn new(name: impl Into<String>, encoder: Arc<Encoder>) -> Self {
        Self {
            name: name.into(),
            encoder,
            generations: ArcSwap::from_pointee(Vec::new()),
            query_vectors: query_vector_cache(),
            encodings: Semaphore::new(cores()),
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

    /// The query's vector, from the cache or computed as soon as a permit is free, once for all that wait for it.
    ///
    /// # Errors
    /// When the runtime ended.
    pub(crate) async fn query_vector(&self, query: &str) -> Result<Arc<Code>, JoinError> {
        let encoded = async {
            // The semaphore is never closed.
            let _permit = self.encodings.acquire().await;
            let (encoder, text) = (Arc::clone(&self.encoder), query.to_owned());
            tokio::task::spawn_blocking(move || Arc::new(encoder.code(&text))).await
        };
        joined(self.query_vectors.get_or_insert_async(query, encoded).await)
    }
}

/// A cache of the vectors of queries. Those that were not asked for again make room.
fn query_vector_cache() -> Cache<String, Arc<Code>> {
    Cache::new(QUERY_VECTORS_MAX)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use refdesk_embed::Code;

    use super::{QUERY_VECTORS_MAX, query_vector_cache};

    #[test]
    fn of_too_many_questions_only_so_many_are_kept() {
        let (cache, code) = (query_vector_cache(), Arc::new(Code::quantize(&[1.0, 0.0])));
        for n in 0..2 * QUERY_VECTORS_MAX {
            cache.insert(format!("question {n}"), Arc::clone(&code));
        }
        assert!((QUERY_VECTORS_MAX / 2..=QUERY_VECTORS_MAX).contains(&cache.len()), "{}", cache.len());
    }
}
