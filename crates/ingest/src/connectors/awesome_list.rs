//! `awesome-list`: a Markdown list of MCP servers, such as a README: `- **[Name](url)** - text`, with or without images before it.
//!
//! A bullet with a bold link is an item: a fact, or a reject. The heading above it tells whether it is a server or a tool, official
//! or archived. Other bullets are prose and are counted as ignored (the option `links` widens that).

use std::collections::BTreeSet;

use refdesk_core::fact::{Identity, Provenance};
use refdesk_core::item::{Head, Item, McpServer, Status, Tool};
use refdesk_core::{Body, Fact, Kind, Record, Reject, clean, text};
use serde_json::json;
use url::Url;

use super::repo::{Repository, utf8};
use super::{Answer, Connector, Harvest, ParseError, Pass, Request, Target, code_host, headings};

/// Headings whose entries are tools for those who build or run servers, not servers.
const TOOL_SECTIONS: &str = "Frameworks, Resources";
/// Addresses of places to talk, which such sections list too.
const TALK: [&str; 6] = ["discord.gg/", "/discord", "reddit.com/", "//x.com/", "//twitter.com/", "bsky.app/"];

/// The connector.
pub struct AwesomeList;

impl Connector for AwesomeList {
    fn name(&self) -> &'static str {
        "awesome-list"
    }

    fn kinds(&self) -> &'static [Kind] {
        &[Kind::McpServer, Kind::Tool]
    }

    fn describe(&self) -> &'static str {
        "A Markdown list of MCP servers (a README): bullets with a link, their headings as categories"
    }

    fn options(&self) -> &'static [(&'static str, &'static str)] {
        &[
            (
                "repository",
                "public URL of the repository, where the source's url does not tell it; relative links start there",
            ),
            (
                "ref",
                "branch, tag or commit that links to the repository name; default: the one in the url, else `main`",
            ),
            (
                "links",
                "`bold` (default): a bullet that opens with a bold link is an entry; `all`: one that opens with any link",
            ),
            ("tool_sections", "headings whose entries are tools, separated by commas; default: Frameworks, Resources"),
        ]
    }

    fn open(&self, target: &Target) -> Result<Box<dyn Pass>, ParseError> {
        let any_link = match target.options.get("links").map_or("bold", String::as_str) {
            "bold" | "" => false,
            "all" => true,
            other => return Err(ParseError::new(format!("`links` is `{other}`; set it to `bold` or `all`"))),
        };
        let tool_sections = target.options.get("tool_sections").map_or(TOOL_SECTIONS, String::as_str);
        let tool_sections =
            tool_sections.split(',').map(|name| name.trim().to_lowercase()).filter(|name| !name.is_empty());
        Ok(Box::new(ListPass {
            list: List::of(target, any_link, tool_sections.collect()),
            url: target.url.clone(),
            harvest: None,
        }))
    }
}

struct ListPass {
    list: List,
    url: Url,
    harvest: Option<Harvest>,
}

impl Pass for ListPass {
    fn first(&mut self) -> Vec<Request> {
        vec![Request::get(self.url.clone(), "list")]
    }

    fn accept(&mut self, answer: Answer) -> Result<Vec<Request>, ParseError> {
        let markdown = utf8(&answer.body).map_err(|reason| ParseError::new(format!("the list {reason}")))?;
        self.harvest = Some(self.list.read(markdown)?);
        Ok(Vec::new())
    }

    fn finish(self: Box<Self>) -> Result<Harvest, ParseError> {
        self.harvest.ok_or_else(|| ParseError::new("the list never arrived"))
    }
}

/// How to read one list.
struct List {
    page: String,
    repository: Repository,
    /// Folder of the list's file in its repository, with a closing `/`, or empty.
    folder: String,
    any_link: bool,
    tool_sections: Vec<String>,
}

/// The headings above an entry, outermost first.
#[derive(Default)]
struct Section {
    path: Vec<(u8, String)>,
    anchor: String,
}

impl Section {
    fn enter(&mut self, level: u8, title: String, anchor: String) {
        self.path.retain(|(above, _)| *above < level);
        self.path.push((level, title));
        self.anchor = anchor;
    }

