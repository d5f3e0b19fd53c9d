//! Which item a spelling names, whatever its kind, seller or date; and how sure that is.

mod offered;

use std::cmp::Reverse;

use serde::Deserialize;
use serde_json::Value;

use self::offered::offered_or_called;
use super::addresses::{item_at, named_elsewhere};
use super::url;
use crate::columns::{ListedSeller, Sold};
use crate::json::{self, Object};
use crate::resolve::model::makers::seller_name;
use crate::resolve::names::is_common_word;
use crate::segment::{Found, without_version};
use crate::snapshot::Snapshot;
use crate::understand::packaged;
use refdesk_core::Kind;
use refdesk_core::item::TrustTier;
use refdesk_core::query::{ResolveQuery, Selection, Warning};
use refdesk_core::text::words;
use refdesk_search::text::folded;

/// A name that is less alike than this is not taken for what was meant.
const MEANT_FROM: f64 = 0.8;
/// How sure an alias is: upstreams give them.
const ALIAS_CONFIDENCE: f64 = 0.99;
/// How sure a short name is: only one item has it, and no source states that it is one.
const SHORT_NAME_CONFIDENCE: f64 = 0.95;
/// How sure the id of an offer is of which no source knows: the model is, the offer may not be there.
const OFFER_CONFIDENCE: f64 = 0.9;
/// What pages and programs put around an id.
const QUOTES: [char; 10] = ['"', '\'', '`', '“', '”', '„', '‘', '’', '«', '»'];
/// Most candidates of a spelling.
pub(super) const CANDIDATES_MAX: usize = 5;

/// Members that are null when a spelling names nothing, in the order in which `write` has them.
const UNRESOLVED: [&str; 9] =
    ["type", "id", "display_name", "url", "seller", "api_model_id", "snapshot_of", "snapshot", "alias_since"];

refdesk_core::closed_set! {
    /// How surely a spelling names an item.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    enum ResolutionStatus {
        /// It is the id of one.
        Exact => "exact",
        /// It is another name of one.
        Alias => "alias",
        /// One is spelt much like it.
        Fuzzy => "fuzzy",
        /// It fits several as well.
        Ambiguous => "ambiguous",
        /// Nothing is spelt like it.
        Unknown => "unknown",
    }
}

/// What a spelling was resolved to.
struct ResolvedSpelling {
    status: ResolutionStatus,
    confidence: f64,
    ordinal: Option<u32>,
    candidates: Vec<(u32, f64)>,
}

impl ResolvedSpelling {
    fn new(status: ResolutionStatus, confidence: f64, ordinal: Option<u32>, candidates: Vec<(u32, f64)>) -> Self {
        Self { status, confidence, ordinal, candidates }
    }
}

/// What each spelling names, in the order asked.
pub fn resolutions(snapshot: &Snapshot, query: &ResolveQuery, base: &str, warnings: &[Warning]) -> Vec<u8> {
    let mut out = Vec::with_capacity(512 * query.spellings.len());
    let kinds: Vec<Kind> = query.kind.map_or_else(|| Kind::ALL.to_vec(), |kind| vec![kind]);
    let mut object = Object::open(&mut out);
    object.objects("results", &query.spellings, |object, spelling| {
        write(snapshot, spelling, &resolved(snapshot, spelling, &kinds), base, object);
    });
    object.value("warnings", warnings);
    object.close();
    out
}

/// The items of some kinds that a spelling means: one, or all that it fits as well.
pub(super) fn meant(snapshot: &Snapshot, spelling: &str, kinds: &[Kind]) -> Vec<u32> {
    let found = resolved(snapshot, spelling, kinds);
    match found.status {
        ResolutionStatus::Ambiguous => found.candidates.iter().map(|(ordinal, _)| *ordinal).collect(),
        _ => found.ordinal.into_iter().collect(),
    }
}

/// The item of a kind that a spelling surely names although no source spells it so: `gpt 4o`, or `-latest` of what has no such alias.
pub(super) fn alias(snapshot: &Snapshot, spelling: &str, kind: Kind) -> Option<u32> {
    let found = resolved(snapshot, spelling, &[kind]);
    found.ordinal.filter(|_| found.status == ResolutionStatus::Alias)
}

