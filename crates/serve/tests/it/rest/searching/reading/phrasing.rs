//! The same questions phrased in other ways: names of versions, words around a comparison, where things come from. `docs/api.md#search`.

use super::named_things::server;
use super::quantities::sold_by;
use super::sold_at;
use super::understanding::{asked, bench, ids, made_by};
use super::wording::{check, read};
use crate::common::{Bench, unlimited};
use refdesk_core::Usd;
use refdesk_core::fact::StoredFact;
use refdesk_core::item::{Modalities, Model, Offer, Pricing};
use serde_json::{Value, json};

/// A model of a family, released on a day.
fn of(vendor: &str, family: &str, name: &str, day: &str) -> StoredFact {
    let (family, released_on) = (Some(family.to_owned()), Some(day.to_owned()));
    made_by(vendor, name, Model { family, released_on, ..Model::default() })
}

/// Models of three families, of which two have a word of their own.
fn families() -> Bench {
    Bench::over(
        unlimited(),
        &[
            of("Anthropic", "claude-sonnet", "claude-sonnet-8", "2026-01-01"),
            of("Anthropic", "claude-opus", "claude-opus-8", "2026-02-01"),
            of("Google", "gemini-flash", "gemini-8-flash", "2026-03-01"),
            of("Google", "gemini-flash", "gemini-7-flash", "2025-03-01"),
            of("Acme Labs", "kestrel-flash", "kestrel-flash", "2026-04-01"),
        ],
    )
}

#[tokio::test]
async fn a_word_of_a_family_names_it_in_an_order() {
    let bench = families();
    for (question, found) in [
        ("What's the newest sonnet?", vec!["claude-sonnet-8"]),
        ("newest claude opus", vec!["claude-opus-8"]),
        ("oldest to newest gemini flash", vec!["gemini-7-flash", "gemini-8-flash"]),
        ("claude opus models", vec!["claude-opus-8"]),
        ("last released gemini", vec!["gemini-8-flash", "gemini-7-flash"]),
        ("the last gemini model", vec!["gemini-8-flash", "gemini-7-flash"]),
        ("newest gemni model", vec!["gemini-8-flash", "gemini-7-flash"]),
    ] {
        let answer = asked(&bench, question).await;
        assert_eq!((ids(&answer), &answer["understood"]["kind"]), (found, &json!("MODEL")), "{question}");
    }
    // Two makers have such a family: which is meant nobody knows.
    assert_eq!(asked(&bench, "newest flash").await["understood"], Value::Null);
}

#[tokio::test]
async fn of_makers_and_lines_that_are_named_side_by_side_any_will_do() {
    let bench = families();
    let lines = || json!({"series": "claude,gemini"});
    let makers = || json!({"vendor": "Acme Labs,Google"});
    check(
        &bench,
        &[
            ("claude or gemini models", lines()),
            ("models from claude or gemini", lines()),
            ("acme labs or gemini models", makers()),
            ("models from Acme Labs and gemini", makers()),
            ("acme labs or google models", makers()),
        ],
    )
    .await;
    let told = &asked(&bench, "acme labs or gemini models").await["warnings"];
    assert!(told.to_string().contains("`gemini` stands for all that Google makes"), "{told}");
}

#[tokio::test]
async fn the_version_of_a_line_is_what_an_order_picks() {
    let bench = Bench::over(
        unlimited(),
        &[
            of("Google", "gemini-flash-lite", "gemini-8-flash-lite", "2026-05-01"),
            of("Google", "gemini-flash", "gemini-8-flash", "2026-03-01"),
            of("Anthropic", "claude-sonnet", "claude-sonnet-8", "2026-01-01"),
        ],
    );
    for (question, found) in [
        ("newest gemini flash lite", vec!["gemini-8-flash-lite"]),
        ("latest version of gemini flash lite", vec!["gemini-8-flash-lite"]),
        ("gemini flash lite newest version", vec!["gemini-8-flash-lite"]),
        ("newest gemini version", vec!["gemini-8-flash-lite", "gemini-8-flash"]),
        ("latest version of sonnet", vec!["claude-sonnet-8"]),
    ] {
        let answer = asked(&bench, question).await;
        assert_eq!((ids(&answer), &answer["understood"]["rest"]), (found, &json!("")), "{question}");
    }
    // Programs are called after a line, too.
    for question in ["latest version of gemini cli", "newest version of mail reader"] {
        assert_eq!(asked(&bench, question).await["understood"], Value::Null, "{question}");
    }
}

