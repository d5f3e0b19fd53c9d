//! One card file: front matter split off, head keys told from the kind's own fields, body and sections put where they belong.

use bytes::Bytes;
use refdesk_core::fact::{Identity, Provenance, RecordWithheld, StatedBy};
use refdesk_core::hash::{hex, sha256};
use refdesk_core::item::{
    Document, Framework, Head, Item, MANUAL_ID, McpServer, Skill, Status, Tool, TrustTier, Tutorial,
};
use refdesk_core::slug::slugify;
use refdesk_core::text::split_front_matter;
use refdesk_core::{Body, Fact, Kind, Record};
use serde_json::{Map, Value};

use super::keys::{check_date, date, id, optional, required, texts, web_url};
use super::model::model;
use super::{explain, front_matter};
use crate::bundled::{MANUAL_FOLDER, REPOSITORY};
use crate::connectors::formats::notebook::fence_around;
use crate::connectors::formats::{distinct, headings, placeholders, yaml};
use crate::connectors::mcp::mcp_identity;
use crate::connectors::mcp::mcp_registry::secrets;
use crate::connectors::repository::code_host;
use crate::connectors::repository::repo::{Repository, utf8};

/// What a card gets that does not state it itself.
#[derive(Debug, Clone)]
pub struct CardDefaults {
    /// Head keys and their values.
    keys: Vec<(&'static str, String)>,
    /// Page of the file, for documents without a `source_url` of their own.
    pub(super) page: String,
}

impl CardDefaults {
    /// Pages of the bundled manual state only `title` and `section`; all other cards state everything themselves.
    pub fn for_path(path: &str, repository: &Repository) -> Self {
        let mut keys = Vec::new();
        let is_ours = repository.url.as_deref() == Some(REPOSITORY);
        let file = path.strip_prefix(MANUAL_FOLDER).and_then(|rest| rest.strip_prefix('/'));
        if let Some(file) = file.filter(|_| is_ours) {
            let stem = file.trim_end_matches(".md");
            keys.push(("kind", "document".to_owned()));
            keys.push(("id", format!("{MANUAL_ID}{}", slugify(stem))));
            keys.push(("vendor", "refdesk".to_owned()));
            keys.push(("trust_tier", "official".to_owned()));
            keys.push(("language", "en".to_owned()));
        }
        Self { keys, page: repository.file_page(path) }
    }
}

/// Reads a stored card again. Its path is not known any more: a page of the manual is told by its id, Markdown by its front matter.
///
/// # Errors
/// As [`parse`].
pub fn reread(id: &str, bytes: &Bytes, repository: &Repository) -> Result<Fact, String> {
    let page = id.strip_prefix(MANUAL_ID).map(|stem| format!("{MANUAL_FOLDER}/{stem}.md"));
    let markdown = page.unwrap_or_else(|| format!("{id}.md"));
    let path = match split_front_matter(utf8(bytes)?) {
        Some(_) => markdown,
        None if markdown.starts_with(MANUAL_FOLDER) => markdown,
        None => format!("{id}.yaml"),
    };
    let read = parse(&path, bytes, &CardDefaults::for_path(&path, repository))?;
    read.ok_or_else(|| "the stored card has no front matter".to_owned())
}

/// Reads one card. `None` when a Markdown file has no front matter and so is no card.
///
/// # Errors
/// A sentence that names the key and says what to do.
pub fn parse(path: &str, bytes: &Bytes, defaults: &CardDefaults) -> Result<Option<Fact>, String> {
    let text = utf8(bytes)?;
    let is_markdown = path.rsplit_once('.').is_some_and(|(_, ending)| ending.eq_ignore_ascii_case("md"));
    let (front, body, first_line) = if is_markdown {
        match front_matter::split(text)? {
            Some((front, body)) => (front, Some(body), 1),
            None if defaults.keys.is_empty() => return Ok(None),
            None => ("", Some(text), 0),
        }
    } else {
        (text, None, 0)
    };
    let mut map = yaml::mapping(front)
        .map_err(|error| format!("line {}: invalid YAML: {}", error.line + first_line, error.message))?;
    for (key, value) in &defaults.keys {
        map.entry(*key).or_insert_with(|| Value::String(value.clone()));
    }
    let card = Card { path, text, body, page: &defaults.page };
    card.fact(bytes, map).map(Some)
}

struct Card<'a> {
    path: &'a str,
    text: &'a str,
    body: Option<&'a str>,
    page: &'a str,
}

