//! The limits of what is read out of one text, archive or listing: what lies within is taken, what lies beyond is told or cut.
//! `docs/limits.md` names these tests; what a whole sync may cost is in `limits_syncs`.

use std::error::Error;
use std::io::{Read as _, Write as _};

use crate::tarball::{Outcome, fact, reject, run, run_tarball, tarball, target};
use bytes::Bytes;
use refdesk_core::Reject;
use refdesk_core::item::Item;
use refdesk_ingest::connectors::formats::headings;
use refdesk_ingest::connectors::formats::json_text;
use refdesk_ingest::connectors::formats::page;
use refdesk_ingest::connectors::formats::tarball::{TarballBounds, each_within};
use refdesk_ingest::connectors::formats::tree::{FILE_BYTES_MAX, unpack, unpack_within};
use refdesk_ingest::connectors::formats::yaml;
use refdesk_ingest::connectors::kept::ITEMS_MAX;
use refdesk_ingest::connectors::mcp::composio;
use refdesk_ingest::connectors::mcp::mcp_registry;
use refdesk_ingest::connectors::repository::license;
use refdesk_ingest::connectors::{Answer, Batch, Request, find};

const GITHUB: &str = "https://codeload.github.com/lamp/works/tar.gz/main";

fn repository(connector: &str, files: &[(&str, &[u8])]) -> Result<Batch, Box<dyn Error>> {
    run_tarball(connector, GITHUB, &[], &tarball(files)?)
}

/// What a cut text has: at most so many characters, and an ellipsis.
fn assert_cut(text: &str, chars_max: usize) {
    assert!(text.ends_with('…') && text.chars().count() == chars_max + 1, "{} characters", text.chars().count());
}

#[test]
fn a_yaml_text_beyond_a_limit_is_an_error_that_names_the_line() {
    let nested = |depth: usize| format!("{}x{}", "[".repeat(depth), "]".repeat(depth));
    assert!(yaml::value(&nested(yaml::DEPTH_MAX - 2)).is_ok());
    let entries = |count: usize| "- 1\n".repeat(count);
    assert!(yaml::value(&entries(yaml::NODES_MAX - 10)).is_ok());
    let bomb = format!("a: &a [{}]\nb: &b [{}]\nc: [{}]\n", "1,".repeat(400), "*a,".repeat(400), "*b,".repeat(400));
    assert_eq!(
        yaml::value(&bomb).expect_err("what anchors repeat").message,
        "it is nested deeper than 64, or holds more than 100000 values with those that anchors repeat"
    );
    let often = format!("a: &a x\nb: [{}]\n", "*a,".repeat(150));
    assert_eq!(
        yaml::value(&often).expect_err("an anchor that is repeated often").message,
        "its anchors are repeated 150 times, more than ten times each: write some of these values out"
    );
    for (name, text) in [
        ("depth", nested(yaml::DEPTH_MAX + 1)),
        ("nodes", entries(yaml::NODES_MAX + 1)),
        ("what anchors repeat", bomb),
        ("bytes", format!("a: {}", "x".repeat(yaml::TEXT_BYTES_MAX))),
    ] {
        let error = yaml::value(&text).expect_err(name);
        assert!(error.line >= 1 && !error.message.is_empty(), "{name}: {error:?}");
    }
    let told = yaml::value(&format!("a: x\n{}: 1\n{0}: 2\n", "k".repeat(900))).expect_err("a key that appears twice");
    assert!(told.message.ends_with('…') && told.message.chars().count() <= 301, "{}", told.message);
}

