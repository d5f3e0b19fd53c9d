//! Fields that only make sense together, limits and dates: they are filled from one fact after the other, as far as the values agree.

use foldhash::{HashMap, HashSet};
use serde_json::Value;

use super::voting::{Voted, voted, votes};
use super::{Chosen, ConsideredFact, Statements, tiers};
use crate::resolve::leaves::same;
use crate::resolve::rules::{Choice, Role, Rule};

const WHOLE_LIMIT: &str = "limits.context_tokens";
const INPUT_LIMIT: &str = "limits.input_tokens";
/// Why a context is not shown that a list has of a snapshot.
const INPUT_OF_UNDATED: &str = "it is the input limit of the model's undated name";

/// Fields that are chosen together: their paths, each with what is said of it.
pub(super) type Group<'g, 'a> = [(&'g str, &'g Statements<'a>)];

/// What was chosen of each field of a group: place in `considered`, value.
type Values<'a> = [Option<(usize, &'a Value)>];

/// The fields of a group.
pub(super) struct Filled<'a> {
    /// The chosen statement of each.
    pub(super) values: Vec<Option<(usize, &'a Value)>>,
    /// Place in the group, place in `considered` and value of those that the chosen ones rule out.
    pub(super) impossible: Vec<(usize, usize, &'a Value)>,
    /// Places in the group of which as many sellers state one value as another.
    pub(super) tied: Vec<(usize, Statements<'a>)>,
}

/// Takes contexts out of the statements that are the input limit of the undated name, and lists them as conflicts: a list with one field for
/// both has the context in it of some models, and of others the input.
pub(super) fn withhold_inputs(
    chosen: &mut Chosen,
    paths: &[String],
    statements: &mut [Statements<'_>],
    considered: &[ConsideredFact<'_>],
) {
    let place = |path: &str| paths.iter().position(|known| known == path);
    let (Some(whole), Some(input)) = (place(WHOLE_LIMIT), place(INPUT_LIMIT)) else { return };
    let is_of_undated = |(by, _): &(usize, &Value)| considered[*by].role == Role::Undated;
    let inputs: Statements<'_> = statements[input].iter().copied().filter(is_of_undated).collect();
    let is_input = |said: &(usize, &Value)| {
        let is_same =
            |(of, input): &(usize, &Value)| considered[said.0].stale >= considered[*of].stale && same(input, said.1);
        !is_of_undated(said) && inputs.iter().any(is_same)
    };
    let (refuted, believed): (Statements<'_>, Statements<'_>) = statements[whole].iter().copied().partition(is_input);
    statements[whole] = believed;
    chosen.tell(WHOLE_LIMIT, considered, refuted.iter().filter(|(by, _)| considered[*by].speaks), INPUT_OF_UNDATED);
}

/// Fills the fields of a group from one fact after the other, as far as the rule allows and the values agree.
pub(super) fn filled<'a>(rule: &Rule, considered: &[ConsideredFact<'_>], group: &Group<'_, 'a>) -> Filled<'a> {
    let mut values: Vec<Option<(usize, &Value)>> = vec![None; group.len()];
    let (mut impossible, mut tied) = (Vec::new(), Vec::<(usize, Statements<'a>)>::new());
    let is_leading = |path: &str| matches!(rule.choice, Choice::Led(fields) if fields.contains(&path));
    for by in in_order(rule, considered, group) {
        // Fields of which one source speaks and no other.
        let is_told = |leading: bool| {
            group.iter().zip(&values).any(|((path, _), value)| value.is_some() && is_leading(path) == leading)
        };
        let told = match rule.choice {
            Choice::Together | Choice::Led(_) => [is_told(false), is_told(true)],
            Choice::Each | Choice::Checked | Choice::Offer => [false, false],
        };
        for (place, (path, said)) in group.iter().enumerate() {
            if told[usize::from(is_leading(path))] {
                continue;
            }
            let stated = said.iter().find(|(at, _)| *at == by);
            let Some((_, value)) = stated.filter(|_| values[place].is_none()) else { continue };
            let is_torn = || tied.iter().any(|(of, _)| group[*of].0 == WHOLE_LIMIT);
            if *path == INPUT_LIMIT
                && considered[by].role.is_of_sellers()
                && (is_torn() || is_a_cap(considered, by, said, whole(group, &values)))
            {
                continue;
            }
            let (mut by, mut value) = (by, *value);
            if considered[by].role.is_of_sellers() {
                if tied.iter().any(|(of, _)| *of == place) {
                    continue;
                }
                match voted(path, considered, &rivals(considered, by, group, &values, place)) {
                    Some(Voted::Tied(equal)) => {
                        tied.push((place, equal));
                        continue;
                    }
                    Some(Voted::One(best, of_most)) => (by, value) = (best, of_most),
                    None => {}
                }
            }
            values[place] = Some((by, value));
            if !can_be(group, &values) {
                values[place] = None;
                impossible.push((place, by, value));
            }
        }
    }
    Filled { values, impossible, tied }
}

/// What those say of a field of a group who count as much as a fact does, and agree with what was chosen of the fields before it.
fn rivals<'a>(
    considered: &[ConsideredFact<'_>],
    by: usize,
    group: &Group<'_, 'a>,
    values: &Values<'a>,
    place: usize,
) -> Statements<'a> {
    let agrees = |at: usize| {
        (0..place).all(|before| {
            let stated = group[before].1.iter().find(|(other, _)| *other == at);
            stated.is_none_or(|(_, value)| values[before].is_none_or(|(_, chosen)| same(value, chosen)))
        })
    };
    let counts_as_much =
        |at: usize| considered[at].stale == considered[by].stale && considered[at].role == considered[by].role;
    group[place].1.iter().filter(|(at, _)| counts_as_much(*at) && agrees(*at)).copied().collect()
}

/// Whether an input limit that a seller states is its own cap rather than the model's: a more reliable source states the context, or no more
/// than half of the sellers agree.
fn is_a_cap(considered: &[ConsideredFact<'_>], by: usize, statements: &Statements<'_>, whole: Option<usize>) -> bool {
    let of_sellers: Statements<'_> =
        statements.iter().filter(|(at, _)| considered[*at].role.is_of_sellers()).copied().collect();
    let sellers: HashSet<Option<&str>> = of_sellers.iter().map(|(at, _)| considered[*at].seller).collect();
    let votes = votes(INPUT_LIMIT, considered, &of_sellers);
    let agree = of_sellers.iter().position(|(at, _)| *at == by).map_or(0, |place| votes[place]);
    whole.is_some_and(|whole| !considered[whole].role.is_of_sellers()) || agree * 2 <= sellers.len()
}

/// Who states the context that was chosen.
fn whole(group: &Group<'_, '_>, values: &Values<'_>) -> Option<usize> {
    let place = group.iter().position(|(path, _)| *path == WHOLE_LIMIT)?;
    values[place].map(|(by, _)| by)
}

/// The facts that a group is asked of, in the order of the rule; among sellers those first whose values most sellers state. Those that state
/// what leads go before all others, stale ones too: a source that is down must not take away how a server is installed.
fn in_order(rule: &Rule, considered: &[ConsideredFact<'_>], group: &Group<'_, '_>) -> Vec<usize> {
    let mut order = Vec::new();
    for (stale, role) in tiers(rule) {
        let mut of_tier: Vec<usize> =
            (0..considered.len()).filter(|at| considered[*at].stale == stale && considered[*at].role == role).collect();
        if role.is_of_sellers() && of_tier.len() > 1 {
            let counted: Vec<HashMap<usize, usize>> = group
                .iter()
                .map(|(path, said)| {
                    let stated: Statements<'_> = said.iter().filter(|(at, _)| of_tier.contains(at)).copied().collect();
                    stated.iter().map(|(at, _)| *at).zip(votes(path, considered, &stated)).collect()
                })
                .collect();
            let support = |at: &usize| -> Vec<usize> {
                counted.iter().map(|votes| votes.get(at).copied().unwrap_or_default()).collect()
            };
            of_tier.sort_by_cached_key(|at| std::cmp::Reverse(support(at)));
        }
        order.extend(of_tier);
    }
    if let Choice::Led(fields) = rule.choice {
        // Whoever publishes an entry about somebody's repository must not be installed in the owner's name.
        order.retain(|at| !considered[*at].is_foreign);
        let leading = || group.iter().filter(|(path, _)| fields.contains(path));
        order.sort_by_key(|at| !leading().any(|(_, said)| said.iter().any(|(by, _)| by == at)));
    }
    order
}

/// Whether the values of a group agree with each other: no part of a context above the whole, no deprecation after the end.
fn can_be(group: &Group<'_, '_>, values: &Values<'_>) -> bool {
    let value = |path: &str| {
        let place = group.iter().position(|(known, _)| *known == path)?;
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
