//! Items by their whole name and who made or published them: `hugging face Collections`, `vercel docs streaming`, `gpt-4o mini by openai`. The
//! index knows a title as a name, and no publisher beside it. Texts on a topic of a publisher are in [`published`].

pub(super) mod published;

use super::{editions, searched_kinds};
use crate::snapshot::Snapshot;
use crate::understand::{is_kind, line};
use refdesk_core::Kind;
use refdesk_core::query::{SearchQuery, Selection};
use refdesk_search::text::folded;
use refdesk_search::{Bitmap, SegmentSet};

/// Most words of a name that are looked at.
const PUBLISHER_WORDS: usize = 3;

/// The item that has the rest of a question for its whole name, where the question begins or ends with who made or published it. A model
/// behind its maker is found by words, unless words of its name `were_read`.
pub(super) fn titled(snapshot: &Snapshot, query: &SearchQuery, were_read: bool) -> Option<u32> {
    // What the request itself selects may not be the item.
    let Selection { conditions, ids, stale, sort, .. } = &query.selection;
    let selects = !(conditions.is_empty() && ids.is_empty() && stale.is_none() && sort.is_empty());
    if !query.understand || selects {
        return None;
    }
    let words: Vec<&str> = query.text.split_whitespace().collect();
    let segments = |with_models: bool| -> SegmentSet {
        let is_looked_at = |kind: &Kind| match kind {
            Kind::Document | Kind::Tutorial => true,
            Kind::Model => with_models,
            _ => false,
        };
        searched_kinds(query.kind).filter(is_looked_at).collect()
    };
    let in_front = |length| {
        let (publisher, title): (&[&str], &[&str]) = words.split_at(length);
        let start = title.iter().take_while(|word| is_kind(word)).count();
        let title = if start < title.len() { &title[start..] } else { title };
        called_by(snapshot, segments(were_read), title, publisher)
    };
    (1..=PUBLISHER_WORDS.min(words.len().saturating_sub(1))).find_map(in_front).or_else(|| {
        let (title, publisher) = before_by(snapshot, &words)?;
        called_by(snapshot, segments(true), title, publisher)
    })
}

/// A name and who is said to have made or published what is called so: `gpt-4o mini by openai`. A line of models is no name of one, a word for
/// a kind asks for several things, and any single word may be what they are about.
fn before_by<'a, 'b>(snapshot: &Snapshot, words: &'a [&'b str]) -> Option<(&'a [&'b str], &'a [&'b str])> {
    let is_by = |word: &&str| ["by", "from"].iter().any(|by| word.eq_ignore_ascii_case(by));
    let (title, by) = words.split_at(words.iter().rposition(is_by)?);
    let publisher = &by[1..];
    let is_name = match title {
        [] => false,
        [word] => !word.chars().all(char::is_alphabetic) && line(snapshot, word).is_none(),
        [.., last] => !is_kind(last),
    };
    (is_name && (1..=PUBLISHER_WORDS).contains(&publisher.len())).then_some((title, publisher))
}

/// What somebody made or published that some words are the whole name of.
fn called_by(snapshot: &Snapshot, segments: SegmentSet, title: &[&str], publisher: &[&str]) -> Option<u32> {
    let publisher = folded(&publisher.join(" "));
    if !snapshot.is_publisher(&publisher) {
        return None;
    }
    let by = made_by(snapshot, segments, &publisher);
    snapshot.whole_name_among(&title.join(" "), segments, &by).map(|item| editions::preferred(snapshot, item))
}

/// The items of a maker or publisher, who is called so when folded, by kind.
fn made_by(snapshot: &Snapshot, segments: SegmentSet, name: &str) -> Vec<Bitmap> {
    let of_kind = |kind: Kind| {
        let segment = snapshot.segment(kind);
        let vendor = segment.values("vendor").find(|vendor| folded(vendor) == name);
        let (vendor, column) = vendor.filter(|_| segments.contains(kind.index())).zip(segment.column("vendor"))?;
        let is_theirs = |row: &u32| column.value(*row) == Some(vendor) && snapshot.shows(kind, *row);
        Some((0..segment.len()).filter(is_theirs).collect())
    };
    Kind::ALL.map(|kind| of_kind(kind).unwrap_or_default()).into()
}
