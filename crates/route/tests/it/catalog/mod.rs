//! The project's own cards and evaluation questions, read for tests and for the workbench. The product reads cards through its
//! connector; this small reader is only so that the core can be measured by itself.

use std::path::{Path, PathBuf};

use refdesk_core::item::{AntiExample, Domain, Framework, Input, Origin, Output, Prompt, Status};
use refdesk_route::Card;
use refdesk_route::eval::Question;
use serde::Deserialize;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The labelled questions, both halves.
pub fn questions() -> Vec<Question> {
    Question::parse_lines(&std::fs::read_to_string(root().join("eval/routing/questions.jsonl")).unwrap()).unwrap()
}

#[derive(Deserialize)]
struct CardFile {
    id: String,
    display_name: String,
    #[serde(default)]
    aliases: Vec<String>,
    domain: Domain,
    #[serde(default)]
    secondary_domains: Vec<Domain>,
    summary: String,
    #[serde(default)]
    when_to_use: Vec<String>,
    #[serde(default)]
    when_not_to_use: Vec<String>,
    #[serde(default)]
    example_questions: Vec<String>,
    #[serde(default)]
    anti_examples: Vec<AntiExample>,
    #[serde(default)]
    inputs: Vec<Input>,
    #[serde(default)]
    steps: Vec<String>,
    output: Option<Output>,
    #[serde(default)]
    quality_checks: Vec<String>,
    #[serde(default)]
    failure_modes: Vec<String>,
    origin: Option<Origin>,
    prompt: Option<Prompt>,
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
        let file: CardFile =
            serde_saphyr::from_str(front).map_err(|error| format!("{}: {error}", path.display())).unwrap();
        let (prompt, template) = body.split_once("# Output template").unwrap_or((body, ""));
        let prompt_file = file.prompt;
        let framework = Framework {
            domain: file.domain,
            secondary_domains: file.secondary_domains,
            summary: file.summary,
            when_to_use: file.when_to_use,
            when_not_to_use: file.when_not_to_use,
            example_questions: file.example_questions,
            anti_examples: file.anti_examples,
            inputs: file.inputs,
            steps: file.steps,
            output: file.output.map(|output| Output { template_markdown: template.to_owned(), ..output }),
            quality_checks: file.quality_checks,
            failure_modes: file.failure_modes,
            origin: file.origin,
            prompt: prompt_file.map(|front| Prompt { text: prompt.to_owned(), ..front }),
        };
        let published = framework.publication_score().status() == Status::Published;
        out.push(Card { id: file.id, name: file.display_name, aliases: file.aliases, framework, published });
    }
    out
}
