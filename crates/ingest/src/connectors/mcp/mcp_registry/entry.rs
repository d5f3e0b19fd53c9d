//! One entry of a registry's listing: one version of one server, in any of the API's shapes.
//!
//! v0.1 wraps it (`{server, _meta}`); v0 was flat, first with `version_detail`, then with `_meta`, first in `snake_case`, then in
//! `camelCase`. All become the same [`Entry`]; the record stays as it was sent.

use refdesk_core::fact::{Identity, Provenance};
use refdesk_core::item::{Head, Item, McpRepository, McpServer, McpVersion, Status, TrustTier};
use refdesk_core::{Fact, clean};
use serde_json::{Map, Value};
use url::Url;

use super::{PAGE_ITEMS, encoded, namespace, secrets};
use crate::connectors::formats::json_fields::{self as fields, LeftOut, text};
use crate::connectors::formats::json_text;
use crate::connectors::mcp::mcp_identity;
use crate::connectors::repository::code_host;

/// Where the official registry keeps what it says itself of an entry.
const OFFICIAL: &str = "io.modelcontextprotocol.registry/official";
/// Fields of a server that are read as texts, besides its name and version.
const TEXTS: [&str; 5] = ["title", "description", "websiteUrl", "website_url", "status"];
/// What the registry itself says beside the status, as texts and as flags.
const TOLD_TIMES: [&str; 4] = ["publishedAt", "published_at", "updatedAt", "updated_at"];
const TOLD_FLAGS: [&str; 2] = ["isLatest", "is_latest"];
/// Last parts of names that say nothing without the rest.
const GENERIC_NAMES: [&str; 4] = ["mcp", "server", "mcp-server", "api"];

/// A version and how it stands among the others of its server.
#[derive(Debug, Clone)]
pub struct Version {
    /// As it is shown.
    pub listed: McpVersion,
    /// Stands for all that its entry says.
    pub statement: [u8; refdesk_core::hash::SHORT_BYTES],
}

impl Version {
    /// True when this is rather the version that the server has now: not deleted, else flagged as the latest, else published later, else
    /// listed later. Publishers delete single versions; the server is there as long as another one is.
    pub fn outranks(&self, other: &Self) -> bool {
        let rank = |version: &Self| {
            (!version.is_deleted(), version.listed.is_latest == Some(true), version.listed.published_at)
        };
        rank(self) >= rank(other)
    }

    fn is_deleted(&self) -> bool {
        status(&self.listed) == Status::Removed
    }
}

/// What the registry says of a version, in any case.
fn status(version: &McpVersion) -> Status {
    match version.status.as_deref().map(str::to_ascii_lowercase).as_deref() {
        Some("active") => Status::Active,
        Some("deprecated") => Status::Deprecated,
        Some("deleted") => Status::Removed,
        _ => Status::Unknown,
    }
}

/// One version of one server.
#[derive(Debug, Clone)]
pub struct Entry {
    /// The server's registry name.
    pub name: String,
    /// Which version.
    pub version: Version,
    server: Map<String, Value>,
    record: Value,
    is_official: bool,
}

/// Reads an entry in any of the shapes.
///
/// # Errors
/// The reason of its reject.
pub fn parse(item: &Value) -> Result<Entry, String> {
    let (outer, server) = objects(item)?;
    let (name, version) = version(item)?;
    for list in ["packages", "remotes"] {
        let entries = fields::list(server, list).map_err(|reason| format!("{name}: {reason}"))?;
        if entries.iter().any(|entry| !entry.is_object()) {
            return Err(format!("{name}: `{list}` holds something that is not an object"));
        }
    }
    Ok(Entry {
        name,
        version: Version { listed: version, statement: refdesk_core::hash::short_bytes(&[&item.to_string()]) },
        server: server.clone(),
        is_official: official(outer).is_some(),
        record: item.clone(),
    })
}

type Object = Map<String, Value>;

/// The entry and the server that it tells of: one object in the flat shape.
fn objects(item: &Value) -> Result<(&Object, &Object), String> {
    let outer = item.as_object().ok_or("the entry is not an object")?;
    Ok((outer, outer.get("server").and_then(Value::as_object).unwrap_or(outer)))
}

/// What the registry itself says of an entry.
fn official(outer: &Object) -> Option<&Object> {
    outer.get("_meta")?.get(OFFICIAL)?.as_object()
}

