//! `eval search`: scores the real `/v1/search` on labelled sets in BEIR's form (corpus.jsonl, queries.jsonl, qrels.tsv).
//!
//! A set is written as Markdown pages into a scratch folder, synced by the `markdown-docs` connector into a scratch store, and asked
//! through the router that serves HTTP: exactly the way an operator's own documents go.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context as _;
use refdesk_core::parallel::cores;
use refdesk_ingest::config::SourceConfig;
use refdesk_ingest::store::Store;
use refdesk_ingest::sync::{Engine, EngineOptions, Silent};
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::config::{Config, Given, key};
use crate::exit::Exit;
use crate::output::{self, Refusal};
use crate::semantic;
use crate::view::array;

/// Depth of the ranking that is scored.
pub const DEPTH: usize = 10;
/// Id of the scratch source.
const SOURCE: &str = "set";

/// A document of a corpus.
#[derive(Debug, Deserialize)]
pub struct Document {
    /// Its id in the labels.
    #[serde(rename = "_id")]
    pub id: String,
    #[serde(default)]
    title: String,
    /// Its text.
    #[serde(default)]
    pub text: String,
}

impl Document {
    /// The title, or the id where there is none.
    pub fn shown_title(&self) -> &str {
        if self.title.is_empty() { &self.id } else { &self.title }
    }
}

/// A labelled query.
#[derive(Debug, Deserialize)]
pub struct Query {
    #[serde(rename = "_id")]
    id: String,
    /// What is asked.
    pub text: String,
    #[serde(default)]
    class: Option<String>,
}

/// A labelled set.
pub struct Set {
    name: String,
    /// Its documents.
    pub corpus: Vec<Document>,
    /// Its queries.
    pub queries: Vec<Query>,
    /// Grades by query and document.
    relevant: HashMap<String, HashMap<String, f64>>,
}

/// Means over the queries of a set or a class of it.
#[derive(Debug, Clone, Default, Serialize)]
struct Scores {
    queries: usize,
    ndcg10: f64,
    mrr10: f64,
    hit1: f64,
    hit3: f64,
    recall10: f64,
    empty: usize,
}

/// The scores of one set in one mode of ours, or by another engine.
#[derive(Debug, Serialize)]
pub struct Report {
    set: String,
    mode: &'static str,
    documents: usize,
    scores: Scores,
    by_class: BTreeMap<String, Scores>,
}

/// Scores every set and prints a table; with a model, in both modes.
pub async fn run(sets: &[PathBuf], model: Option<&Path>, json: bool) -> anyhow::Result<Exit> {
    let mut reports = Vec::new();
    for dir in sets {
        let told = || {
            format!(
                "{}: is not a labelled set; name a folder with corpus.jsonl, queries.jsonl and qrels.tsv",
                dir.display()
            )
        };
        let set = Set::read(dir).with_context(told).map_err(Refusal::mistake)?;
        reports.extend(score(&set, model).await?);
    }
    show(&reports, json)?;
    Ok(Exit::Done)
}

/// Prints reports as a table, or as JSON.
///
/// # Errors
/// Never for the figures of a report.
pub fn show(reports: &[Report], json: bool) -> anyhow::Result<()> {
    if json {
        output::json(&serde_json::to_value(reports)?);
        return Ok(());
    }
    let mut table = String::from(
        "| set | mode | documents | queries | nDCG@10 | MRR@10 | hit@1 | hit@3 | Recall@10 | empty |\n|---|---|---|---|---|---|---|---|---|---|\n",
    );
    for report in reports {
        let mut line = |name: &str, documents: String, scores: &Scores| {
            let Scores { queries, ndcg10, mrr10, hit1, hit3, recall10, empty } = scores;
            let _ = writeln!(
                table,
                "| {name} | {} | {documents} | {queries} | {ndcg10:.4} | {mrr10:.4} | {hit1:.4} | {hit3:.4} | {recall10:.4} | {empty} |",
                report.mode
            );
        };
        line(&report.set, report.documents.to_string(), &report.scores);
        for (class, scores) in &report.by_class {
            line(&format!("{} / {class}", report.set), String::new(), scores);
        }
    }
    output::print(&table);
    Ok(())
}

