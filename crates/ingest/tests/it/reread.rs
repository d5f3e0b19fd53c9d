//! A stored record, read again by itself, states what its fact states: over the fixture of every connector of records.

use std::error::Error;
use std::path::Path;

use crate::tarball::{Outcome, fixture, run, run_tarball, tarball_of, target};
use refdesk_core::Fact;
use refdesk_core::item::Item;
use refdesk_ingest::connectors::{Batch, StoredKey, Target, find};
use serde_json::{Value, json};

/// The fields of the kind, less those that the record does not hold.
fn fields(fact: &Fact, without: &[&str]) -> Result<Value, Box<dyn Error>> {
    let mut fields = fact.item.to_json()?;
    if let Some(fields) = fields.as_object_mut() {
        fields.retain(|name, _| !without.contains(&name.as_str()));
    }
    Ok(fields)
}

/// Reads every record of a batch again; what may differ is what the connector names.
fn check(connector: &str, target: &Target, batch: &Batch, elsewhere: &[&str]) -> Outcome {
    assert!(!batch.facts.is_empty(), "{connector}");
    let connector = find(connector).ok_or("no such connector")?;
    for fact in &batch.facts {
        let stored = StoredKey { kind: fact.kind(), key: &fact.key };
        let again = (connector.reread)(target, stored, fact.record.as_bytes())?;
        let place = format!("{} {}", connector.name, fact.key);
        assert!(
            again.not_in_record.iter().all(|field| elsewhere.contains(field)),
            "{place}: {:?}",
            again.not_in_record
        );
        assert_eq!(fields(&again.fact, again.not_in_record)?, fields(fact, again.not_in_record)?, "{place}");
        assert_eq!((&again.fact.key, again.fact.kind()), (&fact.key, fact.kind()), "{place}");
        assert_eq!((&again.fact.head.name, again.fact.head.status), (&fact.head.name, fact.head.status), "{place}");
        assert_eq!(again.fact.record.content_hash(), fact.record.content_hash(), "{place}: the hash is of these bytes");
    }
    let first = &batch.facts[0];
    let broken = (connector.reread)(target, StoredKey { kind: first.kind(), key: &first.key }, b"\xff{");
    assert!(broken.is_err(), "{}: bytes that are no record are told", connector.name);
    Ok(())
}

#[test]
fn a_key_or_an_address_that_no_pass_gave_is_told() -> Outcome {
    for (connector, url, key, told) in [
        ("models-dev", "https://models.example/api.json", "gpt", "the key `gpt` is not `provider/id`"),
        ("methods-csv", "https://m.example/methods.csv", "lamp", "the key `lamp` is not `path#id`"),
        (
            "patterns-repo",
            "https://codeload.github.com/lamp/any/tar.gz/main",
            "a/b.md",
            "`a/b.md` is no pattern and no",
        ),
        ("composio", "https://c.example/api/v3/other", "lamp", "must end in /toolkits or /tools"),
    ] {
        let connector = find(connector).ok_or("no such connector")?;
        let stored = StoredKey { kind: connector.kinds[0], key };
        let read = (connector.reread)(&target(url, &[])?, stored, b"{}");
        assert!(read.as_ref().is_err_and(|reason| reason.contains(told)), "{}: {read:?}", connector.name);
    }
    Ok(())
}

#[test]
fn records_of_price_lists_read_again_state_the_same() -> Outcome {
    for (connector, url, files) in [
        ("litellm", "https://raw.example/prices.json", &[("prices.json", "litellm.json")][..]),
        ("models-dev", "https://models.example/api.json", &[("api.json", "models_dev.json")]),
        ("openrouter", "https://router.example/api/v1/models", &[("models", "openrouter.json")]),
        ("huggingface", "https://hub.example/api/models", &[("models", "huggingface_1.json")]),
        (
            "llm-prices",
            "https://prices.example/current-v1.json",
            &[("current-v1.json", "llm_prices_current.json"), ("historical-v1.json", "llm_prices_history.json")],
        ),
    ] {
        let target = target(url, &[])?;
        let served = |url: &url::Url| {
            files.iter().find(|(end, _)| url.path().ends_with(end)).and_then(|(_, file)| fixture(file).ok())
        };
        check(connector, &target, &run(connector, &target, served)?, &[])?;
    }
    Ok(())
}

