//! What the connector of documentation takes for a page and for its title, over small trees in the shapes of site generators.

use crate::tarball::{Outcome, fact, run_tarball, tarball};
use refdesk_core::item::Item;
use serde_json::json;

const URL: &str = "https://codeload.github.com/lamp/docs/tar.gz/main";

#[test]
fn a_page_is_called_by_the_heading_that_it_opens_with_where_none_is_above_it() -> Outcome {
    let files: &[(&str, &[u8])] = &[
        ("src/ch01-01.md", b"<!-- Old headings. -->\n<a id=\"x\"></a>\n\n## Trim the wick\n\n### Tools\n\nWords.\n"),
        ("src/ch01-02.mdx", b"---\nsidebar: 1\n---\nimport Oil from './oil'\n\n## Fill it {#fill}\n"),
        ("src/changes.md", b"## 2.0\n\nWords.\n\n## 1.0\n"),
        ("src/late.md", b"Words before.\n\n## About\n"),
        ("src/serde.md", b"# Serde &emsp; [![Build Status]][actions]\n\n[Build Status]: https://b.example/a.svg\n"),
        ("src/vue.md", b"<script setup>\nconst a = `\n# no\n`\n</script>\n\n# Yes {#yes}\n"),
    ];
    let batch = run_tarball("markdown-docs", URL, &[], &tarball(files)?)?;
    for (key, title) in [
        ("src/ch01-01.md", "Trim the wick"),
        ("src/ch01-02.mdx", "Fill it"),
        ("src/changes.md", "changes"),
        ("src/late.md", "late"),
        ("src/serde.md", "Serde"),
        ("src/vue.md", "Yes"),
    ] {
        assert_eq!(fact(&batch, key)?.head.name, title, "{key}");
    }
    Ok(())
}

#[test]
fn parts_of_pages_and_lists_of_pages_are_counted_and_are_none() -> Outcome {
    let files: &[(&str, &[u8])] = &[
        ("docs/_index.md", b"# Lamps\n"),
        ("docs/_partial.mdx", b"Shared words.\n"),
        ("docs/my_page.md", b"# Mine\n"),
        ("_sidebar.md", b"* [Lamps](/)\n"),
        ("src/SUMMARY.md", b"# Summary\n\n- [Lamps](lamps.md)\n"),
        (".github/pull.md", b"# Pull\n"),
    ];
    let batch = run_tarball("markdown-docs", URL, &[], &tarball(files)?)?;
    let keys: Vec<&str> = batch.facts.iter().map(|fact| fact.key.as_str()).collect();
    assert_eq!(keys, ["docs/_index.md", "docs/my_page.md"]);
    assert_eq!(json!(batch.ignored), json!({"pages in hidden folders": 1, "parts and lists of pages": 3}));
    Ok(())
}

#[test]
fn languages_with_regions_and_versions_of_docusaurus_stand_in_their_fields() -> Outcome {
    let files: &[(&str, &[u8])] = &[
        ("files/en-us/web/css/index.md", b"# CSS\n"),
        ("i18n/pt-br/current/intro.md", b"# Inicio\n"),
        ("versioned_docs/version-2.0.x/intro.md", b"# Intro\n"),
    ];
    let batch = run_tarball("markdown-docs", URL, &[], &tarball(files)?)?;
    for (key, language, version, section) in [
        ("files/en-us/web/css/index.md", Some("en-US"), None, "files/web/css"),
        ("i18n/pt-br/current/intro.md", Some("pt-BR"), None, "i18n/current"),
        ("versioned_docs/version-2.0.x/intro.md", None, Some("2.0.x"), "versioned_docs"),
    ] {
        let page = fact(&batch, key)?;
        let Item::Document(fields) = &page.item else { return Err("no document".into()) };
        assert_eq!(
            (page.head.language.as_deref(), fields.version.as_deref(), fields.section.as_deref()),
            (language, version, Some(section)),
            "{key}"
        );
    }
    Ok(())
}
