//! The frame of every page: head, header with search, navigation, footer. The other modules build what it holds.

pub(super) mod described;
pub(super) mod form;
pub(super) mod freshness;
pub(super) mod notices;
pub(super) mod table;
pub(super) mod target;
pub(super) mod values;

use http::StatusCode;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use refdesk_core::Kind;
use refdesk_core::query::{QUERY_CHARS_MAX, QueryError, Warning};

use self::target::Target;
use super::assets;
use crate::negotiation::JSON;
use crate::settings::Settings;

/// Where the framework router is.
pub(crate) const ROUTER_PATH: &str = "/frameworks/route";

/// The first segment of the paths of collections.
pub(crate) const COLLECTIONS: &str = "c";

/// A page without its frame.
pub(crate) struct Page {
    /// What it is, in a few words; the title of the desk follows.
    pub(crate) title: String,
    /// What it says, in a sentence, for search engines and link previews.
    pub(crate) description: String,
    /// The one address of what is shown.
    pub(crate) canonical: Option<Target>,
    /// Whether the page was asked for by another address than that: then it names that one to everybody, not to search engines alone.
    pub(crate) has_other_address: bool,
    /// The same as data.
    pub(crate) alternates: Vec<Alternate>,
    /// Where in the navigation it is.
    pub(crate) section: Section,
    /// The text in the search box.
    pub(crate) searched: String,
    /// Structured data for search engines (JSON-LD).
    pub(crate) linked_data: Option<String>,
    pub(crate) status: StatusCode,
    /// What of the address could not be read, where the page says so.
    pub(crate) refusal: Option<QueryError>,
    /// Whether it has the anchor [`table::TABLE`].
    pub(crate) has_table: bool,
    pub(crate) body: Markup,
}

/// The same in another format.
pub(crate) struct Alternate {
    pub(crate) label: &'static str,
    pub(crate) media_type: &'static str,
    pub(crate) target: Target,
}

impl Alternate {
    /// The answer of REST.
    pub(crate) const fn json(target: Target) -> Self {
        Self { label: "JSON", media_type: JSON, target }
    }
}

/// An entry of the navigation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Section {
    Kind(Kind),
    /// The framework router.
    Router,
    Compare,
    Conflicts,
    Sources,
    Connect,
    Docs,
    /// The first page, which has a search box of its own.
    Home,
    /// None of them.
    Other,
}

impl Page {
    pub(crate) fn new(section: Section, title: impl Into<String>, body: Markup) -> Self {
        let title = title.into();
        Self {
            description: title.clone(),
            title,
            canonical: None,
            has_other_address: false,
            alternates: Vec::new(),
            section,
            searched: String::new(),
            linked_data: None,
            status: StatusCode::OK,
            refusal: None,
            has_table: false,
            body,
        }
    }

    /// The page tells of a parameter that could not be read.
    pub(crate) fn refuse(&mut self, error: QueryError) {
        self.status = StatusCode::BAD_REQUEST;
        self.refusal = Some(error);
    }

