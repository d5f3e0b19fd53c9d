//! Models that are beyond a named one in something: `cheaper than gpt-4o`, `a bigger context than claude sonnet 4.5`, `half the price of o3`.
//! Its value, or a multiple, is the bound, and it is none of them. `comparative` reads the words of the comparison.

use std::ops::Range;

use rust_decimal::Decimal;
use serde_json::Value;

use super::comparative::{Comparative, Strictness, comparatives, first_comparative, joined};
use super::relation::{Relation, name_from};
use super::successor::model_named;
use crate::json;
use crate::resolve::model::makers::is_family;
use crate::segment::Segment;
use crate::snapshot::Snapshot;
use crate::understand::measures::Measure;
use crate::understand::modalities::of_mode;
use crate::understand::params::Param;
use crate::understand::words::{self, Word, Words};
use refdesk_core::Kind;
use refdesk_core::field::{self, Side};
use refdesk_search::text::{folded, is_stop_word};

/// What prices are told apart by, least first: there is no next price, as there is a next number of tokens.
const PRICE_STEP: Decimal = Decimal::from_parts(1, 0, 0, false, 6);
/// Longer names are none of a family.
const FAMILY_WORDS_MAX: usize = 3;
/// What stands between a name and the price of it that is compared: `cheaper than gpt-4o on output`.
const OF_PRICE: [&str; 4] = ["on", "for", "in", "per"];

