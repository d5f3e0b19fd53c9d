//! Which rows of a kind a [`Selection`] asks for, in which order, and how often each value of a facet stands among them. A filter scans
//! columns ([`crate::columns`]); nothing here reads a row but for the prices of one seller and for what is fresh of an item that is
//! partly stale.

mod facets;
mod left_out;
mod made_columns;
mod order;
mod price_evidence;
mod spellings;
mod unknown_values;

use std::borrow::Cow;

use crate::columns::{self, Accepted, Column, MadeColumns, UNKNOWN};
use crate::segment::Segment;
use crate::snapshot::Snapshot;
use refdesk_core::Kind;
use refdesk_core::field::{self, FieldDef, ParsedValue, Side};
use refdesk_core::item::Status;
use refdesk_core::query::{Condition, ListQuery, PriceOf, Selection, Test, Warning};
use refdesk_search::{AnalysedQuery, Bitmap, SearchRequest};

pub use facets::{Facet, FacetValue};
pub use left_out::{called, of_candidate, of_nothing, unmet, why_left_out};
pub use made_columns::price_of_row;
pub use price_evidence::PriceEvidence;
pub use unknown_values::unknown_values;

/// Items that `q` of a list finds at most: the best of them.
pub const LIST_MATCHES_MAX: usize = 10_000;

/// The rows that a list query asks for.
#[derive(Debug, Default)]
pub struct Listing {
    /// All rows, in their order.
    pub rows: Vec<u32>,
    /// Ids and spellings of `ids` that name nothing.
    pub unresolved: Vec<String>,
    /// Items left out because they are stale.
    pub excluded_stale: usize,
    /// What is counted.
    pub facets: Vec<Facet>,
    /// Oddities of the selection.
    pub warnings: Vec<Warning>,
}

/// Columns as a selection reads them.
struct Reader<'a> {
    segment: &'a Segment,
    price_of: &'a PriceOf,
    fresh_only: bool,
    /// Prices of a seller. What is stale is left out of them, and of what is made for all requests.
    of_seller: Option<MadeColumns>,
    fresh: Vec<&'a MadeColumns>,
}

impl<'a> Reader<'a> {
    fn new(segment: &'a Segment, selection: &'a Selection, fresh_only: bool) -> Self {
        let needs_prices = looks_at(selection, FieldDef::is_price);
        let price_of = selection.price_of();
        let of_seller = match price_of {
            PriceOf::Seller(seller) if needs_prices => Some(made_columns::of_seller(segment, seller, fresh_only)),
            _ => None,
        };
        let mut fresh = Vec::new();
        if fresh_only && needs_prices && *price_of == PriceOf::Cheapest {
            fresh.push(made_columns::of_cheapest_fresh(segment));
        }
        if fresh_only && looks_at(selection, FieldDef::is_offer_count) {
            fresh.push(made_columns::of_fresh_offers(segment));
        }
        Self { segment, price_of, fresh_only, of_seller, fresh }
    }

    /// What is no column of the segment.
    fn made(&self, field: &FieldDef) -> Option<&Column> {
        self.of_seller.iter().chain(self.fresh.iter().copied()).find_map(|columns| columns.get(field.name))
    }

    fn column(&self, field: &FieldDef) -> Option<&Column> {
        match self.made(field) {
            Some(column) => Some(column),
            None => self.segment.columns().get(self.segment.kind(), field, self.price_of),
        }
    }

