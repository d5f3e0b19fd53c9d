//! What each generated row says: kind by share, names of rare words, prose of a Zipf vocabulary, full Markdown for documents.

use refdesk_core::fact::{Identity, Provenance};
use refdesk_core::item::{Document, Head, Item, McpServer, Skill, Status, Tool, Tutorial};
use refdesk_core::{Body, Fact, Kind, Record};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::words::{Dice, Vocabulary, capital};

/// Words of a document, from and to.
const DOCUMENT_WORDS: (u64, u64) = (200, 1_500);
/// Words of the body of a skill or tutorial.
const BODY_WORDS: (u64, u64) = (60, 240);
/// Words of a description.
const DESCRIPTION_WORDS: (u64, u64) = (10, 34);
const VENDORS: u64 = 400;
const CATEGORIES: [&str; 8] =
    ["coding-agent", "database", "search", "messaging", "storage", "finance", "monitoring", "calendar"];

type Json = serde_json::Error;

/// The kinds of twenty rows, evenly mixed. Of a hundred: 10 documents, 25 models, 30 servers, 20 tools, 10 skills, 5 tutorials.
const MIXED: [Kind; 20] = [
    Kind::Document,
    Kind::Model,
    Kind::McpServer,
    Kind::Tool,
    Kind::Skill,
    Kind::Model,
    Kind::McpServer,
    Kind::Tool,
    Kind::Tutorial,
    Kind::Model,
    Kind::Document,
    Kind::McpServer,
    Kind::Tool,
    Kind::Model,
    Kind::McpServer,
    Kind::Skill,
    Kind::McpServer,
    Kind::Model,
    Kind::Tool,
    Kind::McpServer,
];

/// The number of the row that is the `nth` of a kind; none where no row is of that kind.
pub fn nth_of(kind: Kind, nth: u64) -> Option<u64> {
    let places: Vec<u64> = (0..).zip(MIXED).filter(|(_, mixed)| *mixed == kind).map(|(place, _)| place).collect();
    let many = places.len() as u64;
    let place = places.get(usize::try_from(nth.checked_rem(many)?).ok()?)?;
    Some(nth / many * MIXED.len() as u64 + place)
}

/// The fact of a row. `edition` is 0 at first; another number changes a price or version, and nothing else.
///
/// # Errors
/// Never for the values made here; their types are read from JSON.
pub fn fact(words: &Vocabulary, seed: u64, row: u64, edition: u64) -> Result<Fact, Json> {
    let mut dice = Dice::new(seed, row);
    let mut draft = Draft::new(words, row, edition, &mut dice);
    match MIXED[(row % MIXED.len() as u64) as usize] {
        Kind::Document => draft.document(words, &mut dice),
        Kind::Model => draft.model(words, &mut dice),
        Kind::McpServer => draft.server(words, &mut dice),
        Kind::Skill => draft.skill(words, &mut dice),
        Kind::Tutorial => draft.tutorial(words, &mut dice),
        // No row is a framework: they come with the starter catalog.
        Kind::Tool | Kind::Framework => draft.tool(words, &mut dice),
    }
}

/// What all kinds have.
struct Draft {
    row: u64,
    edition: u64,
    vendor: String,
    name: String,
    description: String,
}

impl Draft {
    fn new(words: &Vocabulary, row: u64, edition: u64, dice: &mut Dice) -> Self {
        let vendor = format!("{}-labs", words.name(&mut Dice::new(row % VENDORS, 1)));
        let name = format!("{}-{}", words.name(dice), words.name(dice));
        let length = dice.between(DESCRIPTION_WORDS);
        Self { row, edition, vendor, name, description: words.prose(dice, length) }
    }

    fn document(&mut self, words: &Vocabulary, dice: &mut Dice) -> Result<Fact, Json> {
        let length = dice.between(DOCUMENT_WORDS);
        let mut headings = Vec::new();
        let mut markdown = format!("# {}\n", self.title());
        let mut left = length;
        while left > 0 {
            let section = dice.between((80, 200)).min(left);
            let heading = words.prose(dice, 3).trim_end_matches('.').to_owned();
            let slug = heading.to_lowercase().replace(' ', "-");
            markdown.push_str(&format!("\n## {heading}\n\n{}\n", words.prose(dice, section)));
            headings.push(json!({ "level": 2, "text": heading, "slug": slug }));
            left -= section;
        }
        if self.edition > 0 {
            markdown.push_str(&format!("\nEdition {}.\n", self.edition));
        }
        let path = format!("docs/{}/{}-{}.md", dice.pick(&CATEGORIES), self.name, self.row);
        let bytes = markdown.len();
        let fields: Document = read(json!({
            "summary": self.description, "path": path, "section": dice.pick(&CATEGORIES), "bytes": bytes,
            "token_estimate": bytes / 4, "headings": headings,
        }))?;
        Ok(self.fact(path, Item::Document(fields), Record::Bytes(markdown.into()), Body::Record))
    }

