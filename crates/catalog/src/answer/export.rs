//! A whole list as NDJSON or CSV (RFC 4180), in pieces: however long it is, one piece is in memory at a time.

use std::sync::Arc;

use bytes::Bytes;
use serde_json::Value;

use super::Searched;
use super::cells::{CellValue, LIST_SEPARATOR, cell, exact, of_path};
use super::lists::{PathSeen, RowView, missing_fields};
use super::resolution::with_ids;
use crate::columns::Prices;
use crate::json::read_own;
use crate::listing::{self, Listing};
use crate::snapshot::Snapshot;
use refdesk_core::Kind;
use refdesk_core::clean;
use refdesk_core::field::{self, FieldDef, Shape};
use refdesk_core::figures::grouped;
use refdesk_core::query::{Format, ListQuery, PriceOf, SEARCH_LIMIT, SearchQuery, Selection, Warning};

/// A piece is sent when it has so many bytes.
const PIECE_BYTES: usize = 1 << 16;
/// So many rows are looked at for members that none of them has: the warnings are told before the rows are written.
const ROWS_LOOKED_AT: usize = 100;
/// Whose prices a row of CSV has, where they are not the maker's.
const PRICED_BY: [&str; 2] = ["priced_by.seller", "priced_by.api_model_id"];

/// A list that is written row by row.
#[derive(Debug)]
pub struct Export {
    snapshot: Arc<Snapshot>,
    kind: Kind,
    query: ListQuery,
    rows: std::vec::IntoIter<u32>,
    /// Rows that were left out at the end.
    left_out: usize,
    is_begun: bool,
    is_ended: bool,
    warnings: Vec<Warning>,
}

impl Export {
    /// The rows of a query from its `offset`: all of them, or as many as its `limit` when one was given; at most `rows_max`.
    pub fn new(snapshot: Arc<Snapshot>, kind: Kind, query: ListQuery, rows_max: usize) -> Self {
        // The order of every row counts, not only that of the first page.
        let selection = with_ids(&snapshot, kind, &query.selection).unwrap_or_else(|| query.selection.clone());
        let whole = ListQuery { limit: usize::MAX, offset: 0, selection, ..query.clone() };
        let Listing { rows: selected, unresolved, mut warnings, .. } = listing::select(&snapshot, kind, &whole);
        warnings.extend(unresolved.iter().map(|spelling| {
            let shown = clean::quoted(spelling);
            Warning::from(format!("`ids`: no {} has the id or alias `{shown}`", kind.label()))
        }));
        warnings.extend(no_counts(&query.selection));
        let left = selected.len().saturating_sub(query.offset);
        let asked = query.limit_asked.unwrap_or(left);
        let shown = left.min(asked).min(rows_max);
        let left_out = left.min(asked) - shown;
        let rows = selected.into_iter().skip(query.offset).take(shown).collect();
        Self { left_out, warnings, ..Self::of_rows(snapshot, kind, query, rows) }.with_missing_fields()
    }

    /// The hits of a search among one kind, as the rows that they stand for.
    pub fn of_hits(snapshot: Arc<Snapshot>, kind: Kind, query: &SearchQuery, searched: &Searched) -> Self {
        let (fresh_only, selection) = (searched.fresh_only(query), searched.selection(query).into_owned());
        let shown = ListQuery { fresh_only, selection, ..ListQuery::default() };
        let rows = searched.outcome.hits.iter().map(|hit| snapshot.locate(hit.ordinal).1).collect();
        let of_search = query.warnings.iter().chain(&searched.warnings).cloned();
        let warnings = of_search.chain(no_counts(&query.selection)).chain(more_found(searched)).collect();
        Self { warnings, ..Self::of_rows(snapshot, kind, shown, rows) }.with_missing_fields()
    }

