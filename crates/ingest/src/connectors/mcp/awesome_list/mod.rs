//! `awesome-list`: a Markdown list of MCP servers, such as a README: `- **[Name](url)** - text`, with or without images before it.
//!
//! A bullet that opens with a bold link is an entry: a fact, or a reject. So is one that opens with a plain link, where the list has
//! more of them or where bold ones stand under the same heading, and a row of a table, where the list has more of these. The heading tells
//! whether it is a server, a tool or neither, official or archived; a sign that the list's [`legend`] explains tells the official ones, too.
//! Everything else that is a bullet or holds a link is counted by what it is ([`bullet::classify`]).

mod candidate;
mod legend;
mod section;

use std::collections::{BTreeMap, BTreeSet};

use refdesk_core::fact::Identity;
use refdesk_core::item::{Head, Item, McpRepository, McpServer, Status, Tool};
use refdesk_core::{Fact, Kind, Reject, clean, text};
use serde_json::{Value, json};
use url::Url;

use self::candidate::{BulletCandidate, candidates};
use self::legend::Legend;
use self::section::{COMMUNITY, OFFICIAL, Section};
use crate::connectors::formats::bullet::{self, Bullet, Class, Definitions};
use crate::connectors::formats::json_fields::{canonical_record, reread as reread_record, texts};
use crate::connectors::formats::stated_status::stated_status;
use crate::connectors::mcp::mcp_identity;
use crate::connectors::repository::code_host;
use crate::connectors::repository::repo::{Repository, utf8};
use crate::connectors::{Batch, Connector, FetchSession, ParseError, Reread, SingleRequestSession, StoredKey, Target};

/// Headings whose entries are tools for those who build or run servers, not servers.
const TOOL_SECTIONS: &str = "Frameworks, Resources";
/// Headings whose entries are neither.
const OTHER_SECTIONS: &str = "Clients, MCP Clients, Tutorials, Guides, Community, Tips, Tips and Tricks, Tips & Tricks, Legend, Articles, Videos, Contributing, License";
/// What these entries are counted as.
const OF_OTHER_SECTIONS: &str = "entries of sections that list neither servers nor tools";
/// Hosts of places to talk, which lists name too.
const TALK: [&str; 7] = ["discord.gg", "discord.com", "reddit.com", "x.com", "twitter.com", "bsky.app", "t.me"];
/// What an entry is counted as that leads to one.
const PLACES_TO_TALK: &str = "entries that lead to a place to talk";

/// The connector.
pub const CONNECTOR: Connector = Connector {
    name: "awesome-list",
    kinds: &[Kind::McpServer, Kind::Tool],
    description: "A Markdown list of MCP servers (a README): bullets or rows of tables with a link, their headings as categories",
    options: &[
        (
            "repository",
            "public URL of the repository, where the source's url does not tell it; relative links start there",
        ),
        ("ref", "branch, tag or commit that links to the repository name; default: the one in the url, else `main`"),
        (
            "links",
            "`auto` (default): a bullet that opens with a bold link is an entry, and one with a plain link where the list has \
                 more of them or bold ones stand under the same heading, and a row of a table where most entries are rows; \
                 `bold`: bold links only; `all`: any link",
        ),
        ("tool_sections", "headings whose entries are tools, separated by commas; default: Frameworks, Resources"),
        (
            "other_sections",
            "headings whose entries are neither servers nor tools, separated by commas, also several in one (`Tutorials & Videos`), unless a \
                 heading above them speaks of servers; default: Clients, MCP Clients, Tutorials, Guides, Community, Tips, Tips and Tricks, \
                 Tips & Tricks, Legend, Articles, Videos, Contributing, License",
        ),
    ],
    open,
    reread,
    ..Connector::LINES
};

fn open(target: &Target) -> Result<Box<dyn FetchSession>, ParseError> {
    let list = ListReader::from_target(target)?;
    Ok(SingleRequestSession::open(target, move |_, body| {
        let markdown = utf8(body).map_err(|reason| ParseError::new(format!("the list {reason}")))?;
        list.read(markdown)
    }))
}

