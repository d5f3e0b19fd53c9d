//! The `cards` connector: what a card becomes, and what its author is told when it is wrong.

use crate::tarball::{Outcome, fact, run, run_tarball, target};
use refdesk_core::fact::{RecordWithheld, StatedBy};
use refdesk_core::item::{Item, Status};
use refdesk_core::{Body, Kind, Stamp};

const URL: &str = "https://codeload.github.com/example/cards/tar.gz/main";

const MODEL: &str = "kind: model\nid: quill-2\ndisplay_name: Quill 2\nvendor: Inkwell\naliases: [inkwell/quill-2]\nstatus: active\n\
    source_url: https://inkwell.example/models\nchecked_on: 2026-08-01\nreleased_on: \"2026-03\"\nlimits:\n  context_tokens: 200000\n\
    pricing:\n  input: 0.15\n  output: 3\n";

const FRAMEWORK: &str = "---\nkind: framework\nid: two-lists\ndisplay_name: Two lists\ndomain: decision\nsource_url: https://example.org/two-lists\n\
    summary: Write both lists.\ninputs:\n  - {name: question, required: true, description: What is asked}\noutput:\n  artifact: Two lists\n\
    prompt:\n  version: 1.0.0\n  variables: [question]\n---\n# Prompt\n\nAnswer {{question}}.\n\n```text\n# not a heading\n```\n\n# Output template\n\n| for | against |\n";

const SKILL: &str = "---\nkind: skill\nid: tidy\ndisplay_name: Tidy\nsource_url: https://github.com/example/skills/tree/main/skills/tidy\n\
    name: tidy\nrepository:\n  url: https://github.com/Example/Skills\n  ref: main\n  path: skills/tidy\n---\n\n# Tidy\n\nPut things back.\n";

const SERVER: &str = "kind: mcp_server\nid: lamp\ndisplay_name: Lamp\nsource_url: https://example.org/lamp\nname: org.example/lamp\nlicense: MIT\n\
    repository:\n  url: https://github.com/example/lamps\n  subfolder: src/lamp\n\
    packages:\n  - {registryType: npm, identifier: \"@lamp/server@1.0\"}\n\
    remotes:\n  - {type: sse, url: https://lamp.example/mcp/, headers: [{name: Authorization, value: \"Bearer {token}\"}]}\n";

