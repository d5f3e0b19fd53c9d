//! The small catalog of the serving tests: two sources, some items of every kind, and among them what answers have to get right:
//! a stale one, a removed one, a conflict, ids with a `/`, an alias of two items, bodies that are there and bodies that are not.

use std::sync::Arc;

use refdesk_core::fact::{Identity, Provenance, SourceInfo, StaleReason, Standing, StoredFact, Text};
use refdesk_core::item::{
    AntiExample, Capabilities, Command, Document, Domain, EnvironmentVariable, Framework, Head, Heading, Input,
    Install, Item, Limits, McpRepository, McpServer, McpSupport, McpTool, McpVersion, Modalities, Model, Origin,
    OtherPrice, Output, PriceTier, Pricing, Prompt, Skill, SkillFile, SkillRepository, Status, Tool, TrustTier,
    Tutorial,
};
use refdesk_core::{HashBasis, Kind, Usd};
use serde_json::{Value, json};

use super::{Bodies, DAY, NOW};

/// The raw page behind `/v1/documents/guide-start`.
pub const GUIDE: &str = "---\ntitle: Getting started\n---\n# Getting started\n\nInstall the *desk* and ask it.\n\n```sh\nrefdesk serve\n```\n";
/// The raw `SKILL.md` behind `/v1/skills/pdf-forms`.
pub const SKILL: &str =
    "---\nname: pdf-forms\ndescription: Fill forms in PDF files\n---\n# PDF forms\n\nOpen the file, list its fields.\n";
/// The Markdown made of the notebook behind `/v1/tutorials/first-agent`.
pub const TUTORIAL: &str = "# Your first agent\n\nAn agent is a loop.\n";
/// The notebook itself.
pub const NOTEBOOK: &str = r##"{"cells":[{"cell_type":"markdown","source":["# Your first agent"]}]}"##;

/// The two sources; the first one's word counts.
pub fn sources() -> Vec<SourceInfo> {
    let source = |id: &str, rank: i32, license: Option<&str>| SourceInfo {
        id: id.into(),
        name: format!("Source {id}"),
        license: license.map(Into::into),
        attribution: license.is_none().then(|| format!("Data of {id}")),
        trust_tier: TrustTier::Community,
        rank,
        stale_after_secs: 7 * DAY,
        ..SourceInfo::default()
    };
    vec![source("first", 1, Some("MIT")), source("second", 2, None)]
}

/// A fact of the first source that was verified a day ago.
pub fn fact(key: &str, id: &str, name: &str, item: &Item) -> StoredFact {
    let Ok(Value::Object(fields)) = item.to_json() else { unreachable!("fields are an object") };
    let seen = NOW.plus_secs(-DAY);
    StoredFact {
        row: 0,
        statement: 0,
        source_id: Arc::from("first"),
        kind: item.kind(),
        key: key.into(),
        head: Head {
            id: id.into(),
            name: name.into(),
            vendor: Some("Acme".into()),
            status: Status::Active,
            ..Head::default()
        },
        fields: fields.into(),
        source_url: format!("https://acme.example/{key}"),
        content_hash: refdesk_core::hash::content_hash(key.as_bytes()),
        hash_basis: HashBasis::Record,
        has_body: false,
        body_missing: None,
        body_text: Text::default(),
        identity: Identity::default(),
        pending: Vec::new(),
        provenance: Provenance::default(),
        standing: Standing {
            first_seen_at: NOW.plus_secs(-30 * DAY),
            last_synced_at: seen,
            last_verified_at: Some(seen),
            removed_at: None,
            changed_at: NOW.plus_secs(-30 * DAY),
            held_back: None,
            restated: true,
        },
    }
}

/// All facts.
pub fn facts() -> Vec<StoredFact> {
    let mut facts = models();
    facts.extend(tools_and_skills());
    facts.extend(tutorials());
    facts.extend(servers());
    facts.extend(documents());
    facts.extend([premortem(), five_whys(), candidate()]);
    facts
}

