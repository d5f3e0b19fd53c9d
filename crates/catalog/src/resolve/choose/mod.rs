//! Chooses the value of each field of an item by the [`super::rules`], and keeps what other facts say instead. Contradictions between
//! single fields are removed at the end ([`contradictions`]).

mod contradictions;

use std::borrow::Cow;
use std::collections::HashMap;

use serde_json::{Map, Value};

use super::leaves::{is_stated, same, slot, walk};
use super::rules::{self, Choice, RULES, Role, Rule};
use super::{Conflict, FieldEvidence, RejectedUrl};
use refdesk_core::Kind;

const WHOLE_LIMIT: &str = "limits.context_tokens";
const INPUT_LIMIT: &str = "limits.input_tokens";

/// A fact that is considered on an item: live, or removed on an item that is itself gone.
#[derive(Debug)]
pub struct ConsideredFact<'a> {
    /// Its index.
    pub at: usize,
    /// What it states, without addresses that are none.
    pub fields: Cow<'a, Map<String, Value>>,
    /// Those addresses.
    pub rejected_urls: Vec<RejectedUrl>,
    /// Whether it is stale: then it is considered only where nothing fresh states a field.
    pub stale: bool,
    /// What it is to the item.
    pub role: Role,
    /// Who sells, for a role that counts among sellers.
    pub seller: Option<&'a str>,
    /// Whether what it says differently is a conflict about the item itself, and not only another seller's offer.
    pub speaks: bool,
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
pub fn choose(kind: Kind, considered: &[ConsideredFact<'_>]) -> Chosen {
    let mut chosen = Chosen::default();
    let (paths, statements) = statements(considered, &mut chosen.fields);
    let numbers: Vec<usize> = paths.iter().map(|path| rules::number_of(kind, path)).collect();
    for (at, path) in paths.iter().enumerate() {
        let rule = &RULES[numbers[at]];
        if rule.choice == Choice::Each {
            if let Some((by, value)) = each(rule, considered, &statements[at]) {
                chosen.take(path, value, &considered[by]);
                chosen.conflicts(path, value, considered, &statements[at]);
            }
            continue;
        }
        // All fields of a rule are chosen with the first of them.
        if rule.choice != Choice::Offer && !numbers[..at].contains(&numbers[at]) {
            let group: Vec<usize> = (at..paths.len()).filter(|other| numbers[*other] == numbers[at]).collect();
            chosen.together(rule, considered, &group, &paths, &statements);
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

/// The statement that counts for a field that is chosen by itself.
fn each<'a>(rule: &Rule, considered: &[ConsideredFact<'_>], statements: &Statements<'a>) -> Option<(usize, &'a Value)> {
    tiers(rule).find_map(|(stale, role)| {
        let of_tier: Statements<'a> = statements
            .iter()
            .filter(|(at, _)| considered[*at].stale == stale && considered[*at].role == role)
            .copied()
            .collect();
        if role.is_of_sellers() { most_stated(considered, &of_tier) } else { of_tier.first().copied() }
    })
}

/// Fresh statements before stale ones, then the roles of the rule in their order.
fn tiers(rule: &Rule) -> impl Iterator<Item = (bool, Role)> {
    [false, true].into_iter().flat_map(|stale| rule.roles.iter().map(move |role| (stale, *role)))
}

/// The value that most sellers state, each counted once; of several, the one that is stated by the best of them.
fn most_stated<'a>(considered: &[ConsideredFact<'_>], statements: &Statements<'a>) -> Option<(usize, &'a Value)> {
    let votes = votes(considered, statements);
    let most = votes.iter().copied().max()?;
    votes.iter().position(|count| *count == most).map(|at| statements[at])
}

