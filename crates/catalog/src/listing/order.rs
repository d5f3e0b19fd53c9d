//! The order of rows by sort keys: numbers of values are compared, not values. What is unknown is last either way; ties go by id.

use super::Reader;
use crate::columns::{Codes, UNKNOWN};
use refdesk_core::field::FieldDef;
use refdesk_core::query::SortKey;

/// A key and where its numbers are.
struct Key<'a> {
    codes: &'a Codes,
    field: &'static FieldDef,
    descending: bool,
}

impl Key<'_> {
    /// A number that rises in the order of the key.
    fn rank(&self, reader: &Reader<'_>, row: u32, fresh_only: bool) -> u32 {
        let is_unknown = || fresh_only && reader.is_stale(row, self.field);
        match self.codes.get(row) {
            UNKNOWN => u32::MAX,
            _ if is_unknown() => u32::MAX,
            code if self.descending => u32::MAX - code,
            code => code,
        }
    }
}

/// The rows in order; only the first `wanted` of them are sure to be.
pub(super) fn sorted(
    reader: &Reader<'_>,
    rows: Vec<u32>,
    keys: &[SortKey],
    wanted: usize,
    fresh_only: bool,
) -> Vec<u32> {
    let key = |key: &SortKey| {
        let column = reader.column(key.field)?;
        Some(Key { codes: &column.codes, field: key.field, descending: key.descending })
    };
    let keys: Vec<Key<'_>> = keys.iter().filter_map(key).collect();
    let Some((first, others)) = keys.split_first() else { return rows };
    let mut ranked: Vec<(u32, u32)> = rows.iter().map(|row| (first.rank(reader, *row, fresh_only), *row)).collect();
    let order = |a: &(u32, u32), b: &(u32, u32)| {
        let by_others = || {
            let ranks = |row: u32| others.iter().map(move |key| key.rank(reader, row, fresh_only));
            ranks(a.1).cmp(ranks(b.1))
        };
        a.0.cmp(&b.0).then_with(by_others).then(a.1.cmp(&b.1))
    };
    if wanted < ranked.len() {
        ranked.select_nth_unstable_by(wanted, order);
        ranked[..wanted].sort_unstable_by(order);
    } else {
        ranked.sort_unstable_by(order);
    }
    ranked.into_iter().map(|(_, row)| row).collect()
}
