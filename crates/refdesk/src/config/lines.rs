//! Line numbers in a configuration file, for errors: parsed values no longer have them.

use std::ops::Range;
use std::path::Path;

use toml_edit::{Document, Item, TableLike, Value};

/// The lines of a configuration file.
#[derive(Debug)]
pub struct Lines<'a> {
    text: &'a str,
    /// None of a text that is not valid TOML, or that is in no file yet.
    document: Option<Document<&'a str>>,
}

impl<'a> Lines<'a> {
    /// The lines of the text of a file.
    pub fn new(text: &'a str) -> Self {
        Self { text, document: Document::parse(text).ok() }
    }

    /// Those of a text that is not written yet: who looks into the file would find something else at that line.
    pub const fn unwritten() -> Self {
        Self { text: "", document: None }
    }

    /// The file and the line of a key at the top level, as compilers write it: `refdesk.toml:7`.
    pub fn of_key(&self, file: &Path, key: &str) -> String {
        let key = self.document.as_ref().and_then(|document| document.key(key));
        self.place(file, key.and_then(toml_edit::Key::span))
    }

    /// The same of an entry of `[[sources]]` or `[[collections]]`, counted from 0.
    pub fn of_entry(&self, file: &Path, name: &str, position: usize) -> String {
        self.place(file, self.entries(name).into_iter().nth(position).and_then(|(_, span)| span))
    }

    /// The same of a key in the last entry with an id, or of that entry, where it does not have the key.
    pub fn of_source(&self, file: &Path, id: &str, key: &str) -> String {
        let has_id = |(entry, _): &(&dyn TableLike, _)| entry.get("id").and_then(Item::as_str) == Some(id);
        let found = self.entries("sources").into_iter().rev().find(has_id);
        self.place(file, found.and_then(|(entry, span)| entry.key(key).and_then(toml_edit::Key::span).or(span)))
    }

    /// The tables of an array of tables, however it is written.
    fn entries(&self, name: &str) -> Vec<(&dyn TableLike, Option<Range<usize>>)> {
        match self.document.as_ref().and_then(|document| document.get(name)) {
            Some(Item::ArrayOfTables(tables)) => {
                tables.iter().map(|table| (table as &dyn TableLike, table.span())).collect()
            }
            Some(Item::Value(Value::Array(values))) => {
                let tables = values.iter().filter_map(Value::as_inline_table);
                tables.map(|table| (table as &dyn TableLike, table.span())).collect()
            }
            _ => Vec::new(),
        }
    }

    fn place(&self, file: &Path, span: Option<Range<usize>>) -> String {
        let file = file.display();
        span.map_or_else(|| file.to_string(), |span| format!("{file}:{}", line_at(self.text, span.start)))
    }
}

/// The line of a byte of a text, from 1.
pub fn line_at(text: &str, byte: usize) -> usize {
    text.bytes().take(byte).filter(|byte| *byte == b'\n').count() + 1
}