/// How many sellers state the value of each statement.
fn votes(considered: &[ConsideredFact<'_>], statements: &Statements<'_>) -> Vec<usize> {
    let mut counted: Vec<Option<&str>> = Vec::new();
    let mut ballots: Vec<&Value> = Vec::new();
    for (at, value) in statements {
        if !counted.contains(&considered[*at].seller) {
            counted.push(considered[*at].seller);
            ballots.push(value);
        }
    }
    statements.iter().map(|(_, value)| ballots.iter().filter(|ballot| same(ballot, value)).count()).collect()
}

impl Chosen {
    /// Puts a value at a path, with who states it.
    pub(super) fn take(&mut self, path: &str, value: &Value, by: &ConsideredFact<'_>) {
        *slot(&mut self.fields, path) = value.clone();
        self.evidence.push(FieldEvidence { path: path.to_owned(), fact: by.at, rule: by.role.as_str() });
    }

    /// What the facts that speak for the item say instead of a value.
    fn conflicts(&mut self, path: &str, value: &Value, considered: &[ConsideredFact<'_>], statements: &Statements<'_>) {
        for (by, other) in statements.iter().filter(|(by, other)| considered[*by].speaks && !same(value, other)) {
            self.conflicts.push(Conflict::plain(path.to_owned(), (*other).clone(), considered[*by].at));
        }
    }

    /// Chooses fields that only make sense together.
    fn together(
        &mut self,
        rule: &Rule,
        considered: &[ConsideredFact<'_>],
        group: &[usize],
        paths: &[String],
        statements: &[Statements<'_>],
    ) {
        let (values, impossible) = filled(rule, considered, group, paths, statements);
        for (place, member) in group.iter().enumerate() {
            let path = &paths[*member];
            if let Some((by, value)) = values[place] {
                self.take(path, value, &considered[by]);
                self.conflicts(path, value, considered, &statements[*member]);
            }
            // A seller's other limits stand in its offer; here only what the item itself might have shown.
            for (_, by, value) in impossible
                .iter()
                .filter(|(of, by, _)| *of == place && values[place].is_none() && considered[*by].speaks)
            {
                let reason = "it cannot stand beside the other values that were chosen with it".to_owned();
                let conflict = Conflict {
                    reason: Some(reason),
                    ..Conflict::plain(path.clone(), (*value).clone(), considered[*by].at)
                };
                self.conflicts.push(conflict);
            }
        }
    }
}

/// The chosen statement of each field of a group; and as place in the group, place in `considered` and value, those that the chosen ones rule out.
type Filled<'a> = (Vec<Option<(usize, &'a Value)>>, Vec<(usize, usize, &'a Value)>);

/// Fills the fields of a group from one fact after the other, as far as the rule allows and the values agree.
fn filled<'a>(
    rule: &Rule,
    considered: &[ConsideredFact<'_>],
    group: &[usize],
    paths: &[String],
    statements: &[Statements<'a>],
) -> Filled<'a> {
    let mut values: Vec<Option<(usize, &Value)>> = vec![None; group.len()];
    let mut impossible = Vec::new();
    for by in in_order(rule, considered, group, statements) {
        if rule.choice == Choice::Together && values.iter().any(Option::is_some) {
            break;
        }
        for (place, member) in group.iter().enumerate() {
            let stated = statements[*member].iter().find(|(at, _)| *at == by);
            let Some((_, value)) = stated.filter(|_| values[place].is_none()) else { continue };
            if paths[*member] == INPUT_LIMIT
                && is_a_cap(considered, by, &statements[*member], whole(paths, group, &values))
            {
                continue;
            }
            values[place] = Some((by, value));
            if !can_be(paths, group, &values) {
                values[place] = None;
                impossible.push((place, by, *value));
            }
        }
    }
    (values, impossible)
}

/// Whether an input limit that a seller states is its own cap rather than the model's: a more reliable source states the context, or no more
/// than half of the sellers agree.
fn is_a_cap(considered: &[ConsideredFact<'_>], by: usize, statements: &Statements<'_>, whole: Option<usize>) -> bool {
    if !considered[by].role.is_of_sellers() {
        return false;
    }
    let of_sellers: Statements<'_> =
        statements.iter().filter(|(at, _)| considered[*at].role.is_of_sellers()).copied().collect();
    let mut sellers: Vec<Option<&str>> = of_sellers.iter().map(|(at, _)| considered[*at].seller).collect();
    sellers.sort_unstable();
    sellers.dedup();
    let votes = votes(considered, &of_sellers);
    let agree = of_sellers.iter().position(|(at, _)| *at == by).map_or(0, |place| votes[place]);
    whole.is_some_and(|whole| !considered[whole].role.is_of_sellers()) || agree * 2 <= sellers.len()
}

/// Who states the context that was chosen.
fn whole(paths: &[String], group: &[usize], values: &[Option<(usize, &Value)>]) -> Option<usize> {
    let place = group.iter().position(|member| paths[*member] == WHOLE_LIMIT)?;
    values[place].map(|(by, _)| by)
}

/// The facts that a group is asked of, in the order of the rule; among sellers those first whose values most sellers state.
fn in_order(
    rule: &Rule,
    considered: &[ConsideredFact<'_>],
    group: &[usize],
    statements: &[Statements<'_>],
) -> Vec<usize> {
    let mut order = Vec::new();
    for (stale, role) in tiers(rule) {
        let mut of_tier: Vec<usize> =
            (0..considered.len()).filter(|at| considered[*at].stale == stale && considered[*at].role == role).collect();
        if role.is_of_sellers() && of_tier.len() > 1 {
            let counted: Vec<HashMap<usize, usize>> = group
                .iter()
                .map(|member| {
                    let stated: Statements<'_> =
                        statements[*member].iter().filter(|(at, _)| of_tier.contains(at)).copied().collect();
                    stated.iter().map(|(at, _)| *at).zip(votes(considered, &stated)).collect()
                })
                .collect();
            let support = |at: &usize| -> Vec<usize> {
                counted.iter().map(|votes| votes.get(at).copied().unwrap_or_default()).collect()
            };
            of_tier.sort_by_cached_key(|at| std::cmp::Reverse(support(at)));
        }
        order.extend(of_tier);
    }
    order
}

/// Whether the values of a group agree with each other: no part of a context above the whole, no deprecation after the end.
fn can_be(paths: &[String], group: &[usize], values: &[Option<(usize, &Value)>]) -> bool {
    let value = |path: &str| {
        let place = group.iter().position(|member| paths[*member] == path)?;
        values[place].map(|(_, value)| value)
    };
    let tokens = |path: &str| value(path).and_then(Value::as_u64);
    let within = |part: &str| match (tokens(WHOLE_LIMIT), tokens(part)) {
        (Some(whole), Some(part)) => part <= whole,
        _ => true,
    };
    let dates = match (value("deprecated_on").and_then(Value::as_str), value("retires_on").and_then(Value::as_str)) {
        (Some(deprecated), Some(retires)) => deprecated <= retires,
        _ => true,
    };
    within(INPUT_LIMIT) && within("limits.output_tokens") && dates
}
