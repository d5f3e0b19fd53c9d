//! The connectors of documents, tutorials and skills over small fixtures in their upstreams' shapes.

use std::path::Path;

use crate::tarball::{Outcome, fact, fixture_batch, reject, run, run_tarball, tarball_at, tarball_of, target};
use bytes::Bytes;
use refdesk_core::item::{Document, Item, Skill, Status, TrustTier, Tutorial};
use refdesk_core::{Body, Fact, HashBasis};

fn document(fact: &Fact) -> Result<&Document, String> {
    let Item::Document(document) = &fact.item else { return Err(format!("{} is no document", fact.key)) };
    Ok(document)
}

fn tutorial(fact: &Fact) -> Result<&Tutorial, String> {
    let Item::Tutorial(tutorial) = &fact.item else { return Err(format!("{} is no tutorial", fact.key)) };
    Ok(tutorial)
}

fn skill(fact: &Fact) -> Result<&Skill, String> {
    let Item::Skill(skill) = &fact.item else { return Err(format!("{} is not a skill", fact.key)) };
    Ok(skill)
}

#[test]
fn a_page_carries_what_its_front_matter_and_path_say() -> Outcome {
    let options = [("site", "https://lamp.example/"), ("root", "content"), ("language", "en")];
    let batch = fixture_batch("markdown-docs", &options)?;
    assert_eq!((batch.items_upstream, batch.facts.len(), batch.rejects.len()), (12, 10, 2), "{:?}", batch.rejects);
    let page = fact(&batch, "content/docs/03-lamp-core/05-lighting-up.mdx")?;
    assert_eq!(page.head.id, "test-docs-lamp-core-lighting-up");
    assert_eq!(page.head.name, "Lighting up");
    assert_eq!(page.head.vendor.as_deref(), Some("lamp"));
    assert_eq!(page.head.language.as_deref(), Some("en"));
    assert_eq!(
        page.source_url, "https://github.com/lamp/markdown-docs/blob/main/content/docs/03-lamp-core/05-lighting-up.mdx",
        "never the loopback address"
    );
    let fields = document(page)?;
    assert_eq!(fields.summary.as_deref(), Some("How to light a lamp from code."));
    assert_eq!(fields.section.as_deref(), Some("lamp-core"));
    assert_eq!(fields.canonical_url.as_deref(), Some("https://lamp.example/docs/lamp-core/lighting-up"));
    assert_eq!(
        fields.headings.iter().map(|heading| format!("{} {}", heading.level, heading.slug)).collect::<Vec<_>>(),
        ["1 lighting-a-lamp", "2 before-you-start", "2 before-you-start-1"]
    );
    assert_eq!((fields.bytes, fields.token_estimate), (Some(191), Some(47)));
    assert_eq!((page.record.basis(), &page.body), (HashBasis::Bytes, &Body::Record));
    Ok(())
}

#[test]
fn titles_follow_front_matter_then_heading_then_navigation_then_name() -> Outcome {
    let batch = fixture_batch("markdown-docs", &[])?;
    for (key, title) in [
        ("content/docs/03-lamp-core/05-lighting-up.mdx", "Lighting up"),
        ("pages/techniques/wick.en.mdx", "Wick trimming"),
        ("pages/techniques/wick.zh.mdx", "修剪灯芯"),
        ("pages/techniques/wick.jp.mdx", "芯の手入れ"),
        ("hub/source/torches.md", "Torches & fires"),
        ("notes/1024-oil-safety.md", "1024 oil safety"),
        ("notes/990-oil-grades.md", "990 oil grades"),
    ] {
        assert_eq!(fact(&batch, key)?.head.name, title);
    }
    Ok(())
}

