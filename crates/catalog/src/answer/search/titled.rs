//! Texts by their publisher and their title: `hugging face Collections`, `vercel docs streaming`. The index knows the title as a name, and no
//! publisher in front of it.

use super::{editions, searched_kinds};
use crate::snapshot::Snapshot;
use crate::understand::is_kind;
use refdesk_core::Kind;
use refdesk_core::query::SearchQuery;
use refdesk_search::text::folded;
use refdesk_search::{Bitmap, SegmentSet};

/// Most words of a name that are looked at.
const PUBLISHER_WORDS: usize = 3;

/// The text that has the rest of a question for its whole title, where the question begins with who publishes it.
pub(super) fn titled(snapshot: &Snapshot, query: &SearchQuery) -> Option<u32> {
    let words: Vec<&str> = query.text.split_whitespace().collect();
    let is_text = |kind: &Kind| matches!(kind, Kind::Document | Kind::Tutorial);
    let segments: SegmentSet = searched_kinds(query.kind).filter(is_text).collect();
    (1..=PUBLISHER_WORDS.min(words.len().saturating_sub(1))).find_map(|length| {
        let (publisher, title) = words.split_at(length);
        let publisher = folded(&publisher.join(" "));
        if !snapshot.is_publisher(&publisher) {
            return None;
        }
        let start = title.iter().take_while(|word| is_kind(word)).count();
        let title = if start < title.len() { &title[start..] } else { title }.join(" ");
        let by = published_by(snapshot, segments, &publisher);
        snapshot.whole_name_among(&title, segments, &by).map(|text| editions::preferred(snapshot, text))
    })
}

/// The texts of a publisher, who is called so when folded, by kind.
fn published_by(snapshot: &Snapshot, segments: SegmentSet, name: &str) -> Vec<Bitmap> {
    let of_kind = |kind: Kind| {
        let segment = snapshot.segment(kind);
        let vendor = segment.values("vendor").find(|vendor| folded(vendor) == name);
        let (vendor, column) = vendor.filter(|_| segments.contains(kind.index())).zip(segment.column("vendor"))?;
        let is_theirs = |row: &u32| column.value(*row) == Some(vendor) && snapshot.shows(kind, *row);
        Some((0..segment.len()).filter(is_theirs).collect())
    };
    Kind::ALL.map(|kind| of_kind(kind).unwrap_or_default()).into()
}
