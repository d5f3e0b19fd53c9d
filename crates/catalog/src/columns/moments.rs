//! Columns of the times at which items were confirmed. They follow from the times of facts alone, which change with every sync, so they
//! are made whenever a segment is read, and never kept on disk.

use std::collections::BTreeMap;

use super::{Codes, Column, UNKNOWN};
use refdesk_core::Stamp;
use refdesk_core::fact::KnownTimes;
use refdesk_core::field::FieldDef;

/// The times of the facts that lead, by row.
#[derive(Debug)]
pub struct Moments(pub Vec<KnownTimes>);

impl Moments {
    /// Whether a field's column is one of these.
    pub fn has(field: &FieldDef) -> bool {
        of(field).is_some()
    }

    /// The column of a field, when it is one of these.
    pub fn column(&self, field: &FieldDef) -> Option<Column> {
        let of = of(field)?;
        let shown = |times: &KnownTimes| of(times).filter(|stamp| stamp.written().is_some());
        let mut numbers: BTreeMap<Stamp, u32> = self.0.iter().filter_map(shown).map(|stamp| (stamp, UNKNOWN)).collect();
        numbers.values_mut().zip(1..).for_each(|(number, next)| *number = next);
        let code = |times| shown(times).and_then(|stamp| numbers.get(&stamp)).copied().unwrap_or(UNKNOWN);
        let codes: Vec<u32> = self.0.iter().map(code).collect();
        // Written moments have the order of the moments.
        let texts: Vec<String> = numbers.keys().map(ToString::to_string).collect();
        Some(Column { codes: Codes::new(&codes), values: texts.iter().map(String::as_str).collect(), sets: None })
    }
}

fn of(field: &FieldDef) -> Option<fn(&KnownTimes) -> Option<Stamp>> {
    (field.path == "last_verified_at").then_some(|times| times.last_verified_at)
}