#[test]
fn cards_of_all_shapes_become_facts() -> Outcome {
    let body = crate::tarball::tarball(&[
        ("models/quill-2.yaml", MODEL.as_bytes()),
        ("frameworks/two-lists.md", FRAMEWORK.as_bytes()),
        ("skills/tidy.md", SKILL.as_bytes()),
        ("servers/lamp.yml", SERVER.as_bytes()),
        (
            "docs/start.md",
            b"---\nkind: document\nid: start\ntitle: Start\nsection: Manual\n---\n# Start\n\n## Run it\n",
        ),
        ("README.md", b"# Cards\n"),
        (".github/workflows/ci.yml", b"on: push\n"),
        ("LICENSE", b"MIT\n"),
    ])?;
    let batch = run_tarball("cards", URL, &[], &body)?;
    assert_eq!((batch.facts.len(), batch.rejects.len()), (5, 0), "{:?}", batch.rejects);
    assert_eq!(batch.ignored.values().sum::<usize>(), 1, "a README is not a card");

    let model = fact(&batch, "quill-2")?;
    assert_eq!(model.checked_on.map(|stamp: Stamp| stamp.to_string()).as_deref(), Some("2026-08-01T00:00:00Z"));
    assert!(!model.is_verified_by_sync(), "nobody opens the vendor's page");
    assert!(fact(&batch, "start")?.is_verified_by_sync(), "a document without a `source_url` is its own source");
    assert_eq!(model.identity.maker.as_deref(), Some("inkwell"));
    assert_eq!(model.identity.api_model_id.as_deref(), Some("quill-2"));
    assert_eq!(model.record.as_bytes(), MODEL.as_bytes());
    let Item::Model(fields) = &model.item else { return Err("no model".into()) };
    let price = fields.pricing.as_ref().and_then(|pricing| pricing.input).map(|price| price.to_string());
    assert_eq!(price.as_deref(), Some("0.15"));

    let framework = fact(&batch, "two-lists")?;
    assert_eq!(framework.head.status, Status::Candidate, "it is far from complete");
    let Item::Framework(fields) = &framework.item else { return Err("no framework".into()) };
    let prompt = fields.prompt.as_ref().ok_or("no prompt")?;
    assert_eq!(
        prompt.text,
        "Answer {{question}}.\n\n```text\n# not a heading\n```\n\n## Output template\n\n```markdown\n| for | against |\n```"
    );
    assert_eq!(prompt.sha256, "e3aeff9319465ed6754214fef86f53633f38108502781c286cf8d1bae322a47d");
    assert_eq!(fields.output.as_ref().map(|output| output.template_markdown.as_str()), Some("| for | against |"));

    let skill = fact(&batch, "tidy")?;
    assert_eq!(skill.body, Body::Markdown("# Tidy\n\nPut things back.\n".into()));
    assert_eq!(skill.identity.same_as, ["skill:github.com/example/skills#skills/tidy"]);

    let server = fact(&batch, "lamp")?;
    assert_eq!(server.identity.repository.as_deref(), Some("https://github.com/example/lamps#src/lamp"));
    assert_eq!(server.identity.same_as, ["mcp:org.example/lamp"], "as registries know it");
    assert_eq!(server.head.aliases, ["org.example/lamp"], "its registry name finds it");
    assert_eq!(server.identity.remotes, ["https://lamp.example/mcp"]);
    assert_eq!(server.identity.packages, ["npm:@lamp/server"]);
    assert_eq!(server.provenance.stated_by, Some(StatedBy::Card));
    assert_eq!(server.source_url, "https://example.org/lamp", "the page that the author names");
    assert_eq!(
        server.provenance.record_url.as_deref(),
        Some("https://github.com/example/cards/blob/main/servers/lamp.yml"),
        "the card itself"
    );
    assert_eq!(server.provenance.record_withheld, None);

    let document = fact(&batch, "start")?;
    assert_eq!(document.source_url, "https://github.com/example/cards/blob/main/docs/start.md");
    let Item::Document(fields) = &document.item else { return Err("no document".into()) };
    assert_eq!(fields.headings.iter().map(|heading| heading.slug.as_str()).collect::<Vec<_>>(), ["start", "run-it"]);
    assert_eq!(document.head.status, Status::Active);
    Ok(())
}

#[test]
fn a_literal_secret_in_a_card_is_not_shown_and_withholds_the_card() -> Outcome {
    let card = SERVER.replace("{token}", "hunter-2");
    let batch = run_tarball("cards", URL, &[], &crate::tarball::tarball(&[("lamp.yml", card.as_bytes())])?)?;
    let lamp = fact(&batch, "lamp")?;
    assert!(!serde_json::to_string(&lamp.item.to_json()?)?.contains("hunter"));
    assert_eq!(lamp.provenance.record_withheld, Some(RecordWithheld::Secret));
    Ok(())
}

/// The fenced blocks of a page in these languages, each with its first line's number.
fn blocks<'a>(page: &'a str, languages: &[&str]) -> Vec<(usize, &'a str)> {
    let parts: Vec<&str> = page.split("\n```").collect();
    let mut line = 1;
    let mut blocks = Vec::new();
    for (at, part) in parts.iter().enumerate() {
        let language = part.lines().next().unwrap_or_default();
        if at % 2 == 1 && languages.contains(&language) {
            blocks.push((line + 1, part.split_once('\n').map_or("", |(_, text)| text)));
        }
        line += part.matches('\n').count() + 1;
    }
    blocks
}

#[test]
fn every_card_in_the_manual_is_a_fact() -> Outcome {
    let manual = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/manual");
    let mut kinds = std::collections::BTreeSet::new();
    for entry in std::fs::read_dir(manual)? {
        let path = entry?.path();
        let page = std::fs::read_to_string(&path)?;
        for (line, card) in blocks(&page, &["yaml", "yml", "markdown", "md"]) {
            let place = format!("{} line {line}", path.display());
            let name = if card.starts_with("---") { "card.md" } else { "card.yaml" };
            let body = crate::tarball::tarball(&[(name, format!("{card}\n").as_bytes())])?;
            let batch = run_tarball("cards", URL, &[], &body).map_err(|error| format!("{place}: {error}"))?;
            assert_eq!((batch.facts.len(), &*batch.rejects), (1, [].as_slice()), "{place}");
            kinds.insert(batch.facts[0].kind());
        }
    }
    assert_eq!(kinds.len(), Kind::ALL.len(), "an example of every kind: {kinds:?}");
    Ok(())
}

