//! An updated snapshot is the one that building anew would make: the same revision, rows, details and look-ups.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

use crate::common::stored;
use proptest::prelude::*;
use refdesk_catalog::snapshot::answer::{self, DetailExtras};
use refdesk_catalog::snapshot::{Changes, ImageError, Input, Snapshot, Stats, Texts};
use refdesk_core::fact::{Identity, SourceInfo, Standing, StoredFact};
use refdesk_core::item::{Head, TrustTier};
use refdesk_core::query::{ListQuery, Params, SearchQuery};
use refdesk_core::{Kind, Stamp};
use serde_json::{Value, json};

const NOW: Stamp = Stamp(1_790_000_000);
const HOUR: i64 = 3_600;
const SOURCES: [&str; 3] = ["one", "two", "three"];

fn sources() -> Vec<SourceInfo> {
    let of = |(rank, id): (i32, &str)| SourceInfo {
        id: Arc::from(id),
        name: id.to_uppercase(),
        license: None,
        attribution: None,
        trust_tier: TrustTier::Community,
        rank,
        stale_after_secs: 24 * HOUR,
        own_list_of: None,
    };
    (0..).zip(SOURCES).map(of).collect()
}

/// A statement of one of few things by one of few sources, so that they meet often.
#[derive(Debug, Clone)]
struct Said {
    source: u8,
    thing: u8,
    model: bool,
    price: u8,
    verified: i64,
    removed: bool,
}

fn said() -> impl Strategy<Value = Said> {
    (0..3_u8, 0..12_u8, any::<bool>(), 1..9_u8, -40..1_i64, prop::bool::weighted(0.1)).prop_map(
        |(source, thing, model, price, verified, removed)| Said { source, thing, model, price, verified, removed },
    )
}

/// Facts in the store's order, each source and thing once.
fn facts(said: &[Said]) -> Vec<StoredFact> {
    let mut facts: Vec<StoredFact> = Vec::new();
    for said in said {
        let fact = fact(said);
        let key = |fact: &StoredFact| (fact.source_id.clone(), fact.kind, fact.key.clone());
        facts.retain(|other| key(other) != key(&fact));
        facts.push(fact);
    }
    facts.sort_by(|a, b| (&a.source_id, a.kind.singular(), &a.key).cmp(&(&b.source_id, b.kind.singular(), &b.key)));
    facts
}

fn fact(said: &Said) -> StoredFact {
    let (source, thing) = (SOURCES[usize::from(said.source)], said.thing);
    // Six models, and six spellings of a seventh: plain and `instruct`, with and without a size, as a preview, and a snapshot.
    let spelling = ["", "-instruct", "-8b", "-8b-instruct", "-preview", "-2025-01-01"][usize::from(thing) % 6];
    let key = match (said.model, thing) {
        (true, 0..6) => format!("acme/nova-{thing}"),
        (true, _) => format!("acme/nova-100{spelling}"),
        (false, _) => format!("server-{}-{thing}", thing % 3),
    };
    let fields = if said.model {
        json!({"pricing": {"input": said.price}, "limits": {"context_tokens": 1000 * i64::from(said.price)}})
    } else {
        json!({"version": said.price.to_string(), "description": "serves"})
    };
    let identity = if said.model {
        Identity { provider: Some(["acme", "resale", "other"][usize::from(said.source)].into()), ..Identity::default() }
    } else {
        // Things of one rest share a repository: a collection in one source, a meeting between sources.
        // Some have it with a folder, some run the same package or answer at the same address.
        let folder = if thing % 4 == 1 { "#src" } else { "" };
        Identity {
            repository: (thing != 7).then(|| format!("https://github.com/acme/server-{}{folder}", thing % 5)),
            packages: (thing % 3 == 0).then(|| format!("npm:server-{}", thing % 2)).into_iter().collect(),
            remotes: (thing % 6 > 3).then(|| format!("https://mcp.acme.example/{}", thing % 4)).into_iter().collect(),
            ..Identity::default()
        }
    };
    let verified = NOW.plus_secs(said.verified * HOUR);
    let mut hasher = DefaultHasher::new();
    (said.price, fields.to_string()).hash(&mut hasher);
    let content_hash = refdesk_core::hash::content_hash(fields.to_string().as_bytes());
    let fact = stored(source, if said.model { Kind::Model } else { Kind::McpServer }, &key, fields, verified);
    // Some want one id, and some are called what others want to be.
    let head = Head {
        id: format!("thing {}", thing % 7),
        aliases: (thing % 4 == 2).then(|| format!("thing-{}", thing % 5)).into_iter().collect(),
        trust_tier: (thing % 3 == 1).then_some(TrustTier::Verified),
        ..fact.head
    };
    StoredFact {
        row: i64::from(said.source) * 1_000 + i64::from(thing) * 2 + i64::from(said.model),
        statement: hasher.finish(),
        head,
        content_hash,
        identity,
        standing: Standing {
            first_seen_at: NOW.plus_secs(-100 * HOUR),
            removed_at: said.removed.then_some(verified),
            ..fact.standing
        },
        ..fact
    }
}

