//! The connector of registries of MCP servers (and the paging of others like it) over small fixtures in their upstreams' shapes.

use std::error::Error;

use crate::tarball::{Outcome, cursor, fact, fixture, reject, run, server, target};
use bytes::Bytes;
use refdesk_core::fact::RecordWithheld;
use refdesk_core::item::{Status, TrustTier};
use refdesk_core::{Fact, HashBasis};
use refdesk_ingest::connectors::mcp::mcp_registry;
use refdesk_ingest::connectors::{Answer, Batch, ParseError, Request, find};
use serde_json::{Value, json};

const REGISTRY: &str = "http://127.0.0.1:9900/reg/registry.modelcontextprotocol.io";

fn registry() -> Result<Batch, Box<dyn Error>> {
    let (first, second) = (fixture("mcp-registry/page-1.json")?, fixture("mcp-registry/page-2.json")?);
    Ok(run("mcp-registry", &target(REGISTRY, &[])?, |url| match cursor(url).as_deref() {
        None => Some(first.clone()),
        Some("io.github.lamp-works/lantern:{{VERSION}}") => Some(second.clone()),
        Some(_) => None,
    })?)
}

#[test]
fn a_page_whose_cursor_cannot_be_read_is_not_the_last() -> Outcome {
    let page = |metadata: Value| {
        let server = json!({ "name": "com.lamp/a", "version": "1", "description": "A" });
        Bytes::from(json!({ "servers": [{ "server": server }], "metadata": metadata }).to_string())
    };
    for (metadata, fails) in [(json!(["next"]), true), (json!("next"), true), (json!(null), false), (json!({}), false)]
    {
        let body = page(metadata);
        let read = run("mcp-registry", &target(REGISTRY, &[])?, |_| Some(body.clone()));
        match read {
            Ok(batch) => assert!(!fails && batch.facts.len() == 1, "{body:?}"),
            Err(error) => assert!(fails && error.message.contains("`metadata` is not an object"), "{error:?}"),
        }
    }
    Ok(())
}

#[test]
fn what_an_entry_states_in_another_type_is_counted_and_a_status_is_read_in_any_case() -> Outcome {
    let told = |told: Value| json!({ "io.modelcontextprotocol.registry/official": told });
    let page = json!({ "servers": [
        {
            "server": { "name": "com.lamp/a", "version": "1", "title": ["A"], "description": 5, "repository": "https://github.com/lamp/a" },
            "_meta": told(json!({ "status": "DEPRECATED", "isLatest": "true", "publishedAt": 1_757_412_000 })),
        },
        {
            "server": { "name": "com.lamp/b", "version": "1", "description": "B", "repository": null, "websiteUrl": null },
            "_meta": told(json!({ "status": "active", "isLatest": true })),
        },
    ] });
    let body = Bytes::from(page.to_string());
    let batch = run("mcp-registry", &target(REGISTRY, &[])?, |_| Some(body.clone()))?;
    assert_eq!(json!(batch.unshown), json!({ "values of another type than their field has, unknown": 5 }));
    let status = |key: &str| fact(&batch, key).map(|fact| fact.head.status);
    assert_eq!((status("com.lamp/a")?, status("com.lamp/b")?), (Status::Deprecated, Status::Active));
    Ok(())
}

/// Publishers delete single versions, and all of them when the server is gone.
#[test]
fn a_server_is_as_its_newest_version_that_is_not_deleted() -> Outcome {
    let version = |name: &str, version: &str, status: &str, is_latest: bool| {
        json!({
            "server": { "name": name, "version": version, "description": version },
            "_meta": { "io.modelcontextprotocol.registry/official": {
                "status": status, "isLatest": is_latest, "publishedAt": format!("2026-01-0{version}T00:00:00Z"),
            } },
        })
    };
    let mut servers = vec![
        version("com.lamp/a", "1", "active", false),
        version("com.lamp/a", "2", "deprecated", false),
        version("com.lamp/a", "3", "deleted", true),
        version("com.lamp/b", "1", "deleted", false),
        version("com.lamp/b", "2", "deleted", true),
    ];
    for _ in 0..2 {
        let body = Bytes::from(json!({ "servers": servers }).to_string());
        let batch = run("mcp-registry", &target(REGISTRY, &[])?, |_| Some(body.clone()))?;
        let shown = |key: &str| {
            let found = fact(&batch, key)?;
            let fields = server(found)?;
            let versions = found.identity.versions.len();
            Ok::<_, Box<dyn Error>>((fields.version.clone(), found.head.status, fields.is_latest, versions))
        };
        assert_eq!(shown("com.lamp/a")?, (Some("2".into()), Status::Deprecated, Some(false), 3));
        assert_eq!(shown("com.lamp/b")?, (Some("2".into()), Status::Removed, Some(true), 2));
        servers.reverse();
    }
    Ok(())
}

