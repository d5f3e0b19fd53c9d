//! Which item a spelling names. `docs/api.md#compare-cost-resolve-conflicts`.

use super::reading::questions::{named, priced, prices};
use crate::common::catalog::fact;
use crate::common::{Bench, unlimited};
use refdesk_core::fact::StoredFact;
use refdesk_core::item::{Document, Item, McpRepository, McpServer, TrustTier};
use serde_json::{Value, json};

#[tokio::test]
async fn a_spelling_is_resolved_whatever_it_is() {
    let bench = Bench::new();
    let answer = bench.json("/v1/resolve?ids=nova-2,acme/nova-2,novaa-2,nothing+like+it,hammer").await;
    let results = answer["results"].as_array().unwrap();
    let told =
        |at: usize| (results[at]["status"].as_str().unwrap(), results[at]["type"].as_str(), results[at]["id"].as_str());
    assert_eq!(told(0), ("exact", Some("MODEL"), Some("nova-2")));
    assert_eq!(told(1), ("alias", Some("MODEL"), Some("nova-2")));
    assert_eq!(told(2), ("fuzzy", Some("MODEL"), Some("nova-2")));
    assert_eq!(told(3), ("unknown", None, None));
    assert_eq!(told(4), ("exact", Some("TOOL"), Some("hammer")));
    assert_eq!((&results[0]["url"], &results[0]["confidence"]), (&json!("/v1/models/nova-2"), &json!(1.0)));
    assert_eq!((&results[1]["seller"], &results[1]["api_model_id"]), (&json!("market"), &json!("acme/nova-2")));
    let only = bench.json("/v1/resolve?id=hammer&type=model").await;
    assert_ne!(only["results"][0]["id"], "hammer");
    bench.get("/v1/resolve?id=x&type=thing").await.problem(400, "invalid_query");
    bench.get(&format!("/v1/resolve?ids={}", vec!["x"; 201].join(","))).await.problem(400, "invalid_query");
}

/// Who has a link to an item, of a hit or out of a browser, need not cut the id out of it.
#[tokio::test]
async fn an_address_of_an_item_names_it() {
    let bench = Bench::new();
    let desk = "https%3A%2F%2Fdesk.example.org";
    for address in [
        "/v1/models/nova-2",
        &format!("{desk}/v1/models/acme%252Fnova-2%3Ffresh_only=true"),
        &format!("{desk}/models/nova-2%23cost"),
        "refdesk://model/nova-2",
    ] {
        let answer = bench.json(&format!("/v1/resolve?id={address}")).await;
        let result = &answer["results"][0];
        assert_eq!((&result["id"], &result["status"]), (&json!("nova-2"), &json!("alias")), "{address}: {answer}");
    }
    for address in ["/v1/tools/nova-2", "/v1/models/nova-2&type=TOOL", &format!("{desk}/models/nothing-like-it")] {
        let answer = bench.json(&format!("/v1/resolve?id={address}")).await;
        assert_ne!(answer["results"][0]["id"], "nova-2", "{address}: {answer}");
    }
}

#[tokio::test]
async fn what_a_question_needs_and_was_not_sent_is_called_required() {
    let bench = Bench::new();
    for (path, param) in [
        ("/v1/resolve", "id"),
        ("/v1/resolve?names=nova-2", "id"),
        ("/v1/resolve?ids=,", "ids"),
        ("/v1/models/compare", "ids"),
        ("/v1/models/compare?ids=", "ids"),
        ("/v1/cost?input_tokens=1", "model"),
    ] {
        let problem = bench.get(path).await.problem(400, "invalid_query");
        assert_eq!((&problem["error"], &problem["param"]), (&json!(format!("{param} is required")), &json!(param)));
        let detail = problem["detail"].as_str().unwrap();
        assert!(detail.starts_with(&format!("`{param}` is missing or blank; it takes ")), "{path}: {detail}");
    }
}

