//! A search request as it is carried out: its text analysed, and for each segment that is searched the query in the terms of the segment.

use crate::analysed_query::AnalysedQuery;
use crate::fulltext::{FullTextIndex, PREFERRED_PERCENT, QueryPlan};
use crate::names::NameIndex;
use crate::postings::bitmap::{Bitmap, FreshnessFilter, ItemFilter};
use crate::postings::inverted_index::InvertedIndex;
use crate::postings::posting::Posting;
use crate::postings::top_k::{QueryTerm, TopKRequest};
use crate::search_index::Segment;
use crate::{SearchIndex, SearchRequest};

/// Percent of the weight of typed words that words of the same meaning have.
const EXPANSION_PERCENT: u32 = 40;

pub(super) struct Query<'a> {
    pub request: &'a SearchRequest<'a>,
    /// The text that was typed.
    pub text: AnalysedQuery,
    /// See [`SearchRequest::subject`].
    pub subject: Option<AnalysedQuery>,
    /// Upper bound of a text's score.
    pub max_score: f32,
    pub freshness: FreshnessFilter,
    /// The segments that are searched; items name theirs by its place among these.
    pub segments: Vec<SearchedSegment<'a>>,
}

impl Query<'_> {
    /// Whether the items of a segment are meant by a part of their names, too.
    pub(super) fn is_meant(&self, searched: &SearchedSegment<'_>) -> bool {
        self.request.preferred.is_empty() || searched.preferred
    }

    /// The weight of each word of the subject, or else of the text: that of the rarest term which stands for it.
    pub(super) fn word_weights(&self) -> Vec<u32> {
        let subject = self.subject.as_ref().map(AnalysedQuery::plan).filter(|plan| !plan.terms.is_empty());
        let plan = subject.unwrap_or_else(|| self.text.plan());
        let weight = |term: &u32| plan.terms.iter().find(|known| known.term == *term).map_or(0, |known| known.weight);
        plan.words.iter().map(|word| word.terms.iter().map(weight).max().unwrap_or_default()).collect()
    }
}

pub(super) struct SearchedSegment<'a> {
    /// Its position among all segments.
    pub position: usize,
    pub segment: &'a Segment,
    /// The items of it that may be found; all when there is none.
    pub only: Option<&'a Bitmap>,
    /// Of the kind that is meant.
    pub preferred: bool,
    /// Percent that its texts count more.
    gain: u32,
    /// The query in its terms.
    pub plan: QueryPlan,
}

impl<'a> SearchedSegment<'a> {
    pub(super) fn fulltext(&self) -> &'a FullTextIndex {
        &self.segment.index.fulltext
    }

    pub(super) fn names(&self) -> &'a NameIndex {
        &self.segment.index.names
    }

    pub(super) fn filter(&self, freshness: FreshnessFilter) -> ItemFilter<'a> {
        ItemFilter { stale: &self.segment.stale, freshness, only: self.only }
    }

    /// What the scores of its items are multiplied with, by vectors as by texts.
    pub(super) fn factor(&self) -> f32 {
        1.0 + self.gain as f32 / 100.0
    }

    /// One of its indexes, asked for some terms.
    pub(super) fn asked<'b, P: Posting>(
        &self,
        index: &'b InvertedIndex<P>,
        terms: &'b [QueryTerm],
        freshness: FreshnessFilter,
    ) -> TopKRequest<'b, P>
    where
        'a: 'b,
    {
        TopKRequest { index, terms, items: self.segment.index.len(), filter: self.filter(freshness) }
    }
}

impl SearchIndex {
    /// Analyses a request, and puts it into the terms of the segments that are searched.
    pub(super) fn prepared<'a>(&'a self, request: &'a SearchRequest<'a>) -> Query<'a> {
        let text = self.analysed(request.text);
        let subject = request.subject.map(|subject| self.analysed(subject));
        let merged = text.plan();
        // Among the items that are meant, the words that say so tell nothing apart.
        let of_subject = subject.as_ref().map(AnalysedQuery::plan);
        let expansions = (!request.expansions.is_empty()).then(|| self.terms.texts.plan_whole(request.expansions));
        let searched = |position: usize| {
            let (segment, stems) = (&self.segments[position], &self.terms.maps[position].stems);
            let preferred = request.preferred.contains(position);
            let is_subject = preferred || !request.gains.is_empty();
            let of_subject = of_subject.filter(|plan| is_subject && !plan.terms.is_empty());
            let mut plan = of_subject.unwrap_or(merged).in_segment(stems);
            if let Some(expansions) = &expansions {
                plan.add_weaker(&expansions.in_segment(stems), EXPANSION_PERCENT);
            }
            let likelier = request.gains.get(position).copied().unwrap_or_default();
            let gain = if preferred { PREFERRED_PERCENT } else { likelier };
            plan.raise(gain);
            SearchedSegment { position, segment, only: request.only.get(position), preferred, gain, plan }
        };
        let segments = self.selected(request.segments).map(searched).collect();
        let freshness = if request.fresh_only { FreshnessFilter::Fresh } else { FreshnessFilter::All };
        let max_score = merged.max_score.max(1.0);
        Query { request, text, subject, max_score, freshness, segments }
    }
}

/// How many of some items are in each searched segment, given the places of their segments.
pub(super) fn per_segment(query: &Query<'_>, segments: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut counts = vec![0; query.segments.len()];
    segments.for_each(|at| counts[at] += 1);
    counts
}
