//! Tutorials by who wrote them: behind `by`, those of the author go before what only has the same words somewhere.

use super::placed::put_first;
use crate::snapshot::Snapshot;
use crate::understand::{Understood, content_words};
use refdesk_core::Kind;
use refdesk_core::query::SearchQuery;
use refdesk_search::{Bitmap, MatchField, MatchKind, SearchHit, SearchOutcome, SearchRequest};

/// What stands before the name of an author.
const BY: &str = " by ";

/// Puts the tutorials whose author a question names before the others.
pub fn put(snapshot: &Snapshot, query: &SearchQuery, understood: &Understood, outcome: &mut SearchOutcome) {
    let text = query.text.trim_end_matches(|c: char| c.is_ascii_punctuation());
    let name = text.rsplit_once(BY).map(|(_, name)| name.trim());
    // What was read as a filter is left over no more.
    let name = name.filter(|name| understood.kind == Some(Kind::Tutorial) && understood.rest.ends_with(name));
    let Some(mut wrote) = name.map(|name| written_by(snapshot, query, name)) else { return };
    let place = |hit: &SearchHit| outcome.hits.iter().position(|other| other.ordinal == hit.ordinal);
    wrote.sort_by_key(|hit| place(hit).unwrap_or(usize::MAX));
    put_first(snapshot, wrote, query.limit, outcome);
}

/// The tutorials whose keywords, among which their authors are, have every word of a name.
fn written_by(snapshot: &Snapshot, query: &SearchQuery, name: &str) -> Vec<SearchHit> {
    let is_keyword =
        |(field, how): &(MatchField, MatchKind)| *field == MatchField::Keywords && *how != MatchKind::Fuzzy;
    let mut wrote: Option<Vec<SearchHit>> = None;
    for word in content_words(name) {
        let only = wrote.as_ref().map_or_else(Vec::new, |wrote| {
            let mut only = vec![Bitmap::default(); Kind::ALL.len()];
            only[Kind::Tutorial.index()] = wrote.iter().map(|hit| snapshot.locate(hit.ordinal).1).collect();
            only
        });
        let request = SearchRequest {
            segments: Kind::Tutorial.into(),
            fresh_only: query.fresh_only,
            only: &only,
            ..SearchRequest::new(word, snapshot.segment(Kind::Tutorial).len() as usize)
        };
        let found = snapshot.search(&request).hits;
        wrote = Some(found.into_iter().filter(|hit| hit.matched.iter().any(is_keyword)).collect());
    }
    wrote.unwrap_or_default()
}