#[test]
fn a_date_of_a_card_may_stop_at_the_month_or_the_year() -> Outcome {
    for date in ["2026-03-31", "2026-03", "2026"] {
        let card = MODEL.replace("2026-03\"", &format!("{date}\""));
        let body = crate::tarball::tarball(&[("quill.yaml", card.as_bytes())])?;
        let batch = run_tarball("cards", URL, &[], &body)?;
        assert_eq!((batch.facts.len(), &*batch.rejects), (1, [].as_slice()), "{date}");
    }
    Ok(())
}

/// Puts one card beside a good one and returns what its author is told.
fn told(path: &str, card: &str) -> Result<String, Box<dyn std::error::Error>> {
    let body = crate::tarball::tarball(&[("a/good.yaml", MODEL.as_bytes()), (path, card.as_bytes())])?;
    let batch = run_tarball("cards", URL, &[], &body)?;
    assert_eq!(batch.facts.len(), 1, "the good card stays");
    Ok(batch.rejects.first().ok_or("no reject")?.reason.clone())
}

#[test]
fn a_bad_card_tells_file_key_and_what_to_do() -> Outcome {
    let tool =
        |rest: &str| format!("kind: tool\nid: hoe\ndisplay_name: Hoe\nsource_url: https://example.org/hoe\n{rest}");
    for (card, reason) in [
        (
            "kind: tool\nid: hoe\ndisplay_name: Hoe\n".to_owned(),
            "missing key `source_url`; add the page that states these facts",
        ),
        ("kind: tool\nid: hoe\nsource_url: https://e.org\n".to_owned(), "missing key `display_name`; add it"),
        (
            "kind: tool\nid: hoe\nsource_url: https://e.org\ndisplay_nme: Hoe\n".to_owned(),
            "missing key `display_name`; add it, or is `display_nme` it, misspelt?",
        ),
        ("id: hoe\n".to_owned(), "missing key `kind`; add it"),
        (
            "kind: tol\nid: hoe\n".to_owned(),
            "unknown kind `tol`; use one of model, tool, skill, tutorial, mcp_server, document, framework (did you mean `tool`?)",
        ),
        (tool("categroy: x\n"), "unknown key `categroy` (did you mean `category`?)"),
        (tool("sorce_url: x\n"), "unknown key `sorce_url` (did you mean `source_url`?)"),
        (
            tool("install:\n  - {manager: npm, comand: x}\n"),
            "unknown key `install[0].comand` (did you mean `command`?)",
        ),
        (tool("title: Hoe\n"), "unknown key `title`: a tool has `display_name`"),
        (tool("checked_on: 2026-13-01\n"), "`checked_on: 2026-13-01` is not a date; write it as 2026-08-19"),
        (
            tool("status: alive\n"),
            "`status` is `alive`, which is not one of active, preview, deprecated, retired, unknown",
        ),
        (tool("vendor: 7\n"), "`vendor` must be text, not a number; put it in quotes"),
        (tool("license: 2\n"), "`license` is 2; put it in quotes"),
        (tool("aliases: hoe\n"), "`aliases` must be a list of texts, found a text; write `[a, b]`"),
        (
            "kind: tool\nid: Garden Hoe\n".to_owned(),
            "`id: Garden Hoe` is not a slug (lower-case letters and digits with single - . _ : inside); use `garden-hoe`",
        ),
        (tool("").replace("id: hoe", "id: list"), "`id: list` is reserved for a path of the API; use `list-item`"),
        (
            MODEL.replace("limits:", "colour: red\nlimits:").replace("quill-2", "quill-3"),
            "unknown key `colour`; a model knows family, description, released_on, deprecated_on, retires_on, \
             knowledge_cutoff, open_weights, license, limits, modalities, capabilities, pricing, mode, kind, id, \
             display_name, title, vendor, status, trust_tier, source_url, aliases, language, checked_on",
        ),
        (
            MODEL.replace("200000", "-1").replace("quill-2", "quill-3"),
            "`limits.context_tokens` is -1; write a whole number from 0 on, such as 128000",
        ),
        (
            "kind: tool\nid: hoe\ndisplay_name: Hoe\nsource_url: hoe.example\n".to_owned(),
            "`source_url: hoe.example` is not a web address; write it with https://",
        ),
        (
            MODEL.replace("\"2026-03\"", "\"soon\"").replace("quill-2", "quill-3"),
            "`released_on: soon` is not a date; write it as \"2026-08-19\", \"2026-08\" or \"2026\"",
        ),
        (
            MODEL.replace("\"2026-03\"", "\"2026-03-01T10:00:00\"").replace("quill-2", "quill-3"),
            "`released_on: 2026-03-01T10:00:00` is not a date; write it as \"2026-08-19\", \"2026-08\" or \"2026\"",
        ),
        (
            MODEL.replace("\"2026-03\"", "\"20260301\"").replace("quill-2", "quill-3"),
            "`released_on: 20260301` is not a date; write it as \"2026-08-19\", \"2026-08\" or \"2026\"",
        ),
        (
            MODEL.replace("vendor: Inkwell\n", "").replace("quill-2", "quill-3"),
            "`pricing` is what the maker asks, and the card names no maker; add `vendor`",
        ),
        (
            MODEL.replace("0.15", "\"$0.15\"").replace("quill-2", "quill-3"),
            "`pricing.input` is \"$0.15\", which is not a price; write the number of USD alone, such as 0.15",
        ),
        (tool("vendor: a\nvendor: b\n"), "line 6: invalid YAML: `vendor` stands twice: leave one out"),
        (
            tool("---\nkind: tool\n"),
            "line 6: invalid YAML: a second document begins after `---`: give each a file of its own",
        ),
        (
            MODEL.replace("0.15", "1e400").replace("quill-2", "quill-3"),
            "line 13: invalid YAML: `1e400` is not a finite number: write its digits, put a text in quotes, or leave it out",
        ),
        (
            tool("vendor: .nan\n"),
            "line 5: invalid YAML: `.nan` is not a finite number: write its digits, put a text in quotes, or leave it out",
        ),
        (
            tool("").replace("id: hoe", &format!("id: {}", "a".repeat(201))),
            "`id` has 201 characters; shorten it to at most 200",
        ),
        (
            MODEL.replace("0.15", "-0.15").replace("quill-2", "quill-3"),
            "`pricing.input` is -0.15; a price is 0 or more: leave out what is unknown",
        ),
        (
            MODEL.replace("  input:", "  currency: EUR\n  input:").replace("quill-2", "quill-3"),
            "`pricing.currency` is `EUR`; prices are USD per 1,000,000 tokens: convert them, and leave the key out",
        ),
        (
            MODEL.replace("  input:", "  unit: 1K_tokens\n  input:").replace("quill-2", "quill-3"),
            "`pricing.unit` is `1K_tokens`; prices are USD per 1,000,000 tokens: convert them, and leave the key out",
        ),
        (
            MODEL.replace("limits:", "offers: [{provider: sail}]\nlimits:").replace("quill-2", "quill-3"),
            "`offers` has the prices of other sellers, which no card states; state the maker's own in `pricing`, and leave `offers` out",
        ),
        (
            MODEL.replace("200000", "200k").replace("quill-2", "quill-3"),
            "`limits.context_tokens` is the text \"200k\"; write a whole number from 0 on, such as 128000",
        ),
        (
            MODEL.replace("limits:", "modalities: {input: [txt]}\nlimits:").replace("quill-2", "quill-3"),
            "`modalities.input` has `txt`, which is not one of text, image, audio, video, pdf, file, code, embedding (did you mean `text`?)",
        ),
        (
            MODEL.replace("limits:", "modalities: {input: text}\nlimits:").replace("quill-2", "quill-3"),
            "`modalities.input` is the text \"text\"; write a list, such as [text, image]",
        ),
        (
            MODEL
                .replace("https://inkwell.example/models", "https://ink:well-7@inkwell.example/")
                .replace("quill-2", "quill-3"),
            "`source_url` holds a password or a key, which every reader would see; leave it out",
        ),
        (
            MODEL
                .replace("https://inkwell.example/models", "https://inkwell.example/a b")
                .replace("quill-2", "quill-3"),
            "`source_url: https://inkwell.example/a b` is not a web address; write a blank in it as %20",
        ),
        (
            MODEL.replace("  input:", "  tiers: [{input: 1}]\n  input:").replace("quill-2", "quill-3"),
            "`pricing.tiers.0.above_context_tokens` is missing or 0; what holds for every request is no tier: state it in `pricing`",
        ),
        (
            MODEL.replace("  input:", "  tiers: [{above_context_tokens: 9}]\n  input:").replace("quill-2", "quill-3"),
            "`pricing.tiers.0` states no price; fill it in or leave it out",
        ),
        (
            MODEL
                .replace(
                    "  input:",
                    "  tiers: [{above_context_tokens: 9, input: 1}, {above_context_tokens: 9, input: 2}]\n  input:",
                )
                .replace("quill-2", "quill-3"),
            "`pricing.tiers` has two tiers above 9 tokens; leave one out",
        ),
        (
            MODEL.replace("  input:", "  other: [{meter: ocr, price: 1}]\n  input:").replace("quill-2", "quill-3"),
            "missing key `pricing.other.0.unit`; add it, such as image",
        ),
        (
            MODEL
                .replace(
                    "  input:",
                    "  other: [{meter: ocr, unit: page, price: 1}, {meter: ocr, unit: page, price: 2}]\n  input:",
                )
                .replace("quill-2", "quill-3"),
            "`pricing.other` has two prices of `ocr` for each `page`; leave one out",
        ),
        (
            MODEL.replace("[inkwell/quill-2]", "[ink, \" \"]").replace("quill-2", "quill-3"),
            "`aliases` has an empty text; leave it out",
        ),
        (
            MODEL.replace("display_name: Quill 2", "display_name: \"\\u200b\"").replace("quill-2", "quill-3"),
            "`display_name` is empty; fill it in or leave it out",
        ),
        (MODEL.to_owned(), "duplicate id `quill-2`: a/good.yaml has it already; give one of them another id"),
    ] {
        assert_eq!(told("tools/hoe.yaml", &card)?, format!("tools/hoe.yaml: {reason}"));
    }
    Ok(())
}

