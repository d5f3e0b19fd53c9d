//! Exact upstream keys: what a source itself calls an item. They always resolve, where an alias that fits several items does not.
//!
//! Two sources can have one key for two items (`llama-3.1-8b`, weights in one, a seller's chat model in the other). Then the better-ranked
//! source's item is meant, then the one whose maker states it, then the one whose id comes first: [`crate::snapshot`] compares by
//! [`ExactKey::precedence`].

use super::FactSet;

/// An upstream key of an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExactKey {
    /// The key, verbatim.
    pub text: String,
    /// Rank of its source and whether the maker states it, as one number: the smallest wins between items that share the key.
    pub precedence: u16,
}

/// Ranks beyond this are equal.
const RANK_MAX: i32 = 32_766;

/// The keys of an item's facts, but for those that are `lost` to other items; those that win come first. What a source stopped listing
/// still resolves, behind all that is listed.
pub fn exact_keys(set: FactSet<'_>, members: &[usize], lost: &[String]) -> Vec<ExactKey> {
    let mut keys: Vec<ExactKey> = members
        .iter()
        .filter(|at| !lost.contains(&set.facts[**at].key))
        .map(|at| ExactKey { text: set.facts[*at].key.clone(), precedence: precedence(set, *at) })
        .collect();
    keys.sort_by(|a, b| (&a.text, a.precedence).cmp(&(&b.text, b.precedence)));
    keys.dedup_by(|later, first| later.text == first.text);
    keys.sort_by_key(|key| key.precedence);
    keys
}

/// See [`ExactKey::precedence`].
pub fn precedence(set: FactSet<'_>, at: usize) -> u16 {
    let fact = &set.facts[at];
    let rank = set.rank_of(fact).clamp(0, RANK_MAX);
    let first_party = set.identities.get(at).is_some_and(|identity| identity.first_party);
    let listed = if fact.standing.removed_at.is_some() { RANK_MAX } else { rank };
    u16::try_from(listed * 2 + i32::from(!first_party)).unwrap_or(u16::MAX)
}

/// True for a spelling that a person would type: a list's entry is keyed by its Markdown link, which is nobody's name for it.
pub fn is_spelling(key: &str) -> bool {
    let is_link = key.starts_with('[') && key.ends_with(')') && key.contains("](");
    !key.is_empty() && !is_link
}
