//! Which rows of a kind a [`Selection`] asks for, in which order, and how often each value of a facet stands among them. A filter scans
//! columns ([`crate::columns`]); nothing here reads a row but for the prices of one seller, and for what of a row is fresh.

mod facets;
mod order;
mod seller_prices;

use crate::columns::{self, Accepted, Column, UNKNOWN};
use crate::segment::Segment;
use crate::snapshot::Snapshot;
use refdesk_core::Kind;
use refdesk_core::field::{self, FieldDef, ParsedValue, Side};
use refdesk_core::item::Status;
use refdesk_core::query::{Advice, Condition, ListQuery, PriceOf, Selection, Test, Warning};
use refdesk_search::SearchRequest;

pub use facets::{Facet, FacetValue};
use seller_prices::MadeColumns;
pub use seller_prices::price_of_row;

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
    /// Those that the segment does not have, by field: prices of other sellers than the maker, and numbers of offers. What is stale is left
    /// out of them already.
    made: MadeColumns,
}

impl<'a> Reader<'a> {
    fn new(segment: &'a Segment, selection: &'a Selection, fresh_only: bool) -> Self {
        let needs_prices = needs(selection, FieldDef::is_price);
        let mut made = match selection.price_of() {
            PriceOf::Seller(seller) if needs_prices => seller_prices::of_seller(segment, seller, fresh_only),
            PriceOf::Cheapest if fresh_only && needs_prices => seller_prices::of_cheapest_fresh(segment),
            _ => MadeColumns::new(),
        };
        if fresh_only && needs(selection, |field| field.name == "offers") {
            made.extend(seller_prices::fresh_offers(segment));
        }
        Self { segment, price_of: selection.price_of(), fresh_only, made }
    }

    fn column(&self, field: &FieldDef) -> Option<&Column> {
        match self.made.get(field.name) {
            Some(column) => Some(column),
            None => self.segment.columns().get(self.segment.kind(), field, self.price_of),
        }
    }

    /// Conditions with what they accept, decided once.
    fn prepared<'r>(&'r self, conditions: impl IntoIterator<Item = &'r Condition>) -> Vec<Prepared<'r>> {
        let prepared = |condition: &'r Condition| {
            let column = self.column(condition.field)?;
            Some(Prepared {
                field: condition.field,
                column,
                test: &condition.test,
                accepted: column.accepted(&condition.test),
            })
        };
        conditions.into_iter().filter_map(prepared).collect()
    }

    /// The number of a row's value, of what is unknown where the value is stale.
    fn fresh_code(&self, row: u32, field: &FieldDef, column: &Column) -> u32 {
        if self.is_stale(row, field) { UNKNOWN } else { column.codes.get(row) }
    }

    /// Whether what the column of a field says of a row is stale.
    fn is_stale(&self, row: u32, field: &FieldDef) -> bool {
        !self.made.contains_key(field.name) && self.segment.is_stale(row, field)
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
    test: &'a Test,
    accepted: Accepted,
}

/// Whether a selection looks at such fields at all.
fn needs(selection: &Selection, is_meant: impl Fn(&FieldDef) -> bool) -> bool {
    selection.conditions.iter().any(|condition| is_meant(condition.field))
        || selection.sort.iter().any(|key| is_meant(key.field))
}

/// The rows of a query in their order, and what is counted among them.
pub fn select(snapshot: &Snapshot, kind: Kind, query: &ListQuery) -> Listing {
    let mut listing = select_beside(snapshot, kind, query, None);
    listing.warnings.extend(unknown_values(snapshot.segment(kind), &query.selection));
    listing
}

