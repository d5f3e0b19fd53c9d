//! Document, tutorial and skill connectors over recorded upstreams: nothing is lost, and known values are right.
//!
//! Runs where `REFDESK_RECORDINGS` names the folder of unpacked recordings; elsewhere the fixtures' tests stand alone.

use std::path::Path;

use crate::tarball::{Outcome, fact, recordings, reject, run, run_tarball, tarball_of, target};
use refdesk_core::item::{Item, Status, TrustTier};
use refdesk_core::{Body, HashBasis};
use refdesk_ingest::connectors::Batch;

/// Reads a recorded repository through its codeload url.
fn repository(
    root: &Path,
    connector: &str,
    source: &str,
    repository: &str,
    options: &[(&str, &str)],
) -> Result<Batch, Box<dyn std::error::Error>> {
    let body = tarball_of(&root.join(source).join("raw").join(repository).join("main"))?;
    let url = format!("http://127.0.0.1:9900/{source}/codeload.github.com/{repository}/tar.gz/main");
    let batch = run_tarball(connector, &url, options, &body)?;
    for fact in &batch.facts {
        assert!(fact.source_url.starts_with("https://"), "{}", fact.source_url);
        assert!(!fact.head.name.is_empty() && !fact.head.id.is_empty(), "{}", fact.key);
    }
    let mut ids: Vec<&str> = batch.facts.iter().map(|fact| fact.head.id.as_str()).collect();
    ids.sort_unstable();
    if connector != "skills-repo" {
        assert!(ids.windows(2).all(|pair| pair[0] != pair[1]), "ids are unique within the source");
    }
    Ok(batch)
}

#[test]
fn every_skill_of_the_recorded_repositories_is_a_fact_or_a_reject() -> Outcome {
    let Some(root) = recordings() else { return Ok(()) };
    for (source, name, facts) in [
        ("anthropic-skills", "anthropics/skills", 13),
        ("openai-skills", "openai/skills", 10),
        ("vercel-agent-skills", "vercel-labs/agent-skills", 7),
        ("wshobson-skills", "wshobson/agents", 115),
    ] {
        let batch = repository(&root, "skills-repo", source, name, &[])?;
        assert_eq!(batch.facts.len(), facts, "{source}");
        match source {
            "anthropic-skills" => {
                assert!(reject(&batch, "template/SKILL.md")?.reason.ends_with("is a template to copy, not a skill"));
                let fact = fact(&batch, "skills/mcp-builder")?;
                assert_eq!(
                    fact.source_url,
                    "https://github.com/anthropics/skills/blob/main/skills/mcp-builder/SKILL.md"
                );
                assert_eq!(fact.identity.same_as, ["skill:github.com/anthropics/skills#skills/mcp-builder"]);
                let raw = std::fs::read(
                    root.join("anthropic-skills/raw/anthropics/skills/main/skills/mcp-builder/SKILL.md"),
                )?;
                assert_eq!(fact.record.content_hash(), refdesk_core::hash::content_hash(&raw));
            }
            "openai-skills" => {
                let tier = |key: &str| fact(&batch, key).map(|fact| fact.head.trust_tier);
                assert_eq!(tier("skills/.system/skill-creator")?, Some(TrustTier::Official));
                assert_eq!(tier("skills/.experimental/create-plan")?, Some(TrustTier::Community));
            }
            _ => {}
        }
    }
    Ok(())
}

