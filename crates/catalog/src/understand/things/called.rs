//! Models by the end of their name, as people call them: `sonnet 4.5` for `claude sonnet 4.5`, `opus` for `claude opus`. Things with the
//! word for their kind behind the name.

use crate::snapshot::Snapshot;
use crate::understand::{is_name, kinds, words};
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

/// The thing that a text names with the word for one of its kind behind: `firecrawl mcp server`. Several of a kind are called by what they
/// are about, and `mcp server` by their kind.
pub fn with_kind(snapshot: &Snapshot, text: &str, segments: SegmentSet) -> Option<u32> {
    let words = words::words(text);
    if kinds::is_kind(text) || words.last().is_none_or(|last| last.folded.ends_with('s')) {
        return None;
    }
    (1..words.len()).find_map(|end| {
        let kind = kinds::kind_of(&words[end..])?;
        snapshot.whole_name(&words::text(&words[..end]), segments.intersection(kind.into()))
    })
}
