//! `llms-txt`: a site's `/llms.txt` (<https://llmstxt.org>) and the Markdown pages of the same host that it links to.
//!
//! The index is a document itself. Pages are fetched a few at a time; one that answers HTML is asked for once more with `.md` added,
//! as the convention has it. Links to other hosts, missing pages and what is no Markdown are rejects.

use std::collections::{BTreeMap, HashSet, VecDeque};

use bytes::Bytes;
use refdesk_core::item::{Head, Item, Status};
use refdesk_core::slug::slugify;
use refdesk_core::text::fence::Fence;
use refdesk_core::text::headings;
use refdesk_core::{Body, Fact, Kind, Record, Reject, clean};
use url::Url;

use crate::connectors::formats::bullet::{self, Bullet, Definitions};
use crate::connectors::formats::page::Page;
use crate::connectors::repository::license::{self, Licences};
use crate::connectors::repository::public_url::{public_url, same_site};
use crate::connectors::repository::repo::utf8;
use crate::connectors::{
    Answer, Batch, Connector, CountMethod, FetchSession, LineRule, ParseError, Request, Reread, StoredKey, Target,
};

/// Most pages of one site, unless the option `pages_max` says less or more.
const PAGES_MAX: usize = 500;
/// How many pages are asked for at once.
const IN_FLIGHT_MAX: usize = 4;
/// Tag of the first request.
const INDEX: &str = "index";

/// The connector.
pub const CONNECTOR: Connector = Connector {
    name: "llms-txt",
    kinds: &[Kind::Document],
    description: "A site's llms.txt and the Markdown pages of the same host that it links to",
    options: &[
        ("pages_max", "most pages that are fetched; default: 500"),
        ("language", "language of the pages, as a BCP 47 tag"),
        ("vendor", "publisher; default: the host"),
    ],
    count: CountMethod::Lines(LineRule::LinksOfIndex),
    open,
    reread,
    ..Connector::LINES
};

fn open(target: &Target) -> Result<Box<dyn FetchSession>, ParseError> {
    if target.url.scheme() == "file" {
        return Err(ParseError::new("reads a site; for a local folder of pages use the connector `markdown-docs`"));
    }
    Ok(Box::new(LlmsSession::from_target(target)?))
}

fn reread(target: &Target, stored: StoredKey<'_>, record: &[u8]) -> Result<Reread, String> {
    let mut pass = LlmsSession::from_target(target).map_err(|error| error.message)?;
    let text = utf8(record)?;
    let page = Url::parse(stored.key).map_err(|error| format!("`{}` is not an address: {error}", stored.key))?;
    let is_index = pass.public == page;
    let description = quoted(text).filter(|_| is_index);
    let link = Link { name: String::new(), description, section: None, page: page.clone() };
    let fact = pass.fact(stored.key.to_owned(), &link, page.to_string(), &Bytes::copy_from_slice(record), text);
    // Of its pages the index tells the section, and names and describes those that do not do so themselves.
    let not_in_record: &[&str] = if is_index { &[] } else { &["name", "summary", "section"] };
    Ok(Reread { fact, not_in_record })
}

/// A link of the index: `- [name](url): description` below `## section`.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Link {
    name: String,
    description: Option<String>,
    section: Option<String>,
    page: Url,
}

struct LlmsSession {
    target: Target,
    public: Url,
    pages_max: usize,
    links: BTreeMap<String, Link>,
    waiting: VecDeque<Request>,
    in_flight: usize,
    ids: HashSet<String>,
    batch: Batch,
}

impl FetchSession for LlmsSession {
    fn first(&mut self) -> Vec<Request> {
        self.in_flight = 1;
        vec![Request::get(self.target.url.clone(), INDEX)]
    }

    fn accept(&mut self, answer: Answer) -> Result<Vec<Request>, ParseError> {
        self.in_flight = self.in_flight.saturating_sub(1);
        if answer.tag == INDEX {
            self.read_index(&answer.body)?;
        } else {
            self.read_page(&answer);
        }
        let room = IN_FLIGHT_MAX.saturating_sub(self.in_flight).min(self.waiting.len());
        self.in_flight += room;
        Ok(self.waiting.drain(..room).collect())
    }

