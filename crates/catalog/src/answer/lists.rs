//! Lists: every row of a kind by id in slices that need no copy, or the rows that a selection asks for.

use bytes::Bytes;
use serde_json::{Map, Value};

use super::resolution::with_ids;
use crate::json::{self, Object};
use crate::listing::{self, Facet, FacetValue, Listing, price_of_row};
use crate::segment::Segment;
use crate::segment::render::stale_fields;
use crate::snapshot::Snapshot;
use refdesk_core::query::{ListQuery, PriceOf, Selection, Warning};
use refdesk_core::{Kind, clean, field};

/// Members that every shown row has, whatever `fields` says.
const ALWAYS_SHOWN: [&str; 3] = ["id", "evidence_key", "stale"];
/// The paths of a row's stale values.
const STALE_FIELDS: &str = "stale_fields";

/// A list answer.
pub struct ListAnswer<'a> {
    /// Its JSON: head, slices of rows, tail.
    pub pieces: Vec<Bytes>,
    /// The rows of the page, in its order. Few callers want them, so they are not collected.
    pub shown: Box<dyn Iterator<Item = u32> + 'a>,
    /// Where the next page begins.
    pub next_offset: Option<usize>,
    /// What the JSON tells as `warnings`.
    pub warnings: Vec<Warning>,
}

/// A list answer; the rows of one that selects nothing are not copied.
pub fn list<'a>(snapshot: &'a Snapshot, kind: Kind, query: &ListQuery, warnings: &[Warning]) -> ListAnswer<'a> {
    let segment = snapshot.segment(kind);
    let page = if query.selection.is_all() && snapshot.view().is_none() {
        whole(segment, query)
    } else {
        selected(snapshot, kind, query)
    };
    let Page { rows, shown, total, listing } = page;
    let end = query.offset.saturating_add(query.limit);
    let next_offset = (end < total).then_some(end);
    let mut tail = vec![b']'];
    let mut object = Object::go_on(&mut tail);
    object.count("limit", query.limit);
    object.count("offset", query.offset);
    object.count("total", total);
    object.value("next_offset", &next_offset);
    if query.fresh_only {
        object.count("excluded_stale", listing.excluded_stale);
    }
    if !query.selection.ids.is_empty() {
        object.value("unresolved", &listing.unresolved);
    }
    if !query.selection.facets.is_empty() {
        facets(&mut object, &listing.facets);
    }
    let warnings = warnings.iter().chain(&query.warnings).cloned().chain(listing.warnings);
    let warnings: Vec<Warning> = warnings.chain(listing::of_nothing(snapshot, &[kind])).collect();
    if !warnings.is_empty() {
        object.value("warnings", &warnings);
    }
    object.close();
    let head = Bytes::from(format!("{{\"{}\":[", kind.collection()));
    let pieces = std::iter::once(head).chain(rows).chain([Bytes::from(tail)]).collect();
    ListAnswer { pieces, shown, next_offset, warnings }
}

struct Page<'a> {
    /// Joined with commas.
    rows: Vec<Bytes>,
    shown: Box<dyn Iterator<Item = u32> + 'a>,
    total: usize,
    listing: Listing,
}

/// A page of all rows.
fn whole<'a>(segment: &'a Segment, query: &ListQuery) -> Page<'a> {
    let listed = segment.listed(query.include_candidates, query.fresh_only);
    let total = listed.len();
    let rows = if query.fresh_only {
        let rows: Vec<_> = listed.page(query.offset, query.limit).map(|row| segment.fresh_row(row)).collect();
        vec![rows.join(&b","[..]).into()]
    } else {
        segment.page(query.include_candidates, query.offset, query.limit)
    };
    let shown = Box::new(listed.page(query.offset, query.limit));
    let excluded_stale = segment.listed(query.include_candidates, false).len() - total;
    Page { rows, shown, total, listing: Listing { excluded_stale, ..Listing::default() } }
}