    fn of_rows(snapshot: Arc<Snapshot>, kind: Kind, query: ListQuery, rows: Vec<u32>) -> Self {
        Self {
            snapshot,
            kind,
            query,
            rows: rows.into_iter(),
            left_out: 0,
            is_begun: false,
            is_ended: false,
            warnings: Vec::new(),
        }
    }

    /// With warnings of the members that are asked for and that none of its first rows has.
    fn with_missing_fields(mut self) -> Self {
        let mut selection = self.query.selection.clone();
        if selection.format == Format::Csv {
            // The other columns are fields: each has its place, whether or not a row has a value.
            let columns = self.columns();
            selection.fields.retain(|path| columns.iter().any(|column| column.is_path(path)));
        }
        if selection.fields.is_empty() {
            return self;
        }
        let mut seen = vec![PathSeen::default(); selection.fields.len()];
        let view = RowView::new(self.snapshot.segment(self.kind), &selection, self.query.fresh_only);
        let looked_at = self.rows.as_slice().iter().take(ROWS_LOOKED_AT);
        looked_at.for_each(|row| view.write(*row, &mut Vec::new(), &mut seen));
        let of = if self.rows.len() > ROWS_LOOKED_AT { "row of the first hundred" } else { "row" };
        self.warnings.extend(missing_fields(&selection, &seen, of));
        self
    }

