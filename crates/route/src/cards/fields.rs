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

/// A line of a card as text.
pub(crate) struct FieldLine {
    /// Position of the card.
    pub card: u32,
    /// Its field.
    pub field: CardField,
    /// Position in the list of that field.
    pub position: u16,
    /// The other card that an anti-example names.
    pub related_card: Option<u32>,
    /// The line.
    pub text: String,
}

pub(crate) fn field_lines(cards: &[Card]) -> Vec<FieldLine> {
    let by_id: HashMap<&str, u32> = cards.iter().enumerate().map(|(at, card)| (card.id.as_str(), at as u32)).collect();
    let mut out = Vec::new();
    for (at, card) in cards.iter().enumerate() {
        let own = at as u32;
        let framework = &card.framework;
        let mut add = |field, list: &[String]| {
            for (line, text) in list.iter().enumerate() {
                out.push(FieldLine { card: own, field, position: line as u16, related_card: None, text: text.clone() });
            }
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
        for (line, anti) in framework.anti_examples.iter().enumerate() {
            let line_of = |card, field, related_card| FieldLine {
                card,
                field,
                position: line as u16,
                related_card,
                text: anti.question.clone(),
            };
            let better = by_id.get(anti.better.as_str()).copied();
            out.push(line_of(own, CardField::Anti, better));
            out.extend(better.map(|better| line_of(better, CardField::Redirect, Some(own))));
        }
    }
    // By card, so that document frequencies count each card once.
    out.sort_by_key(|line| line.card);
    out
}