#[test]
fn a_json_body_beyond_a_limit_says_which_one() {
    let list = |count: usize| format!("[{}1]", "1,".repeat(count - 1));
    assert!(json_text::elements(list(json_text::RECORDS_MAX).as_bytes()).is_ok());
    let more = "it holds more than 200000 records";
    assert_eq!(json_text::elements(list(json_text::RECORDS_MAX + 1).as_bytes()), Err(more.to_owned()));
    let members = format!("{{{}\"z\":1}}", "\"a\":1,".repeat(json_text::RECORDS_MAX));
    assert_eq!(json_text::members(members.as_bytes()).map(|_| ()), Err(more.to_owned()));

    let object = |key: usize| format!("{{\"{}\":1}}", "k".repeat(key - 2));
    for (key, fits) in [(json_text::KEY_BYTES_MAX, true), (json_text::KEY_BYTES_MAX + 1, false)] {
        let text = object(key);
        let members = json_text::members(text.as_bytes()).unwrap().unwrap();
        assert_eq!(members[0].key().is_ok(), fits, "{key}");
    }
    let cursor = |bytes: usize| format!("{{\"next\":\"{}\"}}", "c".repeat(bytes - 2));
    for (bytes, fits) in [(json_text::CURSOR_BYTES_MAX, true), (json_text::CURSOR_BYTES_MAX + 1, false)] {
        let text = cursor(bytes);
        let members = json_text::members(text.as_bytes()).unwrap().unwrap();
        assert_eq!(json_text::cursor(&members, "next").is_ok(), fits, "{bytes}");
    }
    let values = |count: usize| format!("[{}1]", "1,".repeat(count - 2));
    assert!(json_text::value(values(90_000).as_bytes()).is_ok());
    let told = json_text::value(values(100_010).as_bytes()).expect_err("too many values");
    assert_eq!(told, "the record holds more than 100000 values");
}

#[test]
fn what_a_page_says_of_itself_is_cut_and_its_headings_end() {
    let title = "t".repeat(400);
    let read = page::Page::parse(&format!("---\ntitle: {title}\ndescription: {}\n---\n# {title}\n", "d".repeat(900)));
    assert_cut(read.title.as_deref().unwrap(), 300);
    assert_cut(read.first_heading.as_deref().unwrap(), 300);
    assert_cut(read.document.summary.as_deref().unwrap(), 600);
    assert_eq!(headings::parse(&"# A\n\n".repeat(headings::HEADINGS_MAX + 1)).len(), headings::HEADINGS_MAX);
}

#[test]
fn a_licence_that_is_too_long_is_unreadable_and_its_name_is_cut() -> Outcome {
    let skill = |license: &str| format!("---\nname: a\ndescription: Does a.\n{license}---\n\nWords.\n");
    let (plain, named) = (skill(""), skill(&format!("license: {}\n", "Lamp".repeat(50))));
    let mut text = b"MIT License\n".to_vec();
    text.resize(license::FILE_BYTES_MAX + 1, b' ');
    let files: &[(&str, &[u8])] = &[
        ("skills/a/SKILL.md", plain.as_bytes()),
        ("skills/a/LICENSE", &text),
        ("skills/b/SKILL.md", plain.as_bytes()),
        ("skills/b/LICENSE", &text[..license::FILE_BYTES_MAX]),
        ("skills/c/SKILL.md", named.as_bytes()),
    ];
    let batch = repository("skills-repo", files)?;
    assert_eq!(fact(&batch, "skills/a")?.provenance.license.as_deref(), Some("unreadable"));
    assert_ne!(fact(&batch, "skills/b")?.provenance.license.as_deref(), Some("unreadable"));
    assert_cut(fact(&batch, "skills/c")?.provenance.license.as_deref().ok_or("no licence")?, 120);
    Ok(())
}