    /// Warnings about the whole list, such as ids that name nothing: the rows of a table have no place for them.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// The media type.
    pub const fn media_type(format: Format) -> &'static str {
        match format {
            Format::Json => "application/json",
            Format::Ndjson => "application/x-ndjson",
            Format::Csv => "text/csv; charset=utf-8; header=present",
        }
    }

    fn end(&mut self, piece: &mut Vec<u8>) {
        self.is_ended = true;
        if self.left_out == 0 {
            return;
        }
        match self.query.selection.format {
            Format::Csv => {
                // In the second column, as NDJSON has it in its second member: there are the id and three more at least.
                let empty = self.columns().len().saturating_sub(2);
                piece.extend_from_slice(format!("truncated,{}{}\r\n", self.left_out, ",".repeat(empty)).as_bytes());
            }
            _ => piece.extend_from_slice(format!("{{\"truncated\":true,\"left_out\":{}}}\n", self.left_out).as_bytes()),
        }
    }

    fn write_json(&self, row: u32, piece: &mut Vec<u8>) {
        let segment = self.snapshot.segment(self.kind);
        let mut seen = vec![PathSeen::default(); self.query.selection.fields.len()];
        RowView::new(segment, &self.query.selection, self.query.fresh_only).write(row, piece, &mut seen);
        piece.push(b'\n');
    }

    /// The columns of CSV.
    fn columns(&self) -> Vec<CsvColumn> {
        let asked = &self.query.selection.fields;
        let is_told = |path: &str| ["id", "source_url", "evidence_key", "stale"].contains(&path);
        let is_new = |(at, path): &(usize, &String)| !is_told(path) && !asked[..*at].contains(path);
        // A name means the same whether it is asked for or there by itself.
        let column_of = |path: &String| {
            let fields = field::of_kind(self.kind).filter(|field| !is_told_of_namesake(field)).map(CsvColumn::Field);
            let by_name = fields.chain([CsvColumn::Name]).find(|column| column.name(self.kind) == path);
            by_name.unwrap_or_else(|| CsvColumn::Path(path.clone()))
        };
        let of_paths = asked.iter().enumerate().filter(is_new).map(|(_, path)| column_of(path));
        let is_of_seller = *self.query.selection.price_of() != PriceOf::Maker;
        let priced_by = PRICED_BY.iter().filter(|path| is_of_seller && !asked.iter().any(|asked| asked == *path));
        let of_fields = field::of_kind(self.kind)
            .filter(|field| asked.is_empty() && field.name != "id" && field.name != "name")
            .flat_map(CsvColumn::of_field);
        let name = asked.is_empty().then_some(CsvColumn::Name);
        std::iter::once(CsvColumn::Id)
            .chain(name)
            .chain(of_paths)
            .chain(of_fields)
            .chain(priced_by.map(|path| CsvColumn::Path((*path).to_owned())))
            .chain([CsvColumn::SourceUrl, CsvColumn::EvidenceKey, CsvColumn::Stale])
            .collect()
    }

    /// The names of the columns of CSV, and what the values of those look like that are fields.
    pub fn column_shapes(&self) -> Vec<(String, Option<Shape>)> {
        let shape = |column: &CsvColumn| match column {
            CsvColumn::Stale => Some(Shape::Flag),
            CsvColumn::Field(field) => Some(field.shape),
            _ => None,
        };
        self.columns().iter().map(|column| (column.name(self.kind).to_owned(), shape(column))).collect()
    }

    /// The next row as the values of these columns and as JSON, for another form of a table.
    pub fn next_row(&mut self) -> Option<(Vec<CellValue>, Vec<u8>)> {
        let row = self.rows.next()?;
        let mut json = Vec::new();
        self.write_json(row, &mut json);
        json.truncate(json.len().saturating_sub(1));
        Some((self.values(row, &self.columns()), json))
    }

    fn values(&self, row: u32, columns: &[CsvColumn]) -> Vec<CellValue> {
        let segment = self.snapshot.segment(self.kind);
        let evidence = segment.evidence_of(row);
        let selection = &self.query.selection;
        let is_of_seller = *selection.price_of() != PriceOf::Maker;
        let parsed = if is_of_seller || columns.iter().any(CsvColumn::is_read_in_row) {
            let mut json = Vec::new();
            RowView::new(segment, selection, self.query.fresh_only).whole().write(row, &mut json, &mut []);
            read_own(&json)
        } else {
            Value::Null
        };
        let text = |text: &str| CellValue::Text(text.to_owned());
        let values = columns.iter().map(|column| match column {
            CsvColumn::Id => text(segment.id(row)),
            CsvColumn::Name => text(&segment.name(row)),
            CsvColumn::SourceUrl => text(evidence.source_url),
            CsvColumn::EvidenceKey => text(&String::from_utf8_lossy(&evidence.key.written())),
            CsvColumn::Stale => CellValue::Plain(evidence.stale_reason.is_some().to_string()),
            CsvColumn::Path(path) => of_path(&parsed, path),
            CsvColumn::Field(field) if is_list_of_row(field) => of_path(&parsed, field.path),
            CsvColumn::Field(field) if field.is_price() && is_of_seller => Prices::new(parsed.get("pricing"))
                .get(field)
                .map_or(CellValue::Unknown, |price| CellValue::Plain(exact(&price))),
            CsvColumn::Field(field) => self.of_field(row, field),
        });
        values.collect()
    }

    fn of_field(&self, row: u32, field: &FieldDef) -> CellValue {
        let segment = self.snapshot.segment(self.kind);
        let Some(column) = segment.columns().get(self.kind, field, self.query.selection.price_of()) else {
            return CellValue::Unknown;
        };
        let texts = |numbers: &[u32]| {
            let texts: Vec<&str> = numbers.iter().map(|number| column.numbered(*number)).collect();
            if texts.is_empty() { CellValue::Unknown } else { CellValue::Text(texts.join(LIST_SEPARATOR)) }
        };
        if self.query.fresh_only {
            let fresh_offers = field.is_offer_count().then(|| segment.fresh_offers(row)).flatten();
            if let Some(count) = fresh_offers {
                return CellValue::Text(count.to_string());
            }
            if let Some(words) = segment.fresh_words(row, field) {
                return texts(&column.among(row, &words));
            }
            if segment.is_stale(row, field) {
                return CellValue::Unknown;
            }
        }
        if column.sets.is_some() {
            return texts(column.set(row));
        }
        match column.value(row) {
            None => CellValue::Unknown,
            Some(price) if field.shape == Shape::Price => CellValue::Plain(exact(price)),
            Some(text) => CellValue::Text(text.to_owned()),
        }
    }
}