impl Card<'_> {
    fn fact(&self, bytes: &Bytes, mut map: Map<String, Value>) -> Result<Fact, String> {
        let kind = required(&mut map, "kind")?;
        let kind = Kind::ALL.into_iter().find(|known| known.singular() == kind).ok_or_else(|| {
            let known = Kind::ALL.map(Kind::singular);
            let hint = Kind::parse(&kind).map(Kind::singular).or_else(|| refdesk_core::nearest::meant(&kind, known));
            let hint = hint.map_or(String::new(), |near| format!(" (did you mean `{near}`?)"));
            format!("unknown kind `{kind}`; use one of {}{hint}", known.join(", "))
        })?;
        let mut head = head(kind, &mut map)?;
        let checked_on = date(&mut map, "checked_on")?;
        let source_url = match (optional(&mut map, "source_url")?, kind) {
            (Some(url), _) => web_url("source_url", url)?,
            (None, Kind::Document) => self.page.to_owned(),
            (None, _) => return Err("missing key `source_url`; add the page that states these facts".into()),
        };
        let record_withheld = withheld(kind, &map);
        let (item, body) = self.item(kind, map, &mut head)?;
        let identity = identity(&head, &item, &source_url);
        Ok(Fact {
            key: head.id.clone(),
            head,
            item,
            source_url,
            record: Record::Bytes(bytes.clone()),
            body,
            identity,
            provenance: Provenance {
                record_url: Some(self.page.to_owned()),
                stated_by: Some(StatedBy::Card),
                record_withheld,
                ..Provenance::default()
            },
            checked_on,
        })
    }

    /// The kind's own fields and the full text.
    fn item(&self, kind: Kind, map: Map<String, Value>, head: &mut Head) -> Result<(Item, Body), String> {
        for key in ["released_on", "deprecated_on", "retires_on", "knowledge_cutoff", "published_on"] {
            check_date(&map, key)?;
        }
        let body = self.body.map(str::trim).filter(|body| !body.is_empty());
        let markdown = || body.map_or(Body::None, |body| Body::Markdown(format!("{body}\n")));
        let only_without_body = |item: Item| match body {
            Some(_) => Err(format!("a {} card has no Markdown body; put its text under `description:`", kind.label())),
            None => Ok((item, Body::None)),
        };
        match kind {
            Kind::Model => only_without_body(Item::Model(model(map, head.vendor.as_deref())?)),
            Kind::Tool => only_without_body(Item::Tool(explain::fields::<Tool>(kind, map)?)),
            Kind::McpServer => only_without_body(Item::McpServer(server(map, head)?)),
            Kind::Tutorial => Ok((Item::Tutorial(explain::fields::<Tutorial>(kind, map)?), markdown())),
            Kind::Skill => {
                let mut skill = explain::fields::<Skill>(kind, map)?;
                if skill.name.is_empty() {
                    skill.name.clone_from(&head.id);
                }
                Ok((Item::Skill(skill), markdown()))
            }
            Kind::Document => {
                let mut document = explain::fields::<Document>(kind, map)?;
                if body.is_none() {
                    return Err("a document card needs its Markdown after the front matter; make it an .md file".into());
                }
                document.path.get_or_insert_with(|| self.path.to_owned());
                document.bytes = Some(self.text.len() as u64);
                document.token_estimate = Some(self.text.len() as u64 / 4);
                document.headings = headings::parse(self.text);
                Ok((Item::Document(document), markdown()))
            }
            Kind::Framework => {
                let mut framework = explain::fields::<Framework>(kind, map)?;
                sections(body.unwrap_or(""), &mut framework)?;
                seal_prompt(&mut framework)?;
                if head.status != Status::Candidate {
                    head.status = framework.publication_score().status();
                }
                Ok((Item::Framework(framework), Body::None))
            }
        }
    }
}

/// What every item has.
fn head(kind: Kind, map: &mut Map<String, Value>) -> Result<Head, String> {
    let id = id(map)?;
    let name = required(map, kind.name_key())?;
    let status = match optional(map, "status")? {
        None if kind == Kind::Document => Status::Active,
        None => Status::Unknown,
        Some(word) => status(kind, &word)?,
    };
    let trust_tier = match optional(map, "trust_tier")? {
        None => None,
        Some(word) => Some(serde_json::from_value::<TrustTier>(Value::String(word.clone())).map_err(|_| {
            format!("`trust_tier` is `{word}`, which is not one of official, verified, community, unverified")
        })?),
    };
    Ok(Head {
        id,
        name,
        vendor: optional(map, "vendor")?,
        status,
        trust_tier,
        aliases: texts(map, "aliases")?,
        language: optional(map, "language")?,
    })
}

fn status(kind: Kind, word: &str) -> Result<Status, String> {
    let known: &[Status] = if kind == Kind::Framework {
        &[Status::Published, Status::Candidate]
    } else {
        &[Status::Active, Status::Preview, Status::Deprecated, Status::Retired, Status::Unknown]
    };
    known.iter().copied().find(|status| status.as_str() == word).ok_or_else(|| {
        let known: Vec<&str> = known.iter().map(|status| status.as_str()).collect();
        format!("`status` is `{word}`, which is not one of {}", known.join(", "))
    })
}

