//! How much of an answer there is room for: its lists and texts are cut until it is within its budget.

use refdesk_catalog::json::{is_set, rendered};
use refdesk_core::clean::excerpt;
use serde_json::{Map, Value};

use super::members::{BODIES, PROMPT, TEXTS};
use super::{drop_unset_members, each_of, item, keep_evidence};

/// A text of fewer characters says nothing any more and is left out.
const LEGIBLE_CHARS: usize = 24;
/// How much of an item is shown: as much as fits in [`ITEM_CHARS_MAX`], or of a comparison in [`COMPARISON_CHARS_MAX`].
const EXTENTS: [Extent; 4] = [
    Extent { entries: 8, text_chars: 400 },
    Extent { entries: 6, text_chars: 240 },
    Extent { entries: 4, text_chars: 160 },
    Extent { entries: 2, text_chars: 100 },
];
/// How much is shown of an answer of any length, which is halved until the answer is short enough …
pub(super) const LONGEST: Extent = Extent { entries: 4_096, text_chars: 200_000 };
/// … at most so many times: then a list has one entry.
const HALVINGS: u32 = LONGEST.entries.ilog2();
/// Characters of an answer with one item, 1,500 tokens.
const ITEM_CHARS_MAX: usize = 6_000;
/// Characters of the rows of a comparison, 3,000 tokens, beyond which lists and texts are cut to fewer entries and characters.
const COMPARISON_CHARS_MAX: usize = 12_000;
/// Characters of ten hits, 1,400 tokens; more of them get as much each.
const HITS_CHARS_MAX: usize = 5_600;
/// Characters of twenty rows, 1,600 tokens; more of them get as much each.
const ROWS_CHARS_MAX: usize = 6_400;
pub(super) const HITS_BUDGET: Budget = Budget { entries: 10, chars_max: HITS_CHARS_MAX };
pub(super) const ROWS_BUDGET: Budget = Budget { entries: 20, chars_max: ROWS_CHARS_MAX };
/// Characters of an answer that are not projected: the notice, how to go on, commas and quotes.
const BESIDE_CHARS: usize = 400;

/// How much of an item is shown.
#[derive(Debug, Clone, Copy)]
pub(super) struct Extent {
    /// Entries of a list inside it.
    pub(super) entries: usize,
    /// Characters of a text inside it.
    pub(super) text_chars: usize,
}

/// Characters of an answer with a list.
#[derive(Debug, Clone, Copy)]
pub(super) struct Budget {
    /// So many entries …
    pub(super) entries: usize,
    /// … have so many characters together.
    chars_max: usize,
}

/// Characters of a value as it is sent.
pub(in crate::mcp::tools) fn chars(value: &Value) -> usize {
    // Whatever does not go on with a character begins one.
    rendered(value).iter().filter(|byte| **byte & 0b1100_0000 != 0b1000_0000).count()
}

/// Shortens the texts of a list until the answer is within its budget: all of them to the same length, so that the longest give first.
pub(super) fn share(answer: &mut Value, list: &str, names: &[&str], budget: Budget, cited_chars: usize) {
    let all = chars(answer) + cited_chars + BESIDE_CHARS;
    let Some(Value::Array(entries)) = answer.get_mut(list) else { return };
    let whole: usize =
        entries.iter().flat_map(|entry| TEXTS.iter().filter_map(|name| entry.get(*name))).map(chars).sum();
    let most = budget.chars_max * entries.len().max(budget.entries) / budget.entries;
    let excess = (all - whole).saturating_sub(most);
    if excess == 0 {
        return;
    }
    let texts = |entry: &Value| -> Vec<usize> {
        names.iter().filter_map(|name| entry.get(*name)?.as_str()).map(|text| text.chars().count()).collect()
    };
    let mut lengths: Vec<usize> = entries.iter().flat_map(texts).collect();
    lengths.sort_unstable();
    let mut left = lengths.iter().sum::<usize>().saturating_sub(excess);
    let mut length = 0;
    for (at, own) in lengths.iter().enumerate() {
        length = left / (lengths.len() - at);
        if *own > length {
            break;
        }
        left -= own;
    }
    each_of(entries, |entry| {
        for name in names {
            match entry.get_mut(*name) {
                Some(Value::String(text)) if length >= LEGIBLE_CHARS => *text = excerpt(text, length),
                _ => drop(entry.remove(*name)),
            }
        }
    });
}