#[test]
fn a_server_is_one_fact_of_its_latest_version_with_all_versions_across_pages() -> Outcome {
    let batch = registry()?;
    assert_eq!(
        (batch.items_upstream, batch.facts.len(), batch.versions, batch.rejects.len()),
        (9, 2, 4, 3),
        "{:?}",
        batch.rejects
    );
    assert!(!batch.partial);
    let lantern = fact(&batch, "io.github.lamp-works/lantern")?;
    assert_eq!(lantern.head.name, "Lantern keeper", "hidden characters are gone");
    assert_eq!(lantern.head.vendor.as_deref(), Some("lamp-works"));
    assert_eq!((lantern.head.status, lantern.head.trust_tier), (Status::Deprecated, Some(TrustTier::Verified)));
    assert_eq!(lantern.head.aliases, ["io.github.lamp-works/lantern"]);
    assert_eq!(refdesk_core::slug::slugify(&lantern.head.id), "io.github.lamp-works-lantern");
    assert_eq!(
        lantern.source_url, "https://registry.modelcontextprotocol.io/v0.1/servers?limit=100",
        "the listing that was read"
    );
    assert_eq!(
        lantern.provenance.references,
        ["https://registry.modelcontextprotocol.io/v0.1/servers/io.github.lamp-works%2Flantern/versions/latest"]
    );
    assert_eq!(lantern.identity.packages, ["npm:@lamp/lantern"]);
    assert_eq!(lantern.identity.remotes, ["https://lamp.example/mcp"]);
    assert_eq!(
        lantern.identity.repository.as_deref(),
        Some("https://github.com/lamp-works/lanterns.git#servers/lantern")
    );
    assert_eq!(lantern.identity.same_as, ["mcp:io.github.lamp-works/lantern"]);
    let versions: Vec<_> = lantern.identity.versions.iter().map(|version| version.version.as_str()).collect();
    assert_eq!(
        versions,
        ["2.0.0-rc", "{{VERSION}}", "1.9.0"],
        "newest first; the flag, not the time, tells the latest"
    );
    let fields = server(lantern)?;
    assert_eq!((fields.version.as_deref(), fields.is_latest), (Some("{{VERSION}}"), Some(true)));
    assert_eq!(fields.published_at.map(|at| at.to_string()).as_deref(), Some("2025-02-02T03:04:05Z"));
    assert_eq!(fields.description.as_deref(), Some("Lights lanterns\nand keeps them lit"));
    let unflagged = fact(&batch, "com.example/mcp")?;
    assert_eq!(unflagged.head.name, "com.example/mcp", "`mcp` alone says nothing");
    assert_eq!(server(unflagged)?.version.as_deref(), Some("3"), "the newest where nothing is flagged");
    assert_eq!(unflagged.identity.repository, None);
    assert_eq!(
        reject(&batch, "page 2 item 5")?.reason,
        "version 2 of com.example/mcp is listed twice with different contents; the first entry counts"
    );
    assert_eq!(reject(&batch, "page 2 item 6")?.reason, "`name` is missing or no text");
    assert_eq!(reject(&batch, "page 2 item 7")?.reason, "com.example/unversioned states no `version`");
    Ok(())
}