/// Context, output and first tier of a batch's only model, and what was counted beside it.
fn limits(connector: &str, file: &str, name: &str) -> Result<Value, Box<dyn Error>> {
    let target = target(&format!("https://models.example/{name}"), &[])?;
    let batch = run(connector, &target, |_| Some(file.to_owned().into()))?;
    check(connector, &target, &batch, &[])?;
    let Item::Model(model) = &batch.facts[0].item else { return Err("no model".into()) };
    let tier = model.pricing.as_ref().and_then(|pricing| pricing.tiers.first()).map(|tier| tier.above_context_tokens);
    Ok(json!([model.limits.context_tokens, model.limits.output_tokens, tier, batch.unshown]))
}

#[test]
fn limits_that_no_model_has_are_unknown_and_floats_that_are_whole_are_limits() -> Outcome {
    let huge = |count: usize| json!({"limits too large to be one, unknown": count});
    let entry = |context: &str, output: &str| {
        format!(r#"{{"a": {{"litellm_provider": "p", "max_input_tokens": {context}, "max_output_tokens": {output}}}}}"#)
    };
    for (context, output, expected) in [
        ("2147483646", "4096.0", json!([2_147_483_646_u64, 4096, null, {}])),
        ("2147483647", "0", json!([null, 0, null, huge(1)])),
        ("18446744073709551615", "1e30", json!([null, null, null, huge(2)])),
    ] {
        assert_eq!(limits("litellm", &entry(context, output), "prices.json")?, expected, "{context} {output}");
    }
    let sold = r#"{"p": {"models": {"a": {"id": "a", "limit": {"context": 9223372036854775807, "output": 8192},
        "cost": {"input": 1, "tiers": [{"tier": {"type": "context", "size": 200000.0}, "input": 2}]}}}}}"#;
    assert_eq!(limits("models-dev", sold, "api.json")?, json!([null, 8192, 200_000, huge(1)]));
    Ok(())
}

#[test]
fn records_of_paged_listings_read_again_state_the_same() -> Outcome {
    for (connector, url, first, next) in [
        ("mcp-registry", "https://registry.example", "mcp-registry/page-1.json", "mcp-registry/page-2.json"),
        ("mcp-registry", "https://registry.example/v0", "mcp-registry/flat-1.json", "mcp-registry/flat-2.json"),
        ("composio", "https://c.example/api/v3/toolkits", "composio/toolkits-1.json", "composio/toolkits-2.json"),
        ("composio", "https://c.example/api/v3/tools", "composio/tools.json", "composio/tools.json"),
    ] {
        let target = target(url, &[])?;
        let (first, next) = (fixture(first)?, fixture(next)?);
        let is_next = |url: &url::Url| url.query_pairs().any(|(key, _)| key == "cursor");
        let batch = run(connector, &target, |url| Some(if is_next(url) { next.clone() } else { first.clone() }))?;
        check(connector, &target, &batch, &[])?;
    }
    Ok(())
}

#[test]
fn records_of_repositories_read_again_state_the_same_but_for_what_other_files_tell() -> Outcome {
    for (connector, elsewhere) in [("docker-mcp", &["tools", "vendor"][..]), ("mcp-servers-data", &["category"])] {
        let body = tarball_of(&Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(connector))?;
        let url = "https://codeload.github.com/lamp/any/tar.gz/main";
        check(connector, &target(url, &[])?, &run_tarball(connector, url, &[], &body)?, elsewhere)?;
    }
    let list = fixture("awesome-list/README.md")?;
    let target = target("https://raw.githubusercontent.com/lamp/servers/main/README.md", &[])?;
    check("awesome-list", &target, &run("awesome-list", &target, |_| Some(list.clone()))?, &[])
}

#[test]
fn cards_read_again_state_the_same_without_their_paths() -> Outcome {
    let target = target("bundled:catalog", &[])?;
    let batch = run("cards", &target, |_| None)?;
    assert!(batch.facts.iter().any(|fact| fact.key.starts_with("refdesk-manual-")), "pages of the manual too");
    check("cards", &target, &batch, &["path"])
}