/// An error has no `warnings`, so its detail names the unknown parameter under which the value may have been sent.
#[tokio::test]
async fn a_name_that_is_not_known_is_told_where_a_value_is_missing() {
    let bench = Bench::new();
    for (path, name) in [
        ("/v1/resolve?names=nova-2", "names"),
        ("/v1/models/compare?items=nova-2,alpha", "items"),
        ("/v1/cost?engine=nova-2&input_tokens=1", "engine"),
        ("/v1/search?term=nova", "term"),
    ] {
        let problem = bench.get(path).await.problem(400, "invalid_query");
        let detail = problem["detail"].as_str().unwrap();
        assert!(detail.ends_with(&format!(" There is no parameter `{name}` here.")), "{path}: {detail}");
    }
    let blank = bench.get("/v1/resolve?id=&colour=red").await.problem(400, "invalid_query");
    assert!(!blank["detail"].as_str().unwrap().contains("colour"), "it was sent under its own name: {blank}");
}

/// Status, id and candidates of what a spelling resolves to.
pub async fn resolved(bench: &Bench, spelling: &str) -> (String, Value, Vec<String>) {
    let answer = bench.json(&format!("/v1/resolve?id={spelling}")).await["results"][0].take();
    let candidates = answer["candidates"].as_array().unwrap().iter();
    let ids = candidates.map(|candidate| candidate["id"].as_str().unwrap().to_owned()).collect();
    (answer["status"].as_str().unwrap().to_owned(), answer["id"].clone(), ids)
}

/// Nothing of a whole title was corrected, so that it is no fuzzy match.
#[tokio::test]
async fn a_whole_name_is_an_alias_and_one_of_several_items_is_ambiguous() {
    let titled = |id: &str, title: &str| fact(id, id, title, &Item::Document(Document::default()));
    let facts = [titled("pages-chatgpt", "ChatGPT"), titled("a-harbour", "Harbour"), titled("b-harbour", "Harbour")];
    let bench = Bench::over(unlimited(), &facts);
    let (status, id, _) = resolved(&bench, "chatgpt").await;
    assert_eq!((status.as_str(), id), ("alias", json!("pages-chatgpt")));
    let (status, id, candidates) = resolved(&bench, "harbour").await;
    assert_eq!((status.as_str(), id, candidates.len()), ("ambiguous", Value::Null, 2), "{candidates:?}");
}

#[tokio::test]
async fn transposed_letters_of_a_short_name_are_seen() {
    let bench = Bench::over(unlimited(), &["gpt-4o", "gpt-5", "gpt-4o-mini"].map(named));
    let (status, id, _) = resolved(&bench, "gtp-4o").await;
    assert_eq!((status.as_str(), id), ("fuzzy", json!("gpt-4o")));
    let (_, _, candidates) = resolved(&bench, "nope-nope").await;
    assert!(candidates.is_empty(), "nothing is like it: {candidates:?}");
}

#[tokio::test]
async fn a_number_is_never_corrected() {
    let bench = Bench::over(unlimited(), &["gpt-5.4-mini", "claude-opus-5", "llama-3-70b", "gpt-4o-mini"].map(named));
    for (spelling, near) in [
        ("gpt-5.9-mini", "gpt-5.4-mini"),
        ("claude-opus-9", "claude-opus-5"),
        ("llama-3.7-70b", "llama-3-70b"),
        ("llama-3-7b", "llama-3-70b"),
        ("gpt-4-mini", "gpt-4o-mini"),
        ("gpt-4.1-mini", "gpt-4o-mini"),
    ] {
        let (status, id, candidates) = resolved(&bench, spelling).await;
        assert_eq!((status.as_str(), id), ("unknown", Value::Null), "{spelling}");
        assert!(candidates.iter().any(|candidate| candidate == near), "{spelling}: {candidates:?}");
    }
    for (spelling, meant) in [
        ("gpt-5.4-mnii", "gpt-5.4-mini"),
        ("claud-opus-5", "claude-opus-5"),
        ("lama-3-70b", "llama-3-70b"),
        ("gpt4omini", "gpt-4o-mini"),
        ("claud%20opus%205", "claude-opus-5"),
    ] {
        let (status, id, _) = resolved(&bench, spelling).await;
        assert_eq!((status.as_str(), id), ("fuzzy", json!(meant)), "{spelling}");
    }
}

/// A server under its registry name, with its repository and its npm package, where it has them.
fn server(name: &str, repository: Option<&str>, package: Option<&str>) -> StoredFact {
    let url = repository.map(|repository| format!("https://github.com/{repository}"));
    let packages = package.map(|package| json!({"registryType": "npm", "identifier": package}));
    let server = McpServer {
        repository: url.map(|url| McpRepository { url: Some(url), ..McpRepository::default() }),
        packages: packages.into_iter().collect(),
        ..McpServer::default()
    };
    fact(name, name, name, &Item::McpServer(server))
}