#[test]
fn literal_secrets_are_hidden_with_their_record_and_the_record_is_kept_whole() -> Outcome {
    let batch = registry()?;
    let lantern = fact(&batch, "io.github.lamp-works/lantern")?;
    let fields = server(lantern)?;
    let shown = serde_json::to_string(&lantern.item.to_json()?)?;
    assert!(!shown.contains("hunter-"), "{shown}");
    assert!(!shown.contains("build log"), "a publisher's own data is no field");
    assert_eq!(
        fields.packages[0]["environmentVariables"],
        json!([
            { "name": "LAMP_TOKEN", "isSecret": true, "isRequired": true, "description": "Opens the lamp room" },
            { "name": "LAMP_PASSWORD" },
            { "name": "LAMP_COLOUR", "default": "amber", "choices": ["amber", "white"] },
        ])
    );
    assert_eq!(
        fields.packages[0]["runtimeArguments"],
        json!([
            { "type": "named", "name": "-e" },
            { "type": "named", "name": "-p", "value": "{port}:80", "variables": { "port": { "default": "8080" }, "room_token": {} } },
        ])
    );
    assert_eq!(fields.remotes[0]["headers"], json!([{ "name": "Authorization", "isRequired": true }]));
    assert_eq!(lantern.provenance.record_withheld, Some(RecordWithheld::Secret));
    assert_eq!(fact(&batch, "com.example/mcp")?.provenance.record_withheld, None);
    let page: serde_json::Value = serde_json::from_slice(&fixture("mcp-registry/page-1.json")?)?;
    assert_eq!(lantern.record.basis(), HashBasis::Record);
    assert_eq!(
        std::str::from_utf8(lantern.record.as_bytes())?,
        refdesk_core::hash::canonical_json(&page["servers"][1])?
    );
    Ok(())
}

/// A server of a registry with this remote and these environment variables.
fn listed(remote: &serde_json::Value, variables: &serde_json::Value) -> Result<Fact, Box<dyn Error>> {
    let server = json!({
        "name": "x/lamp", "version": "1", "remotes": [remote],
        "packages": [{ "registryType": "npm", "identifier": "lamp", "environmentVariables": variables }],
    });
    let page = json!({ "servers": [{ "server": server }] }).to_string();
    let (_, batch) = asked("mcp-registry", "https://r.example", &[], &[&page])?;
    Ok(fact(&batch, "x/lamp")?.clone())
}

#[test]
fn templates_defaults_and_choices_are_shown_and_hide_no_record() -> Outcome {
    let remote = json!({
        "type": "streamable-http", "url": "https://lamp.example/{room}/mcp?key={lamp_key}",
        "variables": { "room": { "default": "hall", "choices": ["hall", "attic"] } },
        "headers": [
            { "name": "Authorization", "value": "Bearer {lamp_token}", "isSecret": true, "isRequired": true,
              "variables": { "lamp_token": { "description": "Opens the lamp room", "isSecret": true, "default": "" } } },
            { "name": "X-Key", "value": "App ${LAMP_KEY}", "placeholder": "App xxxxxxxxxxxxxxxx", "isSecret": true },
            { "name": "X-Wicks", "default": "all", "choices": ["all", "some"] },
        ],
    });
    let variables = json!([
        { "name": "LAMP_TOKEN_TTL", "default": "3600" },
        { "name": "LAMP_API_KEY", "isSecret": true, "choices": ["oil", "gas"], "default": "oil" },
        { "name": "LAMP_TOKEN", "value": "<your token>" },
    ]);
    let lamp = listed(&remote, &variables)?;
    assert_eq!(server(&lamp)?.remotes, [remote]);
    assert_eq!(server(&lamp)?.packages[0]["environmentVariables"], variables);
    assert_eq!(lamp.provenance.record_withheld, None);
    Ok(())
}

#[test]
fn a_value_that_is_a_secret_is_hidden_wherever_it_stands() -> Outcome {
    let open = json!({ "type": "sse", "url": "https://lamp.example/sse" });
    for (remote, variables) in [
        (json!({ "type": "sse", "url": "https://lamp.example/sse?token=wick7wick" }), json!([])),
        (
            json!({ "url": "https://lamp.example/sse", "headers": [{ "name": "X-Room", "value": "ghp_wick7wick7wick7wick7wick7" }] }),
            json!([]),
        ),
        (
            json!({ "url": "https://lamp.example/sse", "headers": [{ "name": "Cookie", "value": "Basic wick7wick" }] }),
            json!([]),
        ),
        (open.clone(), json!([{ "name": "LAMP_COLOUR", "default": "sk-wick7wick7wick7wick7" }])),
        (open.clone(), json!([{ "name": "LAMP_ID", "isSecret": true, "value": "wick7wick" }])),
        (open, json!([{ "name": "clientSecret", "default": "wick7wick", "choices": ["other"] }])),
    ] {
        let lamp = listed(&remote, &variables)?;
        let shown = serde_json::to_string(&lamp.item.to_json()?)?;
        assert!(!shown.contains("wick7"), "{shown}");
        assert_eq!(lamp.provenance.record_withheld, Some(RecordWithheld::Secret), "{remote} {variables}");
        assert!(std::str::from_utf8(lamp.record.as_bytes())?.contains("wick7"), "its hash can still be checked here");
    }
    Ok(())
}

