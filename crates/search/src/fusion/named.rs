//! Known-item search over all segments: the items whose names match a query, and the one whose whole name it is.

use super::request::{Query, SearchedSegment};
use crate::best_docs::{Count, best_docs};
use crate::names::{CANDIDATES, NameHit, NameQuery, NameScope, PrefixRank, SORTED_MAX};
use crate::postings::bitmap::FreshnessFilter;
use crate::postings::top_k::QueryTerm;
use crate::{
    Bitmap, MatchKind, NAME_SCORE_MIN, QueryText, SearchHit, SearchIndex, SearchRequest, SegmentSet,
    WHOLE_NAME_SCORE_MIN,
};

/// What the name scores of preferred items gain: as much as a whole name is above a name that goes on.
const PREFERRED_NAME_BONUS: f32 = 0.7;
/// What the scores of whole names of other items gain where words say which are preferred: these words are a part of the name, as in `lite
/// llm`. Names of preferred items that only begin so come behind, and their whole names before.
const NAMED_SO_BONUS: f32 = 0.35;
/// Highest score of a name hit; it becomes 2 in an answer, where text hits have 0 to 1.
const NAME_SCORE_MAX: f32 = 3.0;

/// The same as [`CANDIDATES`] for stale items, which are counted and not shown: more, for nobody waits for their order.
pub(super) const COUNTED_CANDIDATES: usize = 74;

/// What is found by name, the best first, and what was taken for the name.
pub(super) struct FoundByName<'q> {
    pub items: Vec<NamedItem>,
    pub name: &'q NameQuery,
}

impl FoundByName<'_> {
    /// Adds what matches by name to what matches otherwise, by place of the segment; whether nothing is missing then.
    pub(super) fn add_to(&self, matches: &mut [Bitmap], query: &Query<'_>, freshness: FreshnessFilter) -> bool {
        for named in &self.items {
            matches[named.segment].insert(named.hit.ordinal);
        }
        let mut is_all = true;
        for (searched, matches) in query.segments.iter().zip(matches).filter(|(searched, _)| query.is_meant(searched)) {
            match searched.names().beginning_with(self.name, searched.filter(freshness)) {
                Some(names) => names.for_each(|(_, item)| matches.insert(item)),
                None => is_all = false,
            }
        }
        is_all
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
        let named = self.named(&query, text.name(), FreshnessFilter::All, CANDIDATES);
        let best = named.first()?;
        is_whole_name(&best.hit).then_some(best.ordinal)
    }

    /// What is found by the names that are meant.
    pub(super) fn found_by_name<'q>(
        &self,
        query: &'q Query<'_>,
        freshness: FreshnessFilter,
        candidates: usize,
    ) -> FoundByName<'q> {
        let mut name = query.text.name();
        let mut items = self.named(query, name, freshness, candidates);
        if query.request.preferred.is_empty() {
            return FoundByName { items, name };
        }
        let is_preferred = |named: &NamedItem| query.segments[named.segment].preferred;
        // Words that say the kind may be a part of the name, too: the whole is looked up first.
        if items.is_empty()
            && let Some(subject) = &query.subject
        {
            name = subject.name();
            items = self.named(query, name, freshness, candidates);
            items.retain(is_preferred);
        }
        // Of other kinds than the one that is meant, only what is called so as a whole is meant by name.
        let is_whole = |named: &NamedItem| matches!(named.hit.kind, MatchKind::Exact | MatchKind::Alias);
        items.retain(|named| is_preferred(named) || is_whole(named));
        FoundByName { items, name }
    }

    /// What has a name that begins like the query and is not among some hits, the best first: of many such names only some were scored.
    pub(super) fn others_beginning<'a>(
        &'a self,
        query: &Query<'a>,
        found: &NameQuery,
        hits: &[SearchHit],
    ) -> Vec<NamedItem> {
        let mut shown: Vec<u32> = hits.iter().map(|hit| hit.ordinal).collect();
        shown.sort_unstable();
        best_names(query, |at| {
            let searched = &query.segments[at];
            let scope = self.name_scope(searched.position, searched.filter(query.freshness));
            let is_new = |item: &u32| shown.binary_search(&(searched.segment.first + item)).is_err();
            let names = searched.names().beginning_with(found, scope.filter).filter(|_| query.is_meant(searched));
            let names: Vec<u32> =
                names.into_iter().flatten().filter(|(_, item)| is_new(item)).map(|(name, _)| name).collect();
            if names.is_empty() {
                return Vec::new();
            }
            searched.names().score_candidates(&found.in_segment(scope.map), names, &scope)
        })
    }

    /// The items found by name over all searched segments, the best first. Names that begin like the query, and names that share its
    /// tokens, are scored; how many does not depend on the number of segments.
    pub(super) fn named<'a>(
        &'a self,
        query: &Query<'a>,
        parsed: &NameQuery,
        freshness: FreshnessFilter,
        most_sharing: usize,
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
        for (at, doc) in best_docs(&requests, most_sharing, Count::Nothing).docs {
            candidates[at].push(doc.doc_id);
        }
        best_names(query, |at| {
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

/// Whether a query is the whole name that matched.
fn is_whole_name(hit: &NameHit) -> bool {
    let is_whole = matches!(hit.kind, MatchKind::Exact | MatchKind::Alias);
    is_whole && NAME_SCORE_MIN + hit.score / NAME_SCORE_MAX > WHOLE_NAME_SCORE_MIN
}

/// The items that each searched segment finds by name, the best first.
pub(super) fn best_names(query: &Query<'_>, mut in_segment: impl FnMut(usize) -> Vec<NameHit>) -> Vec<NamedItem> {
    let mut named = Vec::new();
    for (at, searched) in query.segments.iter().enumerate() {
        let of_whole = if query.subject.is_some() && !query.is_meant(searched) { NAMED_SO_BONUS } else { 0.0 };
        let of_others = |hit: &NameHit| if is_whole_name(hit) { of_whole } else { 0.0 };
        let bonus = |hit: &NameHit| if searched.preferred { PREFERRED_NAME_BONUS } else { of_others(hit) };
        named.extend(in_segment(at).into_iter().map(|hit| NamedItem {
            segment: at,
            ordinal: searched.segment.first + hit.ordinal,
            stale: searched.segment.stale.contains(hit.ordinal),
            hit: NameHit { score: hit.score + bonus(&hit), ..hit },
        }));
    }
    named.sort_by(|a, b| {
        b.hit.score.total_cmp(&a.hit.score).then(a.stale.cmp(&b.stale)).then(a.ordinal.cmp(&b.ordinal))
    });
    named
}