fn reread(target: &Target, stored_key: StoredKey<'_>, record: &[u8]) -> Result<Reread, String> {
    let list = ListReader::from_target(target).map_err(|error| error.message)?;
    reread_record(record, |record| {
        let record = record.as_object().ok_or("the stored record is not an object")?;
        let lines = record.get("markdown").and_then(Value::as_str).ok_or("the stored record has no `markdown`")?;
        let defined = Definitions::parse(record.get("definition").and_then(Value::as_str).unwrap_or_default());
        let (_, text) = bullet::classify(lines, &defined).ok_or("the stored text is not a list item")?;
        let explained = record.get("legend").and_then(Value::as_str);
        let bullet = bullet::bullet(text, &defined)?;
        let mut fact = list.fact(&bullet, lines, &Section::new(texts(record, "section")), explained)?;
        stored_key.key.clone_into(&mut fact.key);
        Ok(fact)
    })
}

struct ListReader {
    page: String,
    repository: Repository,
    /// Folder of the list's file in its repository, with a closing `/`, or empty.
    folder: String,
    links: Links,
    tool_sections: Vec<String>,
    other_sections: Vec<String>,
}

/// Which bullets are entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Links {
    Auto,
    Bold,
    All,
}

impl ListReader {
    fn from_target(target: &Target) -> Result<Self, ParseError> {
        let links = match target.options.get("links").map_or("auto", String::as_str) {
            "auto" | "" => Links::Auto,
            "bold" => Links::Bold,
            "all" => Links::All,
            other => {
                return Err(ParseError::new(format!("`links` is `{other}`; set it to `auto`, `bold` or `all`")));
            }
        };
        let headings = |option: &str, default: &str| -> Vec<String> {
            let listed = target.options.get(option).map_or(default, String::as_str).split(',');
            listed.map(|name| name.trim().to_lowercase()).filter(|name| !name.is_empty()).collect()
        };
        let tool_sections = headings("tool_sections", TOOL_SECTIONS);
        let mut other_sections = headings("other_sections", OTHER_SECTIONS);
        other_sections.retain(|name| !tool_sections.contains(name));
        let (repository, path) = code_host::raw_file(target);
        let folder = path
            .as_deref()
            .and_then(|path| path.rsplit_once('/'))
            .map_or(String::new(), |(folder, _)| format!("{folder}/"));
        Ok(Self { page: code_host::raw_file_page(target), repository, folder, links, tool_sections, other_sections })
    }

    fn read(&self, markdown: &str) -> Result<Batch, ParseError> {
        let mut batch = Batch::default();
        let defined = Definitions::parse(markdown);
        let candidates = self.of_servers_and_tools(candidates(markdown, &defined), &mut batch);
        let is_entry = self.entry_test(&candidates);
        let (entries, others): (Vec<_>, Vec<_>) = candidates.iter().partition(|candidate| is_entry(candidate));
        let legend = Legend::parse(markdown);
        let mut seen: BTreeMap<(usize, String), String> = BTreeMap::new();
        for candidate in others {
            let name = match candidate.class {
                Class::Other(name) => name,
                Class::Row => bullet::ROWS,
                Class::Bold | Class::Plain => "bullets that link without bold type",
            };
            batch.leave_out(name, 1);
        }
        for candidate in entries {
            let read = bullet::bullet(candidate.text, &defined).and_then(|bullet| {
                self.fact(&bullet, candidate.lines, &candidate.section, legend.of_official(candidate.lines))
            });
            match read.map(|fact| judge(fact, &mut seen)) {
                Ok(Ok(fact)) => batch.take(Ok(fact)),
                Ok(Err(left)) => batch.leave_out(left, 1),
                Err(reason) => {
                    let stated = bullet::bullet(candidate.text, &defined).ok().map(|bullet| key(bullet.link));
                    let line = format!("line {}", candidate.position + 1);
                    batch.take(Err(Reject::new(line, reason, candidate.lines).of(stated)));
                }
            }
        }
        if batch.items_upstream == 0 {
            return Err(ParseError::new("no entry found; expected bullets such as `- **[Name](url)** - text`"));
        }
        Ok(batch)
    }

