//! Known-item search over all segments: the items whose names match a query, and the one whose whole name it is.

use super::request::{Query, SearchedSegment};
use crate::best_docs::{Count, best_docs};
use crate::names::{CANDIDATES, NameHit, NameQuery, NameScope, PrefixRank, SORTED_MAX};
use crate::postings::bitmap::FreshnessFilter;
use crate::postings::top_k::QueryTerm;
use crate::{
    Bitmap, MatchKind, NAME_SCORE_MIN, QueryText, SearchIndex, SearchRequest, SegmentSet, WHOLE_NAME_SCORE_MIN,
};

/// What the name scores of preferred items gain: as much as a whole name is above a name that goes on.
const PREFERRED_NAME_BONUS: f32 = 0.7;
/// Highest score of a name hit; it becomes 2 in an answer, where text hits have 0 to 1.
const NAME_SCORE_MAX: f32 = 3.0;

/// How far a search for names goes.
#[derive(Debug, Clone, Copy)]
pub(super) struct NameDepth {
    /// Names that are scored of those that share tokens with the query.
    pub candidates: usize,
    /// Items that are wanted.
    pub limit: usize,
}

impl NameDepth {
    /// Looks as far for a few items as for many.
    pub(super) const fn new(limit: usize) -> Self {
        Self { candidates: CANDIDATES, limit }
    }
}

#[derive(Debug)]
pub(super) struct NamedItem {
    pub segment: usize,
    pub ordinal: u32,
    pub stale: bool,
    pub hit: NameHit,
}

impl NamedItem {
    pub(super) fn answer_score(&self) -> f32 {
        NAME_SCORE_MIN + (self.hit.score / NAME_SCORE_MAX).clamp(0.0, 1.0)
    }
}

/// A name that begins with a key of the query. They are in the order in which they are taken as candidates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct KeyedName {
    rank: PrefixRank,
    /// Its place among those of its segment.
    place: usize,
    segment: usize,
    name: u32,
}

impl SearchIndex {
    /// The item of which a text is the whole name, with or without vendor and date, in any spelling; the best of several. `only` as in a
    /// [`SearchRequest`]. Where no name has the key of the text, which is nearly always so, this costs a search in each sorted list of keys.
    pub fn whole_name<'a>(&self, text: impl Into<QueryText<'a>>, segments: SegmentSet, only: &[Bitmap]) -> Option<u32> {
        let text = self.analysed(text.into());
        let mut names = self.selected(segments).map(|at| &self.segments[at].index.names);
        if !names.any(|names| text.normalised().keys().any(|key| names.has_key(key))) {
            return None;
        }
        let request = SearchRequest { segments, only, ..SearchRequest::new(&text, 1) };
        let query = self.prepared(&request);
        let named = self.named(&query, text.name(), FreshnessFilter::All, NameDepth::new(request.limit));
        let best = named.first()?;
        let is_whole = matches!(best.hit.kind, MatchKind::Exact | MatchKind::Alias);
        (is_whole && best.answer_score() > WHOLE_NAME_SCORE_MIN).then_some(best.ordinal)
    }

    /// The best items by name over all searched segments. Names that begin like the query, and names that share its tokens, are scored;
    /// how many does not depend on the number of segments.
    pub(super) fn named<'a>(
        &'a self,
        query: &Query<'a>,
        parsed: &NameQuery,
        freshness: FreshnessFilter,
        depth: NameDepth,
    ) -> Vec<NamedItem> {
        if parsed.is_empty() {
            return Vec::new();
        }
        let scope = |at: &SearchedSegment<'a>| self.name_scope(at.position, at.filter(freshness));
        let scopes: Vec<NameScope<'_>> = query.segments.iter().map(scope).collect();
        let local: Vec<NameQuery> = scopes.iter().map(|scope| parsed.in_segment(scope.map)).collect();
        let mut candidates: Vec<Vec<u32>> = vec![Vec::new(); query.segments.len()];
        for prefix in parsed.prefixes() {
            for KeyedName { segment, name, .. } in with_key_prefix(query, prefix, &scopes) {
                candidates[segment].push(name);
            }
        }
        let terms: Vec<Vec<QueryTerm>> = local.iter().map(NameQuery::terms).collect();
        let pairs = query.segments.iter().zip(&terms);
        let requests: Vec<_> = pairs.map(|(at, terms)| at.asked(&at.names().index, terms, freshness)).collect();
        for (at, doc) in best_docs(&requests, depth.candidates, Count::Nothing).docs {
            candidates[at].push(doc.doc_id);
        }
        best_names(query, depth.limit, |at| {
            let names = std::mem::take(&mut candidates[at]);
            query.segments[at].names().score_candidates(&local[at], names, &scopes[at])
        })
    }
}

/// The best names that begin with a key of the query, over all searched segments.
fn with_key_prefix(query: &Query<'_>, prefix: &str, scopes: &[NameScope<'_>]) -> Vec<KeyedName> {
    let mut names: Vec<KeyedName> = Vec::new();
    for (segment, scope) in scopes.iter().enumerate() {
        let found = query.segments[segment].names().with_key_prefix(prefix, scope);
        names.extend(found.enumerate().map(|(place, (rank, name))| KeyedName { rank, place, segment, name }));
    }
    if names.len() > SORTED_MAX {
        names.select_nth_unstable(SORTED_MAX);
        names.truncate(SORTED_MAX);
    }
    names
}

/// The best items of those that each searched segment finds by name.
pub(super) fn best_names(
    query: &Query<'_>,
    limit: usize,
    mut in_segment: impl FnMut(usize) -> Vec<NameHit>,
) -> Vec<NamedItem> {
    let mut named = Vec::new();
    for (at, searched) in query.segments.iter().enumerate() {
        let bonus = if searched.preferred { PREFERRED_NAME_BONUS } else { 0.0 };
        named.extend(in_segment(at).into_iter().map(|hit| NamedItem {
            segment: at,
            ordinal: searched.segment.first + hit.ordinal,
            stale: searched.segment.stale.contains(hit.ordinal),
            hit: NameHit { score: hit.score + bonus, ..hit },
        }));
    }
    named.sort_by(|a, b| {
        b.hit.score.total_cmp(&a.hit.score).then(a.stale.cmp(&b.stale)).then(a.ordinal.cmp(&b.ordinal))
    });
    named.truncate(limit);
    named
}

/// Those of some items that match by their names alone: whose own documents have no term of the query.
pub(super) fn matched_by_name_alone<'a>(
    query: &Query<'_>,
    named: &'a [NamedItem],
) -> impl Iterator<Item = &'a NamedItem> {
    let has_term = |named: &&NamedItem| {
        let searched = &query.segments[named.segment];
        let doc_id = searched.fulltext().item_doc(named.hit.ordinal);
        searched.plan.terms.iter().any(|term| searched.fulltext().index.fields_at(term.term, doc_id) != 0)
    };
    named.iter().filter(move |named| !has_term(named))
}