#[tokio::test]
async fn orders_and_limits_in_other_words() {
    for (question, sort) in [
        ("priciest models by output tokens", "-price_output,-offers"),
        ("models with the largest output by output tokens", "-output_tokens,-offers"),
        ("models, low price to high", "price_blended,-offers"),
        ("lowest output price among models", "price_output,-offers"),
        ("priciest output tokens, top 3", "-price_output,-offers"),
        ("models sold by the most providers", "-offers"),
        ("modelos mais recentes primeiro", "-released_on"),
        ("モデルを安い順に", "price_blended,-offers"),
        ("모델 중 가장 최근에 출시된 것은?", "-released_on"),
    ] {
        let (_, read, rest) = read(&bench(), question).await;
        assert_eq!((read, rest), (json!(sort), json!("")), "{question}");
    }
    let (filters, _, rest) = read(&bench(), "cheaper than heron with at least the same context").await;
    assert_eq!((&filters["context_tokens__gte"], rest), (&json!("1000000"), json!("")));
    check(
        &bench(),
        &[
            ("a model that can reason", json!({"capability": "reasoning"})),
            ("embeding modles", json!({"model_mode": "embedding"})),
            ("models which accept both PDF and video as input", json!({"input_modalities": "pdf,video"})),
            ("modelli con ingresso audio", json!({"input_modalities": "audio"})),
            (
                "modelos de Acme Labs publicados en 2026",
                json!({"released_on__gte": "2026", "released_on__lte": "2026", "vendor": "Acme Labs"}),
            ),
            ("open weigths models", json!({"open_weights": "true"})),
            (
                "models that listen to audio and talk back",
                json!({"input_modalities": "audio", "output_modalities": "audio"}),
            ),
            (
                "models that listen to audio and answer in speech",
                json!({"input_modalities": "audio", "output_modalities": "audio"}),
            ),
            (
                "need 1M+ context and image input, budget max $2 in",
                json!({"context_tokens__gte": "1000000", "price_input__lte": "2", "input_modalities": "image"}),
            ),
            ("models but not from europe's Acme Labs", json!({"vendor__not": "Acme Labs"})),
            ("models, no previews please", json!({"status__not": "preview"})),
            ("modelos que não sejam preview", json!({"status__not": "preview"})),
            // None is deprecated and still there.
            ("modelli deprecati", json!({"status": "retired"})),
            ("text to video generator", json!({"output_modalities": "video"})),
            ("anything but notebooks: tutorials", json!({"tutorial_format__not": "notebook"})),
            ("models without images", json!({"input_modalities__not": "image", "output_modalities__not": "image"})),
        ],
    )
    .await;
}

#[tokio::test]
async fn what_draws_is_known_by_what_it_gives_whether_a_source_tells_its_mode_or_not() {
    let draws = |name: &str, mode: Option<&str>| {
        let modalities = Modalities { input: vec!["text".to_owned()], output: vec!["image".to_owned()] };
        made_by("Acme Labs", name, Model { modalities, mode: mode.map(str::to_owned), ..Model::default() })
    };
    let bench = Bench::over(unlimited(), &[draws("brush", Some("image")), draws("pencil", None)]);
    for question in ["image generation models", "models that draw pictures", "image models"] {
        assert_eq!(ids(&asked(&bench, question).await), ["brush", "pencil"], "{question}");
    }
}

#[tokio::test]
async fn where_servers_come_from_may_be_said_behind_what_they_are_for() {
    let bench = bench();
    for (question, filter, rest) in [
        ("mcp server for postgres available as a docker image", json!({"registry_type": "oci"}), "postgres"),
        ("docker image mcp server for github", json!({"registry_type": "oci"}), "github"),
        ("nuget mcp packages", json!({"registry_type": "nuget"}), ""),
        ("mcp servers from pypi that talk over stdio", json!({"registry_type": "pypi", "transport": "stdio"}), ""),
        ("mcp server for web search without an api key", json!({"auth": "none"}), "web search"),
        ("mcp server published on npm for github", json!({"registry_type": "npm"}), "github"),
    ] {
        let (filters, _, left) = read(&bench, question).await;
        assert_eq!((filters, left), (filter, json!(rest)), "{question}");
    }
}

