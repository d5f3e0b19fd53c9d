//! Removes contradictions between fields that were chosen one by one: dates in an impossible order, a chat mode for a model whose output
//! has no text, or words and tokens that an embedding model is said to give. The next consistent value of one of the two fields is used.
//! Without one, the value of the less reliable source is dropped and listed as a conflict.

use serde_json::Value;

use super::super::Conflict;
use super::super::leaves::{leaf, same, slot};
use super::super::rules::{RULES, number_of};
use super::{Chosen, ConsideredFact, Statements};
use refdesk_core::Kind;

const CUTOFF: &str = "knowledge_cutoff";
const RELEASE: &str = "released_on";
const DEPRECATION: &str = "deprecated_on";
const RETIREMENT: &str = "retires_on";
const MODE: &str = "mode";
const OUTPUT: &str = "modalities.output";
const OUTPUT_TOKENS: &str = "limits.output_tokens";

/// Whether two values are consistent.
type Fit = fn(&Value, &Value) -> bool;

/// Which of two values gives way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum GivesWay {
    /// That of the less reliable source; the first, if both are equally reliable.
    Weaker,
    /// The first, whoever states it.
    First,
}
use GivesWay::{First, Weaker};

/// Fields that must be consistent.
///
/// That a model makes embeddings is never a slip beside what its output is said to be: models.dev has no word for an embedding and writes
/// `text`, and where others have a limit of tokens, several sources have the length of the vector.
const PAIRS: [(&str, &str, GivesWay, Fit); 7] = [
    (DEPRECATION, RETIREMENT, Weaker, are_in_order),
    (CUTOFF, RELEASE, Weaker, are_in_order),
    (RELEASE, RETIREMENT, Weaker, are_in_order),
    (RELEASE, DEPRECATION, Weaker, are_in_order),
    (MODE, OUTPUT, Weaker, has_output_of_mode),
    (OUTPUT, MODE, First, is_output_of_embedding),
    (OUTPUT_TOKENS, MODE, First, are_tokens_of_embedding),
];

/// Removes the contradictions in the fields of a model. `said` gives the statements of all facts about a path, in order of precedence.
pub fn remove_contradictions<'a>(
    chosen: &mut Chosen,
    considered: &[ConsideredFact<'_>],
    said: impl Fn(&str) -> Option<&'a Statements<'a>>,
) {
    let order = |by: usize| (considered[by].stale, considered[by].role);
    for (first, second, gives_way, fit) in PAIRS {
        let (Some(of_first), Some(of_second)) =
            (chosen.statement(first, considered), chosen.statement(second, considered))
        else {
            continue;
        };
        if fit(&of_first.1, &of_second.1) {
            continue;
        }
        let is_first_weaker = gives_way == First || order(of_first.0) >= order(of_second.0);
        let (weaker, by, stronger) =
            if is_first_weaker { (first, of_first.0, second) } else { (second, of_second.0, first) };
        // A statement that is less reliable than the weaker value never replaces the stronger one.
        let instead_of_weaker = |other: usize| considered[other].stale <= considered[by].stale;
        let instead_of_stronger = |other: usize| order(other) <= order(by);
        let find = |path: &'static str, may_speak: &dyn Fn(usize) -> bool| {
            let roles = RULES[number_of(Kind::Model, path)].roles;
            let fits = |(other, value): &&(usize, &Value)| {
                roles.contains(&considered[*other].role)
                    && may_speak(*other)
                    && chosen.is_consistent(path, value, considered)
            };
            Some((path, said(path)?.iter().find(fits).copied()?))
        };
        let other = || find(stronger, &instead_of_stronger).filter(|_| gives_way == Weaker);
        let found = find(weaker, &instead_of_weaker).or_else(other);
        let (path, statement) = found.map_or((weaker, None), |(path, statement)| (path, Some(statement)));
        let beside = if path == first { second } else { first };
        chosen.change(path, statement, beside, considered, said(path));
    }
}

