//! `docker-mcp`: Docker's catalog of MCP servers, `servers/<name>/server.yaml` with an optional `tools.json`, from one tarball.
//!
//! A server is a fact; each of its tools is one more, with the id `<server>.<tool>` (see [`tools`]). Secrets are shown by name, those that
//! signing in gives (`oauth`) among them, and settings with the defaults that are none; examples are left to the record.

mod run;
mod tools;

use std::collections::BTreeMap;

use bytes::Bytes;
use refdesk_core::fact::{Identity, Provenance};
use refdesk_core::item::{Head, Item, McpRepository, McpSecret, McpServer, McpTool};
use refdesk_core::{Covers, Fact, Kind, Record, Reject, clean};
use serde_json::{Map, Value, json};

use crate::connectors::formats::json_fields::{
    LeftOut, count_other_entries, count_others, flag, required, text, texts,
};
use crate::connectors::formats::json_text;
use crate::connectors::formats::stated_status::stated_status;
use crate::connectors::formats::yaml;
use crate::connectors::mcp::mcp_identity;
use crate::connectors::mcp::mcp_registry::secrets;
use crate::connectors::repository::code_host;
use crate::connectors::repository::repo::{self, Checkout, Repository, Tree, TreeReader, open_tarball, utf8};
use crate::connectors::{Batch, Connector, CountMethod, ParseError, Reread, StoredKey, TarballRule, Target};

const SERVER_FILE: &str = "/server.yaml";
const TOOLS_FILE: &str = "/tools.json";
/// Parts of an entry, and their fields that are read as texts.
const PARTS: [&str; 6] = ["about", "meta", "source", "config", "run", "remote"];
const TEXTS_OF_PARTS: [(&str, &[&str]); 4] = [
    ("about", &["title", "description"]),
    ("meta", &["category"]),
    ("source", &["project", "upstream", "directory", "dockerfile"]),
    ("remote", &["transport_type", "url"]),
];

/// The connector.
pub const CONNECTOR: Connector = Connector {
    name: "docker-mcp",
    kinds: &[Kind::McpServer, Kind::Tool],
    description: "Docker's catalog of MCP servers: server.yaml of each, and the tools that tools.json lists",
    options: &[repo::OPTIONS[0], repo::OPTIONS[1], ("folder", "folder of the servers; default: servers")],
    count: CountMethod::Tarball(TarballRule::Servers),
    open: |target| {
        let folder = target.options.get("folder").map_or("servers", |folder| folder.trim_matches('/')).to_owned();
        Ok(open_tarball(target, DockerReader { folder }))
    },
    reread,
    ..Connector::ARCHIVE
};

fn reread(target: &Target, stored: StoredKey<'_>, record: &[u8]) -> Result<Reread, String> {
    let page = Repository::from_target(target).file_page("");
    if stored.kind == Kind::Tool {
        // A separate file names who made the server.
        return tools::reread(stored.key, record, &page).map(|fact| Reread { fact, not_in_record: &["vendor"] });
    }
    let bytes = Bytes::copy_from_slice(record);
    let server = entry(&bytes).and_then(|entry| DockerServer::from_entry(stored.key, entry));
    server.map(|server| Reread { fact: server.fact(page, &bytes, Vec::new()), not_in_record: &["tools"] })
}

struct DockerReader {
    folder: String,
}

impl DockerReader {
    /// The path of a file of a server's folder.
    fn path(&self, name: &str, file: &str) -> String {
        format!("{}/{name}{file}", self.folder)
    }

    /// The name of the server's folder, when the path is `<folder>/<name><file>`.
    fn server<'a>(&self, path: &'a str, file: &str) -> Option<&'a str> {
        let name = path.strip_prefix(&self.folder)?.strip_prefix('/')?.strip_suffix(file)?;
        (!name.is_empty() && !name.contains('/')).then_some(name)
    }
}

impl TreeReader for DockerReader {
    fn wants(&self, path: &str) -> bool {
        self.server(path, SERVER_FILE).is_some() || self.server(path, TOOLS_FILE).is_some()
    }

    fn read(&self, checkout: &Checkout) -> Result<Batch, ParseError> {
        let Checkout { repository, tree, .. } = checkout;
        let mut batch = Batch::default();
        let left_out = LeftOut::default();
        for (path, bytes) in &tree.files {
            let Some(name) = self.server(path, SERVER_FILE) else { continue };
            let server = entry(bytes).and_then(|entry| DockerServer::from_entry(name, entry));
            if let Ok(server) = &server {
                server.count_unshown(&left_out);
            }
            let tools = self.tools(repository, tree, (path, name), server.as_ref().ok(), &mut batch);
            let read = server.map(|server| server.fact(repository.file_page(path), bytes, tools));
            batch.take(read.map_err(|reason| {
                let reject = Reject::new(path, format!("{path}: {reason}"), &String::from_utf8_lossy(bytes));
                reject.of_group(name)
            }));
        }
        let orphaned = tree.files.iter().filter_map(|(path, bytes)| Some((self.server(path, TOOLS_FILE)?, bytes)));
        for (_, bytes) in orphaned.filter(|(name, _)| !tree.files.contains_key(&self.path(name, SERVER_FILE))) {
            let tools = json_text::elements(bytes).ok().flatten().map_or(1, |tools| tools.len());
            batch.leave_out("tools of folders without a server", tools);
        }
        tree.reject_refused(&mut batch, |path| {
            let name = self.server(path, SERVER_FILE).or_else(|| self.server(path, TOOLS_FILE))?;
            Some(Covers::Group(name.to_owned()))
        });
        left_out.add_to(&mut batch);
        batch.with_facts(format!("no server could be read; expected {}/<name>/server.yaml", self.folder))
    }
}

