//! What the tests of connectors share: fixtures and recordings, passes over them, and tarballs in the shape of GitHub's, made in memory.

use std::collections::BTreeMap;
use std::error::Error;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use bytes::Bytes;
use refdesk_core::item::{Item, McpServer, Tool};
use refdesk_core::{Fact, Reject};
use refdesk_ingest::census::Census;
use refdesk_ingest::connectors::{Answer, Batch, Connector, ParseError, StoredKey, Target, find};
use serde_json::Value;
use url::Url;

pub type Outcome = Result<(), Box<dyn Error>>;

/// A gzipped tar of the files below one top folder.
pub fn tarball(files: &[(&str, &[u8])]) -> Result<Bytes, Box<dyn Error>> {
    tarball_at(None, files, &[])
}

/// A gzipped tar as GitHub makes it: the commit in the global header, then files, then symbolic links.
pub fn tarball_at(
    commit: Option<&str>,
    files: &[(&str, &[u8])],
    links: &[(&str, &str)],
) -> Result<Bytes, Box<dyn Error>> {
    let mut archive = tar::Builder::new(flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast()));
    if let Some(commit) = commit {
        let record = format!("52 comment={commit}\n");
        let mut header = tar::Header::new_ustar();
        header.set_entry_type(tar::EntryType::XGlobalHeader);
        header.set_size(record.len() as u64);
        header.set_cksum();
        archive.append_data(&mut header, "pax_global_header", record.as_bytes())?;
    }
    for (path, content) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        header.set_cksum();
        archive.append_data(&mut header, format!("repo-main/{path}"), *content)?;
    }
    for (path, target) in links {
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(tar::EntryType::Symlink);
        header.set_size(0);
        archive.append_link(&mut header, format!("repo-main/{path}"), target)?;
    }
    let mut encoder = archive.into_inner()?;
    encoder.flush()?;
    Ok(Bytes::from(encoder.finish()?))
}

/// A gzipped tar of a folder on disk.
pub fn tarball_of(folder: &Path) -> Result<Bytes, Box<dyn Error>> {
    let mut files = Vec::new();
    walk(folder, folder, &mut files)?;
    files.sort();
    let files: Vec<(&str, &[u8])> = files.iter().map(|(path, content)| (path.as_str(), content.as_slice())).collect();
    tarball(&files)
}

fn walk(root: &Path, folder: &Path, files: &mut Vec<(String, Vec<u8>)>) -> Outcome {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            walk(root, &path, files)?;
        } else {
            let inside = path.strip_prefix(root)?.to_string_lossy().into_owned();
            files.push((inside, std::fs::read(&path)?));
        }
    }
    Ok(())
}

/// A file of `fixtures/`.
pub fn fixture(path: &str) -> Result<Bytes, std::io::Error> {
    std::fs::read(fixtures().join(path)).map(Bytes::from)
}

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures")
}

/// Reads a folder of `fixtures/` through a connector, as if it were GitHub's `lamp/<folder>`.
pub fn fixture_batch(connector: &str, options: &[(&str, &str)]) -> Result<Batch, Box<dyn Error>> {
    let url = format!("http://127.0.0.1:9900/any/codeload.github.com/lamp/{connector}/tar.gz/main");
    run_tarball(connector, &url, options, &tarball_of(&fixtures().join(connector))?)
}

/// The folder of unpacked recordings, where there is one.
pub fn recordings() -> Option<PathBuf> {
    std::env::var_os("REFDESK_RECORDINGS").map(PathBuf::from).filter(|folder| folder.is_dir())
}

/// The server that a fact is.
pub fn server(fact: &Fact) -> Result<&McpServer, String> {
    let Item::McpServer(server) = &fact.item else { return Err(format!("{} is not a server", fact.key)) };
    Ok(server)
}

/// The tool that a fact is.
pub fn tool(fact: &Fact) -> Result<&Tool, String> {
    let Item::Tool(tool) = &fact.item else { return Err(format!("{} is not a tool", fact.key)) };
    Ok(tool)
}

/// The cursor of a request, decoded.
pub fn cursor(url: &Url) -> Option<String> {
    url.query_pairs().find(|(key, _)| key == "cursor").map(|(_, value)| value.into_owned())
}

