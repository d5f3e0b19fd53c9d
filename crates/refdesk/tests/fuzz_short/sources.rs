//! Fuzz targets for what an upstream or an operator wrote: answers of sources, records, archives, licences, configurations.

use super::{Random, files, fuzz, texts};
use refdesk::config::{Config, key};
use refdesk_ingest::connectors::formats::{json_text, tarball, tree};
use refdesk_ingest::connectors::repository::license::{Licences, NAME_CHARS_MAX};
use refdesk_ingest::connectors::{Answer, Connector, REGISTRY, Target};
use std::collections::BTreeMap;
use std::path::Path;

/// Most answers that one pass of a connector is given.
const ANSWERS_MAX: usize = 24;

fn tarball(files: &BTreeMap<String, Vec<u8>>) -> Vec<u8> {
    let mut archive = tar::Builder::new(flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast()));
    for (path, content) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        header.set_cksum();
        archive.append_data(&mut header, format!("repo-main/{path}"), content.as_slice()).unwrap();
    }
    archive.into_inner().unwrap().finish().unwrap()
}

/// One pass over whatever bytes: an error, or a harvest that lost nothing.
fn pass(connector: &Connector, url: &str, mut body: impl FnMut(&mut Random) -> Vec<u8>, random: &mut Random) {
    let url = url::Url::parse(url).unwrap();
    let target = Target { source_id: "fuzz".into(), url, options: BTreeMap::new(), serve_restricted: false };
    let mut pass = (connector.open)(&target).unwrap();
    let mut open = pass.first();
    let mut answers = 0;
    while let Some(request) = open.pop() {
        answers += 1;
        let status = if request.may_be_missing && random.below(3) == 0 { 404 } else { 200 };
        let link = (random.below(8) == 0).then(|| "<https://hub.example/api?cursor=x>; rel=\"next\"".to_owned());
        let answer = Answer { tag: request.tag, url: request.url, status, link, body: body(random).into() };
        match pass.accept(answer) {
            Ok(more) if answers < ANSWERS_MAX => open.extend(more),
            Ok(_) => {}
            Err(_) => return,
        }
    }
    if let Ok(harvest) = pass.finish() {
        let found = harvest.facts.len() + harvest.versions + harvest.rejects.len();
        // A pass that was cut off owes what it was not given.
        assert!(
            answers >= ANSWERS_MAX || harvest.items_upstream == found,
            "{}: {} in, {found} out",
            connector.name,
            harvest.items_upstream
        );
    }
}

#[test]
fn connectors() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../ingest/fixtures");
    let mut all = BTreeMap::new();
    files(&root, &root, &mut all);
    // Names of fixtures begin with the connector's, spelled with `-` or `_`.
    let own = |name: &str| -> BTreeMap<String, Vec<u8>> {
        let is_own = |path: &str| path.replace('_', "-").starts_with(name);
        all.iter().filter(|(path, _)| is_own(path)).map(|(path, bytes)| (path.clone(), bytes.clone())).collect()
    };
    let any: Vec<Vec<u8>> = all.values().cloned().collect();
    let mut findings = 0;
    for connector in REGISTRY {
        let files = own(connector.name);
        let seeds: Vec<Vec<u8>> = if files.is_empty() { any.clone() } else { files.values().cloned().collect() };
        let folder: BTreeMap<String, Vec<u8>> = files
            .iter()
            .map(|(path, bytes)| {
                (path.split_once('/').map_or(path.as_str(), |(_, rest)| rest).to_owned(), bytes.clone())
            })
            .collect();
        // One takes no other addresses than these.
        let [of_file, of_archive] = match connector.name {
            "composio" => ["https://api.example/v3/tools", "https://api.example/v3/toolkits"],
            _ => ["https://api.example/v1/data.json", "https://codeload.github.com/lamp/x/tar.gz/main"],
        };
        findings += fuzz(connector.name, &seeds, |input, random| {
            pass(
                connector,
                of_file,
                |random| if random.below(2) == 0 { input.to_vec() } else { random.mutated(&seeds) },
                random,
            );
            let mut tree = folder.clone();
            tree.extend(
                ["cards/a.yaml", "docs/a.md", "a/SKILL.md", "x.json"].map(|path| (path.to_owned(), input.to_vec())),
            );
            if let Some(changed) = tree.keys().nth(random.below(tree.len())).cloned() {
                tree.insert(changed, input.to_vec());
            }
            let mut archive = tarball(&tree);
            if random.below(4) == 0 {
                archive = random.mutated(&[archive]);
            }
            pass(connector, of_archive, |_| archive.clone(), random);
        });
    }
    assert_eq!(findings, 0);
}