/// Gives the body reader the texts.
pub fn fill(bodies: &Bodies) {
    bodies.put(Kind::Document, "guide/start.md", GUIDE, GUIDE.as_bytes());
    bodies.put(Kind::Skill, "skills/pdf-forms", SKILL, SKILL.as_bytes());
    bodies.put(Kind::Tutorial, "notebooks/first-agent.ipynb", TUTORIAL, NOTEBOOK.as_bytes());
}

fn nova() -> Model {
    Model {
        family: Some("nova".into()),
        description: Some("A model for <b>long</b> documents & careful work".into()),
        released_on: Some("2026-03-01".into()),
        open_weights: Some(false),
        limits: Limits { context_tokens: Some(200_000), input_tokens: None, output_tokens: Some(8_192) },
        modalities: Modalities { input: vec!["text".into(), "image".into()], output: vec!["text".into()] },
        capabilities: Capabilities { tool_call: Some(true), reasoning: Some(false), ..Capabilities::default() },
        pricing: Some(Pricing {
            input: Usd::parse("0.15"),
            output: Usd::parse("0"),
            tiers: vec![PriceTier { above_context_tokens: 128_000, input: Usd::parse("0.3"), ..PriceTier::default() }],
            other: vec![OtherPrice { meter: "web_search".into(), unit: "query".into(), price: Usd::parse("0.01") }],
            ..Pricing::default()
        }),
        mode: Some("chat".into()),
        ..Model::default()
    }
}

fn models() -> Vec<StoredFact> {
    let seller = |provider: &str, id: &str| Identity {
        provider: Some(provider.into()),
        api_model_id: Some(id.into()),
        maker: Some("acme".into()),
        ..Identity::default()
    };
    let mut first = fact("acme/nova-2", "nova-2", "Nova 2", &Item::Model(nova()));
    first.identity = Identity { provider: None, ..seller("acme", "acme/nova-2") };
    let mut other = fact(
        "acme/nova-2-listing",
        "nova-2",
        "Nova Two",
        &Item::Model(Model {
            limits: Limits { context_tokens: Some(180_000), ..Limits::default() },
            license: Some("proprietary".into()),
            ..Model::default()
        }),
    );
    other.source_id = Arc::from("second");
    other.identity = Identity { provider: None, ..seller("acme", "acme/nova-2") };
    let mut resold = fact("market/acme/nova-2", "nova-2", "Nova 2 (market)", &Item::Model(nova()));
    resold.source_id = Arc::from("second");
    resold.identity = seller("market", "acme/nova-2");
    let mut stale = fact("acme/orbit-1", "orbit-1", "Orbit 1", &Item::Model(Model::default()));
    stale.standing.last_verified_at = Some(NOW.plus_secs(-8 * DAY));
    let mut removed = fact("acme/pulsar-1", "pulsar-1", "Pulsar 1", &Item::Model(Model::default()));
    removed.standing.removed_at = Some(NOW.plus_secs(-DAY));
    let mut plain = Vec::new();
    for (key, id, name) in [("acme/alto-1", "alto-1", "Alto 1"), ("acme/zenith-9", "zenith-9", "Zenith 9")] {
        let mut fact = fact(key, id, name, &Item::Model(Model { family: Some("nova".into()), ..Model::default() }));
        fact.head.vendor = None;
        plain.push(fact);
    }
    let mut all = vec![first, other, resold, stale, removed];
    all.extend(plain);
    all
}

