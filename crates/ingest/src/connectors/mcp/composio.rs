//! `composio`: Composio's toolkits or tools, from `/api/v3/toolkits` or `/api/v3/tools`, page by page, with an API key.
//!
//! Which of the two is told by the end of the url's path. The key is read by the engine from `COMPOSIO_API_KEY`; it never gets here.

use std::collections::BTreeMap;

use refdesk_core::fact::Provenance;
use refdesk_core::item::{Head, Item, Status, Tool, ToolAnnotations};
use refdesk_core::{Fact, Kind, clean};
use serde_json::{Map, Value};
use url::Url;

use crate::connectors::formats::json_fields::{
    self as fields, LeftOut, canonical_record, count_others, flag_or_counted, required, text, texts_or_counted,
};
use crate::connectors::formats::json_text::{self, Pages, cursor};
use crate::connectors::formats::stated_status::stated_status;
use crate::connectors::mcp::mcp_registry::encoded;
use crate::connectors::repository::public_url::public_url;
use crate::connectors::{
    Answer, Batch, Connector, CountMethod, FetchSession, JsonRule, ParseError, Request, Reread, Step, StoredKey, Target,
};

/// Most pages of one pass.
pub const PAGES_MAX: usize = 1_000;
/// The request header of the key, and the variable that holds it.
const KEY: (&str, &str) = ("x-api-key", "COMPOSIO_API_KEY");
/// What an answer should be, for errors.
const EXPECTED: &str = "a page of Composio's API: an object with a list `items`";
/// Tags that are hints for agents or marks of the upstream, not topics.
const NOT_TOPICS: [&str; 2] = ["mcpIgnore", "important"];
/// How such hints end.
const HINT: &str = "Hint";

