//! Gazetteers: the values of a field by how they are said, as named entities are looked up in lists of names. Those of makers and sellers are
//! collected once for each snapshot.

use std::sync::OnceLock;

use foldhash::HashMap;

use super::Snapshot;
use crate::resolve::model::makers;
use refdesk_core::Kind;
use refdesk_search::text::folded;

/// What a company's name may end with and is left out in speech.
const LEFT_OUT: [&str; 3] = [" ai", " labs", " research"];

/// How a name is compared: folded, without what may be left out between its parts.
pub fn compact(folded: &str) -> String {
    folded.replace(['-', ' ', '.', '_'], "")
}

/// The values of a field by their names, and by these without what is left out in speech.
pub fn gazetteer<'a>(values: impl Iterator<Item = &'a str>) -> HashMap<String, &'a str> {
    let mut by_name = HashMap::default();
    let values: Vec<(&str, String)> = values.map(|value| (value, folded(value))).collect();
    for (value, name) in &values {
        by_name.entry(compact(name)).or_insert(*value);
    }
    for (value, name) in &values {
        for short in LEFT_OUT.iter().filter_map(|end| name.strip_suffix(end)) {
            by_name.entry(compact(short)).or_insert(*value);
        }
    }
    by_name
}

/// Values without those that a filter, which minds no case, takes for another of them.
pub fn told_apart(mut values: Vec<&str>) -> Vec<&str> {
    let mut seen: Vec<String> = Vec::new();
    values.retain(|value| {
        let lower = value.to_lowercase();
        let is_new = !seen.contains(&lower);
        seen.push(lower);
        is_new
    });
    values
}

/// Companies by how they are said, each in all spellings that the catalog has.
#[derive(Debug)]
pub struct Companies {
    /// By how it is said, the text that all spellings of a company have in common.
    keys: HashMap<String, String>,
    /// By that text.
    spellings: HashMap<String, Vec<Box<str>>>,
}

impl Companies {
    fn new<'a>(all: &[&'a str], known: HashMap<String, &'a str>, key: impl Fn(&str) -> String) -> Self {
        let mut spellings: HashMap<String, Vec<Box<str>>> = HashMap::default();
        for company in all {
            spellings.entry(key(company)).or_default().push((*company).into());
        }
        Self { keys: known.into_iter().map(|(said, company)| (said, key(company))).collect(), spellings }
    }

    /// What all spellings of the company have in common that is called so.
    pub fn key(&self, said: &str) -> Option<&str> {
        self.keys.get(said).map(String::as_str)
    }

    /// All spellings of a company; none of one that the catalog does not know.
    pub fn spellings(&self, key: &str) -> Vec<&str> {
        self.spellings.get(key).into_iter().flatten().map(|spelling| &**spelling).collect()
    }
}

/// The gazetteers of a snapshot, each from when it is first asked for.
#[derive(Debug, Default)]
pub(super) struct Gazetteers {
    /// By kind.
    makers: [OnceLock<Companies>; 7],
    sellers: OnceLock<Companies>,
}

impl Snapshot {
    /// The makers of things of a kind. A registry of servers knows Stripe as `stripe.com`.
    pub fn makers(&self, kind: Kind) -> &Companies {
        self.gazetteers.makers[kind.index()].get_or_init(|| {
            let all: Vec<&str> = self.segment(kind).values("vendor").collect();
            let mut known = gazetteer(all.iter().copied());
            let mut names: HashMap<String, String> = HashMap::default();
            for domain in all.iter().copied().filter(|maker| self.is_namespace(kind, maker)) {
                let Some((name, _)) = domain.rsplit_once('.') else { continue };
                let name = compact(&folded(name));
                known.entry(name.clone()).or_insert(domain);
                names.insert(compact(&folded(domain)), name);
            }
            Companies::new(&all, known, |maker| {
                let said = compact(&folded(maker));
                names.get(&said).cloned().unwrap_or(said)
            })
        })
    }

    /// Whether a maker of servers is a domain that is the namespace of one: `stripe.com` of `com.stripe-mcp`.
    fn is_namespace(&self, kind: Kind, maker: &str) -> bool {
        let is_domain = kind == Kind::McpServer && maker.contains('.');
        let namespace = || maker.rsplit('.').collect::<Vec<_>>().join(".").to_lowercase();
        let has_server = |sign: &str| self.ids_with_prefix(kind, &format!("{}{sign}", namespace()), 1).0 > 0;
        is_domain && ["-", "."].into_iter().any(has_server)
    }

    /// The sellers of models: `Bedrock` and `amazon_bedrock` are spellings of one, which may be in the catalog under several.
    pub fn sellers(&self) -> &Companies {
        self.gazetteers.sellers.get_or_init(|| {
            let all: Vec<&str> = self.segment(Kind::Model).values("seller").collect();
            let known = gazetteer(all.iter().copied());
            Companies::new(&all, known, |seller| makers::seller(seller).name)
        })
    }
}