#[test]
fn languages_versions_and_states_come_from_where_the_page_states_them() -> Outcome {
    let batch = fixture_batch("markdown-docs", &[])?;
    assert_eq!(fact(&batch, "pages/techniques/wick.jp.mdx")?.head.language.as_deref(), Some("ja"));
    assert_eq!(fact(&batch, "pages/techniques/wick.zh.mdx")?.head.language.as_deref(), Some("zh"));
    assert_eq!(fact(&batch, "notes/990-oil-grades.md")?.head.language, None, "nothing says so");
    let dated = fact(&batch, "specification/2025-06-18/basic/index.mdx")?;
    assert_eq!(dated.head.id, "test-specification-2025-06-18-basic");
    assert_eq!(document(dated)?.version.as_deref(), Some("2025-06-18"));
    let draft = fact(&batch, "specification/draft/index.mdx")?;
    assert_eq!((document(draft)?.version.as_deref(), draft.head.status), (Some("draft"), Status::Preview));
    let stub = fact(&batch, "content/docs/03-lamp-core/90-reference.mdx")?;
    assert_eq!(document(stub)?.canonical_url.as_deref(), Some("https://lamp.example/reference/"));
    assert_eq!(stub.body, Body::Missing("this page only points to https://lamp.example/reference/".into()));
    assert_eq!(reject(&batch, "hub/source/empty.md")?.reason, "hub/source/empty.md is empty");
    assert!(
        reject(&batch, "hub/source/latin.md")?.reason.starts_with("hub/source/latin.md is not UTF-8 text (byte 0)")
    );
    Ok(())
}

#[test]
fn included_and_excluded_folders_bound_what_is_read() -> Outcome {
    let only = fixture_batch("markdown-docs", &[("include", "notes, pages/techniques"), ("exclude", "pages")])?;
    assert_eq!(
        only.facts.iter().map(|fact| fact.key.as_str()).collect::<Vec<_>>(),
        ["notes/1024-oil-safety.md", "notes/990-oil-grades.md"]
    );
    assert!(fixture_batch("markdown-docs", &[("include", "nowhere")]).is_err());
    Ok(())
}

#[test]
fn skills_carry_tier_files_and_repository() -> Outcome {
    let batch = fixture_batch("skills-repo", &[])?;
    assert_eq!((batch.items_upstream, batch.facts.len(), batch.rejects.len()), (7, 3, 4), "{:?}", batch.rejects);
    let trim = fact(&batch, "skills/trim-wick")?;
    assert_eq!(trim.source_url, "https://github.com/lamp/skills-repo/blob/main/skills/trim-wick/SKILL.md");
    assert_eq!(trim.identity.same_as, ["skill:github.com/lamp/skills-repo#skills/trim-wick"]);
    assert_eq!(trim.head.trust_tier, None, "the source's own tier holds");
    let fields = skill(trim)?;
    assert_eq!(fields.allowed_tools, ["Read", "Bash(lamp:*)"]);
    assert_eq!(
        fields.files.iter().map(|file| (file.path.as_str(), file.bytes)).collect::<Vec<_>>(),
        [("SKILL.md", 175), ("references/cuts.md", 24)]
    );
    assert_eq!(fields.files[0].digest, trim.record.content_hash());
    let curated = fact(&batch, "skills/.curated/fill-tank")?;
    assert_eq!(curated.head.trust_tier, Some(TrustTier::Verified));
    assert_eq!(
        (curated.head.name.as_str(), curated.head.aliases.last().map(String::as_str)),
        ("tank-filler", Some("fill-tank"))
    );
    let glow = fact(&batch, "skills/.experimental/glow")?;
    assert_eq!((glow.head.trust_tier, glow.head.status), (Some(TrustTier::Community), Status::Preview));
    assert_eq!(skill(glow)?.metadata, Some(serde_json::json!({"version": "2.0.0"})));
    for (key, reason) in [
        ("template/SKILL.md", "template/SKILL.md is a template to copy, not a skill"),
        (
            "skills/broken/SKILL.md",
            "skills/broken/SKILL.md has no YAML front matter; a skill starts with `---`, `name:` and `description:`",
        ),
        (
            ".claude-plugin/marketplace.json#./#./skills/polish-brass",
            "plugin `care` lists the skill `./skills/polish-brass`, which the repository does not hold",
        ),
        (
            ".claude-plugin/marketplace.json#./plugins/night",
            "plugin `night` names the folder `./plugins/night`, which the repository does not hold",
        ),
    ] {
        assert_eq!(reject(&batch, key)?.reason, reason);
    }
    Ok(())
}

