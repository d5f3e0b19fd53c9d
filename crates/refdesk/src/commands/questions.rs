//! `compare`, `cost`, `resolve`, `conflicts`: the same answers as REST, of the desk that runs or from the local store.

use refdesk_catalog::answer::{self, Incomparable, Unresolved};
use refdesk_catalog::segment::Found;
use refdesk_catalog::snapshot::Snapshot;
use refdesk_core::Kind;
use refdesk_core::query::{COMPARED, CompareQuery, ConflictsQuery, CostQuery, Params, QueryError, ResolveQuery};
use refdesk_ingest::generation::Part;
use serde_json::Value;

use super::bad_request::{wrong, wrong_word};
use super::lookup::not_there::{self, no_item};
use super::lookup::{asked, is_item, kind_of, on, pairs, part, part_or_all, show};
use crate::cli;
use crate::config::Config;
use crate::exit::Exit;
use crate::output::{self, Refusal};
use crate::view::{array, questions as view, words};

/// `refdesk compare`.
pub async fn compare(config: Config, flags: &cli::Compare, json: bool) -> anyhow::Result<Exit> {
    let ids = flags.ids.join(",");
    let query = CompareQuery::parse(&Params::new([("ids", ids.as_str())], &CompareQuery::NAMES))
        .map_err(|error| wrong_ids(&error))?;
    let kind = flags.kind.as_deref().map(kind_of).transpose()?;
    if let Some(kind) = kind
        && let Some(answer) =
            asked(&config, &format!("/v1/{}/compare", kind.path_segment()), &[("ids", ids.as_str())]).await
        // What is like an unknown id, the store says.
        && array(&answer, "unresolved").next().is_none()
    {
        show(json, &answer, view::compare);
        return Ok(Exit::Done);
    }
    let kinds = kind.as_ref().map_or(&Kind::ALL[..], std::slice::from_ref);
    let is_there = |snapshot: &Snapshot, id: &str| Kind::ALL.into_iter().any(|kind| is_item(snapshot, kind, id));
    let has = |snapshot: &Snapshot| query.ids.iter().all(|id| is_there(snapshot, id));
    let (_, snapshot) = part_or_all(config, Part::Naming(kinds, &query.ids), has).await?;
    let of = |id: &String| Kind::ALL.into_iter().find(|kind| is_item(&snapshot, *kind, id));
    let kind = kind.or_else(|| query.ids.iter().find_map(of)).unwrap_or(Kind::Model);
    let compared = answer::compare(&snapshot, kind, &query.ids, &[]).map_err(|why| match why {
        Incomparable::OneItem => wrong_ids(&CompareQuery::too_few(&query.ids)),
        Incomparable::OtherKind { id, kind: of } => {
            let (of, kind) = (of.label(), kind.label());
            let told = format!("{id:?} is of the kind {of}, not {kind}; compare items of one kind");
            Refusal::invalid_query(told).into()
        }
    })?;
    Ok(shown_comparison(json, &snapshot, kind, &serde_json::from_slice(&compared)?))
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
fn shown_comparison(json: bool, snapshot: &Snapshot, kind: Kind, answer: &Value) -> Exit {
    let unresolved: Vec<&str> = words(answer, "unresolved").collect();
    let known = array(answer, "ids").count();
    if unresolved.is_empty() {
        show(json, answer, view::compare);
        return Exit::Done;
    }
    let (mut details, mut suggestions) = (Vec::new(), Vec::new());
    for id in unresolved {
        // As `get` and `list` begin.
        if Kind::parse(id).is_some() {
            details.push(format!("{id:?} is a kind, not an id; name it with `--type {id}`, or leave it out."));
            continue;
        }
        let near = Unresolved::new(snapshot, &[kind], id);
        details.push(not_there::told(kind, id, &near));
        suggestions.extend(near.suggestions);
    }
    let detail = details.join(" ");
    if known < *COMPARED.start() {
        return output::not_found_near(&detail, suggestions);
    }
    show(json, answer, view::compare);
    output::say(&format!("{detail}{}", output::meant(&suggestions)));
    Exit::NotFound
}

/// `refdesk cost`.
pub async fn cost(config: Config, flags: &cli::Cost, json: bool) -> anyhow::Result<Exit> {
    if [&flags.input, &flags.output, &flags.cache_read, &flags.cache_write].iter().all(|tokens| tokens.is_none()) {
        let detail = "say how many tokens a request has: --input and --output (200000, 200k, 1m), and --cache-read or \
                      --cache-write where prompts are cached";
        return Err(Refusal::invalid_query(detail).into());
    }
    let given = pairs(&[
        ("model", Some(flags.model.as_str())),
        ("input_tokens", flags.input.as_deref()),
        ("output_tokens", flags.output.as_deref()),
        ("cache_read_tokens", flags.cache_read.as_deref()),
        ("cache_write_tokens", flags.cache_write.as_deref()),
        ("reasoning_tokens", flags.reasoning.as_deref()),
        ("requests", flags.requests.as_deref()),
        ("batch", on(flags.batch)),
        ("seller", flags.seller.as_deref()),
        ("sort", flags.sort.as_deref()),
    ]);
    let query = CostQuery::parse(&Params::new(given.iter().copied(), &CostQuery::NAMES))
        .map_err(|error| wrong_word(error, &["model"], "MODEL"))?;
    if let Some(answer) = asked(&config, "/v1/cost", &given).await
        && has_sellers(&answer)
    {
        return Ok(shown_cost(json, &answer));
    }
    let has = |snapshot: &Snapshot| is_item(snapshot, Kind::Model, &query.model);
    let (_, snapshot) = part_or_all(config, Part::Kinds(&[Kind::Model]), has).await?;
    let ordinal = match answer::resolve(&snapshot, Kind::Model, &query.model) {
        Ok((ordinal, _)) => ordinal,
        Err(unresolved) => return Ok(no_item(Kind::Model, &query.model, unresolved)),
    };
    let of = |query: &CostQuery| -> anyhow::Result<Value> {
        Ok(serde_json::from_slice(&answer::cost(&snapshot, ordinal, query, &[]))?)
    };
    let answer = of(&query)?;
    if has_sellers(&answer) {
        return Ok(shown_cost(json, &answer));
    }
    let everyone = of(&CostQuery { sellers: Vec::new(), ..query.clone() })?;
    let known = array(&everyone, "sellers").filter_map(|seller| seller["seller"].as_str());
    // A seller may offer a model under several ids.
    let known: std::collections::BTreeSet<&str> = known.collect();
    let known: Vec<String> = known.into_iter().map(str::to_owned).collect();
    Ok(no_seller(snapshot.id(ordinal), flags.seller.as_deref(), &known))
}

fn has_sellers(answer: &Value) -> bool {
    array(answer, "sellers").next().is_some()
}

fn shown_cost(json: bool, answer: &Value) -> Exit {
    show(json, answer, view::cost);
    Exit::Done
}

/// Tells that nobody sells the model, or not the one who was named.
fn no_seller(model: &str, asked: Option<&str>, known: &[String]) -> Exit {
    let Some(asked) = asked.filter(|_| !known.is_empty()) else {
        return output::not_found(&format!("no seller or price of {model} is known"));
    };
    let (_, suggestions) = output::near_word(asked, known.iter().map(String::as_str));
    let detail = format!("no seller {asked:?} of {model} is known; its sellers are: {}.", known.join(", "));
    output::not_found_near(&detail, suggestions)
}

/// `refdesk resolve`.
pub async fn resolve(config: Config, flags: &cli::Resolve, json: bool) -> anyhow::Result<Exit> {
    let names = flags.names.join(",");
    let given = pairs(&[("ids", Some(names.as_str())), ("type", flags.kind.as_deref())]);
    let query = ResolveQuery::parse(&Params::new(given.iter().copied(), &ResolveQuery::NAMES))
        .map_err(|error| wrong_word(error, &["id", "ids"], "NAMES"))?;
    let answer = if let Some(answer) = asked(&config, "/v1/resolve", &given).await {
        answer
    } else {
        let kinds = query.kind.as_ref().map_or(&Kind::ALL[..], std::slice::from_ref);
        let is_known = |snapshot: &Snapshot, spelling: &str| {
            kinds.iter().any(|kind| !matches!(snapshot.find(*kind, spelling), Found::Unknown))
        };
        let has = |snapshot: &Snapshot| query.spellings.iter().all(|spelling| is_known(snapshot, spelling));
        let (_, snapshot) = part_or_all(config, Part::Naming(kinds, &query.spellings), has).await?;
        serde_json::from_slice(&answer::resolutions(&snapshot, &query, "", &[]))?
    };
    show(json, &answer, view::resolve);
    let is_found = |result: &Value| !result["id"].is_null();
    let all = answer["results"].as_array().is_some_and(|results| results.iter().all(is_found));
    Ok(if all { Exit::Done } else { Exit::NotFound })
}

/// `refdesk conflicts`.
pub async fn conflicts(config: Config, flags: &cli::Conflicts, json: bool) -> anyhow::Result<Exit> {
    let given = pairs(&[
        ("type", flags.kind.as_deref()),
        ("path", flags.path.as_deref()),
        ("min_percent", flags.min_percent.as_deref()),
        ("limit", flags.limit.as_deref()),
        ("offset", flags.offset.as_deref()),
    ]);
    let query = ConflictsQuery::parse(&Params::new(given.iter().copied(), &ConflictsQuery::NAMES)).map_err(wrong)?;
    let answer = if let Some(answer) = asked(&config, "/v1/conflicts", &given).await {
        answer
    } else {
        let kinds = query.kind.as_ref().map_or(&Kind::ALL[..], std::slice::from_ref);
        let (_, snapshot) = part(config, Part::Kinds(kinds)).await?;
        serde_json::from_slice(&answer::conflicts(&snapshot, &query, &[]).0)?
    };
    show(json, &answer, view::conflicts);
    Ok(if array(&answer, "conflicts").next().is_some() { Exit::Done } else { Exit::NotFound })
}