impl DockerReader {
    /// Adds the tools of a server, of its own file and of the list beside it; gives them in short.
    fn tools(
        &self,
        repository: &Repository,
        tree: &Tree,
        (path, name): (&str, &str),
        server: Option<&DockerServer>,
        batch: &mut Batch,
    ) -> Vec<McpTool> {
        let beside = self.path(name, TOOLS_FILE);
        let vendor = server.and_then(DockerServer::vendor);
        let inline = server.and_then(|server| server.entry.get("tools").cloned());
        let lists = [(path, inline), (beside.as_str(), tools::listed(tree, &beside, name, batch))];
        let mut seen = BTreeMap::new();
        let mut short = Vec::new();
        for (path, list) in lists.iter().filter_map(|(path, list)| Some((path, list.as_ref()?))) {
            let page = repository.file_page(path);
            let owner = tools::Owner { server: name, vendor: vendor.as_deref(), path, page: &page };
            short.extend(tools::read(list, &owner, &mut seen, batch));
        }
        short
    }
}

/// The objects of a list; none of anything else.
fn objects(list: Option<&Value>) -> impl Iterator<Item = &Map<String, Value>> {
    list.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_object)
}

/// The YAML of a server's file.
fn entry(bytes: &Bytes) -> Result<Map<String, Value>, String> {
    yaml::mapping(utf8(bytes)?).map_err(|error| format!("invalid YAML: {error}"))
}

/// A server's entry.
struct DockerServer {
    /// Its folder: the catalog's own key.
    folder: String,
    name: String,
    title: String,
    entry: Map<String, Value>,
}

impl DockerServer {
    fn from_entry(folder: &str, entry: Map<String, Value>) -> Result<Self, String> {
        let name = required(&entry, "name")?.to_owned();
        let mut server = Self { folder: folder.to_owned(), title: name.clone(), name, entry };
        if let Some(title) = server.text_of("about", "title").map(clean::line).filter(|title| !title.is_empty()) {
            server.title = title;
        }
        Ok(server)
    }

    /// Counts what the entry states in another type than its field has, which no field shows.
    fn count_unshown(&self, left_out: &LeftOut) {
        count_others(&self.entry, &PARTS, Value::is_object, left_out);
        count_others(&self.entry, &["image"], Value::is_string, left_out);
        for (part, texts) in TEXTS_OF_PARTS {
            if let Some(part) = self.part(part) {
                count_others(part, texts, Value::is_string, left_out);
            }
        }
        if let Some(meta) = self.part("meta") {
            count_other_entries(meta, "tags", Value::is_string, left_out);
        }
        if let Some(config) = self.part("config") {
            ["secrets", "env"].iter().for_each(|list| count_other_entries(config, list, Value::is_object, left_out));
        }
    }

    fn part(&self, key: &str) -> Option<&Map<String, Value>> {
        self.entry.get(key)?.as_object()
    }

    fn text_of(&self, part: &str, key: &str) -> Option<&str> {
        text(self.part(part)?, key)
    }

    /// Who made it: the owner of the code, of the original where Docker builds a fork.
    fn vendor(&self) -> Option<String> {
        code_host::owner(self.text_of("source", "upstream").or_else(|| self.text_of("source", "project"))?)
    }

    /// The original, where Docker builds a fork of it.
    fn upstream(&self) -> Option<McpRepository> {
        code_host::repository(self.text_of("source", "upstream")?)
    }

    /// Where its code is. A fork that Docker builds is no more than a reference: people look for the original, and all sources state that.
    fn repository(&self) -> Option<McpRepository> {
        self.upstream().or_else(|| self.built())
    }

    /// What Docker builds.
    fn built(&self) -> Option<McpRepository> {
        let mut repository = code_host::repository(self.text_of("source", "project")?)?;
        repository.subfolder = self.text_of("source", "directory").map(str::to_owned).or(repository.subfolder);
        Some(repository)
    }

