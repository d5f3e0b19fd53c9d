//! The project's own cards and evaluation questions, read for tests and for the workbench. The product reads cards through its
//! connector; this small reader is only so that the core can be measured by itself.

use std::fmt::Display;
use std::path::{Path, PathBuf};

use refdesk_core::item::{Framework, Status};
use refdesk_route::Card;
use refdesk_route::eval::Question;
use serde::Deserialize;
use serde_json::{Map, Value};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The labelled questions, both halves.
pub fn questions() -> Vec<Question> {
    labelled("questions")
}

/// Requests that name a card, and others that only use words of names.
pub fn requests_with_names() -> Vec<Question> {
    labelled("names")
}

fn labelled(set: &str) -> Vec<Question> {
    Question::parse_lines(&std::fs::read_to_string(root().join(format!("eval/routing/{set}.jsonl"))).unwrap()).unwrap()
}

/// What a card says beside its framework.
const BESIDE: [&str; 6] = ["kind", "id", "display_name", "aliases", "checked_on", "source_url"];

#[derive(Deserialize)]
struct Beside {
    id: String,
    display_name: String,
    aliases: Vec<String>,
}

fn files(dir: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(dir).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            files(&path, out);
        } else if path.extension().is_some_and(|e| e == "md") && !path.ends_with("README.md") {
            out.push(path);
        }
    }
}

/// All cards, published or not, in the order of their paths.
pub fn cards() -> Vec<Card> {
    let mut paths = Vec::new();
    files(&root().join("catalog/frameworks"), &mut paths);
    paths.sort();
    let mut out = Vec::new();
    for path in paths {
        let text = std::fs::read_to_string(&path).unwrap();
        let Some((front, body)) = refdesk_core::text::split_front_matter(&text) else { continue };
        let refused = |error: &dyn Display| format!("{}: {error}", path.display());
        let front: Map<String, Value> = serde_saphyr::from_str(front).map_err(|error| refused(&error)).unwrap();
        let (beside, stated): (Map<String, Value>, Map<String, Value>) =
            front.into_iter().partition(|(name, _)| BESIDE.contains(&name.as_str()));
        let beside: Beside = serde_json::from_value(beside.into()).map_err(|error| refused(&error)).unwrap();
        let mut framework: Framework = serde_json::from_value(stated.into()).map_err(|error| refused(&error)).unwrap();
        let (prompt, template) = body.split_once("# Output template").unwrap_or((body, ""));
        if let Some(front) = &mut framework.prompt {
            prompt.clone_into(&mut front.text);
        }
        if let Some(output) = &mut framework.output {
            template.clone_into(&mut output.template_markdown);
        }
        let published = framework.publication_score().status() == Status::Published;
        out.push(Card { id: beside.id, name: beside.display_name, aliases: beside.aliases, framework, published });
    }
    out
}
