//! `skills-wellknown`: skills that a site publishes under `/.well-known/agent-skills/index.json`
//! (discovery draft 0.2: `skills[{name, type, description, url, digest}]`).
//!
//! Only files of the same host below it are fetched; their digest must be the one in the index. Paths with `..`, other hosts, other
//! types and wrong digests are rejects.

use std::collections::BTreeMap;

use bytes::Bytes;
use refdesk_core::item::{Head, Item, SkillFile, Status};
use refdesk_core::{Body, Fact, Kind, Record, Reject};
use serde_json::Value;
use url::Url;

use crate::connectors::formats::json_text;
use crate::connectors::repository::license::{self, Licences};
use crate::connectors::repository::public_url::{public_url, same_site};
use crate::connectors::skills::skill;
use crate::connectors::{
    Answer, Batch, Connector, CountMethod, FetchSession, JsonRule, ParseError, Request, Reread, Step, StoredKey, Target,
};

/// Path of the index below the site.
const INDEX_PATH: &str = ".well-known/agent-skills/index.json";
/// Most skills of one index.
const SKILLS_MAX: usize = 2_000;
/// Tag of the first request.
const INDEX: &str = "index";
/// What the index should be, for errors.
const EXPECTED: &str = "a skills index: a JSON object with a list `skills`";

/// The connector.
pub const CONNECTOR: Connector = Connector {
    name: "skills-wellknown",
    kinds: &[Kind::Skill],
    description: "Agent skills that a site publishes under /.well-known/agent-skills/index.json, their digests verified",
    options: &[("vendor", "publisher of the skills; default: the host")],
    count: CountMethod::Json(JsonRule::FirstAnswer(&[Step::Key("skills")])),
    open,
    reread,
    ..Connector::RECORDS
};

fn open(target: &Target) -> Result<Box<dyn FetchSession>, ParseError> {
    if target.url.scheme() == "file" {
        return Err(ParseError::new("reads a site; for a local folder of skills use the connector `skills-repo`"));
    }
    Ok(Box::new(WellKnownSession::from_target(target)))
}

fn reread(target: &Target, stored: StoredKey<'_>, record: &[u8]) -> Result<Reread, String> {
    let pass = WellKnownSession::from_target(target);
    let read = pass.fact_of(stored.key, &pass.public, &Bytes::copy_from_slice(record));
    read.map(Reread::whole)
}

struct ListedSkill {
    digest: String,
    page: Url,
}

struct WellKnownSession {
    index: Url,
    public: Url,
    target: Target,
    listed: BTreeMap<String, ListedSkill>,
    seen_index: bool,
    batch: Batch,
}

impl WellKnownSession {
    fn from_target(target: &Target) -> Self {
        let mut index = target.url.clone();
        if !index.path().ends_with("/index.json") {
            let base = index.path().trim_end_matches('/').to_owned();
            index.set_path(&format!("{base}/{INDEX_PATH}"));
        }
        let public = public_url(&target.source_id, &index);
        Self {
            index,
            public,
            target: target.clone(),
            listed: BTreeMap::new(),
            seen_index: false,
            batch: Batch::default(),
        }
    }
}

impl FetchSession for WellKnownSession {
    fn first(&mut self) -> Vec<Request> {
        vec![Request::get(self.index.clone(), INDEX)]
    }

    fn accept(&mut self, answer: Answer) -> Result<Vec<Request>, ParseError> {
        if !self.seen_index {
            self.seen_index = true;
            return self.read_index(&answer.body);
        }
        let Some(listed) = self.listed.remove(&answer.tag) else {
            return Err(ParseError::new(format!("an answer for `{}`, which was not asked for", answer.tag)));
        };
        let read = self.fact(&answer, &listed);
        self.batch.take(read.map_err(|reason| {
            let excerpt = String::from_utf8_lossy(&answer.body);
            Reject::new(&answer.tag, format!("skill `{}` {reason}", answer.tag), &excerpt)
        }));
        Ok(Vec::new())
    }

    fn finish(mut self: Box<Self>) -> Result<Batch, ParseError> {
        if !self.seen_index || !self.listed.is_empty() {
            return Err(ParseError::new(format!("{} listed skills were never answered", self.listed.len())));
        }
        self.batch.facts.sort_by(|a, b| a.key.cmp(&b.key));
        Ok(self.batch)
    }
}

