//! `search`, `get`, `list`, `route`: the same answers as REST, from the local store.

use std::collections::{BTreeMap, HashMap};
use std::io::Write as _;
use std::sync::Arc;

use anyhow::Context as _;
use refdesk_catalog::answer::{self, DetailExtras, Export, HitTexts, Resolved};
use refdesk_catalog::semantic::{card_likenesses, nearest_items};
use refdesk_catalog::snapshot::Snapshot;
use refdesk_core::Kind;
use refdesk_core::fact::RecordWithheld;
use refdesk_core::item::{Domain, Prompt};
use refdesk_core::query::{
    Allowed, DetailQuery, Expected, Format, ListQuery, Mode, Params, QueryError, RouteQuery, SearchQuery,
};
use refdesk_embed::Code;
use refdesk_search::CosineSimilarities;
use refdesk_serve::state::semantic::Vectors;
use serde_json::Value;

use crate::app::App;
use crate::cli;
use crate::config::{Config, nearest};
use crate::exit::Exit;
use crate::output::{self, Paint};
use crate::semantic;
use crate::view;

/// The store with the bundled cards in it, and a snapshot.
pub(super) async fn catalog(config: Config) -> anyhow::Result<(App, Arc<Snapshot>)> {
    let app = App::open(config).await?;
    super::sync::bundled(&app).await?;
    let snapshot = app.snapshot().await?;
    Ok((app, snapshot))
}

/// A question's vector and those of the catalog.
struct Meaning {
    question: Code,
    vectors: Vectors,
}

impl Meaning {
    /// For a hybrid question, where the operator gave a model. Else the mode becomes lexical, and a warning says why.
    async fn of(
        app: &App,
        snapshot: &Arc<Snapshot>,
        text: &str,
        mode: &mut Mode,
        warnings: &mut Vec<String>,
    ) -> anyhow::Result<Option<Self>> {
        if *mode == Mode::Lexical {
            return Ok(None);
        }
        let mut lexical = |reason: &str| {
            *mode = Mode::Lexical;
            warnings.push(reason.to_owned());
        };
        let Some(model) = semantic::open(&app.config).await? else {
            lexical(
                "no embedding model is set up; the answer is lexical (mode=hybrid needs the setting embedding_model)",
            );
            return Ok(None);
        };
        let vectors = semantic::vectors(&app.store, model.encoder(), snapshot).await?;
        let (ready, wanted) = (vectors.matrix.len(), vectors.wanted);
        if ready == 0 && wanted > 0 {
            lexical(
                "the catalog has no vectors yet; the answer is lexical (`refdesk sync` and `refdesk serve` compute them)",
            );
            return Ok(None);
        }
        if ready < wanted {
            warnings.push(format!("{ready} of {wanted} texts have vectors so far; `refdesk sync` computes the others"));
        }
        Ok(Some(Self { question: model.encoder().code(text), vectors }))
    }

    fn items(&self, snapshot: &Snapshot, query: &SearchQuery) -> CosineSimilarities {
        nearest_items(snapshot, &self.vectors.matrix, &self.question, query.kind, query.fresh_only)
    }
}

/// A bad request in the words of the command line.
pub(super) fn wrong(error: QueryError) -> anyhow::Error {
    let QueryError { param, found, expected, detail, hint, .. } = error;
    let flag = match &*param {
        "include_prompt" => "--prompt".to_owned(),
        other => format!("--{}", other.replace('_', "-")),
    };
    let wanted = match expected {
        Expected::Text => return anyhow::anyhow!("the text to look for is blank"),
        Expected::Described => return anyhow::anyhow!("{detail} {hint}"),
        Expected::Boolean => "true or false".to_owned(),
        Expected::Number { from, max: Some(max) } => format!("a whole number from {from} to {max}"),
        Expected::Number { from, max: None } => format!("a whole number from {from}"),
        Expected::Mode => "lexical or hybrid".to_owned(),
        Expected::OneOf(Allowed::Domains) => {
            format!("one of the domains {}", Domain::ALL.map(Domain::as_str).join(", "))
        }
        Expected::OneOf(Allowed::Types) => format!(
            "one of the types {} (`refdesk route` finds frameworks)",
            Kind::SEARCHED.map(Kind::search_type).join(", ")
        ),
    };
    anyhow::anyhow!("{flag} takes {wanted}; it was {found}")
}