    /// Conditions with what they accept, decided once.
    fn prepared<'r>(&'r self, conditions: impl IntoIterator<Item = &'r Condition>) -> Vec<Prepared<'r>> {
        let prepared = |condition: &'r Condition| {
            let column = self.column(condition.field)?;
            let test = spellings::in_all(condition.field, column, &condition.test);
            Some(Prepared { field: condition.field, column, accepted: column.accepted(&test), test })
        };
        conditions.into_iter().filter_map(prepared).collect()
    }

    /// The number of a row's value, of what is unknown where the value is stale.
    fn fresh_code(&self, row: u32, field: &FieldDef, column: &Column) -> u32 {
        if self.is_stale(row, field) { UNKNOWN } else { column.codes.get(row) }
    }

    /// Whether what the column of a field says of a row is stale.
    fn is_stale(&self, row: u32, field: &FieldDef) -> bool {
        self.made(field).is_none() && self.segment.is_stale(row, field)
    }

    /// Keeps the rows that meet all of some conditions. With `fresh_only`, a stale value is unknown.
    fn retain<'c>(&self, rows: &mut Vec<u32>, conditions: impl Iterator<Item = &'c Prepared<'c>>, fresh_only: bool) {
        for Prepared { field, column, test, accepted } in conditions {
            if !fresh_only {
                column.codes.retain(rows, |code| accepted.contains(code));
                continue;
            }
            rows.retain(|row| match self.segment.fresh_words(*row, field) {
                Some(words) => columns::meets(&words, test),
                None => accepted.contains(self.fresh_code(*row, field, column)),
            });
        }
    }
}

/// A condition, and the numbers of values that meet it.
struct Prepared<'a> {
    field: &'static FieldDef,
    column: &'a Column,
    /// In all spellings of the column.
    test: Cow<'a, Test>,
    accepted: Accepted,
}

/// Whether a selection filters or sorts by such fields.
fn looks_at(selection: &Selection, is_meant: fn(&FieldDef) -> bool) -> bool {
    selection.conditions.iter().any(|condition| is_meant(condition.field))
        || selection.sort.iter().any(|key| is_meant(key.field))
}

/// The rows of a query in their order, and what is counted among them.
pub fn select(snapshot: &Snapshot, kind: Kind, query: &ListQuery) -> Listing {
    let mut listing = select_beside(snapshot, kind, query, None);
    listing.warnings.extend(left_out::candidate_called(snapshot, kind, query));
    listing.warnings.extend(unknown_values(snapshot, kind, &query.selection));
    listing
}

/// The same without one row, and without a word of candidates and of values that nothing has: that is for who asked for them.
pub fn select_beside(snapshot: &Snapshot, kind: Kind, query: &ListQuery, beside: Option<u32>) -> Listing {
    let selection = &query.selection;
    let segment = snapshot.segment(kind);
    let mut rows: Vec<u32> = snapshot.listed_rows(kind, query.include_candidates, query.fresh_only).collect();
    let mut listing = Listing::default();
    if query.fresh_only {
        listing.excluded_stale = excluded_stale(snapshot, kind, query, beside, &rows);
    }
    rows.retain(|row| Some(*row) != beside);
    if !selection.ids.is_empty() {
        let wanted = named(snapshot, kind, &selection.ids, &mut listing.unresolved);
        if kind == Kind::Framework && !query.include_candidates && !query.fresh_only {
            let candidates = wanted.iter().filter(|row| rows.binary_search(row).is_err());
            listing.warnings.extend(candidates.map(|row| of_candidate(snapshot, snapshot.ordinal(kind, *row))));
        }
        rows.retain(|row| wanted.binary_search(row).is_ok());
    }
    let reader = Reader::new(segment, selection, query.fresh_only);
    if selection.is_without_removed() {
        let still_listed = not_removed(kind);
        reader.retain(&mut rows, reader.prepared(&still_listed).iter(), false);
    }
    if let Some(stale) = selection.stale {
        rows.retain(|row| segment.stale().contains(*row) == stale);
    }
    let conditions = reader.prepared(&selection.conditions);
    let before = if selection.facets.is_empty() { Vec::new() } else { rows.clone() };
    reader.retain(&mut rows, conditions.iter(), query.fresh_only);
    let words = selection.text.as_deref().map(|text| TextFilter { snapshot, kind, text: snapshot.analyse(text) });
    // Last, and only among the rows that are left: a search compares a bounded number of names, which must not be those of other rows.
    let matches = words.as_ref().map(|words| words.among(&rows, query.fresh_only));
    if let Some(matches) = &matches {
        if matches.len() == LIST_MATCHES_MAX {
            let told =
                format!("more than {LIST_MATCHES_MAX} items match the text; the best {LIST_MATCHES_MAX} are listed");
            listing.warnings.push(told.into());
        }
        rows.clone_from(matches);
        rows.sort_unstable();
    }
    let counted = facets::CountedRows { before, left: &rows, words: words.as_ref() };
    listing.facets = facets::count(&reader, &counted, &conditions, query);
    listing.rows = match (matches, selection.sort.is_empty()) {
        (Some(matches), true) => matches,
        (_, true) => rows,
        (_, false) => order::sorted(&reader, rows, &selection.sort, query.offset.saturating_add(query.limit)),
    };
    listing.warnings.extend(contradictions(selection).map(Warning::from));
    listing.warnings.extend(prices_not_of_seller(selection).map(Warning::from));
    if query.fresh_only && selection.stale == Some(true) {
        listing.warnings.push("`fresh_only` leaves out all that `stale` asks for: nothing can be left".into());
    }
    if selection.is_without_removed() && asks_for_removed(selection) {
        listing.warnings.push("`include_removed` leaves out all that `status` asks for: nothing can be left".into());
    }
    listing
}

