//! Gazetteers: the values of a field by how they are said, as named entities are looked up in lists of names.

use foldhash::HashMap;

use refdesk_search::text::folded;

/// What a company's name may end with and is left out in speech.
const LEFT_OUT: [&str; 3] = [" ai", " labs", " research"];

/// Values of a field by how they are said.
pub type Gazetteer<'a> = HashMap<String, &'a str>;

/// How a name is compared: folded, without what may be left out between its parts.
pub fn compact(folded: &str) -> String {
    folded.replace(['-', ' ', '.', '_'], "")
}

/// The values of a field by their names, and by these without what is left out in speech.
pub fn gazetteer<'a>(values: impl Iterator<Item = &'a str>) -> Gazetteer<'a> {
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

/// Makers by how they are said, each in all spellings that the catalog has.
#[derive(Debug)]
pub struct Makers<'a> {
    all: Vec<&'a str>,
    known: Gazetteer<'a>,
    /// Domains of makers as they are compared, and the same without the last label.
    domains: HashMap<String, String>,
}

impl<'a> Makers<'a> {
    /// Some makers, of which some are domains: a registry of servers knows Stripe as `stripe.com`.
    pub fn new(all: Vec<&'a str>, domains: &[&'a str]) -> Self {
        let mut makers = Self { known: gazetteer(all.iter().copied()), all, domains: HashMap::default() };
        for domain in domains {
            let Some((name, _)) = domain.rsplit_once('.') else { continue };
            let name = compact(&folded(name));
            makers.known.entry(name.clone()).or_insert(domain);
            makers.domains.insert(compact(&folded(domain)), name);
        }
        makers
    }

    /// How the spellings of one maker are all compared.
    fn key(&self, maker: &str) -> String {
        let said = compact(&folded(maker));
        self.domains.get(&said).cloned().unwrap_or(said)
    }

    /// The maker that is called so, in all spellings that a filter tells apart.
    pub fn called(&self, said: &str) -> Option<Vec<&'a str>> {
        let meant = self.key(self.known.get(said)?);
        Some(told_apart(self.all.iter().copied().filter(|maker| self.key(maker) == meant).collect()))
    }
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
