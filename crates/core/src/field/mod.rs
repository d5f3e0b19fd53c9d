//! The fields that lists can be filtered, sorted and counted by: one table. Parameters, the OpenAPI document, the flags of the command
//! line, the arguments of MCP, the columns of CSV and the columns of a segment are made of it, so a new field is one line of [`table`].

mod table;
mod value;
mod words;

use serde_json::Value;

use crate::Kind;
use crate::item::Modalities;

pub use table::FIELDS;
pub use value::{ParsedValue, Shape, Side};
pub use words::{escaped, split, split_with_blanks};

/// What can be asked of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// It can be filtered, sorted by and counted.
    All,
    /// It can be filtered and counted, but has no order.
    Filter,
    /// It can be filtered and sorted by; its values are too many to count.
    Range,
    /// It can be sorted by only.
    Sort,
}

/// A field of list rows.
#[derive(Debug, PartialEq, Eq)]
pub struct FieldDef {
    /// Name in parameters, sort keys and facets: `price_input`.
    pub name: &'static str,
    /// Dotted path in a row: `pricing.input`. Empty for a field that is told from several.
    pub path: &'static str,
    /// Paths of a row that such a field is told from, objects of them included.
    pub told_of: &'static [&'static str],
    /// What a person reads.
    pub label: &'static str,
    /// Unit of its values.
    pub unit: Option<&'static str>,
    /// What its values are.
    pub shape: Shape,
    /// What can be asked of it.
    pub usage: Use,
    /// The kinds that have it; all when empty.
    pub kinds: &'static [Kind],
    /// Its values where they are a closed set; empty where sources name them.
    pub allowed: &'static [&'static str],
}

impl FieldDef {
    /// The value that a filter asks for by a word: one of a closed set in any case, with a blank or a hyphen for `_` as pages write it,
    /// any where sources name them, in one line of visible characters as columns have it, else none. What is known not to be there (`!x`)
    /// is a value of capabilities alone, and a modality has one word ([`Modalities::in_one_word`]).
    pub fn value_meant(&self, word: &str) -> Option<String> {
        if self.allowed.is_empty() {
            return Some(crate::clean::line(word));
        }
        let (sign, said) = match word.strip_prefix('!').filter(|_| self.has_negation()) {
            Some(said) => ("!", said),
            None => ("", word),
        };
        let plain = |word: &str| word.trim().to_lowercase().replace([' ', '-'], "_");
        let meant = self.allowed.iter().find(|allowed| plain(allowed) == plain(said))?;
        let meant = if self.path.starts_with("modalities.") { Modalities::in_one_word(meant) } else { meant };
        Some(format!("{sign}{meant}"))
    }

    /// Whether `!x` asks for what is known not to have x.
    pub fn has_negation(&self) -> bool {
        self.name == "capability"
    }

    /// Whether it says what stands at a path of a row.
    pub fn is_told_of(&self, path: &str) -> bool {
        !self.path.is_empty() && is_within(path, self.path) || self.told_of.iter().any(|read| is_within(path, read))
    }

    /// Whether it is told from what stands at a path of a row, or below it.
    pub fn is_of_member(&self, path: &str) -> bool {
        let is_below = |read: &str| !path.is_empty() && is_within(read, path);
        is_below(self.path) || self.told_of.iter().any(|read| is_below(read))
    }

    /// Whether its values are a list of what several parts of a row say, each of which may be stale by itself.
    pub const fn is_list_of_parts(&self) -> bool {
        matches!(self.shape, Shape::Words { .. }) && self.path.is_empty()
    }

    /// Whether items of a kind have it.
    pub fn is_of(&self, kind: Kind) -> bool {
        self.kinds.is_empty() || self.kinds.contains(&kind)
    }

    /// Whether it can be filtered by.
    pub const fn is_filter(&self) -> bool {
        !matches!(self.usage, Use::Sort)
    }

    /// Whether it can be sorted by.
    pub const fn is_sort_key(&self) -> bool {
        !matches!(self.usage, Use::Filter)
    }

    /// Whether its values can be counted.
    pub const fn is_facet(&self) -> bool {
        matches!(self.usage, Use::All | Use::Filter)
    }

    /// Whether it is one of the prices that `price_of` chooses among.
    pub fn is_price(&self) -> bool {
        self.shape == Shape::Price
    }

    /// Whether it is who sells a model, of whom every source has its own spelling.
    pub fn is_seller(&self) -> bool {
        self.name == "seller"
    }

    /// Whether it is the number of offers, of which some may be stale.
    pub fn is_offer_count(&self) -> bool {
        self.name == "offers"
    }
}

/// Whether a dotted path is another one, or below it.
pub fn is_within(path: &str, other: &str) -> bool {
    path.strip_prefix(other).is_some_and(|below| below.is_empty() || below.starts_with('.'))
}

/// The path that is meant by the name or the label of a field of the kind, or by a path in the words of pages (`Capabilities, tool call`), in any
/// case. What has a dot is a path already, and may hold the ids of sellers as they are.
pub fn path_meant(kind: Option<Kind>, said: &str) -> String {
    if said.contains('.') {
        return said.to_owned();
    }
    let plain = |text: &str| text.to_lowercase().replace(", ", ".").replace([' ', '-'], "_");
    let path = plain(said);
    let fields = FIELDS.iter().filter(|field| !field.path.is_empty() && kind.is_none_or(|kind| field.is_of(kind)));
    let named = fields.filter(|field| [field.path, field.name].contains(&&*path) || plain(field.label) == path);
    // A path of a field is no name of another.
    let meant = named.min_by_key(|field| field.path != path);
    meant.map_or(path, |field| field.path.to_owned())
}

/// Whether the source of what a row says at a path, or of a part of that, was not checked for too long. Whoever shows it asks.
pub fn is_stale(row: &Value, path: &str) -> bool {
    let mut stale = row["stale_fields"].as_array().into_iter().flatten().filter_map(Value::as_str);
    stale.any(|field| is_within(field, path) || is_within(path, field))
}

/// The fields of a kind, in the order of the table.
pub fn of_kind(kind: Kind) -> impl Iterator<Item = &'static FieldDef> {
    FIELDS.iter().filter(move |field| field.is_of(kind))
}

/// The field of a kind with a name.
pub fn named(kind: Kind, name: &str) -> Option<&'static FieldDef> {
    of_kind(kind).find(|field| field.name == name)
}
