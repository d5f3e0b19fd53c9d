//! Chooses the value of each field of an item by the [`super::rules`], and keeps what other facts say instead. Contradictions between
//! single fields are removed at the end ([`contradictions`]). Days of the past that lie far ahead are no statement ([`days`]).

mod contradictions;
mod days;
mod together;
mod voting;

use std::borrow::Cow;

use foldhash::{HashMap, HashMapExt as _};
use serde_json::{Map, Value};

pub(super) use self::days::is_too_far_ahead;
use self::together::{Filled, Group, filled, withhold_inputs};
use self::voting::{Voted, voted};
use super::agreement::{agree, common, is_one};
use super::leaves::{is_prose, is_stated, slot, walk};
use super::rules::{self, Choice, RULES, Role, Rule};
use super::{Conflict, FieldEvidence, RejectedUrl};
use refdesk_core::{Kind, Stamp};

/// Whether a model's weights are published: best told by who says where.
const WEIGHTS: &str = "open_weights";
/// Why a value is not shown of which as many sellers state another.
const TIED: &str = "as many sellers state another value, so which is right is unknown";
/// Why of lists that equally many sellers state only the entries are shown that all of them have, and of days only their month.
const PARTLY_TIED: &str = "as many sellers state another value, so only what all of them state is shown";
/// Why a value is not shown that only other statements have than the one that was chosen.
const OF_ANOTHER: &str = "it belongs to another statement than the version, packages and addresses that are shown";
/// Why a value is not shown that only somebody else's entry of a registry states.
const OF_SOMEBODY_ELSE: &str = "only an entry states it that somebody else than the owner published";
/// The line of a model.
pub(super) const FAMILY: &str = "family";
/// Why a family is not shown.
const OF_ANOTHER_MAKER: &str = "it is another maker's, and no word of the model's ids and names";
/// Why a value is not shown that the chosen ones rule out.
const IMPOSSIBLE: &str = "it contradicts the other values that were chosen with it";

/// A fact that is considered on an item: live, or removed on an item that is itself gone.
#[derive(Debug, Default)]
pub struct ConsideredFact<'a> {
    /// Its index.
    pub at: usize,
    /// What it states, without addresses that are none.
    pub fields: Cow<'a, Map<String, Value>>,
    /// Those addresses.
    pub rejected_urls: Vec<RejectedUrl>,
    /// Whether it is stale: then it is considered only where nothing fresh states a field.
    pub stale: bool,
    /// Whether it is an entry of a registry that somebody else than the owner published ([`super::server::foreign`]).
    pub is_foreign: bool,
    /// What it is to the item.
    pub role: Role,
    /// Who sells, for a role that counts among sellers.
    pub seller: Option<&'a str>,
    /// Whether it is no seller's own list, and the rank of its source: of values that equally many state, that of the smallest counts.
    pub standing: (bool, i32),
    /// Whether it says that weights are published, and where.
    pub names_weights: bool,
    /// Whether what it says differently is a conflict about the item itself, and not only another seller's offer.
    pub speaks: bool,
    /// When its source was first seen to state what it does.
    pub stated_at: Stamp,
}

/// The fields of an item.
#[derive(Debug, Default)]
pub struct Chosen {
    /// Merged fields.
    pub fields: Map<String, Value>,
    /// Who states each stated leaf.
    pub evidence: Vec<FieldEvidence>,
    /// What others say instead.
    pub conflicts: Vec<Conflict>,
}

/// What the facts say of one leaf: place in `considered`, value.
pub type Statements<'a> = Vec<(usize, &'a Value)>;

