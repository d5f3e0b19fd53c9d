//! Which texts stand for an item when it is looked up by meaning: the item itself, and its parts one by one.

use std::borrow::Cow;

use serde::Deserialize;

use crate::json::read_own;
use crate::snapshot::Snapshot;
use refdesk_core::Kind;
use refdesk_embed::Role;

/// How much of an item's own text is encoded, in characters: what fits into [`refdesk_embed::TOKENS_MAX`] word pieces.
pub const ENCODED_CHARS_MAX: usize = 1_200;
/// Parts of an item that are encoded.
pub const PARTS_MAX: usize = 40;

/// A text to encode.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passage {
    /// The item in the snapshot.
    pub ordinal: u32,
    /// What it is of the item.
    pub role: Role,
    /// The text.
    pub text: String,
}

impl Passage {
    /// Under which a vector of it is kept: the hash of exactly what is encoded.
    pub fn key(&self) -> String {
        refdesk_core::hash::content_hash(self.text.as_bytes())
    }
}

/// All passages of a snapshot, by ordinal. Items that say nothing beyond their names have none: names are found by their spelling.
pub fn passages(snapshot: &Snapshot) -> impl Iterator<Item = Passage> + '_ {
    (0..snapshot.item_count()).flat_map(|ordinal| of_item(snapshot, ordinal))
}

fn of_item(snapshot: &Snapshot, ordinal: u32) -> Vec<Passage> {
    let kind = snapshot.kind_of(ordinal);
    let row = snapshot.row(ordinal);
    let parts: TextParts<'_> = match kind {
        Kind::McpServer | Kind::Tool | Kind::Framework => read_own(row),
        _ => TextParts::default(),
    };
    let situations = parts.when_to_use.iter().map(AsRef::as_ref);
    let said = snapshot.passage(ordinal);
    let own: Vec<&str> = std::iter::once(said.trim()).chain(situations).filter(|text| !text.is_empty()).collect();
    let mut texts = Vec::new();
    if !own.is_empty() {
        let text: String =
            format!("{} {}", snapshot.name(ordinal), own.join(" ")).chars().take(ENCODED_CHARS_MAX).collect();
        texts.push((Role::Own, text));
    }
    let named = parts.tools.iter().chain(&parts.commands).filter_map(Named::text);
    let asked = parts.example_questions.iter().map(std::string::ToString::to_string);
    texts.extend(named.chain(asked).take(PARTS_MAX).map(|text| (Role::Part, text)));
    texts.into_iter().map(|(role, text)| Passage { ordinal, role, text }).collect()
}

/// What is read of a row.
#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
struct TextParts<'a> {
    tools: Vec<Named<'a>>,
    commands: Vec<Named<'a>>,
    when_to_use: Vec<Cow<'a, str>>,
    example_questions: Vec<Cow<'a, str>>,
}

#[derive(Deserialize)]
struct Named<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
    description: Option<Cow<'a, str>>,
    summary: Option<Cow<'a, str>>,
}

impl Named<'_> {
    /// Name and description; nothing without a description.
    fn text(&self) -> Option<String> {
        let described =
            self.description.as_deref().or(self.summary.as_deref()).filter(|text| !text.trim().is_empty())?;
        Some(format!("{} {described}", self.name).chars().take(ENCODED_CHARS_MAX).collect())
    }
}