/// A server without literal secrets; its registry name finds it, too.
fn server(map: Map<String, Value>, head: &mut Head) -> Result<McpServer, String> {
    let mut server = explain::fields::<McpServer>(Kind::McpServer, map)?;
    for shown in server.packages.iter_mut().chain(&mut server.remotes) {
        *shown = secrets::shown(shown);
    }
    server.config_schema = server.config_schema.as_ref().map(secrets::sifted);
    let name = server.name.iter().filter(|name| !head.aliases.contains(name)).cloned();
    head.aliases.extend(name.collect::<Vec<_>>());
    Ok(server)
}

/// A server's card may hold a literal secret, as copied from a client's settings.
fn withheld(kind: Kind, map: &Map<String, Value>) -> Option<RecordWithheld> {
    (kind == Kind::McpServer).then(|| secrets::withheld(&Value::Object(map.clone()))).flatten()
}

/// How live syncs of the same thing find the card.
fn identity(head: &Head, item: &Item, source_url: &str) -> Identity {
    let mut identity = Identity::default();
    match item {
        Item::Model(_) => {
            // A card speaks for the maker: its price is the first-party one, its id the maker's own.
            let maker = head.vendor.as_deref().map(slugify);
            identity.provider.clone_from(&maker);
            identity.maker = maker;
            identity.api_model_id = Some(head.id.clone());
        }
        Item::McpServer(server) => {
            identity.same_as.extend(server.name.iter().map(|name| format!("mcp:{name}")));
            identity.repository = server.repository.as_ref().and_then(code_host::identity);
            identity.packages = mcp_identity::packages(&server.packages);
            identity.remotes = mcp_identity::remotes(&server.remotes);
        }
        Item::Skill(skill) => identity.same_as.extend(
            skill
                .repository
                .as_ref()
                .and_then(|repository| skill_key(repository.url.as_deref()?, repository.path.as_deref()?)),
        ),
        Item::Tutorial(_) => identity.same_as.push(format!("url:{source_url}")),
        Item::Tool(_) | Item::Document(_) | Item::Framework(_) => {}
    }
    identity
}

/// `skill:github.com/owner/name#path`: the key by which a skill of a repository is known to all sources.
pub(in crate::connectors) fn skill_key(repository_url: &str, path: &str) -> Option<String> {
    let key = refdesk_catalog::resolve::repository::repository_key(repository_url)?;
    Some(format!("skill:{}#{}", key.trim_start_matches("repo:"), path.trim_matches('/')))
}

/// Takes the sections `# Prompt` and `# Output template` of a framework card.
fn sections(body: &str, framework: &mut Framework) -> Result<(), String> {
    for (title, text) in headings::split(body, |level| level == 1) {
        let text = text.trim();
        match title {
            "Prompt" => {
                let prompt = framework
                    .prompt
                    .as_mut()
                    .ok_or("section `# Prompt` needs `prompt:` with `version` and `variables` in the front matter")?;
                if !prompt.text.is_empty() {
                    return Err(
                        "the prompt appears twice: in `prompt.text` and under `# Prompt`; keep the section".into()
                    );
                }
                text.clone_into(&mut prompt.text);
            }
            "Output template" => {
                let output = framework
                    .output
                    .as_mut()
                    .ok_or("section `# Output template` needs `output:` with `artifact` in the front matter")?;
                if !output.template_markdown.is_empty() {
                    return Err("the template appears twice: in `output.template_markdown` and under `# Output template`; keep the section".into());
                }
                text.clone_into(&mut output.template_markdown);
            }
            "" if text.is_empty() => {}
            "" => {
                return Err(
                    "text stands before the first `# ` heading; move it under `# Prompt` or `# Output template`".into(),
                );
            }
            other => {
                return Err(format!(
                    "unknown section `# {other}`; a framework card has `# Prompt` and `# Output template`"
                ));
            }
        }
    }
    Ok(())
}

/// Completes the prompt: the output template is put below its text, so that an agent can run it as it stands; the hash is set, and
/// the variables where the card does not name them.
fn seal_prompt(framework: &mut Framework) -> Result<(), String> {
    let Some(prompt) = framework.prompt.as_mut() else { return Ok(()) };
    if prompt.text.is_empty() {
        return Err("`prompt:` is there but its text is missing; write it under `# Prompt`".into());
    }
    let template = framework.output.as_ref().map_or("", |output| output.template_markdown.trim());
    if !template.is_empty() && !prompt.text.contains(template) {
        let fence = fence_around(template);
        for part in ["\n\n## Output template\n\n", &fence, "markdown\n", template, "\n", &fence] {
            prompt.text.push_str(part);
        }
    }
    let hash = hex(&sha256(prompt.text.as_bytes()));
    if !prompt.sha256.is_empty() && prompt.sha256 != hash {
        return Err(format!(
            "`prompt.sha256` is not that of the text, which is {hash}; leave the key out, it is computed"
        ));
    }
    prompt.sha256 = hash;
    if prompt.variables.is_empty() {
        prompt.variables = variables(&prompt.text);
    }
    Ok(())
}

/// The `{{variables}}` of a prompt in order of their first use.
pub(crate) fn variables(text: &str) -> Vec<String> {
    distinct(placeholders(text).map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned))
}
