//! An entry that turned unreadable is still listed: its reject names the fact that it was, so that the fact is held back and not taken for
//! removed.

use bytes::Bytes;
use refdesk_core::Body;
use refdesk_core::fact::CoveredKeys;
use refdesk_core::item::Item;
use refdesk_ingest::connectors::Batch;
use serde_json::{Value, json};

use crate::tarball::{Outcome, fact, run, run_tarball, server, tarball, target};

/// The fact is there before, and afterwards a reject covers it, but not the fact beside it.
fn assert_held_back(connector: &str, key: &str, beside: &str, before: &Batch, after: &Batch) {
    let has = |batch: &Batch, key: &str| batch.facts.iter().any(|fact| fact.key == key);
    assert!(has(before, key) && has(before, beside), "{connector}: {:?}", before.facts);
    assert!(!has(after, key) && has(after, beside), "{connector}: {:?}", after.facts);
    let covered = CoveredKeys::from_rejects(&after.rejects);
    assert!(covered.has(key) && !covered.has(beside), "{connector}: {:?}", after.rejects);
}

#[test]
fn an_entry_of_a_list_that_turned_unreadable_is_told_from_one_that_is_gone() -> Outcome {
    for (connector, url, key, beside, good, bad) in [
        (
            "litellm",
            "https://raw.example/prices.json",
            "anvil-1",
            "anvil-2",
            r#"{"anvil-1": {"litellm_provider": "acme"}, "anvil-2": {"litellm_provider": "acme"}}"#,
            r#"{"anvil-1": 7, "anvil-2": {"litellm_provider": "acme"}}"#,
        ),
        (
            "models-dev",
            "https://models.example/api.json",
            "acme/anvil-1",
            "other/anvil-1",
            r#"{"acme": {"id": "acme", "models": {"anvil-1": {"id": "anvil-1", "name": "A"}}},
                "other": {"id": "other", "models": {"anvil-1": {"id": "anvil-1", "name": "A"}}}}"#,
            r#"{"acme": {"id": "acme", "models": []}, "other": {"id": "other", "models": {"anvil-1": {"id": "anvil-1", "name": "A"}}}}"#,
        ),
        (
            "openrouter",
            "https://router.example/api/v1/models",
            "acme/anvil-1",
            "acme/anvil-2",
            r#"{"data": [{"id": "acme/anvil-1", "context_length": 4096}, {"id": "acme/anvil-2"}]}"#,
            r#"{"data": [{"id": "acme/anvil-1", "context_length": "unlimited"}, {"id": "acme/anvil-2"}]}"#,
        ),
        (
            "llm-prices",
            "https://prices.example/prices.json",
            "anvil-1",
            "anvil-2",
            r#"{"prices": [{"id": "anvil-1", "vendor": "acme", "name": "A", "input": 1, "output": 2},
                           {"id": "anvil-2", "vendor": "acme", "name": "B", "input": 1, "output": 2}]}"#,
            r#"{"prices": [{"id": "anvil-1", "name": "A", "input": 1, "output": 2},
                           {"id": "anvil-2", "vendor": "acme", "name": "B", "input": 1, "output": 2}]}"#,
        ),
        (
            "mcp-registry",
            "https://registry.example",
            "io.github.lamp/lantern",
            "io.github.lamp/wick",
            r#"{"servers": [{"server": {"name": "io.github.lamp/lantern", "description": "Lights.", "version": "1.0.0"}},
                            {"server": {"name": "io.github.lamp/wick", "description": "Burns.", "version": "1.0.0"}}]}"#,
            r#"{"servers": [{"server": {"name": "io.github.lamp/lantern", "description": "Lights.", "version": 7}},
                            {"server": {"name": "io.github.lamp/wick", "description": "Burns.", "version": "1.0.0"}}]}"#,
        ),
        (
            "composio",
            "https://c.example/api/v3/tools",
            "LAMPS_LIGHT",
            "LAMPS_OLD",
            r#"{"items": [{"name": "Light", "slug": "LAMPS_LIGHT"}, {"name": "Old", "slug": "LAMPS_OLD"}]}"#,
            r#"{"items": [{"name": 7, "slug": "LAMPS_LIGHT"}, {"name": "Old", "slug": "LAMPS_OLD"}]}"#,
        ),
        (
            "mental-models",
            "https://raw.githubusercontent.com/lamp/models/main/models.json",
            "P1",
            "P2",
            r#"{"models": [{"code": "P1", "name": "Prism", "definition": "Bend it."}, {"code": "P2", "name": "Lens", "definition": "Focus it."}]}"#,
            r#"{"models": [{"code": "P1", "name": "Prism"}, {"code": "P2", "name": "Lens", "definition": "Focus it."}]}"#,
        ),
        (
            "methods-csv",
            "https://raw.githubusercontent.com/lamp/methods/main/methods.csv",
            "methods.csv#Prism",
            "methods.csv#Lens",
            "category,method_name,description,output_pattern\ncore,Prism,Bend it.,a\ncore,Lens,Focus it.,a\n",
            "category,method_name,description,output_pattern\ncore,Prism,,a\ncore,Lens,Focus it.,a\n",
        ),
    ] {
        let target = target(url, &[])?;
        let read = |text: &'static str| run(connector, &target, |_| Some(Bytes::from(text)));
        assert_held_back(connector, key, beside, &read(good)?, &read(bad)?);
    }
    Ok(())
}

