//! Frameworks: cards of reusable ways of thinking or working, and the score that decides which of them are published.

use serde::{Deserialize, Serialize};

use super::Status;

crate::closed_set! {
    /// The closed list of framework domains.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, utoipa::ToSchema)]
    #[serde(rename_all = "kebab-case")]
    #[expect(missing_docs, reason = "the names say it all")]
    pub enum Domain {
        AgentWorkflow => "agent-workflow",
        Communication => "communication",
        Creativity => "creativity",
        Decision => "decision",
        Engineering => "engineering",
        Finance => "finance",
        Learning => "learning",
        Marketing => "marketing",
        Operations => "operations",
        People => "people",
        ProblemSolving => "problem-solving",
        Product => "product",
        Productivity => "productivity",
        Research => "research",
        Risk => "risk",
        Security => "security",
        Strategy => "strategy",
        Thinking => "thinking",
    }
}

/// A framework card.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Framework {
    /// Its domain.
    pub domain: Domain,
    /// Further domains it serves.
    #[serde(default)]
    pub secondary_domains: Vec<Domain>,
    /// What it is and what you get from it.
    pub summary: String,
    /// Situations that call for it, in users' words.
    #[serde(default)]
    pub when_to_use: Vec<String>,
    /// Situations in which it is the wrong choice.
    #[serde(default)]
    pub when_not_to_use: Vec<String>,
    /// Questions from people who do not know its name.
    #[serde(default)]
    pub example_questions: Vec<String>,
    /// Questions that seem to fit and do not, each with the better card.
    #[serde(default)]
    pub anti_examples: Vec<AntiExample>,
    /// What you need to start.
    #[serde(default)]
    pub inputs: Vec<Input>,
    /// How it is done, in order.
    #[serde(default)]
    pub steps: Vec<String>,
    /// What comes out; null for a candidate without one.
    #[serde(default)]
    pub output: Option<Output>,
    /// How to tell that it was done well.
    #[serde(default)]
    pub quality_checks: Vec<String>,
    /// How it goes wrong.
    #[serde(default)]
    pub failure_modes: Vec<String>,
    /// Where it comes from.
    #[serde(default)]
    pub origin: Option<Origin>,
    /// The prompt that runs it; in answers only with `include_prompt=true`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<Prompt>,
}

/// A question that seems to fit and does not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AntiExample {
    /// The question.
    pub question: String,
    /// Id of the card that fits better.
    pub better: String,
}

/// What a framework needs to start.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// `snake_case`; the name of the prompt's variable.
    pub name: String,
    /// Whether it is required.
    pub required: bool,
    /// What to put in.
    pub description: String,
}

/// What comes out of a framework.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Output {
    /// What it is called.
    pub artifact: String,
    /// Its form, in Markdown.
    #[serde(default)]
    pub template_markdown: String,
}

/// Where a framework comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Origin {
    /// Who made it.
    pub author: Option<String>,
    /// When.
    pub year: Option<i32>,
    /// The primary work.
    pub work: Option<String>,
    /// A DOI or the author's or publisher's own page, where known to be right.
    #[serde(default)]
    pub url: Option<String>,
}

/// The prompt that runs a framework.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Prompt {
    /// Version of the prompt.
    pub version: String,
    /// SHA-256 of `text`, hex.
    #[serde(default)]
    pub sha256: String,
    /// The prompt, with `{{variable}}` where inputs go.
    #[serde(default)]
    pub text: String,
    /// The variables in `text`.
    #[serde(default)]
    pub variables: Vec<String>,
}

impl Prompt {
    /// The text with each `{{variable}}` replaced by its value, in one pass: a value that looks like a variable stays as it is. One without a
    /// value stays open.
    pub fn filled<'v>(&self, value_of: impl Fn(&str) -> Option<&'v str>) -> String {
        let mut out = String::with_capacity(self.text.len() + 256);
        let mut rest = self.text.as_str();
        while let Some((before, after)) = rest.split_once("{{") {
            out.push_str(before);
            let variable = after.split_once("}}").filter(|(name, _)| is_variable(name.trim()));
            if let Some((value, tail)) = variable.and_then(|(name, tail)| Some((value_of(name.trim())?, tail))) {
                out.push_str(value);
                rest = tail;
            } else {
                out.push_str("{{");
                rest = after;
            }
        }
        out.push_str(rest);
        out
    }
}

