//! The tools of a server and the commands of a program: what they do, for a hit that has the words nowhere else, and which server has a tool
//! of just the name that was typed.

use serde_json::Value;

use crate::json::{self, text_of};
use crate::snapshot::Snapshot;
use refdesk_core::Kind;
use refdesk_core::query::SearchQuery;
use refdesk_search::{
    MatchField, MatchKind, NormalForm, SearchHit, SearchOutcome, SearchRequest, WHOLE_NAME_SCORE_MIN,
};

/// Servers whose tools are compared with what was typed.
const LOOKED_AT: usize = 10;
/// Most servers that are put first for a tool of that name.
const SHOWN: usize = 3;

/// What the tools and commands of a hit do, one a line, if they have words of the question.
pub(super) fn described(hit: &SearchHit, row: &[u8]) -> Option<String> {
    hit.matched.iter().find(|(field, _)| *field == MatchField::Passage)?;
    let item: Value = json::read_own(row);
    let line = |part: &Value| {
        format!("{}: {}{}", text_of(part, "name"), text_of(part, "description"), text_of(part, "summary"))
    };
    Some(["tools", "commands"].iter().flat_map(|list| parts(&item, list)).map(line).collect::<Vec<_>>().join("\n"))
}

/// The best servers with a tool of just the name that was typed (`create_pull_request`), where nothing is called so as a whole. A single word
/// is a topic, and a number part of a model's name.
pub(super) fn with_tool(snapshot: &Snapshot, query: &SearchQuery, outcome: &SearchOutcome) -> Vec<SearchHit> {
    let text = query.text.trim();
    let is_called_so = |hit: &SearchHit| hit.score > WHOLE_NAME_SCORE_MIN;
    let are_searched = query.kind.is_none_or(|kind| kind == Kind::McpServer);
    if !are_searched || !is_identifier(text) || outcome.hits.first().is_none_or(is_called_so) {
        return Vec::new();
    }
    let segments = Kind::McpServer.into();
    let request = SearchRequest { segments, fresh_only: query.fresh_only, ..SearchRequest::new(text, LOOKED_AT) };
    let typed = NormalForm::new(text);
    let mut found = snapshot.search(&request).hits;
    found.retain(|hit| {
        let item: Value = json::read_own(snapshot.row(hit.ordinal));
        parts(&item, "tools").any(|tool| NormalForm::new(text_of(tool, "name")) == typed)
    });
    found.truncate(SHOWN);
    for hit in &mut found {
        hit.matched.retain(|(field, _)| *field != MatchField::Passage);
        hit.matched.insert(0, (MatchField::Passage, MatchKind::Exact));
    }
    found
}

fn parts<'a>(item: &'a Value, list: &str) -> impl Iterator<Item = &'a Value> {
    item[list].as_array().into_iter().flatten()
}

/// Whether a text is words joined as in a program, without a number: `list_issues`, `list-issues`, `listIssues`.
fn is_identifier(text: &str) -> bool {
    let is_joint = |c: char| matches!(c, '_' | '-');
    let is_camel = || text.chars().zip(text.chars().skip(1)).any(|(c, next)| c.is_lowercase() && next.is_uppercase());
    text.chars().all(|c| c.is_alphabetic() || is_joint(c)) && (text.contains(is_joint) || is_camel())
}