#[test]
fn a_secret_in_an_address_or_in_a_publishers_own_data_hides_the_record() -> Outcome {
    let login = "https://ada:wick7wick@lamp.example/";
    for (key, value) in [
        ("websiteUrl", json!(login)),
        ("repository", json!({ "url": login, "source": "git" })),
        ("_meta", json!({ "example.lamp/build": { "apiKey": "wick7wick7wick7wick7wick" } })),
    ] {
        let page = json!({ "servers": [{ "server": { "name": "x/lamp", "version": "1", key: value } }] }).to_string();
        let (_, batch) = asked("mcp-registry", "https://r.example", &[], &[&page])?;
        let lamp = fact(&batch, "x/lamp")?;
        let shown = serde_json::to_string(&lamp.item.to_json()?)?;
        assert!(!shown.contains("wick7"), "{shown}");
        assert_eq!(lamp.provenance.record_withheld, Some(RecordWithheld::Secret), "{key}");
    }
    Ok(())
}

#[test]
fn the_flat_shape_of_the_older_api_reads_the_same() -> Outcome {
    let (first, second) = (fixture("mcp-registry/flat-1.json")?, fixture("mcp-registry/flat-2.json")?);
    let target = target("https://registry.example.org/v0/servers?limit=30", &[])?;
    let batch =
        run("mcp-registry", &target, |url| Some(if cursor(url).is_none() { first.clone() } else { second.clone() }))?;
    assert_eq!((batch.items_upstream, batch.facts.len(), batch.versions), (2, 1, 1));
    let candle = fact(&batch, "io.github.lamp-works/candle")?;
    assert_eq!(candle.source_url, "https://registry.example.org/v0/servers?limit=100");
    assert_eq!(candle.identity.packages, ["pypi:lamp-candle"]);
    assert_eq!(candle.head.trust_tier, None, "no word of the official registry in this entry");
    let fields = server(candle)?;
    assert_eq!((fields.version.as_deref(), fields.is_latest), (Some("0.3.1"), Some(true)));
    assert_eq!(fields.published_at.map(|at| at.to_string()).as_deref(), Some("2025-05-16T19:00:00Z"));
    assert_eq!(
        fields.packages,
        [json!({
            "registryType": "pypi", "version": "0.3.1", "runtimeHint": "uvx",
            "environmentVariables": [{ "name": "CANDLE_SECRET", "isSecret": true, "isRequired": true }],
            "identifier": "lamp-candle",
        })]
    );
    assert_eq!(candle.identity.versions[1].version, "0.2.0");
    Ok(())
}

/// Feeds pages to a pass as they are asked for; gives the requests' addresses.
fn asked(
    connector: &str,
    url: &str,
    options: &[(&str, &str)],
    pages: &[&str],
) -> Result<(Vec<String>, Batch), Box<dyn Error>> {
    let mut pass = (find(connector).ok_or("no such connector")?.open)(&target(url, options)?)?;
    let mut open: Vec<Request> = pass.first();
    let mut addresses = Vec::new();
    for page in pages {
        let request = open.pop().ok_or("nothing more was asked for")?;
        addresses.push(request.url.to_string());
        let answer = Answer {
            tag: request.tag,
            url: request.url,
            status: 200,
            link: None,
            body: Bytes::from((*page).to_owned()),
        };
        open.extend(pass.accept(answer)?);
    }
    addresses.extend(open.into_iter().map(|request| request.url.to_string()));
    Ok((addresses, pass.finish()?))
}