/// The connector.
pub const CONNECTOR: Connector = Connector {
    name: "composio",
    kinds: &[Kind::Tool],
    description: "Composio's /api/v3/toolkits or /api/v3/tools, with the key in COMPOSIO_API_KEY",
    count: CountMethod::Json(JsonRule::Elements(&[Step::Key("items")])),
    open,
    reread,
    ..Connector::RECORDS
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Listing {
    Toolkits,
    Tools,
}

fn open(target: &Target) -> Result<Box<dyn FetchSession>, ParseError> {
    Ok(Box::new(ComposioSession {
        list: ComposioList::from_target(target)?,
        url: target.url.clone(),
        pages: Pages::new(PAGES_MAX),
        seen: BTreeMap::new(),
        batch: Batch::default(),
        left_out: LeftOut::default(),
    }))
}

fn reread(target: &Target, _stored: StoredKey<'_>, record: &[u8]) -> Result<Reread, String> {
    let list = ComposioList::from_target(target).map_err(|error| error.message)?;
    fields::reread(record, |item| list.fact(item, &LeftOut::default()))
}

struct ComposioList {
    listing: Listing,
    /// The list's address as the source names it: later pages have addresses for a moment only.
    page: Url,
}

impl ComposioList {
    fn from_target(target: &Target) -> Result<Self, ParseError> {
        let path = target.url.path().trim_end_matches('/');
        let listing = match path.rsplit('/').next() {
            Some("toolkits") => Listing::Toolkits,
            Some("tools") => Listing::Tools,
            _ => {
                return Err(ParseError::new(
                    "the url must end in /toolkits or /tools, such as https://backend.composio.dev/api/v3/tools?limit=100",
                ));
            }
        };
        Ok(Self { listing, page: public_url(&target.source_id, &target.url) })
    }
}

struct ComposioSession {
    list: ComposioList,
    url: Url,
    pages: Pages,
    /// Facts by slug: their places.
    seen: BTreeMap<String, usize>,
    batch: Batch,
    left_out: LeftOut,
}

impl FetchSession for ComposioSession {
    fn first(&mut self) -> Vec<Request> {
        vec![self.page(None)]
    }

    fn accept(&mut self, answer: Answer) -> Result<Vec<Request>, ParseError> {
        let wrong = |error: ParseError| ParseError::new(format!("{}: {}", answer.tag, error.message));
        let page = json_text::object(&answer.body, EXPECTED).map_err(wrong)?;
        for (position, item) in json_text::list_in(&page, "items", EXPECTED).map_err(wrong)?.into_iter().enumerate() {
            self.take(&format!("{} item {}", answer.tag, position + 1), item);
        }
        let next = self.pages.add(cursor(&page, "next_cursor")?)?;
        Ok(next.map(|cursor| self.page(Some(&cursor))).into_iter().collect())
    }

    fn finish(self: Box<Self>) -> Result<Batch, ParseError> {
        if self.pages.is_empty() {
            return Err(ParseError::new("no page arrived"));
        }
        let mut batch = self.batch;
        self.left_out.add_to(&mut batch);
        Ok(batch)
    }
}

impl ComposioSession {
    fn take(&mut self, position: &str, item: &[u8]) {
        // A batch that is full kept no fact of some slugs, and is refused as a whole.
        let is_kept =
            |first: usize, fact: &Fact| self.batch.facts.get(first).is_none_or(|kept| kept.record == fact.record);
        let read = json_text::read(item, |item| self.list.fact(item, &self.left_out)).and_then(|fact| {
            match self.seen.get(&fact.key) {
                Some(first) if is_kept(*first, &fact) => Ok(None),
                Some(_) => {
                    Err(format!("the slug `{}` is listed twice with different contents; the first counts", fact.key))
                }
                None => Ok(Some(fact)),
            }
        });
        if let Ok(Some(fact)) = &read {
            self.seen.insert(fact.key.clone(), self.batch.facts.len());
        }
        self.batch.take_once(read.map_err(|reason| json_text::reject(position, reason, item, &["slug"])));
    }

    fn page(&self, cursor: Option<&str>) -> Request {
        let mut url = self.url.clone();
        if let Some(cursor) = cursor {
            let cursor = encoded(cursor);
            let query =
                url.query().map_or_else(|| format!("cursor={cursor}"), |query| format!("{query}&cursor={cursor}"));
            url.set_query(Some(&query));
        }
        let (header, variable) = KEY;
        let secret_headers = vec![(header.to_owned(), variable.to_owned())];
        Request { secret_headers, ..Request::get(url, self.pages.next_tag()) }
    }
}

impl ComposioList {
    fn fact(&self, item: &Value, left_out: &LeftOut) -> Result<Fact, String> {
        let stated = item.as_object().ok_or("the item is not an object")?;
        let slug = required(stated, "slug")?;
        let name = clean::line(required(stated, "name")?);
        let fields = match self.listing {
            Listing::Toolkits => toolkit(stated, left_out),
            Listing::Tools => tool(stated, left_out),
        };
        // The API has a flag and, in most cases, words in its place.
        let status = match flag_or_counted(stated, "is_deprecated", left_out) {
            Some(true) => Status::Deprecated,
            _ => stated_status(&name, fields.description.as_deref()),
        };
        let record = canonical_record(item)?;
        Ok(Fact {
            head: Head {
                id: slug.to_owned(),
                name,
                vendor: Some("Composio".into()),
                status,
                aliases: vec![slug.to_owned()],
                ..Head::default()
            },
            provenance: Provenance { references: vec![self.own_page(slug)], ..Provenance::default() },
            ..Fact::new(slug, Item::Tool(fields), record, self.page.as_str())
        })
    }

    /// The item's own address, which nobody fetched.
    fn own_page(&self, slug: &str) -> String {
        let mut page = self.page.clone();
        page.set_query(None);
        format!("{}/{}", page.as_str().trim_end_matches('/'), encoded(slug))
    }
}

fn toolkit(stated: &Map<String, Value>, left_out: &LeftOut) -> Tool {
    count_others(stated, &["meta"], Value::is_object, left_out);
    let meta = stated.get("meta").and_then(Value::as_object);
    let categories = meta.and_then(|meta| meta.get("categories")).and_then(Value::as_array);
    let category =
        categories.and_then(|categories| categories.iter().find_map(|category| text(category.as_object()?, "name")));
    if let Some(meta) = meta {
        count_others(meta, &["description"], Value::is_string, left_out);
        count_others(meta, &["categories"], Value::is_array, left_out);
    }
    Tool {
        category: category.map(clean::line),
        description: meta.and_then(|meta| text(meta, "description")).map(str::to_owned),
        ..Tool::default()
    }
}

fn tool(stated: &Map<String, Value>, left_out: &LeftOut) -> Tool {
    count_others(stated, &["description"], Value::is_string, left_out);
    count_others(stated, &["input_parameters", "output_parameters"], Value::is_object, left_out);
    let tags = texts_or_counted(stated, "tags", left_out);
    let schema = |key: &str| stated.get(key).filter(|schema| schema.is_object()).cloned();
    let topic = tags.iter().find(|tag| !tag.ends_with(HINT) && !NOT_TOPICS.contains(&tag.as_str()));
    // A hint that is not given says nothing.
    let hint = |name: &str| tags.iter().any(|tag| tag.strip_suffix(HINT) == Some(name)).then_some(true);
    Tool {
        category: topic.map(|topic| clean::line(topic)),
        description: text(stated, "description").map(str::to_owned),
        input_schema: schema("input_parameters"),
        output_schema: schema("output_parameters"),
        annotations: ToolAnnotations {
            read_only: hint("readOnly"),
            destructive: hint("destructive"),
            idempotent: hint("idempotent"),
            open_world: hint("openWorld"),
        }
        .or_unknown(),
        ..Tool::default()
    }
}