#[tokio::test]
async fn a_word_that_some_name_has_is_never_corrected_into_another() {
    let named = |id: &str| fact(id, id, id, &Item::McpServer(McpServer::default()));
    let ids = ["gitlab-mcp-server", "mssql-mcp-server", "godoc-mcp", "discogs", "github-actions", "mysql-tools"];
    let others = ["godot-forge", "discord-notes"];
    let bench = Bench::over(unlimited(), &ids.iter().chain(&others).map(|id| named(id)).collect::<Vec<_>>());
    for spelling in ["github-mcp-server", "mysql-mcp-server", "godot-mcp", "discord"] {
        let (status, id, _) = resolved(&bench, spelling).await;
        assert_eq!((status.as_str(), id), ("unknown", Value::Null), "{spelling}");
    }
    for (spelling, meant) in [("gitlba-mcp-server", "gitlab-mcp-server"), ("disocgs", "discogs")] {
        let (status, id, _) = resolved(&bench, spelling).await;
        assert_eq!((status.as_str(), id), ("fuzzy", json!(meant)), "{spelling}");
    }
}

/// `pgsql` and `mssql` have little in common, however much is equal behind them.
#[tokio::test]
async fn words_that_nearly_every_server_has_make_no_two_names_alike() {
    let bench = Bench::over(unlimited(), &[server("mssql-mcp-server", None, None)]);
    let (status, id, _) = resolved(&bench, "pgsql-mcp-server").await;
    assert_eq!((status.as_str(), id), ("unknown", Value::Null));
}

#[tokio::test]
async fn the_end_of_a_registry_name_a_repository_and_a_package_are_names() {
    let mut own = server("io.github.acme/lamp-mcp-server", Some("acme/lamp-desk"), Some("@acme/lamp-kit"));
    own.head.trust_tier = Some(TrustTier::Verified);
    let facts = [
        own,
        server("io.github.other/kit", None, Some("@other/lamp-kit")),
        server("io.github.other/mcp-server", Some("other/mcp"), None),
        server("clamp-mcp-server", None, None),
    ];
    let bench = Bench::over(unlimited(), &facts);
    for spelling in ["lamp-mcp-server", "Lamp_MCP_Server", "lamp-desk", "@acme/lamp-kit"] {
        let answer = bench.json(&format!("/v1/resolve?id={spelling}")).await["results"][0].take();
        let told = (&answer["status"], &answer["id"], &answer["confidence"]);
        assert_eq!(told, (&json!("alias"), &json!("io.github.acme-lamp-mcp-server"), &json!(0.95)), "{spelling}");
    }
    let (status, id, candidates) = resolved(&bench, "lamp-kit").await;
    assert_eq!((status.as_str(), id), ("ambiguous", Value::Null));
    assert_eq!(candidates, ["io.github.acme-lamp-mcp-server", "io.github.other-kit"], "the more trusted one first");
    let (status, id, _) = resolved(&bench, "mcp-server").await;
    assert_ne!((status.as_str(), &id), ("alias", &json!("io.github.other-mcp-server")), "it names every server");
    let detail = bench.json("/v1/mcp-servers/lamp-desk").await;
    assert_eq!(detail["resolved_from"], "lamp-desk");
    let problem = bench.get("/v1/mcp-servers/lamp-kit").await.problem(404, "not_found");
    let suggestions = problem["suggestions"].as_array().unwrap();
    assert_eq!(suggestions[..2], [json!("io.github.acme-lamp-mcp-server"), json!("io.github.other-kit")]);
}