    /// The innermost heading without its emoji.
    fn title(&self) -> &str {
        self.path.last().map_or("", |(_, title)| title)
    }

    fn has(&self, test: impl Fn(&str) -> bool) -> bool {
        self.path.iter().any(|(_, title)| test(&title.to_lowercase()))
    }
}

/// A bullet taken apart.
struct Bullet<'a> {
    name: &'a str,
    link: &'a str,
    rest: &'a str,
}

impl List {
    fn of(target: &Target, any_link: bool, tool_sections: Vec<String>) -> Self {
        let (repository, path) = code_host::raw_file(target);
        let folder = path
            .as_deref()
            .and_then(|path| path.rsplit_once('/'))
            .map_or(String::new(), |(folder, _)| format!("{folder}/"));
        Self { page: code_host::raw_file_page(target), repository, folder, any_link, tool_sections }
    }

    fn read(&self, markdown: &str) -> Result<Harvest, ParseError> {
        let mut harvest = Harvest::default();
        let mut outline = headings::of(markdown).into_iter();
        let mut section = Section::default();
        let mut fence = None;
        let mut seen = BTreeSet::new();
        for (position, line) in markdown.lines().enumerate() {
            if let Some(open) = fence {
                if headings::closes(line, open) {
                    fence = None;
                }
                continue;
            }
            fence = headings::opens(line);
            if headings::heading(line).is_some_and(|(_, title)| !headings::plain(title).is_empty()) {
                if let Some(heading) = outline.next() {
                    section.enter(heading.level, words(&heading.text), heading.slug);
                }
                continue;
            }
            let Some(text) = line.strip_prefix("- ").or_else(|| line.strip_prefix("* ")) else { continue };
            let text = without_images(text);
            if !(text.starts_with("**[") || (self.any_link && text.starts_with('['))) {
                *harvest.ignored.entry("bullets that are no entries of the list".into()).or_default() += 1;
                continue;
            }
            harvest.items_upstream += 1;
            let read = bullet(text).and_then(|bullet| self.fact(&bullet, line, &section)).and_then(|fact| {
                if seen.insert((fact.kind().index(), fact.key.clone())) {
                    Ok(fact)
                } else {
                    Err("the same name and link are listed twice".into())
                }
            });
            match read {
                Ok(fact) => harvest.facts.push(fact),
                Err(reason) => harvest.rejects.push(Reject::new(format!("line {}", position + 1), reason, line)),
            }
        }
        if harvest.items_upstream == 0 {
            return Err(ParseError::new("no entry found; expected bullets such as `- **[Name](url)** - text`"));
        }
        Ok(harvest)
    }

    fn fact(&self, bullet: &Bullet<'_>, line: &str, section: &Section) -> Result<Fact, String> {
        let name = Some(text::plain(bullet.name))
            .map(|name| clean::line(&name))
            .filter(|name| !name.is_empty())
            .ok_or("the link has no name")?;
        let address = self.resolve(bullet.link)?;
        let description = description(bullet.rest);
        let repository = code_host::repository(&address);
        let is_tool = section.has(|title| self.tool_sections.iter().any(|tools| tools == title));
        if is_tool && repository.is_none() && TALK.iter().any(|place| address.contains(place)) {
            return Err("leads to a place to talk, not to a tool".into());
        }
        let official = section.has(|title| title.contains("official"));
        let community = section.has(|title| title.contains("community"));
        let archived = section.has(|title| title.contains("archived"));
        let website = repository.is_none().then(|| address.clone());
        let head = Head {
            id: name.clone(),
            name,
            vendor: repository.as_ref().and_then(|repository| code_host::owner(repository.url.as_deref()?)),
            status: if archived { Status::Deprecated } else { Status::Active },
            ..Head::default()
        };
        let identity =
            Identity { repository: repository.as_ref().and_then(code_host::identity), ..Identity::default() };
        let item = if is_tool {
            Item::Tool(Tool {
                category: Some(section.title().to_owned()),
                description,
                homepage_url: website,
                repository_url: repository.as_ref().and_then(|repository| repository.url.clone()),
                ..Tool::default()
            })
        } else {
            Item::McpServer(McpServer {
                description,
                repository,
                website_url: website,
                official: if official { Some(true) } else { community.then_some(false) },
                category: Some(section.title().to_owned()).filter(|title| !title.is_empty()),
                ..McpServer::default()
            })
        };
        let record =
            json!({ "section": section.path.iter().map(|(_, title)| title).collect::<Vec<_>>(), "markdown": line });
        Ok(Fact {
            key: format!("[{}]({})", bullet.name, bullet.link),
            head,
            item,
            source_url: format!("{}#{}", self.page, section.anchor).trim_end_matches('#').to_owned(),
            record: Record::of_json(&record).map_err(|error| error.to_string())?,
            body: Body::None,
            identity,
            provenance: Provenance::default(),
            checked_on: None,
        })
    }

