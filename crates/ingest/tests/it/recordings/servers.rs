//! The connectors of MCP servers, API tools and frameworks over recorded upstreams: nothing is lost, and known values are right.
//!
//! Runs where `REFDESK_RECORDINGS` names the folder of unpacked recordings; elsewhere the fixtures' tests stand alone.
#![allow(clippy::print_stderr, reason = "with --nocapture it shows the counts of each source")]

use std::collections::BTreeMap;
use std::error::Error;
use std::path::{Path, PathBuf};

use crate::tarball::{Outcome, fact, recordings, run, run_tarball, tarball_of, target};
use bytes::Bytes;
use refdesk_core::Kind;
use refdesk_core::item::{Item, Status};
use refdesk_ingest::connectors::Batch;

/// Counts in as `(upstream, facts, versions, rejects)`, after the checks that hold for every source.
fn counts(source: &str, batch: &Batch) -> (usize, usize, usize, usize) {
    let counts = (batch.items_upstream, batch.facts.len(), batch.versions, batch.rejects.len());
    eprintln!("{source}: {counts:?} ignored {:?}", batch.ignored);
    for reject in batch.rejects.iter().take(12) {
        eprintln!("    {} — {}", reject.key, reject.reason);
    }
    for fact in &batch.facts {
        assert!(fact.source_url.starts_with("https://"), "{}", fact.source_url);
        assert!(!fact.head.name.is_empty() && !fact.head.id.is_empty(), "{}", fact.key);
        if let Item::Framework(framework) = &fact.item {
            assert_eq!(fact.head.status, Status::Candidate, "{}", fact.key);
            assert!(!framework.summary.is_empty(), "{}", fact.key);
        }
    }
    counts
}

fn repository(root: &Path, connector: &str, source: &str, repository: &str) -> Result<Batch, Box<dyn Error>> {
    let body = tarball_of(&root.join(source).join("raw").join(repository).join("main"))?;
    let url = format!("http://127.0.0.1:9900/{source}/codeload.github.com/{repository}/tar.gz/main");
    run_tarball(connector, &url, &[], &body)
}

fn raw(root: &Path, connector: &str, source: &str, path: &str) -> Result<Batch, Box<dyn Error>> {
    let body = Bytes::from(std::fs::read(root.join(source).join("raw").join(path))?);
    let target = target(&format!("http://127.0.0.1:9900/{source}/raw.githubusercontent.com/{path}"), &[])?;
    Ok(run(connector, &target, |_| Some(body.clone()))?)
}

/// Reads a paged API; the recorded pages are asked for by their cursors.
fn paged(
    root: &Path,
    connector: &str,
    source: &str,
    path: &str,
    host: &str,
    end: &str,
) -> Result<Batch, Box<dyn Error>> {
    let mut names: Vec<PathBuf> = std::fs::read_dir(root.join(source).join(path))?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    names.sort();
    let mut by_cursor: BTreeMap<Option<String>, Bytes> = BTreeMap::new();
    let mut cursor = None;
    for name in names {
        let body = Bytes::from(std::fs::read(name)?);
        let page: serde_json::Value = serde_json::from_slice(&body)?;
        by_cursor.insert(cursor, body);
        cursor = [page.pointer("/metadata/nextCursor"), page.get("next_cursor")]
            .into_iter()
            .flatten()
            .find_map(|cursor| cursor.as_str().map(str::to_owned));
    }
    let target = target(&format!("http://127.0.0.1:9900/{source}/{host}{end}"), &[])?;
    Ok(run(connector, &target, |url| {
        let cursor = url.query_pairs().find(|(key, _)| key == "cursor").map(|(_, value)| value.into_owned());
        by_cursor.get(&cursor).cloned()
    })?)
}

fn of_kind(batch: &Batch, kind: Kind) -> usize {
    batch.facts.iter().filter(|fact| fact.kind() == kind).count()
}

#[test]
fn every_version_of_the_recorded_registry_is_a_server_or_one_of_its_versions() -> Outcome {
    let Some(root) = recordings() else { return Ok(()) };
    let batch = paged(&root, "mcp-registry", "mcp-registry", "v0.1/servers", "registry.modelcontextprotocol.io", "")?;
    assert_eq!(counts("mcp-registry", &batch), (2_628, 1_055, 1_573, 0));
    let exa = fact(&batch, "ai.exa/exa")?;
    assert_eq!(exa.source_url, "https://registry.modelcontextprotocol.io/v0.1/servers?limit=100");
    assert_eq!(exa.identity.repository.as_deref(), Some("https://github.com/exa-labs/exa-mcp-server"));
    let Item::McpServer(server) = &exa.item else { return Err("no server".into()) };
    assert_eq!(server.is_latest, Some(true));
    for fact in &batch.facts {
        let Item::McpServer(server) = &fact.item else { continue };
        for header in server.remotes.iter().flat_map(|remote| remote["headers"].as_array().into_iter().flatten()) {
            let value = header.get("value").and_then(serde_json::Value::as_str).unwrap_or("{}");
            assert!(value.contains('{'), "{}: {header}", fact.key);
        }
        assert_eq!(fact.identity.versions.iter().filter(|version| version.is_latest == Some(true)).count(), 1);
    }
    Ok(())
}

