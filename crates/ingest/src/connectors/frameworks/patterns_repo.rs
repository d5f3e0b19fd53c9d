//! `patterns-repo`: a repository of prompts, `patterns/<name>/system.md`, and `strategies/*.json`, as fabric keeps them. Candidates only.
//!
//! The prompt is the file as it stands. Summaries and tags come from `pattern_descriptions.json`; descriptions of patterns that are
//! not there are rejects, because the upstream lists them. A repository may hold the table several times (for its site): the first one
//! by path counts, and second descriptions are counted, as are all other files.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;
use refdesk_core::field_names::sentence;
use refdesk_core::item::{Domain, Framework, Head, Input, Item, Output};
use refdesk_core::text::headings;
use refdesk_core::{Covers, Fact, Kind, Record, Reject, clean, text};

use crate::connectors::formats::headings::split;
use crate::connectors::formats::json_fields::{self as fields, required, texts};
use crate::connectors::formats::json_text;
use crate::connectors::frameworks::framework_source::{self, family, outline, prompt, vendor};
use crate::connectors::repository::license;
use crate::connectors::repository::repo::{
    self, Checkout, Repository, Tree, TreeReader, folder_of, open_tarball, utf8,
};
use crate::connectors::{Batch, Connector, CountMethod, ParseError, Reread, StoredKey, TarballRule, Target};

/// What ids start with, unless the option `prefix` says otherwise.
const FAMILY: &str = "fabric";
/// The prompt's file in a pattern's folder.
const PROMPT_FILE: &str = "/system.md";
/// The file with all descriptions.
const DESCRIPTIONS: &str = "pattern_descriptions.json";
/// Most characters of a summary that is cut out of a prompt.
const SUMMARY_CHARS_MAX: usize = 300;
/// Most steps that are read out of a prompt.
const STEPS_MAX: usize = 40;
/// The version that stands beside a prompt: the upstream numbers none.
const PROMPT_VERSION: &str = "1";
/// The domain of a pattern by its tags; the first tag of this table that the pattern has decides.
const DOMAINS: [(&str, Domain); 19] = [
    ("SECURITY", Domain::Security),
    ("DEVELOPMENT", Domain::Engineering),
    ("DEVOPS", Domain::Engineering),
    ("STRATEGY", Domain::Strategy),
    ("BUSINESS", Domain::Strategy),
    ("LEARNING", Domain::Learning),
    ("SELF", Domain::People),
    ("CR THINKING", Domain::Thinking),
    ("WISDOM", Domain::Thinking),
    ("RESEARCH", Domain::Research),
    ("EXTRACT", Domain::Research),
    ("SUMMARIZE", Domain::Research),
    ("WRITING", Domain::Communication),
    ("VISUALIZE", Domain::Communication),
    ("VISUALIZATION", Domain::Communication),
    ("CREATIVITY", Domain::Creativity),
    ("GAMING", Domain::Creativity),
    ("AI", Domain::AgentWorkflow),
    ("CONVERSION", Domain::Productivity),
];

/// The connector.
pub const CONNECTOR: Connector = Connector {
    name: "patterns-repo",
    kinds: &[Kind::Framework],
    description: "A repository of prompts as fabric keeps them: patterns/<name>/system.md and strategies/*.json",
    options: &[
        repo::OPTIONS[0],
        repo::OPTIONS[1],
        ("prefix", "what the ids start with; default: fabric"),
        ("vendor", "publisher of the patterns; default: the owner of the repository"),
    ],
    count: CountMethod::Tarball(TarballRule::Patterns),
    open: |target| Ok(open_tarball(target, PatternReader { target: target.clone() })),
    reread,
    ..Connector::ARCHIVE
};

fn reread(target: &Target, stored: StoredKey<'_>, record: &[u8]) -> Result<Reread, String> {
    // A licence that withholds the text lowers the status, and it is in another file.
    let reader = PatternReader { target: target.clone() };
    let (repository, bytes) = (Repository::from_target(target), Bytes::copy_from_slice(record));
    if let Some(name) = pattern_name(stored.key) {
        let fact = reader.pattern(&repository, stored.key, name, &bytes, None)?;
        return Ok(Reread { fact, not_in_record: &["summary", "domain", "status"] });
    }
    let name = strategy_name(stored.key).ok_or_else(|| format!("`{}` is no pattern and no strategy", stored.key))?;
    let fact = reader.strategy(&repository, stored.key, name, &bytes)?;
    Ok(Reread { fact, not_in_record: &["status"] })
}

struct PatternReader {
    target: Target,
}

/// What the table of descriptions says of a pattern.
struct Description {
    summary: Option<String>,
    tags: Vec<String>,
}

impl TreeReader for PatternReader {
    fn wants(&self, path: &str) -> bool {
        pattern_name(path).is_some()
            || strategy_name(path).is_some()
            || path.ends_with(DESCRIPTIONS)
            || license::is_file(path)
    }

