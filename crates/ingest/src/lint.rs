//! What a set of framework cards must keep to beyond being readable: completeness, words of their own, links that resolve.
//!
//! [`lint_frameworks`] is `refdesk frameworks lint DIR`; the bundled catalog passes it in a test. Measures and bounds are the
//! constants below; `docs/manual/frameworks.md` explains them to authors.

mod overlap;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};

use bytes::Bytes;
use refdesk_core::Fact;
use refdesk_core::item::{Framework, Head, Item, PublicationScore, Status};

use crate::bundled;
use crate::connectors::cards::{is_card_path, read_frameworks, variables};
use crate::connectors::formats::tree::is_hidden;

/// Most card files that are read from one folder, and how deep folders may nest.
const FILES_MAX: usize = 5_000;
const DEPTH_MAX: usize = 8;

/// Something to mend in a card.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
pub struct Finding {
    /// The card's file, below the folder.
    pub file: String,
    /// What is wrong and what to do, in a sentence.
    pub message: String,
}

impl std::fmt::Display for Finding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.file, self.message)
    }
}

/// What was checked, and what is to be mended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Linted {
    /// Framework cards, those among them that cannot be read.
    pub cards: usize,
    /// What is to be mended, by file.
    pub findings: Vec<Finding>,
}

/// A framework card and the file it stands in.
struct CheckedCard {
    file: String,
    id: String,
    head: Head,
    framework: Framework,
}

/// Reads every framework card below a folder and checks them one by one and against each other.
///
/// # Errors
/// When the folder cannot be read or holds too many files.
pub fn lint_frameworks(dir: &Path) -> std::io::Result<Linted> {
    let mut paths = Vec::new();
    walk(dir, 0, &mut paths)?;
    paths.sort();
    let mut files = Vec::new();
    for path in paths {
        let name = path.strip_prefix(dir).unwrap_or(&path).to_string_lossy().replace('\\', "/");
        files.push((name, Bytes::from(std::fs::read(&path)?)));
    }
    Ok(linted(&files))
}

fn linted(files: &[(String, Bytes)]) -> Linted {
    let mut findings = Vec::new();
    let mut cards = Vec::new();
    for (file, read) in read_frameworks(files) {
        match read {
            Ok(Fact { key: id, head, item: Item::Framework(framework), .. }) => {
                cards.push(CheckedCard { file, id, head, framework });
            }
            Ok(_) => {}
            Err(message) => findings.push(Finding { file, message }),
        }
    }
    let checked = cards.len() + findings.len();
    let bundled = bundled_ids();
    let ids: HashSet<&str> = cards.iter().map(|card| &card.id).chain(&bundled).map(String::as_str).collect();
    for card in &cards {
        check_card(card, &ids, &mut findings);
    }
    unique_names(&cards, &mut findings);
    unique_questions(&cards, &mut findings);
    let published: Vec<(&str, Vec<&str>)> = cards
        .iter()
        .filter(|card| card.head.status == Status::Published)
        .map(|card| (card.file.as_str(), card.framework.texts().collect()))
        .collect();
    findings.extend(overlap::shared_sentences(&published));
    findings.extend(overlap::overlapping_pairs(&published));
    findings.sort();
    Linted { cards: checked, findings }
}

/// Ids of the frameworks that ship with the program, which a card of any folder may name.
fn bundled_ids() -> Vec<String> {
    let files: Vec<_> =
        bundled::files().into_iter().filter(|(path, _)| path.starts_with("catalog/frameworks/")).collect();
    read_frameworks(&files).into_iter().filter_map(|(_, read)| read.ok().map(|fact| fact.key)).collect()
}

/// The files that a sync takes for cards. It follows no link, which may lead in a circle.
fn walk(folder: &Path, depth: usize, paths: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let (path, name, kind) = (entry.path(), entry.file_name(), entry.file_type()?);
        let name = name.to_string_lossy();
        if kind.is_dir() && !is_hidden(&name) && depth < DEPTH_MAX {
            walk(&path, depth + 1, paths)?;
        } else if kind.is_file() && is_card_path(&name) {
            paths.push(path);
        }
        if paths.len() > FILES_MAX {
            return Err(std::io::Error::other(format!("{} holds more than {FILES_MAX} cards", folder.display())));
        }
    }
    Ok(())
}

