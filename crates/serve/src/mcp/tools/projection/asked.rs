//! The values that a question bounds or sorts by stay in what is shown: who asks for the newest models sees their dates.

use refdesk_catalog::json::is_set;
use serde_json::{Map, Value};

use crate::mcp::tools::filters::OFFER_COUNT;

/// The member of a row with the offers, which are counted.
const OFFERS: &str = "offers";
/// The member with the paths of what is stale.
const STALE_FIELDS: &str = "stale_fields";
/// Paths of what the snippet of a hit tells.
const TOLD_BY_SNIPPET: [&str; 2] = ["description", "summary"];

/// The member of a row of REST that a path is read from.
pub(in crate::mcp::tools) fn read_from(path: &str) -> &str {
    if path == OFFER_COUNT { OFFERS } else { steps(path).0 }
}

/// Whether a path is read from a member.
pub(in crate::mcp::tools) fn is_asked(paths: &[&str], member: &str) -> bool {
    paths.iter().any(|path| read_from(path) == member)
}

/// Counts the offers of an entry, where their number is asked for.
pub(super) fn count_offers(entry: &mut Map<String, Value>, paths: &[&str]) {
    if paths.contains(&OFFER_COUNT)
        && let Some(Value::Array(offers)) = entry.get(OFFERS)
    {
        let count = offers.len();
        entry.insert(OFFER_COUNT.to_owned(), count.into());
    }
}

/// Keeps of the paths of what is stale those that the entry shows.
pub(super) fn keep_shown_stale(entry: &mut Map<String, Value>) {
    let Some(Value::Array(mut stale)) = entry.shift_remove(STALE_FIELDS) else { return };
    let is_shown = |path: &str| {
        value_at(entry, path).is_some_and(|value| is_set(&value))
            || TOLD_BY_SNIPPET.contains(&path) && entry.contains_key("snippet")
    };
    stale.retain(|path| path.as_str().is_some_and(is_shown));
    if !stale.is_empty() {
        entry.insert(STALE_FIELDS.to_owned(), stale.into());
    }
}

/// Changes an entry, but for what it has at these paths.
pub(super) fn keeping(entry: &mut Map<String, Value>, paths: &[&str], change: fn(&mut Map<String, Value>)) {
    let kept: Vec<(&str, Value)> = paths.iter().filter_map(|path| Some((*path, value_at(entry, path)?))).collect();
    change(entry);
    for (path, value) in kept {
        let (name, below) = steps(path);
        let Some(below) = below else {
            entry.insert(name.to_owned(), value);
            continue;
        };
        if let Some(Value::Object(object)) = entry.get_mut(name) {
            object.insert(below.to_owned(), value);
        }
    }
}

fn value_at(entry: &Map<String, Value>, path: &str) -> Option<Value> {
    let (name, below) = steps(path);
    let member = entry.get(name)?;
    below.map_or(Some(member), |below| member.get(below)).cloned()
}

/// A path as a member, and a member of that: paths of rows are not deeper.
fn steps(path: &str) -> (&str, Option<&str>) {
    path.split_once('.').map_or((path, None), |(name, below)| (name, Some(below)))
}
