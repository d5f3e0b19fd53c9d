//! Whether two sources agree on a field although they state it differently: in another spelling, less exactly, or less of it.
//!
//! A catalog often lists one address of several, or a package without what has to be filled in. That is less than another source states
//! and not something else. Fields that every source puts in its own words: [`super::leaves::is_in_own_words`].

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::leaves::{is_prose, is_stated, same};
use refdesk_core::item::Modalities;

/// The registry of images without another in front.
const IMAGES: &str = "docker.io/";

/// Whether another value of a field says the same as the one that is shown: a [`same`] value, a licence or repository that differs only in
/// case or in how an address ends (`MIT` and `mit`, `…/Lamp.git` and `…/lamp/`), a month or year with a day in it, `file` and `pdf` among what a
/// model takes, and packages, addresses or tools of which no more is said.
pub fn agree(path: &str, a: &Value, b: &Value) -> bool {
    const IN_ANY_CASE: [&str; 3] = ["license", "repository.url", "repository_url"];
    const LISTS: [&str; 3] = ["packages", "remotes", "tools"];
    let folded = |value: &Value| {
        let text = value.as_str()?.trim().trim_end_matches('/').trim_end_matches(".git");
        Some(text.to_lowercase())
    };
    is_one(path, a, b)
        || IN_ANY_CASE.contains(&path) && folded(a).is_some_and(|a| folded(b) == Some(a))
        || DATES.contains(&path) && (is_within(a, b) || is_within(b, a))
        || LISTS.contains(&path) && says_no_more(b, a)
}

/// Lists of what a model takes and gives.
const MODALITIES: &str = "modalities.";

/// Whether two values of a field are one to a vote: the [`same`], or modalities that only differ in their words.
pub fn is_one(path: &str, a: &Value, b: &Value) -> bool {
    let is_in_other_words = || path.starts_with(MODALITIES) && [a, b].into_iter().any(has_own_word);
    same(a, b) || is_in_other_words() && modalities(a).is_some_and(|a| modalities(b) == Some(a))
}

/// Whether a list of modalities has a word for which most sources have another.
pub fn has_own_word(list: &Value) -> bool {
    let mut words = list.as_array().into_iter().flatten().filter_map(Value::as_str);
    words.any(|word| Modalities::in_one_word(word) != word)
}

/// Modalities in the words of most sources.
fn modalities(list: &Value) -> Option<BTreeSet<&str>> {
    list.as_array()?.iter().map(|word| word.as_str().map(Modalities::in_one_word)).collect()
}

/// What all of some values state: of lists of modalities the entries that are in all of them, in the order of the first and the words of most
/// sources, and of days of one month that month. None of other values, and where nothing is in all of them.
pub fn common(path: &str, values: &[&Value]) -> Option<Value> {
    if DATES.contains(&path) {
        let month = Value::from(values.first()?.as_str()?.get(..MONTH)?);
        return values.iter().all(|date| is_within(date, &month)).then_some(month);
    }
    let mut lists = values.to_vec();
    lists.sort_by_key(|list| has_own_word(list));
    let first = lists.first().filter(|_| path.starts_with(MODALITIES))?;
    let sets: Vec<BTreeSet<&str>> = lists.iter().map(|list| modalities(list)).collect::<Option<_>>()?;
    let in_all = |word: &&str| sets.iter().all(|set| set.contains(Modalities::in_one_word(word)));
    let common: Vec<&str> = first.as_array()?.iter().filter_map(Value::as_str).filter(in_all).collect();
    (!common.is_empty()).then(|| json!(common))
}

/// Whole numbers that differ by so much at most may be roundings of one.
const ROUNDING_PERCENT: u64 = 5;

/// Whether two numbers may be roundings of one: 131,072 and 128,000.
pub fn are_rounded(a: u64, b: u64) -> bool {
    a.abs_diff(b).saturating_mul(100) <= a.min(b).saturating_mul(ROUNDING_PERCENT)
}

/// Fields for a day, a month or a year.
const DATES: [&str; 5] = ["released_on", "knowledge_cutoff", "deprecated_on", "retires_on", "published_on"];

/// How far a date tells its month.
pub const MONTH: usize = "YYYY-MM".len();

