//! `search`, `get`, `list`, `route`: the same answers as REST, of the desk that runs on the data directory, or else from the local store.

mod get;
pub(in crate::commands) mod not_there;

use std::collections::HashMap;
use std::sync::Arc;

use bytes::Bytes;
use http_body_util::BodyExt as _;
use refdesk_catalog::answer::{self, Export, HitTexts};
use refdesk_catalog::snapshot::Snapshot;
use refdesk_core::Kind;
use refdesk_core::query::{Format, ListQuery, Mode, Params, PriceOf, RouteQuery, SearchQuery, Warning};
use refdesk_ingest::generation::Part;
use refdesk_serve::state::hybrid::{HybridPlan, MissingVectors};
use serde_json::Value;

use crate::app::App;
use crate::cli;
use crate::commands::bad_request::{only_known, wrong};
use crate::config::{Config, key};
use crate::exit::Exit;
use crate::output::{self, Paint, Refusal, Rendered};
use crate::semantic;
use crate::service::Service;
use crate::view;

pub use get::get;

/// The store with the bundled cards in it, and a snapshot.
pub(in crate::commands) async fn catalog(config: Config) -> anyhow::Result<(App, Arc<Snapshot>)> {
    let app = App::open(config).await?;
    take_bundled(&app).await?;
    let snapshot = app.snapshot().await?;
    Ok((app, snapshot))
}

/// The store, and as much of the catalog as one look-up needs.
pub(in crate::commands) async fn part(config: Config, part: Part<'_>) -> anyhow::Result<(App, Arc<Snapshot>)> {
    let app = App::open(config).await?;
    take_bundled(&app).await?;
    let snapshot = app.part(part).await?;
    Ok((app, snapshot))
}

/// The same, or all of the catalog where the part does not have what is looked for: that may still have names like it elsewhere.
pub(in crate::commands) async fn part_or_all(
    config: Config,
    needed: Part<'_>,
    has: impl FnOnce(&Snapshot) -> bool,
) -> anyhow::Result<(App, Arc<Snapshot>)> {
    let (app, snapshot) = part(config, needed).await?;
    let snapshot = if has(&snapshot) { snapshot } else { app.snapshot().await? };
    Ok((app, snapshot))
}

/// Brings the bundled cards into the store. Where they cannot be read the look-up goes on without them, and says so.
async fn take_bundled(app: &App) -> anyhow::Result<()> {
    if let Some(fault) = app.sync_bundled().await? {
        output::say(&format!("warning: the bundled cards are not up to date in the store: {fault}"));
    }
    Ok(())
}

/// The answer of the desk that runs on the same data directory, if there is one; a command does without where it has none, and then says
/// the same out of the store.
pub(in crate::commands) async fn asked(config: &Config, path: &str, pairs: &[(&str, &str)]) -> Option<Value> {
    Service::find(config).await?.json(path, pairs).await
}

/// What to type while texts have no vectors.
const MISSING_VECTORS: MissingVectors = MissingVectors {
    none: "the catalog has no vectors yet; the answer is lexical (`refdesk sync` and `refdesk serve` compute them)",
    some: "`refdesk sync` computes the others",
};

/// How a question is ranked: by meaning, too, where it asks for that and the operator gave a model.
async fn hybrid_plan(app: &App, snapshot: &Arc<Snapshot>, mode: Mode) -> anyhow::Result<HybridPlan> {
    let model = if mode == Mode::Hybrid { semantic::open(&app.config).await? } else { None };
    if let Some(model) = &model {
        model.put(semantic::vectors(&app.store, model.encoder(), snapshot).await?);
    }
    Ok(HybridPlan::new(model.as_ref(), snapshot, mode, MISSING_VECTORS))
}

pub(in crate::commands) fn kind_of(text: &str) -> anyhow::Result<Kind> {
    Kind::parse(text).ok_or_else(|| {
        let kinds = Kind::ALL.map(cli::kind_word);
        let (near_too, suggestions) = output::near_word(text, kinds.iter().map(String::as_str));
        let told = format!("unknown kind {text:?}{near_too}; the kinds are {}", kinds.join(", "));
        Refusal { suggestions, ..Refusal::invalid_query(told) }.into()
    })
}

pub(in crate::commands) fn show(json: bool, answer: &Value, view: impl FnOnce(Paint, &Value) -> Rendered) {
    if json {
        output::json(answer);
    } else {
        view(Paint::for_stdout(), answer).print();
    }
}

/// Pairs of the parameters that were given.
pub(in crate::commands) fn pairs<'a>(given: &[(&'a str, Option<&'a str>)]) -> Vec<(&'a str, &'a str)> {
    given.iter().filter_map(|(name, value)| value.map(|value| (*name, value))).collect()
}

pub(in crate::commands) const fn on(flag: bool) -> Option<&'static str> {
    if flag { Some("true") } else { None }
}