/// Chooses the fields of an item. `considered` is in the order in which facts count: fresh before stale, then by role, rank, source and key.
/// `named_on` is the date in the name of a model, and `mistaken` has families that are none of it.
pub fn choose(kind: Kind, considered: &[ConsideredFact<'_>], named_on: Option<&str>, mistaken: &[&str]) -> Chosen {
    let mut chosen = Chosen::default();
    let (paths, mut statements) = statements(considered, &mut chosen.fields);
    days::withhold(&mut chosen, &paths, &mut statements, considered);
    chosen.withhold_families(mistaken, &paths, &mut statements, considered);
    withhold_inputs(&mut chosen, &paths, &mut statements, considered);
    if let Some(named_on) = named_on {
        days::withhold_before(named_on, &mut chosen, &paths, &mut statements, considered);
    }
    let numbers: Vec<usize> = paths.iter().map(|path| rules::number_of(kind, path)).collect();
    // Whether one value of a tie fits the other fields is known only once those are chosen.
    let mut ties = Vec::new();
    for (at, path) in paths.iter().enumerate() {
        let rule = &RULES[numbers[at]];
        if rule.choice == Choice::Each {
            // What others publish about a server tells of their packaging of it, even where nobody else says anything.
            if statements[at].iter().all(|(by, _)| considered[*by].is_foreign) {
                chosen.unknown(path, considered, statements[at].iter(), OF_SOMEBODY_ELSE);
                continue;
            }
            match each(kind, rule, path, considered, &statements[at]) {
                Some((role, Voted::One(by, value))) => {
                    chosen.take(path, value, considered[by].at, role);
                    chosen.conflicts(path, value, considered, &statements[at]);
                }
                Some((role, Voted::Tied(tied))) => ties.push((at, role, tied)),
                None => {}
            }
            continue;
        }
        // All fields of a rule are chosen with the first of them.
        if rule.choice != Choice::Offer && !numbers[..at].contains(&numbers[at]) {
            let is_of_group = |other: &usize| numbers[*other] == numbers[at];
            let members = (at..paths.len()).filter(is_of_group);
            let group: Vec<_> = members.map(|member| (paths[member].as_str(), &statements[member])).collect();
            chosen.together(rule, considered, &group);
        }
    }
    for (at, role, tied) in ties {
        let path = &paths[at];
        if let Some((by, value)) = contradictions::only_consistent(&chosen, path, &tied, considered) {
            chosen.take(path, value, considered[by].at, role);
            chosen.conflicts(path, value, considered, &statements[at]);
        } else if let Some(value) = common(path, &tied.iter().map(|(_, value)| *value).collect::<Vec<_>>()) {
            chosen.take(path, &value, considered[tied[0].0].at, role);
            let say_more = tied.iter().filter(|(_, stated)| !is_one(path, &value, stated));
            chosen.tell(path, considered, say_more, PARTLY_TIED);
            chosen.conflicts(path, &value, considered, &statements[at]);
        } else {
            chosen.unknown(path, considered, tied.iter(), TIED);
        }
    }
    if kind == Kind::Model {
        let said = |path: &str| paths.iter().position(|known| known == path).map(|at| &statements[at]);
        contradictions::remove_contradictions(&mut chosen, considered, said);
    }
    chosen
}

/// All leaves in the order in which they are met, and the shape of the fields with nothing stated.
fn statements<'a>(
    considered: &'a [ConsideredFact<'_>],
    fields: &mut Map<String, Value>,
) -> (Vec<String>, Vec<Statements<'a>>) {
    let mut numbers: HashMap<String, usize> = HashMap::new();
    let (mut paths, mut statements): (Vec<String>, Vec<Statements<'a>>) = (Vec::new(), Vec::new());
    for (by, fact) in considered.iter().enumerate() {
        let mut leaves = Vec::new();
        walk(&fact.fields, "", &mut leaves);
        for (path, value) in leaves {
            let place = slot(fields, &path);
            if !is_stated(value) {
                if place.is_null() {
                    *place = value.clone();
                }
                continue;
            }
            let number = *numbers.entry(path.clone()).or_insert_with(|| {
                paths.push(path);
                statements.push(Vec::new());
                paths.len() - 1
            });
            statements[number].push((by, value));
        }
    }
    (paths, statements)
}

/// What counts for a field that is chosen by itself, and the role that it is stated in.
fn each<'a>(
    kind: Kind,
    rule: &Rule,
    path: &str,
    considered: &[ConsideredFact<'_>],
    statements: &Statements<'a>,
) -> Option<(Role, Voted<'a>)> {
    let role_of = |at: usize| {
        let fact = &considered[at];
        if kind == Kind::Model && path == WEIGHTS && fact.names_weights { Role::Weights } else { fact.role }
    };
    tiers(rule).find_map(|(stale, role)| {
        let of_tier: Statements<'a> = statements
            .iter()
            .filter(|(at, _)| considered[*at].stale == stale && role_of(*at) == role)
            .copied()
            .collect();
        let (first, value) = *of_tier.first()?;
        // Every seller describes a thing in its own words.
        let is_voted = role.is_of_sellers() && !is_prose(path);
        Some((role, if is_voted { voted(path, considered, &of_tier)? } else { Voted::One(first, value) }))
    })
}

/// Fresh statements before stale ones, then the roles of the rule in their order.
fn tiers(rule: &Rule) -> impl Iterator<Item = (bool, Role)> {
    [false, true].into_iter().flat_map(|stale| rule.roles.iter().map(move |role| (stale, *role)))
}

impl Chosen {
    /// Puts a value at a path, with the fact that states it and what that is to the item.
    pub(super) fn take(&mut self, path: &str, value: &Value, fact: usize, role: Role) {
        *slot(&mut self.fields, path) = value.clone();
        self.evidence.push(FieldEvidence { path: path.to_owned(), fact, rule: role.as_str() });
    }

    /// Leaves fields unknown that are told elsewhere.
    pub fn forget(&mut self, paths: &[&str]) {
        self.evidence.retain(|stated| !paths.contains(&&*stated.path));
        self.conflicts.retain(|conflict| !paths.contains(&&*conflict.path));
        paths.iter().for_each(|path| *slot(&mut self.fields, path) = Value::Null);
    }

    /// Leaves a field unknown, and says why none of some statements is shown.
    fn unknown<'s, 'v: 's>(
        &mut self,
        path: &str,
        considered: &[ConsideredFact<'_>],
        statements: impl Iterator<Item = &'s (usize, &'v Value)>,
        reason: &str,
    ) {
        let mut statements = statements.peekable();
        let field = slot(&mut self.fields, path);
        // A list that nobody knows is empty in every answer.
        if field.is_null() && statements.peek().is_some_and(|(_, value)| value.is_array()) {
            *field = Value::Array(Vec::new());
        }
        self.tell(path, considered, statements, reason);
    }

    /// Lists statements as conflicts, with the reason why none of them is shown.
    fn tell<'s, 'v: 's>(
        &mut self,
        path: &str,
        considered: &[ConsideredFact<'_>],
        statements: impl Iterator<Item = &'s (usize, &'v Value)>,
        reason: &str,
    ) {
        let conflict = |(by, value): &(usize, &Value)| {
            Conflict::plain(path.to_owned(), (*value).clone(), considered[*by].at).because(reason)
        };
        self.conflicts.extend(statements.map(conflict));
    }

    /// Takes mistaken families out of the statements, and lists them as conflicts.
    fn withhold_families(
        &mut self,
        mistaken: &[&str],
        paths: &[String],
        statements: &mut [Statements<'_>],
        considered: &[ConsideredFact<'_>],
    ) {
        let Some(at) = paths.iter().position(|path| !mistaken.is_empty() && path == FAMILY) else { return };
        let is_mistaken = |(_, family): &(usize, &Value)| family.as_str().is_some_and(|said| mistaken.contains(&said));
        let (refuted, believed): (Statements<'_>, Statements<'_>) =
            statements[at].iter().copied().partition(is_mistaken);
        statements[at] = believed;
        self.unknown(FAMILY, considered, refuted.iter(), OF_ANOTHER_MAKER);
    }

    /// What the facts that speak for the item say instead of a value.
    fn conflicts(&mut self, path: &str, value: &Value, considered: &[ConsideredFact<'_>], statements: &Statements<'_>) {
        let contradicts = |(by, other): &&(usize, &Value)| considered[*by].speaks && !agree(path, value, other);
        for (by, other) in statements.iter().filter(contradicts) {
            self.conflicts.push(Conflict::plain(path.to_owned(), (*other).clone(), considered[*by].at));
        }
    }

    /// Chooses fields that only make sense together.
    fn together(&mut self, rule: &Rule, considered: &[ConsideredFact<'_>], group: &Group<'_, '_>) {
        let Filled { values, impossible, tied } = filled(rule, considered, group);
        for (place, (path, said)) in group.iter().enumerate() {
            if let Some((by, value)) = values[place] {
                self.take(path, value, considered[by].at, considered[by].role);
                self.conflicts(path, value, considered, said);
            } else if let Some((_, tied)) = tied.iter().find(|(of, _)| *of == place) {
                self.unknown(path, considered, tied.iter(), TIED);
            } else if matches!(rule.choice, Choice::Led(_)) {
                let of_others = said.iter().filter(|(by, _)| considered[*by].speaks);
                self.unknown(path, considered, of_others, OF_ANOTHER);
            }
            // A seller's other limits stand in its offer; here only what the item itself might have shown.
            for (_, by, value) in impossible
                .iter()
                .filter(|(of, by, _)| *of == place && values[place].is_none() && considered[*by].speaks)
            {
                let conflict = Conflict::plain((*path).to_owned(), (*value).clone(), considered[*by].at);
                self.conflicts.push(conflict.because(IMPOSSIBLE));
            }
        }
    }
}
