//! An item's own licence wins over its source's, and what forbids to pass an item on withholds its body.

use crate::tarball::{Outcome, fact, run, tarball_at, target};
use bytes::Bytes;
use refdesk_core::fact::RecordWithheld;
use refdesk_core::item::Item;
use refdesk_core::{Body, Fact, Kind};
use refdesk_ingest::config::SourceConfig;
use refdesk_ingest::connectors::Batch;
use refdesk_ingest::store::{Accept, Store};
use refdesk_ingest::sync::{Engine, EngineOptions, SyncResult};

const OPEN: &str = "MIT License\n\nCopyright (c) 2026 Lamp Works\n\nPermission is hereby granted, free of charge, to any person obtaining a copy";
const CLOSED: &str = "© 2026 Lamp Works. All rights reserved.\n\nUsers may not:\n- take these files out of the product\n- reproduce or copy them\n";
const APACHE: &str =
    "Apache License\nVersion 2.0, January 2004\nTERMS AND CONDITIONS FOR USE, REPRODUCTION, AND DISTRIBUTION\n";

fn skill(name: &str, license: &str) -> String {
    format!("---\nname: {name}\ndescription: Does {name}.\n{license}---\n\nWords of {name}.\n")
}

fn read(
    connector: &str,
    files: &[(&str, &[u8])],
    links: &[(&str, &str)],
    serve_restricted: bool,
) -> Result<Batch, Box<dyn std::error::Error>> {
    let body = tarball_at(None, files, links)?;
    let mut target = target("https://codeload.github.com/lamp/works/tar.gz/main", &[])?;
    target.serve_restricted = serve_restricted;
    Ok(run(connector, &target, |_| Some(body.clone()))?)
}

/// Licence, body and record as a fact shows them.
fn shown(fact: &Fact) -> (Option<&str>, bool, Option<RecordWithheld>) {
    (fact.provenance.license.as_deref(), fact.body == Body::Missing("licence".into()), fact.provenance.record_withheld)
}

#[test]
fn the_nearest_licence_file_and_the_front_matter_decide_for_each_skill() -> Outcome {
    let (plain, mit, closed) =
        (skill("a", ""), skill("b", "license: MIT\n"), skill("c", "license: Complete terms in LICENSE.txt\n"));
    let stated = skill("d", "license: Proprietary. LICENSE.txt has complete terms\n");
    let (listed, named) =
        (skill("i", "license: [MIT, Proprietary]\n"), skill("j", "license: {name: MIT, url: 'https://a.example'}\n"));
    let files: &[(&str, &[u8])] = &[
        ("LICENSE", APACHE.as_bytes()),
        ("skills/a/SKILL.md", plain.as_bytes()),
        ("skills/b/SKILL.md", mit.as_bytes()),
        ("skills/c/SKILL.md", closed.as_bytes()),
        ("skills/c/LICENSE.txt", CLOSED.as_bytes()),
        ("skills/d/SKILL.md", stated.as_bytes()),
        ("skills/e/SKILL.md", plain.as_bytes()),
        ("skills/e/LICENSE.txt", b"\xff\xfe\x00unreadable"),
        ("skills/f/SKILL.md", plain.as_bytes()),
        ("skills/f/LICENSE-MIT", OPEN.as_bytes()),
        ("skills/f/LICENSE-APACHE", APACHE.as_bytes()),
        ("skills/g/SKILL.md", mit.as_bytes()),
        ("skills/g/LICENSE", b"  \n"),
        ("skills/h/SKILL.md", plain.as_bytes()),
        ("skills/h/LICENSE.md", b"Lamp Works Public Licence. Share it as you like."),
        ("skills/i/SKILL.md", listed.as_bytes()),
        ("skills/j/SKILL.md", named.as_bytes()),
    ];
    let batch = read("skills-repo", files, &[("skills/a/LICENSE", "../../LICENSE")], false)?;
    let withheld = Some(RecordWithheld::Licence);
    for (key, wanted) in [
        ("skills/a", (Some("Apache-2.0"), false, None)),
        ("skills/b", (Some("MIT"), false, None)),
        ("skills/c", (Some("proprietary"), true, withheld)),
        ("skills/d", (Some("proprietary"), true, withheld)),
        ("skills/e", (Some("unreadable"), true, withheld)),
        ("skills/f", (Some("Apache-2.0 OR MIT"), false, None)),
        ("skills/g", (Some("unreadable"), true, withheld)),
        ("skills/h", (Some("unknown"), false, None)),
        ("skills/i", (Some("proprietary"), true, withheld)),
        ("skills/j", (Some("MIT"), false, None)),
    ] {
        assert_eq!(shown(fact(&batch, key)?), wanted, "{key}");
    }
    let kept = fact(&batch, "skills/c")?;
    assert_eq!(kept.record.as_bytes(), closed.as_bytes(), "the record stays, so that its hash can be checked");
    let open = read("skills-repo", files, &[], true)?;
    assert_eq!(shown(fact(&open, "skills/c")?), (Some("proprietary"), false, None), "the operator answers for it");
    assert_eq!(fact(&open, "skills/c")?.body, Body::Record);
    Ok(())
}

