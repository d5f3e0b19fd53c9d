//! Which fact states each field of an item, and by which rule. Written out this would be larger than the item's row, and nearly all items of a source
//! state the same fields: so a segment has each list of paths once, and evidence is named by its place.

use foldhash::HashMap;
use serde::{Deserialize, Serialize};

use super::evidence::Evidence;
use super::record::ItemRecord;
use crate::json::{self, Object};

/// Dotted paths with the rules by which their values were chosen.
#[derive(Debug, Serialize, Deserialize)]
struct Paths {
    /// Paths as they stand in JSON, and rules.
    escaped: Box<[(Box<str>, Box<str>)]>,
}

/// The different lists of paths, by number.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct StatedPaths(Vec<Paths>);

impl StatedPaths {
    /// Number of lists.
    pub const fn len(&self) -> usize {
        self.0.len()
    }

    /// Place of the evidence of what an item says at a path, and the rule by which that was chosen.
    pub fn of_path(&self, item: &ItemRecord<'_>, path: &str) -> Option<(u32, &str)> {
        let path = escaped(path);
        let paths = &self.0[item.stated as usize].escaped;
        let at = paths.iter().position(|(stated, _)| *stated == path)?;
        Some((item.stated_by.get(at).copied().unwrap_or(item.lead), &paths[at].1))
    }

    /// Writes the object `field_evidence` of an item.
    pub fn write(&self, item: &ItemRecord<'_>, evidence: &Evidence, out: &mut Vec<u8>) {
        let mut object = Object::open(out);
        let mut last = None;
        let mut named = Vec::with_capacity(128);
        for (at, (path, rule)) in self.0[item.stated as usize].escaped.iter().enumerate() {
            let slot = item.stated_by.get(at).copied().unwrap_or(item.lead);
            if last.replace((slot, rule)) != Some((slot, rule)) {
                let record = evidence.get(slot);
                named.clear();
                let mut entry = Object::open(&mut named);
                entry.plain("evidence_key", &record.key.written());
                entry.text("source_id", &record.source.id);
                entry.plain("rule", rule.as_bytes());
                entry.close();
            }
            object.raw(path, &named);
        }
        object.close();
    }
}

/// Numbers lists of paths.
#[derive(Debug, Default)]
pub struct StatedPathsBuilder {
    lists: StatedPaths,
    numbers: HashMap<Box<str>, u32>,
}

impl StatedPathsBuilder {
    /// The number of a list of paths and rules.
    pub fn number<'a>(&mut self, paths: impl Iterator<Item = (&'a str, &'a str)>) -> u32 {
        // No path and no rule holds a NUL: they are made of names.
        let mut joined = String::new();
        for (path, rule) in paths {
            for text in [path, rule] {
                joined.push_str(text);
                joined.push('\0');
            }
        }
        if let Some(number) = self.numbers.get(&*joined) {
            return *number;
        }
        let number = self.numbers.len() as u32;
        let mut texts = joined.split_terminator('\0');
        let pair = || Some((escaped(texts.next()?), texts.next()?.into()));
        let escaped = std::iter::from_fn(pair).collect();
        self.lists.0.push(Paths { escaped });
        self.numbers.insert(joined.into(), number);
        number
    }

    /// All lists.
    pub fn finish(self) -> StatedPaths {
        self.lists
    }
}

/// A text as it stands between the quotes of JSON.
fn escaped(text: &str) -> Box<str> {
    let mut quoted = Vec::new();
    json::write(&mut quoted, text);
    String::from_utf8_lossy(&quoted[1..quoted.len() - 1]).into()
}
