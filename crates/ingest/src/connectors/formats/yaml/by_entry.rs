//! Front matter that is not valid as a whole, entry by entry: one value that lacks its quotes must not hide the others.

use serde_json::{Map, Value};

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
