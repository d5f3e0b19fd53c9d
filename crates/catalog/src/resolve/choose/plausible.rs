//! Fields that were chosen each by itself and cannot be true of one model: dates in an impossible order, a mode without its output. What
//! another source says takes the place of one of them where that can be; else the less reliable of the two gives way, and is told.

use serde_json::Value;

use super::super::Conflict;
use super::super::leaves::{same, slot};
use super::super::rules::{RULES, number_of};
use super::{Chosen, ConsideredFact, Statements};
use refdesk_core::Kind;

const CUTOFF: &str = "knowledge_cutoff";
const RELEASE: &str = "released_on";
const DEPRECATION: &str = "deprecated_on";
const RETIREMENT: &str = "retires_on";
const MODE: &str = "mode";
const OUTPUT: &str = "modalities.output";

/// Whether two values can stand beside each other.
type Fit = fn(&Value, &Value) -> bool;

/// Pairs of fields that have to fit each other. Of two that are equally reliable, the first gives way.
const PAIRS: [(&str, &str, Fit); 5] = [
    (DEPRECATION, RETIREMENT, are_in_order),
    (CUTOFF, RELEASE, are_in_order),
    (RELEASE, RETIREMENT, are_in_order),
    (RELEASE, DEPRECATION, are_in_order),
    (MODE, OUTPUT, gives_what_it_is_for),
];

/// Mends what was chosen for a model. `said` gives what the facts state at a path, in the order in which they count.
pub fn mend<'a>(
    chosen: &mut Chosen,
    considered: &[ConsideredFact<'_>],
    said: impl Fn(&str) -> Option<&'a Statements<'a>>,
) {
    let order = |by: usize| (considered[by].stale, considered[by].role);
    for (first, second, fit) in PAIRS {
        let (Some(of_first), Some(of_second)) =
            (chosen.statement(first, considered), chosen.statement(second, considered))
        else {
            continue;
        };
        if fit(&of_first.1, &of_second.1) {
            continue;
        }
        let is_first_weaker = order(of_first.0) >= order(of_second.0);
        let (weaker, by, stronger) =
            if is_first_weaker { (first, of_first.0, second) } else { (second, of_second.0, first) };
        // Nobody who is less reliable than what gives way takes the place of the other.
        let instead_of_weaker = |other: usize| considered[other].stale <= considered[by].stale;
        let instead_of_stronger = |other: usize| order(other) <= order(by);
        let find = |path: &'static str, may_speak: &dyn Fn(usize) -> bool| {
            let roles = RULES[number_of(Kind::Model, path)].roles;
            let fits = |(other, value): &&(usize, &Value)| {
                roles.contains(&considered[*other].role)
                    && may_speak(*other)
                    && chosen.fits_beside_all(path, value, considered)
            };
            Some((path, said(path)?.iter().find(fits).copied()?))
        };
        let found = find(weaker, &instead_of_weaker).or_else(|| find(stronger, &instead_of_stronger));
        let (path, statement) = found.map_or((weaker, None), |(path, statement)| (path, Some(statement)));
        let beside = if path == first { second } else { first };
        chosen.change(path, statement, beside, considered, said(path));
    }
}

/// A day, month or year that is not after another; compared as far as both tell.
fn are_in_order(early: &Value, late: &Value) -> bool {
    let (Some(early), Some(late)) = (early.as_str(), late.as_str()) else { return true };
    let told = early.len().min(late.len());
    early.as_bytes()[..told] <= late.as_bytes()[..told]
}

/// A model that chats or completes gives text.
fn gives_what_it_is_for(mode: &Value, output: &Value) -> bool {
    let is_of_text = mode.as_str().is_some_and(|mode| matches!(mode, "chat" | "completion"));
    !is_of_text || output.as_array().is_none_or(|output| output.iter().any(|modality| modality == "text"))
}

impl Chosen {
    /// The fact whose word stands at a path, by its place in `considered`, and its word.
    fn statement(&self, path: &str, considered: &[ConsideredFact<'_>]) -> Option<(usize, Value)> {
        let stated = self.evidence.iter().find(|stated| stated.path == path)?;
        let by = considered.iter().position(|considered| considered.at == stated.fact)?;
        let mut value = self.fields.get(path.split('.').next()?)?;
        for member in path.split('.').skip(1) {
            value = value.get(member)?;
        }
        Some((by, value.clone()))
    }

    /// Whether a value can stand at a path beside everything else that was chosen.
    fn fits_beside_all(&self, path: &str, value: &Value, considered: &[ConsideredFact<'_>]) -> bool {
        let beside = |other: &str, fit: &dyn Fn(&Value) -> bool| {
            self.statement(other, considered).is_none_or(|(_, stated)| fit(&stated))
        };
        PAIRS.iter().all(|(first, second, fit)| match path {
            _ if path == *first => beside(second, &|stated| fit(value, stated)),
            _ if path == *second => beside(first, &|stated| fit(stated, value)),
            _ => true,
        })
    }

    /// Puts another statement at a path, or none.
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
        match statement {
            Some((by, value)) => self.take(path, value, &considered[by]),
            None => *slot(&mut self.fields, path) = Value::Null,
        }
        let reason = format!("it cannot stand beside the {beside} that is known");
        let others = said.into_iter().flatten().filter(|(by, _)| considered[*by].speaks || statement.is_none());
        for (by, other) in others.filter(|(_, other)| statement.is_none_or(|(_, value)| !same(value, other))) {
            let conflict = Conflict::plain(path.to_owned(), (*other).clone(), considered[*by].at);
            self.conflicts.push(Conflict { reason: statement.is_none().then(|| reason.clone()), ..conflict });
        }
    }
}