pub(super) fn kind_of(text: &str) -> anyhow::Result<Kind> {
    Kind::parse(text).ok_or_else(|| {
        let kinds: Vec<String> = Kind::ALL.iter().map(|kind| kind.singular().replace('_', "-")).collect();
        anyhow::anyhow!("unknown kind {text:?}; the kinds are {}", kinds.join(", "))
    })
}

pub(super) fn show(json: bool, answer: &Value, view: impl FnOnce(Paint, &Value) -> String) {
    if json {
        output::json(answer);
    } else {
        output::print(&view(Paint::for_stdout(), answer));
    }
}

/// Pairs of the parameters that were given.
pub(super) fn pairs<'a>(given: &[(&'a str, Option<&'a str>)]) -> Vec<(&'a str, &'a str)> {
    given.iter().filter_map(|(name, value)| value.map(|value| (*name, value))).collect()
}

pub(super) const fn on(flag: bool) -> Option<&'static str> {
    if flag { Some("true") } else { None }
}

/// The catalog, or what a collection of the configuration shows of it.
fn shown(app: &App, snapshot: Arc<Snapshot>, collection: Option<&str>) -> anyhow::Result<Arc<Snapshot>> {
    let Some(id) = collection else { return Ok(snapshot) };
    let collections = &app.config.collections;
    let known = || collections.iter().map(|collection| collection.id.as_str());
    let Some(collection) = collections.iter().find(|collection| collection.id == id) else {
        if collections.is_empty() {
            anyhow::bail!("--collection {id}: the configuration defines none; add a [[collections]] table");
        }
        anyhow::bail!("--collection {id}: there is none of this id; did you mean `{}`?", nearest(id, known()));
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
    let mut params = SearchQuery::params(given.into_iter().chain(flags.selection.pairs()));
    let mut query = SearchQuery::read(&params).map_err(wrong)?;
    let (app, snapshot) = catalog(config).await?;
    let snapshot = shown(&app, snapshot, query.collection.as_deref())?;
    let meaning = Meaning::of(&app, &snapshot, &query.text, &mut query.mode, &mut params.warnings).await?;
    let near = meaning.map(|meaning| meaning.items(&snapshot, &query));
    let searched = answer::find(&snapshot, &query, near.as_ref());
    if let Some(kind) = query.kind.filter(|_| query.selection.format != Format::Json) {
        let exit = if searched.outcome.hits.is_empty() { Exit::NotFound } else { Exit::Done };
        write_all(Export::of_hits(snapshot, kind, &query, &searched))?;
        return Ok(exit);
    }
    let mut read = HashMap::new();
    for ordinal in HitTexts::wanted(&snapshot, &query, &searched.outcome.hits) {
        let Some(body) = snapshot.body(ordinal) else { continue };
        let text = app.store.body(&body.source_id, body.kind, &body.key).await?;
        read.extend(text.map(|text| (ordinal, text)));
    }
    let texts = HitTexts::of(&snapshot, &query, &searched, read);
    let bytes = answer::search(&snapshot, &query, &searched, &texts, "", &params.warnings);
    let answer: Value = serde_json::from_slice(&bytes)?;
    show(json, &answer, |paint, answer| view::search(paint, &query.selection.fields, answer));
    Ok(if searched.outcome.hits.is_empty() { Exit::NotFound } else { Exit::Done })
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
    let params = Params::new(given.into_iter().chain(flags.selection.pairs()), ListQuery::names(kind));
    let query = ListQuery::read(kind, &params).map_err(wrong)?;
    let (app, snapshot) = catalog(config).await?;
    let snapshot = shown(&app, snapshot, query.collection.as_deref())?;
    if query.selection.format != Format::Json {
        write_all(Export::new(snapshot, kind, query, app.config.count("export_rows_max")))?;
        return Ok(Exit::Done);
    }
    let bytes: Vec<u8> = answer::list(&snapshot, kind, &query, &params.warnings).pieces.concat();
    let answer: Value = serde_json::from_slice(&bytes)?;
    show(json, &answer, |paint, answer| view::list(paint, kind, &query, answer));
    Ok(Exit::Done)
}

/// Writes a list to standard output.
fn write_all(export: Export) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    for piece in export {
        match out.write_all(&piece) {
            // Whoever reads has enough.
            Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => return Ok(()),
            other => other?,
        }
    }
    Ok(())
}