#[tokio::test]
async fn a_hosted_model_is_one_of_a_seller() {
    let priced = Pricing { input: Usd::parse("1"), output: Usd::parse("1"), ..Pricing::default() };
    let mut stored = made_by("Acme Labs", "kite", Model { pricing: Some(priced), ..Model::default() });
    stored.key = "groq/kite".to_owned();
    stored.identity.provider = Some("groq".to_owned());
    let (filters, ..) = read(&Bench::over(unlimited(), &[stored]), "groq hosted models").await;
    assert_eq!((&filters["seller"], &filters["vendor"]), (&json!("groq"), &Value::Null));
}

/// A model of a maker that somebody sells.
fn sold(maker: &str, name: &str, provider: &str) -> StoredFact {
    let priced = Pricing { input: Usd::parse("1"), output: Usd::parse("1"), ..Pricing::default() };
    sold_at(provider, maker, name, Model { pricing: Some(priced), ..Model::default() })
}

#[tokio::test]
async fn a_name_of_maker_and_seller_is_that_of_the_seller_where_it_says_so_or_sells_many_more() {
    let names = ["kite", "merlin", "osprey", "harrier", "hobby"];
    let mut models: Vec<StoredFact> = names.iter().map(|name| sold("Acme Labs", name, "groq")).collect();
    models.extend([sold("Groq", "compound", "groq"), sold("Amazon", "swift", "amazon-bedrock")]);
    models.push(sold("Acme Labs", "lark", "amazon-bedrock"));
    models.extend([sold("Borealis", "tern", "borealis"), sold("Acme Labs", "knot", "borealis")]);
    let bench = Bench::over(unlimited(), &models);
    for (question, filter) in [
        ("models at groq", ("seller", "groq")),
        ("groq models", ("seller", "groq")),
        ("Modelle bei Groq", ("seller", "groq")),
        ("Modelle auf Amazon Bedrock", ("seller", "amazon-bedrock")),
        ("Groqで使えるモデル", ("seller", "groq")),
        ("models made by groq", ("vendor", "Groq")),
        ("amazon bedrock models", ("seller", "amazon-bedrock")),
        ("models on aws", ("seller", "amazon-bedrock")),
        ("models on aws bedrock", ("seller", "amazon-bedrock")),
        ("amazon models", ("vendor", "Amazon")),
        ("borealis models", ("vendor", "Borealis")),
        ("amazon bedrock gpt models", ("seller", "amazon-bedrock")),
    ] {
        let (filters, ..) = read(&bench, question).await;
        // Spellings of one name, such as `Groq,groq`.
        let said = filters[filter.0].as_str().unwrap_or_default();
        assert!(said.split(',').all(|name| name.eq_ignore_ascii_case(filter.1)), "{question}: {filters}");
    }
}

#[tokio::test]
async fn the_prices_of_a_seller_are_those_under_all_of_its_spellings() {
    let bench = Bench::over(
        unlimited(),
        &[sold("Acme Labs", "kite", "fireworks-ai"), sold("Acme Labs", "merlin", "fireworks_ai")],
    );
    let answer = bench.json("/v1/search?q=cheapest%20models%20on%20fireworks&fields=pricing.input&type=MODEL").await;
    assert_eq!(answer["understood"]["filters"]["price_of"], "fireworks-ai,fireworks_ai");
    let sellers: Vec<&Value> =
        answer["results"].as_array().unwrap().iter().map(|hit| &hit["priced_by"]["seller"]).collect();
    assert_eq!((ids(&answer), sellers), (vec!["kite", "merlin"], vec![&json!("fireworks-ai"), &json!("fireworks_ai")]));
}

