//! The lines of the cards, one by one, each with the part of the card that it is. Nothing is weighed here but the parts.

use std::collections::HashMap;

use super::Card;

/// Which part of a card a segment is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Role {
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
    /// The same question, for the card that it names as the better one.
    Lift,
}

impl Role {
    /// Number of roles.
    pub(super) const COUNT: usize = 9;

    /// Name of the field, as `reasons` name it.
    pub(super) const fn field(self) -> &'static str {
        match self {
            Self::Example => "example_questions",
            Self::When => "when_to_use",
            Self::Summary => "summary",
            Self::Step => "steps",
            Self::Output => "output",
            Self::Check => "quality_checks",
            Self::Not => "when_not_to_use",
            Self::Anti | Self::Lift => "anti_examples",
        }
    }

    /// How much a term in this part counts for the card as a whole.
    pub(super) const fn body_weight(self) -> f32 {
        match self {
            Self::Example | Self::When => 1.0,
            Self::Summary => 1.2,
            Self::Lift => 0.8,
            Self::Step => 0.5,
            Self::Output | Self::Check => 0.3,
            Self::Not | Self::Anti => 0.0,
        }
    }
}

/// A line of a card as text.
pub(super) struct Line {
    /// Position of the card.
    pub card: u32,
    /// Which part.
    pub role: Role,
    /// Position in the list of that part.
    pub number: u16,
    /// The other card that an anti-example speaks of.
    pub other: Option<u32>,
    /// The line.
    pub text: String,
}

/// All lines of all cards.
pub(super) fn lines(cards: &[Card]) -> Vec<Line> {
    let by_id: HashMap<&str, u32> = cards.iter().enumerate().map(|(at, card)| (card.id.as_str(), at as u32)).collect();
    let mut out = Vec::new();
    for (at, card) in cards.iter().enumerate() {
        let own = at as u32;
        let framework = &card.framework;
        let mut add = |role, list: &[String]| {
            for (line, text) in list.iter().enumerate() {
                out.push(Line { card: own, role, number: line as u16, other: None, text: text.clone() });
            }
        };
        add(Role::Example, &framework.example_questions);
        add(Role::When, &framework.when_to_use);
        add(Role::Summary, std::slice::from_ref(&framework.summary));
        add(Role::Step, &framework.steps);
        add(Role::Not, &framework.when_not_to_use);
        let mut results: Vec<String> = framework.inputs.iter().map(|input| input.description.clone()).collect();
        results.extend(framework.output.as_ref().map(|output| output.artifact.clone()));
        add(Role::Output, &[results.join("\n")]);
        let checks: Vec<String> = framework.quality_checks.iter().chain(&framework.failure_modes).cloned().collect();
        add(Role::Check, &[checks.join("\n")]);
        for (line, anti) in framework.anti_examples.iter().enumerate() {
            let better = by_id.get(anti.better.as_str()).copied();
            let number = line as u16;
            out.push(Line { card: own, role: Role::Anti, number, other: better, text: anti.question.clone() });
            if let Some(better) = better {
                out.push(Line {
                    card: better,
                    role: Role::Lift,
                    number,
                    other: Some(own),
                    text: anti.question.clone(),
                });
            }
        }
    }
    // By card, so that frequencies over cards count each card once.
    out.sort_by_key(|line| line.card);
    out
}