fn tools_and_skills() -> Vec<StoredFact> {
    let hammer = Tool {
        category: Some("coding-agent".into()),
        description: Some("Hits nails in large code bases".into()),
        homepage_url: Some("https://acme.example/hammer".into()),
        install: vec![Install { manager: "npm".into(), command: "npm install -g hammer".into() }],
        commands: vec![Command { name: "hit".into(), summary: Some("Hit a nail".into()), usage: None }],
        supported_models: vec!["nova-2".into()],
        environment_variables: vec![EnvironmentVariable {
            name: "HAMMER_KEY".into(),
            secret: Some(true),
            ..Default::default()
        }],
        mcp_support: Some(McpSupport { client: Some(true), server: None, transports: vec!["stdio".into()] }),
        platforms: vec!["linux".into()],
        input_schema: Some(json!({"type": "object"})),
        ..Tool::default()
    };
    let forms = Skill {
        name: "pdf-forms".into(),
        description: Some("Fill forms in PDF files".into()),
        metadata: Some(json!({"author": "acme"})),
        allowed_tools: vec!["Read".into()],
        repository: Some(SkillRepository {
            url: Some("https://github.com/acme/skills".into()),
            path: Some("skills/pdf-forms".into()),
            ..SkillRepository::default()
        }),
        files: vec![SkillFile {
            path: "SKILL.md".into(),
            bytes: SKILL.len() as u64,
            digest: refdesk_core::hash::content_hash(SKILL.as_bytes()),
        }],
        token_estimate: Some(24),
        ..Skill::default()
    };
    let mut skill = fact("skills/pdf-forms", "pdf-forms", "PDF forms", &Item::Skill(forms));
    skill.hash_basis = HashBasis::Bytes;
    skill.content_hash = refdesk_core::hash::content_hash(SKILL.as_bytes());
    skill.has_body = true;
    vec![
        fact("hammer", "hammer", "Hammer", &Item::Tool(hammer)),
        fact("saw", "saw", "Saw", &Item::Tool(Tool::default())),
        skill,
    ]
}

fn tutorials() -> Vec<StoredFact> {
    let agent = Tutorial {
        summary: Some("Build an agent loop".into()),
        topics: vec!["agents".into()],
        authors: vec!["A. Author".into()],
        published_on: Some("2026-01-02".into()),
        format: Some("notebook".into()),
        ..Tutorial::default()
    };
    let mut with = fact("notebooks/first-agent.ipynb", "first-agent", "Your first agent", &Item::Tutorial(agent));
    with.head.language = Some("en".into());
    with.hash_basis = HashBasis::Bytes;
    with.content_hash = refdesk_core::hash::content_hash(NOTEBOOK.as_bytes());
    with.has_body = true;
    let mut without = fact("evals", "evals", "Evaluations by hand", &Item::Tutorial(Tutorial::default()));
    without.body_missing = Some("the source lists the page and does not carry it".into());
    vec![with, without]
}

fn servers() -> Vec<StoredFact> {
    let server = |version: &str| McpServer {
        name: Some("io.github.acme/files".into()),
        description: Some("Reads and writes files".into()),
        version: Some(version.into()),
        repository: Some(McpRepository {
            url: Some("https://github.com/acme/files".into()),
            source: Some("github".into()),
            ..McpRepository::default()
        }),
        packages: vec![json!({"registryType": "npm", "identifier": "@acme/files"})],
        published_at: Some(NOW.plus_secs(-3 * DAY)),
        is_latest: Some(true),
        supported_models: vec!["nova-2".into()],
        tools: vec![McpTool { name: "read_file".into(), description: Some("Read a file".into()) }],
        ..McpServer::default()
    };
    let repository = || Some("https://github.com/acme/files".to_owned());
    let mut first = fact("io.github.acme/files", "files", "Files", &Item::McpServer(server("1.2.0")));
    first.identity = Identity {
        repository: repository(),
        versions: vec![
            McpVersion { version: "1.2.0".into(), is_latest: Some(true), ..McpVersion::default() },
            McpVersion { version: "1.1.0".into(), is_latest: Some(false), ..McpVersion::default() },
        ],
        ..Identity::default()
    };
    let mut second = fact("acme-files", "acme-files", "Acme Files", &Item::McpServer(server("1.1.0")));
    second.source_id = Arc::from("second");
    second.source_url = "https://second.example/acme-files".into();
    second.identity = Identity { repository: repository(), ..Identity::default() };
    let mut all = vec![first, second];
    for key in ["io.github.one/maps", "io.github.two/maps"] {
        let mut fact = fact(key, key, "Maps", &Item::McpServer(McpServer::default()));
        fact.head.aliases = vec!["Maps Server".into()];
        all.push(fact);
    }
    all[2].standing.held_back = Some(StaleReason::ParseFailed);
    all
}