impl Set {
    /// Reads a folder with `corpus.jsonl`, `queries.jsonl` and `qrels.tsv`.
    ///
    /// # Errors
    /// When a file is missing or cannot be parsed.
    pub fn read(dir: &Path) -> anyhow::Result<Self> {
        let read =
            |name: &str| std::fs::read_to_string(dir.join(name)).with_context(|| format!("{name} cannot be read"));
        let corpus = lines(&read("corpus.jsonl")?)?;
        let mut relevant: HashMap<String, HashMap<String, f64>> = HashMap::new();
        for line in read("qrels.tsv")?.lines().skip(1) {
            let mut cells = line.split('\t');
            let (Some(query), Some(document), Some(grade)) = (cells.next(), cells.next(), cells.next()) else {
                continue;
            };
            let grade: f64 = grade.trim().parse().with_context(|| format!("qrels.tsv: {line:?} has no grade"))?;
            if grade > 0.0 {
                relevant.entry(query.to_owned()).or_default().insert(document.to_owned(), grade);
            }
        }
        let mut queries: Vec<Query> = lines(&read("queries.jsonl")?)?;
        queries.retain(|query| relevant.contains_key(&query.id));
        let name = dir.file_name().map_or_else(|| "set".to_owned(), |name| name.to_string_lossy().into_owned());
        Ok(Self { name, corpus, queries, relevant })
    }
}

fn lines<T: for<'de> Deserialize<'de>>(text: &str) -> anyhow::Result<Vec<T>> {
    text.lines().filter(|line| !line.trim().is_empty()).map(|line| Ok(serde_json::from_str(line)?)).collect()
}

async fn score(set: &Set, model: Option<&Path>) -> anyhow::Result<Vec<Report>> {
    let scratch = tempfile::tempdir().context("cannot make a temporary folder")?;
    let pages = scratch.path().join("pages");
    std::fs::create_dir(&pages)?;
    let mut by_id = HashMap::new();
    for (at, document) in set.corpus.iter().enumerate() {
        let name = format!("d{at:06}");
        let title = document.shown_title();
        let page = format!("---\ntitle: {}\n---\n\n{}\n", serde_json::to_string(title)?, document.text);
        std::fs::write(pages.join(format!("{name}.md")), page)?;
        by_id.insert(format!("{SOURCE}-{name}"), document.id.as_str());
    }
    let source = SourceConfig::new(SOURCE, "markdown-docs", pages.display().to_string());
    let store = Store::open(&scratch.path().join(refdesk_ingest::store::STORE_FILE)).await?;
    let engine = Engine::new(
        store.clone(),
        vec![source.clone()],
        EngineOptions { progress: Arc::new(Silent), ..EngineOptions::default() },
    )?;
    let reports = engine.sync_all(None, &[]).await?;
    anyhow::ensure!(reports.iter().all(|report| !report.is_bad()), "the set cannot be synced: {reports:?}");
    // The catalog that is built goes into the scratch folder, and none of another store is taken for it.
    let folder = scratch.path().to_str().context("the path of the temporary folder is not UTF-8")?;
    let mut flags = vec![Given::by_set(key::RATE_LIMIT_ANON.row, "0"), Given::by_flag(key::DATA_DIR.row, folder)];
    flags.extend(model.map(|dir| Given::by_set(key::EMBEDDING_MODEL.row, dir.display().to_string())));
    let mut config = Config::load(None, &flags)?;
    config.sources = vec![source];
    let app = App { config, store };
    let desk = crate::desk::open(&app, app.snapshot().await?).await?;
    if let Some(semantic) = desk.semantic() {
        let snapshot = desk.snapshot();
        semantic::fill(&app.store, semantic.encoder(), &snapshot, cores(), |_, _| true).await?;
        semantic.put(semantic::vectors(&app.store, semantic.encoder(), &snapshot).await?);
    }
    let router = refdesk_serve::router(desk);
    let modes = if model.is_some() { &["lexical", "hybrid"][..] } else { &["lexical"] };
    let mut reports = Vec::new();
    for mode in modes {
        reports.push(score_in(set, &router, mode, &by_id).await?);
    }
    Ok(reports)
}