#[test]
fn a_card_is_told_by_its_ending_in_any_case() -> Outcome {
    let body = crate::tarball::tarball(&[
        ("models/UP.YAML", MODEL.as_bytes()),
        ("skills/Card.MD", SKILL.as_bytes()),
        ("servers/lamp.Yml", SERVER.as_bytes()),
        ("README.MD", b"# Cards\n"),
    ])?;
    let batch = run_tarball("cards", URL, &[], &body)?;
    let keys: Vec<&str> = batch.facts.iter().map(|fact| fact.key.as_str()).collect();
    assert_eq!(keys, ["quill-2", "lamp", "tidy"], "{:?}", batch.rejects);
    assert_eq!(fact(&batch, "tidy")?.body, Body::Markdown("# Tidy\n\nPut things back.\n".into()));
    assert_eq!(batch.ignored.values().sum::<usize>(), 1, "the README is no card and is counted");
    Ok(())
}

#[test]
fn markdown_that_means_to_be_a_card_is_told_what_its_front_matter_lacks() -> Outcome {
    let closed = "the front matter is not closed; write a line `---` below its last key";
    for (card, reason) in [
        ("---\nkind: skill\nid: x\n".to_owned(), closed),
        ("---\n".to_owned(), closed),
        ("\u{feff}---\r\nkind: skill\r\n".to_owned(), closed),
        (
            format!("\n{SKILL}"),
            "front matter begins in the first line of a card; take out the 1 blank line before `---`",
        ),
        (
            format!("\u{feff}\n  \n{SKILL}"),
            "front matter begins in the first line of a card; take out the 2 blank lines before `---`",
        ),
    ] {
        assert_eq!(told("skills/x.md", &card)?, format!("skills/x.md: {reason}"), "{card:?}");
    }
    let readme = crate::tarball::tarball(&[("a.yaml", MODEL.as_bytes()), ("README.md", b"\n# Cards\n\n---\nMore\n")])?;
    let batch = run_tarball("cards", URL, &[], &readme)?;
    assert_eq!((batch.rejects.len(), batch.ignored.values().sum::<usize>()), (0, 1), "a rule further down is none");
    Ok(())
}