    fn finish(mut self: Box<Self>) -> Result<Batch, ParseError> {
        if self.batch.items_upstream == 0 || !self.links.is_empty() {
            return Err(ParseError::new(format!("{} linked pages were never answered", self.links.len())));
        }
        self.batch.facts.sort_by(|a, b| a.key.cmp(&b.key));
        Ok(self.batch)
    }
}

impl LlmsSession {
    fn from_target(target: &Target) -> Result<Self, ParseError> {
        let pages_max = match target.options.get("pages_max") {
            None => PAGES_MAX,
            Some(text) => text
                .parse()
                .map_err(|_| ParseError::new(format!("option `pages_max` is `{text}`, which is not a number")))?,
        };
        Ok(Self {
            target: target.clone(),
            public: public_url(&target.source_id, &target.url),
            pages_max,
            links: BTreeMap::new(),
            waiting: VecDeque::new(),
            in_flight: 0,
            ids: HashSet::new(),
            batch: Batch::default(),
        })
    }

    fn read_index(&mut self, body: &Bytes) -> Result<(), ParseError> {
        let text = utf8(body).map_err(|reason| ParseError::new(format!("llms.txt {reason}")))?;
        let mut lines = text.trim_start_matches('\u{feff}').lines();
        if is_html(text) || !lines.any(|line| line.trim_start().starts_with("# ")) {
            return Err(ParseError::new("expected an llms.txt: Markdown that opens with `# Name`"));
        }
        let index = Link { name: String::new(), description: quoted(text), section: None, page: self.public.clone() };
        let fact = self.fact(self.public.to_string(), &index, self.public.to_string(), body, text);
        self.batch.take(Ok(fact));
        let mut seen: HashSet<String> = HashSet::from([self.public.to_string()]);
        let listed = links(text);
        let with_link = Fence::lines_outside(text).filter(|line| line.contains("](")).count();
        self.batch.leave_out("lines with a link that name no page", with_link.saturating_sub(listed.len()));
        for (name, target, description, section) in listed {
            let reject =
                |key: &str, reason: String| Reject::new(key, format!("link `{name}` to {target} {reason}"), "");
            let Ok(mut page) = self.public.join(&target) else {
                self.batch.take(Err(reject(&target, "is not an address".into())));
                continue;
            };
            page.set_fragment(None);
            if !seen.insert(page.to_string()) {
                self.batch.leave_out("a second link to the same page", 1);
                continue;
            }
            match same_site(&self.target.url, &page) {
                None => {
                    let reason = "leads to another host; make it a source of its own".into();
                    self.batch.take(Err(reject(page.as_str(), reason)));
                }
                Some(_) if self.links.len() >= self.pages_max => {
                    let reason = format!(
                        "comes after {} pages, the most that are read; raise the option `pages_max`",
                        self.pages_max
                    );
                    self.batch.take(Err(reject(page.as_str(), reason)));
                }
                Some(url) => {
                    self.waiting.push_back(Request::get_if_there(url, page.as_str()));
                    self.links.insert(page.to_string(), Link { name, description, section, page });
                }
            }
        }
        Ok(())
    }

    fn read_page(&mut self, answer: &Answer) {
        let (key, second_try) =
            answer.tag.strip_prefix(SECOND_TRY).map_or((answer.tag.as_str(), false), |key| (key, true));
        let Some(link) = self.links.remove(key) else { return };
        let key = key.to_owned();
        let reason = match (answer.status, utf8(&answer.body)) {
            (200, Ok(text)) if is_html(text) && !second_try => {
                if let Some(request) = self.with_md(&link) {
                    self.links.insert(key, link);
                    self.waiting.push_front(request);
                    return;
                }
                "answers HTML, not Markdown".to_owned()
            }
            (200, Ok(text)) if is_html(text) => "answers HTML, not Markdown".to_owned(),
            (200, Ok(text)) if is_data(text) => "answers JSON or XML, not Markdown".to_owned(),
            (200, Ok(text)) if text.trim().is_empty() => "is empty".to_owned(),
            (200, Ok(text)) => {
                let read = if second_try { beside_html(&link.page) } else { link.page.clone() };
                let fact = self.fact(key, &link, read.to_string(), &answer.body, text);
                self.batch.take(Ok(fact));
                return;
            }
            (200, Err(reason)) => reason,
            (_, _) if second_try => "answers HTML, and there is no Markdown page beside it".to_owned(),
            (status, _) => format!("answers {status}: the site links to a page that it does not have"),
        };
        self.batch.take(Err(Reject::new(&key, format!("link `{}` to {key} {reason}", link.name), "")));
    }

