//! Values that are asked for and that no item has: a warning names the nearest that one has. In a view, items are those that it shows.

use crate::columns::{self, Column};
use crate::snapshot::Snapshot;
use refdesk_core::Kind;
use refdesk_core::query::{Advice, PriceOf, Selection, Test, Warning};

/// Values of a field of which all are told beside one that none has.
const VALUES_TOLD: usize = 10;
/// Most unknown values of one filter that are told.
const UNKNOWN_VALUES_MAX: usize = 5;

/// Says which of the values that are asked for no item has, with the nearest: of fields whose values are no closed set, in which a
/// misspelt one is no error.
pub fn unknown_values(snapshot: &Snapshot, kind: Kind, selection: &Selection) -> Vec<Warning> {
    let segment = snapshot.segment(kind);
    let asked = selection.conditions.iter().filter(|condition| condition.field.allowed.is_empty());
    let asked = asked.filter_map(|condition| match &condition.test {
        Test::AnyOf(words) | Test::AllOf(words) => Some((condition.field, "", words)),
        Test::NoneOf(words) => Some((condition.field, "__not", words)),
        _ => None,
    });
    let mut warnings: Vec<Warning> = asked
        .filter_map(|(field, operator, words)| Some((field, operator, words, segment.column(field.name)?)))
        .flat_map(|(field, operator, words, column)| {
            let values = ShownValues::new(snapshot, kind, column);
            let is_meant = if field.is_seller() { columns::is_called } else { columns::is_same_word };
            let unknown = words.iter().filter_map(|word| values.unknown(word, is_meant)).take(UNKNOWN_VALUES_MAX);
            let told = unknown.map(|(shown, nearest)| Warning {
                text: format!("`{}{operator}`: nothing has the value `{shown}`{nearest}", field.name),
                advice: operator.is_empty().then_some(Advice::OtherValue(field.name)),
            });
            told.collect::<Vec<_>>()
        })
        .collect();
    if let PriceOf::Seller(asked) = selection.price_of()
        && let Some(column) = segment.column("seller")
        && let values = ShownValues::new(snapshot, kind, column)
        && let Some((shown, nearest)) = asked.iter().find_map(|spelling| values.unknown(spelling, columns::is_called))
    {
        warnings.push(format!("`price_of`: there is no seller `{shown}`, so no price is known{nearest}").into());
    }
    warnings
}

/// The values of a column that some row has which is shown.
struct ShownValues<'a> {
    column: &'a Column,
    /// In a view: by the number of each value, whether a row has it.
    held: Option<Vec<bool>>,
}

impl<'a> ShownValues<'a> {
    fn new(snapshot: &Snapshot, kind: Kind, column: &'a Column) -> Self {
        let of_view = || {
            let mut held = vec![false; column.values.len() + 1];
            let rows = 0..snapshot.segment(kind).len();
            for code in rows.filter(|row| snapshot.shows(kind, *row)).map(|row| column.codes.get(row)) {
                match &column.sets {
                    Some(sets) => sets.get(code).iter().for_each(|value| held[*value as usize] = true),
                    None => held[code as usize] = true,
                }
            }
            held
        };
        Self { column, held: snapshot.view().map(|_| of_view()) }
    }

    fn iter(&self) -> impl Iterator<Item = &str> {
        let values = self.column.values.iter().zip(1..);
        let is_held = |number: usize| self.held.as_ref().is_none_or(|held| held[number]);
        values.filter(move |(_, number)| is_held(*number)).map(|(value, _)| value)
    }

    /// A value that no row has, as it is shown, and the nearest that one has. `is_meant` tells whether a value is meant by what is asked.
    fn unknown(&self, asked: &str, is_meant: fn(&str, &str) -> bool) -> Option<(String, String)> {
        // Nearly all values are found as ASCII, which looks at no value of another length.
        if self.iter().any(|value| value.eq_ignore_ascii_case(asked)) || self.iter().any(|value| is_meant(value, asked))
        {
            return None;
        }
        let nearest = refdesk_core::nearest::meant(asked, self.iter());
        let told = nearest.map(|nearest| format!("; the nearest is `{nearest}`"));
        let nearest = told.unwrap_or_else(|| match self.iter().count() {
            2..=VALUES_TOLD => {
                let values: Vec<String> = self.iter().map(|value| format!("`{value}`")).collect();
                format!("; there are {}", values.join(", "))
            }
            _ => String::new(),
        });
        Some((refdesk_core::clean::quoted(asked), nearest))
    }
}
