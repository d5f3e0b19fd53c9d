//! `eval routing`: scores the router on a labelled question set and keeps the figures for `/health` and `router.eval`.
//! `eval search` is in [`search`]. What else is measured is a developers' tool: `crates/lab`.

pub mod search;

use std::path::Path;

use anyhow::Context as _;
use refdesk_catalog::answer::RouterEval;
use refdesk_ingest::store::Store;
use refdesk_route::Router;
use refdesk_route::eval::{Question, RoutingReport, evaluate};
use refdesk_serve::state::Evaluated;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tower::ServiceExt as _;

use crate::app::{self, App};
use crate::cli;
use crate::config::Config;
use crate::exit::Exit;
use crate::output;

/// The question set of the repository.
const QUESTIONS: &str = include_str!("../../../../eval/routing/questions.jsonl");
/// The figures of its last run, committed beside it.
const FIGURES: &str = include_str!("../../../../eval/routing/figures.json");
/// Name of the stored figures of the last run on this machine.
const META_FIGURES: &str = "router_eval";
/// A figure may be this much lower than its baseline before it counts as a regression: less than one question in a hundred.
const TOLERANCE: f64 = 0.005;

/// What the real endpoint answers, asked over the router that serves HTTP.
pub async fn answer_of(router: &axum::Router, path: &str, query: &str) -> anyhow::Result<Value> {
    let request = http::Request::get(format!("{path}?{query}")).header(http::header::HOST, "localhost");
    let response = router.clone().oneshot(request.body(axum::body::Body::empty())?).await?;
    let status = response.status();
    let bytes = axum::body::to_bytes(response.into_body(), usize::MAX).await?;
    anyhow::ensure!(status.is_success(), "{path} answered {status} to {query}: {}", String::from_utf8_lossy(&bytes));
    Ok(serde_json::from_slice(&bytes)?)
}

/// What is kept of a run: the held-out half only, because the other half was used to choose parameters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Figures {
    cards_hash: String,
    n: usize,
    top1: f64,
    top3: f64,
    no_match_f1: f64,
    ece: f64,
    evaluated_at: refdesk_core::Stamp,
}

impl Figures {
    fn of(report: &RoutingReport) -> Self {
        let rounded = |figure: f32| (f64::from(figure) * 1e4).round() / 1e4;
        Self {
            cards_hash: report.cards_hash.clone(),
            n: report.held_out.n,
            top1: rounded(report.held_out.hits.top1),
            top3: rounded(report.held_out.hits.top3),
            no_match_f1: rounded(report.held_out.no_match_f1),
            ece: rounded(report.held_out.ece),
            evaluated_at: app::now(),
        }
    }

    fn evaluated(self) -> Evaluated {
        let Self { cards_hash, n, top1, top3, evaluated_at, .. } = self;
        Evaluated { cards_hash, figures: RouterEval { n, top1, top3, evaluated_at } }
    }

    /// What is worse than in `before`, in words.
    fn regressions(&self, before: &Self) -> Vec<String> {
        [
            ("top-1", self.top1, before.top1),
            ("top-3", self.top3, before.top3),
            ("no-match F1", self.no_match_f1, before.no_match_f1),
        ]
        .into_iter()
        .filter(|(_, now, then)| *now + TOLERANCE < *then)
        .map(|(name, now, then)| format!("{name} on the held-out half fell from {then:.3} to {now:.3}"))
        .collect()
    }
}

/// The figures of the last evaluation of exactly the router's cards: this machine's, else those that ship.
pub async fn last(store: &Store, router: &Router) -> Option<Evaluated> {
    let stored = store.meta(META_FIGURES).await.ok().flatten();
    let cards_hash = router.cards_hash();
    [stored.as_deref(), Some(FIGURES)]
        .into_iter()
        .flatten()
        .filter_map(|text| serde_json::from_str::<Figures>(text).ok())
        .find(|figures| figures.cards_hash == cards_hash)
        .map(Figures::evaluated)
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
    let app = App::open(config).await?;
    super::sync::bundled(&app).await?;
    let snapshot = app.snapshot().await?;
    let report = evaluate(snapshot.router(), &questions);
    let figures = Figures::of(&report);
    app.store.set_meta(META_FIGURES, &serde_json::to_string(&figures)?).await?;
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