    fn read(&self, checkout: &Checkout) -> Result<Batch, ParseError> {
        let Checkout { repository, tree, licences } = checkout;
        let mut batch = Batch::default();
        let Descriptions { described, broken } = descriptions(tree, &mut batch);
        let mut used: BTreeSet<&str> = BTreeSet::new();
        for (path, bytes) in &tree.files {
            let read = match (pattern_name(path), strategy_name(path)) {
                (Some(name), _) => {
                    let description = described.get(name);
                    used.extend(description.map(|_| name));
                    self.pattern(repository, path, name, bytes, description)
                }
                (None, Some(name)) => self.strategy(repository, path, name, bytes),
                (None, None) => continue,
            };
            let licence = licences.of_item(folder_of(path), None);
            let read = read
                .map(|fact| license::applied(licence, fact, self.target.serve_restricted))
                .map_err(|reason| Reject::new(path, format!("{path} {reason}"), &String::from_utf8_lossy(bytes)));
            batch.take(read);
        }
        batch.leave_out("descriptions that became part of a pattern", used.len());
        for (name, description) in described.iter().filter(|(name, _)| !used.contains(name.as_str())) {
            let reason =
                format!("{DESCRIPTIONS} describes `{name}`, but the repository has no patterns/{name}/system.md");
            let summary = description.summary.as_deref().unwrap_or_default();
            batch.take(Err(Reject::new(format!("description of {name}"), reason, summary)));
        }
        let is_item =
            |path: &str| pattern_name(path).is_some() || strategy_name(path).is_some() || broken.contains(path);
        let is_wanted = |path: &str| is_item(path) || path.ends_with(DESCRIPTIONS);
        tree.reject_refused(&mut batch, |path| is_wanted(path).then_some(Covers::SameKey));
        let is_item = |path: &str| is_item(path) || tree.refused.contains_key(path) && is_wanted(path);
        tree.leave_out(&mut batch, is_item, "symbolic links to patterns", left_out_as);
        batch.with_facts("no pattern could be read; expected patterns/<name>/system.md")
    }
}

impl PatternReader {
    /// The fact of a file, with the status that its fields earn.
    fn fact(&self, repository: &Repository, path: &str, bytes: &Bytes, head: Head, framework: Framework) -> Fact {
        let head = Head {
            vendor: vendor(&self.target, repository.url.as_deref()),
            status: framework.publication_score().status(),
            ..head
        };
        let (record, page) = (Record::Bytes(bytes.clone()), repository.file_page(path));
        Fact { head, ..Fact::new(path, Item::Framework(framework), record, page) }
    }

    fn id(&self, own: &str) -> String {
        framework_source::id(&family(&self.target, FAMILY), own)
    }

    fn pattern(
        &self,
        repository: &Repository,
        path: &str,
        name: &str,
        bytes: &Bytes,
        description: Option<&Description>,
    ) -> Result<Fact, String> {
        let markdown = utf8(bytes)?;
        if markdown.trim().is_empty() {
            return Err("is empty".into());
        }
        let tags = description.map(|description| description.tags.as_slice()).unwrap_or_default();
        let own = description.and_then(|description| description.summary.clone());
        let mut framework = outline(domain(tags), own.unwrap_or_else(|| first_paragraph(markdown)));
        let sections = sections(markdown);
        let section =
            |test: fn(&str) -> bool| sections.iter().find(|(title, _)| test(title)).map(|(_, body)| body.as_str());
        framework.steps = section(|title| title == "steps").map(bullets).unwrap_or_default();
        let form =
            section(|title| matches!(title, "output" | "output format" | "output instructions" | "output sections"));
        framework.output = form.map(|form| Output { artifact: title(name), template_markdown: form.trim().to_owned() });
        let made = prompt(PROMPT_VERSION, markdown.to_owned());
        framework.inputs = std::iter::once("input".to_owned())
            .chain(made.variables.iter().filter(|variable| *variable != "input").cloned())
            .map(|name| Input {
                required: true,
                description: if name == "input" {
                    "The text to work on; it follows the prompt".into()
                } else {
                    format!("The value of {{{{{name}}}}} in the prompt")
                },
                name,
            })
            .collect();
        framework.prompt = Some(made);
        let (id, aliases) = (self.id(&name.replace('_', "-")), vec![name.to_owned()]);
        let head = Head { id, name: title(name), aliases, ..Head::default() };
        Ok(self.fact(repository, path, bytes, head, framework))
    }