/// Items side by side, with as much of their lists and texts as there is room for. Tells in which rows something was cut.
pub(super) fn comparison(answer: &mut Map<String, Value>) -> Vec<String> {
    keep_evidence(answer.get_mut("evidence"));
    let Some(Value::Array(rows)) = answer.get_mut("rows") else { return Vec::new() };
    // What nobody states tells nothing apart.
    rows.retain(|row| row["values"].as_array().is_some_and(|values| values.iter().any(|value| !value.is_null())));
    each_of(rows, |row| row.retain(|name, value| name != "group" && is_set(value)));
    let whole = rows.clone();
    let mut cut = Vec::new();
    for extent in EXTENTS {
        rows.clone_from(&whole);
        cut = shorten_rows(rows, extent);
        if rows.iter().map(chars).sum::<usize>() <= COMPARISON_CHARS_MAX {
            break;
        }
    }
    cut
}

/// Cuts the values of rows, which are as many as the items: `best` counts them. Gives the paths of the rows that were cut.
fn shorten_rows(rows: &mut [Value], extent: Extent) -> Vec<String> {
    let mut cut = Vec::new();
    each_of(rows, |row| {
        let path = row["path"].as_str().unwrap_or_default().to_owned();
        let mut within = Vec::new();
        let values = row["values"].as_array_mut().into_iter().flatten();
        values.for_each(|value| shorten(value, &path, extent, &mut within));
        if !within.is_empty() {
            cut.push(path);
        }
    });
    cut
}

/// An item with as much of its lists and texts as there is room for.
pub(super) fn item_within(answer: &mut Value, cited_chars: usize) -> Vec<String> {
    let mut cut = Vec::new();
    let mut whole = std::mem::take(answer);
    // Who asks for a prompt asks for the whole of it.
    let prompt = whole.pointer_mut(PROMPT).map(|prompt| prompt["text"].take());
    for extent in EXTENTS {
        *answer = whole.clone();
        cut.clear();
        let Some(object) = answer.as_object_mut() else { return cut };
        item(object, extent, &mut cut);
        drop_unset_members(object);
        let how: usize = cut.iter().map(|path| path.chars().count() + 2).sum();
        if chars(answer) + how + cited_chars + BESIDE_CHARS <= ITEM_CHARS_MAX {
            break;
        }
    }
    if let Some((place, text)) = answer.pointer_mut(PROMPT).zip(prompt) {
        place["text"] = text;
    }
    cut
}

/// As much of an answer as has at most so many bytes. Gives the paths of what was cut.
pub(in crate::mcp::tools) fn within(answer: &mut Value, bytes_max: usize) -> Vec<String> {
    let whole = answer.take();
    let mut cut = Vec::new();
    for halvings in 0..=HALVINGS {
        answer.clone_from(&whole);
        cut.clear();
        let extent = Extent { entries: LONGEST.entries >> halvings, text_chars: LONGEST.text_chars >> halvings };
        shorten(answer, "", extent, &mut cut);
        if rendered(answer).len() <= bytes_max {
            break;
        }
    }
    cut.iter().map(|path| path.trim_start_matches('.').to_owned()).collect()
}

/// Cuts long lists and texts.
pub(super) fn shorten(value: &mut Value, path: &str, extent: Extent, cut: &mut Vec<String>) {
    match value {
        Value::String(text) => {
            if let Some((end, _)) = text.char_indices().nth(extent.text_chars) {
                // The rest of a full text is read from there on.
                if BODIES.iter().any(|body| path.ends_with(body)) {
                    text.truncate(end);
                } else {
                    *text = excerpt(text, extent.text_chars);
                }
                cut.push(path.to_owned());
            }
        }
        Value::Array(list) => {
            if list.len() > extent.entries {
                cut.push(format!("{path} ({} of {})", extent.entries, list.len()));
                list.truncate(extent.entries);
            }
            let mut within = Vec::new();
            list.iter_mut().for_each(|entry| shorten(entry, path, extent, &mut within));
            if cut.last().is_none_or(|last| !last.starts_with(path)) {
                cut.extend(within.into_iter().next());
            }
        }
        Value::Object(object) => {
            for (name, value) in object.iter_mut() {
                shorten(value, &format!("{path}.{name}"), extent, cut);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    #[test]
    fn lists_and_texts_are_cut_until_an_answer_fits_and_their_paths_are_told() {
        let mut value = json!({"a": {"offers": vec!["x".repeat(50); 100]}, "b": "short"});
        assert_eq!(super::within(&mut value, 1_000), ["a.offers (16 of 100)"]);
        assert!(value.to_string().len() <= 1_000);
        assert_eq!(value["b"], "short");
        let mut text = json!({"a": {"text": "x".repeat(1_000)}});
        assert_eq!(super::within(&mut text, 500), ["a.text"]);
        assert!((200..500).contains(&text.to_string().len()), "{text}");
    }

    #[test]
    fn cutting_ends_however_many_parts_there_are() {
        let mut value =
            json!((0..500).map(|n| (format!("k{n}"), json!(["a", "b"]))).collect::<serde_json::Map<_, _>>());
        assert_eq!(super::within(&mut value, 10).len(), 500);
        assert_eq!(value["k499"], json!(["a"]));
    }
}