fn is_variable(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
}

/// How complete a card is: a deterministic sum over its fields, and what is missing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct PublicationScore {
    /// 0 to 100.
    pub points: u32,
    /// What would raise the score, in words for the author.
    pub missing: Vec<String>,
}

impl PublicationScore {
    /// A card with fewer points is a candidate.
    pub const THRESHOLD: u32 = 80;

    /// `published` at or above [`PublicationScore::THRESHOLD`], else `candidate`.
    pub const fn status(&self) -> Status {
        if self.points >= Self::THRESHOLD { Status::Published } else { Status::Candidate }
    }
}

impl Framework {
    /// Every text of a card that its author wrote as sentences.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        let lists = [
            &self.when_to_use,
            &self.when_not_to_use,
            &self.example_questions,
            &self.steps,
            &self.quality_checks,
            &self.failure_modes,
        ];
        std::iter::once(self.summary.as_str())
            .chain(lists.into_iter().flatten().map(String::as_str))
            .chain(self.anti_examples.iter().map(|anti| anti.question.as_str()))
            .chain(self.inputs.iter().map(|input| input.description.as_str()))
            .chain(self.prompt.iter().map(|prompt| prompt.text.as_str()))
            .chain(self.output.iter().map(|output| output.template_markdown.as_str()))
    }

    /// The publication score: each part counts its points when it is there in full, and in proportion when it is there in part.
    pub fn publication_score(&self) -> PublicationScore {
        let chars = |text: &str| text.chars().count();
        let prompt_chars = self.prompt.as_ref().map_or(0, |prompt| chars(&prompt.text));
        let template_chars = self.output.as_ref().map_or(0, |output| chars(&output.template_markdown));
        let origin_parts = self
            .origin
            .as_ref()
            .map_or(0, |origin| usize::from(origin.author.is_some()) + usize::from(origin.work.is_some()));
        // (what, what there is, what is asked for, points)
        let parts: [(&str, usize, usize, u32); 13] = [
            ("a summary of 80 characters or more", chars(&self.summary), 80, 5),
            ("3 or more when_to_use", self.when_to_use.len(), 3, 10),
            ("2 or more when_not_to_use", self.when_not_to_use.len(), 2, 10),
            ("6 or more example_questions", self.example_questions.len(), 6, 10),
            ("2 or more anti_examples", self.anti_examples.len(), 2, 8),
            ("1 or more inputs", self.inputs.len(), 1, 5),
            ("4 or more steps", self.steps.len(), 4, 10),
            ("an output with a template of 40 characters or more", template_chars, 40, 8),
            ("3 or more quality_checks", self.quality_checks.len(), 3, 8),
            ("2 or more failure_modes", self.failure_modes.len(), 2, 6),
            ("an origin with author and work", origin_parts, 2, 5),
            ("a prompt of 400 characters or more", prompt_chars, 400, 12),
            ("prompt variables that are declared inputs", usize::from(self.prompt_variables_declared()), 1, 3),
        ];
        let mut score = PublicationScore { points: 0, missing: Vec::new() };
        for (what, have, wanted, points) in parts {
            let share = have.min(wanted) as u32 * points / wanted as u32;
            score.points += share;
            if share < points {
                score.missing.push(what.to_owned());
            }
        }
        score
    }

    /// True when there is a prompt and each of its variables is one of the inputs.
    fn prompt_variables_declared(&self) -> bool {
        self.prompt.as_ref().is_some_and(|prompt| {
            !prompt.variables.is_empty()
                && prompt.variables.iter().all(|variable| self.inputs.iter().any(|input| input.name == *variable))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Prompt;

    #[test]
    fn variables_are_filled_once_and_values_are_left_alone() {
        let text = "x {{a}} {{ b }} {{c}} {{d}} {{ not one".to_owned();
        let prompt = Prompt { version: String::new(), sha256: String::new(), text, variables: Vec::new() };
        let value_of =
            |name: &str| [("a", "{{b}}"), ("b", "two"), ("c", "")].into_iter().find(|(known, _)| *known == name);
        let filled = prompt.filled(|name| value_of(name).map(|(_, value)| value));
        assert_eq!(filled, "x {{b}} two  {{d}} {{ not one");
    }
}