#[tokio::test]
async fn what_belongs_to_an_offer_is_set_apart_from_the_name_of_its_model() {
    let mut sonnet = named("claude-3.5-sonnet");
    sonnet.identity.maker = Some("anthropic".into());
    let bench = Bench::over(unlimited(), &[priced("openai", "gpt-4o", prices("2", "10")), sonnet]);
    for (spelling, meant) in [
        ("gpt-4o-latest", "gpt-4o"),
        ("gpt-4o:free", "gpt-4o"),
        ("acme/gpt-4o:beta", "gpt-4o"),
        ("openrouter/acme/gpt-4o:free", "gpt-4o"),
        ("claude-3.5-sonnet-latest", "claude-3.5-sonnet"),
    ] {
        let answer = bench.json(&format!("/v1/resolve?id={spelling}")).await["results"][0].take();
        assert_eq!((&answer["status"], &answer["id"]), (&json!("alias"), &json!(meant)), "{spelling}");
        assert_eq!((&answer["confidence"], &answer["seller"]), (&json!(0.9), &Value::Null), "{spelling}");
    }
    for spelling in ["borealis/gpt-4o:free", "gpt-4o-mini-latest", "openrouter/borealis/gpt-4o"] {
        let (status, id, _) = resolved(&bench, spelling).await;
        assert_eq!((status.as_str(), id), ("unknown", Value::Null), "{spelling}");
    }
}

#[tokio::test]
async fn programs_write_ids_in_other_ways_than_sources() {
    let answer = Bench::new().json("/v1/resolve?id=market:acme/nova-2").await["results"][0].take();
    assert_eq!((&answer["status"], &answer["id"]), (&json!("alias"), &json!("nova-2")));
    assert_eq!((&answer["seller"], &answer["api_model_id"]), (&json!("market"), &json!("acme/nova-2")));
    let mut sonnet = named("claude-3.5-sonnet");
    sonnet.identity.maker = Some("anthropic".into());
    let mut flash = named("gemini-2.5-flash");
    flash.identity.maker = Some("google".into());
    let mut tuned = named("ft-gpt-4o");
    tuned.head.aliases = vec!["ft:gpt-4o".to_owned()];
    let bench = Bench::over(unlimited(), &[priced("openai", "gpt-4o", prices("2", "10")), sonnet, flash, tuned]);
    for (spelling, meant) in [
        ("openrouter:acme/gpt-4o", "gpt-4o"),
        ("google_genai:gemini-2.5-flash", "gemini-2.5-flash"),
        ("google_vertexai:gemini-2.5-flash", "gemini-2.5-flash"),
        ("publishers/acme/models/gpt-4o", "gpt-4o"),
        ("projects/p1/locations/europe-west4/publishers/anthropic/models/claude-3.5-sonnet", "claude-3.5-sonnet"),
        ("ft:gpt-4o:borealis::7p4lURel", "ft-gpt-4o"),
    ] {
        let (status, id, _) = resolved(&bench, spelling).await;
        assert_eq!((status.as_str(), id), ("alias", json!(meant)), "{spelling}");
    }
    for spelling in ["docs:gpt-4o", "openrouter:borealis/gpt-4o", "publishers/borealis/models/gpt-4o"] {
        let (status, id, _) = resolved(&bench, spelling).await;
        assert_eq!((status.as_str(), id), ("unknown", Value::Null), "{spelling}");
    }
}

/// `-latest` was taken off before the whole name was looked for, so that another model was named, and billed.
#[tokio::test]
async fn a_model_that_is_called_latest_is_no_other() {
    let bench = Bench::over(unlimited(), &["heron-4", "heron-4-latest", "heron-5"].map(named));
    for (spelling, meant) in [
        ("openrouter:acme/heron-4-latest", "heron-4-latest"),
        ("openrouter/acme/heron-4-latest", "heron-4-latest"),
        ("heron-4-latest:free", "heron-4-latest"),
        ("openrouter/acme/heron-5-latest", "heron-5"),
    ] {
        let (status, id, _) = resolved(&bench, spelling).await;
        assert_eq!((status.as_str(), id), ("alias", json!(meant)), "{spelling}");
    }
    let cost = bench.json("/v1/cost?model=openrouter:acme/heron-4-latest&input_tokens=1000").await;
    assert_eq!(cost["model"], "heron-4-latest");
}