/// How many rows a query that wants only fresh ones would find beside these, if it wanted all.
fn excluded_stale(snapshot: &Snapshot, kind: Kind, query: &ListQuery, beside: Option<u32>, fresh: &[u32]) -> usize {
    if query.selection.is_every_row() {
        return snapshot.listed_rows(kind, query.include_candidates, false).count() - fresh.len();
    }
    let mut all = ListQuery { fresh_only: false, ..query.clone() };
    (all.selection.facets, all.selection.sort) = (Vec::new(), Vec::new());
    let found = select_beside(snapshot, kind, &all, beside).rows;
    found.iter().filter(|row| fresh.binary_search(row).is_err()).count()
}

/// What is still listed.
fn not_removed(kind: Kind) -> Option<Condition> {
    let status = field::named(kind, "status")?;
    Some(Condition { field: status, test: Test::NoneOf(vec![Status::Removed.as_str().to_owned()]) })
}

/// Says that a seller chooses models and not prices, where prices bound or order them and nobody said whose: who names a seller mostly means
/// what it charges.
fn prices_not_of_seller(selection: &Selection) -> Option<&'static str> {
    let fields_of = |is_meant: fn(&Test) -> bool| {
        selection.conditions.iter().filter(move |condition| is_meant(&condition.test)).map(|condition| condition.field)
    };
    let is_of_seller = fields_of(|test| matches!(test, Test::AnyOf(_))).any(FieldDef::is_seller);
    let mut figures =
        fields_of(|test| matches!(test, Test::Within(..))).chain(selection.sort.iter().map(|key| key.field));
    (selection.price_of.is_none() && is_of_seller && figures.any(FieldDef::is_price))
        .then_some("prices are those of the makers, also of what `seller` sells: `price_of` chooses whose prices count")
}

