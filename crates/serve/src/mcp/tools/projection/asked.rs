//! The values that a question bounds or sorts by stay in what is shown: who asks for the newest models sees their dates.

use serde_json::{Map, Value};

/// Whether a path is in a member.
pub(in crate::mcp::tools) fn is_asked(paths: &[&str], member: &str) -> bool {
    paths.iter().any(|path| steps(path).0 == member)
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