/// A page of the rows that a selection asks for.
fn selected<'a>(snapshot: &'a Snapshot, kind: Kind, query: &ListQuery) -> Page<'a> {
    let segment = snapshot.segment(kind);
    let named = with_ids(snapshot, kind, &query.selection);
    let named = named.map(|selection| ListQuery { selection, ..query.clone() });
    let query = named.as_ref().unwrap_or(query);
    let mut listing = listing::select(snapshot, kind, query);
    let view = RowView::new(segment, &query.selection, query.fresh_only);
    let page: Vec<u32> = listing.rows.iter().skip(query.offset).take(query.limit).copied().collect();
    // Whole rows are copied: without room for all, what was written is copied again and again as it grows.
    let is_whole = query.selection.fields.is_empty();
    let room = if is_whole { page.iter().map(|row| segment.row(*row).len() + 1).sum() } else { 0 };
    let (mut rows, mut seen) = (Vec::with_capacity(room), vec![PathSeen::default(); query.selection.fields.len()]);
    for (at, row) in page.iter().enumerate() {
        if at > 0 {
            rows.push(b',');
        }
        view.write(*row, &mut rows, &mut seen);
    }
    listing.warnings.extend(missing_fields(&query.selection, &seen, "row of this page"));
    Page { rows: vec![rows.into()], shown: Box::new(page.into_iter()), total: listing.rows.len(), listing }
}

/// Warnings of the members that nothing of an answer has.
pub(super) fn missing_fields(selection: &Selection, seen: &[PathSeen], of: &str) -> Vec<Warning> {
    let missing = selection.fields.iter().zip(seen).filter(|(_, seen)| seen.is_missing && !seen.is_there);
    let told = missing.map(|(path, _)| {
        let shown = clean::quoted(path);
        // Filters and orders call a value by a name of its own.
        match field::FIELDS.iter().find(|field| field.name == path && !field.path.is_empty() && field.path != path) {
            Some(field) => format!("no {of} has `{shown}`: that value stands at `{}`", field.path),
            None => format!("no {of} has `{shown}`"),
        }
    });
    told.map(Warning::from).collect()
}

/// How rows are shown: with which prices and which members.
#[derive(Debug, Clone, Copy)]
pub struct RowView<'a> {
    segment: &'a Segment,
    fresh_only: bool,
    price_of: &'a PriceOf,
    fields: &'a [String],
}

impl<'a> RowView<'a> {
    /// As a selection asks for.
    pub fn new(segment: &'a Segment, selection: &'a Selection, fresh_only: bool) -> Self {
        Self { segment, fresh_only, price_of: selection.price_of(), fields: &selection.fields }
    }

    /// The same with all members.
    #[must_use]
    pub const fn whole(self) -> Self {
        Self { fields: &[], ..self }
    }

    /// Writes a row as JSON, and notes which of the asked paths it has.
    pub fn write(&self, row: u32, out: &mut Vec<u8>, seen: &mut [PathSeen]) {
        let rendered = if self.fresh_only { self.segment.fresh_row(row) } else { self.segment.row(row).into() };
        if self.fields.is_empty() && *self.price_of == PriceOf::Maker {
            return out.extend_from_slice(&rendered);
        }
        json::write(out, &self.shown(row, &rendered, seen));
    }

    /// A row with the prices and members that are asked for.
    fn shown(&self, at: u32, rendered: &[u8], seen: &mut [PathSeen]) -> Value {
        let mut row: Value = json::read_own(rendered);
        if let Some(price) = price_of_row(self.segment, at, &row, self.price_of)
            && let Some(row) = row.as_object_mut()
        {
            price.put_into(row);
        }
        if self.fields.is_empty() {
            return row;
        }
        let mut shown = Map::new();
        let price_of = (*self.price_of != PriceOf::Maker).then_some("priced_by");
        for name in ALWAYS_SHOWN.into_iter().chain(price_of) {
            take(&row, name, &mut shown, &mut PathSeen::default());
        }
        for (path, seen) in self.fields.iter().zip(seen) {
            take(&row, path, &mut shown, seen);
        }
        self.tell_stale(&row, &mut shown);
        Value::Object(shown)
    }

    /// Tells which of the chosen values are stale: the row's own `stale` is that of the item.
    fn tell_stale(&self, row: &Value, shown: &mut Map<String, Value>) {
        let is_chosen = |stale: &&str| {
            self.fields.iter().any(|path| field::is_within(stale, path) || field::is_within(path, stale))
        };
        let stale: Vec<&str> = stale_fields(row).filter(is_chosen).collect();
        // All of them, where they are asked for themselves.
        if !stale.is_empty() && !shown.contains_key(STALE_FIELDS) {
            shown.insert(STALE_FIELDS.to_owned(), stale.into());
        }
    }
}

