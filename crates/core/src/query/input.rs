//! What is known of an input of a query. [`inputs`](super::inputs) has the tables of all.

use super::{FACETS_MAX, LimitRule, QUERY_CHARS_MAX, SORT_KEYS_MAX};
use crate::Kind;
use crate::figures::grouped;

/// An input of a query.
#[derive(Debug, Clone, Copy)]
pub struct QueryInput {
    /// Its name on every surface.
    pub name: &'static str,
    /// What its values look like.
    pub shape: InputShape,
    /// Whether a query without it is refused.
    pub is_required: bool,
    /// What it does, for people. `{from}`, `{default}` and `{max}` stand for the limits of the shape, `{names}` for the fields of a kind.
    pub text: &'static str,
    /// What it does, in the few words that a language model needs; empty where no tool takes it.
    pub tool_text: &'static str,
}

/// What the values of an input look like.
#[derive(Debug, Clone, Copy)]
pub enum InputShape {
    /// What is looked for: a text of which the first [`QUERY_CHARS_MAX`] characters count.
    Question,
    /// A boolean.
    Flag,
    /// A whole number from 1; a larger one than the rule's is clamped.
    Size(LimitRule),
    /// The same, where leaving it out asks for none.
    SizeIfAsked(LimitRule),
    /// A whole number from 0.
    Offset,
    /// One of these kinds, by any of its names.
    Kinds(&'static [Kind]),
    /// A [`Domain`](crate::item::Domain) of frameworks.
    Domain,
    /// A [`Mode`](super::Mode) of ranking.
    Mode,
    /// Any text.
    Text,
    /// A text that is not blank.
    Word,
    /// An id, or any spelling that names an item.
    Spelling,
    /// From so many to so many spellings between commas; from 0, blank ones are passed over.
    Spellings(usize, usize),
    /// At most so many texts between commas.
    Values(usize),
    /// Fields by which a kind is ordered, `-` before a descending one.
    SortKeys,
    /// Fields of a kind whose values are counted.
    Facets,
    /// A [`Format`](super::Format) of rows.
    Format,
    /// Whose prices are meant: `maker`, `cheapest` or a seller.
    Seller,
    /// A number of tokens or requests from so many, also as `200k` and `1m`.
    Tokens(u64),
    /// An exact decimal from 0.
    Percent,
    /// One of these words.
    OneOf(&'static [&'static str]),
}

impl QueryInput {
    /// An input that may be left out.
    pub const fn new(name: &'static str, shape: InputShape, text: &'static str, tool_text: &'static str) -> Self {
        Self { name, shape, is_required: false, text, tool_text }
    }

    pub(super) const fn required(mut self) -> Self {
        self.is_required = true;
        self
    }

    /// What it does, for people, with its limits.
    pub fn described(&self) -> String {
        let (from, default, max) = match self.shape {
            InputShape::Question => (1, 0, QUERY_CHARS_MAX),
            InputShape::Size(rule) | InputShape::SizeIfAsked(rule) => (1, rule.default, rule.max),
            InputShape::Spellings(from, max) => (from, 0, max),
            InputShape::Values(max) => (0, 0, max),
            InputShape::SortKeys => (0, 0, SORT_KEYS_MAX),
            InputShape::Facets => (0, 0, FACETS_MAX),
            _ => return self.text.to_owned(),
        };
        let numbers = [("{from}", from), ("{default}", default), ("{max}", max)];
        numbers.iter().fold(self.text.to_owned(), |text, (name, number)| text.replace(name, &grouped(number)))
    }
}

/// The names of inputs, in their order.
pub const fn names<const N: usize>(inputs: &[QueryInput; N]) -> [&'static str; N] {
    let mut names = [""; N];
    let mut at = 0;
    while at < N {
        names[at] = inputs[at].name;
        at += 1;
    }
    names
}