#[test]
fn every_server_of_the_recorded_catalogs_and_lists_is_a_fact_or_a_reject() -> Outcome {
    let Some(root) = recordings() else { return Ok(()) };
    let docker = repository(&root, "docker-mcp", "docker-mcp-registry", "docker/mcp-registry")?;
    assert_eq!(
        (of_kind(&docker, Kind::McpServer), of_kind(&docker, Kind::Tool)),
        (328, 760),
        "755 in tools.json, 5 in server.yaml"
    );
    assert_eq!(counts("docker-mcp", &docker), (1_088, 1_088, 0, 0));
    let withheld = docker.facts.iter().filter(|fact| fact.provenance.record_withheld.is_some()).count();
    assert!(withheld <= 3, "templates, names and typed examples are no secrets: {withheld}");
    let list = raw(&root, "awesome-list", "mcp-servers-readme", "modelcontextprotocol/servers/main/README.md")?;
    eprintln!("awesome-list: {} servers, {} tools", of_kind(&list, Kind::McpServer), of_kind(&list, Kind::Tool));
    assert_eq!(counts("awesome-list", &list), (1_270, 1_269, 0, 1));
    assert_eq!(
        list.ignored.values().sum::<usize>(),
        1_287 - 1_270,
        "every bullet is an entry or counted by name: {:?}",
        list.ignored
    );
    let data =
        repository(&root, "mcp-servers-data", "awesome-mcp-servers-data", "ever-works/awesome-mcp-servers-data")?;
    assert_eq!(counts("mcp-servers-data", &data), (3_274, 3_273, 0, 1));
    Ok(())
}

#[test]
fn every_toolkit_and_tool_of_the_recorded_api_is_a_fact() -> Outcome {
    let Some(root) = recordings() else { return Ok(()) };
    for (listing, items) in [("toolkits", 530), ("tools", 607)] {
        let source = format!("composio-{listing}");
        let path = format!("api/v3/{listing}");
        let batch =
            paged(&root, "composio", &source, &path, "backend.composio.dev", &format!("/api/v3/{listing}?limit=100"))?;
        assert_eq!(counts(&source, &batch), (items, items, 0, 0));
    }
    Ok(())
}

#[test]
fn every_method_model_and_pattern_that_is_recorded_is_a_candidate() -> Outcome {
    let Some(root) = recordings() else { return Ok(()) };
    let methods = repository(&root, "methods-csv", "bmad-methods", "bmad-code-org/BMAD-METHOD")?;
    assert_eq!(counts("bmad-methods", &methods), (179, 179, 0, 0));
    for (path, rows) in [
        ("aae7ad2af452cd618385f6f9e48c5ad4e58dab55/bmad/cis/workflows/problem-solving/solving-methods.csv", 30),
        ("a1082ba97f023103d9c6d282e0d0ae08e4dfb350/src/modules/cis/workflows/design-thinking/design-methods.csv", 30),
    ] {
        let table = raw(&root, "methods-csv", "bmad-cis-methods", &format!("bmad-code-org/BMAD-METHOD/{path}"))?;
        assert_eq!(counts("bmad-cis-methods", &table), (rows, rows, 0, 0));
    }
    let models = raw(&root, "mental-models", "hummbl-base120", "hummbl-dev/mcp-server/main/data/models.json")?;
    assert_eq!(counts("hummbl-base120", &models), (120, 120, 0, 0));
    for fact in &models.facts {
        let Item::Framework(framework) = &fact.item else { continue };
        let text = std::str::from_utf8(fact.record.as_bytes())?;
        let numbered = (1..20).take_while(|number| text.contains(&format!("{number}) "))).count();
        assert_eq!(framework.steps.len(), numbered, "{}: {:?}", fact.key, framework.steps);
    }
    let patterns = repository(&root, "patterns-repo", "fabric", "danielmiessler/fabric")?;
    assert_eq!(counts("fabric", &patterns), (235, 162, 0, 73));
    Ok(())
}