#[test]
fn bad_yaml_names_its_line_in_the_file() -> Outcome {
    let reason = told("tools/hoe.yaml", "kind: tool\nid: hoe\nname: a: b\n")?;
    assert!(reason.starts_with("tools/hoe.yaml: line 3: invalid YAML: "), "{reason}");
    let reason = told("skills/x.md", "---\nkind: skill\nname: a: b\n---\nBody\n")?;
    assert!(reason.starts_with("skills/x.md: line 3: invalid YAML: "), "{reason}");
    Ok(())
}

#[test]
fn a_bad_framework_card_is_told_what_is_wrong_with_its_parts() -> Outcome {
    for (from, to, reason) in [
        (
            "domain: decision",
            "domain: decisions",
            "`domain` is `decisions`, which is not one of agent-workflow, communication",
        ),
        (
            "# Prompt",
            "# Prompts",
            "unknown section `# Prompts`; a framework card has `# Prompt` and `# Output template`",
        ),
        (
            "prompt:\n  version: 1.0.0\n  variables: [question]\n",
            "",
            "section `# Prompt` needs `prompt:` with `version` and `variables` in the front matter",
        ),
        ("version: 1.0.0", "version: 1.0.0\n  sha256: abc", "`prompt.sha256` is not that of the text"),
        ("summary: Write both lists.\n", "", "missing key `summary`; add it"),
    ] {
        let told = told("frameworks/two-lists.md", &FRAMEWORK.replace(from, to))?;
        assert!(told.starts_with(&format!("frameworks/two-lists.md: {reason}")), "{told}");
    }
    Ok(())
}