impl WellKnownSession {
    fn read_index(&mut self, body: &[u8]) -> Result<Vec<Request>, ParseError> {
        let skills = json_text::list_in(&json_text::object(body, EXPECTED)?, "skills", EXPECTED)?;
        if skills.len() > SKILLS_MAX {
            return Err(ParseError::new(format!(
                "the skills index lists {} skills; at most {SKILLS_MAX} are read",
                skills.len()
            )));
        }
        let mut requests = Vec::new();
        for (at, entry) in skills.into_iter().enumerate() {
            let mut name = None;
            let read = json_text::read(entry, |entry| {
                name = entry["name"].as_str().map(str::to_owned);
                self.listed(entry)
            });
            match read {
                Ok((name, request, listed)) => {
                    requests.push(request);
                    self.listed.insert(name, listed);
                }
                Err(reason) => {
                    let key = name.unwrap_or_else(|| format!("item {}", at + 1));
                    let reason = format!("skill `{key}` {reason}");
                    self.batch.take(Err(Reject::new(&key, reason, &json_text::shown(entry))));
                }
            }
        }
        Ok(requests)
    }

    fn listed(&self, entry: &Value) -> Result<(String, Request, ListedSkill), String> {
        let text = |key: &str| {
            entry[key].as_str().filter(|text| !text.is_empty()).ok_or_else(|| format!("has no `{key}` in the index"))
        };
        let (name, kind, link, digest) = (text("name")?, text("type")?, text("url")?, text("digest")?);
        if kind != "skill-md" {
            return Err(format!("is of type `{kind}`; only `skill-md` is read"));
        }
        if self.listed.contains_key(name) {
            return Err("is listed twice; the first one counts".into());
        }
        if !is_sha256(digest) {
            return Err(format!("has the digest `{digest}`, which is not `sha256:` and 64 hex digits"));
        }
        let page = inside(&self.public, link)?;
        let url = same_site(&self.index, &page).ok_or_else(|| format!("links to `{link}` on another host"))?;
        let request = Request::get_if_there(url, name);
        Ok((name.to_owned(), request, ListedSkill { digest: digest.to_ascii_lowercase(), page }))
    }

    fn fact(&self, answer: &Answer, listed: &ListedSkill) -> Result<Fact, String> {
        if answer.status != 200 {
            return Err(format!("is listed, but {} answers {}", listed.page, answer.status));
        }
        let found = refdesk_core::hash::content_hash(&answer.body);
        if found != listed.digest {
            return Err(format!("has the digest {found}, while the index says {}", listed.digest));
        }
        self.fact_of(&answer.tag, &listed.page, &answer.body)
    }

    /// The fact of a skill's bytes.
    fn fact_of(&self, key: &str, page: &Url, bytes: &Bytes) -> Result<Fact, String> {
        let mut skill = skill::parse(key, bytes)?;
        let digest = refdesk_core::hash::content_hash(bytes);
        skill.files = vec![SkillFile { path: skill::FILE_NAME.into(), bytes: bytes.len() as u64, digest }];
        let mut aliases = Vec::new();
        if skill.name != key {
            aliases.push(key.to_owned());
        }
        let licence = Licences::default().of_item("", skill.license.as_deref());
        let fact = Fact {
            head: Head {
                id: skill.name.clone(),
                name: skill.name.clone(),
                vendor: self.target.option("vendor").or(self.public.host_str()).map(str::to_owned),
                status: Status::Active,
                aliases,
                ..Head::default()
            },
            body: Body::Record,
            ..Fact::new(key, Item::Skill(skill), Record::Bytes(bytes.clone()), page.as_str())
        };
        Ok(license::applied(licence, fact, self.target.serve_restricted))
    }
}

/// The page that a link of the index means, when it stays on the site.
fn inside(index: &Url, link: &str) -> Result<Url, String> {
    let decoded = percent_encoding::percent_decode_str(link).decode_utf8_lossy();
    if decoded.contains('\\') || decoded.split(['/', '?', '#']).any(|part| part == "..") {
        return Err(format!("links to `{link}`, which leads out of its folder"));
    }
    let page = index.join(link).map_err(|error| format!("links to `{link}`, which is not an address: {error}"))?;
    if page.host_str() != index.host_str() || page.scheme() != index.scheme() || page.port() != index.port() {
        return Err(format!("links to `{link}` on another host"));
    }
    Ok(page)
}

fn is_sha256(digest: &str) -> bool {
    digest.strip_prefix("sha256:").is_some_and(|hex| hex.len() == 64 && hex.bytes().all(|b| b.is_ascii_hexdigit()))
}
