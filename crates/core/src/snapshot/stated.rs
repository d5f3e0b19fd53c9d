//! Which fact states each field of an item. Written out this would be larger than the item's row, and nearly all items of a source
//! state the same fields: so the lists of paths are shared, and evidence is named by its place.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::json::{self, Object};
use super::record::EvidenceRecord;

/// The stated fields of an item, with the evidence of each.
#[derive(Debug, Clone, Default)]
pub struct Stated {
    paths: Paths,
    by: By,
}

/// Dotted paths, escaped as they stand in JSON.
pub type Paths = Arc<[Box<str>]>;

/// Places of evidence in the snapshot.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum By {
    /// Of all fields.
    One(u32),
    /// Of each field.
    Each(Box<[u32]>),
}

impl Default for By {
    fn default() -> Self {
        Self::Each(Box::default())
    }
}

impl Stated {
    /// From its parts.
    pub const fn new(paths: Paths, by: By) -> Self {
        Self { paths, by }
    }

    /// Its parts.
    pub const fn parts(&self) -> (&Paths, &By) {
        (&self.paths, &self.by)
    }

    /// Writes the object `field_evidence`.
    pub fn write(&self, evidence: &[Arc<EvidenceRecord>], out: &mut Vec<u8>) {
        let mut object = Object::open(out);
        let mut last = None;
        let mut named = Vec::with_capacity(96);
        for (at, path) in self.paths.iter().enumerate() {
            let slot = match &self.by {
                By::One(slot) => *slot,
                By::Each(slots) => slots[at],
            };
            if last.replace(slot) != Some(slot) {
                let record = &evidence[slot as usize];
                named.clear();
                let mut entry = Object::open(&mut named);
                entry.text("evidence_key", &record.key);
                entry.text("source_id", &record.source.id);
                entry.close();
            }
            object.raw(path, &named);
        }
        object.close();
    }
}

/// Makes [`Stated`] whose equal lists of paths are one.
#[derive(Debug, Default)]
pub struct Lists(RefCell<HashMap<String, Paths>>);

impl Lists {
    /// The stated fields of an item: each path with the place of its evidence.
    pub fn stated<'a>(&self, fields: impl Iterator<Item = (&'a str, u32)>) -> Stated {
        let (mut name, mut slots) = (String::new(), Vec::new());
        for (path, slot) in fields {
            // No path holds a NUL: it is made of names of fields.
            name.push_str(path);
            name.push('\0');
            slots.push(slot);
        }
        let mut known = self.0.borrow_mut();
        let paths = known.get(&name).cloned().unwrap_or_else(|| {
            let paths: Paths = name.split_terminator('\0').map(escaped).collect();
            known.insert(name, Arc::clone(&paths));
            paths
        });
        let by = match slots.first() {
            Some(first) if slots.iter().all(|slot| slot == first) => By::One(*first),
            _ => By::Each(slots.into_boxed_slice()),
        };
        Stated { paths, by }
    }
}

/// A text as it stands between the quotes of JSON.
fn escaped(text: &str) -> Box<str> {
    let mut quoted = Vec::new();
    json::write(&mut quoted, text);
    String::from_utf8_lossy(&quoted[1..quoted.len() - 1]).into()
}