    /// The address of a link; a relative one starts in the folder of the list's file.
    fn resolve(&self, link: &str) -> Result<String, String> {
        match Url::parse(link) {
            Ok(url) if matches!(url.scheme(), "http" | "https") => Ok(link.to_owned()),
            Ok(url) => Err(format!("the link's scheme is `{}`; expected http or https", url.scheme())),
            Err(url::ParseError::RelativeUrlWithoutBase) if !link.contains(['[', ' ']) && !link.starts_with('#') => {
                let path = link.trim_start_matches("./").trim_matches('/');
                Ok(self.repository.folder_page(&format!("{}{path}", self.folder)))
            }
            Err(_) => Err(format!("`{link}` is no link; write it as `[Name](https://…)`")),
        }
    }
}

/// A bullet's text without the images that stand before the name.
fn without_images(text: &str) -> &str {
    let mut text = text.trim_start();
    loop {
        let tag = text.strip_prefix("<img").and_then(after_tag);
        let image =
            text.strip_prefix("![").and_then(|rest| rest.split_once("](")).and_then(|(_, rest)| rest.split_once(')'));
        match tag.or(image.map(|(_, rest)| rest)) {
            Some(rest) => text = rest.trim_start(),
            None => return text,
        }
    }
}

/// What follows a tag; a `>` inside quotes does not close it.
fn after_tag(rest: &str) -> Option<&str> {
    let mut quote = None;
    let end = rest.char_indices().find(|(_, c)| match (quote, c) {
        (None, '"' | '\'') => {
            quote = Some(*c);
            false
        }
        (None, c) => *c == '>',
        (Some(open), c) => {
            if open == *c {
                quote = None;
            }
            false
        }
    });
    end.map(|(at, _)| &rest[at + 1..])
}

/// Takes `**[Name](link)** rest` apart; the closing `**` may be forgotten.
fn bullet(text: &str) -> Result<Bullet<'_>, String> {
    let unlike = || "expected `**[Name](url)** - text`".to_owned();
    let text = text.strip_prefix("**").unwrap_or(text);
    let (name, rest) = text.strip_prefix('[').and_then(|rest| rest.split_once("](")).ok_or_else(unlike)?;
    // A link's own brackets are balanced: https://en.wikipedia.org/wiki/A_(b)
    let mut depth = 0_usize;
    let end = rest.char_indices().find_map(|(at, c)| match c {
        '(' => {
            depth += 1;
            None
        }
        ')' if depth == 0 => Some(at),
        ')' => {
            depth -= 1;
            None
        }
        _ => None,
    });
    let end = end.ok_or_else(unlike)?;
    let link = rest[..end].trim();
    let link = link.split_once(" \"").map_or(link, |(link, _)| link);
    Ok(Bullet { name, link, rest: rest[end + 1..].trim_start_matches("**") })
}

/// What follows the link, without marks and the dash before it.
fn description(rest: &str) -> Option<String> {
    let plain = clean::line(&text::plain(without_images(rest)));
    let plain = plain.trim_start_matches(['-', '–', '—', ':', ' ']).trim();
    (!plain.is_empty()).then(|| plain.to_owned())
}

/// A heading without emoji and other signs around its words.
fn words(title: &str) -> String {
    title.trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '(' | ')')).to_owned()
}