/// `claude-3.5-sonnet-20241022` was known, and `anthropic/claude-3.5-sonnet-20241022` was not.
#[tokio::test]
async fn who_makes_or_sells_a_model_may_stand_before_any_spelling_of_it() {
    let bench = Bench::over(unlimited(), &[named("heron-4-5-fast"), priced("market", "alpha", prices("1", "2"))]);
    for spelling in [
        "heron-4.5-fast",
        "acme/heron-4.5-fast",
        "acme:heron-4.5-fast",
        "market/heron-4.5-fast",
        "openrouter/acme/heron-4.5-fast",
        "vertex_ai-anthropic_models/heron-4.5-fast",
    ] {
        let (status, id, _) = resolved(&bench, spelling).await;
        assert_eq!((status.as_str(), id), ("alias", json!("heron-4-5-fast")), "{spelling}");
    }
    for spelling in ["borealis/heron-4.5-fast", "openai/heron-4.5-fast", "openrouter/openai/heron-4.5-fast"] {
        let (status, id, _) = resolved(&bench, spelling).await;
        assert_eq!((status.as_str(), id), ("unknown", Value::Null), "{spelling}: another's");
    }
}

/// A reseller was said to use the id that the maker uses too.
#[tokio::test]
async fn the_maker_is_one_of_the_sellers_of_an_id() {
    let sold = |provider: &str, id: &str, to_send: &str| {
        let mut stored = priced(provider, id, prices("3", "9"));
        stored.identity.api_model_id = Some(to_send.into());
        stored
    };
    let both = ["fireworks_ai", "fireworks-ai"].map(|seller| priced(seller, "tern", prices("1", "2")));
    let heron = [sold("acme", "heron", "heron"), sold("market", "heron", "heron")];
    let facts = [sold("acme", "alpha", "alpha"), sold("acme", "gull", "acme/Gull")];
    let bench = Bench::over(unlimited(), &heron.into_iter().chain(facts).chain(both).collect::<Vec<_>>());
    for (spelling, seller, id) in [
        ("heron", Value::Null, "heron"),
        ("market:heron", json!("market"), "heron"),
        ("alpha", json!("Acme"), "alpha"),
        ("gull", json!("Acme"), "acme/Gull"),
    ] {
        let answer = bench.json(&format!("/v1/resolve?id={spelling}")).await["results"][0].take();
        assert_eq!((&answer["seller"], &answer["api_model_id"]), (&seller, &json!(id)), "{spelling}");
    }
    let seller = bench.json("/v1/resolve?id=acme/tern").await["results"][0]["seller"].take();
    assert!(seller.as_str().is_some_and(|seller| seller.starts_with("fireworks")), "one seller, spelt twice: {seller}");
}

#[tokio::test]
async fn a_repository_names_its_server_with_its_owner_and_however_its_address_is_written() {
    let bench = Bench::over(unlimited(), &[server("io.github.joe/trains", Some("Joe/rails-mcp"), None)]);
    for spelling in [
        "Joe/rails-mcp",
        "joe/rails-mcp",
        "git@github.com:Joe/rails-mcp.git",
        "https://github.com/Joe/rails-mcp%23readme",
        "https://github.com/Joe/rails-mcp/tree/main",
    ] {
        let (status, id, _) = resolved(&bench, spelling).await;
        assert_eq!((status.as_str(), id), ("alias", json!("io.github.joe-trains")), "{spelling}");
    }
    for spelling in ["jim/rails-mcp", "https://github.com/Joe/rails-mcp/tree/main/src"] {
        let (status, id, _) = resolved(&bench, spelling).await;
        assert_eq!((status.as_str(), id), ("unknown", Value::Null), "{spelling}");
    }
}

#[tokio::test]
async fn the_version_of_a_package_is_no_part_of_its_name() {
    let mut filed = server("io.github.acme/files", None, None);
    filed.head.aliases = vec!["@acme/lamp-files".into()];
    let bench = Bench::over(unlimited(), &[filed, server("io.github.acme/lamp-server", None, Some("@acme/lamp-kit"))]);
    for (spelling, meant) in [
        ("@acme/lamp-files@latest", "io.github.acme-files"),
        ("@acme/lamp-files@2.1.0", "io.github.acme-files"),
        ("@acme/lamp-kit@latest", "io.github.acme-lamp-server"),
        ("lamp-kit%3D%3D2025.1.17", "io.github.acme-lamp-server"),
    ] {
        let (status, id, _) = resolved(&bench, spelling).await;
        assert_eq!((status.as_str(), id), ("alias", json!(meant)), "{spelling}");
    }
}