fn build(facts: &[StoredFact], now: Stamp) -> Snapshot {
    Snapshot::build(Input { facts, sources: sources(), now, generation: 2, before: None, texts: None })
}

/// What the program does: asks what is touched, loads it, updates.
fn update(before: &Snapshot, facts: &[StoredFact], synced: &[u8], now: Stamp) -> Option<Snapshot> {
    let of_synced = |fact: &&StoredFact| synced.iter().any(|at| *SOURCES[usize::from(*at)] == *fact.source_id);
    let of_sources: Vec<StoredFact> = facts.iter().filter(of_synced).cloned().collect();
    let rows = before.touched(&of_sources, &sources(), now)?;
    let loaded: Vec<StoredFact> = facts.iter().filter(|fact| rows.contains(&fact.row)).cloned().collect();
    assert_eq!(loaded.len(), rows.len(), "every touched fact is there");
    before.update(&Changes { facts: &loaded, sources: sources(), now, generation: 2 })
}

/// A snapshot written to an image and read from it.
fn through_image(snapshot: &Snapshot) -> Snapshot {
    let mut image = Vec::new();
    snapshot.write_image(&mut image).unwrap();
    read(&image, snapshot.generation()).unwrap()
}

fn read(image: &[u8], generation: u64) -> Result<Snapshot, ImageError> {
    Snapshot::read_image(image, generation, |rest, bytes| {
        assert_eq!(rest.len() as u64, bytes);
        Ok(Some(Arc::new(Shelf(rest.to_vec())) as Arc<dyn Texts>))
    })
}

/// Texts outside of a snapshot.
#[derive(Debug)]
struct Shelf(Vec<u8>);

impl Texts for Shelf {
    fn put(&mut self, bytes: &[u8]) -> Option<u64> {
        let at = self.bytes();
        self.0.extend_from_slice(bytes);
        Some(at)
    }

    fn get(&self, at: u64, bytes: usize) -> Option<Vec<u8>> {
        self.0.get(at as usize..at as usize + bytes).map(<[u8]>::to_vec)
    }

    fn bytes(&self) -> u64 {
        self.0.len() as u64
    }
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap()
}

/// Everything that is shown of both kinds.
fn shown(snapshot: &Snapshot) -> Vec<String> {
    let list = |kind: Kind| {
        let params = Params::new([("limit", "500")], ListQuery::names(kind));
        text(answer::list(snapshot, kind, &ListQuery::read(kind, &params).unwrap(), &[]).concat())
    };
    let mut shown = vec![list(Kind::Model), list(Kind::McpServer)];
    for ordinal in 0..snapshot.item_count() {
        shown.push(text(answer::detail(snapshot, ordinal, &DetailExtras::default())));
    }
    for thing in 0..12 {
        for (kind, text) in
            [(Kind::Model, format!("acme/nova-{thing}")), (Kind::McpServer, format!("SERVER-1-{thing}"))]
        {
            shown.push(format!("{:?}", snapshot.find(kind, &text)));
        }
    }
    let stats = Stats { index_bytes: 0, ..snapshot.stats().clone() };
    shown.push(format!("{stats:?} {:?} {:?}", snapshot.next_change_at(), snapshot.withheld()));
    shown
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_update_is_what_a_build_would_be(
        first in prop::collection::vec(said(), 1..40),
        then in prop::collection::vec(said(), 0..8),
        hours in 0..30_i64,
    ) {
        let before = build(&facts(&first), NOW);
        let image = through_image(&before);
        prop_assert_eq!((shown(&image), image.revision()), (shown(&before), before.revision()));
        let synced: Vec<u8> = then.iter().map(|said| said.source).collect();
        let all = facts(&[first, then].concat());
        let now = NOW.plus_secs(hours * HOUR);
        if let Some(updated) = update(&image, &all, &synced, now) {
            let built = build(&all, now);
            for (updated, built) in shown(&updated).iter().zip(&shown(&built)) {
                prop_assert_eq!(updated, built);
            }
            prop_assert_eq!(updated.revision(), built.revision());
        }
    }
}

