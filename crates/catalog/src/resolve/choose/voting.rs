//! Plurality votes: of what many sellers state of a field, the value that most of them state, each counted once.

use serde_json::Value;

use super::{ConsideredFact, Statements};
use crate::resolve::agreement::{are_rounded, has_own_word, is_one, is_within};
use crate::resolve::leaves::same;

/// What those say who count equally.
pub(super) enum Voted<'a> {
    /// This statement counts.
    One(usize, &'a Value),
    /// As many state one of these as another, and no source of theirs is better: which is right is unknown.
    Tied(Statements<'a>),
}

/// The value that most sellers state, each counted once; of several, the one that the best source states.
pub(super) fn voted<'a>(
    path: &str,
    considered: &[ConsideredFact<'_>],
    statements: &Statements<'a>,
) -> Option<Voted<'a>> {
    let votes = votes(path, considered, statements);
    let most = votes.iter().copied().max()?;
    let stated = statements.iter().zip(&votes).filter(|(_, count)| **count == most).map(|(statement, _)| *statement);
    let best = stated.clone().map(|(at, _)| considered[at].standing).min()?;
    let of_best: Statements<'a> = stated.filter(|(at, _)| considered[*at].standing == best).collect();
    let (first, value) = *of_best.first()?;
    let mut distinct: Statements<'a> = Vec::new();
    for (at, value) in of_best {
        if !distinct.iter().any(|(_, known)| is_one(path, known, value)) {
            distinct.push((at, value));
        }
    }
    Some(if distinct.len() == 1 {
        in_words_of_most(path, (first, value), statements)
    } else {
        rounded(&distinct).or_else(|| least_exact(&distinct)).unwrap_or(Voted::Tied(distinct))
    })
}

/// A statement, or the first that says the same in the words of most sources, if any does.
fn in_words_of_most<'a>(path: &str, stated: (usize, &'a Value), statements: &Statements<'a>) -> Voted<'a> {
    let says_so = |(_, other): &&(usize, &Value)| is_one(path, stated.1, other) && !has_own_word(other);
    let other = has_own_word(stated.1).then(|| statements.iter().find(says_so)).flatten();
    let (at, value) = other.copied().unwrap_or(stated);
    Voted::One(at, value)
}

/// Of whole numbers that differ only as they are rounded, 131,072 and 128,000, the smallest: so much all of them state.
fn rounded<'a>(statements: &Statements<'a>) -> Option<Voted<'a>> {
    let numbers: Vec<u64> = statements.iter().map(|(_, value)| value.as_u64()).collect::<Option<_>>()?;
    let (least, most) = (*numbers.iter().min()?, *numbers.iter().max()?);
    let (at, value) = statements[numbers.iter().position(|number| *number == least)?];
    are_rounded(least, most).then_some(Voted::One(at, value))
}

/// Of dates that lie within each other, `2025-01-15` and `2025-01`, the least exact: so much all of them state.
fn least_exact<'a>(statements: &Statements<'a>) -> Option<Voted<'a>> {
    let lies_in = |whole: &Value| statements.iter().all(|(_, date)| same(date, whole) || is_within(date, whole));
    statements.iter().find(|(_, date)| lies_in(date)).map(|(at, date)| Voted::One(*at, date))
}

/// How many sellers state the value of each statement.
pub(super) fn votes(path: &str, considered: &[ConsideredFact<'_>], statements: &Statements<'_>) -> Vec<usize> {
    let mut counted: Vec<Option<&str>> = Vec::new();
    let mut ballots: Vec<&Value> = Vec::new();
    for (at, value) in statements {
        if !counted.contains(&considered[*at].seller) {
            counted.push(considered[*at].seller);
            ballots.push(value);
        }
    }
    statements.iter().map(|(_, value)| ballots.iter().filter(|ballot| is_one(path, ballot, value)).count()).collect()
}
