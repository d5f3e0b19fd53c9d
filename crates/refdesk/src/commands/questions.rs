//! `compare`, `cost`, `resolve`, `conflicts`: the answers of REST, shown in a terminal.

use std::collections::BTreeSet;

use refdesk_catalog::answer;
use refdesk_catalog::segment::Found;
use refdesk_catalog::snapshot::Snapshot;
use refdesk_core::Kind;
use refdesk_core::query::{COMPARED, CompareQuery, ConflictsQuery, CostQuery, Params, QueryError, ResolveQuery};
use refdesk_ingest::generation::Part;
use serde_json::Value;

use super::bad_request::{wrong, wrong_word};
use super::lookup::{detail_path, kind_of, show};
use crate::cli::{self, Asked};
use crate::client::{Client, Extent};
use crate::config::Config;
use crate::exit::Exit;
use crate::output::{self, Refusal};
use crate::view::{array, questions as view, words};

/// `refdesk compare`.
pub async fn compare(config: Config, flags: &Asked<cli::Compare>, json: bool) -> anyhow::Result<Exit> {
    let given = [("ids", flags.get("ids").unwrap_or_default())];
    let query = CompareQuery::parse(&Params::new(given, &CompareQuery::NAMES)).map_err(|error| wrong_ids(&error))?;
    let kind = flags.get("type").map(kind_of).transpose()?;
    let kinds = kind.as_ref().map_or(&Kind::ALL[..], std::slice::from_ref);
    let has = |snapshot: &Snapshot| query.ids.iter().all(|id| is_known(snapshot, &Kind::ALL, id));
    let part = Part::Naming(kinds, &query.ids);
    let mut client = Client::new(&config, Extent::PartWith(part, &has)).await;
    let kind = match kind {
        Some(kind) => kind,
        None => first_kind(&client.answer("/v1/resolve", &given).await?).unwrap_or(Kind::Model),
    };
    let path = format!("/v1/{}/compare", kind.path_segment());
    match client.json(&path, &given).await? {
        Ok(answer) => shown_comparison(&mut client, json, kind, &answer).await,
        Err(problem) if problem.is("mixed kinds") => {
            // Something may be called by the word for a kind.
            let kinds = query.ids.iter().filter(|id| Kind::parse(id).is_some()).map(|id| said_as_kind(id));
            let detail = problem.detail();
            let told = kinds.chain([format!("{detail} Compare items of one kind.")]).collect::<Vec<_>>().join(" ");
            Err(Refusal::invalid_query(told).into())
        }
        Err(_) => Err(wrong_ids(&CompareQuery::too_few(&query.ids))),
    }
}

/// What to do about the word for a kind among ids.
fn said_as_kind(word: &str) -> String {
    format!("{word:?} is a kind, not an id; name it with `--type {word}`, or leave it out.")
}

/// Whether the catalog, as far as it was read, says which item of some kinds a spelling names.
fn is_known(snapshot: &Snapshot, kinds: &[Kind], spelling: &str) -> bool {
    kinds.iter().any(|kind| !matches!(snapshot.find(*kind, spelling), Found::Unknown))
}

/// The kind of the first spelling that names anything.
fn first_kind(resolved: &Value) -> Option<Kind> {
    let kind = |named: &Value| named["type"].as_str().and_then(Kind::parse);
    let several =
        |result: &Value| array(result, "candidates").find_map(kind).filter(|_| result["status"] == "ambiguous");
    array(resolved, "results").find_map(|result| kind(result).or_else(|| several(result)))
}

/// Ids that are too few or too many: they are no flag, so that none is blamed.
fn wrong_ids(error: &QueryError) -> anyhow::Error {
    let detail = format!(
        "compare takes {} to {} ids of different items, and was given {}; `refdesk search WORDS` finds them",
        COMPARED.start(),
        COMPARED.end(),
        error.found
    );
    Refusal::invalid_query(detail).into()
}

/// The items that are known side by side, if they are two or more, and what an unknown id may have meant.
async fn shown_comparison(client: &mut Client<'_>, json: bool, kind: Kind, answer: &Value) -> anyhow::Result<Exit> {
    let unresolved: Vec<&str> = words(answer, "unresolved").collect();
    let known = array(answer, "ids").count();
    if unresolved.is_empty() {
        show(json, answer, view::compare);
        return Ok(Exit::Done);
    }
    let (mut details, mut suggestions) = (Vec::new(), Vec::new());
    for id in unresolved {
        // As `get` and `list` begin.
        if Kind::parse(id).is_some() {
            details.push(said_as_kind(id));
        } else if let Err(problem) = client.json(&detail_path(kind, id), &[]).await? {
            details.push(problem.told(kind, id));
            suggestions.extend(problem.suggestions());
        }
    }
    let detail = details.join(" ");
    if known < *COMPARED.start() {
        return Ok(output::not_found_near(&detail, suggestions));
    }
    show(json, answer, view::compare);
    output::say(&format!("{detail}{}", output::meant(&suggestions)));
    Ok(Exit::NotFound)
}

