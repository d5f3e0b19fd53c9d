//! What is near a question by meaning: items for search, cards for the router.

use crate::snapshot::Snapshot;
use refdesk_core::Kind;
use refdesk_embed::{Code, Matrix};
use refdesk_search::CosineSimilarities;

/// Share of the best example question beside the card itself.
const EXAMPLE_SHARE: f32 = 0.7;

/// How near items are to a question: [`refdesk_search::SearchRequest::semantic`].
pub fn item_similarities(
    snapshot: &Snapshot,
    matrix: &Matrix,
    question: &Code,
    kind: Option<Kind>,
    fresh_only: bool,
) -> CosineSimilarities {
    let wanted = |ordinal: u32| {
        let found = snapshot.kind_of(ordinal);
        kind.map_or(found != Kind::Framework, |kind| kind == found)
            && !(fresh_only && snapshot.evidence_of(ordinal).stale_reason.is_some())
    };
    CosineSimilarities { compared: matrix.cosines(question, wanted) }
}

/// How near each card of the router is to a question, in the order of the cards: larger is nearer, 0 without vectors.
pub fn card_likenesses(snapshot: &Snapshot, matrix: &Matrix, question: &Code) -> Vec<f32> {
    let likenesses = matrix.likenesses(question, |ordinal| snapshot.kind_of(ordinal) == Kind::Framework);
    let of_card = |card: usize| {
        let ordinal = snapshot.card_ordinal(card);
        let at = likenesses.binary_search_by_key(&ordinal, |(ordinal, _)| *ordinal);
        at.map_or(0.0, |at| likenesses[at].1.own + EXAMPLE_SHARE * likenesses[at].1.part)
    };
    (0..snapshot.router().cards().len()).map(of_card).collect()
}