#[test]
fn a_listing_may_name_its_plugins_from_a_root_and_skills_by_file_or_link() -> Outcome {
    let skill = "---\nname: glow\ndescription: Makes it glow.\n---\n";
    let listing = serde_json::json!({
        "metadata": {"pluginRoot": "./plugins"},
        "plugins": [
            {"name": "care", "source": "care", "skills": ["./skills/glow/SKILL.md", "skills/linked", "skills/gone"]},
            {"name": "far", "source": {"source": "github", "repo": "lamp/far"}},
        ]
    })
    .to_string();
    let files: &[(&str, &[u8])] = &[
        (".claude-plugin/marketplace.json", listing.as_bytes()),
        ("plugins/care/skills/glow/SKILL.md", skill.as_bytes()),
        ("plugins/care/skills/glow/oil.md", b"Oil."),
        ("skills/templates/letters/SKILL.md", b"---\nname: letters\ndescription: Writes letters.\n---\n"),
        ("skills/templates/copy/SKILL.md", b"---\nname: your-skill\ndescription: Change me.\n---\n"),
        ("README.md", b"Read me."),
    ];
    let body = tarball_at(None, files, &[("plugins/care/skills/linked", "glow")])?;
    let batch = run_tarball("skills-repo", "https://codeload.github.com/lamp/x/tar.gz/main", &[], &body)?;
    assert_eq!(
        batch.facts.len(),
        2,
        "a skill below `templates` is a skill, unless its name says that it is to be changed"
    );
    let rejects: Vec<&str> = batch.rejects.iter().map(|reject| reject.key.as_str()).collect();
    assert_eq!(rejects, ["skills/templates/copy/SKILL.md", ".claude-plugin/marketplace.json#care#skills/gone"]);
    let named: Vec<(&str, usize)> = batch.ignored.iter().map(|(name, count)| (name.as_str(), *count)).collect();
    assert_eq!(
        named,
        [
            ("files outside of skills", 1),
            ("files that belong to a skill", 1),
            ("listed plugins", 1),
            ("listed plugins that live in another repository", 1),
            ("listed skills", 2),
            ("listings of plugins", 1),
            ("symbolic links", 1),
        ]
    );
    Ok(())
}

#[test]
fn a_cookbook_entry_has_its_notebook_as_markdown_or_says_that_it_is_missing() -> Outcome {
    let batch = fixture_batch("cookbook", &[("site", "https://cookbook.lamp.example")])?;
    assert_eq!((batch.items_upstream, batch.facts.len(), batch.rejects.len()), (5, 3, 2), "{:?}", batch.rejects);
    let lamps = fact(&batch, "examples/Hundred_Lamps.ipynb")?;
    assert_eq!(lamps.head.name, "Light a hundred lamps");
    assert_eq!(lamps.head.aliases, ["examples/Hundred_Lamps.ipynb", "hundred_lamps"]);
    assert_eq!(lamps.source_url, "https://github.com/lamp/cookbook/blob/main/examples/Hundred_Lamps.ipynb");
    assert_eq!(
        lamps.provenance.references,
        ["https://cookbook.lamp.example/examples/Hundred_Lamps"],
        "nobody fetched the public page"
    );
    assert_eq!(
        lamps.body,
        Body::Markdown(
            "# Light a hundred lamps\n\nAll at once.\n\n```python\nfor lamp in lamps:\n    lamp.light()\n```\n".into()
        )
    );
    assert_eq!(lamps.record.basis(), HashBasis::Bytes);
    let fields = tutorial(lamps)?;
    assert_eq!(fields.authors, ["Wilma Keeper", "nobody-knows"]);
    assert_eq!((fields.published_on.as_deref(), fields.format.as_deref()), (Some("2025-05-21"), Some("notebook")));
    let smoke = fact(&batch, "articles/smoke.md")?;
    assert_eq!((smoke.head.status, &smoke.body), (Status::Deprecated, &Body::Record));
    assert_eq!(tutorial(smoke)?.summary.as_deref(), Some("What soot tells about the wick."));
    assert_eq!(tutorial(smoke)?.topics, ["Care"]);
    let sea = fact(&batch, "examples/sea/Lamps_at_sea.ipynb")?;
    assert_eq!(
        sea.source_url, "https://github.com/lamp/cookbook/blob/main/registry.yaml",
        "only the registry was read"
    );
    assert_eq!(
        sea.provenance.references,
        [
            "https://github.com/lamp/cookbook/blob/main/examples/sea/Lamps_at_sea.ipynb",
            "https://cookbook.lamp.example/examples/sea/Lamps_at_sea"
        ],
        "where to read what the archive does not hold"
    );
    assert_eq!(sea.body, Body::Missing("the repository does not hold examples/sea/Lamps_at_sea.ipynb".into()));
    assert_eq!(
        String::from_utf8_lossy(sea.record.as_bytes()),
        r#"{"authors":[],"date":"2024-01-02","path":"examples/sea/Lamps_at_sea.ipynb","tags":null,"title":"Lamps at sea"}"#,
        "the registry's entry in canonical form"
    );
    assert_eq!(
        reject(&batch, "entry 4")?.reason,
        "`examples/Hundred_Lamps.ipynb` in registry.yaml is listed twice; entry 1 counts"
    );
    assert_eq!(
        reject(&batch, "examples/untitled.ipynb")?.reason,
        "`examples/untitled.ipynb` in registry.yaml has no `title`"
    );
    Ok(())
}