/// `refdesk cost`.
pub async fn cost(config: Config, flags: &Asked<cli::Cost>, json: bool) -> anyhow::Result<Exit> {
    let tokens = ["input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens"];
    if tokens.iter().all(|name| flags.get(name).is_none()) {
        let detail = "say how many tokens a request has: --input and --output (200000, 200k, 1m), and --cache-read or \
                      --cache-write where prompts are cached";
        return Err(Refusal::invalid_query(detail).into());
    }
    let given = flags.pairs();
    let query = CostQuery::parse(&Params::new(given.iter().copied(), &CostQuery::NAMES))
        .map_err(|error| wrong_word(error, &["model"], "MODEL"))?;
    let has = |snapshot: &Snapshot| answer::resolve(snapshot, Kind::Model, &query.model).is_ok();
    let part = Part::Kinds(&[Kind::Model]);
    let mut client = Client::new(&config, Extent::PartWith(part, &has)).await;
    let answer = match client.json("/v1/cost", &given).await? {
        Ok(answer) => answer,
        Err(problem) => return Ok(problem.tell(Kind::Model, &query.model)),
    };
    if array(&answer, "sellers").next().is_some() {
        show(json, &answer, view::cost);
        return Ok(Exit::Done);
    }
    let of_everyone: Vec<_> = given.into_iter().filter(|(name, _)| *name != "seller").collect();
    let everyone = client.answer("/v1/cost", &of_everyone).await?;
    // A seller may offer a model under several ids.
    let known: BTreeSet<&str> = array(&everyone, "sellers").filter_map(|seller| seller["seller"].as_str()).collect();
    let model = everyone["model"].as_str().unwrap_or(&query.model);
    Ok(no_seller(model, flags.get("seller"), &known))
}

/// Tells that nobody sells the model, or not the one who was named.
fn no_seller(model: &str, asked: Option<&str>, known: &BTreeSet<&str>) -> Exit {
    let Some(asked) = asked.filter(|_| !known.is_empty()) else {
        return output::not_found(&format!("no seller or price of {model} is known"));
    };
    let told =
        |near: &str, all: &str| format!("no seller {asked:?} of {model} is known{near}; its sellers are: {all}.");
    output::missing(&Refusal::unknown(Refusal::not_found, asked, known.iter().copied(), told))
}

/// `refdesk resolve`.
pub async fn resolve(config: Config, flags: &Asked<cli::Resolve>, json: bool) -> anyhow::Result<Exit> {
    let given = flags.pairs();
    let query = ResolveQuery::parse(&Params::new(given.iter().copied(), &ResolveQuery::NAMES))
        .map_err(|error| wrong_word(error, &["id", "ids"], "NAMES"))?;
    let kinds = query.kind.as_ref().map_or(&Kind::ALL[..], std::slice::from_ref);
    let has = |snapshot: &Snapshot| query.spellings.iter().all(|spelling| is_known(snapshot, kinds, spelling));
    let extent = Extent::PartWith(Part::Naming(kinds, &query.spellings), &has);
    let answer = Client::new(&config, extent).await.answer("/v1/resolve", &given).await?;
    show(json, &answer, view::resolve);
    let is_found = |result: &Value| !result["id"].is_null();
    let all = answer["results"].as_array().is_some_and(|results| results.iter().all(is_found));
    Ok(Exit::of_answer(all))
}

/// `refdesk conflicts`.
pub async fn conflicts(config: Config, flags: &Asked<cli::Conflicts>, json: bool) -> anyhow::Result<Exit> {
    let given = flags.pairs();
    let query = ConflictsQuery::parse(&Params::new(given.iter().copied(), &ConflictsQuery::NAMES)).map_err(wrong)?;
    let kinds = query.kind.as_ref().map_or(&Kind::ALL[..], std::slice::from_ref);
    let mut client = Client::new(&config, Extent::Part(Part::Kinds(kinds))).await;
    let answer = client.answer("/v1/conflicts", &given).await?;
    show(json, &answer, view::conflicts);
    Ok(Exit::of_answer(array(&answer, "conflicts").next().is_some()))
}
