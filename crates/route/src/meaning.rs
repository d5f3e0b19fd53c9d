//! Hybrid routing: the order of the cards by words, corrected by how near each card is in meaning. See [`refdesk_embed`].

use super::{Filter, Router, Routing, decide, explain};

/// What a card loses for each unit of likeness that it is behind the nearest card. Chosen on the development half.
const MEANING_WEIGHT: f32 = 12.0;

impl Router {
    /// Routes a question; `near` holds how near each card is to it in meaning, in the order of the cards. Without it, as
    /// [`Router::route`].
    pub fn route_near(&self, question: &str, filter: Filter, near: Option<&[f32]>) -> Routing {
        let Some(near) = near else { return self.route(question, filter) };
        let view = self.view(question);
        let rows = self.rows(&view);
        let mut order = self.order(&rows, filter);
        self.correct(&mut order, near, MEANING_WEIGHT);
        let outcome = decide::decide(self, &view, &rows, &order);
        explain::routing(self, &view, &order, &outcome)
    }

    /// The ranking of [`Router::route_near`] with another weight; for fitting.
    pub fn ranking_near(&self, question: &str, filter: Filter, near: &[f32], weight: Option<f32>) -> Vec<usize> {
        let mut order = self.order(&self.rows(&self.view(question)), filter);
        self.correct(&mut order, near, weight.unwrap_or(MEANING_WEIGHT));
        order.into_iter().map(|(card, _)| card).collect()
    }

    /// Takes from each card for what it is behind the nearest: a card that both ways put first keeps its score, by which is decided
    /// whether it fits at all.
    fn correct(&self, order: &mut [(usize, f32)], near: &[f32], weight: f32) {
        let of = |card: usize| near.get(card).copied().unwrap_or(0.0);
        let nearest = order.iter().map(|(card, _)| of(*card)).fold(0.0_f32, f32::max);
        for (card, score) in order.iter_mut() {
            *score -= weight * (nearest - of(*card));
        }
        order.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| self.cards[a.0].id.cmp(&self.cards[b.0].id)));
    }
}
