//! Facets: how many rows have each value of a field, under all filters but those of the field itself, so that another value of it can
//! still be chosen.

use std::borrow::Cow;

use super::{Prepared, Reader};
use crate::columns::UNKNOWN;
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

/// Counts the facets of a query, given the rows before its filters were applied, and those that meet them all.
pub(super) fn count(
    reader: &Reader<'_>,
    before: &[u32],
    left: &[u32],
    conditions: &[Prepared<'_>],
    query: &ListQuery,
) -> Vec<Facet> {
    let selection = &query.selection;
    let of_field = |field: &'static FieldDef| {
        let column = reader.column(field)?;
        let rows = if conditions.iter().any(|condition| condition.field == field) {
            let mut rows = before.to_vec();
            let others = conditions.iter().filter(|condition| condition.field != field);
            reader.retain(&mut rows, others, query.fresh_only);
            Cow::Owned(rows)
        } else {
            Cow::Borrowed(left)
        };
        let mut by_code = vec![0_usize; column.codes.max() as usize + 1];
        column.codes.for_each(&rows, |code| by_code[code as usize] += 1);
        let missing = by_code[UNKNOWN as usize];
        let by_value = match &column.sets {
            None => by_code.split_off(1),
            Some(sets) => {
                let mut by_value = vec![0; column.values.len()];
                for (set, count) in sets.iter().zip(&by_code[1..]) {
                    set.iter().for_each(|value| by_value[*value as usize - 1] += count);
                }
                by_value
            }
        };
        let selected = |value: &str| {
            selection.conditions.iter().filter(|condition| condition.field == field).any(|condition| {
                match &condition.test {
                    Test::AnyOf(words) | Test::AllOf(words) => {
                        words.iter().any(|word| word.eq_ignore_ascii_case(value))
                    }
                    Test::Is(flag) => value == flag.to_string(),
                    _ => false,
                }
            })
        };
        // What is known not to be there is a filter, but nothing to count.
        let counted =
            by_value.iter().zip(column.values.iter()).filter(|(count, value)| **count > 0 && !value.starts_with('!'));
        let mut values: Vec<FacetValue> = counted
            .map(|(count, value)| FacetValue { value: value.to_owned(), count: *count, selected: selected(value) })
            .collect();
        values.sort_by_key(|value| std::cmp::Reverse(value.count));
        let truncated = values.len() > selection.facet_size;
        values.truncate(selection.facet_size);
        Some(Facet { field, values, missing, truncated })
    };
    selection.facets.iter().filter_map(|field| of_field(field)).collect()
}
