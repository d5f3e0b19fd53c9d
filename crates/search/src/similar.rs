//! "Did you mean": the items of all segments whose names, as a whole, look most like a text (n-gram similarity, as `pg_trgm` does).

use super::best_docs::{Count, best_docs};
use super::names::{SimilarName, TrigramQuery};
use super::postings::bitmap::{Bitmap, FreshnessFilter, ItemFilter};
use super::postings::top_k::TopKRequest;
use super::{SearchIndex, SegmentSet};

/// Names compared with a text, and how many more for each item that is wanted: several names may belong to one item.
const COMPARED_ALWAYS: usize = 10;
const COMPARED_PER_ITEM: usize = 8;

impl SearchIndex {
    /// Ordinals of the items with the most similar names, best first; `only` as in a [`super::SearchRequest`]. They are all that were compared
    /// to find so many: for who leaves some of them out.
    pub fn names_compared(&self, text: &str, segments: SegmentSet, only: &[Bitmap], limit: usize) -> Vec<u32> {
        let query = self.analyse(text).trigrams();
        let filter = |at: usize| ItemFilter {
            stale: &self.segments[at].stale,
            freshness: FreshnessFilter::All,
            only: only.get(at),
        };
        let scopes: Vec<_> = self.selected(segments).map(|at| (at, filter(at))).collect();
        let similar = self.similar(&query, &scopes, COMPARED_ALWAYS + limit * COMPARED_PER_ITEM).into_iter();
        similar.map(|(at, name)| self.segments[scopes[at].0].first + name.ordinal).collect()
    }

    /// The most similar of so many names that share the most trigrams, among some segments, given their positions and what may be found: the
    /// place of the segment among these, and the best name of an item. Best first.
    pub(super) fn similar(
        &self,
        query: &TrigramQuery,
        scopes: &[(usize, ItemFilter<'_>)],
        compared: usize,
    ) -> Vec<(usize, SimilarName)> {
        let terms: Vec<_> = scopes.iter().map(|(at, _)| query.terms_in(&self.terms.maps[*at].names)).collect();
        let mut requests = Vec::with_capacity(scopes.len());
        for ((at, filter), terms) in scopes.iter().zip(&terms) {
            let segment = &self.segments[*at].index;
            requests.push(TopKRequest { index: &segment.names.index, terms, items: segment.len(), filter: *filter });
        }
        let mut similar: Vec<(usize, SimilarName)> = Vec::new();
        for (at, doc) in best_docs(&requests, compared, Count::Nothing).docs {
            let names = &self.segments[scopes[at].0].index.names;
            similar.extend(names.compare(query, doc.doc_id).map(|name| (at, name)));
        }
        similar.sort_by(|(a_at, a), (b_at, b)| {
            b.similarity.total_cmp(&a.similarity).then((a_at, a.ordinal, a.name).cmp(&(b_at, b.ordinal, b.name)))
        });
        let mut seen = Vec::new();
        similar.retain(|(at, name)| {
            let item = (*at, name.ordinal);
            let is_new = !seen.contains(&item);
            seen.push(item);
            is_new
        });
        similar
    }
}