/// `refdesk get`.
pub async fn get(config: Config, flags: &cli::Get, json: bool) -> anyhow::Result<Exit> {
    let kind = kind_of(&flags.kind)?;
    let given = pairs(&[
        ("include_prompt", on(flags.prompt && kind == Kind::Framework)),
        ("fresh_only", on(flags.fresh_only)),
        ("all_offers", on(flags.all_offers && kind == Kind::Model)),
    ]);
    let params = Params::new(given, DetailQuery::names(kind));
    let query = DetailQuery::read(&params).map_err(wrong)?;
    anyhow::ensure!(
        kind == Kind::Framework || !flags.prompt,
        "--prompt is for frameworks; a {} has none",
        kind.label()
    );
    let (app, snapshot) = catalog(config).await?;
    let (ordinal, spelling) = match answer::resolve(&snapshot, kind, &flags.id) {
        Resolved::Item(ordinal, spelling) => (ordinal, spelling),
        Resolved::Unknown(suggestions) => {
            let near = if suggestions.is_empty() {
                String::new()
            } else {
                format!(" Did you mean: {}?", suggestions.join(", "))
            };
            return Ok(output::not_found(&format!("no {} has the id or alias {:?}.{near}", kind.label(), flags.id)));
        }
    };
    if flags.record {
        return record(&app, &snapshot, ordinal, flags.evidence.as_deref()).await;
    }
    if query.fresh_only
        && let Some(reason) = snapshot.evidence_of(ordinal).stale_reason
    {
        let label = kind.label();
        return Ok(output::not_found(&format!(
            "what is known of this {label} is stale ({}); leave --fresh-only out to see it",
            reason.as_str()
        )));
    }
    if flags.raw
        && let Some(reason) = withheld(&app, &snapshot, ordinal).await?
    {
        return Ok(output::not_found(&refusal(reason)));
    }
    let body = match &snapshot.body(ordinal) {
        Some(body) if flags.raw => {
            let record = app.store.record(&body.source_id, body.kind, &body.key).await?;
            std::io::stdout().write_all(&record.map(|record| record.bytes).unwrap_or_default())?;
            return Ok(Exit::Done);
        }
        Some(body) => app.store.body(&body.source_id, body.kind, &body.key).await?,
        None => None,
    };
    if flags.raw {
        return Ok(output::not_found("this item has no raw body"));
    }
    let extras = DetailExtras {
        resolved_from: spelling,
        fresh_only: query.fresh_only,
        all_offers: query.all_offers,
        include_prompt: query.include_prompt,
        body: body.as_deref(),
        warnings: &[],
    };
    let answer: Value = serde_json::from_slice(&answer::detail(&snapshot, ordinal, &extras))?;
    if flags.prompt {
        return prompt(answer, &flags.var, json);
    }
    show(json, &answer, |paint, answer| view::detail(paint, kind, answer));
    Ok(Exit::Done)
}