/// Whether a question compares with something: `cheaper alternatives to gpt-4o` are not all there are.
pub fn is_said(words: &[Word<'_>]) -> bool {
    first_comparative(words).is_some()
}

/// Whether a question begins with the name of a line of models that it compares with something: `claude cheaper than opus 5`.
pub fn is_of_line(words: &[Word<'_>]) -> bool {
    words.first().is_some_and(|first| is_family(&first.folded))
        && first_comparative(words).is_some_and(|(start, _)| start == 1)
}

/// Whether a question describes models by several comparisons, each with a model of its own: `cheaper than gpt-5 with more context than o3`.
pub fn is_of_several(words: &[Word<'_>]) -> bool {
    let is_yes_or_no = words.is(0, &["is", "are", "does", "do", "has"]);
    !is_yes_or_no && comparatives(words).filter(|(_, comparative)| is_named(words, comparative)).nth(1).is_some()
}

/// Whether a comparison is with something that has a name: `cheaper than $5` compares with no model.
fn is_named(words: &[Word<'_>], comparative: &Comparative) -> bool {
    words.get(comparative.end).is_some_and(|next| !next.used && next.folded.starts_with(char::is_alphabetic))
}

/// The words of a comparison that was not read, though it is with something that has a name.
pub fn unread(words: &[Word<'_>]) -> Option<Range<usize>> {
    let (start, comparative) = comparatives(words).find(|(_, comparative)| is_named(words, comparative))?;
    let ends = |at: &usize| words[*at - 1].ends_clause || words[*at].used || is_stop_word(&words[*at].folded);
    let end = (comparative.end + 1..words.len()).find(ends).unwrap_or(words.len());
    Some(start..comparative.end_behind_name.unwrap_or(end).max(end))
}

/// The models that a question asks for so, if it does.
pub fn parse(snapshot: &Snapshot, words: &[Word<'_>]) -> Option<Relation> {
    comparatives(words).find_map(|(start, comparative)| compared(snapshot, words, start, comparative))
}

/// The models that a comparison asks for which begins at a position.
fn compared(snapshot: &Snapshot, words: &[Word<'_>], start: usize, comparative: Comparative) -> Option<Relation> {
    if !is_named(words, &comparative) {
        return None;
    }
    let single = |name: &str| model_named(snapshot, name);
    let current = |name: &str| current_of_family(snapshot, name, comparative.fields);
    let named = name_from(words, comparative.end, &single);
    let is_of_family = named.is_none();
    let (ordinal, name_end) = named.or_else(|| name_from(words, comparative.end, &current))?;
    let end = comparative.end_behind_name.unwrap_or(name_end);
    let (segment, row) = snapshot.locate(ordinal);
    let model: Value = json::read_own(segment.row(row));
    let mut params = vec![of_mode(&model)];
    let (fields, end) =
        fields_behind(words, end).filter(|_| comparative.is_of_price()).unwrap_or((comparative.fields, end));
    add_bounds(&mut params, &model, &Comparative { fields, ..comparative })?;
    let (behind, end) = joined(words, end).map_or((None, end), |(joined, end)| (Some(joined), end));
    let also = comparative.also.map(|(side, fields)| comparative.further(side, fields));
    for comparative in also.into_iter().chain(behind) {
        add_bounds(&mut params, &model, &comparative)?;
    }
    let warning = is_of_family.then(|| {
        let typed = words::text(&words[comparative.end..name_end]);
        format!("“{typed}” was read as `{}`, its current one", segment.id(row)).into()
    });
    Some(Relation { beside: Some(ordinal), warning, ..Relation::new(Kind::Model, start..end, params) })
}

/// The bounds that a comparison with a model sets behind its name, and where its words end: `with a larger context`.
pub fn joined_bounds(model: &Value, words: &[Word<'_>], at: usize) -> Option<(Vec<Param>, usize)> {
    let (comparative, end) = joined(words, at)?;
    let mut params = Vec::new();
    add_bounds(&mut params, model, &comparative)?;
    Some((params, end))
}

/// Adds the parameters for what is beyond a model in all that is compared; `None` where it does not state all of that.
fn add_bounds(params: &mut Vec<Param>, model: &Value, comparative: &Comparative) -> Option<()> {
    for name in comparative.fields {
        params.extend(bounds(name, number(model, name)?, comparative)?);
    }
    Some(())
}

/// A number that a model states, by the name of its field.
fn number<'m>(model: &'m Value, name: &str) -> Option<&'m Value> {
    let path = field::named(Kind::Model, name)?.path.replace('.', "/");
    model.pointer(&format!("/{path}")).filter(|value| value.is_number())
}

/// The one price that is named behind a name, and where its words end: `on output tokens`.
fn fields_behind(words: &[Word<'_>], at: usize) -> Option<(&'static [&'static str], usize)> {
    let priced = Measure::priced(words, at + 1)?;
    let end = at + 2;
    words.is(at, &OF_PRICE).then(|| (priced.fields(), words.past(end, &["tokens", "token", "price", "prices", "cost"])))
}

/// The parameters for what is beyond a value.
fn bounds(name: &str, value: &Value, comparative: &Comparative) -> Option<Vec<Param>> {
    let value: Decimal = value.to_string().parse().or_else(|_| Decimal::from_scientific(&value.to_string())).ok()?;
    let value = comparative.factor.of(value)?;
    let is_count = name.ends_with("_tokens");
    let step = match comparative.strictness {
        Strictness::Beyond if is_count => Decimal::ONE,
        Strictness::Beyond => PRICE_STEP,
        Strictness::UpTo => Decimal::ZERO,
    };
    let bound = |side: &Side| {
        let bound = match side {
            Side::Least if is_count && step.is_zero() => value.ceil(),
            Side::Least => if is_count { value.floor() } else { value }.checked_add(step)?,
            Side::Most if is_count && step.is_zero() => value.floor(),
            Side::Most => if is_count { value.ceil() } else { value }.checked_sub(step)?,
        };
        // Nothing is cheaper than what is free.
        (!bound.is_sign_negative()).then(|| (format!("{name}__{}", side.operator()), bound.normalize().to_string()))
    };
    comparative.sides.iter().map(bound).collect()
}

/// The current model of the one family that some words are a part of: the newest active one with a day of release, `claude-haiku-4-5` of
/// `haiku`. Nothing for what many families are called by (`claude`).
fn current_of_family(snapshot: &Snapshot, name: &str, fields: &[&str]) -> Option<u32> {
    let folded = folded(name);
    let said: Vec<&str> = folded.split([' ', '-']).filter(|word| !word.is_empty()).collect();
    if said.len() > FAMILY_WORDS_MAX || (said.len() == 1 && is_family(&folded)) {
        return None;
    }
    let segment = snapshot.segment(Kind::Model);
    let column = segment.column("family")?;
    let parts = |family: &str| family.split('-').count();
    let is_meant = |family: &&str| said.iter().all(|word| family.split('-').any(|part| part == *word));
    let meant: Vec<&str> = column.values.iter().filter(is_meant).collect();
    let fewest = meant.iter().map(|family| parts(family)).min()?;
    let mut shortest = meant.iter().filter(|family| parts(family) == fewest);
    let family = shortest.next().filter(|_| shortest.next().is_none())?;
    let rows = (0..segment.len()).filter(|row| column.value(*row) == Some(*family));
    let row = newest(segment, rows.filter(|row| snapshot.shows(Kind::Model, *row)), fields)?;
    Some(snapshot.ordinal(Kind::Model, row))
}

/// The newest active model of some rows that states what is compared; of one day, that with the shortest id, which has no day in it.
fn newest(segment: &Segment, rows: impl Iterator<Item = u32>, fields: &[&str]) -> Option<u32> {
    let dated = rows.filter_map(|row| {
        let model: Value = json::read_own(segment.row(row));
        let text = |name: &str| model.get(name).and_then(Value::as_str);
        let is_stated = fields.iter().all(|name| number(&model, name).is_some());
        let released = text("released_on").filter(|_| is_stated && text("status") == Some("active"))?;
        Some((released.to_owned(), std::cmp::Reverse(segment.id(row).len()), row))
    });
    dated.max().map(|(_, _, row)| row)
}