/// Filters that nothing can meet together.
pub fn contradictions(selection: &Selection) -> Option<String> {
    let bound = |field: &FieldDef, wanted: Side| {
        selection.conditions.iter().find_map(|condition| match &condition.test {
            Test::Within(value, side) if condition.field == field && *side == wanted => Some(value),
            _ => None,
        })
    };
    let is_empty = |least: &ParsedValue, most: &ParsedValue| match (least, most) {
        (ParsedValue::Count(least), ParsedValue::Count(most)) => least > most,
        (ParsedValue::Price(least), ParsedValue::Price(most)) => least > most,
        (ParsedValue::Day(least), ParsedValue::Day(most)) => least > most,
        _ => false,
    };
    let fields = selection.conditions.iter().map(|condition| condition.field);
    let is_excluded = |condition: &&Condition| {
        let others = selection.conditions.iter().filter(|other| other.field == condition.field);
        let mut excluded =
            others.filter_map(|other| if let Test::NoneOf(words) = &other.test { Some(words) } else { None });
        let is_in = |words: &[String], word: &str| words.iter().any(|other| other.eq_ignore_ascii_case(word));
        match &condition.test {
            Test::AnyOf(asked) => excluded.any(|words| asked.iter().all(|word| is_in(words, word))),
            // All are asked for: one that is excluded, or known not to be there, is enough.
            Test::AllOf(asked) => {
                let is_opposite = |word: &String| word.strip_prefix('!').is_some_and(|word| is_in(asked, word));
                asked.iter().any(is_opposite) || excluded.any(|words| asked.iter().any(|word| is_in(words, word)))
            }
            _ => false,
        }
    };
    if let Some(Condition { field, test }) = selection.conditions.iter().find(is_excluded) {
        let name = field.name;
        return Some(match test {
            Test::AllOf(_) => format!("`{name}` asks for something that is excluded as well: nothing can be left"),
            _ => format!("`{name}__not` excludes all that `{name}` asks for: nothing can be left"),
        });
    }
    let empty_range = fields.into_iter().find_map(|field| {
        let (least, most) = (bound(field, Side::Least)?, bound(field, Side::Most)?);
        let name = field.name;
        is_empty(least, most).then(|| format!("`{name}__gte` is above `{name}__lte`: nothing can be in that range"))
    });
    empty_range.or_else(|| value_of_unknown(selection))
}

/// A filter that asks for a value of a field which another filter wants unknown.
fn value_of_unknown(selection: &Selection) -> Option<String> {
    let is_unknown = |field: &FieldDef| {
        let mut others = selection.conditions.iter().filter(|other| other.field == field);
        others.any(|other| matches!(other.test, Test::IsNull(true)))
    };
    let mut asked = selection.conditions.iter().filter(|condition| is_unknown(condition.field));
    let Condition { field, test } =
        asked.find(|condition| !matches!(condition.test, Test::NoneOf(_) | Test::IsNull(_)))?;
    let name = field.name;
    let operator = if let Test::Within(_, side) = test { format!("__{}", side.operator()) } else { String::new() };
    Some(format!("`{name}__isnull` asks for what is unknown, and `{name}{operator}` for a value: nothing can be left"))
}

/// Whether a selection wants only what is removed.
fn asks_for_removed(selection: &Selection) -> bool {
    let mut of_status = selection.conditions.iter().filter(|condition| condition.field.name == "status");
    of_status.any(|condition| match &condition.test {
        Test::AnyOf(words) => words.iter().all(|word| word.eq_ignore_ascii_case(Status::Removed.as_str())),
        _ => false,
    })
}

/// The rows of ids and spellings, rising.
fn named(snapshot: &Snapshot, kind: Kind, ids: &[String], unresolved: &mut Vec<String>) -> Vec<u32> {
    let mut rows = Vec::new();
    for id in ids {
        match snapshot.find(kind, id).item() {
            Some(ordinal) => rows.push(snapshot.locate(ordinal).1),
            None => unresolved.push(id.clone()),
        }
    }
    rows.sort_unstable();
    rows
}

/// The text that rows have to match.
struct TextFilter<'a> {
    snapshot: &'a Snapshot,
    kind: Kind,
    text: AnalysedQuery,
}

impl TextFilter<'_> {
    /// Those of some rising rows that match, best first.
    fn among(&self, rows: &[u32], fresh_only: bool) -> Vec<u32> {
        if rows.is_empty() {
            return Vec::new();
        }
        let all = self.snapshot.segment(self.kind).len() as usize;
        let mut only = Vec::new();
        if rows.len() < all {
            only = vec![Bitmap::default(); Kind::ALL.len()];
            only[self.kind.index()] = rows.iter().copied().collect();
        }
        let request = SearchRequest {
            segments: self.kind.into(),
            fresh_only,
            only: &only,
            ..SearchRequest::new(&self.text, LIST_MATCHES_MAX)
        };
        let hits = self.snapshot.search(&request).hits;
        hits.iter().map(|hit| self.snapshot.locate(hit.ordinal).1).collect()
    }
}
