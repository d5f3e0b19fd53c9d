//! Front matter that is not valid as a whole, entry by entry, and such a list, item by item: one value that lacks its quotes must not hide
//! the others.

use serde_json::{Map, Value};

use super::{NODES_MAX, TEXT_BYTES_MAX, YamlError, as_mapping, read};

/// Fewest values that an item of a list may hold, whatever its share of the text is.
const ITEM_NODES_MIN: usize = 64;

/// The items of a list that is not valid YAML as a whole, each read by itself, and what is wrong with one that says no more than its lines
/// do by themselves. Empty where the text does not begin with a list.
pub fn items(text: &str) -> Vec<(Value, Option<YamlError>)> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.len() > TEXT_BYTES_MAX {
        return Vec::new();
    }
    let mut pieces: Vec<(usize, std::ops::Range<usize>)> = Vec::new();
    let (mut indent, mut end) = (None, 0);
    for (at, line) in text.split_inclusive('\n').enumerate() {
        let start = end;
        end += line.len();
        let inner = line.trim_start();
        let own = line.len() - inner.len();
        if inner.starts_with("- ") && *indent.get_or_insert(own) == own {
            pieces.push((at, start..end));
        } else if let Some((_, piece)) = pieces.last_mut() {
            piece.end = end;
        } else if !(inner.is_empty() || inner.starts_with('#') || inner.trim_end() == "---") {
            return Vec::new();
        }
    }
    if pieces.len() > NODES_MAX {
        return Vec::new();
    }
    let item = |(at, piece): (usize, std::ops::Range<usize>)| {
        let piece = &text[piece];
        // Anchors may repeat as much as in a list that is read at once.
        let nodes_max = (NODES_MAX * piece.len() / text.len()).max(ITEM_NODES_MIN);
        match read(piece, nodes_max) {
            Ok(Value::Array(mut items)) if items.len() == 1 => (items.swap_remove(0), None),
            Ok(other) => (other, None),
            Err(error) => by_lines(piece, YamlError { line: error.line + at as u64, ..error }, nodes_max),
        }
    };
    pieces.into_iter().map(item).collect()
}

/// An item by the entries of its lines. They do not tell what it means where a key stands twice, or a value is a list or a mapping that is
/// not closed.
fn by_lines(item: &str, error: YamlError, nodes_max: usize) -> (Value, Option<YamlError>) {
    let margin = item.find(|c| !matches!(c, ' ' | '-')).unwrap_or_default();
    let blank = " ".repeat(margin);
    let mut lines = item.split_inclusive('\n');
    let mut dedented = lines.next().and_then(|line| line.get(margin..)).unwrap_or_default().to_owned();
    dedented.extend(lines.map(|line| line.strip_prefix(blank.as_str()).unwrap_or(line)));
    let entries = entries(&dedented, ':', |entry| as_mapping(read(entry, nodes_max).ok()?).ok());
    let stated = entries.len();
    let map: Map<String, Value> = entries.into_iter().collect();
    let is_open = |value: &Value| value.as_str().is_some_and(|text| text.starts_with(['[', '{']));
    let is_clear = stated > 0 && map.len() == stated && !map.values().any(is_open);
    (Value::Object(map), (!is_clear).then_some(error))
}

/// The entries that begin at the margin, in order: `key: value` lines (`mark` stands between the two), each with the lines below it that are
/// indented, empty or items of a list. `parse` reads an entry by itself; one that it refuses is the text as it is written, without quotes
/// around it.
pub fn entries(front: &str, mark: char, parse: impl Fn(&str) -> Option<Map<String, Value>>) -> Vec<(String, Value)> {
    let mut pieces: Vec<(&str, std::ops::Range<usize>)> = Vec::new();
    let mut end = 0;
    for line in front.split_inclusive('\n') {
        let start = end;
        end += line.len();
        if let Some(key) = key(line, mark) {
            pieces.push((key, start..end));
        } else if let Some((_, piece)) = pieces.last_mut().filter(|(_, piece)| piece.end == start && goes_on(line)) {
            piece.end = end;
        }
    }
    let value = |key: &str, piece: &str| parse(piece).and_then(|mut entry| entry.shift_remove(key));
    let entry = |(key, piece): (&str, std::ops::Range<usize>)| {
        let piece = &front[piece];
        (key.to_owned(), value(key, piece).unwrap_or_else(|| as_written(piece, mark)))
    };
    pieces.into_iter().map(entry).collect()
}

/// The key of a line at the margin.
fn key(line: &str, mark: char) -> Option<&str> {
    let key = line.split_once(mark)?.0.trim_end();
    (!key.is_empty() && key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')).then_some(key)
}

fn goes_on(line: &str) -> bool {
    line.starts_with(char::is_whitespace) || line.starts_with("- ")
}

fn as_written(piece: &str, mark: char) -> Value {
    let value = piece.split_once(mark).map_or("", |(_, value)| value);
    let lines: Vec<&str> = value.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let text = lines.join(" ");
    let opened = ['"', '\''].into_iter().find_map(|quote| Some((quote, text.strip_prefix(quote)?)));
    Value::from(opened.map_or(text.as_str(), |(quote, inside)| inside.strip_suffix(quote).unwrap_or(inside)))
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value, json};

    use super::entries;
    use crate::connectors::formats::yaml::mapping;

    #[test]
    fn what_is_no_yaml_is_text_and_every_other_entry_is_what_it_says() {
        let front = "name: lamp\ndescription: Use when: it is dark,\n  and so on.\nauthor: @ada\nfolded: >-\n  One\n  text.\n\
                     tags:\n- oil\n- wick\nquoted: \"un: closed\nends: Say: \"on\"\nboth: 'a': b'\nmetadata:\n  draft: true\n[extra]\n  no: entry\n";
        let read: Map<String, Value> = entries(front, ':', |entry| mapping(entry).ok()).into_iter().collect();
        assert_eq!(
            Value::Object(read),
            json!({
                "name": "lamp", "description": "Use when: it is dark, and so on.", "author": "@ada", "folded": "One text.",
                "tags": ["oil", "wick"], "quoted": "un: closed", "ends": "Say: \"on\"", "both": "a': b", "metadata": {"draft": true},
            })
        );
    }
}
