//! Facets: how many rows have each value of a field, under all filters but those of the field itself, so that another value of it can
//! still be chosen. Where values are counted as added ([`Selection::counts_as_added`]), what bounds other values of the field stays.
//!
//! [`Selection::counts_as_added`]: refdesk_core::query::Selection::counts_as_added

use std::borrow::Cow;
use std::collections::HashMap;

use super::{Prepared, Reader, TextFilter};
use crate::columns::{Column, Sets, UNKNOWN, is_called, is_same_word};
use crate::resolve::model::makers::seller_name;
use refdesk_core::field::FieldDef;
use refdesk_core::query::{ListQuery, Test};

/// The counts of a field.
#[derive(Debug, PartialEq, Eq)]
pub struct Facet {
    /// The field.
    pub field: &'static FieldDef,
    /// Its values, the most frequent first.
    pub values: Vec<FacetValue>,
    /// Rows of which the value is unknown.
    pub missing: usize,
    /// Whether there are more values than are listed.
    pub truncated: bool,
}

/// A value and its count.
#[derive(Debug, PartialEq, Eq)]
pub struct FacetValue {
    /// The value as a filter takes it.
    pub value: String,
    /// Rows that have it.
    pub count: usize,
    /// Whether a filter asks for it.
    pub selected: bool,
}

/// The rows that are counted.
pub(super) struct CountedRows<'a> {
    /// Those before the filters were applied.
    pub before: Vec<u32>,
    /// Those that meet all filters and match the text.
    pub left: &'a [u32],
    /// The text.
    pub words: Option<&'a TextFilter<'a>>,
}

/// Counts the facets of a query.
pub(super) fn count(
    reader: &Reader<'_>,
    of: &CountedRows<'_>,
    conditions: &[Prepared<'_>],
    query: &ListQuery,
) -> Vec<Facet> {
    let selection = &query.selection;
    let of_field = |field: &'static FieldDef| {
        let column = reader.column(field)?;
        let stays = |condition: &&Prepared<'_>| {
            condition.field != field || selection.counts_as_added && condition.test.bounds_other_values()
        };
        let rows = if conditions.iter().any(|condition| !stays(&condition)) {
            let mut rows = of.before.clone();
            reader.retain(&mut rows, conditions.iter().filter(stays), query.fresh_only);
            Cow::Owned(match of.words {
                Some(words) => words.among(&rows, query.fresh_only),
                None => rows,
            })
        } else {
            Cow::Borrowed(of.left)
        };
        let (by_code, partly_fresh) = by_number(reader, &rows, field, column);
        let missing = by_code[UNKNOWN as usize];
        let is_meant = if field.is_seller() { is_called } else { is_same_word };
        let selected = |value: &str| {
            selection.conditions.iter().filter(|condition| condition.field == field).any(|condition| {
                match &condition.test {
                    Test::AnyOf(words) | Test::AllOf(words) => words.iter().any(|word| is_meant(value, word)),
                    Test::Is(flag) => value == flag.to_string(),
                    _ => false,
                }
            })
        };
        // What is known not to be there is a filter, but nothing to count.
        let counted = by_value(field, column, &by_code, &partly_fresh)
            .into_iter()
            .filter(|(value, count)| *count > 0 && !value.starts_with('!'));
        let mut values: Vec<FacetValue> = counted
            .map(|(value, count)| FacetValue { value: value.to_owned(), count, selected: selected(value) })
            .collect();
        values.sort_by_key(|value| std::cmp::Reverse(value.count));
        let truncated = values.len() > selection.facet_size;
        values.truncate(selection.facet_size);
        Some(Facet { field, values, missing, truncated })
    };
    selection.facets.iter().filter_map(|field| of_field(field)).collect()
}

/// How many rows have each number of a column; and, where only what is fresh counts, the values of each row of which a part is stale.
fn by_number(reader: &Reader<'_>, rows: &[u32], field: &FieldDef, column: &Column) -> (Vec<usize>, Vec<Vec<u32>>) {
    let mut by_code = vec![0_usize; column.codes.max() as usize + 1];
    let mut partly_fresh = Vec::new();
    if !reader.fresh_only {
        column.codes.for_each(rows, |code| by_code[code as usize] += 1);
        return (by_code, partly_fresh);
    }
    for row in rows {
        match reader.segment.fresh_words(*row, field).map(|words| column.among(*row, &words)) {
            Some(set) if set.is_empty() => by_code[UNKNOWN as usize] += 1,
            Some(set) => partly_fresh.push(set),
            None => by_code[reader.fresh_code(*row, field, column) as usize] += 1,
        }
    }
    (by_code, partly_fresh)
}

/// The rows of each value, given those of each number of a column, and the values of further rows. Spellings that are one value to a filter,
/// those that differ in case and all of a seller, are one here, too, in the most frequent of them.
fn by_value<'a>(field: &FieldDef, column: &'a Column, by_code: &[usize], others: &[Vec<u32>]) -> Vec<(&'a str, usize)> {
    let mut values: Vec<(&str, usize)> = Vec::with_capacity(column.values.len());
    let (mut place_of, mut most): (Vec<usize>, Vec<usize>) = (Vec::with_capacity(column.values.len()), Vec::new());
    let mut spelt = vec![0; column.values.len()];
    match &column.sets {
        None => spelt.iter_mut().zip(&by_code[1..]).for_each(|(spelt, count)| *spelt = *count),
        Some(sets) => {
            for (set, count) in counted_sets(sets, by_code, others) {
                set.iter().for_each(|value| spelt[*value as usize - 1] += count);
            }
        }
    }
    let mut sellers: HashMap<Cow<'_, str>, usize> = HashMap::new();
    for (value, count) in column.values.iter().zip(&spelt) {
        let next = values.len();
        let place = if field.is_seller() {
            *sellers.entry(seller_name(value)).or_insert(next)
        } else {
            // Columns sort their values without regard to case, so the spellings of one value are adjacent.
            values.last().filter(|(last, _)| is_same_word(last, value)).map_or(next, |_| next - 1)
        };
        if place == next {
            values.push((value, 0));
            most.push(0);
        }
        values[place].1 += count;
        if *count > most[place] {
            (values[place].0, most[place]) = (value, *count);
        }
        place_of.push(place);
    }
    if let Some(sets) = column.sets.as_ref().filter(|_| values.len() < column.values.len()) {
        // A row that has a value in two spellings counts once.
        for (set, count) in counted_sets(sets, by_code, others) {
            let mut places: Vec<usize> = set.iter().map(|value| place_of[*value as usize - 1]).collect();
            places.sort_unstable();
            let again = places.windows(2).filter(|pair| pair[0] == pair[1]);
            again.for_each(|pair| values[pair[0]].1 -= count);
        }
    }
    values
}

/// Sets of values, each with its count of rows.
fn counted_sets<'s>(
    sets: &'s Sets,
    by_code: &'s [usize],
    others: &'s [Vec<u32>],
) -> impl Iterator<Item = (&'s [u32], usize)> {
    let of_codes = sets.iter().zip(by_code[1..].iter().copied());
    of_codes.chain(others.iter().map(|set| (set.as_slice(), 1)))
}