/// The name of a server and the version that an entry of it tells of, whatever else the entry says.
///
/// # Errors
/// The reason of its reject.
pub fn version(item: &Value) -> Result<(String, McpVersion), String> {
    let (outer, server) = objects(item)?;
    let name = text(server, "name").ok_or("`name` is missing or no text")?;
    let nothing = Map::new();
    let detail = server.get("version_detail").and_then(Value::as_object).unwrap_or(&nothing);
    let told = official(outer).unwrap_or(&nothing);
    let version = text(server, "version")
        .or_else(|| text(detail, "version"))
        .ok_or_else(|| format!("{name} states no `version`"))?;
    let time = |keys: [&str; 2]| keys.iter().find_map(|key| text(told, key)).and_then(fields::time);
    let flag = ["isLatest", "is_latest"].iter().find_map(|key| told.get(*key).or_else(|| detail.get(*key)));
    let version = McpVersion {
        version: version.to_owned(),
        status: text(told, "status").or_else(|| text(server, "status")).map(str::to_owned),
        published_at: time(["publishedAt", "published_at"])
            .or_else(|| text(detail, "release_date").and_then(fields::time)),
        updated_at: time(["updatedAt", "updated_at"]),
        is_latest: flag.and_then(Value::as_bool),
    };
    Ok((name.to_owned(), version))
}

impl Entry {
    /// What it takes in memory, about.
    pub fn weight(&self) -> u64 {
        // The server is a part of the record, and held beside it.
        2 * json_text::weight(&self.record)
    }

    /// Counts what the entry states in another type than its field has, which no field shows.
    pub fn count_unshown(&self, left_out: &LeftOut) {
        fields::count_others(&self.server, &TEXTS, Value::is_string, left_out);
        fields::count_others(&self.server, &["repository"], Value::is_object, left_out);
        if let Some(told) = self.record.as_object().and_then(official) {
            fields::count_others(told, &["status"], Value::is_string, left_out);
            fields::count_others(told, &TOLD_TIMES, Value::is_string, left_out);
            fields::count_others(told, &TOLD_FLAGS, Value::is_boolean, left_out);
            let unread =
                TOLD_TIMES.iter().filter_map(|key| text(told, key)).filter(|told| fields::time(told).is_none());
            unread.for_each(|_| left_out.count(LeftOut::NO_DATES));
        }
    }

    /// The server's fact, of this version; `versions` are all that there are, newest first. `listing` is the listing's address: the evidence
    /// is its first page, since later pages have addresses for a moment only, and any new server moves them.
    ///
    /// # Errors
    /// When the record has no canonical form.
    pub fn fact(&self, listing: &Url, versions: Vec<McpVersion>) -> Result<Fact, String> {
        let repository = self.repository();
        let page = format!("{listing}?limit={PAGE_ITEMS}");
        // The server's own address, which nobody fetched.
        let own = format!("{listing}/{}/versions/latest", encoded(&self.name));
        let record = fields::canonical_record(&self.record)?;
        Ok(Fact {
            head: Head {
                id: self.name.clone(),
                name: self.display_name(),
                vendor: namespace::publisher(&self.name),
                status: status(&self.version.listed),
                trust_tier: self.is_official.then_some(TrustTier::Verified),
                aliases: vec![self.name.clone()],
                language: None,
            },
            identity: Identity {
                same_as: vec![format!("mcp:{}", self.name)],
                repository: repository.as_ref().and_then(code_host::identity),
                packages: mcp_identity::packages(self.listed_under("packages")),
                remotes: mcp_identity::remotes(self.listed_under("remotes")),
                versions,
                ..Identity::default()
            },
            provenance: Provenance {
                references: vec![own],
                record_withheld: secrets::withheld(&self.record),
                ..Provenance::default()
            },
            ..Fact::new(&self.name, Item::McpServer(self.fields(repository)), record, page)
        })
    }

    fn fields(&self, repository: Option<McpRepository>) -> McpServer {
        let list = |key: &str| self.listed_under(key).iter().map(secrets::shown).collect();
        let own = |keys: [&str; 2]| keys.iter().find_map(|key| text(&self.server, key)).map(str::to_owned);
        let listed = &self.version.listed;
        McpServer {
            name: Some(self.name.clone()),
            description: own(["description", "description"]),
            version: Some(listed.version.clone()),
            repository,
            website_url: own(["websiteUrl", "website_url"]).as_deref().map(secrets::shown_address),
            packages: list("packages"),
            remotes: list("remotes"),
            published_at: listed.published_at,
            updated_at: listed.updated_at,
            is_latest: listed.is_latest,
            ..McpServer::default()
        }
    }

    fn listed_under(&self, key: &str) -> &[Value] {
        self.server.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
    }

    /// The repository, unless it is empty, as many are.
    fn repository(&self) -> Option<McpRepository> {
        let stated = self.server.get("repository")?.as_object()?;
        let own = |key: &str| text(stated, key).map(str::to_owned);
        let repository = McpRepository {
            url: own("url").as_deref().map(secrets::shown_address),
            source: own("source"),
            id: own("id"),
            subfolder: own("subfolder"),
        };
        (repository != McpRepository::default()).then_some(repository)
    }

    /// The title; else the name's last part where it says something by itself; else the name.
    fn display_name(&self) -> String {
        let last = self.name.rsplit('/').next().unwrap_or(&self.name);
        let own = if GENERIC_NAMES.contains(&last.to_ascii_lowercase().as_str()) { &self.name } else { last };
        let title = text(&self.server, "title").map(clean::line).filter(|title| !title.is_empty());
        title.unwrap_or_else(|| clean::line(own))
    }
}