/// Whether a date lies within another, which is less exact: `2026-01-27` within `2026-01`.
pub fn is_within(date: &Value, whole: &Value) -> bool {
    let rest = date.as_str().zip(whole.as_str()).and_then(|(date, whole)| date.strip_prefix(whole).zip(Some(whole)));
    rest.is_some_and(|(rest, whole)| {
        let is_part = |text: &str, len: usize| text.len() == len && text.bytes().all(|b| b.is_ascii_digit());
        let mut parts = whole.split('-');
        let is_date = parts.next().is_some_and(|year| is_part(year, 4)) && parts.all(|part| is_part(part, 2));
        is_date && rest.starts_with('-')
    })
}

/// Whether each entry of a list is one of another list, and says no more than that.
fn says_no_more(list: &Value, than: &Value) -> bool {
    let (Some(list), Some(than)) = (list.as_array(), than.as_array()) else { return false };
    let mut entries = list.iter().map(Value::as_object);
    entries.all(|entry| {
        entry.is_some_and(|entry| than.iter().filter_map(Value::as_object).any(|whole| is_part(entry, whole)))
    })
}

/// Whether another entry states all that one does, its description aside.
fn is_part(entry: &Map<String, Value>, whole: &Map<String, Value>) -> bool {
    let mut stated = entry.iter().filter(|(name, value)| is_stated(value) && !is_prose(name));
    stated.all(|(name, value)| {
        whole.get(name).is_some_and(|stated| match &**name {
            // Each source says in its own words what a key is good for and how it is written.
            "headers" | "environmentVariables" => names(value).is_subset(&names(stated)),
            "url" | "identifier" => place(value) == place(stated),
            _ => same(value, stated),
        })
    })
}

/// The names of what has to be filled in.
fn names(list: &Value) -> BTreeSet<&str> {
    list.as_array().into_iter().flatten().filter_map(|entry| entry.get("name")?.as_str()).collect()
}

/// An address or an identifier without what goes without saying.
fn place(text: &Value) -> Option<&str> {
    let text = text.as_str()?.trim();
    Some(text.strip_prefix(IMAGES).unwrap_or(text).trim_end_matches('/'))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{agree, says_no_more};

    #[test]
    fn a_month_agrees_with_its_days_and_with_nothing_else() {
        for (path, a, b, is_so) in [
            ("released_on", "2026-01", "2026-01-27", true),
            ("knowledge_cutoff", "2025-06-30", "2025", true),
            ("released_on", "2026-01", "2026-02-01", false),
            ("released_on", "2026-01-02", "2026-01-03", false),
            ("released_on", "2026-0", "2026-01", false),
            ("released_on", "", "2026-01", false),
            ("version", "2026", "2026-01", false),
            ("license", "MIT", "mit", true),
        ] {
            assert_eq!(agree(path, &json!(a), &json!(b)), is_so, "{path}: {a} {b}");
        }
    }

    #[test]
    fn a_list_says_no_more_if_each_of_its_entries_is_a_part_of_one() {
        let remotes = json!([
            {"type": "streamable-http", "url": "https://lamp.example/mcp", "headers": [{"name": "Authorization", "isSecret": true}]},
            {"type": "sse", "url": "https://lamp.example/sse"},
        ]);
        let packages = json!([{"registryType": "oci", "identifier": "docker.io/lamp/mcp", "version": "1.2.0", "packageArguments": ["serve"]}]);
        for (list, than, is_so) in [
            (json!([{"type": "sse", "url": "https://lamp.example/sse/"}]), &remotes, true),
            (json!([{"type": "sse", "url": "https://lamp.example/mcp"}]), &remotes, false),
            (
                json!([{"url": "https://lamp.example/mcp", "headers": [{"name": "Authorization", "value": "Bearer {KEY}"}]}]),
                &remotes,
                true,
            ),
            (json!([{"url": "https://lamp.example/sse", "headers": [{"name": "Authorization"}]}]), &remotes, false),
            (json!([{"url": "https://lamp.example/old"}]), &remotes, false),
            (json!([{"registryType": "oci", "identifier": "lamp/mcp", "description": "Runs it"}]), &packages, true),
            (json!([{"registryType": "oci", "identifier": "lamp/mcp", "version": "1.1.0"}]), &packages, false),
            (
                json!([{"registryType": "oci", "identifier": "lamp/mcp"}, {"registryType": "npm", "identifier": "lamp"}]),
                &packages,
                false,
            ),
            (json!(["lamp/mcp"]), &packages, false),
        ] {
            assert_eq!(says_no_more(&list, than), is_so, "{list}");
        }
    }
}