    fn model(&mut self, _: &Vocabulary, dice: &mut Dice) -> Result<Fact, Json> {
        let key = format!("{}/{}-{}b-{}", self.vendor, self.name, dice.between((1, 400)), self.row);
        let context = 1_u64 << dice.between((12, 20));
        let price = |cents: u64| format!("{}.{:02}", cents / 100, cents % 100);
        let (input, output) = (dice.between((1, 900)) + self.edition % 7, dice.between((10, 4_000)));
        let fields = json!({
            "family": self.name, "description": self.description, "mode": "chat", "released_on": self.date(dice),
            "limits": { "context_tokens": context, "output_tokens": context / 4 },
            "modalities": { "input": ["text", "image"], "output": ["text"] },
            "capabilities": { "tool_call": dice.below(2) == 0, "reasoning": dice.below(3) == 0, "streaming": true },
            "pricing": { "input": price(input), "output": price(output) },
        });
        let record = Record::of_json(&json!({ "id": key, "fields": fields, "edition": self.edition }))?;
        let mut fact = self.fact(key.clone(), Item::Model(read(fields)?), record, Body::None);
        fact.identity.provider = Some(self.vendor.clone());
        fact.identity.maker = Some(self.vendor.clone());
        fact.identity.api_model_id = Some(key);
        Ok(fact)
    }

    fn server(&mut self, words: &Vocabulary, dice: &mut Dice) -> Result<Fact, Json> {
        let key = format!("io.example.{}/{}-{}", self.vendor, self.name, self.row);
        let repository = format!("https://github.com/{}/{}-{}", self.vendor, self.name, self.row);
        let tools: Vec<Value> = (0..dice.below(6))
            .map(|at| json!({ "name": format!("{}_{at}", words.name(dice)), "description": words.prose(dice, 8) }))
            .collect();
        let fields: McpServer = read(json!({
            "name": key, "description": self.description, "version": format!("1.{}.{}", dice.below(30), self.edition % 1_000),
            "repository": { "url": repository, "source": "github" }, "is_latest": true, "tools": tools,
            "packages": [{ "registryType": "npm", "identifier": format!("@{}/{}", self.vendor, self.name), "transport": { "type": "stdio" } }],
            "category": dice.pick(&CATEGORIES),
        }))?;
        let item = Item::McpServer(fields);
        let record = Record::of_json(&json!({ "name": key, "fields": item.to_json()? }))?;
        let mut fact = self.fact(key, item, record, Body::None);
        fact.identity.repository = Some(repository);
        Ok(fact)
    }

    fn tool(&mut self, _: &Vocabulary, dice: &mut Dice) -> Result<Fact, Json> {
        let key = format!("{}-{}", self.name, self.row);
        let fields: Tool = read(json!({
            "category": dice.pick(&CATEGORIES), "description": self.description, "license": dice.pick(&["MIT", "Apache-2.0"]),
            "homepage_url": format!("https://{key}.example"), "platforms": ["linux", "macos"],
            "install": [{ "manager": "npm", "command": format!("npm install {key}@{}", self.edition) }],
            "environment_variables": [{ "name": format!("{}_TOKEN", self.name.replace('-', "_").to_uppercase()), "secret": true }],
        }))?;
        let item = Item::Tool(fields);
        let record = Record::of_json(&json!({ "id": key, "fields": item.to_json()? }))?;
        Ok(self.fact(key, item, record, Body::None))
    }

    fn skill(&mut self, words: &Vocabulary, dice: &mut Dice) -> Result<Fact, Json> {
        let key = format!("skills/{}-{}", self.name, self.row);
        let markdown = self.body(words, dice);
        let fields: Skill = read(json!({
            "name": self.name, "description": self.description, "license": "MIT", "token_estimate": markdown.len() / 4,
            "repository": { "url": format!("https://github.com/{}/skills", self.vendor), "path": key },
            "files": [{ "path": "SKILL.md", "bytes": markdown.len(), "digest": format!("sha256:{:064x}", dice.next()) }],
        }))?;
        Ok(self.fact(key, Item::Skill(fields), Record::Bytes(markdown.into()), Body::Record))
    }

    fn tutorial(&mut self, words: &Vocabulary, dice: &mut Dice) -> Result<Fact, Json> {
        let key = format!("tutorials/{}-{}.md", self.name, self.row);
        let markdown = self.body(words, dice);
        let fields: Tutorial = read(json!({
            "summary": self.description, "topics": [dice.pick(&CATEGORIES), dice.pick(&CATEGORIES)], "format": "markdown",
            "authors": [self.vendor], "published_on": self.date(dice), "path": key,
        }))?;
        Ok(self.fact(key, Item::Tutorial(fields), Record::Bytes(markdown.into()), Body::Record))
    }

    fn body(&self, words: &Vocabulary, dice: &mut Dice) -> String {
        let length = dice.between(BODY_WORDS);
        format!("# {}\n\n{}\n\nEdition {}.\n", self.title(), words.prose(dice, length), self.edition)
    }

    fn date(&self, dice: &mut Dice) -> String {
        format!("20{}-{:02}-{:02}", 22 + self.row % 4, dice.between((1, 12)), dice.between((1, 28)))
    }

    fn title(&self) -> String {
        self.name.split('-').map(capital).collect::<Vec<_>>().join(" ")
    }

    fn fact(&self, key: String, item: Item, record: Record, body: Body) -> Fact {
        Fact {
            head: Head {
                id: key.clone(),
                name: format!("{} {}", self.title(), self.row),
                vendor: Some(self.vendor.clone()),
                status: Status::Active,
                aliases: vec![format!("{}/{}/{}", self.vendor, self.name, self.row)],
                ..Head::default()
            },
            source_url: format!("https://example.com/{key}"),
            identity: Identity::default(),
            provenance: Provenance::default(),
            checked_on: None,
            key,
            item,
            record,
            body,
        }
    }
}

fn read<T: DeserializeOwned>(fields: Value) -> Result<T, Json> {
    serde_json::from_value(fields)
}
