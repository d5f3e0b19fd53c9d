//! Jupyter notebooks as Markdown: text cells as they are, code cells as fenced code. Outputs and attachments are left out.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::connectors::formats::json_text::without_mark;

/// A notebook as far as it is read: outputs and attachments are skipped where they stand, and a cell without text is forgotten at once, so
/// that no notebook takes more memory than its text.
#[derive(Deserialize)]
struct Notebook {
    #[serde(default)]
    cells: Option<Cells>,
    #[serde(default)]
    worksheets: Vec<Worksheet>,
    #[serde(default)]
    metadata: Metadata,
}

#[derive(Deserialize)]
struct Worksheet {
    cells: Option<Cells>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Metadata {
    language_info: Named,
    kernelspec: Named,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Named {
    name: Text,
    language: Text,
}

struct Cells(Vec<Cell>);

#[derive(Deserialize, Default)]
#[serde(default)]
struct Cell {
    #[serde(rename = "cell_type")]
    kind: Text,
    source: Text,
    /// Its name in nbformat 3.
    input: Text,
}

impl<'de> Deserialize<'de> for Cells {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Each;
        impl<'de> Visitor<'de> for Each {
            type Value = Cells;
            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a list of cells")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut from: A) -> Result<Cells, A::Error> {
                let mut cells = Vec::new();
                while let Some(cell) = from.next_element::<Cell>()? {
                    if !cell.text().trim().is_empty() {
                        cells.push(cell);
                    }
                }
                Ok(Cells(cells))
            }
        }
        deserializer.deserialize_seq(Each)
    }
}

/// A text, or a list of its lines; anything else is none.
#[derive(Default)]
struct Text(Option<String>);

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TextOrLines).map(Self)
    }
}

struct TextOrLines;

impl<'de> Visitor<'de> for TextOrLines {
    type Value = Option<String>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("anything")
    }
    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Some(text.to_owned()))
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut from: A) -> Result<Self::Value, A::Error> {
        let mut text = String::new();
        while let Some(Text(line)) = from.next_element()? {
            text.push_str(line.as_deref().unwrap_or_default());
        }
        Ok(Some(text))
    }
    fn visit_map<A: MapAccess<'de>>(self, mut from: A) -> Result<Self::Value, A::Error> {
        while from.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(None)
    }
    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(None)
    }
    fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
        Ok(None)
    }
    fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
        Ok(None)
    }
    fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
        Ok(None)
    }
    fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
        Ok(None)
    }
}

impl Cell {
    fn text(&self) -> &str {
        self.source.0.as_deref().or(self.input.0.as_deref()).unwrap_or_default().trim_end()
    }
}

/// The Markdown of a notebook (nbformat 3 and 4).
///
/// # Errors
/// When the bytes are no notebook, in words for people.
pub fn to_markdown(bytes: &[u8]) -> Result<String, String> {
    let notebook: Notebook = serde_json::from_slice(without_mark(bytes))
        .map_err(|error| format!("the notebook is not valid JSON: {error}"))?;
    let Notebook { cells, worksheets, metadata } = notebook;
    let cells = cells.or_else(|| worksheets.into_iter().next().and_then(|sheet| sheet.cells));
    let cells = cells.ok_or("the notebook has no cells")?;
    let language = metadata.language_info.name.0.or(metadata.kernelspec.language.0);
    let language = language.as_deref().unwrap_or("python");
    let mut out = String::new();
    for cell in &cells.0 {
        let text = cell.text();
        if !out.is_empty() {
            out.push('\n');
        }
        if cell.kind.0.as_deref() == Some("code") {
            let fence = fence_around(text);
            for part in [&fence, language, "\n", text, "\n", &fence, "\n"] {
                out.push_str(part);
            }
        } else {
            out.push_str(text);
            out.push('\n');
        }
    }
    Ok(out)
}

/// The fence around a text: longer than the longest run of backticks that opens a line of it.
pub fn fence_around(text: &str) -> String {
    let longest = text.lines().map(|line| line.trim_start().chars().take_while(|c| *c == '`').count()).max();
    "`".repeat(longest.unwrap_or(0).max(2) + 1)
}

#[cfg(test)]
mod tests {
    use super::to_markdown;

    #[test]
    fn cells_become_text_and_fenced_code_without_outputs() {
        let notebook = br##"{"nbformat":4,"metadata":{"language_info":{"name":"rust"}},"cells":[
            {"cell_type":"markdown","source":["# Lamps\n","\n","Light them."]},
            {"cell_type":"code","source":"let lamp = 1;\n","outputs":[{"data":{"image/png":"AAAA"}}]},
            {"cell_type":"code","source":[]},
            {"cell_type":"code","source":["```\n","quoted\n","```"]}]}"##;
        let expected = "# Lamps\n\nLight them.\n\n```rust\nlet lamp = 1;\n```\n\n````rust\n```\nquoted\n```\n````\n";
        assert_eq!(to_markdown(notebook).as_deref(), Ok(expected));
        assert_eq!(to_markdown(b"{}"), Err("the notebook has no cells".into()));
    }
}