#[test]
fn bytes_that_are_no_repository_fail_the_pass() -> Outcome {
    let whole = crate::tarball::tarball(&[("a/good.yaml", MODEL.as_bytes())])?;
    for bytes in [&b""[..], b"<!doctype html>", &whole[..whole.len() / 2], &whole[..whole.len() - 4]] {
        let outcome = run("cards", &target(URL, &[])?, |_| Some(bytes::Bytes::copy_from_slice(bytes)));
        assert!(outcome.is_err_and(|error| error.message.starts_with("expected a gzipped tar archive")));
    }
    let empty = crate::tarball::tarball(&[("LICENSE", b"MIT")])?;
    assert!(run_tarball("cards", URL, &[], &empty).is_err_and(|error| error.to_string().starts_with("no card found")));
    Ok(())
}

#[test]
fn the_bundled_set_needs_no_request() -> Outcome {
    let batch = run("cards", &target("bundled:catalog", &[])?, |_| None)?;
    assert!(batch.facts.iter().any(|fact| fact.kind() == Kind::Model));
    assert!(run("cards", &target("bundled:other", &[])?, |_| None).is_err());
    Ok(())
}

#[test]
fn a_page_of_the_manual_needs_only_a_title() -> Outcome {
    let page = b"---\ntitle: Keeping sources\nsection: Operations\n---\n\n# Keeping sources\n\nAdd one.\n";
    let body = crate::tarball::tarball(&[("docs/manual/keeping-sources.md", &page[..])])?;
    let repository = refdesk_ingest::bundled::REPOSITORY;
    let batch = run_tarball("cards", "file:///srv/refdesk", &[("repository", repository)], &body)?;
    let fact = fact(&batch, "refdesk-manual-keeping-sources")?;
    assert_eq!(fact.source_url, format!("{repository}/blob/main/docs/manual/keeping-sources.md"));
    assert_eq!(fact.record.as_bytes(), page, "the raw bytes are the record");
    assert_eq!(fact.body, Body::Markdown("# Keeping sources\n\nAdd one.\n".into()));
    let Item::Document(document) = &fact.item else { return Err("no document".into()) };
    assert_eq!((document.section.as_deref(), document.bytes), (Some("Operations"), Some(page.len() as u64)));
    // In anyone else's repository the same file is a card like any other, and must state what it is.
    let other = run_tarball("cards", URL, &[], &body)?;
    assert!(other.rejects[0].reason.ends_with("missing key `kind`; add it"));
    Ok(())
}
