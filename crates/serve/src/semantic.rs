//! Hybrid requests: the operator's sentence-embedding model, the vectors of each generation, and questions as vectors.
//!
//! Encoding and scanning are CPU work of milliseconds and run off the async threads, a bounded number at once. Without a model, or
//! without vectors yet, a hybrid request is answered by words alone and says so. Who computes the vectors of the catalog: the binary.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use arc_swap::ArcSwap;
use refdesk_catalog::snapshot::Snapshot;
use refdesk_core::query::{Mode, RouteQuery, SearchQuery};
use refdesk_embed::{self, Code, Encoder, Matrix};
use refdesk_search::CosineSimilarities;
use tokio::sync::Semaphore;

use crate::desk::Desk;

/// Questions whose vectors are kept.
const QUESTIONS_MAX: usize = 1_024;
/// Generations whose vectors are kept: the current one and the one that running requests may still hold.
const GENERATIONS_MAX: usize = 2;

/// The vectors of one generation's passages.
#[derive(Debug)]
pub struct Vectors {
    /// The snapshot's generation.
    pub generation: u64,
    /// The vectors that are there.
    pub matrix: Matrix,
    /// How many there will be.
    pub wanted: usize,
}

/// A model with the vectors of the catalog.
pub struct Semantic {
    name: String,
    encoder: Arc<Encoder>,
    generations: ArcSwap<Vec<Arc<Vectors>>>,
    questions: Mutex<Questions>,
    /// Encodings that may run at once.
    slots: Semaphore,
}

impl fmt::Debug for Semantic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Semantic").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Semantic {
    /// A model without vectors yet. The name is shown in `/health`.
    pub fn new(name: impl Into<String>, encoder: Arc<Encoder>) -> Self {
        let slots = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Self {
            name: name.into(),
            encoder,
            generations: ArcSwap::from_pointee(Vec::new()),
            questions: Mutex::default(),
            slots: Semaphore::new(slots),
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

    /// Takes the vectors of a generation, in place of earlier ones of it. To be called before the generation is published.
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

    fn known(&self, question: &str) -> Option<Arc<Code>> {
        self.questions.lock().unwrap_or_else(PoisonError::into_inner).codes.get(question).cloned()
    }

    /// The question's vector; waits for a slot when it is new.
    async fn code(&self, question: &str) -> Option<Arc<Code>> {
        if let Some(code) = self.known(question) {
            return Some(code);
        }
        let _slot = self.slots.acquire().await.ok()?;
        if let Some(code) = self.known(question) {
            return Some(code);
        }
        let (encoder, text) = (Arc::clone(&self.encoder), question.to_owned());
        let code = Arc::new(tokio::task::spawn_blocking(move || encoder.code(&text)).await.ok()?);
        self.questions.lock().unwrap_or_else(PoisonError::into_inner).put(question, &code);
        Some(code)
    }
}

/// The vectors of the last questions, the oldest dropped first.
#[derive(Default)]
struct Questions {
    codes: HashMap<Arc<str>, Arc<Code>>,
    order: VecDeque<Arc<str>>,
}

impl Questions {
    fn put(&mut self, question: &str, code: &Arc<Code>) {
        let question: Arc<str> = question.into();
        if self.codes.insert(Arc::clone(&question), Arc::clone(code)).is_none() {
            self.order.push_back(question);
        }
        while self.order.len() > QUESTIONS_MAX {
            if let Some(oldest) = self.order.pop_front() {
                self.codes.remove(&oldest);
            }
        }
    }
}

/// What a hybrid request adds to a lexical one.
#[derive(Debug, Default)]
pub(crate) struct Meaning<T> {
    /// What is near; `None` when the request is answered by words alone.
    pub(crate) near: Option<T>,
    /// Stands for the vectors that were looked at, for the entity tag.
    pub(crate) mark: String,
}

/// The items near a search's question. Sets the mode to what the answer really is, and says in a warning why.
pub(crate) async fn of_search(
    desk: &Desk,
    snapshot: &Arc<Snapshot>,
    query: &mut SearchQuery,
    warnings: &mut Vec<String>,
) -> Meaning<CosineSimilarities> {
    let (kind, fresh_only) = (query.kind, query.fresh_only);
    let scan = move |snapshot: &Snapshot, matrix: &Matrix, code: &Code| {
        refdesk_catalog::semantic::nearest_items(snapshot, matrix, code, kind, fresh_only)
    };
    near(desk, snapshot, &query.text, &mut query.mode, warnings, scan).await
}

/// How near each card is to the question of a routing, in the same way.
pub(crate) async fn of_route(
    desk: &Desk,
    snapshot: &Arc<Snapshot>,
    query: &mut RouteQuery,
    warnings: &mut Vec<String>,
) -> Meaning<Vec<f32>> {
    near(desk, snapshot, &query.text, &mut query.mode, warnings, refdesk_catalog::semantic::card_likenesses).await
}

async fn near<T: Send + 'static>(
    desk: &Desk,
    snapshot: &Arc<Snapshot>,
    text: &str,
    mode: &mut Mode,
    warnings: &mut Vec<String>,
    scan: impl FnOnce(&Snapshot, &Matrix, &Code) -> T + Send + 'static,
) -> Meaning<T> {
    if *mode == Mode::Lexical {
        return Meaning { near: None, mark: String::new() };
    }
    let found = match desk.semantic() {
        None => {
            Err("no embedding model is set up; the answer is lexical (mode=hybrid needs the setting embedding_model)"
                .to_owned())
        }
        Some(semantic) => scanned(semantic, snapshot, text, scan).await,
    };
    match found {
        Ok((near, vectors, key)) => {
            let (ready, wanted) = (vectors.matrix.len(), vectors.wanted);
            if ready < wanted {
                warnings.push(format!(
                    "{ready} of {wanted} texts have vectors so far; the others are found by words alone"
                ));
            }
            Meaning { near: Some(near), mark: format!("hybrid {key} {ready}") }
        }
        Err(reason) => {
            let mark = reason.clone();
            warnings.push(reason);
            *mode = Mode::Lexical;
            Meaning { near: None, mark }
        }
    }
}

