//! What a pass keeps until it is committed: facts and rejects, each in a list that never takes more than its bounds.
//!
//! A connector pushes as to any list. What lies beyond [`ITEMS_MAX`] or beyond the memory of the sync is counted and dropped, and the engine
//! refuses a batch that is not whole.

use std::ops::{Deref, DerefMut};

use refdesk_core::item::Item;
use refdesk_core::{Body, Fact, Record, Reject};
use serde_json::Value;

use crate::connectors::formats::json_text;
use crate::memory_budget::charge;

/// Most facts of one pass, and most rejects.
pub const ITEMS_MAX: usize = 100_000;
/// What a fact takes in memory beside its texts until it is committed, in bytes.
const FACT_BYTES: u64 = 8 << 10;
/// The same of a reject.
const REJECT_BYTES: u64 = 256;
/// A record is held as it is, packed, and in parts in the fields.
const COPIES: u64 = 3;

/// What something takes in memory.
pub trait Weighs {
    /// In bytes, about.
    fn weight(&self) -> u64;
}

impl Weighs for Fact {
    fn weight(&self) -> u64 {
        let record = match &self.record {
            // A slice of a file that is counted already; it is packed, and once more as plain text.
            Record::Bytes(bytes) => 2 * bytes.len() as u64,
            Record::Json(text) => COPIES * text.len() as u64,
        };
        let body = if let Body::Markdown(text) = &self.body { COPIES * text.len() as u64 } else { 0 };
        let values: Vec<&Value> = match &self.item {
            Item::Tool(tool) => tool.input_schema.iter().chain(&tool.output_schema).collect(),
            Item::McpServer(server) => {
                server.packages.iter().chain(&server.remotes).chain(&server.config_schema).collect()
            }
            _ => Vec::new(),
        };
        // In the fact, and in the fields that are written.
        FACT_BYTES + record + body + 2 * values.into_iter().map(json_text::weight).sum::<u64>()
    }
}

impl Weighs for Reject {
    fn weight(&self) -> u64 {
        REJECT_BYTES + (self.key.len() + self.reason.len() + self.excerpt.len()) as u64
    }
}

/// A list with bounds.
#[derive(Debug, Clone, PartialEq)]
pub struct Kept<T> {
    items: Vec<T>,
    full: Option<String>,
}

impl<T> Default for Kept<T> {
    fn default() -> Self {
        Self { items: Vec::new(), full: None }
    }
}

impl<T: Weighs> Kept<T> {
    /// Takes one, while there is room.
    pub fn push(&mut self, item: T) {
        if self.full.is_some() {
            return;
        }
        if self.items.len() == ITEMS_MAX {
            self.full = Some(format!("the source lists more than {ITEMS_MAX} items; split it into several sources"));
            return;
        }
        match charge(item.weight()) {
            Ok(()) => self.items.push(item),
            Err(full) => self.full = Some(full.to_string()),
        }
    }
}

impl<T> Kept<T> {
    /// Why not all was taken, if so.
    pub fn full(&self) -> Option<&str> {
        self.full.as_deref()
    }

    /// What was taken.
    pub fn into_vec(self) -> Vec<T> {
        self.items
    }
}

impl<T: Weighs> Extend<T> for Kept<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, items: I) {
        items.into_iter().for_each(|item| self.push(item));
    }
}

impl<T: Weighs> FromIterator<T> for Kept<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        let mut kept = Self::default();
        kept.extend(items);
        kept
    }
}

impl<T: PartialEq, const N: usize> PartialEq<[T; N]> for Kept<T> {
    fn eq(&self, other: &[T; N]) -> bool {
        self.items == other
    }
}

impl<T: PartialEq> PartialEq<Vec<T>> for Kept<T> {
    fn eq(&self, other: &Vec<T>) -> bool {
        self.items == *other
    }
}

impl<T> Deref for Kept<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.items
    }
}

impl<T> DerefMut for Kept<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.items
    }
}

impl<T> IntoIterator for Kept<T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        self.items.into_iter()
    }
}

impl<'a, T> IntoIterator for &'a Kept<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.items.iter()
    }
}
