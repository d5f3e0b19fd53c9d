//! Connectors: each turns the bytes of one kind of upstream into facts. They do no I/O.
//!
//! A [`Connector`] is a value that says what it reads, and opens a [`FetchSession`]. The engine fetches what the pass asks for and hands
//! the bytes back; at the end the pass gives its [`Batch`]. A new source is one file here, one fixture in `fixtures/`, and one line in
//! [`REGISTRY`].

use std::collections::BTreeMap;

use bytes::Bytes;
use refdesk_core::{Fact, Kind, Reject};
use url::Url;

pub mod cards;
mod count_method;
pub mod documents;
pub mod formats;
pub mod frameworks;
pub mod kept;
pub mod mcp;
pub mod models;
mod registry;
pub mod repository;
mod single_request;
pub mod skills;

use crate::memory_budget::NoRoom;
pub use count_method::{CountMethod, JsonRule, LineRule, Step, TarballRule};
pub use registry::{REGISTRY, find};
use single_request::SingleRequestSession;

/// Largest body of an answer that holds records, or is one page.
pub const RECORDS_BODY_BYTES_MAX: u64 = 64 << 20;
/// Largest text whose lines are items.
pub const LINES_BODY_BYTES_MAX: u64 = 8 << 20;
/// An archive of a repository may be as large as the setting `body_bytes_max` allows.
pub const ARCHIVE_BODY_BYTES_MAX: u64 = u64::MAX;

/// Opens a pass over a source.
pub type OpenSession = fn(&Target) -> Result<Box<dyn FetchSession>, ParseError>;
/// Makes the fact of a stored record again; an error when target, key or bytes are not what the connector wrote.
pub type RereadRecord = fn(&Target, StoredKey<'_>, &[u8]) -> Result<Reread, String>;

/// A kind of upstream: what is to be known of it, and how it is read.
#[derive(Debug, Clone, Copy)]
pub struct Connector {
    /// The name in `connector = "…"`.
    pub name: &'static str,
    /// The kinds of facts it makes.
    pub kinds: &'static [Kind],
    /// What it reads, in a sentence, for `docs/connectors.md` and `refdesk sources`.
    pub description: &'static str,
    /// Option keys it understands under `[sources.options]`, each with a sentence.
    pub options: &'static [(&'static str, &'static str)],
    /// Largest decoded body of one of its upstream's answers; the setting `body_bytes_max` may say less.
    pub body_bytes_max: u64,
    /// The seller whose own list this is: what it does not list, that seller does not sell. `None` for lists of many sellers.
    pub own_list_of: Option<&'static str>,
    /// How the items of its upstream are counted, to check its sums.
    pub count: CountMethod,
    /// Starts one pass over the source; an error when the source's url or options do not fit the connector.
    pub open: OpenSession,
    /// Reads a stored record again, by itself, so that `verify` can compare what a fact states with the bytes behind its hash.
    pub reread: RereadRecord,
}

impl Connector {
    /// What a connector starts from whose upstream answers with records or pages. It reads nothing yet.
    pub const RECORDS: Self = Self {
        name: "",
        kinds: &[],
        description: "",
        options: &[],
        body_bytes_max: RECORDS_BODY_BYTES_MAX,
        own_list_of: None,
        count: CountMethod::Json(JsonRule::Elements(&[])),
        open: |_| Err(ParseError::new("the connector reads nothing")),
        reread: |_, _, _| Err("the connector reads nothing".into()),
    };
    /// The same for a text whose lines are items.
    pub const LINES: Self =
        Self { body_bytes_max: LINES_BODY_BYTES_MAX, count: CountMethod::Lines(LineRule::Bullets), ..Self::RECORDS };
    /// The same for the archive of a repository.
    pub const ARCHIVE: Self = Self {
        body_bytes_max: ARCHIVE_BODY_BYTES_MAX,
        count: CountMethod::Tarball(TarballRule::Files),
        ..Self::RECORDS
    };
}

/// Which stored fact a record belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoredKey<'a> {
    /// Kind of the fact.
    pub kind: Kind,
    /// The upstream's own key.
    pub key: &'a str,
}

/// A record that was read again.
#[derive(Debug, Clone, PartialEq)]
pub struct Reread {
    /// The fact that these bytes alone make.
    pub fact: Fact,
    /// Top-level fields of the kind that come from elsewhere: from other files of a tree, or from another record. They are not compared.
    pub not_in_record: &'static [&'static str],
}

impl Reread {
    /// A record that holds all that its fact states.
    pub const fn whole(fact: Fact) -> Self {
        Self { fact, not_in_record: &[] }
    }
}

/// What a pass needs to know of its source.
#[derive(Debug, Clone)]
pub struct Target {
    /// Id of the source in the configuration.
    pub source_id: String,
    /// The configured url: `https://…`, `http://` on loopback, or `file:///…` for a local path.
    pub url: Url,
    /// `[sources.options]`, all values as text.
    pub options: BTreeMap<String, String>,
    /// Whether bodies are taken of items whose licence does not allow to pass them on: the operator answers for it.
    pub serve_restricted: bool,
}

impl Target {
    /// The value of an option; a blank one is none.
    pub fn option(&self, key: &str) -> Option<&str> {
        self.options.get(key).map(String::as_str).filter(|value| !value.trim().is_empty())
    }

    /// The same as a text of its own.
    pub fn text(&self, key: &str) -> Option<String> {
        self.option(key).map(str::to_owned)
    }
}

