//! Models by the end of their name, as people call them: `sonnet 4.5` for `claude sonnet 4.5`, `opus` for `claude opus`. Things with the
//! word for their kind behind the name.

use crate::snapshot::Snapshot;
use crate::understand::words::{self, Word};
use crate::understand::{is_name, kinds};
use refdesk_core::Kind;
use refdesk_search::SegmentSet;
use refdesk_search::text::folded;

/// Shorter parts of families say nothing: `pro`, `v3`.
const PART_CHARS_MIN: usize = 4;

/// The whole name of a model that is called by its end, where one line of models alone has a family of that name: `flash` has several. Without a
/// number it stands for the family.
pub fn whole_name(snapshot: &Snapshot, text: &str) -> Option<String> {
    let first = folded(text.split([' ', '-']).next()?);
    if first.len() < PART_CHARS_MIN || !first.chars().all(char::is_alphabetic) {
        return None;
    }
    let families = snapshot.segment(Kind::Model).column("family")?;
    let mut line: Option<&str> = None;
    for family in families.values.iter() {
        let Some((own, parts)) = family.split_once('-') else { continue };
        if parts.split('-').any(|part| part.eq_ignore_ascii_case(&first)) {
            if line.is_some_and(|line| !line.eq_ignore_ascii_case(own)) {
                return None;
            }
            line = Some(own);
        }
    }
    let whole = format!("{} {text}", line?);
    let is_family = text.eq_ignore_ascii_case(&first);
    (is_family || is_name(snapshot, &whole, Kind::Model.into())).then_some(whole)
}

/// The thing that a text names with the word for one of its kind behind or in front: `firecrawl mcp server`, `model o3`. Several of a kind are
/// called by what they are about, and `mcp server` by their kind.
pub fn with_kind(snapshot: &Snapshot, text: &str, segments: SegmentSet) -> Option<u32> {
    named_with_kind(snapshot, text, segments).map(|(ordinal, _)| ordinal)
}

/// The same of names that are more than a word, where they are not only values that things of the kind have: `remote mcp server` means any,
/// whatever is called so.
pub fn told_by_kind(snapshot: &Snapshot, text: &str, segments: SegmentSet) -> Option<u32> {
    let (ordinal, name) = named_with_kind(snapshot, text, segments)?;
    (words::is_more_than_a_word(&name) && !kinds::is_described(text)).then_some(ordinal)
}

fn named_with_kind(snapshot: &Snapshot, text: &str, segments: SegmentSet) -> Option<(u32, String)> {
    let words = words::words(text);
    if kinds::is_kind(text) {
        return None;
    }
    let named = |kind: &[Word<'_>], name: &[Word<'_>]| {
        let is_one = kind.last().is_some_and(|last| !last.folded.ends_with('s'));
        let kind = kinds::kind_of(kind).filter(|_| is_one)?;
        let name = words::text(name);
        Some((snapshot.whole_name(&name, segments.intersection(kind.into()))?, name))
    };
    let behind = |at: usize| named(&words[at..], &words[..at]);
    let in_front = |at: usize| named(&words[..at], &words[at..]);
    (1..words.len()).find_map(behind).or_else(|| (1..words.len()).rev().find_map(in_front))
}