/// What a spelling is resolved to: as it stands, or else, where that names nothing for sure, in its plain form.
fn resolved(snapshot: &Snapshot, spelling: &str, kinds: &[Kind]) -> ResolvedSpelling {
    let found = resolved_as_it_stands(snapshot, spelling, kinds);
    let plain = plain_form(spelling);
    let is_sure = !matches!(found.status, ResolutionStatus::Fuzzy | ResolutionStatus::Unknown);
    if is_sure {
        return found;
    }
    let package = packaged(snapshot, &plain).map(|package| (Kind::McpServer, package.to_owned()));
    let mut told = item_at(&plain).into_iter().chain(named_elsewhere(&plain)).chain(package);
    if let Some(named) = told.find_map(|at| found_at(snapshot, at, kinds)) {
        return named;
    }
    if plain.is_empty() || plain == spelling.to_lowercase() {
        return found;
    }
    let found = resolved_as_it_stands(snapshot, &plain, kinds);
    match found.status {
        ResolutionStatus::Exact => {
            ResolvedSpelling { status: ResolutionStatus::Alias, confidence: ALIAS_CONFIDENCE, ..found }
        }
        _ => found,
    }
}

/// What an address or a command names for sure, if it is of one of the kinds.
fn found_at(snapshot: &Snapshot, (kind, id): (Kind, String), kinds: &[Kind]) -> Option<ResolvedSpelling> {
    let found = kinds.contains(&kind).then(|| resolved_as_it_stands(snapshot, &id, &[kind]))?;
    let is_sure = matches!(found.status, ResolutionStatus::Exact | ResolutionStatus::Alias);
    is_sure.then(|| ResolvedSpelling {
        status: ResolutionStatus::Alias,
        confidence: found.confidence.min(ALIAS_CONFIDENCE),
        ..found
    })
}

/// A selection with the ids of items for those of its `ids` that only a detail path understands. None where there are no such.
pub(super) fn with_ids(snapshot: &Snapshot, kind: Kind, selection: &Selection) -> Option<Selection> {
    let id = |spelling: &String| match snapshot.find(kind, spelling) {
        Found::Unknown => alias(snapshot, spelling, kind).map(|ordinal| snapshot.id(ordinal).to_owned()),
        _ => None,
    };
    let named: Vec<Option<String>> = selection.ids.iter().map(id).collect();
    if named.iter().all(Option::is_none) {
        return None;
    }
    let ids = selection.ids.iter().zip(named).map(|(spelling, id)| id.unwrap_or_else(|| spelling.clone())).collect();
    Some(Selection { ids, ..selection.clone() })
}

/// A spelling without quotes around it, and with ordinary letters in place of their wide and other forms: `"GPT-4o"`, `ＧＰＴ-4o`.
fn plain_form(spelling: &str) -> String {
    folded(spelling).trim_matches(|c: char| c.is_whitespace() || QUOTES.contains(&c)).to_owned()
}

fn resolved_as_it_stands(snapshot: &Snapshot, spelling: &str, kinds: &[Kind]) -> ResolvedSpelling {
    let (mut exact, mut aliases, mut ambiguous) = (Vec::new(), Vec::new(), Vec::new());
    for kind in kinds {
        match snapshot.find(*kind, spelling) {
            Found::Id(ordinal) => exact.push(ordinal),
            Found::Alias(ordinal) => aliases.push(ordinal),
            Found::Ambiguous(ordinals) => ambiguous.extend(ordinals),
            Found::Unknown => {}
        }
    }
    let of = |status, confidence, found: &[u32]| {
        let others = found.iter().skip(1).map(|ordinal| (*ordinal, confidence)).collect();
        ResolvedSpelling::new(status, confidence, found.first().copied(), others)
    };
    match (exact.as_slice(), aliases.as_slice(), ambiguous.as_slice()) {
        ([_], _, _) => of(ResolutionStatus::Exact, 1.0, &exact),
        ([], [_], []) => of(ResolutionStatus::Alias, ALIAS_CONFIDENCE, &aliases),
        ([], [], []) if kinds.iter().any(|kind| snapshot.hides(*kind, spelling)) => {
            of(ResolutionStatus::Unknown, 0.0, &[])
        }
        ([], [], []) => match kinds.contains(&Kind::Model).then(|| offered_or_called(snapshot, spelling)).flatten() {
            Some(model) => of(ResolutionStatus::Alias, OFFER_CONFIDENCE, &[model]),
            None => alike(snapshot, spelling, kinds),
        },
        ([], _, _) => several(&[aliases, ambiguous].concat()),
        (_, _, _) => several(&exact),
    }
}