#[test]
fn documents_tutorials_and_frameworks_are_withheld_alike() -> Outcome {
    let page: &[u8] = b"# Lamps\n\nWords.\n";
    let files: &[(&str, &[u8])] = &[
        ("docs/open.md", page),
        ("closed/LICENSE", CLOSED.as_bytes()),
        ("closed/page.md", page),
        ("closed/own.md", b"---\ntitle: Own\nlicense: CC-BY-4.0\n---\nWords.\n"),
        ("docs/stated.md", b"---\ntitle: Own\nlicense: All rights reserved\n---\nWords.\n"),
    ];
    let batch = read("markdown-docs", files, &[], false)?;
    assert_eq!(shown(fact(&batch, "docs/open.md")?), (None, false, None), "nothing tells its licence");
    assert_eq!(shown(fact(&batch, "closed/page.md")?), (Some("proprietary"), true, Some(RecordWithheld::Licence)));
    assert!(shown(fact(&batch, "closed/own.md")?).1, "the folder's licence forbids it whatever the page says");
    assert!(shown(fact(&batch, "docs/stated.md")?).1);

    let registry: &[u8] = b"- title: Lamps\n  path: closed/page.md\n- title: Oil\n  path: open/oil.md\n";
    let files: &[(&str, &[u8])] = &[
        ("registry.yaml", registry),
        ("closed/COPYING", CLOSED.as_bytes()),
        ("closed/page.md", page),
        ("open/oil.md", page),
    ];
    let batch = read("cookbook", files, &[], false)?;
    assert!(shown(fact(&batch, "closed/page.md")?).1);
    assert_eq!(fact(&batch, "open/oil.md")?.body, Body::Record);

    let files: &[(&str, &[u8])] =
        &[("patterns/light/system.md", b"# STEPS\n\n- Light it.\n"), ("patterns/light/LICENSE", CLOSED.as_bytes())];
    let batch = read("patterns-repo", files, &[], false)?;
    let Item::Framework(framework) = &fact(&batch, "patterns/light/system.md")?.item else {
        return Err("kind".into());
    };
    assert_eq!((&framework.prompt, framework.steps.len()), (&None, 0), "its text stands in its fields");
    Ok(())
}

#[test]
fn the_address_is_the_file_at_the_commit_that_the_archive_names() -> Outcome {
    const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";
    let text = skill("a", "");
    let body = tarball_at(Some(COMMIT), &[("skills/a/SKILL.md", text.as_bytes()), ("docs/a b.md", b"# A\n")], &[])?;
    let target = target("https://codeload.github.com/lamp/works/tar.gz/main", &[])?;
    for (connector, key, path) in
        [("skills-repo", "skills/a", "skills/a/SKILL.md"), ("markdown-docs", "docs/a b.md", "docs/a%20b.md")]
    {
        let batch = run(connector, &target, |_| Some(body.clone()))?;
        assert_eq!(fact(&batch, key)?.source_url, format!("https://github.com/lamp/works/blob/{COMMIT}/{path}"));
    }
    Ok(())
}

