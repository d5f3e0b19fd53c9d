//! Lines of models, and what models cost at a seller and by meter. `docs/api.md#search`.

use super::super::sold_at;
use super::super::understanding::{asked, ids, made_by};
use super::super::wording::{check, read};
use crate::common::catalog::fact;
use crate::common::{Bench, unlimited};
use refdesk_core::Usd;
use refdesk_core::fact::StoredFact;
use refdesk_core::item::{Item, McpServer, Model, OtherPrice, Pricing, Tool};
use serde_json::{Value, json};

/// A model of `OpenAI` that somebody sells.
fn sold(name: &str, provider: &str) -> StoredFact {
    sold_at(provider, "OpenAI", name, Model::default())
}

#[tokio::test]
async fn who_asks_what_a_model_costs_at_a_seller_or_by_a_meter_is_told_where_that_is() {
    let bench = Bench::over(unlimited(), &["openai", "groq"].map(|provider| sold("gpt-oss-20b", provider)));
    for (question, tokens) in [
        ("price of gpt-oss-20b on groq", "input_tokens=1M"),
        ("gpt-oss-20b on groq price", "input_tokens=1M"),
        ("how much is gpt-oss-20b via groq", "input_tokens=1M"),
        ("gpt-oss-20b output price", "input_tokens=0&output_tokens=1M"),
        ("how much does gpt-oss-20b cost per million output tokens", "input_tokens=0&output_tokens=1M"),
        ("what's the output token price of gpt-oss-20b", "input_tokens=0&output_tokens=1M"),
        ("input and output price of gpt-oss-20b", "input_tokens=1M&output_tokens=1M"),
        ("cached input price of gpt-oss-20b", "input_tokens=0&cache_read_tokens=1M"),
        ("cache write price of gpt-oss-20b", "input_tokens=0&cache_write_tokens=1M"),
        // Not what it writes at most.
        ("max output and price of gpt-oss-20b", "input_tokens=1M"),
        ("price per 1k tokens gpt-oss-20b", "input_tokens=1M"),
    ] {
        let told = format!("for the prices of every seller of `gpt-oss-20b`: /v1/cost?model=gpt-oss-20b&{tokens}");
        assert_eq!(asked(&bench, question).await["warnings"], json!([told]), "{question}");
    }
}

#[tokio::test]
async fn who_asks_what_pictures_cost_is_not_sent_to_the_prices_of_tokens() {
    let image = OtherPrice { meter: "output_image".into(), unit: "image".into(), price: Usd::parse("0.04") };
    let by_image = || Pricing { other: vec![image.clone()], ..Pricing::default() };
    let by_token_too = Pricing { input: Usd::parse("5"), output: Usd::parse("10"), ..by_image() };
    let otherwise =
        "`heron` is billed by output image per image and not by tokens: see `pricing.other` of it and of its `offers`";
    let everywhere = "for the prices of every seller of `heron`: /v1/cost?model=heron&input_tokens=1M";
    for (pricing, told) in [(by_image(), otherwise), (by_token_too, everywhere)] {
        let heron = made_by("Acme Labs", "heron", Model { pricing: Some(pricing), ..Model::default() });
        let answer = asked(&Bench::over(unlimited(), &[heron]), "price of heron").await;
        assert_eq!(answer["warnings"], json!([told]));
    }
}

fn of(vendor: &str, family: &str, name: &str) -> StoredFact {
    made_by(vendor, name, Model { family: Some(family.to_owned()), ..Model::default() })
}

fn priced(name: &str, price: &str) -> StoredFact {
    let pricing = Pricing { input: Usd::parse(price), output: Usd::parse(price), ..Pricing::default() };
    made_by("Acme Labs", name, Model { pricing: Some(pricing), ..Model::default() })
}

/// Models of families, of which `opus`, `sonnet` and `haiku` are of one line and `flash` and `nano` of two. `plover` is in the names of another
/// line as well, and `large` in those of servers.
fn families() -> Vec<StoredFact> {
    let mut at_bedrock = of("Anthropic", "claude-opus", "claude-opus-8");
    at_bedrock.key = "bedrock/claude-opus-8".into();
    at_bedrock.identity.provider = Some("amazon-bedrock".to_owned());
    at_bedrock.source_id = "second".into();
    vec![
        of("Anthropic", "claude-opus", "claude-opus-8"),
        at_bedrock,
        of("Anthropic", "claude-sonnet", "claude-sonnet-8"),
        of("Anthropic", "claude-haiku", "claude-haiku-8"),
        of("Google", "gemini-flash", "gemini-8-flash"),
        of("Acme Labs", "kestrel-flash", "kestrel-flash"),
        of("OpenAI", "gpt-nano", "gpt-8-nano"),
        of("Acme Labs", "nano-swift", "nano-swift"),
        of("Acme Labs", "kestrel-plover", "kestrel-plover"),
        of("Acme Labs", "osprey", "osprey-plover"),
        of("Mistral", "mistral-large", "mistral-large-8"),
        priced("kite-9", "30"),
        fact("a", "hall", "Large hall", &Item::McpServer(McpServer::default())),
        fact("b", "barn", "Large barn", &Item::McpServer(McpServer::default())),
    ]
}

