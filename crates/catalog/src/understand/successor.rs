//! What came after a model: `what replaced claude-3-opus`, `successor of gpt-4o`. Nobody publishes successors, so these are the later
//! models of the same maker and mode that are not on their way out, those of the same line first.

use serde_json::Value;

use super::Understood;
use super::modalities::OTHER_THAN_CHAT;
use super::reading::day;
use super::words::{Word, is_phrase};
use crate::segment::Found;
use crate::snapshot::Snapshot;
use refdesk_core::{Kind, Stamp};
use refdesk_search::text::fold;

/// Phrases before the model, which is the rest of the question …
const BEFORE: [&[&str]; 20] = [
    &["replaced"],
    &["replaces"],
    &["superseded"],
    &["supersedes"],
    &["successor", "of"],
    &["successor", "to"],
    &["successors", "of"],
    &["successors", "to"],
    &["replacement", "for"],
    &["replacement", "of"],
    &["replacements", "for"],
    &["came", "after"],
    &["comes", "after"],
    &["newer", "version", "of"],
    &["newer", "versions", "of"],
    &["newer", "than"],
    &["released", "after"],
    &["instead", "of"],
    &["upgrade", "from"],
    &["migrate", "from"],
];
/// … and words behind it.
const BEHIND: [&str; 3] = ["successor", "replacement", "successors"];

/// The later models that a question asks for, if it asks for any.
pub fn read(snapshot: &Snapshot, words: &[Word<'_>]) -> Option<Understood> {
    let name = named(words)?;
    let (Found::Id(ordinal) | Found::Alias(ordinal)) = snapshot.find(Kind::Model, &name) else { return None };
    let (segment, row) = snapshot.locate(ordinal);
    let model: Value = serde_json::from_slice(segment.row(row)).ok()?;
    let text = |name: &str| model.get(name).and_then(Value::as_str);
    let mut params: Vec<(String, String)> = Vec::new();
    let mut set = |name: &str, value: &str| params.push((name.to_owned(), value.to_owned()));
    set("vendor", text("vendor")?);
    match text("mode").unwrap_or("chat") {
        "chat" | "completion" => set("model_mode__not", OTHER_THAN_CHAT),
        mode => set("model_mode", mode),
    }
    let released = Stamp::date_passed_at(text("released_on")?)?;
    set("released_on__gte", &day(released));
    set("status__not", "deprecated,retired");
    set("include_removed", "false");
    set("sort", "-released_on");
    Some(Understood { kind: Some(Kind::Model), params, rest: line(segment.id(row)), ..Understood::default() })
}

/// The name that a question is about.
fn named(words: &[Word<'_>]) -> Option<String> {
    let joined = |words: &[Word<'_>]| {
        let is_said = |word: &&Word<'_>| !matches!(word.folded.as_str(), "the" | "model" | "now" | "today");
        words.iter().filter(is_said).map(|word| word.text).collect::<Vec<_>>().join(" ")
    };
    let before = (0..words.len()).find_map(|at| {
        let phrase = BEFORE.iter().find(|phrase| is_phrase(words, at, phrase))?;
        Some(&words[at + phrase.len()..])
    });
    let behind = words.split_last().filter(|(last, _)| BEHIND.contains(&last.folded.as_str())).map(|(_, name)| name);
    before.or(behind).map(joined).filter(|name| !name.is_empty())
}

/// The words of a name without what counts versions: `claude opus` of `claude-3-opus`.
fn line(id: &str) -> String {
    let mut folded = String::new();
    fold(id, &mut folded);
    let words = folded.split(|c: char| !c.is_alphanumeric());
    let is_of_line = |word: &&str| word.len() > 1 && word.chars().all(char::is_alphabetic);
    words.filter(is_of_line).collect::<Vec<_>>().join(" ")
}
