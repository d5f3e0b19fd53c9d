//! `eval routing`: scores the router on a labelled question set and keeps the figures for `/health` and `router.eval`.
//! `eval search` is in [`search`]. What else is measured is a developers' tool: `crates/lab`.

pub mod search;

use std::path::Path;

use anyhow::Context as _;
use refdesk_route::eval::{Question, evaluate};
use serde_json::Value;
use tower::ServiceExt as _;

use crate::cli;
use crate::client::{Extent, InProcess};
use crate::config::Config;
use crate::evaluation::{self, Figures};
use crate::exit::Exit;
use crate::output::{self, Refusal};

/// The question set of the repository.
const QUESTIONS: &str = include_str!("../../../../../eval/routing/questions.jsonl");

/// What the real endpoint answers, asked over the router that serves HTTP.
pub async fn answer_of(router: &axum::Router, path: &str, query: &str) -> anyhow::Result<Value> {
    let request = http::Request::get(format!("{path}?{query}")).header(http::header::HOST, "localhost");
    let response = router.clone().oneshot(request.body(axum::body::Body::empty())?).await?;
    let status = response.status();
    let bytes = axum::body::to_bytes(response.into_body(), usize::MAX).await?;
    anyhow::ensure!(status.is_success(), "{path} answered {status} to {query}: {}", String::from_utf8_lossy(&bytes));
    Ok(serde_json::from_slice(&bytes)?)
}

/// `refdesk eval`.
pub async fn run(config: Config, command: cli::Eval, json: bool) -> anyhow::Result<Exit> {
    match command {
        cli::Eval::Search { sets, model } => search::run(&sets, model.as_deref(), json).await,
        cli::Eval::Routing { questions, baseline, write } => {
            routing(config, questions.as_deref(), baseline.as_deref(), write.as_deref(), json).await
        }
    }
}

/// The text of a file that a flag names.
fn read_named(flag: &str, path: &Path) -> anyhow::Result<String> {
    let told = || format!("{flag} {}: cannot be read; name a file that is there", path.display());
    std::fs::read_to_string(path).with_context(told).map_err(Refusal::mistake)
}

fn read_baseline(path: &Path) -> anyhow::Result<Figures> {
    let told = || format!("--baseline {}: holds no figures of `refdesk eval routing --write`", path.display());
    serde_json::from_str(&read_named("--baseline", path)?).with_context(told).map_err(Refusal::mistake)
}

async fn routing(
    config: Config,
    questions: Option<&Path>,
    baseline: Option<&Path>,
    write: Option<&Path>,
    json: bool,
) -> anyhow::Result<Exit> {
    let text = match questions {
        Some(path) => read_named("--questions", path)?,
        None => QUESTIONS.to_owned(),
    };
    // Before the figures are kept: a mistake changes nothing.
    let before = baseline.map(read_baseline).transpose()?;
    let questions = Question::parse_lines(&text).map_err(|error| anyhow::anyhow!(error))?;
    let desk = InProcess::open(&config, Extent::Whole).await?;
    let report = evaluate(desk.snapshot().router(), &questions);
    let figures = Figures::new(&report);
    evaluation::keep(&desk.app.store, &figures).await?;
    if let Some(path) = write {
        let text = serde_json::to_string_pretty(&figures)? + "\n";
        let told = || format!("--write {}: cannot be written; name a file in a folder that is there", path.display());
        std::fs::write(path, text).with_context(told)?;
    }
    if json {
        output::json(&serde_json::to_value(&report)?);
    } else {
        output::print(&report.to_table());
    }
    let Some(before) = before else { return Ok(Exit::Done) };
    let worse = figures.regressions(&before);
    worse.iter().for_each(|line| output::say(line));
    Ok(Exit::of_answer(worse.is_empty()))
}