    /// The bullets without the links of sections that list something else, which are counted.
    fn of_servers_and_tools<'a>(
        &self,
        candidates: Vec<BulletCandidate<'a>>,
        batch: &mut Batch,
    ) -> Vec<BulletCandidate<'a>> {
        let beside_official = candidates.iter().filter_map(|candidate| candidate.section.beside_official()).collect();
        let is_other = |candidate: &BulletCandidate<'_>| {
            matches!(candidate.class, Class::Bold | Class::Plain | Class::Row)
                && candidate.section.lists_others(&self.other_sections, &beside_official)
        };
        let (others, kept): (Vec<_>, Vec<_>) = candidates.into_iter().partition(is_other);
        batch.leave_out(OF_OTHER_SECTIONS, others.len());
        kept
    }

    /// Tells which of the bullets are entries.
    fn entry_test(&self, candidates: &[BulletCandidate<'_>]) -> impl Fn(&BulletCandidate<'_>) -> bool {
        let links = self.links;
        let of_class = |class: Class| candidates.iter().filter(move |candidate| candidate.class == class);
        let bold_headings: BTreeSet<usize> = of_class(Class::Bold).map(|candidate| candidate.heading).collect();
        let [bold, plain, rows] = [Class::Bold, Class::Plain, Class::Row].map(|class| of_class(class).count());
        let mostly_rows = rows > bold + plain;
        let mostly_plain = plain > bold && !mostly_rows;
        move |candidate| match (candidate.class, links) {
            (Class::Bold, _) | (Class::Plain | Class::Row, Links::All) => true,
            (Class::Other(_), _) | (Class::Plain | Class::Row, Links::Bold) => false,
            (Class::Plain, Links::Auto) => mostly_plain || bold_headings.contains(&candidate.heading),
            (Class::Row, Links::Auto) => mostly_rows,
        }
    }

    /// The entry of a bullet; `explained` is the line of the legend that says that it is official.
    fn fact(
        &self,
        bullet: &Bullet<'_>,
        lines: &str,
        section: &Section,
        explained: Option<&str>,
    ) -> Result<Fact, String> {
        let name = Some(text::plain(bullet.name))
            .map(|name| clean::line(&name))
            .filter(|name| !name.is_empty())
            .ok_or("the link has no name")?;
        let address = self.resolve(bullet.link)?;
        let repository = code_host::repository(&address);
        let is_row = lines.trim_start().starts_with('|');
        let description = bullet::description(if is_row { bullet::next_cell(bullet.rest) } else { bullet.rest });
        let is_archive =
            section.has(|title| title.contains("archived")) || repository.as_ref().is_some_and(code_host::is_archived);
        let status = if is_archive { Status::Deprecated } else { stated_status(&name, description.as_deref()) };
        let head = Head {
            id: name.clone(),
            name,
            vendor: repository.as_ref().and_then(|repository| code_host::owner(repository.url.as_deref()?)),
            status,
            ..Head::default()
        };
        let identity = Identity {
            repository: repository.as_ref().and_then(code_host::identity),
            packages: mcp_identity::package_of_page(&address).into_iter().collect(),
            remotes: mcp_identity::remote_of_link(&address).into_iter().collect(),
            ..Identity::default()
        };
        let item = self.item(address, repository, description, section, explained.is_some());
        let mut record =
            json!({ "section": section.path.iter().map(|(_, title)| title).collect::<Vec<_>>(), "markdown": lines });
        for (name, line) in [("legend", explained), ("definition", bullet.definition)] {
            if let Some(line) = line {
                record[name] = line.into();
            }
        }
        let record = canonical_record(&record)?;
        let page = format!("{}#{}", self.page, section.anchor);
        Ok(Fact { head, identity, ..Fact::new(key(bullet.link), item, record, page.trim_end_matches('#')) })
    }

    /// The fields of the kind that the headings and the legend tell.
    fn item(
        &self,
        address: String,
        repository: Option<McpRepository>,
        description: Option<String>,
        section: &Section,
        has_official_sign: bool,
    ) -> Item {
        let website = repository.is_none().then_some(address);
        if section.has(|title| self.tool_sections.iter().any(|tools| tools == title)) {
            return Item::Tool(Tool {
                category: Some(section.title().to_owned()),
                description,
                homepage_url: website,
                repository_url: repository.and_then(|repository| repository.url),
                ..Tool::default()
            });
        }
        let official = has_official_sign || section.has(|title| title.contains(OFFICIAL));
        let community = section.has(|title| title.contains(COMMUNITY));
        Item::McpServer(McpServer {
            description,
            repository,
            website_url: website,
            official: if official { Some(true) } else { community.then_some(false) },
            category: Some(section.title().to_owned()).filter(|title| !title.is_empty()),
            ..McpServer::default()
        })
    }

    /// The address of a link; a relative one starts in the folder of the list's file.
    fn resolve(&self, link: &str) -> Result<String, String> {
        match Url::parse(link) {
            _ if key(link).is_empty() => Err("the link leads nowhere; write it as `[Name](https://…)`".into()),
            Ok(url) if matches!(url.scheme(), "http" | "https") => Ok(link.to_owned()),
            Ok(url) => Err(format!("the link's scheme is `{}`; expected http or https", url.scheme())),
            Err(url::ParseError::RelativeUrlWithoutBase) if !link.contains(['[', ' ']) && !link.starts_with('#') => {
                let path = link.trim_start_matches("./").trim_matches('/');
                Ok(self.repository.folder_page(&format!("{}{path}", self.folder)))
            }
            Err(_) => Err(format!("`{link}` is not a link; write it as `[Name](https://…)`")),
        }
    }
}