#[test]
fn a_nested_toctree_lists_tutorials_with_their_sections() -> Outcome {
    let batch = fixture_batch("hf-cookbook", &[])?;
    assert_eq!((batch.items_upstream, batch.facts.len(), batch.rejects.len()), (5, 4, 1), "{:?}", batch.rejects);
    let trim = fact(&batch, "notebooks/en/trim_wick")?;
    assert_eq!(trim.head.name, "Trim a wick with care");
    assert_eq!(tutorial(trim)?.topics, ["Open lamp cookbook", "Care"]);
    assert_eq!(tutorial(trim)?.authors, ["Wilma Keeper", "Otto Oil", "Ida"]);
    assert_eq!(trim.source_url, "https://github.com/lamp/hf-cookbook/blob/main/notebooks/en/trim_wick.ipynb");
    assert_eq!(trim.provenance.references, ["https://huggingface.co/learn/cookbook/trim_wick"]);
    assert!(trim.identity.same_as.contains(&"url:https://huggingface.co/learn/cookbook/en/trim_wick".to_owned()));
    let lost = fact(&batch, "notebooks/en/lost_lantern")?;
    assert_eq!(
        lost.source_url, "https://github.com/lamp/hf-cookbook/blob/main/notebooks/en/_toctree.yml",
        "only the toctree was read"
    );
    assert!(matches!(&lost.body, Body::Missing(reason) if reason.contains("notebooks/en/lost_lantern")));
    assert_eq!(fact(&batch, "notebooks/en/unlisted")?.head.name, "Beside the list");
    assert_eq!(trim.head.language.as_deref(), Some("en"));
    Ok(())
}

const SKILL: &str = "---\nname: glow\ndescription: Makes it glow.\n---\n\nGlow.\n";