/// The facts of the documents; their bodies are in [`fill`].
fn documents() -> Vec<StoredFact> {
    let guide = Document {
        summary: Some("How to start".into()),
        path: Some("guide/start.md".into()),
        section: Some("guide".into()),
        bytes: Some(GUIDE.len() as u64),
        headings: vec![Heading { level: 1, text: "Getting started".into(), slug: "getting-started".into() }],
        canonical_url: Some("https://acme.example/docs/start".into()),
        ..Document::default()
    };
    let mut start = fact("guide/start.md", "guide-start", "Getting started", &Item::Document(guide));
    start.hash_basis = HashBasis::Bytes;
    start.content_hash = refdesk_core::hash::content_hash(GUIDE.as_bytes());
    start.has_body = true;
    start.body_text = refdesk_core::text::plain(GUIDE).into();
    start.head.language = Some("en".into());
    let bare = fact("guide/bare.md", "guide-bare", "Bare page", &Item::Document(Document::default()));
    vec![start, bare]
}

pub fn card(id: &str, name: &str, domain: Domain, summary: &str) -> Framework {
    let _ = (id, name);
    Framework {
        domain,
        secondary_domains: Vec::new(),
        summary: summary.into(),
        when_to_use: Vec::new(),
        when_not_to_use: Vec::new(),
        example_questions: Vec::new(),
        anti_examples: Vec::new(),
        inputs: Vec::new(),
        steps: Vec::new(),
        output: None,
        quality_checks: Vec::new(),
        failure_modes: Vec::new(),
        origin: None,
        prompt: None,
    }
}

fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

fn published(fact: StoredFact) -> StoredFact {
    let head = Head { status: Status::Published, ..fact.head };
    StoredFact { head, ..fact }
}

fn premortem() -> StoredFact {
    let text = "Imagine that {{plan}} has failed. List why.".to_owned();
    let framework = Framework {
        secondary_domains: vec![Domain::Decision],
        when_to_use: texts(&["Before a launch that must not fail", "A plan looks too good", "A team hides its doubts"]),
        when_not_to_use: texts(&["After the failure has happened"]),
        example_questions: texts(&[
            "What could go wrong with our launch?",
            "How do we find the risks of this plan before we start?",
            "Why might this project fail?",
        ]),
        anti_examples: vec![AntiExample { question: "Why did it fail?".into(), better: "five-whys".into() }],
        inputs: vec![Input { name: "plan".into(), required: true, description: "The plan".into() }],
        steps: texts(&["Imagine the failure", "Write down the reasons", "Rank them", "Change the plan"]),
        output: Some(Output { artifact: "risk list".into(), template_markdown: "| risk | cause |".into() }),
        quality_checks: texts(&["Every risk has a cause"]),
        failure_modes: texts(&["Politeness"]),
        origin: Some(Origin { author: Some("G. Klein".into()), year: Some(2007), work: None, url: None }),
        prompt: Some(Prompt {
            version: "1".into(),
            sha256: refdesk_core::hash::hex(&[0; 32]),
            text,
            variables: texts(&["plan"]),
        }),
        ..card(
            "premortem",
            "Premortem",
            Domain::Risk,
            "Imagine that the plan has failed, and find out why before it starts",
        )
    };
    let mut fact = published(fact("premortem", "premortem", "Premortem", &Item::Framework(framework)));
    fact.head.aliases = texts(&["pre-mortem analysis"]);
    fact
}

fn five_whys() -> StoredFact {
    let framework = Framework {
        when_to_use: texts(&["Something broke and the cause is hidden"]),
        example_questions: texts(&["Why did the server crash again?", "What is the root cause of this defect?"]),
        steps: texts(&["State the problem", "Ask why five times"]),
        ..card("five-whys", "Five whys", Domain::ProblemSolving, "Ask why until the root cause of a defect shows")
    };
    published(fact("five-whys", "five-whys", "Five whys", &Item::Framework(framework)))
}

fn candidate() -> StoredFact {
    let framework = card("draft-canvas", "Draft canvas", Domain::Product, "A canvas in the making");
    let mut fact = fact("draft-canvas", "draft-canvas", "Draft canvas", &Item::Framework(framework));
    fact.head.status = Status::Candidate;
    fact
}
