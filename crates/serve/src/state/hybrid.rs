//! Hybrid search and routing: cosine similarities of the query's vector with those of the catalog, which the ranking adds to words.
//!
//! Without a model or without vectors, a hybrid request is answered by words alone and says so in a warning. A [`HybridPlan`] decides
//! this without computing anything, so that a request can be answered with a 304 before its query is encoded. Scanning the vectors is CPU
//! work of milliseconds and runs on a blocking thread.

use std::sync::Arc;

use refdesk_catalog::answer;
use refdesk_catalog::semantic;
use refdesk_catalog::snapshot::Snapshot;
use refdesk_core::query::{Mode, SearchQuery, Warning};
use refdesk_embed::{Code, Matrix};
use refdesk_search::CosineSimilarities;
use tokio::task::JoinError;

use super::AppState;
use super::semantic::{Semantic, Vectors};
use super::worker_pool::joined;

/// What a hybrid question is told where the operator gave no model.
const NO_MODEL: &str =
    "no embedding model is set up; the answer is lexical (mode=hybrid needs the setting embedding_model)";

/// The same while no text of the catalog has a vector.
const NO_VECTORS: &str = "the catalog has no vectors yet; the answer is lexical";

/// How a request will be ranked.
pub(crate) enum HybridPlan {
    /// It asks for words alone.
    Lexical,
    /// It asks for more than there is, and gets words alone, with this warning.
    Fallback(&'static str),
    /// By words and by meaning.
    Hybrid {
        /// The model.
        semantic: Arc<Semantic>,
        /// The vectors of the request's snapshot.
        vectors: Arc<Vectors>,
    },
}

impl HybridPlan {
    /// The plan for a mode, with the operator's model if there is one; computes nothing.
    pub(crate) fn new(state: &AppState, snapshot: &Snapshot, mode: Mode) -> Self {
        if mode == Mode::Lexical {
            return Self::Lexical;
        }
        let Some(semantic) = state.semantic() else { return Self::Fallback(NO_MODEL) };
        let vectors = semantic.vectors(snapshot.generation());
        match vectors.filter(|vectors| !vectors.matrix.is_empty() || vectors.wanted == 0) {
            Some(vectors) => Self::Hybrid { semantic: Arc::clone(semantic), vectors },
            None => Self::Fallback(NO_VECTORS),
        }
    }

    /// What the answer depends on besides the snapshot and the request, for its entity tag.
    pub(crate) fn entity_tag_part(&self) -> String {
        match self {
            Self::Lexical => String::new(),
            Self::Fallback(warning) => (*warning).to_owned(),
            Self::Hybrid { semantic, vectors, .. } => {
                format!("hybrid {} {}", semantic.encoder().key(), vectors.matrix.len())
            }
        }
    }

    /// The similarities of the items to a search, in the words that are searched for. Sets the mode to that of the answer, and warns where it
    /// is not the one asked for.
    ///
    /// # Errors
    /// When the runtime ended.
    pub(crate) async fn item_similarities(
        &self,
        snapshot: &Arc<Snapshot>,
        query: &mut SearchQuery,
        warnings: &mut Vec<Warning>,
    ) -> Result<Option<CosineSimilarities>, JoinError> {
        let (kind, fresh_only) = (query.kind, query.fresh_only);
        let scan = move |snapshot: &Snapshot, matrix: &Matrix, code: &Code| {
            semantic::item_similarities(snapshot, matrix, code, kind, fresh_only)
        };
        let is_compared = matches!(self, Self::Hybrid { .. });
        let restated = if is_compared { answer::restated(snapshot, query) } else { None };
        let text = restated.as_deref().unwrap_or(&query.text);
        self.similarities(snapshot, text, &mut query.mode, warnings, scan).await
    }

    /// The similarity of each card to the text of a routing, in the same way.
    ///
    /// # Errors
    /// When the runtime ended.
    pub(crate) async fn card_similarities(
        &self,
        snapshot: &Arc<Snapshot>,
        text: &str,
        mode: &mut Mode,
        warnings: &mut Vec<Warning>,
    ) -> Result<Option<Vec<f32>>, JoinError> {
        self.similarities(snapshot, text, mode, warnings, semantic::card_likenesses).await
    }

    async fn similarities<T: Send + 'static>(
        &self,
        snapshot: &Arc<Snapshot>,
        text: &str,
        mode: &mut Mode,
        warnings: &mut Vec<Warning>,
        scan: impl FnOnce(&Snapshot, &Matrix, &Code) -> T + Send + 'static,
    ) -> Result<Option<T>, JoinError> {
        match self {
            Self::Lexical => Ok(None),
            Self::Fallback(warning) => {
                warnings.push((*warning).into());
                *mode = Mode::Lexical;
                Ok(None)
            }
            Self::Hybrid { semantic, vectors } => {
                let similarities = scanned(semantic, vectors, snapshot, text, scan).await?;
                let (ready, wanted) = (vectors.matrix.len(), vectors.wanted);
                if ready < wanted {
                    let told =
                        format!("{ready} of {wanted} texts have vectors so far; the others are found by words alone");
                    warnings.push(told.into());
                }
                Ok(Some(similarities))
            }
        }
    }
}

/// What a scan of the vectors gives.
async fn scanned<T: Send + 'static>(
    semantic: &Semantic,
    vectors: &Arc<Vectors>,
    snapshot: &Arc<Snapshot>,
    text: &str,
    scan: impl FnOnce(&Snapshot, &Matrix, &Code) -> T + Send + 'static,
) -> Result<T, JoinError> {
    let code = semantic.query_vector(text).await?;
    let (snapshot, vectors) = (Arc::clone(snapshot), Arc::clone(vectors));
    joined(tokio::task::spawn_blocking(move || scan(&snapshot, &vectors.matrix, &code)).await)
}
