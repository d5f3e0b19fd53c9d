//! Who makes which models, and whose API a seller is: the tables behind [`super::identify`].
//!
//! Every row of the tables in `data/` is a statement about the world with its reason in `docs/model-identity.md`; nothing is guessed from
//! spelling alone. Spellings are compared in lower case with `_` as `-`. A new maker, family or seller is one line there and one case
//! in `tests/it/model_identity/cases.rs`.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::LazyLock;

use refdesk_core::text::listed_lines;

refdesk_core::closed_set! {
    /// What a seller is to the models that it sells, with its word in the table of sellers.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Channel {
        /// The maker's own API.
        Maker => "maker",
        /// A cloud platform of the maker's company (Vertex AI, Bedrock, Azure): first-party where the maker's own API is not known.
        Platform => "platform",
        /// A page of the maker that sells nothing: published weights.
        Listing => "listing",
        /// Somebody else.
        Reseller => "reseller",
    }
}

/// A seller as the rules see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seller {
    /// The same for every spelling of the seller.
    pub name: String,
    /// What it is to the models of [`Seller::maker`].
    pub channel: Channel,
    /// The company whose own models it sells, if any.
    pub maker: Option<&'static str>,
    /// A part of the seller that is not its plain offer: a subscription plan, a regional site.
    pub variant: Option<&'static str>,
}

/// The variant of what is paid by a subscription.
const PLAN: &str = "plan";

/// Parts of a seller's name that make its prices no plain ones.
const SELLER_VARIANTS: &[(&str, &str)] = &[
    ("-token-plan-ams", PLAN),
    ("-token-plan-cn", PLAN),
    ("-token-plan-sgp", PLAN),
    ("-token-plan", PLAN),
    ("-coding-plan-cn", PLAN),
    ("-cn-coding-plan", PLAN),
    ("-coding-plan", PLAN),
    ("-for-coding", PLAN),
    ("-cn", "cn"),
];

/// Slug, name and spellings of each maker.
static MAKERS: LazyLock<Vec<(&str, &str, Vec<&str>)>> = LazyLock::new(|| {
    let maker = |[slug, name, spellings]: [&'static str; 3]| (slug, name, words(spellings).collect());
    rows(include_str!("data/makers.txt")).map(maker).collect()
});

static VENDORS: LazyLock<HashMap<&str, &str>> = LazyLock::new(|| {
    MAKERS.iter().flat_map(|(slug, _, spellings)| spellings.iter().map(move |spelling| (*spelling, *slug))).collect()
});

static NAMES: LazyLock<HashMap<&str, &str>> =
    LazyLock::new(|| MAKERS.iter().map(|(slug, name, _)| (*slug, *name)).collect());

/// A row of the table of sellers.
#[derive(Debug, Clone, Copy)]
struct SellerRow {
    name: &'static str,
    channel: Channel,
    maker: Option<&'static str>,
}

/// Sellers by every spelling. A seller that is in no row is a reseller under its own name.
static SELLERS: LazyLock<HashMap<&str, SellerRow>> = LazyLock::new(|| {
    let spelled = |[name, channel, maker, spellings]: [&'static str; 4]| {
        let maker = (!maker.is_empty()).then_some(maker);
        let row = SellerRow { name, channel: Channel::parse(channel).unwrap_or(Channel::Reseller), maker };
        words(spellings).chain([name]).map(move |spelling| (spelling, row))
    };
    rows(include_str!("data/sellers.txt")).flat_map(spelled).collect()
});

/// How the names of families begin and who makes them, by the first letter, longest beginning first. The longest that fits decides; it
/// must end at a digit, a separator or the end of the name (`gpt-4o` and `gpt2`, but not `gptx`).
static FAMILIES: LazyLock<HashMap<u8, Vec<(&str, &str)>>> = LazyLock::new(|| {
    let mut by_letter: HashMap<u8, Vec<(&str, &str)>> = HashMap::new();
    for [family, maker] in rows(include_str!("data/families.txt")) {
        by_letter.entry(family.as_bytes()[0]).or_default().push((family, maker));
    }
    for families in by_letter.values_mut() {
        families.sort_by_key(|(family, _)| std::cmp::Reverse(family.len()));
    }
    by_letter
});

/// Families that a seller makes itself although another maker's family is spelled alike: beginnings of names by the seller's maker.
static OWN_FAMILIES: LazyLock<HashMap<&str, Vec<&str>>> = LazyLock::new(|| {
    let owner = |[maker, families]: [&'static str; 2]| (maker, words(families).collect());
    rows(include_str!("data/own_families.txt")).map(owner).collect()
});

/// The rows of a table of `N` columns, without comments; a column that a row leaves out is empty.
fn rows<const N: usize>(table: &'static str) -> impl Iterator<Item = [&'static str; N]> {
    listed_lines(table).map(|line| {
        let mut columns = line.split('|').map(str::trim);
        std::array::from_fn(|_| columns.next().unwrap_or_default())
    })
}

/// The words of a column.
fn words(column: &'static str) -> impl Iterator<Item = &'static str> {
    column.split(", ").filter(|word| !word.is_empty())
}

/// Whether a word in lower case is how the names of a family begin.
pub fn is_family(word: &str) -> bool {
    let families = word.bytes().next().and_then(|first| FAMILIES.get(&first));
    families.is_some_and(|families| families.iter().any(|(family, _)| *family == word))
}

/// The maker's slug for the vendor part of an id, when it is a known one. Lower case.
pub fn vendor(spelling: &str) -> Option<&'static str> {
    VENDORS.get(spelling).copied().or_else(|| {
        spelling
            .contains('_')
            .then(|| spelling.replace('_', "-"))
            .and_then(|folded| VENDORS.get(folded.as_str()).copied())
    })
}

/// The name of a maker for people; `None` for a maker that is only a slug of an upstream's own word.
pub fn display_name(maker: &str) -> Option<&'static str> {
    NAMES.get(maker).copied()
}

/// The maker of the family that a model's name belongs to. Lower case.
pub fn family(name: &str) -> Option<&'static str> {
    let families = FAMILIES.get(name.as_bytes().first()?)?;
    families.iter().find(|(family, _)| begins(name, family)).map(|(_, maker)| *maker)
}