    /// [`Self::repository`] with the folder of its Dockerfile, where that is called as the server is and no other folder is stated:
    /// `src/lamp/Dockerfile` of `lamp`. Any other tells how it is built and not where it is (`docker/Dockerfile`).
    fn place(&self) -> Option<McpRepository> {
        let mut repository = self.repository()?;
        if repository.subfolder.is_none() && self.upstream().is_none() {
            let dockerfile = self.text_of("source", "dockerfile");
            let folder = dockerfile.and_then(|path| Some(path.rsplit_once('/')?.0));
            let is_called_so = |folder: &&str| folder.rsplit('/').next() == Some(self.name.as_str());
            repository.subfolder = folder.filter(is_called_so).map(str::to_owned);
        }
        Some(repository)
    }

    fn description(&self) -> Option<String> {
        self.text_of("about", "description").map(clean::line)
    }

    fn fact(&self, source_url: String, bytes: &Bytes, tools: Vec<McpTool>) -> Fact {
        let packages: Vec<Value> = self.package().into_iter().collect();
        let remotes: Vec<Value> = self.remote().into_iter().collect();
        let fork = self.upstream().and_then(|_| self.built()?.url);
        let mut aliases = vec![self.name.clone()];
        aliases.extend(text(&self.entry, "image").map(str::to_owned));
        let item = Item::McpServer(self.fields(&packages, &remotes, tools));
        Fact {
            head: Head {
                id: self.name.clone(),
                name: self.title.clone(),
                vendor: self.vendor(),
                status: stated_status(&self.title, self.description().as_deref()),
                aliases,
                ..Head::default()
            },
            identity: Identity {
                // A fork and its original are one server.
                repository: self.place().as_ref().and_then(code_host::identity),
                packages: mcp_identity::packages(&packages),
                remotes: mcp_identity::remotes(&remotes),
                ..Identity::default()
            },
            provenance: Provenance {
                references: fork.into_iter().collect(),
                record_withheld: secrets::withheld(&Value::Object(self.entry.clone())),
                ..Provenance::default()
            },
            ..Fact::new(&self.folder, item, Record::Bytes(bytes.clone()), source_url)
        }
    }

    fn fields(&self, packages: &[Value], remotes: &[Value], tools: Vec<McpTool>) -> McpServer {
        McpServer {
            name: Some(self.name.clone()),
            description: self.description(),
            repository: self.repository(),
            packages: packages.iter().map(secrets::shown).collect(),
            remotes: remotes.iter().map(secrets::shown).collect(),
            config_schema: self.config_schema(),
            secrets: self.secrets(),
            tools,
            category: self.text_of("meta", "category").map(str::to_owned),
            tags: self.part("meta").map(|meta| texts(meta, "tags")).unwrap_or_default(),
            ..McpServer::default()
        }
    }

    /// The entries of a list below `config`.
    fn config(&self, key: &str) -> impl Iterator<Item = &Map<String, Value>> {
        objects(self.part("config").and_then(|config| config.get(key)))
    }

    /// The JSON Schema of the settings.
    fn config_schema(&self) -> Option<Value> {
        let schema = self.part("config")?.get("parameters").filter(|schema| schema.is_object())?;
        Some(secrets::sifted(schema))
    }

    /// The secrets by their names in the catalog and in the environment, and those that a person gets by signing in.
    fn secrets(&self) -> Vec<McpSecret> {
        let own = |stated: &Map<String, Value>, key: &str| text(stated, key).map(str::to_owned);
        let mut secrets: Vec<McpSecret> = self
            .config("secrets")
            .filter_map(|stated| {
                Some(McpSecret {
                    name: own(stated, "name").or_else(|| own(stated, "env"))?,
                    env: own(stated, "env"),
                    required: flag(stated, "required"),
                    description: own(stated, "description"),
                })
            })
            .collect();
        for signed in self.signed_in() {
            // A token that a person may also make by hand stands under `config` already.
            if !secrets.iter().any(|known| known.name == signed.name) {
                secrets.push(signed);
            }
        }
        secrets
    }

    /// What signing in gives (`oauth`). Many remote servers list nothing else, and are not open to everybody all the same.
    fn signed_in(&self) -> impl Iterator<Item = McpSecret> {
        objects(self.entry.get("oauth")).filter_map(|stated| {
            let env = text(stated, "env").map(str::to_owned);
            let description = text(stated, "provider").map(|provider| format!("OAuth: sign in with `{provider}`"));
            let name = text(stated, "secret").map(str::to_owned).or_else(|| env.clone())?;
            Some(McpSecret { name, env, required: None, description })
        })
    }

    /// The endpoint as a remote in the registry's shape.
    fn remote(&self) -> Option<Value> {
        let remote = self.part("remote")?;
        let headers = remote.get("headers").and_then(Value::as_object);
        let headers: Vec<Value> =
            headers.into_iter().flatten().map(|(name, value)| json!({ "name": name, "value": value })).collect();
        let mut shown = json!({ "type": text(remote, "transport_type"), "url": text(remote, "url")? });
        if !headers.is_empty() {
            shown["headers"] = Value::Array(headers);
        }
        Some(shown)
    }
}