/// One pass over a source: a state machine between requests and answers.
pub trait FetchSession: Send {
    /// The requests that open the pass.
    fn first(&mut self) -> Vec<Request>;
    /// Takes one answer and says what to fetch next.
    ///
    /// # Errors
    /// When the answer has not the shape of this upstream: the whole pass fails and the last good facts stay.
    /// One bad record is never an error: it is a [`Reject`] in the batch.
    fn accept(&mut self, answer: Answer) -> Result<Vec<Request>, ParseError>;
    /// Everything the pass found. Called once, after the last answer.
    ///
    /// # Errors
    /// When what came in does not make a whole.
    fn finish(self: Box<Self>) -> Result<Batch, ParseError>;
}

/// A request that a pass asks for. Always GET.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// What to fetch.
    pub url: Url,
    /// What the pass calls it; comes back in the [`Answer`].
    pub tag: String,
    /// A 404 is handed to the pass as an answer with that status instead of failing it.
    pub may_be_missing: bool,
    /// Request headers whose values are read from the environment by the engine: header name, variable name.
    pub secret_headers: Vec<(String, String)>,
}

impl Request {
    /// A plain GET.
    pub fn get(url: Url, tag: impl Into<String>) -> Self {
        Self { url, tag: tag.into(), may_be_missing: false, secret_headers: Vec::new() }
    }

    /// The same of something that may be missing.
    pub fn get_if_there(url: Url, tag: impl Into<String>) -> Self {
        Self { may_be_missing: true, ..Self::get(url, tag) }
    }
}

/// The answer to a [`Request`]: always status 200, or 404 where the request allowed it.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The tag of the request.
    pub tag: String,
    /// The url that was asked for.
    pub url: Url,
    /// 200 or 404.
    pub status: u16,
    /// The `Link` header, if any.
    pub link: Option<String>,
    /// The decoded body (content encodings undone; a tarball stays a tarball).
    pub body: Bytes,
}

/// Paths by kind and key.
pub type FactFiles = BTreeMap<(Kind, String), String>;

/// What a pass found.
#[derive(Debug, Default)]
pub struct Batch {
    /// One fact for each usable item of the upstream.
    pub facts: Vec<Fact>,
    /// One reject for each item that could not become a fact.
    pub rejects: Vec<Reject>,
    /// Why not all of them were kept, if so.
    pub full: Option<String>,
    /// How many items the upstream listed: `facts + versions + rejects` (an offer is a fact). The engine checks the sum.
    pub items_upstream: usize,
    /// Items that became an earlier version inside another fact (registry versions).
    pub versions: usize,
    /// What was left out, by name: entries that are no items by the upstream's own definition (`LiteLLM`'s `sample_spec`), files that are
    /// no pages, second listings. [`crate::census`] holds the connector to it.
    pub ignored: BTreeMap<String, usize>,
    /// Values of facts that no field shows, by name: a price whose unit is not told, a date that cannot be. They are no items.
    pub unshown: BTreeMap<String, usize>,
    /// The pass listed only what changed: facts that it does not name stay as they are, none counts as removed.
    pub partial: bool,
    /// The file of each fact that is all of a file, where that tells its author more than its key.
    pub files: FactFiles,
}

impl Batch {
    /// Entries that a list holds a second time.
    pub const LISTED_TWICE: &str = "listed twice";

    /// Takes in what became of an item of the upstream.
    pub fn take(&mut self, read: Result<Fact, Reject>) {
        self.items_upstream += 1;
        match read {
            Ok(fact) => self.add(fact),
            Err(reject) => {
                kept::keep(&mut self.rejects, kept::reject_weight(&reject), reject, &mut self.full);
            }
        }
    }

    /// Takes in a fact of items that were counted before.
    pub fn add(&mut self, fact: Fact) {
        kept::keep(&mut self.facts, kept::fact_weight(&fact), fact, &mut self.full);
    }

    /// The same as [`Batch::take`] of an item that may be [listed twice](Self::LISTED_TWICE): then it is none, and is counted as that.
    pub fn take_once(&mut self, read: Result<Option<Fact>, Reject>) {
        match read.transpose() {
            Some(read) => self.take(read),
            None => self.leave_out(Self::LISTED_TWICE, 1),
        }
    }

    /// The batch, unless nothing became a fact: then what was expected and is missing, and why the first reject is one.
    ///
    /// # Errors
    /// With that message.
    pub fn with_facts(self, missing: impl Into<String>) -> Result<Self, ParseError> {
        if !self.facts.is_empty() {
            return Ok(self);
        }
        let missing: String = missing.into();
        Err(ParseError::new(match self.rejects.first() {
            Some(first) => format!("{missing}: {}", first.reason),
            None => missing,
        }))
    }

    /// Counts what was left out under its name.
    pub fn leave_out(&mut self, name: &str, count: usize) {
        if count > 0 {
            *self.ignored.entry(name.to_owned()).or_default() += count;
        }
    }
}

/// The upstream's answer has not the shape this connector reads.
#[derive(Debug, Clone, thiserror::Error, PartialEq, Eq)]
#[error("{message}")]
pub struct ParseError {
    /// What was expected and what was found, without secrets, for people.
    pub message: String,
    /// It may be well formed, and is more than a bound allows.
    pub is_too_large: bool,
}

impl ParseError {
    /// A parse error with its message.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), is_too_large: false }
    }

    /// More than a bound allows; the message names it.
    pub fn too_large(message: impl Into<String>) -> Self {
        Self { message: message.into(), is_too_large: true }
    }
}

impl From<NoRoom> for ParseError {
    fn from(full: NoRoom) -> Self {
        Self::too_large(full.to_string())
    }
}
