//! How a hit says what of it matched. The index tells the channel that ranked it: a base name without vendor or date counts as a name there.
//! Here `exact` and `alias` are said only where the whole id, name or alias, or the name of a tool, is what was typed.

use serde::Deserialize;

use crate::json::{self, Object};
use crate::segment::Found;
use crate::snapshot::Snapshot;
use refdesk_search::{MatchField, MatchKind, NormalForm, SearchHit};

/// What was typed, whole and in its parts.
pub(in crate::answer) struct Typed<'a> {
    texts: Vec<(&'a str, NormalForm)>,
}

/// The aliases of a row.
#[derive(Default, Deserialize)]
struct Aliases {
    #[serde(default)]
    aliases: Vec<String>,
}

impl<'a> Typed<'a> {
    /// Texts that may be a name each.
    pub(in crate::answer) fn new(texts: impl IntoIterator<Item = &'a str>) -> Self {
        let mut distinct: Vec<(&str, NormalForm)> = Vec::new();
        for text in texts {
            if !distinct.iter().any(|(known, _)| *known == text) {
                distinct.push((text, NormalForm::new(text)));
            }
        }
        Self { texts: distinct }
    }

    fn is(&self, name: &str) -> bool {
        let name = NormalForm::new(name);
        self.texts.iter().any(|(_, typed)| *typed == name)
    }

    /// Whether a text is a spelling by which the look-up finds the item, such as its address.
    fn finds(&self, snapshot: &Snapshot, ordinal: u32) -> bool {
        let kind = snapshot.kind_of(ordinal);
        self.texts.iter().any(|(text, _)| match snapshot.find(kind, text) {
            Found::Id(found) | Found::Alias(found) => found == ordinal,
            Found::Ambiguous(found) => found.contains(&ordinal),
            Found::Unknown => false,
        })
    }

    /// How a field matched.
    fn how(&self, snapshot: &Snapshot, ordinal: u32, (field, how): (MatchField, MatchKind)) -> MatchKind {
        if !matches!(how, MatchKind::Exact | MatchKind::Alias) {
            return how;
        }
        let is_whole = match field {
            MatchField::Id => self.is(snapshot.id(ordinal)),
            MatchField::Name => self.is(&snapshot.name(ordinal)),
            // Told of a tool with just this name alone.
            MatchField::Passage => true,
            _ => false,
        };
        let is_alias = || {
            let row: Aliases = json::read_own(snapshot.row(ordinal));
            row.aliases.iter().any(|alias| self.is(alias)) || self.finds(snapshot, ordinal)
        };
        if is_whole || (field != MatchField::Name && is_alias()) { how } else { MatchKind::Text }
    }
}

/// The member `matched` of a hit.
pub(in crate::answer) fn matched(object: &mut Object<'_>, snapshot: &Snapshot, hit: &SearchHit, typed: &Typed<'_>) {
    // The title is the name once more.
    let is_named = hit.matched.iter().any(|(field, _)| *field == MatchField::Name);
    let shown = hit.matched.iter().filter(|(field, _)| !(is_named && *field == MatchField::Title));
    object.objects("matched", shown, |entry, matched| {
        entry.text("field", matched.0.as_str());
        entry.text("how", typed.how(snapshot, hit.ordinal, *matched).as_str());
    });
}