/// A spelling that fits several items, each as well as the others.
fn several(found: &[u32]) -> ResolvedSpelling {
    let share = 1.0 / found.len() as f64;
    let candidates = found.iter().take(CANDIDATES_MAX).map(|ordinal| (*ordinal, share)).collect();
    ResolvedSpelling::new(ResolutionStatus::Ambiguous, share, None, candidates)
}

/// What has it for a name, then what is called so for short, and else what is spelt much like it. A number is never corrected (`5.9` is not
/// `5.4`), nor is a word that some name has: `github` is not `gitlab`.
fn alike(snapshot: &Snapshot, spelling: &str, kinds: &[Kind]) -> ResolvedSpelling {
    let folded = refdesk_core::clean::excerpt(spelling, refdesk_core::slug::ID_CHARS_MAX).to_lowercase();
    let segments = kinds.iter().copied().collect();
    let near = snapshot.near(&folded, segments, CANDIDATES_MAX);
    let ranked = |likeness: &dyn Fn(&str) -> f64| {
        let of = |ordinal: u32| {
            let names = [snapshot.id(ordinal).to_lowercase(), snapshot.name(ordinal).to_lowercase()];
            names.iter().map(|name| likeness(name)).fold(0.0, f64::max)
        };
        let mut ranked: Vec<(u32, f64)> = near.iter().map(|(ordinal, _)| (*ordinal, of(*ordinal))).collect();
        ranked.sort_by(|a, b| b.1.total_cmp(&a.1));
        ranked
    };
    let mut candidates = ranked(&|name| spelt_likeness(&folded, name));
    let named: Vec<u32> = candidates.iter().filter(|(_, alike)| *alike >= 1.0).map(|(ordinal, _)| *ordinal).collect();
    let alias = |ordinal: u32, confidence| {
        let others = candidates.iter().filter(|(other, _)| *other != ordinal).copied().collect();
        ResolvedSpelling::new(ResolutionStatus::Alias, confidence, Some(ordinal), others)
    };
    match named.as_slice() {
        // A whole name is one of the spellings of its item.
        [named] => return alias(*named, ALIAS_CONFIDENCE),
        [_, _, ..] => return several(&named),
        [] => {}
    }
    match called_for_short(snapshot, spelling, kinds).as_slice() {
        [called] => return alias(*called, SHORT_NAME_CONFIDENCE),
        called @ [_, _, ..] => return several(called),
        [] => {}
    }
    let known: Vec<&str> = words(&folded).filter(|word| is_known(snapshot, word)).collect();
    let meant = ranked(&|name| {
        let may_be_meant = has_numbers_of(&folded, name) && has_words(&known, &folded, name);
        if may_be_meant { telling_likeness(&folded, name) } else { 0.0 }
    });
    match meant.as_slice() {
        [(meant, likeness), rest @ ..] if *likeness >= MEANT_FROM && rest.iter().all(|(_, other)| other < likeness) => {
            candidates.retain(|(ordinal, _)| ordinal != meant);
            ResolvedSpelling::new(ResolutionStatus::Fuzzy, *likeness, Some(*meant), candidates)
        }
        _ => ResolvedSpelling::new(ResolutionStatus::Unknown, 0.0, None, candidates),
    }
}

/// What is read of the row of an MCP server that shares its short name with others.
#[derive(Deserialize)]
struct Trusted {
    trust_tier: TrustTier,
    official: Option<bool>,
}

/// The items of some kinds that are called so for short, in the order of [`by_trust`].
pub(super) fn called_for_short(snapshot: &Snapshot, spelling: &str, kinds: &[Kind]) -> Vec<u32> {
    by_trust(snapshot, short_named(snapshot, spelling, kinds))
}

