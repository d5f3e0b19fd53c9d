//! Orders in front of values and the word for the kind, and of `first` and `last`. `docs/api.md#search`.

use crate::common::catalog::fact;
use crate::common::{Bench, unlimited};
use crate::rest::searching::reading::understanding::{asked, bench, ids};
use crate::rest::searching::reading::wording::read;
use refdesk_core::item::{Item, McpServer};
use serde_json::{Value, json};

#[tokio::test]
async fn values_may_stand_between_an_order_and_the_kind() {
    let server = |id: &str, is_official: bool| {
        let server = McpServer { official: Some(is_official), ..McpServer::default() };
        fact(id, id, id, &Item::McpServer(server))
    };
    let bench = Bench::over(unlimited(), &[server("mail", true), server("news", false)]);
    for (question, sort, left) in [
        ("newest official mcp servers", "-updated_at", ""),
        ("latest official mcp servers", "-updated_at", ""),
        ("oldest official mcp servers", "updated_at", ""),
        ("newest official servers for databases", "-updated_at", "databases"),
        ("new official mcp servers", "-updated_at", ""),
    ] {
        let (filters, order, rest) = read(&bench, question).await;
        assert_eq!((&filters["official"], order, rest), (&json!("true"), json!(sort), json!(left)), "{question}");
    }
    for question in ["new mcp servers", "show me recent mcp servers", "new skills"] {
        let (_, order, rest) = read(&bench, question).await;
        assert_eq!((order, rest), (json!("-updated_at"), json!("")), "{question}");
    }
    for question in ["new mcp server", "register new mcp servers"] {
        assert_ne!(read(&bench, question).await.1, "-updated_at", "{question}");
    }
    let (_, order, rest) = read(&bench, "latest news server").await;
    assert_eq!((order, rest), (Value::Null, json!("latest news")));
}

#[tokio::test]
async fn first_asks_for_the_oldest_and_last_and_new_for_the_newest() {
    let bench = bench();
    for (question, sort, found) in [
        ("first model Acme released", "released_on", ["falcon", "heron"]),
        ("Acme's first model", "released_on", ["falcon", "heron"]),
        ("first reasoning model from Acme", "released_on", ["falcon", "heron"]),
        ("last two Acme models", "-released_on", ["heron", "falcon"]),
        ("new Acme models", "-released_on", ["heron", "falcon"]),
    ] {
        let answer = asked(&bench, question).await;
        let read = (&answer["understood"]["sort"], &answer["understood"]["rest"], ids(&answer));
        assert_eq!(read, (&json!(sort), &json!(""), found.to_vec()), "{question}");
    }
    for question in ["first-party models", "my first model from Acme", "new relic mcp server", "new relic releases"] {
        let order = read(&bench, question).await.1;
        assert!(order != "released_on" && order != "-released_on", "{question}: {order}");
    }
}

#[tokio::test]
async fn the_tokens_whose_price_an_order_goes_by_may_be_named_behind_it() {
    let bench = bench();
    for (question, sort, found) in [
        ("cheapest model on output", "price_output,-offers", ["falcon", "sparrow", "heron"]),
        ("most expensive model on output tokens", "-price_output,-offers", ["heron", "sparrow", "falcon"]),
        ("cheapest model for input tokens", "price_input,-offers", ["falcon", "sparrow", "heron"]),
    ] {
        let answer = asked(&bench, question).await;
        let read = (&answer["understood"]["sort"], &answer["understood"]["rest"], ids(&answer));
        assert_eq!(read, (&json!(sort), &json!(""), found.to_vec()), "{question}");
    }
    let (filters, order, rest) = read(&bench, "lowest price on input from acme").await;
    assert_eq!((&filters["vendor"], order, rest), (&json!("Acme Labs"), json!("price_input,-offers"), json!("")));
    // What goes on says what the output is for, or how long it is.
    for question in ["cheapest model for output formatting", "cheapest model with output over 8k tokens"] {
        assert_eq!(read(&bench, question).await.1, "price_blended,-offers", "{question}");
    }
}

#[tokio::test]
async fn what_ties_in_one_order_comes_in_the_next() {
    let bench = bench();
    for (question, sort, found) in [
        (
            "models sorted by context then price",
            "-context_tokens,price_blended,-offers",
            ["sparrow", "heron", "falcon"],
        ),
        ("models by context, then by newest", "-context_tokens,-released_on,-offers", ["sparrow", "heron", "falcon"]),
        ("cheapest, then newest models", "price_blended,-released_on,-offers", ["falcon", "sparrow", "heron"]),
    ] {
        let answer = asked(&bench, question).await;
        let read = (&answer["understood"]["sort"], &answer["understood"]["rest"], ids(&answer));
        assert_eq!(read, (&json!(sort), &json!(""), found.to_vec()), "{question}");
    }
}