fn entry(name: &str) -> String {
    format!(r#"{{"server":{{"name":"{name}","version":"1"}}}}"#)
}

#[test]
fn a_listing_ends_where_the_cursor_is_missing_null_or_empty() -> Outcome {
    let first = format!(r#"{{"servers":[{}],"metadata":{{"nextCursor":"a/b c+d:1"}}}}"#, entry("x/a"));
    for end in [r"{}", r#"{"nextCursor":null}"#, r#"{"nextCursor":""}"#, r#"{"count":0}"#] {
        for servers in [entry("x/b"), String::new()] {
            let last = format!(r#"{{"servers":[{servers}],"metadata":{end}}}"#);
            let (addresses, batch) = asked("mcp-registry", "https://r.example/", &[], &[&first, &last])?;
            assert_eq!(
                addresses,
                [
                    "https://r.example/v0.1/servers?limit=100",
                    "https://r.example/v0.1/servers?limit=100&cursor=a%2Fb%20c%2Bd%3A1"
                ]
            );
            assert_eq!(batch.facts.len(), 1 + usize::from(!servers.is_empty()));
        }
    }
    let without_metadata = format!(r#"{{"servers":[{}]}}"#, entry("x/a"));
    assert_eq!(asked("mcp-registry", "https://r.example/v0.1", &[], &[&without_metadata])?.0.len(), 1);
    Ok(())
}

fn failure(connector: &str, url: &str, pages: &[&str]) -> Result<String, Box<dyn Error>> {
    match asked(connector, url, &[], pages) {
        Err(error) if error.is::<ParseError>() => Ok(error.to_string()),
        Err(error) => Err(error),
        Ok(_) => Err("no error".into()),
    }
}

#[test]
fn paging_in_a_circle_without_end_or_of_another_shape_is_an_error() -> Outcome {
    let circle = r#"{"servers":[],"metadata":{"nextCursor":"again"}}"#;
    assert_eq!(
        failure("mcp-registry", "https://r.example", &[circle, circle])?,
        "the cursor `again` came a second time; the paging runs in a circle"
    );
    let pages: Vec<String> = (0..mcp_registry::PAGES_MAX)
        .map(|page| format!(r#"{{"servers":[],"metadata":{{"nextCursor":"{page}"}}}}"#))
        .collect();
    let pages: Vec<&str> = pages.iter().map(String::as_str).collect();
    assert_eq!(
        failure("mcp-registry", "https://r.example", &pages)?,
        "the listing goes on after 2000 pages; its paging seems not to end"
    );
    for (page, reason) in [
        ("<html>", "page 1: expected a page of an MCP registry: an object with a list `servers`: it is not an object"),
        (
            r#"{"error":"busy"}"#,
            "page 1: expected a page of an MCP registry: an object with a list `servers`: it has no `servers`",
        ),
        (
            r#"{"servers":[],"metadata":{"nextCursor":7}}"#,
            "`metadata.nextCursor` is 7; expected a text, null or nothing",
        ),
    ] {
        assert_eq!(failure("mcp-registry", "https://r.example", &[page])?, reason);
    }
    let circle = r#"{"items":[],"next_cursor":"again"}"#;
    assert_eq!(
        failure("composio", "https://c.example/api/v3/tools", &[circle, circle])?,
        "the cursor `again` came a second time; the paging runs in a circle"
    );
    Ok(())
}

#[test]
fn an_incremental_pass_asks_for_all_versions_of_what_changed_and_removes_nothing() -> Outcome {
    let options = [("mode", "incremental"), ("updated_since", "2026-01-02T01:00:00+01:00")];
    let changed = format!(r#"{{"servers":[{}],"metadata":{{}}}}"#, entry("x/a"));
    let versions = r#"{"servers":[{"server":{"name":"x/a","version":"1"}},{"server":{"name":"x/a","version":"0"}}]}"#;
    let (addresses, batch) = asked("mcp-registry", "https://r.example", &options, &[&changed, versions])?;
    assert_eq!(
        addresses,
        [
            "https://r.example/v0.1/servers?limit=100&updated_since=2026-01-02T00%3A00%3A00Z",
            "https://r.example/v0.1/servers/x%2Fa/versions"
        ]
    );
    assert!(batch.partial);
    assert_eq!((batch.items_upstream, batch.facts.len(), batch.versions), (2, 1, 1));
    let (addresses, batch) = asked("mcp-registry", "https://r.example", &[("mode", "incremental")], &[&changed])?;
    assert_eq!((addresses.len(), batch.partial), (1, false), "without a time the pass is full");
    for options in
        [[("mode", "sometimes"), ("updated_since", "")], [("mode", "incremental"), ("updated_since", "yesterday")]]
    {
        assert!(asked("mcp-registry", "https://r.example", &options, &[]).is_err());
    }
    Ok(())
}