/// The items of some kinds that are called so for short, or else without the version that stands behind a package: sources too call
/// servers by their packages. A word with a colon behind it is no package: it says whose the rest is, a registry's (`npm:lamp-mcp`) or a
/// seller's.
pub(super) fn short_named(snapshot: &Snapshot, spelling: &str, kinds: &[Kind]) -> Vec<u32> {
    let called_so =
        |name: &str| -> Vec<u32> { kinds.iter().flat_map(|kind| snapshot.short_named(*kind, name)).collect() };
    let (called, package) = (called_so(spelling), without_version(spelling));
    if !called.is_empty() {
        return called;
    }
    if let Some((registry, package)) = behind_word(spelling) {
        let package = without_version(package);
        let mut called = called_so(package);
        if called.is_empty() && kinds.contains(&Kind::McpServer) {
            called.extend(snapshot.find(Kind::McpServer, package).item());
        }
        called.retain(|server| may_come_from(snapshot, *server, registry, package));
        return called;
    }
    if package == spelling {
        return called;
    }
    let called = called_so(package);
    if !called.is_empty() || !kinds.contains(&Kind::McpServer) {
        return called;
    }
    snapshot.find(Kind::McpServer, package).item().into_iter().collect()
}

/// A word and what stands behind its colon. Neither an address nor a digest does.
fn behind_word(spelling: &str) -> Option<(&str, &str)> {
    let (word, rest) = spelling.split_once(':')?;
    let is_word = word.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.'));
    (is_word && !rest.starts_with("//")).then_some((word, rest))
}

/// Registries of packages, as their names stand before those of packages.
const REGISTRIES: [&str; 6] = ["npm", "pypi", "nuget", "oci", "docker", "mcpb"];

/// Whether a registry may have a server in a package of that name: it has it there, or is called so without a word of another registry.
fn may_come_from(snapshot: &Snapshot, server: u32, registry: &str, package: &str) -> bool {
    if snapshot.kind_of(server) != Kind::McpServer || !REGISTRIES.contains(&registry) {
        return false;
    }
    let registry = if registry == "docker" { "oci" } else { registry };
    let row: Value = json::read_own(snapshot.row(server));
    let is_it = |stated: &&Value| {
        stated["identifier"].as_str().is_some_and(|name| without_version(name).eq_ignore_ascii_case(package))
    };
    let mut stated = row["packages"].as_array().into_iter().flatten().filter(is_it).peekable();
    stated.peek().is_none()
        || stated.any(|stated| ["registryType", "registry_type"].iter().any(|member| stated[member] == registry))
}

/// Items with the makers' own first, then by trust.
pub(super) fn by_trust(snapshot: &Snapshot, mut items: Vec<u32>) -> Vec<u32> {
    if items.len() > 1 {
        items.sort_by_cached_key(|ordinal| {
            let Trusted { trust_tier, official } = json::read_own(snapshot.row(*ordinal));
            let is_official = official == Some(true) || trust_tier == TrustTier::Official;
            (Reverse(is_official), Reverse(trust_tier), *ordinal)
        });
    }
    items
}

/// How alike two names are, whatever signs stand between their words.
fn spelt_likeness(spelling: &str, name: &str) -> f64 {
    strsim::normalized_damerau_levenshtein(&joined(spelling), &joined(name))
}

/// How alike two names are as a whole and without the words that many names have: `mysql-mcp-server` is no more like `mssql-mcp-server`
/// than `mysql` is like `mssql`.
fn telling_likeness(spelling: &str, name: &str) -> f64 {
    let telling = |name| words(name).filter(|word| !is_common_word(word)).collect::<Vec<&str>>().join("-");
    let (own, other) = (telling(spelling), telling(name));
    let whole = spelt_likeness(spelling, name);
    if own.is_empty() || other.is_empty() { whole } else { whole.min(spelt_likeness(&own, &other)) }
}

/// Whether a word is no misspelling, for some name has it. What has a digit is a number ([`has_numbers_of`]), and what many names have
/// tells none of them.
fn is_known(snapshot: &Snapshot, word: &str) -> bool {
    !word.contains(|c: char| c.is_ascii_digit()) && !is_common_word(word) && snapshot.is_word_of_a_name(word)
}

/// Whether a name has some words of a spelling, or all of its letters and digits.
fn has_words(known: &[&str], spelling: &str, name: &str) -> bool {
    known.iter().all(|known| words(name).any(|word| word == *known)) || has_letters_of(spelling, name)
}

/// A name with one sign between its words, whichever stand there: `claude-sonnet-4.5` is `claude sonnet 4 5`.
fn joined(name: &str) -> String {
    name.chars().map(|c| if c.is_alphanumeric() || c == '+' { c } else { '-' }).collect()
}

