//! Values of a table: as CSV has them, and as databases take them.

use serde_json::Value;

use super::lists::values_at;
use refdesk_core::Usd;

/// Between the values of a list in a cell.
pub(super) const LIST_SEPARATOR: &str = "|";

/// A value of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CellValue {
    /// Not known, or of another kind.
    Unknown,
    /// A number or a flag.
    Plain(String),
    /// Anything else.
    Text(String),
}

impl CellValue {
    pub(super) fn as_cell(&self) -> String {
        match self {
            Self::Unknown => String::new(),
            Self::Plain(text) => text.clone(),
            Self::Text(text) => cell(text),
        }
    }
}

/// What a row has at a dotted path: one value, or those of a list that the path leads through.
pub(super) fn of_path(row: &Value, path: &str) -> CellValue {
    match values_at(row, path).as_slice() {
        [] => CellValue::Unknown,
        [value] => written(value),
        values => {
            let texts = values.iter().filter(|value| !value.is_null()).map(|value| match written(value) {
                CellValue::Unknown => String::new(),
                CellValue::Plain(text) | CellValue::Text(text) => text,
            });
            CellValue::Text(texts.collect::<Vec<_>>().join(LIST_SEPARATOR))
        }
    }
}

/// A value of a row as one of a table.
fn written(value: &Value) -> CellValue {
    match value {
        Value::Null => CellValue::Unknown,
        Value::Number(_) => {
            CellValue::Plain(Usd::from_json(value).map_or_else(|| value.to_string(), |number| number.to_string()))
        }
        Value::Bool(flag) => CellValue::Plain(flag.to_string()),
        Value::String(text) => CellValue::Text(text.clone()),
        Value::Array(list) if list.is_empty() => CellValue::Unknown,
        Value::Array(list) if list.iter().all(|value| !value.is_object() && !value.is_array()) => {
            let texts = list.iter().map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned));
            CellValue::Text(texts.collect::<Vec<_>>().join(LIST_SEPARATOR))
        }
        Value::Array(_) | Value::Object(_) => CellValue::Text(value.to_string()),
    }
}

/// A price without an exponent.
pub(super) fn exact(price: &str) -> String {
    Usd::parse(price).map_or_else(|| price.to_owned(), |price| price.to_string())
}

/// A text as a cell: quoted where it has to be, and with a `'` before what a spreadsheet would run as a formula.
pub(super) fn cell(text: &str) -> String {
    let guarded = if text.starts_with(['=', '+', '-', '@', '\t', '\r']) { format!("'{text}") } else { text.to_owned() };
    if guarded.contains([',', '"', '\n', '\r']) { format!("\"{}\"", guarded.replace('"', "\"\"")) } else { guarded }
}