    /// The whole document. What was passed over of the address stands before all else.
    pub(crate) fn render(&self, settings: &Settings, passed_over: &[Warning]) -> String {
        let desk = title_of_desk(settings);
        let title = if self.title.is_empty() { desk.to_owned() } else { format!("{} · {desk}", self.title) };
        let page = html! {
            (DOCTYPE)
            html lang=(values::PAGE_LANGUAGE) {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    title { (title) }
                    meta name="description" content=(self.description);
                    meta name="color-scheme" content="light dark";
                    link rel="icon" href="/favicon.svg" type="image/svg+xml";
                    @if settings.web { link rel="search" href="/opensearch.xml" type="application/opensearchdescription+xml" title=(desk); }
                    link rel="stylesheet" href=(assets::STYLE.path);
                    script src=(assets::THEME.path) {}
                    script src=(assets::SCRIPT.path) defer {}
                    @for alternate in self.data(settings) {
                        link rel="alternate" type=(alternate.media_type) href=(alternate.target.href());
                    }
                    (self.for_search_engines(settings, &title))
                }
                body {
                    a.skip href="#content" { "Skip to the content" }
                    @if self.has_table { a.skip href={ "#" (table::TABLE) } { "Skip to the table" } }
                    (self.header(settings, desk))
                    main #content tabindex="-1" { (notices::warnings(passed_over, &Target::new("/"))) (self.body) }
                    (self.footer(settings))
                }
            }
        };
        from_root(settings.path_prefix(), page.into_string())
    }

    /// The same as data, unless it needs a key that a page does not.
    fn data(&self, settings: &Settings) -> &[Alternate] {
        if settings.require_key { &[] } else { &self.alternates }
    }

    /// Whether the page may be indexed, and what only such a page has.
    fn for_search_engines(&self, settings: &Settings, title: &str) -> Markup {
        let base = &settings.base_url;
        let url = self.canonical.as_ref().map(|canonical| format!("{base}{}", canonical.href()));
        html! {
            @if !settings.web_index {
                meta name="robots" content="noindex";
            }
            @if let Some(url) = url.as_ref().filter(|_| settings.web_index || self.has_other_address) {
                link rel="canonical" href=(url);
            }
            @if let Some(url) = url.as_ref().filter(|_| settings.web_index) {
                meta property="og:title" content=(title);
                meta property="og:description" content=(self.description);
                meta property="og:url" content=(url);
                meta property="og:type" content="website";
                meta property="og:image" content={ (base) (assets::CARD.path) };
                @if let Some(data) = &self.linked_data {
                    // Data blocks are not scripts; `<` is written so that no text can end the element.
                    script type="application/ld+json" { (PreEscaped(data.replace('<', "\\u003c"))) }
                }
            }
        }
    }

    fn header(&self, settings: &Settings, desk: &str) -> Markup {
        html! {
            header.top {
                // The first page has it as its heading.
                @if self.section != Section::Home { a.brand href="/" { (desk) } }
                @if settings.web && self.section != Section::Home {
                    (search_form("find", "Search by name or need", &self.searched))
                }
                @if settings.web {
                    nav aria-label="Main" {
                        ul {
                            @for kind in Kind::ALL {
                                (self.entry(Section::Kind(kind), &list_of(kind).href(), plural(kind)))
                            }
                            (self.entry(Section::Router, ROUTER_PATH, "Which framework?"))
                            (self.entry(Section::Compare, "/compare", "Compare"))
                            (self.entry(Section::Conflicts, "/conflicts", "Conflicts"))
                            (self.entry(Section::Sources, "/sources", "Sources"))
                            (self.entry(Section::Connect, "/connect", "Connect"))
                            (self.entry(Section::Docs, "/docs", "API"))
                        }
                    }
                }
            }
        }
    }

    fn entry(&self, section: Section, path: &str, label: &str) -> Markup {
        html! {
            li class=[(section == Section::Compare).then_some("does")] { a href=(path) aria-current=[(self.section == section).then_some("page")] { (label) } }
        }
    }

    fn footer(&self, settings: &Settings) -> Markup {
        let data = self.data(settings).iter();
        let data = data.map(|alternate| html! { a href=(alternate.target.href()) { (alternate.label) } });
        html! {
            footer.bottom {
                @if !self.data(settings).is_empty() { p { "This page as " (values::joined(" · ", data)) } }
                p {
                    "refdesk " (env!("CARGO_PKG_VERSION")) " · every answer names its source · "
                    a href="/docs" { "API" } " · "
                    a href="/llms.txt" { "llms.txt" } " · "
                    a href="/health" { "health" }
                }
            }
        }
    }
}

/// Links are written from the root of the desk. Where its public URL has a path, they begin with that: an attribute that begins with `/` is
/// always one of ours, because quotes in texts are escaped and sanitised texts have no relative links.
fn from_root(root: &str, html: String) -> String {
    if root.is_empty() {
        return html;
    }
    ["href", "src", "action", "data-suggest"]
        .iter()
        .fold(html, |html, attribute| html.replace(&format!("{attribute}=\"/"), &format!("{attribute}=\"{root}/")))
}

/// The form of the search, which the script gives suggestions.
pub(super) fn search_form(class: &str, placeholder: &str, searched: &str) -> Markup {
    html! {
        form class=(class) role="search" action="/search" data-suggest="/search?suggest=1" {
            input type="search" name="q" value=(searched) aria-label="Search the desk" placeholder=(placeholder) autocomplete="off" maxlength=(QUERY_CHARS_MAX) required;
            button { "Search" }
        }
    }
}

/// What the operator calls the desk.
pub(super) fn title_of_desk(settings: &Settings) -> &str {
    if settings.web_title.is_empty() { "refdesk" } else { &settings.web_title }
}

/// The list of a kind, as navigation leads to it. Models begin with those that most sellers offer: in the order of ids, as programs read them,
/// the first page has names that hardly anybody looks for. Of other kinds no field says what is looked for.
pub(super) fn list_of(kind: Kind) -> Target {
    let list = Target::new(format!("/{}", kind.path_segment()));
    if kind == Kind::Model { list.with("sort", "-offers") } else { list }
}

/// The items of a kind, as a heading.
pub(super) const fn plural(kind: Kind) -> &'static str {
    match kind {
        Kind::Model => "Models",
        Kind::Tool => "Tools",
        Kind::Skill => "Skills",
        Kind::Tutorial => "Tutorials",
        Kind::McpServer => "MCP servers",
        Kind::Document => "Documents",
        Kind::Framework => "Frameworks",
    }
}

/// The items of a kind, within a sentence.
pub(super) fn plural_in_text(kind: Kind) -> String {
    format!("{}s", kind.label())
}
