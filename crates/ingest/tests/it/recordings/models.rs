//! The connectors of models over recorded upstreams, against the raw files: values, counts, and records that are read again.
//!
//! Runs where `REFDESK_RECORDINGS` names the folder of unpacked recordings; elsewhere the fixtures' tests stand alone.
#![allow(clippy::print_stderr, reason = "with --nocapture it shows the counts of each source")]

use std::error::Error;
use std::path::Path;

use crate::tarball::{Outcome, recordings, run, target};
use bytes::Bytes;
use refdesk_core::Fact;
use refdesk_core::item::{Item, Model};
use refdesk_ingest::connectors::{Batch, StoredKey, find};
use serde_json::Value;

fn model(fact: &Fact) -> Result<&Model, String> {
    let Item::Model(model) = &fact.item else { return Err(format!("{} is not a model", fact.key)) };
    Ok(model)
}

/// Reads a source of files by the ends of their urls, and every record again.
fn read(root: &Path, connector: &str, url: &str, files: &[(&str, &str)]) -> Result<Batch, Box<dyn Error>> {
    let target = target(url, &[])?;
    let batch = run(connector, &target, |url| {
        let file = files.iter().find(|(end, _)| url.path().ends_with(end))?.1;
        std::fs::read(root.join(file)).ok().map(Bytes::from)
    })?;
    eprintln!("{connector}: {} facts, {} rejects, {:?}", batch.facts.len(), batch.rejects.len(), batch.unshown);
    let known = find(connector).ok_or("no such connector")?;
    for fact in &batch.facts {
        let stored = StoredKey { kind: fact.kind(), key: &fact.key };
        let again = (known.reread)(&target, stored, fact.record.as_bytes())?;
        assert_eq!(again.fact.item, fact.item, "{}", fact.key);
        assert_eq!(fact.source_url, url, "{}: the bytes that were read", fact.key);
    }
    Ok(batch)
}

fn raw(root: &Path, file: &str) -> Result<Value, Box<dyn Error>> {
    Ok(serde_json::from_slice(&std::fs::read(root.join(file))?)?)
}

#[test]
fn the_recorded_litellm_states_windows_and_shut_downs() -> Outcome {
    let Some(root) = recordings() else { return Ok(()) };
    let file = "litellm/BerriAI/litellm/main/model_prices_and_context_window.json";
    let url = "https://raw.githubusercontent.com/BerriAI/litellm/main/model_prices_and_context_window.json";
    let batch = read(&root, "litellm", url, &[("window.json", file)])?;
    let raw = raw(&root, file)?;
    assert_eq!((batch.facts.len(), batch.rejects.len()), (2_984, 0));
    for fact in &batch.facts {
        let (stated, model) = (&raw[&fact.key], model(fact)?);
        let window = stated["max_input_tokens"].as_f64().filter(|tokens| *tokens > 0.0).map(|tokens| tokens as u64);
        assert_eq!((model.limits.context_tokens, model.limits.input_tokens), (window, None), "{}", fact.key);
        assert_eq!(model.retires_on.as_deref(), stated["deprecation_date"].as_str(), "{}", fact.key);
        let source = stated["source"].as_str().filter(|source| source.starts_with("http"));
        assert_eq!(fact.provenance.references.first().map(String::as_str), source, "{}", fact.key);
    }
    Ok(())
}

#[test]
fn the_recorded_openrouter_loses_no_price_per_token() -> Outcome {
    let Some(root) = recordings() else { return Ok(()) };
    let file = "openrouter/api/v1/models.json";
    let batch = read(&root, "openrouter", "https://openrouter.ai/api/v1/models", &[("/models", file)])?;
    let raw = raw(&root, file)?;
    let listed = raw["data"].as_array().ok_or("no list")?;
    assert_eq!(batch.facts.len(), listed.len());
    for (fact, stated) in batch.facts.iter().zip(listed) {
        let prices = stated["pricing"].as_object().ok_or("no prices")?;
        let plain =
            prices.iter().filter(|(field, value)| *field != "overrides" && value.as_str() != Some("-1")).count();
        let pricing = model(fact)?.pricing.clone().unwrap_or_default();
        let tiers = pricing.other.iter().filter(|other| other.meter.contains("_above_")).count();
        let own = [
            pricing.input,
            pricing.output,
            pricing.cache_read,
            pricing.cache_write,
            pricing.reasoning,
            pricing.input_audio,
            pricing.output_audio,
            pricing.batch_input,
            pricing.batch_output,
        ];
        let shown = own.iter().flatten().count() + pricing.other.len() - tiers;
        assert_eq!(shown, plain, "{}", fact.key);
        let is_batch = fact.key.ends_with(":batch");
        assert!(!is_batch || (pricing.input.is_none() && pricing.cache_read.is_none() && pricing.tiers.is_empty()));
    }
    assert!(!batch.unshown.keys().any(|left| left.contains("image")), "every image price tells its unit");
    Ok(())
}

#[test]
fn the_recorded_models_dev_and_llm_prices_are_whole() -> Outcome {
    let Some(root) = recordings() else { return Ok(()) };
    let batch = read(&root, "models-dev", "https://models.dev/api.json", &[("api.json", "models-dev/api.json")])?;
    assert_eq!((batch.facts.len(), batch.rejects.len()), (5_258, 0));
    for (folder, current, dated) in [("llm-prices", 142, 148), ("llm-prices-prev", 122, 124)] {
        let (now, then) = (format!("{folder}/current-v1.json"), format!("{folder}/historical-v1.json"));
        let files = [("current-v1.json", now.as_str()), ("historical-v1.json", then.as_str())];
        let batch = read(&root, "llm-prices", "https://www.llm-prices.com/current-v1.json", &files)?;
        assert_eq!((batch.facts.len(), batch.versions, batch.rejects.len()), (current, dated, 0));
        let kept = batch.facts.iter().map(|fact| {
            let record: Value = serde_json::from_slice(fact.record.as_bytes()).unwrap_or_default();
            record["history"].as_array().map_or(0, Vec::len)
        });
        assert_eq!(kept.sum::<usize>(), dated, "every dated row stands in a record");
    }
    Ok(())
}
