//! Lines of models, and what models cost at a seller and by meter. `docs/api.md#search`.

use super::super::understanding::{asked, made_by};
use crate::common::{Bench, unlimited};
use refdesk_core::fact::StoredFact;
use refdesk_core::item::Model;
use serde_json::json;

/// A model of OpenAI that somebody sells.
fn sold(name: &str, provider: &str) -> StoredFact {
    let mut stored = made_by("OpenAI", name, Model::default());
    stored.key = format!("{provider}/{name}");
    stored.identity.provider = Some(provider.to_owned());
    stored.source_id = format!("source-{provider}").into();
    stored
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