/// The fact, unless it is listed already or is no entry by where it leads. One address under two names is two entries.
fn judge(mut fact: Fact, seen: &mut BTreeMap<(usize, String), String>) -> Result<Fact, &'static str> {
    let website = match &fact.item {
        Item::McpServer(server) => server.website_url.as_deref(),
        Item::Tool(tool) => tool.homepage_url.as_deref(),
        _ => None,
    };
    if website.is_some_and(is_place_to_talk) {
        return Err(PLACES_TO_TALK);
    }
    let kind = fact.kind().index();
    match seen.get(&(kind, fact.key.clone())) {
        Some(name) if *name == fact.head.name => return Err(Batch::LISTED_TWICE),
        Some(_) => fact.key = format!("{} ({})", fact.key, fact.head.name),
        None => {}
    }
    match seen.insert((kind, fact.key.clone()), fact.head.name.clone()) {
        Some(_) => Err(Batch::LISTED_TWICE),
        None => Ok(fact),
    }
}

/// The entry's key: its address as the list writes it, which is what a list tells its entries apart by.
fn key(link: &str) -> String {
    link.trim_start_matches("./").trim_end_matches('/').to_owned()
}

/// By its host, or by a path that leads on to one (`https://lamp.example/discord`) and is neither an address of a server nor a page about one
/// (`https://lamp.example/servers/discord`).
fn is_place_to_talk(address: &str) -> bool {
    let Ok(url) = Url::parse(address) else { return false };
    let path = url.path().trim_end_matches('/');
    let is_host = url.host_str().is_some_and(|host| TALK.contains(&host.trim_start_matches("www.")));
    let is_server =
        || path.split('/').any(|part| part.contains("server")) || mcp_identity::remote_of_link(address).is_some();
    is_host || path.ends_with("/discord") && !is_server()
}
