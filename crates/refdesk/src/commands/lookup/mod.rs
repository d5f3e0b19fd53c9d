//! `search`, `get`, `list`, `route`: the answers of REST, shown in a terminal.

mod get;

use bytes::Bytes;
use http::{Response, StatusCode};
use http_body_util::BodyExt as _;
use refdesk_core::Kind;
use refdesk_core::query::{Format, ListQuery, Params, PriceOf, RouteQuery, SearchQuery};
use refdesk_ingest::generation::Part;
use serde_json::Value;

use crate::cli::{self, Asked};
use crate::client::{Client, Extent};
use crate::commands::bad_request::{only_known, wrong};
use crate::config::Config;
use crate::exit::Exit;
use crate::output::{self, Paint, Refusal, Rendered};
use crate::view;

pub(in crate::commands) use get::detail_path;
pub use get::get;

pub(in crate::commands) fn kind_of(text: &str) -> anyhow::Result<Kind> {
    Kind::parse(text).ok_or_else(|| {
        let kinds = Kind::ALL.map(cli::kind_word);
        let told = |near: &str, all: &str| format!("unknown kind {text:?}{near}; the kinds are {all}");
        Refusal::unknown(Refusal::invalid_query, text, kinds.iter().map(String::as_str), told).into()
    })
}

pub(in crate::commands) fn show(json: bool, answer: &Value, view: impl FnOnce(Paint, &Value) -> Rendered) {
    if json {
        output::json(answer);
    } else {
        view(Paint::for_stdout(), answer).print();
    }
}

/// Whether the format that was asked for is JSON.
fn asks_json(format: Option<&str>) -> bool {
    format.is_some_and(|format| format.trim().eq_ignore_ascii_case("json"))
}

/// Refuses a collection that the configuration does not define.
fn only_defined(config: &Config, collection: Option<&str>) -> anyhow::Result<()> {
    let Some(id) = collection else { return Ok(()) };
    let known = || config.collections.iter().map(|collection| collection.id.as_str());
    if known().any(|known| known == id) {
        return Ok(());
    }
    if config.collections.is_empty() {
        let told = format!("--collection {id}: the configuration defines none; add a [[collections]] table");
        return Err(Refusal::not_found(told).into());
    }
    let told = |near: &str, all: &str| format!("--collection {id}: unknown collection{near}; known: {all}");
    Err(Refusal::unknown(Refusal::not_found, id, known(), told).into())
}

/// `refdesk search`.
pub async fn search(config: Config, flags: &Asked<cli::Search>, json: bool) -> anyhow::Result<Exit> {
    let given = flags.pairs();
    let query = SearchQuery::parse(&SearchQuery::params(given.iter().copied())).map_err(wrong)?;
    only_defined(&config, query.collection.as_deref())?;
    let mut client = Client::new(&config, Extent::of_mode(query.mode, Part::Searched)).await;
    if query.selection.format != Format::Json {
        return write(query.selection.format, client.stream("/v1/search", &given).await?).await;
    }
    let answer = client.answer("/v1/search", &given).await?;
    let json = json || asks_json(flags.get("format"));
    show(json, &answer, |paint, answer| view::search(paint, &query.selection.fields, answer));
    Ok(Exit::of_answer(view::array(&answer, "results").next().is_some()))
}

/// `refdesk list`.
pub async fn list(config: Config, flags: &Asked<cli::List>, json: bool) -> anyhow::Result<Exit> {
    let kind = kind_of(flags.get(cli::KIND).unwrap_or_default())?;
    let given: Vec<_> = flags.pairs().into_iter().filter(|(name, _)| *name != cli::KIND).collect();
    let params = Params::new(given.iter().copied(), ListQuery::names(kind));
    let query = ListQuery::parse(kind, &params).map_err(wrong)?;
    only_known(&given, ListQuery::names(kind))?;
    only_defined(&config, query.collection.as_deref())?;
    let kinds = [kind];
    let is_plain = flags.get("q").is_none() && query.collection.is_none();
    let needed = if is_plain { Part::Kinds(&kinds) } else { Part::Searched };
    let mut client = Client::new(&config, Extent::Part(needed)).await;
    if let PriceOf::Seller(spellings) = query.selection.price_of()
        && let seller = spellings.join(",")
        && !sells(&mut client, &seller).await?
    {
        let detail = format!(
            "no model has an offer of the seller {seller:?}; --price-of takes maker, cheapest or a seller as `refdesk get model ID` names it"
        );
        return Ok(output::not_found(&detail));
    }
    let path = format!("/v1/{}/list", kind.path_segment());
    if query.selection.format != Format::Json {
        return write(query.selection.format, client.stream(&path, &given).await?).await;
    }
    let answer = client.answer(&path, &given).await?;
    let json = json || asks_json(flags.get("format"));
    show(json, &answer, |paint, answer| view::list(paint, kind, &query, answer));
    Ok(Exit::of_answer(view::array(&answer, kind.collection()).next().is_some()))
}

/// Whether a seller offers any model: one that nobody knows would leave every price unknown.
async fn sells(client: &mut Client<'_>, seller: &str) -> anyhow::Result<bool> {
    let answer = client.answer("/v1/models/list", &[("seller", seller), ("limit", "1")]).await?;
    Ok(answer["total"].as_u64().is_some_and(|total| total > 0))
}

/// Writes a table to standard output, piece by piece, until whoever reads has enough. It has no place for its warnings: they are told. A
/// line is a row, but for the heads of CSV.
async fn write(format: Format, answer: Response<axum::body::Body>) -> anyhow::Result<Exit> {
    anyhow::ensure!(answer.status() == StatusCode::OK, "the desk in this process answers {}", answer.status());
    let warnings = answer.headers().get("refdesk-warnings").and_then(|warnings| warnings.to_str().ok());
    let warnings: Option<Vec<String>> = warnings.and_then(|warnings| serde_json::from_str(warnings).ok());
    for warning in warnings.unwrap_or_default() {
        output::say(&cli::parameters::in_commands(&warning));
    }
    let (mut body, mut lines) = (answer.into_body(), 0);
    while let Some(frame) = body.frame().await {
        let piece: Bytes = frame?.into_data().unwrap_or_default();
        lines += piece.split(|byte| *byte == b'\n').count() - 1;
        if !output::bytes(&piece)? {
            break;
        }
    }
    Ok(Exit::of_answer(lines > usize::from(format == Format::Csv)))
}

/// `refdesk route`.
pub async fn route(config: Config, flags: &Asked<cli::Route>, json: bool) -> anyhow::Result<Exit> {
    let given = flags.pairs();
    let query = RouteQuery::parse(&Params::new(given.iter().copied(), &RouteQuery::NAMES)).map_err(wrong)?;
    let extent = Extent::of_mode(query.mode, Part::Kinds(&[Kind::Framework]));
    let answer = Client::new(&config, extent).await.answer("/v1/frameworks/route", &given).await?;
    show(json, &answer, view::route);
    Ok(Exit::of_answer(answer["decision"] != "no_match"))
}