/// Prints the prompt of a card alone, with its variables filled; as JSON the whole answer, where `filled` stands beside the prompt's text.
fn prompt(mut answer: Value, given: &[String], json: bool) -> anyhow::Result<Exit> {
    let stated = &mut answer["framework"]["prompt"];
    let Ok(prompt) = serde_json::from_value::<Prompt>(stated.clone()) else {
        return Ok(output::not_found("this card has no prompt"));
    };
    let mut values = BTreeMap::new();
    for pair in given {
        let (name, value) = pair.split_once('=').with_context(|| format!("--var {pair}: write it as NAME=VALUE"))?;
        anyhow::ensure!(
            prompt.variables.iter().any(|variable| variable == name.trim()),
            "--var {name}: the prompt has no such variable; it has {}",
            prompt.variables.join(", ")
        );
        values.insert(name.trim(), value);
    }
    let filled = prompt.filled(|name| values.get(name).copied());
    if json {
        if !values.is_empty() {
            stated["filled"] = Value::String(filled);
        }
        output::json(&answer);
        return Ok(Exit::Done);
    }
    output::line(filled.trim_end());
    let open: Vec<&str> =
        prompt.variables.iter().map(String::as_str).filter(|name| !values.contains_key(name)).collect();
    if !open.is_empty() {
        output::say(&format!("still to fill in: {}; --var NAME=VALUE does", open.join(", ")));
    }
    Ok(Exit::Done)
}

/// Why the record of an item may not be given out.
async fn withheld(app: &App, snapshot: &Snapshot, ordinal: u32) -> anyhow::Result<Option<RecordWithheld>> {
    let found = app.store.record_at(snapshot.evidence_of(ordinal).row).await?;
    Ok(found.and_then(|found| found.withheld))
}

fn refusal(reason: RecordWithheld) -> String {
    let why = match reason {
        RecordWithheld::Licence => {
            "the item's own licence does not allow this desk to pass it on, or could not be read"
        }
        RecordWithheld::Secret => "it holds a literal secret",
    };
    format!(
        "record_withheld ({}): {why}; its hash and evidence stay, and source_url leads to the source",
        reason.as_str()
    )
}

/// Writes the record behind an item, or behind another evidence key, as it is.
async fn record(app: &App, snapshot: &Snapshot, ordinal: u32, key: Option<&str>) -> anyhow::Result<Exit> {
    let evidence = match key {
        Some(key) => snapshot.evidence(key),
        None => Some(snapshot.evidence_of(ordinal)),
    };
    let Some(evidence) = evidence else {
        return Ok(output::not_found(
            "no evidence record has this key; keys stand in evidence_key and in field_evidence of the item",
        ));
    };
    let found = app.store.record_at(evidence.row).await?;
    let told = match found {
        Some(found) if found.withheld.is_some() => found.withheld.map(refusal),
        Some(found) => match found.record {
            Some(record) => {
                std::io::stdout().write_all(&record.bytes)?;
                return Ok(Exit::Done);
            }
            None => None,
        },
        None => None,
    };
    Ok(output::not_found(
        &told.unwrap_or_else(|| "the store does not have this record; `refdesk verify` tells more".to_owned()),
    ))
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
    let mut params = Params::new(given, &RouteQuery::NAMES);
    let mut query = RouteQuery::read(&params).map_err(wrong)?;
    let (app, snapshot) = catalog(config).await?;
    let meaning = Meaning::of(&app, &snapshot, &query.text, &mut query.mode, &mut params.warnings).await?;
    let near = meaning.map(|meaning| card_likenesses(&snapshot, &meaning.vectors.matrix, &meaning.question));
    let eval = crate::evaluation::last(&app.store, snapshot.router()).await;
    let asked = answer::Routed { query: &query, near: near.as_deref(), eval: eval.as_ref().map(|eval| &eval.figures) };
    let answer: Value = serde_json::from_slice(&answer::route(&snapshot, &asked, "", &params.warnings))?;
    show(json, &answer, view::route);
    Ok(if answer["decision"] == "no_match" { Exit::NotFound } else { Exit::Done })
}