/// The maker of the line that sources give models for a family: the family of a name, or the letters of numbered ones (`o` of `o1` and `o3`).
/// Lower case.
pub fn line(word: &str) -> Option<&'static str> {
    let is_numbered =
        |family: &str| family.len() > word.len() && family.trim_end_matches(|c: char| c.is_ascii_digit()) == word;
    let numbered = || {
        let families = FAMILIES.get(word.as_bytes().first()?)?;
        families.iter().find(|(family, _)| is_numbered(family)).map(|(_, maker)| *maker)
    };
    family(word).or_else(numbered)
}

/// The maker that an id or its seller tells, when the name is of a family that only tells it together with that (`cohere-rerank-v3.5`).
pub fn own_family(maker: &'static str, name: &str) -> Option<&'static str> {
    let families = OWN_FAMILIES.get(maker)?;
    families.iter().any(|family| begins(name, family)).then_some(maker)
}

/// True when `name` begins with the family and a digit, a separator or the end follows. A family that ends in a digit or a hyphen is
/// followed by anything but another digit.
fn begins(name: &str, family: &str) -> bool {
    name.strip_prefix(family).is_some_and(|rest| match rest.bytes().next() {
        None => true,
        Some(next) if family == "text-embedding-00" || family == "embed-v" => next.is_ascii_digit() || next == b'-',
        Some(next) if family.ends_with(|c: char| c.is_ascii_digit()) => !next.is_ascii_digit(),
        Some(next) => !next.is_ascii_alphabetic() || family == "kimi",
    })
}

/// The seller behind a provider's name in a source.
pub fn seller(provider: &str) -> Seller {
    let name = seller_name(provider);
    if let Some(seller) = seller_row(&name) {
        return seller;
    }
    let Some((base, variant)) = part(&name) else {
        return Seller { name: name.into_owned(), channel: Channel::Reseller, maker: None, variant: None };
    };
    let known = seller_row(if base == "kimi" { "moonshotai" } else { base });
    Seller {
        channel: known.as_ref().map_or(Channel::Reseller, |seller| seller.channel),
        maker: known.and_then(|seller| seller.maker),
        variant: Some(variant),
        name: name.into_owned(),
    }
}

/// The name of a seller, the same for every spelling of it: `fireworks-ai` for `fireworks_ai`.
pub fn seller_name(spelling: &str) -> Cow<'_, str> {
    let is_folded = !spelling.contains(|c: char| c.is_uppercase() || matches!(c, '_' | ' '));
    let folded = if is_folded { spelling.into() } else { Cow::Owned(spelling.to_lowercase().replace(['_', ' '], "-")) };
    match SELLERS.get(&*folded) {
        Some(row) => row.name.into(),
        // LiteLLM splits Vertex AI by the maker of the models: `vertex_ai-anthropic_models`.
        None if folded.starts_with("vertex-ai-") => "google-vertex".into(),
        None => folded,
    }
}