#[test]
fn well_known_skills_are_taken_only_from_their_site_and_with_their_digest() -> Outcome {
    let good = refdesk_core::hash::content_hash(SKILL.as_bytes());
    let entry = |name: &str, url: &str, digest: &str| serde_json::json!({"name": name, "type": "skill-md", "description": "d", "url": url, "digest": digest});
    let index = serde_json::json!({"skills": [
        entry("glow", "glow/SKILL.md", &good),
        entry("rooted", "/.well-known/agent-skills/glow/SKILL.md", &good),
        entry("wrong", "glow/SKILL.md?again", &format!("sha256:{}", "0".repeat(64))),
        entry("gone", "gone/SKILL.md", &good),
        entry("up", "../../secret/SKILL.md", &good),
        entry("hidden-up", "%2e%2e/secret/SKILL.md", &good),
        entry("foreign", "https://other.example/SKILL.md", &good),
        entry("scheme", "file:///etc/passwd", &good),
        entry("no-digest", "glow/SKILL.md", ""),
        serde_json::json!({"name": "zip", "type": "archive", "url": "glow.zip", "digest": good}),
        entry("glow", "glow/SKILL.md", &good),
    ]})
    .to_string();
    let base = "http://127.0.0.1:9900/any/lamp.example/.well-known/agent-skills/";
    let serve = |url: &url::Url| match url.as_str().strip_prefix(base)? {
        "index.json" => Some(Bytes::from(index.clone())),
        "glow/SKILL.md" | "glow/SKILL.md?again" => Some(Bytes::from_static(SKILL.as_bytes())),
        "gone/SKILL.md" => None,
        other => panic!("{other} must never be asked for"),
    };
    // An empty option is none.
    for (url, options) in [
        ("http://127.0.0.1:9900/any/lamp.example", &[][..]),
        ("http://127.0.0.1:9900/any/lamp.example/.well-known/agent-skills/index.json", &[("vendor", "")]),
    ] {
        let batch = run("skills-wellknown", &target(url, options)?, serve)?;
        assert_eq!(batch.facts.iter().map(|fact| fact.key.as_str()).collect::<Vec<_>>(), ["glow", "rooted"]);
        let glow = fact(&batch, "glow")?;
        assert_eq!(glow.source_url, "https://lamp.example/.well-known/agent-skills/glow/SKILL.md");
        assert_eq!(glow.head.vendor.as_deref(), Some("lamp.example"));
        let told: Vec<&str> =
            batch.rejects.iter().map(|reject| reject.reason.split(',').next().unwrap_or("")).collect();
        for part in [
            "skill `up` links to `../../secret/SKILL.md`",
            "skill `hidden-up` links to `%2e%2e/secret/SKILL.md`",
            "skill `foreign` links to `https://other.example/SKILL.md` on another host",
            "skill `scheme` links to `file:///etc/passwd` on another host",
            "skill `no-digest` has no `digest` in the index",
            "skill `zip` is of type `archive`; only `skill-md` is read",
            "skill `glow` is listed twice; the first one counts",
            "skill `gone` is listed",
        ] {
            assert!(told.contains(&part), "{part} in {told:#?}");
        }
        assert!(reject(&batch, "wrong")?.reason.contains("while the index says sha256:000"));
    }
    Ok(())
}

const LLMS: &str = "# Lamp\n\n> All about lamps,\n> in short.\n\n## Docs\n\n- [Start](https://lamp.example/start.md): How to begin\n- [Guide](/guide)\n\
    - [Gone](/gone.md)\n- [Again](https://lamp.example/start.md#oil)\n- [Other](https://other.example/a.md)\n\n## Optional\n\n- [Page](/page.html)\n\n```\n- [Not](/a-link.md)\n```\n";

#[test]
fn llms_txt_brings_its_index_and_the_markdown_of_its_own_host() -> Outcome {
    let base = "http://127.0.0.1:9900/any/lamp.example/";
    let serve = |url: &url::Url| {
        let text = match url.as_str().strip_prefix(base)? {
            "llms.txt" => LLMS,
            "start.md" => "# Begin\n\nLight it.\n",
            "guide" | "page.html" => "<!DOCTYPE html><title>Guide</title>",
            "guide.md" => "---\ntitle: The guide\n---\n\nWords.\n",
            "gone.md" | "page.html.md" => return None,
            other => panic!("{other} must never be asked for"),
        };
        Some(Bytes::from_static(text.as_bytes()))
    };
    let batch = run("llms-txt", &target(&format!("{base}llms.txt"), &[])?, serve)?;
    assert_eq!((batch.items_upstream, batch.facts.len(), batch.rejects.len()), (6, 3, 3), "{:?}", batch.rejects);
    let index = fact(&batch, "https://lamp.example/llms.txt")?;
    assert_eq!(
        (index.head.name.as_str(), document(index)?.summary.as_deref()),
        ("Lamp", Some("All about lamps, in short."))
    );
    let start = fact(&batch, "https://lamp.example/start.md")?;
    assert_eq!((start.head.name.as_str(), document(start)?.section.as_deref()), ("Start", Some("Docs")));
    assert_eq!(start.source_url, "https://lamp.example/start.md");
    assert_eq!(fact(&batch, "https://lamp.example/guide")?.head.name, "The guide");
    assert!(reject(&batch, "https://other.example/a.md")?.reason.ends_with("make it a source of its own"));
    assert!(reject(&batch, "https://lamp.example/gone.md")?.reason.contains("answers 404"));
    assert!(reject(&batch, "https://lamp.example/page.html")?.reason.contains("HTML"));
    let few = run("llms-txt", &target(&format!("{base}llms.txt"), &[("pages_max", "1")])?, serve)?;
    assert_eq!((few.facts.len(), few.rejects.len()), (2, 4));
    // By the key of its fact, so that a page which slides behind the bound is held back and not taken for removed.
    assert!(reject(&few, "https://lamp.example/guide")?.reason.contains("pages_max"));
    // A byte order mark, as some editors write it.
    let marked = |url: &url::Url| serve(url).map(|text| Bytes::from([&b"\xef\xbb\xbf"[..], &text[..]].concat()));
    let marked = run("llms-txt", &target(&format!("{base}llms.txt"), &[])?, marked)?;
    assert_eq!((fact(&marked, "https://lamp.example/llms.txt")?.head.name.as_str(), marked.facts.len()), ("Lamp", 3));
    Ok(())
}