/// Says that counts were asked for, which a table cannot show.
fn no_counts(selection: &Selection) -> Option<Warning> {
    let told = "`facets`: a table has no place for counts; `format=json` shows them";
    (!selection.facets.is_empty()).then(|| told.into())
}

/// Says how many hits were found, where a table holds fewer.
fn more_found(searched: &Searched) -> Option<Warning> {
    let outcome = &searched.outcome;
    let (shown, total) = (outcome.hits.len(), outcome.total);
    // Where only the best are counted, there may be more.
    let plus = if outcome.total_is_exact { "" } else { "+" };
    let more = if shown < SEARCH_LIMIT.max {
        "a larger `limit` shows more"
    } else {
        "that is the maximum; add words or filters to narrow the search"
    };
    (total > shown).then(|| format!("{} of {}{plus}; {more}", grouped(shown), grouped(total)).into())
}

/// A column of CSV.
enum CsvColumn {
    Id,
    Name,
    SourceUrl,
    EvidenceKey,
    Stale,
    Field(&'static FieldDef),
    Path(String),
}

impl CsvColumn {
    /// Those of a field: itself, or the members that it is told of.
    fn of_field(field: &'static FieldDef) -> Vec<Self> {
        let members = field.told_of.iter().map(|path| Self::Path((*path).to_owned()));
        if is_told_of_namesake(field) { members.collect() } else { vec![Self::Field(field)] }
    }

    fn is_read_in_row(&self) -> bool {
        matches!(self, Self::Path(_)) || matches!(self, Self::Field(field) if is_list_of_row(field))
    }

    fn is_path(&self, path: &str) -> bool {
        matches!(self, Self::Path(read) if read == path)
    }

    fn name(&self, kind: Kind) -> &str {
        match self {
            Self::Id => "id",
            Self::Name => kind.name_key(),
            Self::SourceUrl => "source_url",
            Self::EvidenceKey => "evidence_key",
            Self::Stale => "stale",
            Self::Field(field) if field.path.is_empty() => field.name,
            Self::Field(field) => field.path,
            Self::Path(path) => path,
        }
    }
}

/// Whether rows have a member of a field's name that is only a part of what the field is told of: a column shows members as rows do.
fn is_told_of_namesake(field: &FieldDef) -> bool {
    field.told_of.contains(&field.name)
}

/// Whether its values are a list of the row, which has them in their own order. Those of a column are sorted.
fn is_list_of_row(field: &FieldDef) -> bool {
    matches!(field.shape, Shape::Words { .. }) && !field.path.is_empty()
}

/// Writes a line of CSV.
fn write_line(cells: impl Iterator<Item = String>, piece: &mut Vec<u8>) {
    piece.extend_from_slice(cells.collect::<Vec<_>>().join(",").as_bytes());
    piece.extend_from_slice(b"\r\n");
}

impl Iterator for Export {
    type Item = Bytes;

    fn next(&mut self) -> Option<Bytes> {
        if self.is_ended {
            return None;
        }
        let is_csv = self.query.selection.format == Format::Csv;
        let columns = if is_csv { self.columns() } else { Vec::new() };
        let mut piece = Vec::with_capacity(PIECE_BYTES + PIECE_BYTES / 4);
        if is_csv && !self.is_begun {
            write_line(columns.iter().map(|column| cell(column.name(self.kind))), &mut piece);
        }
        self.is_begun = true;
        while piece.len() < PIECE_BYTES {
            let Some(row) = self.rows.next() else {
                self.end(&mut piece);
                break;
            };
            if is_csv {
                write_line(self.values(row, &columns).iter().map(CellValue::as_cell), &mut piece);
            } else {
                self.write_json(row, &mut piece);
            }
        }
        (!piece.is_empty()).then(|| piece.into())
    }
}