/// The catalog, or what a collection of the configuration shows of it.
fn shown(app: &App, snapshot: Arc<Snapshot>, collection: Option<&str>) -> anyhow::Result<Arc<Snapshot>> {
    let Some(id) = collection else { return Ok(snapshot) };
    let collections = &app.config.collections;
    let known = || collections.iter().map(|collection| collection.id.as_str());
    let Some(collection) = collections.iter().find(|collection| collection.id == id) else {
        if collections.is_empty() {
            let told = format!("--collection {id}: the configuration defines none; add a [[collections]] table");
            return Err(Refusal::not_found(told).into());
        }
        let ((near_too, suggestions), all) = (output::near_word(id, known()), known().collect::<Vec<_>>().join(", "));
        let told = format!("--collection {id}: unknown collection{near_too}; known: {all}");
        return Err(Refusal { suggestions, ..Refusal::not_found(told) }.into());
    };
    Ok(Arc::new(collection.of(&snapshot, None).0))
}

/// `refdesk search`.
pub async fn search(config: Config, flags: &cli::Search, json: bool) -> anyhow::Result<Exit> {
    let text = flags.query.join(" ");
    let given = pairs(&[
        ("q", Some(text.as_str())),
        ("type", flags.kind.as_deref()),
        ("fresh_only", on(flags.fresh_only)),
        ("limit", flags.limit.as_deref()),
        ("mode", flags.mode.as_deref()),
        ("understand", flags.understand.as_deref()),
        ("passages", flags.passages.as_deref()),
        ("budget_tokens", flags.budget_tokens.as_deref()),
        ("collection", flags.collection.as_deref()),
    ]);
    let given: Vec<_> = given.into_iter().chain(flags.selection.pairs()).collect();
    let mut params = SearchQuery::params(given.iter().copied());
    let mut query = SearchQuery::parse(&params).map_err(wrong)?;
    let json = json || flags.selection.asks_json();
    if query.selection.format == Format::Json
        && let Some(answer) = asked(&config, "/v1/search", &given).await
    {
        return Ok(shown_hits(json, &query, &answer));
    }
    let (app, snapshot) = match query.mode {
        Mode::Lexical => part(config, Part::Searched).await?,
        Mode::Hybrid => catalog(config).await?,
    };
    let snapshot = shown(&app, snapshot, query.collection.as_deref())?;
    let plan = hybrid_plan(&app, &snapshot, query.mode).await?;
    let near = plan.item_similarities(&snapshot, &mut query, &mut params.warnings).await?;
    let searched = answer::find(&snapshot, &query, near.as_ref());
    if let Some(kind) = query.kind.filter(|_| query.selection.format != Format::Json) {
        let export = Export::of_hits(snapshot, kind, &query, &searched);
        say_warnings(params.warnings.iter().chain(export.warnings()).map(Warning::to_string));
        return write_all(export, query.selection.format).await;
    }
    let mut read = HashMap::new();
    for ordinal in HitTexts::wanted(&snapshot, &query, &searched.outcome.hits) {
        let Some(body) = snapshot.body(ordinal) else { continue };
        let text = app.store.body(&body.source_id, body.kind, &body.key).await?;
        read.extend(text.map(|text| (ordinal, text)));
    }
    let texts = HitTexts::new(&snapshot, &query, &searched, read);
    let answer = answer::search(&snapshot, &query, &searched, &texts, "", &params.warnings);
    Ok(shown_hits(json, &query, &serde_json::from_slice(&answer.json)?))
}

fn shown_hits(json: bool, query: &SearchQuery, answer: &Value) -> Exit {
    show(json, answer, |paint, answer| view::search(paint, &query.selection.fields, answer));
    if view::array(answer, "results").next().is_some() { Exit::Done } else { Exit::NotFound }
}

/// `refdesk list`.
pub async fn list(config: Config, flags: &cli::List, json: bool) -> anyhow::Result<Exit> {
    let kind = kind_of(&flags.kind)?;
    let given = pairs(&[
        ("limit", flags.limit.as_deref()),
        ("offset", flags.offset.as_deref()),
        ("fresh_only", on(flags.fresh_only)),
        ("include_candidates", on(flags.include_candidates)),
        ("q", flags.q.as_deref()),
        ("collection", flags.collection.as_deref()),
    ]);
    let given: Vec<_> = given.into_iter().chain(flags.selection.pairs()).collect();
    let params = Params::new(given.iter().copied(), ListQuery::names(kind));
    let query = ListQuery::parse(kind, &params).map_err(wrong)?;
    only_known(&given, ListQuery::names(kind))?;
    let json = json || flags.selection.asks_json();
    let path = format!("/v1/{}/list", kind.path_segment());
    if let PriceOf::Seller(spellings) = query.selection.price_of()
        && let seller = spellings.join(",")
        && !sells(&config, &seller).await?
    {
        let detail = format!(
            "no model has an offer of the seller {seller:?}; --price-of takes maker, cheapest or a seller as `refdesk get model ID` names it"
        );
        return Ok(output::not_found(&detail));
    }
    if query.selection.format != Format::Json {
        if let Some(service) = Service::find(&config).await
            && let Some(answer) = service.answer(&path, &given).await
        {
            let warnings = answer.headers().get("refdesk-warnings").and_then(|warnings| warnings.to_str().ok());
            let warnings: Option<Vec<String>> = warnings.and_then(|warnings| serde_json::from_str(warnings).ok());
            say_warnings(warnings.unwrap_or_default());
            let mut body = answer.into_body();
            return write(query.selection.format, async || {
                while let Some(frame) = body.frame().await {
                    if let Ok(piece) = frame?.into_data() {
                        return Ok(Some(piece));
                    }
                }
                Ok(None)
            })
            .await;
        }
    } else if let Some(answer) = asked(&config, &path, &given).await {
        return Ok(shown_list(json, kind, &query, &answer));
    }
    let is_plain = flags.q.is_none() && query.collection.is_none();
    let needed = if is_plain { Part::Kinds(&[kind]) } else { Part::Searched };
    let (app, snapshot) = part(config, needed).await?;
    let snapshot = shown(&app, snapshot, query.collection.as_deref())?;
    let format = query.selection.format;
    if format != Format::Json {
        let export = Export::new(snapshot, kind, query, app.config.get(key::EXPORT_ROWS_MAX));
        say_warnings(params.warnings.iter().chain(export.warnings()).map(Warning::to_string));
        return write_all(export, format).await;
    }
    let bytes: Vec<u8> = answer::list(&snapshot, kind, &query, &params.warnings).pieces.concat();
    Ok(shown_list(json, kind, &query, &serde_json::from_slice(&bytes)?))
}

