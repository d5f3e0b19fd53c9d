//! The order of rows by sort keys: numbers of values are compared, not values. What is unknown is last either way; ties go by id.

use super::Reader;
use crate::columns::{Codes, UNKNOWN};
use refdesk_core::query::SortKey;

/// A number that rises in the order of a key, given the numbers of its column.
fn rank(reader: &Reader<'_>, (key, codes): (SortKey, &Codes), row: u32) -> u32 {
    match codes.get(row) {
        UNKNOWN => u32::MAX,
        _ if reader.fresh_only && reader.is_stale(row, key.field) => u32::MAX,
        code if key.descending => u32::MAX - code,
        code => code,
    }
}

/// The rows in order; only the first `wanted` of them are sure to be.
pub(super) fn sorted(reader: &Reader<'_>, rows: Vec<u32>, keys: &[SortKey], wanted: usize) -> Vec<u32> {
    let with_codes = |key: &SortKey| Some((*key, &reader.column(key.field)?.codes));
    let keys: Vec<(SortKey, &Codes)> = keys.iter().filter_map(with_codes).collect();
    let Some((first, others)) = keys.split_first() else { return rows };
    let mut ranked: Vec<(u32, u32)> = rows.iter().map(|row| (rank(reader, *first, *row), *row)).collect();
    let order = |a: &(u32, u32), b: &(u32, u32)| {
        let by_others = || {
            let ranks = |row: u32| others.iter().map(move |key| rank(reader, *key, row));
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