#[tokio::test]
async fn what_embeds_or_ranks_is_no_model_that_answers() {
    let of_mode =
        |name: &str, mode: &str| made_by("Acme Labs", name, Model { mode: Some(mode.into()), ..Model::default() });
    let bench = Bench::over(
        unlimited(),
        &[of_mode("kite", "embedding"), of_mode("merlin", "rerank"), of_mode("hobby", "chat")],
    );
    for (question, found) in [
        ("text embedding models", ["kite"]),
        ("text reranker models", ["merlin"]),
        ("rerankers", ["merlin"]),
        ("text models", ["hobby"]),
    ] {
        assert_eq!(ids(&asked(&bench, question).await), found, "{question}");
    }
}

#[tokio::test]
async fn neither_leaves_out_both() {
    let bench = Bench::over(
        unlimited(),
        &[
            server("tern", "Tern", "Browser automation."),
            server("gannet", "Gannet", "Browser automation."),
            server("plover", "Plover", "Browser automation."),
        ],
    );
    let answer = asked(&bench, "browser automation mcp, neither tern nor gannet").await;
    assert_eq!(ids(&answer), ["plover"]);
}

#[tokio::test]
async fn what_is_not_wanted_at_the_end_is_left_out_and_what_is_built_on_it() {
    // A word that many have is no name of one thing.
    let others = (0..60).map(|at| server(&format!("mail-{at}"), "Mail", "Sends mail."));
    let mut servers: Vec<StoredFact> = others.collect();
    servers.extend([
        server("tern", "Tern", "Browser automation."),
        server("plover", "Plover", "Browser automation with Tern inside."),
        server("knot", "Knot", "Browser automation by itself."),
    ]);
    let bench = Bench::over(unlimited(), &servers);
    for question in
        ["browser automation no tern", "browser automation not tern", "browser automation but not tern please"]
    {
        assert_eq!(ids(&asked(&bench, question).await), ["knot"], "{question}");
    }
    // Who names it before says how it is to be done.
    let answer = asked(&bench, "automate tern without tern installed").await;
    assert_eq!((ids(&answer)[0], &answer["warnings"]), ("tern", &json!([])));
}

#[tokio::test]
async fn who_asks_of_sellers_is_told_where_their_prices_are() {
    let said = "for the prices of every seller of `heron`: /v1/cost?model=heron&input_tokens=1M";
    for (question, warnings) in [
        ("who sells heron the cheapest", json!([said])),
        ("what does heron cost on openrouter?", json!([said])),
        ("cheapest place to run heron", json!([said])),
        ("where can i buy heron", json!([said])),
        ("price of heron", json!([said])),
        ("which provider is the best", json!([])),
    ] {
        assert_eq!(asked(&bench(), question).await["warnings"], warnings, "{question}");
    }
    let of =
        |tokens: &str| json!([format!("for the prices of every seller of `heron`: /v1/cost?model=heron&{tokens}")]);
    for (question, tokens) in [
        ("how much is 3 million in and 500k out on heron", "input_tokens=3000000&output_tokens=500000"),
        ("cost of 2M input tokens with heron", "input_tokens=2000000"),
        ("what does it cost to process 2M input tokens with heron", "input_tokens=2000000"),
        ("what do 10k output tokens cost on heron", "input_tokens=0&output_tokens=10000"),
        ("what do I pay for 3 million output tokens of heron", "input_tokens=0&output_tokens=3000000"),
        ("heron with 200k input and 5k output, what does it cost", "input_tokens=200000&output_tokens=5000"),
        ("heron batch cost for 1m tokens", "input_tokens=1000000&batch=true"),
        ("batch price of heron", "input_tokens=1M&batch=true"),
    ] {
        assert_eq!(asked(&bench(), question).await["warnings"], of(tokens), "{question}");
    }
    let answer = bench().json("/v1/cost?model=heron&input_tokens=1M").await;
    assert_eq!(answer["sellers"][0]["seller"], "Acme Labs", "{answer}");
}

#[tokio::test]
async fn a_name_that_only_describes_a_kind_is_not_meant() {
    let bench = Bench::over(unlimited(), &[server("remote-mcp-server", "Remote MCP server", "Mail.")]);
    let (filters, _, rest) = read(&bench, "remote MCP server no auth needed").await;
    assert_eq!((filters, rest), (json!({"install_type": "remote", "auth": "none"}), json!("")));
    assert_eq!(ids(&asked(&bench, "remote MCP server").await), ["remote-mcp-server"], "alone it is the name");
}

