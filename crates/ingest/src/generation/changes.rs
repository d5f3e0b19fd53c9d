//! What changed in the store between two looks at the states of its sources, without reading facts.

use refdesk_core::Kind;

use super::SourceStates;
use crate::store::SourceState;

/// The sources whose states changed, with what of their facts did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Changes {
    /// Source and kind of which facts changed, or their times.
    pub kinds: Vec<(String, Kind)>,
    /// Sources whose states do not tell: their facts are to be looked at.
    pub unmarked: Vec<String>,
}

/// The changes between two looks; `None` when a source is gone, as after a store was replaced.
pub fn changes_since(before: &SourceStates, now: &SourceStates) -> Option<Changes> {
    if !before.iter().all(|(id, _)| now.iter().any(|(other, _)| other == id)) {
        return None;
    }
    let mut changes = Changes::default();
    for (id, state) in now {
        let known = before.iter().find(|(other, _)| other == id).map(|(_, known)| known);
        if known == Some(state) {
            continue;
        }
        match marked(known, state) {
            Some(kinds) => changes.kinds.extend(kinds.map(|kind| (id.clone(), kind))),
            None => changes.unmarked.push(id.clone()),
        }
    }
    Some(changes)
}

/// The kinds of a source that other runs changed than those known; `None` when one of both states does not tell of any.
fn marked<'s>(known: Option<&'s SourceState>, state: &'s SourceState) -> Option<impl Iterator<Item = Kind> + use<'s>> {
    if state.changed.is_empty() || known.is_some_and(|known| known.changed.is_empty()) {
        return None;
    }
    // Another store may have noted a run of the same number in the same second; then the bytes tell that its facts are others.
    if known.is_some_and(|known| known.changed == state.changed && known.content_hash != state.content_hash) {
        return None;
    }
    let differs = move |kind: &&Kind| known.and_then(|known| known.changed.get(kind)) != state.changed.get(kind);
    Some(Kind::ALL.iter().filter(differs).copied())
}
