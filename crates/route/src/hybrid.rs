//! Hybrid routing: the lexical score of each card, less a penalty for its distance from the nearest card by embedding.

use crate::model::decision::decide;
use crate::model::features::ScoredCard;
use crate::{Filter, Router, Routing, explain};

/// Penalty per unit of cosine that a card is behind the nearest card. Tuned on the development half.
const DISTANCE_PENALTY: f32 = 12.0;

impl Router {
    /// Routes a question; `cosines` holds the similarity of each card by embedding, in the order of the cards. Without it words alone decide.
    pub fn route_hybrid(&self, question: &str, filter: Filter, cosines: Option<&[f32]>) -> Routing {
        let analysed = self.analyse(question);
        let features = self.features(&analysed);
        let mut all = self.order(&analysed, &features, filter.include_candidates);
        if let Some(cosines) = cosines {
            self.rerank(&mut all, cosines);
            analysed.lead_with_named(&mut all);
        }
        let order = self.within(&all, filter);
        let outcome = decide(self, &analysed, &features, &all, &order);
        explain::routing(self, &analysed, &order, &outcome)
    }

    /// Penalises each card for its distance from the nearest one. A card that is first both ways keeps its score, which decides whether
    /// it fits at all.
    fn rerank(&self, order: &mut [ScoredCard], cosines: &[f32]) {
        let cosine = |card: usize| cosines.get(card).copied().unwrap_or(0.0);
        let nearest = order.iter().map(|ranked| cosine(ranked.card)).fold(0.0_f32, f32::max);
        for ranked in order.iter_mut() {
            ranked.score -= DISTANCE_PENALTY * (nearest - cosine(ranked.card));
        }
        self.sort(order);
    }
}