#[test]
fn what_an_llms_txt_lists_for_programs_is_no_page() -> Outcome {
    let serve = |url: &url::Url| {
        let text = match url.path() {
            "/llms.txt" => {
                "# Lamp\n\n- [API](/api.json)\n- [Map](/map.xml)\n- [Links](/links.md)\n- [Note](/note.md)\n"
            }
            "/api.json" => "{\"openapi\": \"3.1.0\", \"paths\": {}}\n",
            "/map.xml" => "\u{feff}<?xml version=\"1.0\"?><urlset/>",
            "/links.md" => "[Oil](/oil) and wicks\n",
            _ => "{note} Trim the wick.\n",
        };
        Some(Bytes::from_static(text.as_bytes()))
    };
    let batch = run("llms-txt", &target("https://lamp.example/llms.txt", &[])?, serve)?;
    let keys: Vec<&str> = batch.facts.iter().map(|fact| fact.key.as_str()).collect();
    let pages = ["links.md", "llms.txt", "note.md"].map(|page| format!("https://lamp.example/{page}"));
    assert_eq!(keys, pages);
    for key in ["https://lamp.example/api.json", "https://lamp.example/map.xml"] {
        assert!(reject(&batch, key)?.reason.ends_with("answers JSON or XML, not Markdown"), "{key}");
    }
    Ok(())
}

#[test]
fn answers_of_another_shape_fail_the_pass() -> Outcome {
    let whole = tarball_of(&Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/cookbook"))?;
    let html = Bytes::from_static(b"<!doctype html><title>Just a moment...</title>");
    for connector in
        ["markdown-docs", "skills-repo", "cookbook", "hf-cookbook", "cards", "llms-txt", "skills-wellknown"]
    {
        let url = "https://codeload.github.com/lamp/x/tar.gz/main";
        for body in [Bytes::new(), html.clone(), whole.slice(..whole.len() / 2), Bytes::from_static(b"\x07\x0e\x15")] {
            assert!(run(connector, &target(url, &[])?, |_| Some(body.clone())).is_err(), "{connector}");
        }
    }
    for connector in ["skills-repo", "hf-cookbook"] {
        assert!(
            run_tarball(connector, "https://codeload.github.com/lamp/x/tar.gz/main", &[], &whole).is_err(),
            "{connector}"
        );
    }
    Ok(())
}

#[test]
fn a_local_folder_shows_its_own_files_unless_a_repository_is_named() -> Outcome {
    let body = tarball_of(&Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/skills-repo"))?;
    let local = run_tarball("skills-repo", "file:///srv/skills", &[], &body)?;
    assert_eq!(fact(&local, "skills/trim-wick")?.source_url, "local:test/skills/trim-wick/SKILL.md");
    let options = [("repository", "https://github.com/lamp/mirror.git"), ("ref", "v2")];
    let named = run_tarball("skills-repo", "file:///srv/skills", &options, &body)?;
    assert_eq!(
        fact(&named, "skills/trim-wick")?.source_url,
        "https://github.com/lamp/mirror/blob/v2/skills/trim-wick/SKILL.md"
    );
    Ok(())
}
