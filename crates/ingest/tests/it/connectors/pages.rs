//! What the connectors of documentation, tutorials and skills take for a page, and for its title and language, over small trees in the shapes
//! of site generators.

use crate::tarball::{Outcome, fact, run, run_tarball, tarball, target};
use bytes::Bytes;
use refdesk_core::Fact;
use refdesk_core::fact::CoveredKeys;
use refdesk_core::item::{Document, Item};
use serde_json::json;

const URL: &str = "https://codeload.github.com/lamp/docs/tar.gz/main";

fn document(fact: &Fact) -> Result<&Document, String> {
    let Item::Document(document) = &fact.item else { return Err(format!("{} is no document", fact.key)) };
    Ok(document)
}

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
        ("docs/__init__.md", b"# A module\n"),
        ("docs/_thread.rst", b"Threads\n=======\n"),
        ("_sidebar.md", b"* [Lamps](/)\n"),
        ("src/SUMMARY.md", b"# Summary\n\n- [Lamps](lamps.md)\n"),
        (".github/pull.md", b"# Pull\n"),
    ];
    let batch = run_tarball("markdown-docs", URL, &[], &tarball(files)?)?;
    let keys: Vec<&str> = batch.facts.iter().map(|fact| fact.key.as_str()).collect();
    assert_eq!(keys, ["docs/__init__.md", "docs/_index.md", "docs/_thread.rst", "docs/my_page.md"]);
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
        let fields = document(page)?;
        assert_eq!(
            (page.head.language.as_deref(), fields.version.as_deref(), fields.section.as_deref()),
            (language, version, Some(section)),
            "{key}"
        );
    }
    Ok(())
}

#[test]
fn a_copy_of_a_skill_is_no_second_one_and_what_is_vendored_is_none() -> Outcome {
    let glow = |more: &str| format!("---\nname: glow\ndescription: Makes it glow.\n---\n{more}");
    let (same, other) = (glow(""), glow("Slowly.\n"));
    let files: &[(&str, &[u8])] = &[
        (".claude/skills/glow/SKILL.md", same.as_bytes()),
        ("plugins/lamp/skills/glow/SKILL.md", same.as_bytes()),
        ("skills/glow/SKILL.md", same.as_bytes()),
        ("skills/shine/SKILL.md", same.as_bytes()),
        ("slow/glow/SKILL.md", other.as_bytes()),
        ("skills/node_modules/glow/SKILL.md", other.as_bytes()),
    ];
    let batch = run_tarball("skills-repo", URL, &[], &tarball(files)?)?;
    let keys: Vec<&str> = batch.facts.iter().map(|fact| fact.key.as_str()).collect();
    assert_eq!(keys, ["skills/glow", "skills/shine", "slow/glow"], "of the same bytes only in folders of one name");
    assert_eq!(json!(batch.ignored), json!({"copies of skills": 2, "files outside of skills": 1}));
    Ok(())
}

#[test]
fn the_folder_of_a_toctree_is_a_language_only_if_it_is_the_code_of_one() -> Outcome {
    let toctree = b"- title: Lamps\n  local: lamps\n";
    let files: &[(&str, &[u8])] = &[("units/zh-tw/_toctree.yml", toctree), ("docs/hub/_toctree.yml", toctree)];
    let batch = run_tarball("hf-cookbook", URL, &[], &tarball(files)?)?;
    for (key, language) in [("units/zh-tw/lamps", Some("zh-TW")), ("docs/hub/lamps", None)] {
        assert_eq!(fact(&batch, key)?.head.language.as_deref(), language, "{key}");
    }
    Ok(())
}

/// One broken file failed the tutorials of all languages.
#[test]
fn a_toctree_that_cannot_be_read_leaves_the_pages_beside_it_and_those_of_the_others() -> Outcome {
    let broken = b"- title: Lampen\n  sections:\n  - local: oil\n    title: [\n  - local: lost\n";
    let files: &[(&str, &[u8])] = &[
        // A single section needs no list around it.
        ("notebooks/en/_toctree.yml", b"title: Lamps\nsections:\n- local: oil\n  title: All of oil\n"),
        ("notebooks/en/oil.md", b"# Oil\n"),
        ("notebooks/de/_toctree.yml", broken),
        ("notebooks/de/oil.md", "# Öl\n".as_bytes()),
    ];
    let batch = run_tarball("hf-cookbook", URL, &[], &tarball(files)?)?;
    for (key, name, language) in [("notebooks/en/oil", "All of oil", "en"), ("notebooks/de/oil", "Öl", "de")] {
        let page = fact(&batch, key)?;
        assert_eq!((page.head.name.as_str(), page.head.language.as_deref()), (name, Some(language)), "{key}");
    }
    let told: Vec<&str> = batch.rejects.iter().map(|reject| reject.key.as_str()).collect();
    assert_eq!((batch.facts.len(), told), (2, vec!["notebooks/de/_toctree.yml"]));
    assert!(batch.rejects[0].reason.starts_with("is not valid YAML: line "), "{:?}", batch.rejects);
    let covered = CoveredKeys::from_rejects(&batch.rejects);
    assert!(covered.has("notebooks/de/lost") && !covered.has("notebooks/en/lost"), "what only it lists stays");
    let alone = run_tarball("hf-cookbook", URL, &[], &tarball(&files[2..])?).err().map(|error| error.to_string());
    let told = alone.unwrap_or_default();
    assert!(told.contains("notebooks/de/_toctree.yml is not valid YAML: line "), "{told}");
    Ok(())
}