/// The one of some statements that is consistent with the other chosen fields, where the rest of them is not.
pub fn only_consistent<'a>(
    chosen: &Chosen,
    path: &str,
    statements: &Statements<'a>,
    considered: &[ConsideredFact<'_>],
) -> Option<(usize, &'a Value)> {
    let mut consistent = statements.iter().filter(|(_, value)| chosen.is_consistent(path, value, considered));
    consistent.next().copied().filter(|_| consistent.next().is_none())
}

/// Whether a day, month or year is not after another, compared at the coarser precision of the two.
fn are_in_order(early: &Value, late: &Value) -> bool {
    let (Some(early), Some(late)) = (early.as_str(), late.as_str()) else { return true };
    let told = early.len().min(late.len());
    early.as_bytes()[..told] <= late.as_bytes()[..told]
}

/// Whether a model with a mode of text, chat or completion, has text among its output.
fn has_output_of_mode(mode: &Value, output: &Value) -> bool {
    let is_of_text = mode.as_str().is_some_and(|mode| matches!(mode, "chat" | "completion"));
    !is_of_text || output.as_array().is_none_or(|output| output.iter().any(|modality| modality == "text"))
}

fn is_of_embedding(mode: &Value) -> bool {
    mode == "embedding"
}

/// Whether a model with the mode of embeddings is not said to give something else.
fn is_output_of_embedding(output: &Value, mode: &Value) -> bool {
    !is_of_embedding(mode) || output.as_array().is_none_or(|output| output.iter().any(|given| given == "embedding"))
}

/// Whether a model with the mode of embeddings is not said to write tokens.
fn are_tokens_of_embedding(tokens: &Value, mode: &Value) -> bool {
    !is_of_embedding(mode) || tokens.as_u64() == Some(0)
}

impl Chosen {
    /// The chosen value at a path, with the position in `considered` of the fact that states it.
    fn statement(&self, path: &str, considered: &[ConsideredFact<'_>]) -> Option<(usize, Value)> {
        let stated = self.evidence.iter().find(|stated| stated.path == path)?;
        let by = considered.iter().position(|considered| considered.at == stated.fact)?;
        Some((by, leaf(&self.fields, path)?.clone()))
    }

    /// Whether a value at a path is consistent with all other chosen fields.
    fn is_consistent(&self, path: &str, value: &Value, considered: &[ConsideredFact<'_>]) -> bool {
        let beside = |other: &str, fit: &dyn Fn(&Value) -> bool| {
            self.statement(other, considered).is_none_or(|(_, stated)| fit(&stated))
        };
        PAIRS.iter().all(|(first, second, _, fit)| match path {
            _ if path == *first => beside(second, &|stated| fit(value, stated)),
            _ if path == *second => beside(first, &|stated| fit(stated, value)),
            _ => true,
        })
    }

    /// Replaces the value at a path by another statement, or by what stands for an unknown one.
    fn change(
        &mut self,
        path: &str,
        statement: Option<(usize, &Value)>,
        beside: &str,
        considered: &[ConsideredFact<'_>],
        said: Option<&Statements<'_>>,
    ) {
        self.evidence.retain(|stated| stated.path != path);
        self.conflicts.retain(|conflict| conflict.path != path);
        if let Some((by, value)) = statement {
            self.take(path, value, considered[by].at, considered[by].role);
        } else {
            // A list that nobody knows is empty in every answer.
            let field = slot(&mut self.fields, path);
            *field = if field.is_array() { Value::Array(Vec::new()) } else { Value::Null };
        }
        let reason = format!("it contradicts {beside}");
        let others = said.into_iter().flatten().filter(|(by, _)| considered[*by].speaks || statement.is_none());
        for (by, other) in others.filter(|(_, other)| statement.is_none_or(|(_, value)| !same(value, other))) {
            let conflict = Conflict::plain(path.to_owned(), (*other).clone(), considered[*by].at);
            self.conflicts.push(Conflict { reason: statement.is_none().then(|| reason.clone()), ..conflict });
        }
    }
}