    fn strategy(&self, repository: &Repository, path: &str, name: &str, bytes: &Bytes) -> Result<Fact, String> {
        let value = json_text::value(json_text::without_mark(bytes))?;
        let value = value.as_object().ok_or("is not a JSON object")?;
        let shown = clean::line(required(value, "description")?);
        let text = required(value, "prompt")?;
        // The description is the name; the prompt tells what is done.
        let mut framework = outline(Domain::AgentWorkflow, clean::excerpt(text, SUMMARY_CHARS_MAX));
        framework.prompt = Some(prompt(PROMPT_VERSION, text.to_owned()));
        let head = Head { id: self.id(&format!("strategy-{name}")), name: shown, ..Head::default() };
        Ok(self.fact(repository, path, bytes, head, framework))
    }
}

/// `<name>` of `…patterns/<name>/system.md`.
fn pattern_name(path: &str) -> Option<&str> {
    let (above, name) = path.strip_suffix(PROMPT_FILE)?.rsplit_once('/')?;
    (above == "patterns" || above.ends_with("/patterns")).then_some(name)
}

/// `<name>` of `…strategies/<name>.json`.
fn strategy_name(path: &str) -> Option<&str> {
    let (above, name) = path.strip_suffix(".json")?.rsplit_once('/')?;
    (above == "strategies" || above.ends_with("/strategies")).then_some(name)
}

/// What a file that is no item is counted as.
fn left_out_as(path: &str) -> &'static str {
    match repo::file_name(path) {
        DESCRIPTIONS => "tables of descriptions",
        "user.md" => "user prompts of patterns (user.md)",
        _ if license::is_file(path) => "licence files",
        _ => "files that are not patterns",
    }
}

/// The descriptions of patterns, and the tables that cannot be read.
struct Descriptions {
    described: BTreeMap<String, Description>,
    broken: BTreeSet<String>,
}

/// The descriptions by pattern. One without a name and an unreadable table are rejects.
fn descriptions(tree: &Tree, batch: &mut Batch) -> Descriptions {
    let (mut described, mut broken) = (BTreeMap::new(), BTreeSet::new());
    let tables = tree.files.iter().filter(|(path, _)| path.ends_with(DESCRIPTIONS));
    for (path, bytes) in tables {
        let table = json_text::object(bytes, DESCRIPTIONS);
        let Ok(listed) = table.and_then(|table| json_text::list_in(&table, "patterns", DESCRIPTIONS)) else {
            broken.insert(path.clone());
            let reason = format!("{path} is not a JSON object with a list `patterns`");
            batch.take(Err(Reject::new(path, reason, &String::from_utf8_lossy(bytes))));
            continue;
        };
        for (position, entry) in listed.into_iter().enumerate() {
            let read = json_text::read(entry, |entry| {
                let stated = entry.as_object().ok_or("`patternName` is missing or no text")?;
                let name = fields::text(stated, "patternName").ok_or("`patternName` is missing or no text")?;
                let summary = fields::text(stated, "description").map(clean::line);
                Ok((name.to_owned(), Description { summary, tags: texts(stated, "tags") }))
            });
            match read {
                Ok((name, _)) if described.contains_key(&name) => {
                    batch.leave_out("second descriptions of a pattern", 1);
                }
                Ok((name, description)) => {
                    described.insert(name, description);
                }
                Err(reason) => {
                    let key = format!("{path} item {}", position + 1);
                    batch.take(Err(Reject::new(key, reason, &json_text::shown(entry))));
                }
            }
        }
    }
    Descriptions { described, broken }
}

fn domain(tags: &[String]) -> Domain {
    let known = DOMAINS.iter().find(|(name, _)| tags.iter().any(|tag| tag.eq_ignore_ascii_case(name)));
    known.map_or(Domain::Thinking, |(_, domain)| *domain)
}

/// `create_quiz` is shown as `Create quiz`.
fn title(name: &str) -> String {
    sentence(&name.replace(['_', '-'], " "))
}

/// The sections of a prompt: folded title without a colon, and text up to the next heading.
fn sections(markdown: &str) -> Vec<(String, String)> {
    let below_headings = split(markdown, |_| true).into_iter().skip(1);
    let folded = |title: &str| headings::plain(title).trim_end_matches(':').trim().to_lowercase();
    below_headings.map(|(title, body)| (folded(title), body)).collect()
}

/// The bullets and numbered lines of a section that are not below others.
fn bullets(section: &str) -> Vec<String> {
    let top = section.lines().filter_map(|line| {
        let numbered = line.trim_start_matches(|c: char| c.is_ascii_digit());
        let after_number = (numbered.len() < line.len()).then(|| numbered.strip_prefix(['.', ')'])).flatten();
        line.strip_prefix(['-', '*']).or(after_number).and_then(|rest| rest.strip_prefix(' '))
    });
    top.map(|step| clean::line(&text::plain(step))).filter(|step| !step.is_empty()).take(STEPS_MAX).collect()
}

/// The first prose of a prompt, cut to a summary.
fn first_paragraph(markdown: &str) -> String {
    let prose =
        markdown.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with(['#', '/', '`', '-', '*']));
    clean::excerpt(&text::plain(prose.unwrap_or(markdown)), SUMMARY_CHARS_MAX)
}
