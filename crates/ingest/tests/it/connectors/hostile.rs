//! Whatever bytes an upstream sends, the document connectors answer with facts, rejects or an error, and never panic.

use crate::tarball::{run, target};
use proptest::prelude::*;
use refdesk_ingest::connectors::formats::headings;
use refdesk_ingest::connectors::formats::notebook;
use refdesk_ingest::connectors::formats::page;
use refdesk_ingest::connectors::formats::yaml;
use refdesk_ingest::connectors::skills::skill;

/// Texts made of the marks that the readers look for, so that their branches are met.
fn markdown() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "[a-zé漢 ]{0,6}",
        Just("---\n".to_owned()),
        Just("\n".to_owned()),
        Just("# ".to_owned()),
        Just("## Prompt\n".to_owned()),
        Just("```".to_owned()),
        Just("[a](".to_owned()),
        Just("](/x.md)".to_owned()),
        Just("- [".to_owned()),
        Just("[[".to_owned()),
        Just("{#".to_owned()),
        Just("{{".to_owned()),
        Just("<a".to_owned()),
        Just("\\".to_owned()),
        Just("!".to_owned()),
        Just("title: ".to_owned()),
        Just("kind: framework\nid: x\n".to_owned()),
        Just("name: x\ndescription: y\n".to_owned()),
        Just("&a [*a]\n".to_owned()),
        Just("\u{feff}".to_owned()),
        Just("\0".to_owned()),
    ];
    proptest::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn readers_of_text_never_panic(text in markdown()) {
        let _ = (page::Page::parse(&text), headings::parse(&text), refdesk_core::text::headings::plain(&text), yaml::value(&text), skill::parse("a", text.as_bytes()));
    }

    #[test]
    fn readers_of_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = (skill::parse("a", &bytes), notebook::to_markdown(&bytes));
    }

    #[test]
    fn every_file_of_a_repository_is_counted(text in markdown(), name in "[a-z0-9.-]{1,12}") {
        let path = format!("docs/{name}.md");
        let files = [
            (path.as_str(), text.as_bytes()), ("a/SKILL.md", text.as_bytes()), ("registry.yaml", text.as_bytes()),
            ("n/_toctree.yml", text.as_bytes()), ("docs/_meta.en.json", text.as_bytes()), ("x.yaml", text.as_bytes()),
            (".claude-plugin/marketplace.json", text.as_bytes()),
        ];
        let body = crate::tarball::tarball(&files).map_err(|error| TestCaseError::fail(error.to_string()))?;
        for connector in ["cards", "markdown-docs", "skills-repo", "cookbook", "hf-cookbook"] {
            let target = target("https://codeload.github.com/lamp/x/tar.gz/main", &[]).map_err(|error| TestCaseError::fail(error.to_string()))?;
            // `run` asserts that what came in is what came out.
            let _ = run(connector, &target, |_| Some(body.clone()));
        }
        let target = target("https://lamp.example/llms.txt", &[]).map_err(|error| TestCaseError::fail(error.to_string()))?;
        let _ = run("llms-txt", &target, |_| Some(bytes::Bytes::from(text.clone())));
        let _ = run("skills-wellknown", &target, |_| Some(bytes::Bytes::from(text.clone())));
    }
}