/// A text is cut into its records without reading them; what the cut calls whole must be what a parser finds there.
#[test]
fn records_of_json() {
    let seeds = texts(&[
        r#"{"a": {"b": [1, {"c": "}]\""}], "b": 2}, "a": null, "\u0061": -1.5e3}"#,
        r#"[{"id": "x", "n": 1e400}, {"id": NaN}, "\ud800", [[[]]], true]"#,
        r#"{"servers": [{"server": {"name": "a"}}], "metadata": {"nextCursor": "c"}}"#,
    ]);
    let findings = fuzz("json-records", &seeds, |input, _| {
        let whole = serde_json::from_slice::<serde_json::Value>(input).ok();
        let members = json_text::members(input).ok().flatten();
        let elements = json_text::elements(input).ok().flatten();
        if let Some(serde_json::Value::Array(items)) = &whole {
            let read: Vec<serde_json::Value> =
                elements.as_ref().unwrap().iter().map(|item| serde_json::from_slice(item).unwrap()).collect();
            assert_eq!(*items, read);
        }
        if let Some(serde_json::Value::Object(known)) = &whole {
            // The parser keeps the last of equal keys, the cut has all.
            let members = members.as_ref().unwrap();
            let read: serde_json::Map<_, _> = members
                .iter()
                .filter_map(|member| {
                    Some((
                        member.key().ok()?.into_owned(),
                        serde_json::from_slice::<serde_json::Value>(member.value).unwrap(),
                    ))
                })
                .collect();
            assert!(read == *known || members.iter().any(|member| member.key().is_err()));
            let _ = (json_text::cursor(members, "metadata.nextCursor"), json_text::list_in(members, "servers", "x"));
        }
        for part in elements.into_iter().flatten().chain(members.into_iter().flatten().map(|member| member.value)) {
            if let Ok(value) = json_text::read(part, |value| Ok(value.clone())) {
                assert_eq!(serde_json::from_slice::<serde_json::Value>(part).unwrap(), value);
            }
        }
    });
    assert_eq!(findings, 0);
}

/// Archives with their headers changed: an error or a tree, and never more memory than the names' bound beside what is kept.
#[test]
fn tarballs() {
    let mut files = BTreeMap::new();
    files.insert("a.md".to_owned(), b"# A\n".to_vec());
    files.insert(format!("{}/b.md", "long".repeat(60)), b"# B\n".repeat(200));
    let packed = tarball(&files);
    let mut seed = Vec::new();
    std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(packed.as_slice()), &mut seed).unwrap();
    let findings = fuzz("tarball", &[seed], |input, _| {
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        std::io::Write::write_all(&mut packer, input).unwrap();
        if let Ok(tree) = tree::unpack(&packer.finish().unwrap(), |_| true) {
            for path in tree.files.keys().chain(tree.refused.keys()).chain(&tree.unread) {
                let stays = !path.starts_with('/') && !path.split('/').any(|part| matches!(part, ".." | "." | ""));
                assert!(stays && path.len() <= 3 * tarball::PATH_BYTES_MAX, "{path}");
            }
        }
    });
    assert_eq!(findings, 0);
}

#[test]
fn licences() {
    let seeds: Vec<Vec<u8>> = [
        "MIT License\n\nPermission is hereby granted, free of charge, to any person obtaining a copy\0license: MIT",
        "Apache License\nVersion 2.0, January 2004\n\0Apache-2.0 OR MIT",
        "Copyright (c) 2026 Lamp Ltd. All rights reserved.\nYou may not distribute these materials to any third party.\0see LICENSE",
        "GNU GENERAL PUBLIC LICENSE\nVersion 3, 29 June 2007\0GPL-3.0-or-later WITH Classpath-exception-2.0",
    ]
    .map(|seed| seed.as_bytes().to_vec())
    .into();
    let findings = fuzz("licences", &seeds, |input, _| {
        let (text, stated) = input.split_at(input.iter().position(|byte| *byte == 0).unwrap_or(input.len()));
        let files = BTreeMap::from([("LICENSE".to_owned(), text.to_vec()), ("a/SKILL.md".to_owned(), b"# A".to_vec())]);
        let licences = Licences::from_tree(&tree::unpack(&tarball(&files), |_| true).unwrap());
        let of_file = licences.of_item("a", None).unwrap();
        assert!(std::str::from_utf8(text).is_ok() || of_file.withholds(), "a file that cannot be read withholds");
        let of_item = licences.of_item("a", Some(&String::from_utf8_lossy(stated))).unwrap();
        for licence in [of_file, of_item] {
            // What was cut ends in an ellipsis.
            assert!((1..=NAME_CHARS_MAX + 1).contains(&licence.label().chars().count()), "{licence:?}");
        }
    });
    assert_eq!(findings, 0);
}

#[test]
fn configurations() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("refdesk.toml");
    let mut seeds = vec![include_str!("../../../../refdesk.example.toml").replace("\n# ", "\n").into_bytes()];
    seeds.extend(texts(&[
        "listen = \"127.0.0.1:1\"\nretries_max = 4\nmax_age = \"60s\"\nallowed_hosts = [\"a\"]\n",
        "[[sources]]\nid = \"a\"\nconnector = \"cards\"\nurl = \"x\"\ninterval = \"1h\"\n[sources.options]\ninclude = \"a\"\n",
    ]));
    let findings = fuzz("config", &seeds, |input, _| {
        std::fs::write(&file, input).unwrap();
        match Config::load(Some(&file), &[]) {
            Ok(config) => {
                let _ = (config.fetch_settings(), config.rows().count(), config.get(key::REQUEST_TIMEOUT));
            }
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    });
    assert_eq!(findings, 0);
}
