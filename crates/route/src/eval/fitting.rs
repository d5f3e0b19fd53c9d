//! What fitting the router's weights needs beyond routing: features and training data. Only developers' tools are built with it: the Cargo
//! feature `fitting`.

use crate::hyperparameters::Hyperparameters;
use crate::model::decision::decision_features;
use crate::model::in_domain::InDomainClassifier;
use crate::{Card, DecisionFeatures, RankingFeatures, Router};

impl Router {
    /// Builds the router with other hyperparameters than the tuned ones and those training requests that `keep` selects.
    pub fn build_with(cards: Vec<Card>, hyperparameters: Hyperparameters, keep: &dyn Fn(usize) -> bool) -> Self {
        Self::train(cards.into(), hyperparameters, keep)
    }

    /// The training requests of the in-domain classifier in order, each with whether it is in-domain.
    pub fn training_requests() -> Vec<(&'static str, bool)> {
        InDomainClassifier::requests().collect()
    }

    /// The ranking features of every card for a question, in the order of the cards.
    pub fn ranking_features(&self, question: &str) -> Vec<RankingFeatures> {
        self.features(&self.analyse(question))
    }

    /// The features of the decision, and the first card.
    pub fn decision_features(&self, question: &str) -> (DecisionFeatures, Option<usize>) {
        let analysed = self.analyse(question);
        let features = self.features(&analysed);
        let order = self.order(&analysed, &features, false);
        (decision_features(self, &analysed, &features, &order), order.first().map(|scored| scored.card))
    }
}