#[test]
fn every_file_of_a_documentation_is_a_page_or_counted_by_name() -> Outcome {
    let files: &[(&str, &[u8])] = &[
        ("docs/a.md", b"+++\ntitle = \"Alpha { #a }\"\nslug = \"first\"\ndraft = true\n+++\n\n# Other\n"),
        ("docs/b.rst", b"Beta\n====\n\nPart\n----\n\nWords.\n"),
        ("docs/c.mdx", b"# Gamma { #the-c }\n\nWords.\n"),
        ("docs/d.adoc", b"= Delta\n"),
        ("docs/e.ipynb", b"{}"),
        ("docs/f.html", b"<h1>F</h1>"),
        ("docs/docs.json", b"{}"),
        ("docs/logo.png", b"png"),
        (".github/CONTRIBUTING.md", b"# Hidden\n"),
        ("node_modules/x/README.md", b"# Vendored\n"),
        ("other/g.md", b"# Elsewhere\n"),
        ("LICENSE", OPEN.as_bytes()),
    ];
    let links = [("docs/alias.md", "a.md"), ("docs/image", "logo.png")];
    let body = tarball_at(None, files, &links)?;
    let options = [("exclude", "other"), ("site", "https://lamp.example"), ("root", "docs")];
    let target = target("https://codeload.github.com/lamp/works/tar.gz/main", &options)?;
    let batch = run("markdown-docs", &target, |_| Some(body.clone()))?;
    let named: Vec<(&str, usize)> = batch.ignored.iter().map(|(name, count)| (name.as_str(), *count)).collect();
    assert_eq!(
        named,
        [
            ("files outside of the folders that are read", 1),
            ("files that are not pages", 1),
            ("licence files", 1),
            ("navigation files", 1),
            ("pages in hidden folders", 1),
            ("pages of another format (.adoc)", 1),
            ("pages of another format (.html)", 1),
            ("pages of another format (.ipynb)", 1),
            ("pages of vendored packages", 1),
            ("symbolic links", 1),
            ("symbolic links to pages", 1),
        ]
    );
    let shown = |key: &str| -> Result<_, String> {
        let fact = fact(&batch, key)?;
        let Item::Document(document) = &fact.item else { return Err("kind".into()) };
        let slugs: Vec<&str> = document.headings.iter().map(|heading| heading.slug.as_str()).collect();
        Ok((fact.head.name.clone(), document.canonical_url.clone().unwrap_or_default(), slugs.join(" ")))
    };
    let row = |name: &str, url: &str, slugs: &str| (name.to_owned(), url.to_owned(), slugs.to_owned());
    assert_eq!(shown("docs/a.md")?, row("Alpha", "https://lamp.example/first", "other"));
    assert_eq!(shown("docs/b.rst")?, row("Beta", "https://lamp.example/b", "beta part"));
    assert_eq!(shown("docs/c.mdx")?, row("Gamma", "https://lamp.example/c", "the-c"));
    Ok(())
}

#[test]
fn markdown_that_was_read_beside_an_html_page_says_so() -> Outcome {
    let serve = |url: &url::Url| {
        Some(Bytes::from_static(match url.path() {
            "/llms.txt" => b"# Lamp\n\n- [Guide](/guide)\n",
            "/guide" => b"<!doctype html><title>Guide</title>",
            "/guide.md" => b"# Guide\n",
            _ => return None,
        }))
    };
    let batch = run("llms-txt", &target("https://lamp.example/llms.txt", &[])?, serve)?;
    let guide = fact(&batch, "https://lamp.example/guide")?;
    assert_eq!(guide.source_url, "https://lamp.example/guide.md", "the address of the bytes that were read");
    let Item::Document(document) = &guide.item else { return Err("kind".into()) };
    assert_eq!(document.canonical_url.as_deref(), Some("https://lamp.example/guide"));
    Ok(())
}

/// Whoever published a key by mistake can take it back at the source, not on every desk.
#[tokio::test]
async fn a_text_with_a_literal_secret_is_withheld_and_one_with_an_example_is_shown() {
    let folder = tempfile::tempdir().unwrap();
    for (file, key) in [
        ("held.md", "sk-proj-9Qw7Er6Ty5Ui4Op3As2Df1Gh"),
        ("named.md", "sk-your-key-9Qw7Er6Ty5Ui4Op3As2"),
        ("typed.md", "sk-proj-0123456789Qw7Er6Ty5Ui"),
        ("slug.md", "sk-learn-tutorials-for-lamps-2026"),
    ] {
        std::fs::write(folder.path().join(file), format!("# Lamps\n\n    export LAMP_KEY=\"{key}\"\n")).unwrap();
    }
    let store = Store::open_in_memory().await.unwrap();
    let source = SourceConfig::new("docs", "markdown-docs", folder.path().to_str().unwrap());
    let engine = Engine::new(store.clone(), vec![source], EngineOptions::default()).unwrap();
    assert_eq!(engine.sync_source("docs", &Accept::No).await.unwrap().result, SyncResult::Updated);
    for fact in store.facts(&Kind::ALL).await.unwrap() {
        let told = (fact.has_body, fact.body_missing.as_deref(), fact.provenance.record_withheld);
        let expected = match fact.key.as_str() {
            "held.md" => (false, Some("secret"), Some(RecordWithheld::Secret)),
            _ => (true, None, None),
        };
        assert_eq!(told, expected, "{}", fact.key);
    }
    assert_eq!(store.facts(&Kind::ALL).await.unwrap().len(), 4);
}
