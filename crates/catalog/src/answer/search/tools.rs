//! The tools of a server and the commands of a program: what they do, for a hit that has the words nowhere else, and which server has a tool
//! of just the name that was typed.

use std::borrow::Cow;

use serde::Deserialize;

use crate::json;
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

/// The lists of a row that are looked at: reading all of it takes as long as a tenth of a search.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Lists<'a> {
    #[serde(borrow)]
    tools: Option<Vec<Part<'a>>>,
    #[serde(borrow)]
    commands: Option<Vec<Part<'a>>>,
}

/// A tool of a server, or a command of a program.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Part<'a> {
    #[serde(borrow)]
    name: Option<Cow<'a, str>>,
    #[serde(borrow)]
    description: Option<Cow<'a, str>>,
    #[serde(borrow)]
    summary: Option<Cow<'a, str>>,
}

/// What the tools and commands of a hit of a kind do, one a line, if they have words of the question.
pub(super) fn described(kind: Kind, hit: &SearchHit, row: &[u8]) -> Option<String> {
    let may_have = matches!(kind, Kind::McpServer | Kind::Tool);
    hit.matched.iter().find(|(field, _)| may_have && *field == MatchField::Passage)?;
    let Lists { tools, commands } = json::read_own(row);
    let line = |Part { name, description, summary }: Part<'_>| {
        let [name, description, summary] = [name, description, summary].map(Option::unwrap_or_default);
        format!("{name}: {description}{summary}")
    };
    let lines: Vec<String> = [tools, commands].into_iter().flatten().flatten().map(line).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
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
        let Lists { tools, .. } = json::read_own(snapshot.row(hit.ordinal));
        tools.into_iter().flatten().any(|tool| NormalForm::new(&tool.name.unwrap_or_default()) == typed)
    });
    found.truncate(SHOWN);
    for hit in &mut found {
        hit.matched.retain(|(field, _)| *field != MatchField::Passage);
        hit.matched.insert(0, (MatchField::Passage, MatchKind::Exact));
    }
    found
}

/// Whether a text is words joined as in a program, without a number: `list_issues`, `list-issues`, `listIssues`.
fn is_identifier(text: &str) -> bool {
    let is_joint = |c: char| matches!(c, '_' | '-');
    let is_camel = || text.chars().zip(text.chars().skip(1)).any(|(c, next)| c.is_lowercase() && next.is_uppercase());
    text.chars().all(|c| c.is_alphabetic() || is_joint(c)) && (text.contains(is_joint) || is_camel())
}