/// The inner field alone would not do: a record has several of that name.
#[test]
fn the_reason_of_a_reject_names_a_nested_field_whole() -> Outcome {
    for (cost, field) in [
        (r#"{"input": "soon"}"#, "cost.input"),
        (r#"{"tiers": [{"tier": {"type": "context", "size": 1000}, "input": "soon"}]}"#, "cost.tiers.input"),
        (r#"{"context_over_200k": {"output": "soon"}}"#, "cost.context_over_200k.output"),
    ] {
        let models = format!(r#"{{"a": {{"id": "a"}}, "b": {{"id": "b", "cost": {cost}}}}}"#);
        let text = Bytes::from(format!(r#"{{"acme": {{"id": "acme", "models": {models}}}}}"#));
        let batch = run("models-dev", &target("https://models.example/api.json", &[])?, |_| Some(text.clone()))?;
        assert_eq!(batch.rejects[0].reason, format!("`{field}` is \"soon\", which is not a price"));
    }
    Ok(())
}

#[test]
fn a_file_of_a_repository_that_turned_unreadable_is_told_from_one_that_is_gone() -> Outcome {
    const SKILL: &[u8] = b"---\nname: lamp\ndescription: Lights a lamp.\n---\nLight it.\n";
    const CARD: &[u8] =
        b"kind: tool\nid: lamp-kit\ndisplay_name: Lamp kit\nstatus: active\ncategory: cli\nsource_url: https://lamp.example/\n";
    const OTHER_CARD: &[u8] =
        b"kind: tool\nid: wick-kit\ndisplay_name: Wick kit\nstatus: active\ncategory: cli\nsource_url: https://wick.example/\n";
    const SERVER: &[u8] = b"name: lamp\nimage: mcp/lamp\ntype: server\n";
    const TOOLS: &[u8] = br#"[{"name": "light", "description": "Lights it."}]"#;
    type Files = &'static [(&'static str, &'static [u8])];
    let cases: [(&str, &str, &str, Files, Files); 4] = [
        (
            "skills-repo",
            "skills/lamp",
            "skills/wick",
            &[("skills/lamp/SKILL.md", SKILL), ("skills/wick/SKILL.md", SKILL)],
            &[("skills/lamp/SKILL.md", b"---\nname: [\n---\n"), ("skills/wick/SKILL.md", SKILL)],
        ),
        (
            "cards",
            "lamp-kit",
            "wick-kit",
            &[("tools/a.yaml", CARD), ("tools/wick-kit.yaml", OTHER_CARD)],
            &[("tools/a.yaml", b"kind: tool\nid: lamp-kit\nname: [\n"), ("tools/wick-kit.yaml", OTHER_CARD)],
        ),
        (
            "docker-mcp",
            "lamp",
            "wick",
            &[("servers/lamp/server.yaml", SERVER), ("servers/wick/server.yaml", SERVER)],
            &[("servers/lamp/server.yaml", b"type: server\n"), ("servers/wick/server.yaml", SERVER)],
        ),
        (
            "docker-mcp",
            "lamp/light",
            "wick/light",
            &[
                ("servers/lamp/server.yaml", SERVER),
                ("servers/lamp/tools.json", TOOLS),
                ("servers/wick/server.yaml", SERVER),
                ("servers/wick/tools.json", TOOLS),
            ],
            &[
                ("servers/lamp/server.yaml", SERVER),
                ("servers/lamp/tools.json", b"{}"),
                ("servers/wick/server.yaml", SERVER),
                ("servers/wick/tools.json", TOOLS),
            ],
        ),
    ];
    for (connector, key, beside, good, bad) in cases {
        let url = "https://codeload.github.com/lamp/any/tar.gz/main";
        let read = |files: Files| run_tarball(connector, url, &[], &tarball(files)?);
        assert_held_back(connector, key, beside, &read(good)?, &read(bad)?);
    }
    Ok(())
}

/// The archive of a local folder, in which `U` stands for a file that cannot be read and `W` for such a folder.
fn folder_tarball(entries: &[(&str, u8, &[u8])]) -> Result<Bytes, Box<dyn std::error::Error>> {
    let mut archive = tar::Builder::new(flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast()));
    for (path, entry_type, content) in entries {
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(tar::EntryType::new(*entry_type));
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        archive.append_data(&mut header, format!("folder/{path}"), *content)?;
    }
    Ok(Bytes::from(archive.into_inner()?.finish()?))
}

#[test]
fn what_cannot_be_read_of_a_folder_is_a_reject_that_covers_what_it_held() -> Outcome {
    const DENIED: &[u8] = b"Permission denied";
    const SKILL: &[u8] = b"---\nname: lamp\ndescription: Lights a lamp.\n---\nLight it.\n";
    let reason = "cannot be read: Permission denied; make it readable";
    let entries: [(&str, u8, &[u8]); 6] = [
        ("skills/lamp/SKILL.md", b'0', SKILL),
        ("skills/sealed", b'W', DENIED),
        ("skills/wick/SKILL.md", b'U', DENIED),
        ("notes.txt", b'U', DENIED),
        (".hidden", b'W', DENIED),
        ("cards/hoe.yaml", b'0', b"kind: tool\nid: hoe\ndisplay_name: Hoe\nsource_url: https://e.org/\n"),
    ];
    let body = folder_tarball(&entries)?;
    let skills = run_tarball("skills-repo", "file:///srv/tools", &[], &body)?;
    let told: Vec<(&str, &str)> =
        skills.rejects.iter().map(|reject| (reject.key.as_str(), reject.reason.as_str())).collect();
    assert_eq!(told, [("skills/wick/SKILL.md", reason), (".hidden/", reason), ("skills/sealed/", reason)]);
    let covered = CoveredKeys::from_rejects(&skills.rejects);
    let keys = ["skills/wick", "skills/sealed", "skills/sealed/er", "skills/lamp", "skills/sealed-off"];
    assert_eq!(keys.map(|key| covered.has(key)), [true, true, true, false, false]);

    for (include, told) in [
        ("", vec!["skills/wick/SKILL.md", "skills/sealed/"]),
        ("cards", vec![]),
        ("skills/sealed/er cards", vec!["skills/sealed/"]),
    ] {
        let cards = run_tarball("cards", "file:///srv/tools", &[("include", include)], &body)?;
        let keys: Vec<&str> = cards.rejects.iter().map(|reject| reject.key.as_str()).collect();
        let expected: Vec<&str> = if include.is_empty() { [vec!["skills/lamp/SKILL.md"], told].concat() } else { told };
        assert_eq!(keys, expected, "include = {include:?}");
    }
    Ok(())
}

#[test]
fn a_path_of_a_registry_that_starts_in_its_folder_is_found() -> Outcome {
    let registry = b"- title: A\n  path: ./guides/a.md\n- title: B\n  path: ./b.md\n";
    let files: &[(&str, &[u8])] = &[("registry.yaml", registry), ("guides/a.md", b"# A\n")];
    let batch = run_tarball("cookbook", "https://codeload.github.com/lamp/cb/tar.gz/main", &[], &tarball(files)?)?;
    let found = fact(&batch, "guides/a.md")?;
    assert_eq!(
        (&found.body, found.source_url.as_str()),
        (&Body::Record, "https://github.com/lamp/cb/blob/main/guides/a.md")
    );
    assert_eq!(fact(&batch, "b.md")?.body, Body::Missing("the repository does not hold b.md".into()));
    assert!(batch.ignored.is_empty(), "{:?}", batch.ignored);
    Ok(())
}

#[test]
fn a_path_of_a_registry_that_is_a_folder_is_the_page_that_describes_it() -> Outcome {
    let registry =
        b"- title: Split\n  path: core/split\n- title: Gone\n  path: core/gone\n- title: Code\n  path: a.py\n";
    let files: &[(&str, &[u8])] =
        &[("registry.yaml", registry), ("core/split/README.md", b"# Splits\n"), ("a.py", b"print()\n")];
    let batch = run_tarball("cookbook", "https://codeload.github.com/lamp/cb/tar.gz/main", &[], &tarball(files)?)?;
    let split = fact(&batch, "core/split")?;
    assert_eq!(
        (split.head.name.as_str(), &split.body, split.record.as_bytes(), split.source_url.as_str()),
        ("Split", &Body::Record, &b"# Splits\n"[..], "https://github.com/lamp/cb/blob/main/core/split/README.md")
    );
    assert_eq!(fact(&batch, "core/gone")?.body, Body::Missing("the repository does not hold core/gone".into()));
    let code = Body::Missing("a.py is neither a notebook nor a page of Markdown".into());
    assert_eq!(fact(&batch, "a.py")?.body, code, "it is there");
    Ok(())
}

/// `run_tarball` compares with the count of who did not do the reading.
#[test]
fn an_entry_of_a_registry_that_is_none_leaves_the_others_counted() -> Outcome {
    let registry = b"- title: A\n  path: a.md\n- just text\n- title: B\n  path: b.md\n- 7\n";
    let files: &[(&str, &[u8])] = &[("registry.yaml", registry), ("a.md", b"# A\n"), ("b.md", b"# B\n")];
    let batch = run_tarball("cookbook", "https://codeload.github.com/lamp/cb/tar.gz/main", &[], &tarball(files)?)?;
    assert_eq!((batch.items_upstream, batch.facts.len(), batch.rejects.len()), (4, 2, 2), "{:?}", batch.rejects);
    Ok(())
}

#[test]
fn a_registry_may_list_its_entries_below_keys() -> Outcome {
    let registry = b"version: 2\nauthors:\n  - name: Ann\nrecipes: [{title: 1984, path: a.md}, {title: B}]\nguides:\n  - title: C\n    path: c.md\n";
    let files: &[(&str, &[u8])] =
        &[("registry.yaml", registry), ("a.md", b"# A\n"), ("c.md", b"# C\n"), ("d.md", b"# D\n")];
    let url = "https://codeload.github.com/lamp/cb/tar.gz/main";
    let batch = run_tarball("cookbook", url, &[], &tarball(files)?)?;
    let read: Vec<_> = batch.facts.iter().map(|fact| (fact.key.as_str(), fact.head.name.as_str())).collect();
    let told: Vec<&str> = batch.rejects.iter().map(|reject| reject.reason.as_str()).collect();
    assert_eq!(read, [("a.md", "1984"), ("c.md", "C")], "a title may be a number");
    assert_eq!(told, ["`entry 2` in registry.yaml has no `path`"]);
    assert_eq!(json!(batch.ignored), json!({"notebooks and pages that the registry does not list": 1}));
    let without = tarball(&[("registry.yaml", b"authors:\n  - name: Ann\n")])?;
    let error = run_tarball("cookbook", url, &[], &without).err().map(|error| error.to_string()).unwrap_or_default();
    assert!(error.contains("registry.yaml is not a list of entries"), "{error}");
    Ok(())
}

#[test]
fn a_version_of_a_server_that_cannot_be_read_is_listed_and_the_one_before_it_is_not_the_latest() -> Outcome {
    const OFFICIAL: &str = "io.modelcontextprotocol.registry/official";
    let entry = |version: &str, packages: Value, is_latest: bool| {
        let day = format!("2026-0{}-01T00:00:00Z", &version[..1]);
        let server = json!({"name": "com.lamp/a", "version": version, "description": "A", "packages": packages});
        json!({"server": server, "_meta": {OFFICIAL: {"status": "active", "isLatest": is_latest, "publishedAt": day}}})
    };
    let unnamed = json!({"server": {"version": "9.0.0", "packages": 7}});
    let page = json!({"servers": [entry("1.0.0", json!([]), false), entry("2.0.0", json!(["npm"]), true), unnamed]});
    let body = Bytes::from(page.to_string());
    let batch = run("mcp-registry", &target("https://registry.example", &[])?, |_| Some(body.clone()))?;
    assert_eq!((batch.items_upstream, batch.facts.len(), batch.versions, batch.rejects.len()), (3, 1, 0, 2));
    let lamp = fact(&batch, "com.lamp/a")?;
    let shown = server(lamp)?;
    assert_eq!((shown.version.as_deref(), shown.is_latest), (Some("1.0.0"), Some(false)), "what can be read is shown");
    let versions = lamp.identity.versions.iter().map(|version| (&*version.version, version.is_latest));
    assert_eq!(
        versions.collect::<Vec<_>>(),
        [("2.0.0", Some(true)), ("1.0.0", Some(false))],
        "and what is newer is told"
    );
    Ok(())
}

#[test]
fn an_entry_of_a_registry_that_is_no_yaml_leaves_the_others_and_counts_where_its_lines_are_clear() -> Outcome {
    let registry = b"# Recipes\n- title: A\n  path: a.md\n- title: Lamps: a guide\n  path: b.md\n- title: C\n  title: See\n  path: c.md\n\
                     - title: D\n  tags: [oil\n  path: d.md\n";
    let page: &[u8] = b"# Page\n";
    let files: &[(&str, &[u8])] =
        &[("registry.yaml", registry), ("a.md", page), ("b.md", page), ("c.md", page), ("d.md", page)];
    let url = "https://codeload.github.com/lamp/cb/tar.gz/main";
    let batch = run_tarball("cookbook", url, &[], &tarball(files)?)?;
    let named: Vec<_> = batch.facts.iter().map(|fact| (fact.key.as_str(), fact.head.name.as_str())).collect();
    assert_eq!(named, [("a.md", "A"), ("b.md", "Lamps: a guide")]);
    let told: Vec<_> = batch.rejects.iter().map(|reject| (reject.key.as_str(), reject.reason.as_str())).collect();
    assert_eq!(
        told[0],
        ("c.md", "`c.md` in registry.yaml is not valid YAML: line 7: `title` stands twice: leave one out")
    );
    assert!(told[1].0 == "d.md" && told[1].1.contains("registry.yaml is not valid YAML: line "), "{told:?}");
    assert!(batch.ignored.is_empty(), "they are listed: {:?}", batch.ignored);
    let covered = CoveredKeys::from_rejects(&batch.rejects);
    assert!(covered.has("c.md") && covered.has("d.md"));
    let nothing = run_tarball("cookbook", url, &[], &tarball(&[("registry.yaml", b"- [\n"), ("a.md", page)])?);
    let error = nothing.err().map(|error| error.to_string()).unwrap_or_default();
    assert!(error.contains("registry.yaml: invalid YAML"), "{error}");
    Ok(())
}

#[test]
fn an_entry_of_a_registry_may_list_in_one_line_and_lead_to_another_site() -> Outcome {
    let registry = b"- title: A\n  path: /guides/a b.md\n  authors: ann\n  tags: oil, wick\n\
                     - title: B\n  path: https://films.example/b\n  authors: [{name: Bo}, cy]\n";
    let authors = b"ann: Ann Ember\ncy: {name: Cy}\n";
    let files: &[(&str, &[u8])] =
        &[("registry.yaml", registry), ("authors.yaml", authors), ("guides/a b.md", b"# A\n")];
    let url = "https://codeload.github.com/lamp/cb/tar.gz/main";
    let batch = run_tarball("cookbook", url, &[("site", "https://cb.example")], &tarball(files)?)?;
    let missing = Body::Missing("the repository does not hold https://films.example/b".into());
    for (key, body, page, authors, topics) in [
        ("guides/a b.md", Body::Record, "https://cb.example/guides/a%20b", vec!["Ann Ember"], vec!["oil", "wick"]),
        ("https://films.example/b", missing, "https://films.example/b", vec!["Bo", "Cy"], vec![]),
    ] {
        let fact = fact(&batch, key)?;
        let Item::Tutorial(tutorial) = &fact.item else { return Err("no tutorial".into()) };
        assert_eq!((&fact.body, fact.provenance.references.as_slice()), (&body, &[page.to_owned()][..]), "{key}");
        assert!(tutorial.authors.iter().eq(&authors) && tutorial.topics.iter().eq(&topics), "{key}: {tutorial:?}");
    }
    Ok(())
}

#[test]
fn a_reject_of_a_registry_says_which_server_it_is() -> Outcome {
    let page = json!({"servers": [
        {"server": {"name": "com.lamp/a", "version": "1.0.0", "packages": ["npm"]}},
        {"server": {"name": "com.lamp/b", "version": "1.0.0", "remotes": {"type": "sse"}}},
        {"server": {"name": "com.lamp/c", "version": "1.0.0"}},
    ]});
    let body = Bytes::from(page.to_string());
    let batch = run("mcp-registry", &target("https://registry.example", &[])?, |_| Some(body.clone()))?;
    let told: Vec<_> = batch.rejects.iter().map(|reject| reject.reason.as_str()).collect();
    assert_eq!(
        told,
        [
            "com.lamp/a: `packages` holds something that is not an object",
            "com.lamp/b: `remotes` is a mapping, which is not a list"
        ]
    );
    assert!(fact(&batch, "com.lamp/c").is_ok());
    Ok(())
}