/// Whether a name has the numbers of a spelling, or all of its letters and digits.
fn has_numbers_of(spelling: &str, name: &str) -> bool {
    numbers(spelling).eq(numbers(name)) || has_letters_of(spelling, name)
}

/// Whether two names differ only in the signs between their letters and digits.
fn has_letters_of(spelling: &str, name: &str) -> bool {
    let letters = |text| str::chars(text).filter(|c| c.is_alphanumeric());
    letters(spelling).eq(letters(name))
}

/// The numbers of a name, each with the letters behind it: `4o` is not `4`.
fn numbers(name: &str) -> impl Iterator<Item = &str> {
    words(name).filter_map(|word| word.find(|c: char| c.is_ascii_digit()).map(|at| &word[at..]))
}

/// The seller and its id of the model when a spelling is that of who sells it: the id as it stands, or else behind the seller.
fn seller_of(snapshot: &Snapshot, ordinal: u32, row: &Value, spelling: &str) -> (Value, Value) {
    let (segment, at) = snapshot.locate(ordinal);
    let (own, makers) = (segment.id(at), segment.makers_id(at));
    let sellers: Vec<ListedSeller<'_>> = Sold::of_row(row).sellers().collect();
    // Here the maker's is the desk's own id first: what it is called elsewhere may be a reseller's id of it as well.
    let is_id = |seller: &ListedSeller<'_>, makers: &str| spelling.eq_ignore_ascii_case(seller.api_model_id(makers));
    let is_behind_seller = |seller: &ListedSeller<'_>| {
        let behind = |sign| format!("{}{sign}{}", seller.name, seller.api_model_id(own));
        ["/", ":"].iter().any(|sign| spelling.eq_ignore_ascii_case(&behind(sign)))
    };
    let mut spelt: Vec<&ListedSeller<'_>> = sellers.iter().filter(|seller| is_id(seller, own)).collect();
    if spelt.is_empty() {
        spelt.extend(sellers.iter().filter(|seller| is_behind_seller(seller)));
    }
    if spelt.is_empty() {
        spelt.extend(sellers.iter().filter(|seller| is_id(seller, makers)));
    }
    let Some(first) = spelt.first() else { return (Value::Null, Value::Null) };
    // An id that several sellers take tells no seller. One may be there in several spellings.
    let is_of_one = spelt.iter().all(|seller| seller_name(seller.name) == seller_name(first.name));
    let seller = if is_of_one { first.stated_name().clone() } else { Value::Null };
    (seller, first.api_model_id(makers).into())
}

fn write(snapshot: &Snapshot, spelling: &str, found: &ResolvedSpelling, base: &str, object: &mut Object<'_>) {
    object.verbatim("query", Some(spelling));
    object.text("status", found.status.as_str());
    object.value("confidence", &rounded(found.confidence));
    match found.ordinal {
        None => UNRESOLVED.iter().for_each(|name| object.raw(name, "null")),
        Some(ordinal) => {
            let kind = snapshot.kind_of(ordinal);
            let row: Value = json::read_own(snapshot.row(ordinal));
            let (seller, api_model_id) = seller_of(snapshot, ordinal, &row, &plain_form(spelling));
            object.text("type", kind.search_type());
            object.text("id", snapshot.id(ordinal));
            object.text("display_name", &snapshot.name(ordinal));
            url(object, base, kind, snapshot.id(ordinal));
            object.value("seller", &seller);
            object.value("api_model_id", &api_model_id);
            object.value("snapshot_of", &row["snapshot_of"]);
            let newest = row.get("snapshots").and_then(|all| all.get(0));
            object.value("snapshot", &newest.map_or(&Value::Null, |newest| &newest["id"]));
            object.value("alias_since", &newest.map_or(&Value::Null, |newest| &newest["dated_on"]));
        }
    }
    object.objects("candidates", &found.candidates, |entry, (ordinal, confidence)| {
        entry.text("type", snapshot.kind_of(*ordinal).search_type());
        entry.text("id", snapshot.id(*ordinal));
        entry.value("confidence", &rounded(*confidence));
    });
}

/// Two decimals.
fn rounded(confidence: f64) -> f64 {
    (confidence * 100.0).round() / 100.0
}