#[tokio::test]
async fn a_word_of_the_families_of_one_line_names_that_family() {
    let bench = Bench::over(unlimited(), &families());
    let opus_output = || json!({"family": "claude-opus", "price_output__lte": "20"});
    let opus_sold = || json!({"family": "claude-opus", "seller": "amazon-bedrock"});
    check(
        &bench,
        &[
            ("opus models under $20 output", opus_output()),
            ("opus under $20 output", opus_output()),
            ("haiku under $1 input", json!({"family": "claude-haiku", "price_input__lte": "1"})),
            ("sonnet with 1m context", json!({"family": "claude-sonnet", "context_tokens__gte": "1000000"})),
            ("sonnet with vision", json!({"family": "claude-sonnet", "input_modalities": "image"})),
            ("opus on bedrock", opus_sold()),
            ("opus models on bedrock", opus_sold()),
        ],
    )
    .await;
    let cheaper = asked(&bench, "opus models cheaper than kite-9").await["understood"].take();
    assert_eq!((&cheaper["filters"]["family"], &cheaper["rest"]), (&json!("claude-opus"), &json!("")), "{cheaper}");
    // What several lines, other names or other things are called by stays text.
    for word in ["flash", "nano", "plover", "large"] {
        let (filters, _, rest) = read(&bench, &format!("{word} models under $20 output")).await;
        assert_eq!((filters, rest), (json!({"price_output__lte": "20"}), json!(word)));
    }
    assert_eq!(asked(&bench, "sonnet with rhymes").await["understood"], Value::Null);
}

/// `cheapest gpt-4o` listed the models whose family is called so, though no chat model is among them, and said nothing of who sells the one that
/// was named.
#[tokio::test]
async fn who_asks_for_the_lowest_price_of_one_version_is_told_of_its_sellers() {
    let priced = |name: &str, price: &str| {
        let pricing = Pricing { input: Usd::parse(price), output: Usd::parse(price), ..Pricing::default() };
        made_by("OpenAI", name, Model { pricing: Some(pricing), ..Model::default() })
    };
    let mut own = priced("gpt-4o", "2");
    let mut fields = own.fields.read().into_owned();
    fields.insert("family".to_owned(), json!("gpt"));
    own.fields = fields.into();
    let bench = Bench::over(
        unlimited(),
        &[own, of("OpenAI", "gpt-4o", "gpt-4o-mini-tts"), priced("gpt-5-nano", "0.1"), priced("gpt-4o-mini", "0.5")],
    );
    let told = "for the prices of every seller of `gpt-4o`: /v1/cost?model=gpt-4o&input_tokens=1M";
    for question in [
        "cheapest gpt-4o",
        "lowest price for gpt-4o",
        "least expensive gpt-4o",
        "gpt-4o cheapest",
        "is gpt-4o free",
        "who offers gpt-4o for free",
    ] {
        for kind in ["", "&type=MODEL"] {
            let answer = bench.json(&format!("/v1/search?q={}{kind}", question.replace(' ', "+"))).await;
            let (found, warning) = (&answer["results"][0]["id"], &answer["warnings"][0]);
            assert_eq!((found, warning), (&json!("gpt-4o"), &json!(told)), "{question}{kind}: {answer}");
            assert_eq!(answer["understood"], Value::Null, "{question}{kind}");
        }
    }
    // Of several, and under a limit, it is an order: of what has the whole word and not a part of it, in whatever family.
    for question in ["cheapest gpt-4o models", "cheapest gpt-4o models under $3"] {
        let several = asked(&bench, question).await;
        let understood = &several["understood"];
        assert_eq!(
            (&understood["sort"], &understood["rest"], understood["filters"].get("family")),
            (&json!("price_blended,-offers"), &json!("gpt-4o"), None),
            "{question}: {several}"
        );
        assert_eq!(several["results"][0]["id"], "gpt-4o-mini", "{question}");
    }
    let under = bench.json("/v1/search?q=cheapest+gpt-4o+under+$3&type=MODEL").await;
    let understood = &under["understood"];
    assert_eq!((&understood["rest"], understood["filters"].get("family")), (&json!("gpt-4o"), None), "{under}");
}

#[tokio::test]
async fn a_family_is_meant_rather_than_a_program_that_is_called_so_for_short() {
    let programs = ["gemini", "claude"].map(|short| {
        let id = format!("{short}-cli");
        let mut program = fact(&id, &id, &format!("{short} CLI"), &Item::Tool(Tool::default()));
        program.head.aliases = vec![short.to_owned()];
        program
    });
    let barn =
        |at: usize| fact(&format!("barn-{at}"), &format!("barn-{at}"), "Barn", &Item::McpServer(McpServer::default()));
    // Among many things, a name that two have is none that many share.
    let facts = families().into_iter().chain(programs).chain((0..150).map(barn)).collect::<Vec<_>>();
    let bench = Bench::over(unlimited(), &facts);
    let current = json!({"family": "gemini-flash", "status__not": "deprecated,retired"});
    check(&bench, &[("how much is gemini flash", current)]).await;
    assert_eq!(ids(&asked(&bench, "how do i install gemini cli").await)[0], "gemini-cli");
    let compared = asked(&bench, "claude vs gemini").await;
    assert_eq!((&compared["results"][0]["type"], ids(&compared)[1]), (&json!("MODEL"), "gemini-8-flash"), "{compared}");
    assert_eq!(ids(&asked(&bench, "claude cli vs gemini cli").await)[..2], ["claude-cli", "gemini-cli"]);
}
