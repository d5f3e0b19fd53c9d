//! `eval routing`: scores the router on a labelled question set and keeps the figures for `/health` and `router.eval`.
//! `eval search` is in [`search`]. What else is measured is a developers' tool: `crates/lab`.

pub mod search;

use std::path::Path;

use anyhow::Context as _;
use refdesk_route::eval::{Question, evaluate};
use serde_json::Value;
use tower::ServiceExt as _;

use super::lookup;
use crate::cli;
use crate::config::Config;
use crate::evaluation::{self, Figures};
use crate::exit::Exit;
use crate::output;

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

async fn routing(
    config: Config,
    questions: Option<&Path>,
    baseline: Option<&Path>,
    write: Option<&Path>,
    json: bool,
) -> anyhow::Result<Exit> {
    let text = match questions {
        Some(path) => std::fs::read_to_string(path).with_context(|| path.display().to_string())?,
        None => QUESTIONS.to_owned(),
    };
    let questions = Question::parse_lines(&text).map_err(|error| anyhow::anyhow!(error))?;
    let (app, snapshot) = lookup::catalog(config).await?;
    let report = evaluate(snapshot.router(), &questions);
    let figures = Figures::new(&report);
    evaluation::keep(&app.store, &figures).await?;
    if let Some(path) = write {
        let text = serde_json::to_string_pretty(&figures)? + "\n";
        std::fs::write(path, text).with_context(|| path.display().to_string())?;
    }
    if json {
        output::json(&serde_json::to_value(&report)?);
    } else {
        output::print(&report.to_table());
    }
    let Some(path) = baseline else { return Ok(Exit::Done) };
    let before: Figures =
        serde_json::from_str(&std::fs::read_to_string(path).with_context(|| path.display().to_string())?)
            .with_context(|| format!("{}: holds no figures of `refdesk eval routing --write`", path.display()))?;
    let worse = figures.regressions(&before);
    worse.iter().for_each(|line| output::say(line));
    Ok(if worse.is_empty() { Exit::Done } else { Exit::NotFound })
}