fn priced(thing: u8, price: u8) -> Said {
    Said { source: 0, thing, model: true, price, verified: 0, removed: false }
}

#[test]
fn a_changed_price_is_an_update_and_its_neighbours_are_not_touched() {
    let first: Vec<Said> = (0..12).map(|thing| priced(thing, 3)).collect();
    let before = build(&facts(&first), NOW);
    let all = facts(&[first, vec![priced(5, 4)]].concat());
    assert_eq!(before.touched(&all, &sources(), NOW), Some(vec![11]), "only the fact itself is loaded");
    let updated = update(&before, &all, &[0], NOW).unwrap();
    assert_eq!(updated.revision(), build(&all, NOW).revision());
    assert_ne!(updated.revision(), before.revision());
    let row = |snapshot: &Snapshot| -> Value {
        let answer::Resolved::Item(ordinal, _) = answer::resolve(snapshot, Kind::Model, "acme/nova-5") else {
            unreachable!("the model is there")
        };
        serde_json::from_slice(snapshot.row(ordinal)).unwrap()
    };
    let price = |snapshot: &Snapshot| row(snapshot)["offers"][0]["pricing"]["input"].clone();
    assert_eq!((price(&before), price(&updated)), (json!(3), json!(4)));
}

#[test]
fn nothing_changed_touches_nothing_and_a_stale_hour_touches_what_turns_stale() {
    let first: Vec<Said> = (0..4).map(|thing| priced(thing, 3)).collect();
    let all = facts(&first);
    let before = build(&all, NOW);
    assert_eq!(before.touched(&all, &sources(), NOW), Some(Vec::new()));
    assert_eq!(before.touched(&[], &sources(), NOW.plus_secs(23 * HOUR)), Some(Vec::new()));
    assert_eq!(before.touched(&[], &sources(), NOW.plus_secs(24 * HOUR)), Some(vec![1, 3, 5, 7]));
}

#[test]
fn what_an_update_cannot_make_alike_is_refused() {
    let first: Vec<Said> = (0..4).map(|thing| priced(thing, 3)).collect();
    let before = build(&facts(&first), NOW);
    let fewer = facts(&first[..3]);
    assert!(update(&before, &fewer, &[0], NOW).is_none(), "a fact is gone");
    let mut others = sources();
    others[0].stale_after_secs += 1;
    assert_eq!(before.touched(&facts(&first), &others, NOW), None, "a source's settings changed");
}

/// Ids of the hits of a search.
fn found(snapshot: &Snapshot, text: &str) -> Vec<String> {
    let params = Params::new([("q", text)], &SearchQuery::NAMES);
    let outcome = answer::find(snapshot, &SearchQuery::read(&params).unwrap(), None);
    assert_eq!(outcome.total, outcome.hits.len(), "few are counted exactly");
    outcome.hits.iter().map(|hit| snapshot.id(hit.ordinal).to_owned()).collect()
}

fn described(thing: u8, description: &str) -> StoredFact {
    let mut fact = fact(&Said { source: 0, thing, model: false, price: 1, verified: 0, removed: false });
    let mut hasher = DefaultHasher::new();
    description.hash(&mut hasher);
    fact.statement = hasher.finish();
    fact.head.id = format!("thing-{thing}");
    fact.identity = Identity::default();
    fact.fields = json!({ "description": description }).as_object().unwrap().clone().into();
    fact
}

#[test]
fn an_image_finds_what_its_snapshot_finds() {
    let all: Vec<StoredFact> = (0..6).map(|thing| described(thing, "counts sheep in the meadow")).collect();
    let built = build(&all, NOW);
    let image = through_image(&built);
    for text in ["sheep", "sheap", "server-1-4", "thing 3 meadow", "cow"] {
        assert_eq!(found(&image, text), found(&built, text), "{text}");
    }
    assert_eq!(found(&image, "sheap").len(), 6);
    let mut changed = all;
    changed[2] = described(2, "paints ships in bottles");
    let updated = update(&image, &changed, &[0], NOW).unwrap();
    assert_eq!(found(&updated, "ships"), ["thing-2"]);
    let layered = updated.write_image(Vec::new()).unwrap_err().to_string();
    assert!(layered.contains("one that was built is needed"), "{layered}");
}