async fn scanned<'s, T: Send + 'static>(
    semantic: &'s Semantic,
    snapshot: &Arc<Snapshot>,
    text: &str,
    scan: impl FnOnce(&Snapshot, &Matrix, &Code) -> T + Send + 'static,
) -> Result<(T, Arc<Vectors>, &'s str), String> {
    let vectors = semantic.vectors(snapshot.generation());
    let vectors = vectors.filter(|vectors| !vectors.matrix.is_empty() || vectors.wanted == 0);
    let vectors = vectors.ok_or("the catalog has no vectors yet; the answer is lexical")?;
    let unwell = || "the question could not be encoded; the answer is lexical".to_owned();
    let code = semantic.code(text).await.ok_or_else(unwell)?;
    let (snapshot, scanned) = (Arc::clone(snapshot), Arc::clone(&vectors));
    let near = tokio::task::spawn_blocking(move || scan(&snapshot, &scanned.matrix, &code)).await;
    Ok((near.map_err(|_| unwell())?, vectors, semantic.encoder.key()))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use refdesk_embed::Code;

    use super::{QUESTIONS_MAX, Questions};

    #[test]
    fn of_too_many_questions_the_oldest_are_dropped() {
        let (mut kept, code) = (Questions::default(), Arc::new(Code::of(&[1.0, 0.0])));
        for n in 0..QUESTIONS_MAX + 3 {
            kept.put(&format!("question {n}"), &code);
        }
        assert_eq!((kept.codes.len(), kept.order.len()), (QUESTIONS_MAX, QUESTIONS_MAX));
        assert!(!kept.codes.contains_key("question 2") && kept.codes.contains_key("question 3"));
    }
}
