//! `mcp-registry`: a registry of MCP servers with the API of <https://registry.modelcontextprotocol.io> (v0.1, and the flat v0).
//!
//! The listing is paged by an opaque cursor; every entry is one version of a server. A server is one fact, of its latest version that is
//! not deleted; `identity.versions` lists all versions, even one of which only the number can be read. What an entry is: [`entry`]; who
//! publishes it: [`namespace`]; what must not be shown of it: [`secrets`].

pub mod entry;
mod namespace;
pub mod secrets;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use refdesk_core::item::McpVersion;
use refdesk_core::{Fact, Kind, Stamp};
use url::Url;

use self::entry::Entry;
use crate::connectors::formats::json_fields::{self as fields, LeftOut};
use crate::connectors::formats::json_text::{self, Pages, cursor};
use crate::connectors::repository::public_url::public_url;
use crate::connectors::{
    Answer, Batch, Connector, CountMethod, FetchSession, JsonRule, ParseError, Request, Reread, StoredKey, Target,
};
use crate::memory_budget::charge;

/// Entries that are asked for at once: the most that the registry gives.
const PAGE_ITEMS: usize = 100;
/// Most pages of one pass: twice a hundred thousand versions. More means that the paging does not end.
pub const PAGES_MAX: usize = 2_000;
/// Most versions of one server; further ones are rejects.
pub const VERSIONS_MAX: usize = 2_000;
/// What a version takes in memory, in bytes.
const VERSION_BYTES: u64 = 512;
/// What stays as it is inside a path segment or a query value.
const UNRESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
/// What an answer should be, for errors.
const EXPECTED: &str = "a page of an MCP registry: an object with a list `servers`";
/// Tag prefix of requests for all versions of one server.
const VERSIONS_OF: &str = "versions of ";

/// The connector.
pub const CONNECTOR: Connector = Connector {
    name: "mcp-registry",
    kinds: &[Kind::McpServer],
    description: "A registry of MCP servers with the API of registry.modelcontextprotocol.io, page by page",
    options: &[
        (
            "mode",
            "`full` (default) lists everything and shows removals; `incremental` lists what changed since \
                 `updated_since` and never removes anything, so let full passes run between",
        ),
        (
            "updated_since",
            "RFC 3339 time from which an incremental pass lists changes; without it the pass is full, and where the registry refuses it",
        ),
    ],
    count: CountMethod::Json(JsonRule::Registry),
    open,
    reread,
    ..Connector::RECORDS
};

fn open(target: &Target) -> Result<Box<dyn FetchSession>, ParseError> {
    let since = match target.options.get("mode").map_or("full", String::as_str) {
        "full" | "" => None,
        "incremental" => target.option("updated_since").map(stamp).transpose()?,
        other => return Err(ParseError::new(format!("`mode` is `{other}`; set it to `full` or `incremental`"))),
    };
    let listing = listing(&target.url)?;
    Ok(Box::new(RegistrySession {
        public: public_url(&target.source_id, &listing),
        listing,
        since,
        pages: Pages::new(PAGES_MAX),
        asked: BTreeSet::new(),
        servers: BTreeMap::new(),
        unread: BTreeMap::new(),
        batch: Batch::default(),
    }))
}

fn reread(target: &Target, _stored: StoredKey<'_>, record: &[u8]) -> Result<Reread, String> {
    let public = public_url(&target.source_id, &listing(&target.url).map_err(|error| error.message)?);
    fields::reread(record, |record| {
        let entry = entry::parse(record)?;
        let version = entry.version.listed.clone();
        entry.fact(&public, vec![version])
    })
}

fn stamp(text: &str) -> Result<Stamp, ParseError> {
    Stamp::parse(text)
        .ok_or_else(|| ParseError::new(format!("`updated_since` is `{text}`, which is not an RFC 3339 time")))
}

/// The listing's address: the url itself when it names one, else `/v0.1/servers` below it.
fn listing(url: &Url) -> Result<Url, ParseError> {
    let mut listing = url.clone();
    listing.set_query(None);
    listing.set_fragment(None);
    let path = url.path().trim_end_matches('/');
    let path = if path.ends_with("/servers") { path.to_owned() } else { format!("{path}/v0.1/servers") };
    listing.set_path(&path);
    if listing.cannot_be_a_base() || !matches!(listing.scheme(), "http" | "https") {
        return Err(ParseError::new("the url of an MCP registry must be http or https"));
    }
    Ok(listing)
}