/// What rows have at a path, over all that were looked at.
#[derive(Debug, Clone, Copy, Default)]
pub struct PathSeen {
    /// Some row has it.
    is_there: bool,
    /// Some row has what it would be a member of, and not it.
    is_missing: bool,
}

impl PathSeen {
    /// What two parts of one thing have at a path, of which either may.
    pub(super) const fn or(self, other: Self) -> Self {
        Self { is_there: self.is_there || other.is_there, is_missing: self.is_missing && other.is_missing }
    }

    /// Adds what another thing has there.
    pub(super) const fn add(&mut self, other: Self) {
        self.is_there |= other.is_there;
        self.is_missing |= other.is_missing;
    }
}

/// Copies what is at a dotted path into an object of the same nesting, of each element where the path leads through a list, and notes whether
/// it is there. Below what is null nobody can tell.
pub(super) fn take(row: &Value, path: &str, shown: &mut Map<String, Value>, seen: &mut PathSeen) {
    let (first, rest) = path.split_once('.').map_or((path, None), |(first, rest)| (first, Some(rest)));
    let Some(value) = row.get(first) else {
        seen.is_missing = true;
        return;
    };
    let Some(rest) = rest else {
        seen.is_there = true;
        shown.insert(first.to_owned(), value.clone());
        return;
    };
    match value {
        Value::Null => {
            let slot = shown.entry(first).or_insert_with(|| Value::Object(Map::new()));
            if let Some(object) = slot.as_object_mut() {
                let name = rest.split('.').next().unwrap_or(rest);
                object.entry(name).or_insert(Value::Null);
            }
        }
        // Shown only if anything of it is.
        Value::Object(_) => {
            let known = shown.get(first).and_then(Value::as_object);
            let mut taken = known.cloned().unwrap_or_default();
            take(value, rest, &mut taken, seen);
            if !taken.is_empty() {
                shown.insert(first.to_owned(), Value::Object(taken));
            }
        }
        Value::Array(elements) => {
            let empty = || Value::Array(vec![Value::Object(Map::new()); elements.len()]);
            let mut taken = shown.get(first).cloned().unwrap_or_else(empty);
            let mut of_elements = PathSeen::default();
            for (element, target) in elements.iter().zip(taken.as_array_mut().into_iter().flatten()) {
                match target.as_object_mut().filter(|_| element.is_object()) {
                    Some(target) => take(element, rest, target, &mut of_elements),
                    None => of_elements.is_missing = true,
                }
            }
            if of_elements.is_there || !of_elements.is_missing {
                shown.insert(first.to_owned(), taken);
            }
            seen.add(PathSeen { is_missing: of_elements.is_missing && !of_elements.is_there, ..of_elements });
        }
        _ => seen.is_missing = true,
    }
}

/// The values at a dotted path: one, or that of each element where it leads through a list.
pub(super) fn values_at<'a>(row: &'a Value, path: &str) -> Vec<&'a Value> {
    path.split('.').fold(vec![row], |values, name| {
        let elements = values.into_iter().flat_map(|value| match value {
            Value::Array(elements) => elements.iter().collect(),
            other => vec![other],
        });
        elements.filter_map(|value| value.get(name)).collect()
    })
}

/// The value at a dotted path; null below what is null.
pub fn at<'a>(row: &'a Value, path: &str) -> Option<&'a Value> {
    path.split('.').try_fold(row, |value, name| if value.is_null() { Some(value) } else { value.get(name) })
}

pub(super) fn facets(object: &mut Object<'_>, facets: &[Facet]) {
    let mut counted = Object::open(object.name("facets"));
    facets
        .iter()
        .for_each(|shown| facet(&mut counted, shown.field.name, &shown.values, shown.missing, shown.truncated));
    counted.close();
}

/// The counts of one field.
pub(super) fn facet(facets: &mut Object<'_>, name: &str, values: &[FacetValue], missing: usize, truncated: bool) {
    let mut shown = Object::open(facets.name(name));
    shown.objects("results", values, |entry, value| {
        entry.text("value", &field::escaped(&value.value));
        entry.text("label", &value.value);
        entry.count("count", value.count);
        entry.flag("selected", value.selected);
    });
    shown.count("missing", missing);
    shown.flag("truncated", truncated);
    shown.close();
}