#[test]
fn every_page_of_the_recorded_documentations_is_a_fact_or_a_reject() -> Outcome {
    let Some(root) = recordings() else { return Ok(()) };
    for (source, name, pages, options) in [
        (
            "mcp-docs",
            "modelcontextprotocol/modelcontextprotocol",
            413,
            &[("site", "https://modelcontextprotocol.io"), ("root", "docs"), ("language", "en")][..],
        ),
        (
            "vercel-ai-docs",
            "vercel/ai",
            514,
            &[("site", "https://ai-sdk.dev"), ("root", "content"), ("language", "en")],
        ),
        ("langchain-docs", "langchain-ai/docs", 1_224, &[]),
        ("hf-hub-docs", "huggingface/hub-docs", 360, &[]),
        (
            "prompt-engineering-guide",
            "dair-ai/Prompt-Engineering-Guide",
            983,
            &[("site", "https://www.promptingguide.ai"), ("root", "pages"), ("language", "en")],
        ),
        ("tldr-pages", "tldr-pages/tldr", 1_685, &[("language", "en")]),
    ] {
        let batch = repository(&root, "markdown-docs", source, name, options)?;
        assert_eq!(batch.items_upstream, pages, "{source}");
        assert!(batch.facts.iter().all(|fact| fact.record.basis() == HashBasis::Bytes));
        let of_language =
            |tag: &str| batch.facts.iter().filter(|fact| fact.head.language.as_deref() == Some(tag)).count();
        let missing = batch.facts.iter().filter(|fact| matches!(fact.body, Body::Missing(_))).count();
        match source {
            "mcp-docs" => {
                let page = fact(&batch, "docs/specification/2025-06-18/basic/transports.mdx")?;
                let raw = std::fs::read(
                    root.join("mcp-docs/raw/modelcontextprotocol/modelcontextprotocol/main").join(&page.key),
                )?;
                assert_eq!(page.record.content_hash(), refdesk_core::hash::content_hash(&raw));
                let Item::Document(fields) = &page.item else { return Err("no document".into()) };
                assert_eq!(fields.version.as_deref(), Some("2025-06-18"));
                assert_eq!(
                    fields.canonical_url.as_deref(),
                    Some("https://modelcontextprotocol.io/specification/2025-06-18/basic/transports")
                );
            }
            "prompt-engineering-guide" => {
                assert_eq!(
                    (of_language("en"), of_language("zh"), of_language("ja"), of_language("ko"), of_language("de")),
                    (133, 90, 75, 63, 117)
                );
            }
            "langchain-docs" => assert_eq!(missing, 24, "pages that only point to another site"),
            _ => {}
        }
    }
    Ok(())
}

#[test]
fn every_entry_of_the_recorded_cookbooks_is_a_fact_or_a_reject() -> Outcome {
    let Some(root) = recordings() else { return Ok(()) };
    for (connector, source, name, entries, with_body, options) in [
        ("cookbook", "claude-cookbooks", "anthropics/claude-cookbooks", 76, 59, &[][..]),
        ("cookbook", "openai-cookbook", "openai/openai-cookbook", 216, 170, &[("site", "https://cookbook.openai.com")]),
        ("hf-cookbook", "hf-cookbook", "huggingface/cookbook", 74, 36, &[]),
    ] {
        let batch = repository(&root, connector, source, name, options)?;
        let bodies = batch.facts.iter().filter(|fact| !matches!(fact.body, Body::Missing(_))).count();
        assert_eq!((batch.items_upstream, bodies), (entries, with_body), "{source}");
        assert!(
            batch.facts.iter().all(|fact| fact.head.status == Status::Active || fact.head.status == Status::Deprecated)
        );
    }
    Ok(())
}

#[test]
fn the_recorded_well_known_skills_verify_and_llms_txt_keeps_to_its_host() -> Outcome {
    let Some(root) = recordings() else { return Ok(()) };
    let file = |source: &str, host: &str, url: &url::Url| {
        let path = url.path().strip_prefix(&format!("/{source}/{host}/"))?.to_owned();
        std::fs::read(root.join(source).join(path)).ok().map(bytes::Bytes::from)
    };
    let url = "http://127.0.0.1:9900/skills-wellknown/vercel.example/.well-known/agent-skills/index.json";
    let batch = run("skills-wellknown", &target(url, &[])?, |url| file("skills-wellknown", "vercel.example", url))?;
    assert_eq!((batch.facts.len(), batch.rejects.len()), (7, 0), "{:?}", batch.rejects);

    let url = "http://127.0.0.1:9900/llms-txt/llmstxt.org/llms.txt";
    let batch = run("llms-txt", &target(url, &[])?, |url| file("llms-txt", "llmstxt.org", url))?;
    assert_eq!((batch.items_upstream, batch.facts.len()), (4, 2));
    Ok(())
}