/// A server while its versions come in.
struct Server {
    latest: Entry,
    versions: Vec<entry::Version>,
}

struct RegistrySession {
    listing: Url,
    public: Url,
    since: Option<Stamp>,
    pages: Pages,
    asked: BTreeSet<String>,
    servers: BTreeMap<String, Server>,
    /// Versions of servers whose entries are rejects.
    unread: BTreeMap<String, Vec<McpVersion>>,
    batch: Batch,
}

impl FetchSession for RegistrySession {
    fn first(&mut self) -> Vec<Request> {
        vec![self.page(None)]
    }

    fn accept(&mut self, answer: Answer) -> Result<Vec<Request>, ParseError> {
        if let Some(name) = answer.tag.strip_prefix(VERSIONS_OF) {
            // A registry without this endpoint, or a server that is gone meanwhile: what the listing told stands.
            if answer.status == 200 {
                let listed = RegistryPage::parse(&answer.body, &format!("the versions of `{name}`"))?.entries;
                self.take(&listed, &answer.tag)?;
            }
            return Ok(Vec::new());
        }
        let page = RegistryPage::parse(&answer.body, &answer.tag)?;
        let names = self.take(&page.entries, &answer.tag)?;
        let next = self.pages.add(page.next)?;
        let mut next: Vec<Request> = next.map(|cursor| self.page(Some(&cursor))).into_iter().collect();
        if self.since.is_some() {
            // A change of one version says nothing of the others, and a fact holds them all.
            let unasked: Vec<String> = names.into_iter().filter(|name| self.asked.insert(name.clone())).collect();
            next.extend(unasked.iter().map(|name| self.versions(name)));
        }
        Ok(next)
    }

    fn finish(self: Box<Self>) -> Result<Batch, ParseError> {
        if self.pages.is_empty() {
            return Err(ParseError::new("no page of the registry arrived"));
        }
        let mut batch = self.batch;
        batch.partial = self.since.is_some();
        let left_out = LeftOut::default();
        for (name, server) in self.servers {
            let (latest, versions) = (server.latest, server.versions);
            latest.count_unshown(&left_out);
            batch.versions += versions.len() - 1;
            let unread = self.unread.get(&name).map_or(&[][..], Vec::as_slice);
            batch.add(fact(&self.public, &name, &latest, versions, unread)?);
        }
        left_out.add_to(&mut batch);
        Ok(batch)
    }
}

impl RegistrySession {
    fn page(&self, cursor: Option<&str>) -> Request {
        let mut query = format!("limit={PAGE_ITEMS}");
        if let Some(since) = self.since {
            query.push_str("&updated_since=");
            query.push_str(&encoded(&since.to_string()));
        }
        if let Some(cursor) = cursor {
            query.push_str("&cursor=");
            query.push_str(&encoded(cursor));
        }
        let mut url = self.listing.clone();
        url.set_query(Some(&query));
        Request::get(url, self.pages.next_tag())
    }

    fn versions(&self, name: &str) -> Request {
        let mut url = self.listing.clone();
        url.set_path(&format!("{}/{}/versions", self.listing.path(), encoded(name)));
        Request::get_if_there(url, format!("{VERSIONS_OF}{name}"))
    }

    /// Takes the entries of one answer; gives the names that it listed.
    ///
    /// # Errors
    /// When the sync has no memory left for them.
    fn take(&mut self, listed: &[&[u8]], tag: &str) -> Result<BTreeSet<String>, ParseError> {
        let is_versions = tag.starts_with(VERSIONS_OF);
        let mut names = BTreeSet::new();
        for (position, item) in listed.iter().enumerate() {
            let read = json_text::read(item, entry::parse);
            if read.is_err() {
                self.note_unread(item)?;
            }
            let read = read.and_then(|entry| self.unknown(entry, is_versions));
            let entry = match read {
                Ok(Some(entry)) => entry,
                Ok(None) => continue,
                Err(reason) => {
                    let key = format!("{tag} item {}", position + 1);
                    self.batch.take(Err(json_text::reject(key, reason, item, &["server", "name"])));
                    continue;
                }
            };
            names.insert(entry.name.clone());
            self.add(entry)?;
            self.batch.items_upstream += 1;
        }
        Ok(names)
    }