    /// The request for the Markdown beside an HTML page.
    fn with_md(&self, link: &Link) -> Option<Request> {
        let url = same_site(&self.target.url, &beside_html(&link.page))?;
        Some(Request::get_if_there(url, format!("{SECOND_TRY}{}", link.page)))
    }

    /// `read` is the address of the bytes: that of the link, or of the Markdown beside it.
    fn fact(&mut self, key: String, link: &Link, read: String, bytes: &Bytes, text: &str) -> Fact {
        let page = Page::parse(text);
        let title = [page.title.clone(), Some(link.name.clone()), page.first_heading.clone()];
        let title = title.into_iter().flatten().find(|title| !title.is_empty()).unwrap_or_else(|| key.clone());
        let mut document = page.document;
        document.summary = document.summary.or_else(|| link.description.clone());
        document.section.clone_from(&link.section);
        document.path = Some(link.page.path().to_owned());
        document.canonical_url = Some(link.page.to_string());
        let source_id = &self.target.source_id;
        let wanted = slugify(&format!("{source_id}-{}", link.page.path()));
        let id = if self.ids.insert(wanted.clone()) { wanted } else { slugify(&format!("{source_id}-{key}")) };
        let fact = Fact {
            head: Head {
                id,
                name: title,
                vendor: self.target.option("vendor").or(self.public.host_str()).map(str::to_owned),
                status: Status::Active,
                language: self.target.text("language"),
                ..Head::default()
            },
            body: Body::Record,
            ..Fact::new(key, Item::Document(document), Record::Bytes(bytes.clone()), read)
        };
        let licence = Licences::default().of_item("", page.license.as_deref());
        license::applied(licence, fact, self.target.serve_restricted)
    }
}

/// Marks the tag of a request for the Markdown beside an HTML page.
const SECOND_TRY: &str = "md ";

/// The Markdown beside an HTML page, where the convention has it.
fn beside_html(page: &Url) -> Url {
    let mut page = page.clone();
    let ending = if page.path().ends_with('/') { "index.html.md" } else { ".md" };
    page.set_path(&format!("{}{ending}", page.path()));
    page
}

fn is_html(text: &str) -> bool {
    let start: String =
        text.trim_start_matches('\u{feff}').trim_start().chars().take(15).collect::<String>().to_ascii_lowercase();
    start.starts_with("<!doctype html") || start.starts_with("<html")
}

/// Whether a text is for programs, such as an OpenAPI description or a site map.
fn is_data(text: &str) -> bool {
    let text = text.trim_start_matches('\u{feff}').trim();
    let is_json = || serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok();
    text.starts_with("<?xml") || text.starts_with(['{', '[']) && is_json()
}

/// The blockquote below the title: what the site says it is.
fn quoted(text: &str) -> Option<String> {
    /// Longest summary of a site that is kept, in characters.
    const SUMMARY_CHARS_MAX: usize = 600;
    let lines: Vec<&str> =
        text.lines().skip_while(|line| !line.starts_with('>')).take_while(|line| line.starts_with('>')).collect();
    let quote = lines.iter().map(|line| line.trim_start_matches('>')).collect::<Vec<_>>().join(" ");
    (!quote.trim().is_empty()).then(|| clean::excerpt(&quote, SUMMARY_CHARS_MAX))
}

/// The list items `- [name](url): description` with their section, and headings that are such a link.
fn links(text: &str) -> Vec<(String, String, Option<String>, Option<String>)> {
    let mut found = Vec::new();
    let mut section = None;
    for line in Fence::lines_outside(text) {
        let heading = headings::heading(line).filter(|(level, _)| *level > 1).map(|(_, title)| title);
        if let Some(title) = heading {
            section = Some(headings::plain(title));
        }
        let line = line.trim_start();
        let item = bullet::without_mark(line).or_else(|| line.strip_prefix(['-', '*'])).or(heading);
        let taken_apart = item.map(|item| bullet::bullet(bullet::from_name(item), &Definitions::default()));
        let Some(Ok(Bullet { name, link, rest, .. })) = taken_apart else { continue };
        let description = clean::line(rest.trim_start_matches([':', ' ', '-', '–', '—']));
        let description = (!description.is_empty()).then_some(description);
        found.push((headings::plain(name), link.to_owned(), description, section.clone()));
    }
    found
}