#[test]
fn an_archive_beyond_a_limit_is_too_large() -> Outcome {
    let words = vec![b'w'; 1_000];
    let body = tarball(&[("a.md", &words), ("b.md", &words), ("c.md", &words)])?;
    let check = |entries_max: usize, unpacked_bytes_max: u64, told: &str| {
        let bounds = TarballBounds { entries_max, unpacked_bytes_max };
        let error = each_within(bounds, &body, &mut |_| Ok(())).err();
        assert_eq!(error.as_ref().map_or("", |error| &error.message), told);
        assert!(error.is_none_or(|error| error.is_too_large));
    };
    check(3, 1 << 20, "");
    check(2, 1 << 20, "the archive has more than 2 entries");
    check(3, 2_000, "expected a gzipped tar archive of a repository: it unpacks to more than 2000 bytes");

    assert!(unpack_within(3_000, &body, |_| true).is_ok());
    let error = unpack_within(2_999, &body, |_| true).expect_err("more than may be kept");
    assert!(error.is_too_large && error.message.contains("exceed 2999 bytes"), "{}", error.message);
    Ok(())
}

/// Some tools compress a file in pieces; an archive whose second piece went unread looked like one of fewer files.
#[test]
fn an_archive_compressed_in_pieces_is_read_to_its_end() -> Outcome {
    let member = |part: &[u8]| -> std::io::Result<Vec<u8>> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(part)?;
        encoder.finish()
    };
    let whole = tarball(&[("a.md", &b"a"[..]), ("b.md", &b"b"[..]), ("c.md", &b"c"[..])])?;
    let mut unpacked = Vec::new();
    flate2::read::GzDecoder::new(&whole[..]).read_to_end(&mut unpacked)?;
    // A file has a header and a block: the first cut is between two files, the second in the middle of one.
    for cut in [1_024, 1_500] {
        let padding = vec![0; 512];
        let body = [member(&unpacked[..cut])?, member(&unpacked[cut..])?, padding].concat();
        let tree = unpack(&body, |_| true)?;
        assert_eq!(tree.files.keys().map(String::as_str).collect::<Vec<_>>(), ["a.md", "b.md", "c.md"], "{cut}");
    }
    let bounds = TarballBounds { entries_max: 3, unpacked_bytes_max: 1 << 20 };
    let body = [whole.to_vec(), member(b"")?.repeat(4)].concat();
    let error = each_within(bounds, &body, &mut |_| Ok(())).expect_err("five members");
    assert!(error.is_too_large && error.message.contains("members"), "{}", error.message);
    Ok(())
}

#[test]
fn a_commit_is_looked_for_in_the_beginning_of_a_header() -> Outcome {
    let commit = "0123456789".repeat(4);
    for (before, found) in [(10, Some(commit.as_str())), (4_096, None)] {
        let record = format!("{} comment={commit}\n", "9".repeat(before));
        let mut header = tar::Header::new_ustar();
        header.set_entry_type(tar::EntryType::XGlobalHeader);
        header.set_size(record.len() as u64);
        header.set_cksum();
        let mut archive = tar::Builder::new(flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast()));
        archive.append_data(&mut header, "pax_global_header", record.as_bytes())?;
        let mut header = tar::Header::new_gnu();
        header.set_size(1);
        archive.append_data(&mut header, "repo-main/a.md", &b"a"[..])?;
        assert_eq!(unpack(&archive.into_inner()?.finish()?, |_| true)?.commit.as_deref(), found, "{before}");
    }
    Ok(())
}

#[test]
fn a_file_of_an_archive_that_is_too_large_is_a_reject_and_the_others_stand() -> Outcome {
    let large = vec![b'x'; FILE_BYTES_MAX as usize + 1];
    let body = tarball(&[("large.md", &large), ("small.md", b"# Small\n")])?;
    assert!(unpack(&body, |_| true)?.content("large.md").is_none());
    let batch = run_tarball("markdown-docs", GITHUB, &[], &body)?;
    assert_eq!(batch.facts.len(), 1);
    assert!(reject(&batch, "large.md")?.reason.contains("at most 16777216 are read"));
    Ok(())
}

