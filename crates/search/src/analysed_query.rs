//! A query's text, analysed once for all that is asked with it (as Lucene's `Weight` is made once of a `Query`): its words looked up in the
//! merged terms of the full-text index, and parsed as a name. Each part is made when it is first wanted. Not here: what a segment has of the
//! terms ([`super::fusion`]).

use std::sync::{Arc, OnceLock};

use refdesk_core::query::QUERY_CHARS_MAX;
use refdesk_core::text::first_chars;

use super::SearchIndex;
use super::fulltext::QueryPlan;
use super::names::{NameQuery, NormalisedName, TrigramQuery};
use super::search_index::MergedTerms;

/// A text, analysed against the terms of an index: see [`SearchIndex::analyse`]. Cheap to clone.
#[derive(Debug, Clone)]
pub struct AnalysedQuery(Arc<Analysis>);

/// The parts of an analysed text.
#[derive(Debug)]
struct Analysis {
    terms: Arc<MergedTerms>,
    text: Box<str>,
    plan: OnceLock<QueryPlan>,
    normalised: OnceLock<Arc<NormalisedName>>,
    name: OnceLock<NameQuery>,
}

/// What a search is for: a text as it was typed, or one that was analysed before.
#[derive(Debug, Clone, Copy)]
pub enum QueryText<'a> {
    /// 0 to 2,000 characters, any content.
    Typed(&'a str),
    /// By the index that is asked, or by another over the same segments.
    Analysed(&'a AnalysedQuery),
}

impl<'a> From<&'a str> for QueryText<'a> {
    fn from(text: &'a str) -> Self {
        Self::Typed(text)
    }
}

impl<'a> From<&'a String> for QueryText<'a> {
    fn from(text: &'a String) -> Self {
        Self::Typed(text)
    }
}

impl<'a> From<&'a AnalysedQuery> for QueryText<'a> {
    fn from(query: &'a AnalysedQuery) -> Self {
        Self::Analysed(query)
    }
}

impl SearchIndex {
    /// Analyses a text, for more than one search.
    pub fn analyse(&self, text: &str) -> AnalysedQuery {
        AnalysedQuery(Arc::new(Analysis {
            terms: Arc::clone(&self.terms),
            text: first_chars(text, QUERY_CHARS_MAX).into(),
            plan: OnceLock::new(),
            normalised: OnceLock::new(),
            name: OnceLock::new(),
        }))
    }

    /// The analysed query that a text is, or that is made of it.
    pub(super) fn analysed(&self, text: QueryText<'_>) -> AnalysedQuery {
        match text {
            QueryText::Typed(text) => self.analyse(text),
            QueryText::Analysed(query) => query.clone(),
        }
    }
}

impl AnalysedQuery {
    /// Its words in the merged terms of texts.
    pub(super) fn plan(&self) -> &QueryPlan {
        let Analysis { plan, terms, text, .. } = &*self.0;
        plan.get_or_init(|| terms.texts.plan(text))
    }

    /// The text in the normal form of names.
    pub(super) fn normalised(&self) -> &Arc<NormalisedName> {
        let Analysis { normalised, text, .. } = &*self.0;
        normalised.get_or_init(|| Arc::new(NormalisedName::new(text)))
    }

    /// The text parsed as a name.
    pub(super) fn name(&self) -> &NameQuery {
        let Analysis { name, terms, text, .. } = &*self.0;
        name.get_or_init(|| terms.names.parse(text, Arc::clone(self.normalised()), &terms.texts))
    }

    /// Its trigrams, for names that look like it.
    pub(super) fn trigrams(&self) -> TrigramQuery {
        self.0.terms.names.trigram_query(self.normalised())
    }
}