    /// Keeps which version of which server an entry tells of that cannot be read as a whole: a reader of the version before it must see that
    /// there is a later one.
    fn note_unread(&mut self, item: &[u8]) -> Result<(), ParseError> {
        let Ok((name, version)) = json_text::read(item, entry::version) else { return Ok(()) };
        let known = self.unread.entry(name).or_default();
        if known.len() < VERSIONS_MAX && known.iter().all(|known| known.version != version.version) {
            charge(VERSION_BYTES)?;
            known.push(version);
        }
        Ok(())
    }

    /// The entry, unless its version came already: in the listing and among the versions of a changed server, or twice in the same words.
    fn unknown(&mut self, entry: Entry, is_versions: bool) -> Result<Option<Entry>, String> {
        let server = self.servers.get(&entry.name);
        let is_same = |version: &&entry::Version| version.listed.version == entry.version.listed.version;
        let known = server.and_then(|server| server.versions.iter().find(is_same));
        match known {
            None if server.is_some_and(|server| server.versions.len() >= VERSIONS_MAX) => {
                Err(format!("{} lists more than {VERSIONS_MAX} versions; the first ones count", entry.name))
            }
            None => Ok(Some(entry)),
            Some(_) if is_versions => Ok(None),
            Some(known) if known.statement == entry.version.statement => {
                self.batch.leave_out(Batch::LISTED_TWICE, 1);
                Ok(None)
            }
            Some(_) => Err(format!(
                "version {} of {} is listed twice with different contents; the first entry counts",
                entry.version.listed.version, entry.name
            )),
        }
    }

    fn add(&mut self, entry: Entry) -> Result<(), ParseError> {
        charge(VERSION_BYTES)?;
        let Some(server) = self.servers.get_mut(&entry.name) else {
            charge(entry.weight())?;
            let versions = vec![entry.version.clone()];
            self.servers.insert(entry.name.clone(), Server { latest: entry, versions });
            return Ok(());
        };
        server.versions.push(entry.version.clone());
        if entry.version.outranks(&server.latest.version) {
            server.latest = entry;
        }
        Ok(())
    }
}

struct RegistryPage<'a> {
    /// `servers`, or the page itself where a registry publishes a bare list.
    entries: Vec<&'a [u8]>,
    /// The cursor of the next page.
    next: Option<String>,
}

impl<'a> RegistryPage<'a> {
    fn parse(body: &'a [u8], what: &str) -> Result<Self, ParseError> {
        let wrong = |error: ParseError| ParseError::new(format!("{what}: {}", error.message));
        if let Ok(Some(entries)) = json_text::elements(body) {
            return Ok(Self { entries, next: None });
        }
        let members = json_text::object(body, EXPECTED).map_err(wrong)?;
        let entries = json_text::list_in(&members, "servers", EXPECTED).map_err(wrong)?;
        let mut next = None;
        for metadata in json_text::named(&members, "metadata") {
            if metadata.trim_ascii() == b"null" {
                continue;
            }
            // Without its cursor the listing would end here, and what is on the pages to come would count as removed.
            let unlike = || ParseError::new(format!("{what}: `metadata` is not an object; expected {EXPECTED}"));
            let metadata = json_text::members(metadata).map_err(ParseError::new)?.ok_or_else(unlike)?;
            for path in ["metadata.nextCursor", "metadata.next_cursor"] {
                next = next.or(cursor(&metadata, path)?);
            }
        }
        Ok(Self { entries, next })
    }
}

/// A text as one path segment or one query value: everything but unreserved characters is percent-encoded.
pub fn encoded(text: &str) -> String {
    utf8_percent_encode(text, UNRESERVED).to_string()
}

fn fact(
    public: &Url,
    name: &str,
    latest: &Entry,
    versions: Vec<entry::Version>,
    unread: &[McpVersion],
) -> Result<Fact, ParseError> {
    let mut versions: Vec<McpVersion> = versions.into_iter().map(|version| version.listed).collect();
    let is_new = |version: &&McpVersion| versions.iter().all(|known| known.version != version.version);
    let unread: Vec<McpVersion> = unread.iter().filter(is_new).cloned().collect();
    versions.extend(unread);
    // Newest first; of versions without a time, the later listed first.
    versions.reverse();
    versions.sort_by_key(|version| Reverse(version.published_at));
    latest.fact(public, versions).map_err(|reason| ParseError::new(format!("{name}: {reason}")))
}