#[test]
fn a_list_of_facts_or_rejects_takes_no_more_than_its_bound() {
    let reject = Reject::new("a", "b", "");
    let mut batch = Batch::default();
    (0..ITEMS_MAX).for_each(|_| batch.take(Err(reject.clone())));
    assert_eq!(batch.full, None);
    batch.take(Err(reject));
    let told = "the source lists more than 100000 items; split it into several sources";
    assert_eq!((batch.full.as_deref(), batch.rejects.len()), (Some(told), ITEMS_MAX));
}

/// Feeds a pass with the same kind of page until it asks for nothing more or fails; gives how often it asked.
fn turned(connector: &str, url: &str, page: impl Fn(usize) -> String) -> Result<(usize, Batch), Box<dyn Error>> {
    let mut pass = (find(connector).ok_or("no such connector")?.open)(&target(url, &[])?)?;
    let (mut open, mut asked): (Vec<Request>, usize) = (pass.first(), 0);
    while let Some(request) = open.pop() {
        asked += 1;
        let body = Bytes::from(page(asked));
        open.extend(pass.accept(Answer { tag: request.tag, url: request.url, status: 200, link: None, body })?);
    }
    Ok((asked, pass.finish()?))
}

#[test]
fn a_listing_that_does_not_end_is_an_error() {
    for (connector, url, pages, told) in [
        ("composio", "https://c.example/api/v3/tools", composio::PAGES_MAX, "goes on after 1000 pages"),
        ("mcp-registry", "https://r.example/", mcp_registry::PAGES_MAX, "goes on after 2000 pages"),
    ] {
        let page = |at: usize, last: usize| {
            let next = if at == last { String::new() } else { format!("\"{at}\"") };
            let next = if next.is_empty() { "null".to_owned() } else { next };
            format!(r#"{{"items":[],"servers":[],"next_cursor":{next},"metadata":{{"nextCursor":{next}}}}}"#)
        };
        assert_eq!(turned(connector, url, |at| page(at, pages)).map(|(asked, _)| asked).ok(), Some(pages));
        let error = turned(connector, url, |at| page(at, pages + 1)).expect_err(connector).to_string();
        assert!(error.contains(told), "{error}");
    }
}

#[test]
fn versions_of_a_server_beyond_the_limit_are_rejects() -> Outcome {
    let page = |at: usize| {
        let entries: Vec<String> =
            (0..1_001).map(|n| format!(r#"{{"server":{{"name":"x/a","version":"1.{}"}}}}"#, at * 10_000 + n)).collect();
        let next = if at < 2 { "\"more\"" } else { "null" };
        format!(r#"{{"servers":[{}],"metadata":{{"nextCursor":{next}}}}}"#, entries.join(","))
    };
    let (_, batch) = turned("mcp-registry", "https://r.example/", page)?;
    assert_eq!((batch.facts.len(), batch.versions, batch.rejects.len()), (1, mcp_registry::VERSIONS_MAX - 1, 2));
    assert_eq!(batch.rejects[0].reason, "x/a lists more than 2000 versions; the first ones count");
    Ok(())
}

#[test]
fn an_index_of_pages_or_skills_is_followed_up_to_its_limit() -> Outcome {
    let links: String = (0..503).map(|n| format!("- [P{n}](/p{n}.md)\n")).collect();
    let serve = |url: &url::Url| {
        let index = format!("# Lamp\n\n{links}");
        Some(Bytes::from(if url.path() == "/llms.txt" { index } else { "# Page\n\nWords.\n".to_owned() }))
    };
    let batch = run("llms-txt", &target("https://lamp.example/llms.txt", &[])?, serve)?;
    assert_eq!((batch.facts.len(), batch.rejects.len()), (501, 3));
    assert!(batch.rejects[0].reason.contains("comes after 500 pages, the most that are read"));

    let serve = |_: &url::Url| Some(Bytes::from(format!("# Lamp\n\n> {}\n", "q".repeat(700))));
    let quoted = run("llms-txt", &target("https://lamp.example/llms.txt", &[])?, serve)?;
    let Item::Document(index) = &quoted.facts[0].item else { return Err("no document".into()) };
    assert_cut(index.summary.as_deref().ok_or("no summary")?, 600);

    let mut pass = (find("llms-txt").ok_or("none")?.open)(&target("https://lamp.example/llms.txt", &[])?)?;
    let request = pass.first().remove(0);
    let body = Bytes::from(format!("# Lamp\n\n{links}"));
    let asked = pass.accept(Answer { tag: request.tag, url: request.url, status: 200, link: None, body })?;
    assert_eq!(asked.len(), 4, "so many pages are asked for at once");

    let index = |count: usize| {
        let skill = r#"{"name":"a","type":"archive","url":"a","digest":"b"}"#;
        format!(r#"{{"skills":[{}]}}"#, vec![skill; count].join(","))
    };
    assert!(turned("skills-wellknown", "https://lamp.example", |_| index(2_000)).is_ok());
    let error = turned("skills-wellknown", "https://lamp.example", |_| index(2_001)).expect_err("too many").to_string();
    assert_eq!(error, "the skills index lists 2001 skills; at most 2000 are read");
    Ok(())
}

#[test]
fn files_of_a_skill_and_steps_and_summary_of_a_prompt_end_at_their_limits() -> Outcome {
    let names: Vec<String> = (0..1_005).map(|n| format!("skills/a/f{n:04}")).collect();
    let mut files: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), &b"x"[..])).collect();
    files.push(("skills/a/SKILL.md", b"---\nname: a\ndescription: Does a.\n---\n\nWords.\n"));
    let batch = repository("skills-repo", &files)?;
    let Item::Skill(skill) = &fact(&batch, "skills/a")?.item else { return Err("no skill".into()) };
    assert_eq!(skill.files.len(), 1_000);

    let steps: String = (1..=50).map(|n| format!("{n}. Step {n}\n")).collect();
    let prompt = format!("# IDENTITY\n\n{}\n\n# STEPS\n\n{steps}", "word ".repeat(100));
    let batch = repository("patterns-repo", &[("patterns/trim/system.md", prompt.as_bytes())])?;
    let Item::Framework(framework) = &batch.facts[0].item else { return Err("no framework".into()) };
    assert_eq!(framework.steps.len(), 40);
    assert!(framework.summary.ends_with('…') && framework.summary.chars().count() <= 301, "{}", framework.summary);
    Ok(())
}

#[test]
fn sections_that_nest_too_deep_are_counted_and_a_long_list_of_tools_is_a_reject() -> Outcome {
    let deep = |depth: usize| {
        let above: String =
            (0..depth).map(|n| format!("{}- title: T{n}\n{0}  sections:\n", "    ".repeat(n))).collect();
        format!("{above}{}- local: page\n", "    ".repeat(depth))
    };
    let toctree = |depth: usize| format!("- local: index\n{}", deep(depth));
    let read = |depth: usize| repository("hf-cookbook", &[("notebooks/en/_toctree.yml", toctree(depth).as_bytes())]);
    assert_eq!(read(8)?.facts.len(), 2);
    let batch = read(9)?;
    assert_eq!((batch.facts.len(), batch.ignored.get("pages of sections that are nested too deep")), (1, Some(&1)));

    let server: &[u8] = b"name: lamp\nimage: mcp/lamp\ntype: server\nmeta:\n  category: lighting\nabout:\n  title: Lamp\n  description: Lights.\nsource:\n  project: https://github.com/lamp/lamp\n";
    let tools = format!("[{}{{\"name\":\"a\"}}]", " ".repeat(2 << 20));
    let files = [("servers/lamp/server.yaml", server), ("servers/lamp/tools.json", tools.as_bytes())];
    let batch = repository("docker-mcp", &files)?;
    assert_eq!(batch.facts.len(), 1, "the server stands");
    assert!(reject(&batch, "servers/lamp/tools.json")?.reason.contains("at most 2097152 are read"));
    Ok(())
}
