//! Truncates what is too long for a model: texts at characters, JSON at its longest lists and texts. It is rare, so the code is simple rather
//! than fast.

use serde_json::Value;

/// Texts shorter than this are never truncated, in bytes.
const SHORT_TEXT_BYTES: usize = 200;
/// Most cuts in one answer; a JSON that is still too long after them consists of many small parts, which no caller produces.
const CUTS_MAX: usize = 200;

/// The first characters of a text: at most `chars_max`, and at most `bytes_max` when written as JSON. Gives their end in bytes and their
/// number.
pub(super) fn prefix(text: &str, chars_max: usize, bytes_max: usize) -> (usize, usize) {
    let (mut bytes, mut chars) = (0, 0);
    for (at, c) in text.char_indices() {
        bytes += bytes_of(c);
        if chars == chars_max || bytes > bytes_max {
            return (at, chars);
        }
        chars += 1;
    }
    (text.len(), chars)
}

/// Bytes of a text when written as JSON.
pub(super) fn bytes(text: &str) -> usize {
    text.chars().map(bytes_of).sum()
}

const fn bytes_of(c: char) -> usize {
    match c {
        '"' | '\\' | '\n' | '\r' | '\t' => 2,
        '\u{0}'..='\u{1f}' => 6,
        c => c.len_utf8(),
    }
}

/// Truncates the longest lists and texts until the JSON has at most `bytes_max` bytes. Gives the paths that were truncated.
pub(super) fn truncate(value: &mut Value, bytes_max: usize) -> Vec<String> {
    let mut cut = Vec::new();
    for _ in 0..CUTS_MAX {
        let bytes = size(value);
        if bytes <= bytes_max {
            break;
        }
        let mut longest = LongestPart { bytes: 0, path: Vec::new() };
        longest.visit(value, &mut Vec::new());
        let Some(target) = longest.path.iter().try_fold(&mut *value, |at, step| step.descend(at)) else { break };
        // Removes the excess, and never everything.
        let keep = longest.bytes.saturating_sub(bytes - bytes_max);
        match target {
            Value::Array(list) => {
                let kept = (list.len() * keep / longest.bytes.max(1)).clamp(1, list.len() - 1);
                list.truncate(kept);
            }
            Value::String(text) => {
                let (end, _) = prefix(text, usize::MAX, keep.max(SHORT_TEXT_BYTES / 2));
                text.truncate(end);
                text.push('…');
            }
            _ => break,
        }
        let path = longest.path.iter().map(PathStep::to_string).collect::<Vec<_>>().join(".");
        if !cut.contains(&path) {
            cut.push(path);
        }
    }
    cut
}

fn size(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 6,
        Value::String(text) => text.len() + 2,
        Value::Array(list) => 2 + list.iter().map(|value| size(value) + 1).sum::<usize>(),
        Value::Object(object) => 2 + object.iter().map(|(name, value)| name.len() + 4 + size(value)).sum::<usize>(),
    }
}

#[derive(Debug, Clone)]
enum PathStep {
    Name(String),
    At(usize),
}

impl PathStep {
    fn descend<'a>(&self, value: &'a mut Value) -> Option<&'a mut Value> {
        match self {
            Self::Name(name) => value.get_mut(name),
            Self::At(at) => value.get_mut(at),
        }
    }
}

impl std::fmt::Display for PathStep {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Name(name) => f.write_str(name),
            Self::At(at) => write!(f, "{at}"),
        }
    }
}

/// The longest list of several values, or the longest text.
struct LongestPart {
    bytes: usize,
    path: Vec<PathStep>,
}

impl LongestPart {
    fn visit(&mut self, value: &Value, path: &mut Vec<PathStep>) {
        match value {
            Value::Array(list) => {
                if list.len() > 1 {
                    self.offer(size(value), path);
                }
                for (at, value) in list.iter().enumerate() {
                    path.push(PathStep::At(at));
                    self.visit(value, path);
                    path.pop();
                }
            }
            Value::Object(object) => {
                for (name, value) in object {
                    path.push(PathStep::Name(name.clone()));
                    self.visit(value, path);
                    path.pop();
                }
            }
            Value::String(text) if text.len() > SHORT_TEXT_BYTES => self.offer(text.len(), path),
            _ => {}
        }
    }

    fn offer(&mut self, bytes: usize, path: &[PathStep]) {
        if bytes > self.bytes {
            self.bytes = bytes;
            self.path = path.to_vec();
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    #[test]
    fn the_longest_list_gives_way_and_its_path_is_told() {
        let mut value = json!({"a": {"offers": vec!["x".repeat(50); 100]}, "b": "short"});
        assert_eq!(super::truncate(&mut value, 1_000), ["a.offers"]);
        assert!(value.to_string().len() <= 1_000);
        assert_eq!(value["b"], "short");
    }

    #[test]
    fn cutting_ends_however_many_parts_there_are() {
        let mut value =
            json!((0..500).map(|n| (format!("k{n}"), json!(["a", "b"]))).collect::<serde_json::Map<_, _>>());
        let cut = super::truncate(&mut value, 10);
        assert!(cut.len() <= super::CUTS_MAX && value.is_object(), "{}", cut.len());
    }

    #[test]
    fn a_text_is_cut_at_a_character_and_by_its_json_size() {
        assert_eq!(super::prefix("aü\nb", 10, 4), (3, 2));
        assert_eq!(super::prefix("aü\nb", 10, 100), (5, 4));
        assert_eq!(super::prefix("aü\nb", 1, 100), (1, 1));
        assert_eq!(super::bytes("aü\nb"), 6);
    }
}
