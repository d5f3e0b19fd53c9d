//! A bad request in the words of the command line: flags instead of parameters, and the nearest word that is known.

use refdesk_core::Kind;
use refdesk_core::item::Domain;
use refdesk_core::query::{Allowed, Expected, QueryError, SearchQuery};

use crate::cli::kind_word;
use crate::cli::parameters::{beside, flag};
use crate::output::Refusal;
use refdesk_core::nearest::meant;

/// What the core refused, for whoever typed it.
pub fn wrong(error: QueryError) -> anyhow::Error {
    let takes = error.takes();
    let QueryError { param, found, expected, detail, values, meant, .. } = error;
    let wanted = match expected {
        Expected::Text => return refused("the text to look for is blank"),
        Expected::Parameter => return misplaced(&param, &values),
        Expected::TypeBeside => return needs_type(&found),
        Expected::OneOf(Allowed::Types) => return wrong_kind(&found, &Kind::SEARCHED),
        Expected::OneOf(Allowed::Kinds) => return wrong_kind(&found, &Kind::ALL),
        Expected::Described => return described(&param, &detail, meant),
        Expected::OneOf(Allowed::Domains) => format!("one of the domains {}", Domain::WORDS.join(", ")),
        Expected::Boolean | Expected::Number { .. } | Expected::Mode => takes.unwrap_or_default(),
    };
    let told = format!("{} takes {wanted}; it was {found}", flag(&param));
    match meant {
        Some(meant) => refused_near(format!("{told} (did you mean `{meant}`?)"), &meant),
        None => refused(told),
    }
}

/// The same where a parameter is no flag but a word of the command, in capitals as the help has it.
pub fn wrong_word(error: QueryError, parameters: &[&str], word: &str) -> anyhow::Error {
    match parameters.iter().find(|parameter| *error.param == ***parameter) {
        Some(parameter) => refused(error.detail.replace(&format!("`{parameter}`"), word)),
        None => wrong(error),
    }
}

/// Refuses the flag of another kind. REST warns of a parameter that it does not know; who types a flag wants what it does.
pub fn only_known(given: &[(&str, &str)], known: &[&'static str]) -> anyhow::Result<()> {
    match given.iter().find(|(name, _)| !known.contains(name)) {
        Some((name, _)) => Err(misplaced(name, &[])),
        None => Ok(()),
    }
}

fn refused(detail: impl Into<String>) -> anyhow::Error {
    Refusal::invalid_query(detail).into()
}

/// The same with what may have been meant.
fn refused_near(detail: String, meant: &str) -> anyhow::Error {
    Refusal { suggestions: vec![meant.to_owned()], ..Refusal::invalid_query(detail) }.into()
}

/// What the core says in a sentence of its own. Its hint repeats that sentence for REST.
fn described(param: &str, detail: &str, meant: Option<Box<str>>) -> anyhow::Error {
    let told = beside(param, detail);
    let told = told.replacen(&format!("`{}`", flag(param)), &flag(param), 1);
    match meant {
        Some(meant) => refused_near(format!("{} Did you mean `{meant}`?", told.trim_end()), &meant),
        None => refused(told),
    }
}

/// A kind that there is not, or that a search does not look through, with those that there are as commands take them.
fn wrong_kind(found: &str, kinds: &[Kind]) -> anyhow::Error {
    let words: Vec<String> = kinds.iter().copied().map(kind_word).collect();
    let others = if kinds.contains(&Kind::Framework) { "" } else { " (`refdesk route` finds frameworks)" };
    let told = |near: &str, all: &str| format!("--type takes one of {all}{others}; it was {found}{near}");
    Refusal::unknown(Refusal::invalid_query, found.trim_matches('"'), words.iter().map(String::as_str), told).into()
}

/// A filter of another kind, or of none.
fn misplaced(param: &str, values: &[std::borrow::Cow<'static, str>]) -> anyhow::Error {
    let of: Vec<&str> = Kind::ALL
        .into_iter()
        .filter(|kind| refdesk_core::query::ListQuery::names(*kind).contains(&param))
        .map(Kind::label)
        .collect();
    let only = if of.is_empty() { String::new() } else { format!(" (only of: {})", of.join(", ")) };
    let told = format!("{} does not apply here{only}", flag(param));
    match meant(param, values.iter().map(AsRef::as_ref)) {
        Some(meant) => refused_near(format!("{told} (did you mean {}?)", flag(meant)), meant),
        None => refused(format!("{told}; `refdesk list --help` lists the filters and their kinds")),
    }
}

/// A filter, an order or a table of one kind, in a search of all.
fn needs_type(name: &str) -> anyhow::Error {
    let takes = |kind: &Kind| SearchQuery::names(Some(*kind)).contains(&name);
    let kinds: Vec<String> = Kind::SEARCHED.into_iter().filter(takes).map(kind_word).collect();
    let or = if name == "facets" { "; without one it counts `type` alone" } else { "" };
    refused(format!("{} needs --type: one of {}{or}", flag(name), kinds.join(", ")))
}