/// Tells the warnings of a table, which has no place for them.
fn say_warnings(warnings: impl IntoIterator<Item = String>) {
    warnings.into_iter().for_each(|warning| output::say(&cli::parameters::in_commands(&warning)));
}

fn shown_list(json: bool, kind: Kind, query: &ListQuery, answer: &Value) -> Exit {
    show(json, answer, |paint, answer| view::list(paint, kind, query, answer));
    if view::array(answer, kind.collection()).next().is_some() { Exit::Done } else { Exit::NotFound }
}

/// Whether a seller offers any model: one that nobody knows would leave every price unknown.
async fn sells(config: &Config, seller: &str) -> anyhow::Result<bool> {
    let given = [("seller", seller), ("limit", "1")];
    let answer = if let Some(answer) = asked(config, "/v1/models/list", &given).await {
        answer
    } else {
        let query = ListQuery::parse(Kind::Model, &Params::new(given, ListQuery::names(Kind::Model))).map_err(wrong)?;
        let (_, snapshot) = part(config.clone(), Part::Kinds(&[Kind::Model])).await?;
        serde_json::from_slice(&answer::list(&snapshot, Kind::Model, &query, &[]).pieces.concat())?
    };
    Ok(answer["total"].as_u64().is_some_and(|total| total > 0))
}

/// Writes a list to standard output, piece by piece, until whoever reads has enough. A line is a row, but for the heads of CSV.
async fn write(format: Format, mut next: impl AsyncFnMut() -> anyhow::Result<Option<Bytes>>) -> anyhow::Result<Exit> {
    let mut lines = 0;
    while let Some(piece) = next().await? {
        lines += piece.split(|byte| *byte == b'\n').count() - 1;
        if !output::bytes(&piece)? {
            break;
        }
    }
    Ok(if lines > usize::from(format == Format::Csv) { Exit::Done } else { Exit::NotFound })
}

async fn write_all(mut export: Export, format: Format) -> anyhow::Result<Exit> {
    write(format, async || Ok(export.next())).await
}

pub(in crate::commands) fn is_item(snapshot: &Snapshot, kind: Kind, spelling: &str) -> bool {
    answer::resolve(snapshot, kind, spelling).is_ok()
}

/// `refdesk route`.
pub async fn route(config: Config, flags: &cli::Route, json: bool) -> anyhow::Result<Exit> {
    let text = flags.question.join(" ");
    let given = pairs(&[
        ("q", Some(text.as_str())),
        ("domain", flags.domain.as_deref()),
        ("include_candidates", on(flags.include_candidates)),
        ("mode", flags.mode.as_deref()),
    ]);
    let mut params = Params::new(given.iter().copied(), &RouteQuery::NAMES);
    let mut query = RouteQuery::parse(&params).map_err(wrong)?;
    let answer = if let Some(answer) = asked(&config, "/v1/frameworks/route", &given).await {
        answer
    } else {
        let is_lexical = query.mode == Mode::Lexical;
        let frameworks = Part::Kinds(&[Kind::Framework]);
        let (app, snapshot) = if is_lexical { part(config, frameworks).await? } else { catalog(config).await? };
        let plan = hybrid_plan(&app, &snapshot, query.mode).await?;
        let near = plan.card_similarities(&snapshot, &query.text, &mut query.mode, &mut params.warnings).await?;
        let eval = crate::evaluation::last(&app.store, snapshot.router()).await;
        let eval = eval.as_ref().map(|eval| &eval.figures);
        let (answer, _) = answer::route(&snapshot, &query, near.as_deref(), eval, "", &params.warnings);
        serde_json::from_slice(&answer)?
    };
    show(json, &answer, view::route);
    Ok(if answer["decision"] == "no_match" { Exit::NotFound } else { Exit::Done })
}
