//! The column of the times at which items were last verified. They follow from the times of facts alone, which change with every sync, so it
//! is made whenever a segment is read, and never kept on disk.

use std::collections::BTreeMap;

use super::{Codes, Column, UNKNOWN};
use refdesk_core::Stamp;
use refdesk_core::field::FieldDef;

/// Whether a field's column is this one.
pub fn is_moment(field: &FieldDef) -> bool {
    field.path == "last_verified_at"
}

/// The column of the moments of some rows.
pub fn column(verified_at: &[Option<Stamp>]) -> Column {
    let mut numbers: BTreeMap<Stamp, u32> = verified_at.iter().flatten().map(|moment| (*moment, UNKNOWN)).collect();
    numbers.values_mut().zip(1..).for_each(|(number, next)| *number = next);
    let code = |moment: &Option<Stamp>| moment.and_then(|moment| numbers.get(&moment)).copied().unwrap_or(UNKNOWN);
    let codes: Vec<u32> = verified_at.iter().map(code).collect();
    // Written moments have the order of the moments.
    let texts: Vec<String> = numbers.keys().map(ToString::to_string).collect();
    Column { codes: Codes::new(&codes), values: texts.iter().map(String::as_str).collect(), sets: None }
}