#[test]
fn texts_outside_are_those_in_memory() {
    let with_body = |thing: u8, body: &str| {
        let mut fact = described(thing, "counts sheep");
        fact.has_body = true;
        fact.body_text = format!("At night {body} graze on the hill.").into();
        fact.statement ^= body.len() as u64;
        fact
    };
    let mut all = vec![with_body(0, "goats"), described(1, "counts goats"), with_body(2, "wolves")];
    let inside = build(&all, NOW);
    let shelf = Some(Box::new(Shelf(Vec::new())) as Box<dyn Texts>);
    let outside =
        Snapshot::build(Input { facts: &all, sources: sources(), now: NOW, generation: 2, before: None, texts: shelf });
    assert_eq!(outside.passage(0), "counts sheep\nAt night goats graze on the hill.");
    let again = through_image(&outside);
    all[2] = with_body(2, "owls");
    let updated = update(&again, &all, &[0], NOW).unwrap();
    for snapshot in [&outside, &again, &through_image(&inside)] {
        assert_eq!(snapshot.revision(), inside.revision());
        assert!((0..3).all(|ordinal| snapshot.passage(ordinal) == inside.passage(ordinal)));
    }
    assert_eq!(updated.passage(0), inside.passage(0));
    assert_eq!(updated.passage(2), "counts sheep\nAt night owls graze on the hill.");
}

#[test]
fn a_text_that_a_disk_damaged_is_not_shown() {
    let mut fact = described(0, "counts sheep");
    fact.has_body = true;
    fact.body_text = "At night goats graze.".into();
    let shelf = Some(Box::new(Shelf(Vec::new())) as Box<dyn Texts>);
    let all = [fact];
    let built =
        Snapshot::build(Input { facts: &all, sources: sources(), now: NOW, generation: 2, before: None, texts: shelf });
    let mut image = Vec::new();
    built.write_image(&mut image).unwrap();
    let goats = image.len() - "goats graze.".len();
    assert_eq!(&image[goats..], b"goats graze.");
    image[goats] ^= 1;
    assert_eq!(read(&image, 1).unwrap().passage(0), "counts sheep");
}

#[test]
fn an_image_that_is_damaged_or_cut_off_is_refused() {
    let said: Vec<Said> = (0..12).map(|thing| priced(thing, 3)).collect();
    let mut image = Vec::new();
    build(&facts(&said), NOW).write_image(&mut image).unwrap();
    assert!(image.len() > 5_000, "{}", image.len());
    for cut in (0..image.len()).step_by(97).chain([image.len() - 1]) {
        assert!(read(&image[..cut], 1).is_err(), "cut at {cut}");
    }
    for at in (0..image.len()).step_by(89) {
        let mut damaged = image.clone();
        damaged[at] ^= 0x10;
        assert!(read(&damaged, 1).is_err(), "byte {at}");
    }
}

#[test]
fn what_an_update_indexes_again_is_found_and_what_it_replaces_is_not() {
    let mut all: Vec<StoredFact> = (0..6).map(|thing| described(thing, "counts sheep in the meadow")).collect();
    let before = build(&all, NOW);
    assert_eq!(found(&before, "sheep").len(), 6);
    all[2] = described(2, "paints ships in bottles");
    all.push(described(7, "counts sheep at night"));
    let first = update(&before, &all, &[0], NOW).unwrap();
    assert!(first.index().has_layers() && !before.index().has_layers());
    assert_eq!(found(&first, "ships"), ["thing-2"]);
    assert_eq!(found(&first, "meadow"), ["thing-0", "thing-1", "thing-3", "thing-4", "thing-5"]);
    assert_eq!(found(&first, "night"), ["thing-7"]);
    assert_eq!(found(&first, "server-1-7")[0], "thing-7", "a new item is found by its name");
    assert_eq!(found(&first, "sheap").len(), 6, "a typing error is mended by the words of both layers");
    let kinds = 1 << Kind::McpServer.index();
    assert_eq!(first.index().similar_names("server-1-7x", kinds, 1), [6]);
    // The second update indexes again what the first did, and the new item stays as it is.
    all[2] = described(2, "sails the sea");
    let second = update(&first, &all, &[0], NOW).unwrap();
    assert_eq!(
        (found(&second, "ships").len(), found(&second, "sea"), found(&second, "night")),
        (0, vec!["thing-2".into()], vec!["thing-7".into()])
    );
    assert_eq!(second.revision(), build(&all, NOW).revision());
    assert_ne!(first.search_mark(), "", "its searches are told apart from those of a build");
}