/// Whether a seller is a plan, in which models are paid by a subscription.
pub fn is_plan(provider: &str) -> bool {
    let name = seller_name(provider);
    !is_known_seller(&name) && part(&name).is_some_and(|(_, variant)| variant == PLAN)
}

/// The name of a seller without the part that makes it a plan or a regional site, and what it is by that.
fn part(name: &str) -> Option<(&str, &'static str)> {
    SELLER_VARIANTS.iter().find_map(|(suffix, variant)| Some((name.strip_suffix(suffix)?, *variant)))
}

/// The seller whose plan or regional site a seller is: `umans-ai` for `umans-ai-coding-plan`; any other is its own.
pub fn whole_seller(name: &str) -> &str {
    if is_known_seller(name) {
        return name;
    }
    part(name).map_or(name, |(whole, _)| whole)
}

/// Spellings of sellers by how people say them.
static SAID: LazyLock<HashMap<String, &str>> =
    LazyLock::new(|| SELLERS.keys().map(|spelling| (spelling.replace(['-', '.'], ""), *spelling)).collect());

/// The name of the seller that people call so, whatever stands between the words of it: `amazonbedrock`, `workersai`.
pub fn seller_said(compact: &str) -> Option<String> {
    let spelling = SAID.get(compact)?;
    seller_row(spelling).map(|seller| seller.name)
}

fn seller_row(folded: &str) -> Option<Seller> {
    let SellerRow { name, channel, maker } = *SELLERS.get(folded)?;
    Some(Seller { name: name.to_owned(), channel, maker, variant: None })
}

/// True for a seller that has a row, whatever it is; the others may be makers that no table knows.
pub fn is_known_seller(name: &str) -> bool {
    SELLERS.contains_key(name)
}

/// True for a part of an id that only names a seller which makes no models: it routes, it does not tell the maker.
pub fn is_reseller_segment(segment: &str) -> bool {
    let folded = segment.replace('_', "-");
    let channel = SELLERS.get(folded.as_str()).map(|seller| seller.channel);
    channel.is_some_and(|channel| matches!(channel, Channel::Platform | Channel::Reseller)) && vendor(segment).is_none()
}

#[cfg(test)]
mod tests {
    use super::listed_lines;

    #[test]
    fn every_row_of_the_tables_has_its_columns() {
        for (table, columns) in [
            (include_str!("data/makers.txt"), 3..=3),
            (include_str!("data/families.txt"), 2..=2),
            (include_str!("data/own_families.txt"), 2..=2),
            (include_str!("data/sellers.txt"), 2..=4),
        ] {
            for line in listed_lines(table) {
                let found: Vec<&str> = line.split('|').map(str::trim).collect();
                assert!(columns.contains(&found.len()) && !found[0].is_empty(), "{line}");
                assert_eq!(line, line.trim_end(), "nothing stands behind a row");
            }
        }
        let sellers = listed_lines(include_str!("data/sellers.txt"));
        let channels: Vec<&str> = sellers.filter_map(|line| line.split('|').nth(1)).map(str::trim).collect();
        assert!(channels.iter().all(|channel| ["maker", "platform", "listing", "reseller"].contains(channel)));
        assert!(channels.len() > 60, "{}", channels.len());
    }
}
