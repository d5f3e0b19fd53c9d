//! The starter catalog that ships in the binary: every card reads, and there are as many as were promised.

use std::collections::BTreeSet;

use crate::tarball::{Outcome, run, target};
use refdesk_core::Kind;
use refdesk_core::item::Status;
use refdesk_ingest::connectors::Batch;
use serde_json::Value;

fn bundled() -> Result<Batch, Box<dyn std::error::Error>> {
    Ok(run("cards", &target("bundled:catalog", &[])?, |_| None)?)
}

#[test]
fn no_card_is_rejected_and_every_kind_has_its_number() -> Outcome {
    let batch = bundled()?;
    assert_eq!(batch.rejects, []);
    let count = |kind: Kind| batch.facts.iter().filter(|fact| fact.kind() == kind).count();
    for (kind, least) in [
        (Kind::Model, 60),
        (Kind::Tool, 40),
        (Kind::McpServer, 30),
        (Kind::Skill, 20),
        (Kind::Tutorial, 20),
        (Kind::Framework, 145),
    ] {
        assert!(count(kind) >= least, "{kind}: {} of {least}", count(kind));
    }
    let vendors: BTreeSet<_> = batch
        .facts
        .iter()
        .filter(|fact| fact.kind() == Kind::Model)
        .filter_map(|fact| fact.head.vendor.as_deref())
        .collect();
    assert!(vendors.len() >= 12, "{vendors:?}");
    for fact in &batch.facts {
        assert!(fact.source_url.starts_with("http"), "{}: {}", fact.key, fact.source_url);
        // A tool's card without a date was never checked against its vendor's page, and shows so; all others state theirs. The manual is its
        // own source.
        let is_manual = fact.source_url.starts_with(refdesk_ingest::bundled::REPOSITORY);
        let is_dated = fact.checked_on.is_some() || is_manual;
        assert!(is_dated || fact.kind() == Kind::Tool, "{} {} does not say when it was checked", fact.kind(), fact.key);
        assert_eq!(fact.is_verified_by_sync(), is_manual, "{} {}", fact.kind(), fact.key);
    }
    Ok(())
}

#[test]
fn the_listed_frameworks_are_published_and_the_others_are_candidates() -> Outcome {
    let batch = bundled()?;
    let of = |status: Status| -> BTreeSet<&str> {
        let frameworks = batch.facts.iter().filter(|fact| fact.kind() == Kind::Framework && fact.head.status == status);
        frameworks.map(|fact| fact.key.as_str()).collect()
    };
    let listed: BTreeSet<&str> = include_str!("catalog_frameworks.txt").split_whitespace().collect();
    assert_eq!(listed.len(), 125);
    assert_eq!(of(Status::Published), listed);
    assert!(of(Status::Candidate).len() >= 20);
    Ok(())
}

#[test]
fn the_framework_cards_pass_the_lint() -> Outcome {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../catalog/frameworks");
    let findings = refdesk_ingest::lint::lint_frameworks(&folder)?.findings;
    let shown: Vec<String> = findings.iter().map(|finding| format!("{}: {}", finding.file, finding.message)).collect();
    assert!(shown.is_empty(), "{} findings\n{}", shown.len(), shown.join("\n"));
    Ok(())
}

/// Checks a value against the part of JSON Schema that the committed schema uses; any other keyword is an error.
fn violations(schema: &Value, value: &Value, at: &str) -> Vec<String> {
    let mut found = Vec::new();
    let Some(rules) = schema.as_object() else { return vec![format!("{at}: the schema is not an object")] };
    let is = |name: &str| match name {
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "null" => value.is_null(),
        _ => false,
    };
    for (keyword, rule) in rules {
        let holds = match keyword.as_str() {
            "$schema" | "title" | "description" => true,
            "type" => match rule {
                Value::String(name) => is(name),
                names => names.as_array().into_iter().flatten().filter_map(Value::as_str).any(is),
            },
            "enum" => rule.as_array().is_some_and(|values| values.contains(value)),
            "minLength" => value.as_str().is_none_or(|text| text.chars().count() as u64 >= rule.as_u64().unwrap_or(0)),
            "maxItems" => value.as_array().is_none_or(|items| items.len() as u64 <= rule.as_u64().unwrap_or(0)),
            "required" => {
                let names = rule.as_array().into_iter().flatten().filter_map(Value::as_str);
                value.as_object().is_none_or(|object| names.clone().all(|name| object.contains_key(name)))
            }
            "additionalProperties" => {
                value.as_object().is_none_or(|object| object.keys().all(|key| !rules["properties"][key].is_null()))
            }
            "properties" => {
                for (key, inner) in value.as_object().into_iter().flatten() {
                    found.extend(violations(&rule[key], inner, &format!("{at}.{key}")));
                }
                true
            }
            "items" => {
                for (position, inner) in value.as_array().into_iter().flatten().enumerate() {
                    found.extend(violations(rule, inner, &format!("{at}[{position}]")));
                }
                true
            }
            _ => false,
        };
        if !holds {
            found.push(format!("{at}: `{keyword}` does not hold"));
        }
    }
    found
}

#[test]
fn the_digest_of_the_bundled_files_is_that_of_what_is_compiled_in() {
    let mut framed = Vec::new();
    for (path, content) in refdesk_ingest::bundled::files() {
        for part in [path.as_bytes(), &content] {
            framed.extend_from_slice(&(part.len() as u64).to_be_bytes());
            framed.extend_from_slice(part);
        }
    }
    assert_eq!(refdesk_ingest::bundled::DIGEST, refdesk_core::hash::content_hash(&framed));
}

#[test]
fn the_committed_schema_describes_every_framework_card() -> Outcome {
    let schema: Value = serde_json::from_str(include_str!("../../../../catalog/frameworks/schema.json"))?;
    let mut checked = 0;
    for (path, bytes) in refdesk_ingest::bundled::files() {
        if !path.starts_with("catalog/frameworks/")
            || std::path::Path::new(&path).extension().is_none_or(|ending| ending != "md")
        {
            continue;
        }
        let text = std::str::from_utf8(&bytes)?;
        let (front, _) = refdesk_core::text::split_front_matter(text).ok_or("no front matter")?;
        let card = refdesk_ingest::connectors::formats::yaml::value(front)?;
        assert_eq!(violations(&schema, &card, &path), [""; 0]);
        checked += 1;
    }
    assert!(checked >= 145, "{checked} cards");
    // Every key that the connector takes stands in the schema, and no other.
    let card = bundled()?
        .facts
        .into_iter()
        .find(|fact| fact.key == "premortem" && fact.kind() == Kind::Framework)
        .ok_or("no premortem")?;
    let fields = card.item.to_json()?;
    let head = [
        "kind",
        "id",
        "display_name",
        "vendor",
        "status",
        "trust_tier",
        "source_url",
        "aliases",
        "language",
        "checked_on",
    ];
    let mut taken: Vec<&str> =
        fields.as_object().into_iter().flatten().map(|(key, _)| key.as_str()).chain(head).collect();
    let mut described: Vec<&str> =
        schema["properties"].as_object().into_iter().flatten().map(|(key, _)| key.as_str()).collect();
    taken.sort_unstable();
    described.sort_unstable();
    assert_eq!(taken, described);
    Ok(())
}