/// What one card must keep to.
fn check_card(card: &CheckedCard, ids: &HashSet<&str>, findings: &mut Vec<Finding>) {
    let framework = &card.framework;
    let mut find = |message: String| findings.push(Finding { file: card.file.clone(), message });
    let in_candidates = card.file.split('/').any(|part| part == "candidates");
    let score = framework.publication_score();
    match (in_candidates, card.head.status) {
        (false, Status::Candidate) => find(format!(
            "scores {} of {} points: it needs {}",
            score.points,
            PublicationScore::THRESHOLD,
            score.missing.join("; ")
        )),
        (true, Status::Published) => find("is complete enough to be published; move it to its domain's folder".into()),
        (false, _) if !score.missing.is_empty() => find(format!("needs {}", score.missing.join("; "))),
        _ => {}
    }
    let stem = card.file.rsplit('/').next().and_then(|file| file.rsplit_once('.')).map_or("", |(stem, _)| stem);
    if stem != card.id {
        find(format!("has the id `{}`; name the file {}.md", card.id, card.id));
    }
    if framework.secondary_domains.contains(&framework.domain) {
        find("names its own domain among `secondary_domains`".into());
    }
    for anti in &framework.anti_examples {
        if anti.better == card.id {
            find(format!("names itself as the better card for \"{}\"", anti.question));
        } else if !ids.contains(anti.better.as_str()) {
            find(format!("names `{}` as a better card, but there is no such card", anti.better));
        }
    }
    check_prompt(framework, &mut find);
    check_links(card, ids, &mut find);
}

/// Variables used, declared and known as inputs are the same.
fn check_prompt(framework: &Framework, find: &mut impl FnMut(String)) {
    let Some(prompt) = &framework.prompt else { return };
    let used = variables(&prompt.text);
    for name in &used {
        if !prompt.variables.contains(name) {
            find(format!("uses {{{{{name}}}}} in the prompt without naming it in `prompt.variables`"));
        }
        if !framework.inputs.iter().any(|input| input.name == *name) {
            find(format!("uses {{{{{name}}}}} in the prompt, which is none of its `inputs`"));
        }
    }
    for name in prompt.variables.iter().filter(|name| !used.contains(name)) {
        find(format!("names `{name}` in `prompt.variables` and never uses {{{{{name}}}}}"));
    }
    for input in framework.inputs.iter().filter(|input| input.required && !used.contains(&input.name)) {
        find(format!("requires the input `{}` and never uses it in the prompt", input.name));
    }
}

/// Other cards are named by id in backticks: `five-whys`. One that looks like an id must be one.
fn check_links(card: &CheckedCard, ids: &HashSet<&str>, find: &mut impl FnMut(String)) {
    let Some(prompt) = &card.framework.prompt else { return };
    let stop = prompt.text.split("## Stop").nth(1).unwrap_or("");
    for word in stop.split('`').skip(1).step_by(2) {
        let looks_like_id = word.contains('-') && refdesk_core::slug::is_id(word) && !word.contains(['.', '_', ':']);
        if looks_like_id && !ids.contains(word) {
            find(format!("suggests `{word}` in its stop rules, but there is no such card"));
        }
    }
}

/// No name or alias belongs to two cards.
fn unique_names(cards: &[CheckedCard], findings: &mut Vec<Finding>) {
    let mut owners: BTreeMap<String, &CheckedCard> = BTreeMap::new();
    for card in cards {
        let head = &card.head;
        let mut own: Vec<String> = Vec::new();
        for name in std::iter::once(&card.id).chain([&head.name]).chain(&head.aliases) {
            let folded = refdesk_core::slug::slugify(name);
            if own.contains(&folded) {
                continue;
            }
            if let Some(other) = owners.get(&folded) {
                let message = format!("is called `{name}` as is {}; let one card have the name", other.file);
                findings.push(Finding { file: card.file.clone(), message });
            }
            own.push(folded);
        }
        for name in own {
            owners.entry(name).or_insert(card);
        }
    }
}

/// No example question stands twice, in one card or in two.
fn unique_questions(cards: &[CheckedCard], findings: &mut Vec<Finding>) {
    let mut first: HashMap<String, &str> = HashMap::new();
    for card in cards {
        for question in &card.framework.example_questions {
            if let Some(other) = first.insert(overlap::words(question).join(" "), &card.file) {
                findings.push(Finding {
                    file: card.file.clone(),
                    message: format!("shares the question \"{question}\" with {other}"),
                });
            }
        }
    }
}
