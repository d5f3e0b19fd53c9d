//! The lines of the cards by field, with the field boosts of BM25F (Robertson et al. 2004).

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::Card;

/// The field of a card that a line belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(crate) enum CardField {
    /// One of `example_questions`.
    Example,
    /// One of `when_to_use`.
    When,
    /// The summary.
    Summary,
    /// One of `steps`.
    Step,
    /// Inputs and what comes out.
    Output,
    /// Quality checks and failure modes.
    Check,
    /// One of `when_not_to_use`.
    Not,
    /// The question of one of `anti_examples`.
    Anti,
    /// The same question, as a line of the card that it names as the better one.
    Redirect,
}

impl CardField {
    pub(crate) const COUNT: usize = 9;

    /// The name, as `reasons` have it.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Example => "example_questions",
            Self::When => "when_to_use",
            Self::Summary => "summary",
            Self::Step => "steps",
            Self::Output => "output",
            Self::Check => "quality_checks",
            Self::Not => "when_not_to_use",
            Self::Anti | Self::Redirect => "anti_examples",
        }
    }

    /// The boost: how much a term in this field counts for the card as a whole.
    pub(crate) const fn boost(self) -> f32 {
        match self {
            Self::Example | Self::When => 1.0,
            Self::Summary => 1.2,
            Self::Redirect => 0.8,
            Self::Step => 0.5,
            Self::Output | Self::Check => 0.3,
            Self::Not | Self::Anti => 0.0,
        }
    }
}

/// A line of a card, without its text.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct CardLine {
    /// Position of the card.
    pub card: u32,
    /// Its field.
    pub field: CardField,
    /// Position in the list of that field; for [`CardField::Redirect`] in the list of the card that says it.
    pub position: u16,
    /// For [`CardField::Anti`] the better card; for [`CardField::Redirect`] the card that says it.
    pub related_card: Option<u32>,
    /// Euclidean length of its vector, once that is known.
    pub norm: f32,
}

/// The lines of all cards, each with its text.
pub(crate) fn field_lines(cards: &[Card]) -> Vec<(CardLine, String)> {
    let line = |card: u32, field: CardField, position: usize, related_card: Option<u32>| CardLine {
        card,
        field,
        position: position as u16,
        related_card,
        norm: 1.0,
    };
    let by_id: HashMap<&str, u32> = cards.iter().enumerate().map(|(at, card)| (card.id.as_str(), at as u32)).collect();
    let mut out = Vec::new();
    for (at, card) in cards.iter().enumerate() {
        let own = at as u32;
        let framework = &card.framework;
        let mut add = |field: CardField, list: &[String]| {
            out.extend(list.iter().enumerate().map(|(at, text)| (line(own, field, at, None), text.clone())));
        };
        add(CardField::Example, &framework.example_questions);
        add(CardField::When, &framework.when_to_use);
        add(CardField::Summary, std::slice::from_ref(&framework.summary));
        add(CardField::Step, &framework.steps);
        add(CardField::Not, &framework.when_not_to_use);
        let mut results: Vec<String> = framework.inputs.iter().map(|input| input.description.clone()).collect();
        results.extend(framework.output.as_ref().map(|output| output.artifact.clone()));
        add(CardField::Output, &[results.join("\n")]);
        let checks: Vec<String> = framework.quality_checks.iter().chain(&framework.failure_modes).cloned().collect();
        add(CardField::Check, &[checks.join("\n")]);
        for (at, anti) in framework.anti_examples.iter().enumerate() {
            let better = by_id.get(anti.better.as_str()).copied();
            out.push((line(own, CardField::Anti, at, better), anti.question.clone()));
            out.extend(better.map(|better| (line(better, CardField::Redirect, at, Some(own)), anti.question.clone())));
        }
    }
    // By card, so that document frequencies count each card once.
    out.sort_by_key(|(line, _)| line.card);
    out
}