/// `https://huggingface.co/acme/Heron-4` was unknown although `acme/Heron-4` is an alias.
#[tokio::test]
async fn a_page_of_another_site_and_a_command_name_what_they_are_about() {
    let mut heron = named("heron-4");
    heron.head.aliases.push("acme/Heron-4".to_owned());
    let mut lamp = server("io.github.acme/lamp-server", None, Some("@acme/lamp-kit"));
    lamp.head.aliases.push("mcp/lamp".to_owned());
    let bench = Bench::over(unlimited(), &[heron, lamp]);
    for (spelling, meant) in [
        ("https://huggingface.co/acme/Heron-4", "heron-4"),
        ("https://huggingface.co/acme/Heron-4/blob/main/README.md", "heron-4"),
        ("hf.co/acme/Heron-4", "heron-4"),
        ("https://acme.example/docs/models/heron-4", "heron-4"),
        ("https://www.npmjs.com/package/@acme/lamp-kit/v/1.2.0", "io.github.acme-lamp-server"),
        ("https://hub.docker.com/r/mcp/lamp", "io.github.acme-lamp-server"),
        ("docker.io/mcp/lamp", "io.github.acme-lamp-server"),
        ("npm:@acme/lamp-kit", "io.github.acme-lamp-server"),
        ("docker:mcp/lamp", "io.github.acme-lamp-server"),
        ("pkg:npm/%2540acme/lamp-kit@1.2.0", "io.github.acme-lamp-server"),
        ("npx%20-y%20@acme/lamp-kit@latest%20/home", "io.github.acme-lamp-server"),
    ] {
        let (status, id, _) = resolved(&bench, spelling).await;
        assert_eq!((status.as_str(), id), ("alias", json!(meant)), "{spelling}");
    }
    for spelling in ["https://acme.example/blog/heron-4", "https://huggingface.co/borealis/heron-4"] {
        let (status, id, _) = resolved(&bench, spelling).await;
        assert_eq!((status.as_str(), id), ("unknown", Value::Null), "{spelling}");
    }
    let of_models = bench.json("/v1/resolve?type=model&ids=npm:mcp/lamp").await;
    assert_eq!(of_models["results"][0]["status"], "unknown", "a package is no model: {of_models}");
    let detail = bench.json("/v1/models/https:%2F%2Fhuggingface.co%2Facme%2FHeron-4").await;
    assert_eq!(detail["model"]["id"], "heron-4");
}

#[tokio::test]
async fn quotes_around_an_id_and_wide_letters_are_no_part_of_it() {
    let bench = Bench::over(unlimited(), &["gpt-4o", "gpt-4o-mini"].map(named));
    let wide = "%EF%BC%A7%EF%BC%B0%EF%BC%B4-4o";
    for spelling in ["%22gpt-4o%22", "%60GPT-4o%60", "%E2%80%9Cgpt-4o%E2%80%9D", wide] {
        let (status, id, _) = resolved(&bench, spelling).await;
        assert_eq!((status.as_str(), id), ("alias", json!("gpt-4o")), "{spelling}");
    }
    assert_eq!(bench.json("/v1/models/%22gpt-4o%22").await["resolved_from"], "\"gpt-4o\"");
    let (status, id, _) = resolved(&bench, "%22gpt-5.9%22").await;
    assert_eq!((status.as_str(), id), ("unknown", Value::Null), "nor does it make another number");
}

#[tokio::test]
async fn a_blank_spelling_keeps_the_place_of_the_others() {
    let bench = Bench::new();
    let answer = bench.json("/v1/resolve?ids=nova-2,,hammer,").await;
    let results = answer["results"].as_array().unwrap();
    let told: Vec<_> = results.iter().map(|result| (result["query"].as_str().unwrap(), &result["status"])).collect();
    let (exact, unknown) = (json!("exact"), json!("unknown"));
    assert_eq!(told, [("nova-2", &exact), ("", &unknown), ("hammer", &exact), ("", &unknown)]);
    assert_eq!(results[1]["candidates"], json!([]));
    bench.get("/v1/resolve?ids=,").await.problem(400, "invalid_query");
    let answer = bench.json("/v1/resolve?ids=nova%5C,2,hammer").await;
    let asked: Vec<&Value> = answer["results"].as_array().unwrap().iter().map(|result| &result["query"]).collect();
    assert_eq!(asked, [&json!("nova,2"), &json!("hammer")], "a comma inside a spelling");
}