#[tokio::test]
async fn who_asks_for_the_cheapest_hears_what_costs_nothing_only_as_its_maker_s_price() {
    let priced = |name: &str, input: &str, sellers: &[&str]| {
        let pricing = Pricing { input: Usd::parse(input), output: Usd::parse(input), ..Pricing::default() };
        let offers = sellers.iter().map(|seller| Offer { provider: (*seller).into(), ..Offer::default() }).collect();
        made_by("Acme Labs", name, Model { pricing: Some(pricing), offers, ..Model::default() })
    };
    let hint = async |models: &[StoredFact]| {
        asked(&Bench::over(unlimited(), models), "cheapest models").await["warnings"].clone()
    };
    let advice =
        "listed as free, with no other seller known: add `type=MODEL` and `offers__gte=1` to leave such items out";
    let nobody = format!("`plover` is {advice}");
    assert_eq!(hint(&[priced("plover", "0", &[]), priced("tern", "1", &[])]).await, json!([nobody]));
    let two = format!("`dunlin` and another of these are {advice}");
    assert_eq!(
        hint(&[priced("plover", "0", &[]), priced("dunlin", "0", &[]), priced("tern", "1", &[])]).await,
        json!([two])
    );
    let mut sold = sold_by("tern", 1);
    sold[0] = priced("tern", "1", &[]);
    let bench = Bench::over(unlimited(), &[sold, vec![priced("plover", "0", &[])]].concat());
    let taken = bench.json("/v1/search?q=cheapest+models&type=MODEL&offers__gte=1").await;
    assert_eq!((ids(&taken), &taken["warnings"]), (vec!["tern"], &json!([])), "the advice can be taken: {taken}");
    assert_eq!(hint(&[priced("plover", "0.1", &[]), priced("tern", "1", &[])]).await, json!([]));
}

#[tokio::test]
async fn a_question_about_the_end_or_the_price_of_a_model_is_told_where_it_is() {
    let bench = bench();
    for question in ["when does heron get switched off", "heron end of life", "heron shutdown date"] {
        let end = asked(&bench, question).await;
        assert_eq!((ids(&end)[0], &end["warnings"][0]), ("heron", &json!("`heron` is active (no end date known)")));
    }
    let price = asked(&bench, "price of heron").await;
    let told = "for the prices of every seller of `heron`: /v1/cost?model=heron&input_tokens=1M";
    assert_eq!(price["warnings"][0], told);
    let cost = asked(&bench, "cost of 10k requests with 2k tokens prompt and 300 tokens reply on heron").await;
    let path = "/v1/cost?model=heron&input_tokens=2000&output_tokens=300&requests=10000";
    assert!(cost["warnings"][0].as_str().unwrap().ends_with(path), "{cost}");
}

#[tokio::test]
async fn what_a_question_only_speaks_of_is_not_what_it_asks_for() {
    let bench = bench();
    for question in [
        "my coding agent needs access to mail",
        "let my llm read mail",
        "where can an llm get mail",
        "prompt under 200 tokens",
        "input longer than 200k tokens what to do",
        "how to migrate from falcon to mail",
        "my coding agent should know the docs of libraries",
        "one endpoint in front of many models",
    ] {
        assert_eq!(asked(&bench, question).await["understood"], Value::Null, "{question}");
    }
    let weighed = asked(&bench, "is falcon better value than heron").await;
    assert_eq!(weighed["understood"]["compared"], json!(["falcon", "heron"]));
    for question in ["falcon compared to heron", "falcon or heron for my agent"] {
        assert_eq!(asked(&bench, question).await["understood"]["compared"], json!(["falcon", "heron"]), "{question}");
    }
    assert_eq!(asked(&bench, "store mail without any server").await["understood"], Value::Null);
    let weighed = asked(&bench, "heron instead of falcon?").await;
    assert_eq!(weighed["understood"]["compared"], json!(["heron", "falcon"]));
}

#[tokio::test]
async fn who_says_only_what_is_not_wanted_gets_none_of_it() {
    let answer = asked(&bench(), "anything but falcon").await;
    assert_eq!(ids(&answer), [""; 0]);
    let told = answer["warnings"].to_string();
    assert!(told.contains("only what is not wanted"), "{told}");
}