/// A source for a connector.
pub fn target(url: &str, options: &[(&str, &str)]) -> Result<Target, Box<dyn Error>> {
    let options = options.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
    Ok(Target {
        source_id: "test".into(),
        url: Url::parse(url)?,
        options: options.collect::<BTreeMap<_, _>>(),
        serve_restricted: false,
    })
}

/// Runs a pass: every request is answered by `serve`; `None` is a 404.
pub fn run(connector: &str, target: &Target, serve: impl Fn(&Url) -> Option<Bytes>) -> Result<Batch, ParseError> {
    let connector = find(connector).ok_or_else(|| ParseError::new("no such connector"))?;
    let mut census = Census::new(connector, target);
    let mut pass = (connector.open)(target)?;
    let mut open = pass.first();
    while let Some(request) = open.pop() {
        let (status, body) = match serve(&request.url) {
            Some(body) => (200, body),
            None if request.may_be_missing => (404, Bytes::new()),
            None => return Err(ParseError::new(format!("404 for {}", request.url))),
        };
        let answer = Answer { tag: request.tag, url: request.url, status, link: None, body };
        census.see(&answer);
        open.extend(pass.accept(answer)?);
    }
    let batch = pass.finish()?;
    assert_eq!(
        batch.items_upstream,
        batch.facts.len() + batch.versions + batch.rejects.len(),
        "nothing an upstream lists may vanish"
    );
    let accounted = batch.items_upstream + batch.ignored.values().sum::<usize>();
    if let Some(counted) = census.counted() {
        assert_eq!(counted.missing_from(accounted), 0, "{}, left out {:?}", counted.shown(), batch.ignored);
    }
    let mut keys: Vec<_> = batch.facts.iter().map(|fact| (fact.kind(), fact.key.as_str())).collect();
    keys.sort_unstable();
    assert!(keys.windows(2).all(|pair| pair[0] != pair[1]), "keys are unique within the source and kind");
    batch.facts.iter().for_each(|fact| assert_reread(connector, target, fact));
    Ok(batch)
}

/// The stored record by itself gives what the pass gave, except what the connector says comes from elsewhere.
fn assert_reread(connector: &Connector, target: &Target, fact: &Fact) {
    let stored = StoredKey { kind: fact.kind(), key: &fact.key };
    let reread = match (connector.reread)(target, stored, fact.record.as_bytes()) {
        Ok(reread) => reread,
        Err(reason) => panic!("{}: {reason}", fact.key),
    };
    let states = |fact: &Fact| {
        let head = &fact.head;
        let mut states = fact.item.to_json().unwrap_or_default();
        states["name"] = head.name.clone().into();
        states["vendor"] = head.vendor.clone().into();
        states["language"] = head.language.clone().into();
        states["status"] = serde_json::to_value(head.status).unwrap_or_default();
        states
    };
    let is_empty = |value: &Value| value.is_null() || value.as_array().is_some_and(Vec::is_empty);
    // A record in canonical form writes `1.0` as `1`.
    let canonical = |value: &Value| refdesk_core::hash::canonical_json(value).unwrap_or_default();
    let (given, read) = (states(fact), states(&reread.fact));
    assert_eq!(reread.fact.key, fact.key);
    for (name, value) in given.as_object().into_iter().flatten() {
        let compared = !reread.not_in_record.contains(&name.as_str()) && !is_empty(value);
        let is_same = canonical(&read[name]) == canonical(value);
        assert!(!compared || is_same, "{} `{name}`: {value}, read again {}", fact.key, read[name]);
    }
}

/// Runs a repository connector over one tarball.
pub fn run_tarball(
    connector: &str,
    url: &str,
    options: &[(&str, &str)],
    body: &Bytes,
) -> Result<Batch, Box<dyn Error>> {
    Ok(run(connector, &target(url, options)?, |_| Some(body.clone()))?)
}

/// The fact of that key.
pub fn fact<'a>(batch: &'a Batch, key: &str) -> Result<&'a Fact, String> {
    let known = || batch.facts.iter().map(|fact| fact.key.as_str()).collect::<Vec<_>>();
    batch.facts.iter().find(|fact| fact.key == key).ok_or_else(|| format!("no fact `{key}` among {:?}", known()))
}

/// The reject of that key.
pub fn reject<'a>(batch: &'a Batch, key: &str) -> Result<&'a Reject, String> {
    batch.rejects.iter().find(|reject| reject.key == key).ok_or_else(|| format!("no reject `{key}`"))
}