/// The same without one row, and without a word of values that nothing has: that is for who asked for them.
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
        rows.retain(|row| wanted.binary_search(row).is_ok());
    }
    let matches = selection.text.as_deref().map(|text| matching(snapshot, kind, text, query.fresh_only));
    if let Some(matches) = &matches {
        if matches.len() == LIST_MATCHES_MAX {
            let told = format!("more than {LIST_MATCHES_MAX} items match `q`; the best {LIST_MATCHES_MAX} are listed");
            listing.warnings.push(told.into());
        }
        let mut found: Vec<u32> = matches.clone();
        found.sort_unstable();
        rows.retain(|row| found.binary_search(row).is_ok());
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
    listing.facets = facets::count(&reader, &before, &rows, &conditions, query);
    listing.rows = match (&matches, selection.sort.is_empty()) {
        (Some(matches), true) => matches.iter().copied().filter(|row| rows.binary_search(row).is_ok()).collect(),
        (_, true) => rows,
        (_, false) => order::sorted(&reader, rows, &selection.sort, query.offset.saturating_add(query.limit)),
    };
    listing.warnings.extend(contradictions(selection).map(Warning::from));
    if query.fresh_only && selection.stale == Some(true) {
        listing.warnings.push("`fresh_only` leaves out all that `stale` asks for: nothing can be left".into());
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

/// Values of a field of which all are told beside one that none has.
const VALUES_TOLD: usize = 10;
/// Most unknown values of one filter that are told.
const UNKNOWN_VALUES_MAX: usize = 5;

/// Says which of the values that are asked for no item has, with the nearest: of fields whose values are no closed set, in which a
/// misspelt one is no error.
pub fn unknown_values(segment: &Segment, selection: &Selection) -> Vec<Warning> {
    let asked = selection.conditions.iter().filter(|condition| condition.field.allowed.is_empty());
    let asked = asked.filter_map(|condition| match &condition.test {
        Test::AnyOf(words) | Test::AllOf(words) => Some((condition.field, "", words)),
        Test::NoneOf(words) => Some((condition.field, "__not", words)),
        _ => None,
    });
    let mut warnings: Vec<Warning> = asked
        .filter_map(|(field, operator, words)| Some((field, operator, words, segment.column(field.name)?)))
        .flat_map(|(field, operator, words, column)| {
            let unknown = words.iter().filter_map(|word| unknown(column, word)).take(UNKNOWN_VALUES_MAX);
            unknown.map(move |(shown, nearest)| Warning {
                text: format!("`{}{operator}`: nothing has the value `{shown}`{nearest}", field.name),
                advice: operator.is_empty().then_some(Advice::OtherValue(field.name)),
            })
        })
        .collect();
    if let PriceOf::Seller(asked) = selection.price_of()
        && let Some(column) = segment.column("seller")
        && let Some((shown, nearest)) = asked.iter().find_map(|spelling| unknown(column, spelling))
    {
        warnings.push(format!("`price_of`: there is no seller `{shown}`, so no price is known{nearest}").into());
    }
    warnings
}

/// A value that no row has, as it is shown, and the nearest that one has.
fn unknown(column: &Column, asked: &str) -> Option<(String, String)> {
    // Nearly all values are found as ASCII, which looks at no value of another length.
    if column.values.iter().any(|value| value.eq_ignore_ascii_case(asked))
        || column.values.iter().any(|value| columns::is_same_word(value, asked))
    {
        return None;
    }
    let nearest = refdesk_core::nearest::meant(asked, column.values.iter().map(AsRef::as_ref));
    let told = nearest.map(|nearest| format!("; the nearest is `{nearest}`"));
    let nearest = told.unwrap_or_else(|| match column.values.len() {
        2..=VALUES_TOLD => {
            let values: Vec<String> = column.values.iter().map(|value| format!("`{value}`")).collect();
            format!("; there are {}", values.join(", "))
        }
        _ => String::new(),
    });
    Some((refdesk_core::clean::quoted(asked), nearest))
}

/// What is still listed.
fn not_removed(kind: Kind) -> Option<Condition> {
    let status = field::named(kind, "status")?;
    Some(Condition { field: status, test: Test::NoneOf(vec![Status::Removed.as_str().to_owned()]) })
}

/// Ranges that nothing can be in.
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
    fields.into_iter().find_map(|field| {
        let (least, most) = (bound(field, Side::Least)?, bound(field, Side::Most)?);
        let name = field.name;
        is_empty(least, most).then(|| format!("`{name}__gte` is above `{name}__lte`: nothing can be in that range"))
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

/// The rows that match a text, best first.
fn matching(snapshot: &Snapshot, kind: Kind, text: &str, fresh_only: bool) -> Vec<u32> {
    let request = SearchRequest { segments: kind.into(), fresh_only, ..SearchRequest::new(text, LIST_MATCHES_MAX) };
    let outcome = snapshot.search(&request);
    outcome.hits.iter().map(|hit| snapshot.locate(hit.ordinal).1).collect()
}