#[test]
fn an_llms_txt_may_list_its_pages_in_any_form_and_other_links_are_counted() -> Outcome {
    let index = "# Lamp\n\nSee [the site](https://lamp.example/).\n\n## Docs\n\n- **[Oil](/oil.md)**: Fill it.\n- [**Wick**](/wick.md) — Trim it.\n\
                 + [Glass](/glass_(clear).md)\n1. [Base](</a base.md> \"Brass\")\n- [ ] [Match](/match.md)\n\n### [Care](/care.md)\n\n\
                 - [Soot](/soot.md)\n\n| [Row](/row.md) |\n|---|\n";
    let serve = |url: &url::Url| match url.path() {
        "/llms.txt" => Some(Bytes::from_static(index.as_bytes())),
        _ => Some(Bytes::from_static(b"Words.\n")),
    };
    let batch = run("llms-txt", &target("https://lamp.example/llms.txt", &[])?, serve)?;
    let mut shown = Vec::new();
    for page in batch.facts.iter().filter(|page| page.key != "https://lamp.example/llms.txt") {
        let fields = document(page)?;
        shown.push((
            page.head.name.as_str(),
            fields.path.as_deref(),
            fields.summary.as_deref(),
            fields.section.as_deref(),
        ));
    }
    assert_eq!(
        shown,
        [
            ("Base", Some("/a%20base.md"), None, Some("Docs")),
            ("Care", Some("/care.md"), None, Some("Care")),
            ("Glass", Some("/glass_(clear).md"), None, Some("Docs")),
            ("Match", Some("/match.md"), None, Some("Docs")),
            ("Oil", Some("/oil.md"), Some("Fill it."), Some("Docs")),
            ("Soot", Some("/soot.md"), None, Some("Care")),
            ("Wick", Some("/wick.md"), Some("Trim it."), Some("Docs")),
        ]
    );
    assert_eq!(json!(batch.ignored), json!({"lines with a link that name no page": 2}));
    Ok(())
}

#[test]
fn a_skill_that_states_no_name_is_called_as_its_folder() -> Outcome {
    let files: &[(&str, &[u8])] = &[
        ("skills/glow/SKILL.md", b"---\ndescription: Makes it glow.\n---\n"),
        ("skills/shine/SKILL.md", b"---\nname:\ndescription: Use when: it is dull.\n---\n"),
        ("SKILL.md", b"---\ndescription: Of no folder.\n---\n"),
    ];
    let batch = run_tarball("skills-repo", URL, &[], &tarball(files)?)?;
    for name in ["glow", "shine"] {
        let skill = fact(&batch, &format!("skills/{name}"))?;
        let Item::Skill(fields) = &skill.item else { return Err("no skill".into()) };
        assert_eq!((skill.head.id.as_str(), fields.name.as_str()), (name, name));
    }
    let told: Vec<&str> = batch.rejects.iter().map(|reject| reject.reason.as_str()).collect();
    assert_eq!(told, ["SKILL.md its front matter has no `name`"]);
    Ok(())
}

#[test]
fn titles_of_hugo_and_myst_are_read_and_only_pages_below_the_root_have_an_address() -> Outcome {
    let files: &[(&str, &[u8])] = &[
        ("docs/a.md", b"{\n  \"title\": \"Alpha\",\n  \"description\": \"The first.\"\n}\n\nWords.\n"),
        ("docs/b.md", b"# Use {py:class}`~lamp.Lamp` and {doc}`the wick <wick>`\n\nWords.\n"),
        ("docs/c.md", b"{\n  no JSON\n}\nWords.\n"),
        ("docs/intro.md", b"---\ntitle: Intro\nslug: /\n---\nWords.\n"),
        ("versioned_docs/version-1.0/intro.md", b"---\ntitle: Old intro\nslug: /\n---\nWords.\n"),
    ];
    let options = [("site", "https://lamp.example"), ("root", "docs")];
    let batch = run_tarball("markdown-docs", URL, &options, &tarball(files)?)?;
    for (key, title, summary, address) in [
        ("docs/a.md", "Alpha", Some("The first."), Some("https://lamp.example/a")),
        ("docs/b.md", "Use lamp.Lamp and the wick", None, Some("https://lamp.example/b")),
        ("docs/c.md", "c", None, Some("https://lamp.example/c")),
        ("docs/intro.md", "Intro", None, Some("https://lamp.example")),
        ("versioned_docs/version-1.0/intro.md", "Old intro", None, None),
    ] {
        let page = fact(&batch, key)?;
        let fields = document(page)?;
        assert_eq!((page.head.name.as_str(), fields.summary.as_deref()), (title, summary), "{key}");
        assert_eq!(fields.canonical_url.as_deref(), address, "{key}");
    }
    Ok(())
}