/// Asks every query in a mode.
async fn score_in(
    set: &Set,
    router: &axum::Router,
    mode: &'static str,
    by_id: &HashMap<String, &str>,
) -> anyhow::Result<Report> {
    let mut all = Vec::new();
    for query in &set.queries {
        // A blank question is refused; it finds nothing.
        let is_blank = query.text.trim().is_empty();
        let ranking = if is_blank { Vec::new() } else { ask(router, &query.text, mode, by_id).await? };
        all.push((query, ranking));
    }
    Ok(Report::new(set, mode, all))
}

impl Report {
    /// Means over all queries and over each class of them.
    pub fn new(set: &Set, mode: &'static str, all: Vec<(&Query, Vec<String>)>) -> Self {
        let mut classes: BTreeMap<String, Vec<_>> = BTreeMap::new();
        for entry in &all {
            if let Some(class) = &entry.0.class {
                classes.entry(class.clone()).or_default().push(entry);
            }
        }
        Self {
            set: set.name.clone(),
            mode,
            documents: set.corpus.len(),
            scores: mean(set, all.iter()),
            by_class: classes.into_iter().map(|(class, entries)| (class, mean(set, entries.into_iter()))).collect(),
        }
    }
}

/// The corpus ids of the hits of the real endpoint.
async fn ask(
    router: &axum::Router,
    text: &str,
    mode: &str,
    by_id: &HashMap<String, &str>,
) -> anyhow::Result<Vec<String>> {
    let query = url::form_urlencoded::Serializer::new(String::new())
        .append_pair("q", text)
        .append_pair("limit", &DEPTH.to_string())
        .append_pair("mode", mode)
        .finish();
    let answer = super::answer_of(router, "/v1/search", &query).await?;
    anyhow::ensure!(answer["mode"] == mode, "/v1/search did not answer in the mode {mode}: {}", answer["warnings"]);
    let ids = array(&answer, "results").filter_map(|hit| hit["id"].as_str());
    Ok(ids.map(|id| by_id.get(id).map_or_else(|| id.to_owned(), |known| (*known).to_owned())).collect())
}

fn mean<'a>(set: &Set, entries: impl Iterator<Item = &'a (&'a Query, Vec<String>)>) -> Scores {
    let mut sum = Scores::default();
    for (query, ranking) in entries {
        let relevant = &set.relevant[&query.id];
        let gain = |at: usize, grade: f64| grade / ((at + 2) as f64).log2();
        let dcg: f64 =
            ranking.iter().enumerate().filter_map(|(at, id)| relevant.get(id).map(|grade| gain(at, *grade))).sum();
        let mut grades: Vec<f64> = relevant.values().copied().collect();
        grades.sort_by(|a, b| b.total_cmp(a));
        let ideal: f64 = grades.iter().take(DEPTH).enumerate().map(|(at, grade)| gain(at, *grade)).sum();
        let first = ranking.iter().position(|id| relevant.contains_key(id));
        sum.queries += 1;
        sum.ndcg10 += if ideal > 0.0 { dcg / ideal } else { 0.0 };
        sum.mrr10 += first.map_or(0.0, |at| 1.0 / (at + 1) as f64);
        sum.hit1 += f64::from(u8::from(first == Some(0)));
        sum.hit3 += f64::from(u8::from(first.is_some_and(|at| at < 3)));
        let found = ranking.iter().filter(|id| relevant.contains_key(*id)).count();
        sum.recall10 += found as f64 / relevant.len().max(1) as f64;
        sum.empty += usize::from(ranking.is_empty());
    }
    let n = sum.queries.max(1) as f64;
    Scores {
        ndcg10: sum.ndcg10 / n,
        mrr10: sum.mrr10 / n,
        hit1: sum.hit1 / n,
        hit3: sum.hit3 / n,
        recall10: sum.recall10 / n,
        ..sum
    }
}
