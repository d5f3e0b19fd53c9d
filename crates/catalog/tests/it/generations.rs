//! A generation that shares segments with the one before is the one that building everything would make, and so is one from disk: the
//! same revision, rows, details, look-ups and searches.

use std::sync::Arc;

use crate::common::stored;
use proptest::prelude::*;
use refdesk_catalog::answer::{self, DetailExtras};
use refdesk_catalog::segment::{Extent, Found, SEGMENT_FORMAT, Segment, SegmentInput, Texts, Times};
use refdesk_catalog::snapshot::{Input, Snapshot, Stats};
use refdesk_core::codec::SnapshotError;
use refdesk_core::fact::{Identity, SourceInfo, Standing, StoredFact};
use refdesk_core::item::{Head, TrustTier};
use refdesk_core::query::{ListQuery, Params, SearchQuery};
use refdesk_core::{Kind, Stamp};
use refdesk_search::SearchRequest;
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
    let content_hash = refdesk_core::hash::content_hash(fields.to_string().as_bytes());
    let statement = refdesk_core::hash::short_hash(fields.to_string().as_bytes());
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
        statement,
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
    Snapshot::build(&Input { facts, sources: sources(), now, generation: 2, before: None, texts: None })
}

/// Kinds whose segments are to be built anew after some sources were synced.
fn outdated(before: &Snapshot, facts: &[StoredFact], synced: &[u8], now: Stamp) -> Vec<Kind> {
    let synced: Vec<&str> = synced.iter().map(|at| SOURCES[usize::from(*at)]).collect();
    let of_sources: Vec<StoredFact> = facts.iter().filter(|fact| synced.contains(&&*fact.source_id)).cloned().collect();
    before.outdated(&of_sources, &synced, &sources(), now)
}

/// What the program does: asks which kinds are outdated, builds their segments, shares the others.
fn next(before: &Snapshot, facts: &[StoredFact], synced: &[u8], now: Stamp) -> Snapshot {
    let outdated = outdated(before, facts, synced, now);
    let segments = Kind::ALL.map(|kind| {
        let known = &before.segments()[kind.index()];
        if !outdated.contains(&kind) {
            return Arc::clone(known);
        }
        let of_kind: Vec<StoredFact> = facts.iter().filter(|fact| fact.kind == kind).cloned().collect();
        let (sources, before) = (&sources()[..], Some(&**known));
        Arc::new(Segment::build(&SegmentInput { kind, facts: &of_kind, sources, now, before, texts: None }))
    });
    Snapshot::new(segments, now, 2, Some(before))
}

fn written(segment: &Segment) -> Vec<u8> {
    let mut bytes = Vec::new();
    segment.write(&mut bytes).unwrap();
    bytes
}

fn read(bytes: &[u8], kind: Kind, times: &Times) -> Result<Segment, SnapshotError> {
    read_at(bytes, kind, (times, NOW))
}

fn read_at(bytes: &[u8], kind: Kind, at: (&Times, Stamp)) -> Result<Segment, SnapshotError> {
    read_extent(bytes, kind, at, Extent::Whole)
}

fn read_extent(bytes: &[u8], kind: Kind, at: (&Times, Stamp), extent: Extent) -> Result<Segment, SnapshotError> {
    Segment::read(bytes, kind, at, extent, |_, behind| {
        let start = bytes.len() - behind as usize;
        Ok(Some(Arc::new(Shelf(bytes[start..].to_vec())) as Arc<dyn Texts>))
    })
}

/// A snapshot whose segments were written to disk and read again.
fn through_disk(snapshot: &Snapshot) -> Snapshot {
    let read = |segment: &Segment| read(&written(segment), segment.kind(), segment.times()).unwrap();
    let segments = Kind::ALL.map(|kind| Arc::new(read(snapshot.segment(kind))));
    Snapshot::new(segments, NOW, snapshot.generation(), None)
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
        text(answer::list(snapshot, kind, &ListQuery::parse(kind, &params).unwrap(), &[]).pieces.concat())
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
    for text in ["acme nova 100", "thing 3", "serves", "nova-10", "srves"] {
        shown.push(format!("{:?}", snapshot.search(&SearchRequest::new(text, 20))));
    }
    let stats = Stats { index_bytes: 0, ..snapshot.stats().clone() };
    shown.push(format!("{stats:?} {:?} {:?}", snapshot.next_change_at(), snapshot.withheld().collect::<Vec<_>>()));
    shown
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_generation_that_shares_segments_is_what_a_build_would_be(
        first in prop::collection::vec(said(), 1..40),
        then in prop::collection::vec(said(), 0..8),
        hours in 0..30_i64,
    ) {
        let before = build(&facts(&first), NOW);
        let from_disk = through_disk(&before);
        prop_assert_eq!((shown(&from_disk), from_disk.revision()), (shown(&before), before.revision()));
        let synced: Vec<u8> = then.iter().map(|said| said.source).collect();
        let all = facts(&[first, then].concat());
        let now = NOW.plus_secs(hours * HOUR);
        let (next, built) = (next(&from_disk, &all, &synced, now), build(&all, now));
        for (next, built) in shown(&next).iter().zip(&shown(&built)) {
            prop_assert_eq!(next, built);
        }
        prop_assert_eq!(next.revision(), built.revision());
        for kind in Kind::ALL {
            prop_assert!(written(next.segment(kind)) == written(built.segment(kind)), "{:?}", kind);
        }
    }
}

fn priced(thing: u8, price: u8) -> Said {
    Said { source: 0, thing, model: true, price, verified: 0, removed: false }
}

fn server(thing: u8) -> Said {
    Said { source: 0, thing, model: false, price: 1, verified: 0, removed: false }
}

#[test]
fn a_changed_price_builds_the_models_anew_and_shares_all_else() {
    let said = |price| [(0..12).map(|thing| priced(thing, 3)).collect(), vec![priced(5, price), server(1)]].concat();
    let before = build(&facts(&said(3)), NOW);
    let all = facts(&said(4));
    assert_eq!(outdated(&before, &all, &[0], NOW), [Kind::Model]);
    let after = next(&before, &all, &[0], NOW);
    assert_eq!(after.revision(), build(&all, NOW).revision());
    assert_ne!(after.revision(), before.revision());
    for kind in Kind::ALL {
        let shared = Arc::ptr_eq(&before.segments()[kind.index()], &after.segments()[kind.index()]);
        assert_eq!(shared, kind != Kind::Model, "{kind:?}");
    }
    let row = |snapshot: &Snapshot| -> Value {
        let answer::Resolved::Item(ordinal, _) = answer::resolve(snapshot, Kind::Model, "acme/nova-5") else {
            unreachable!("the model is there")
        };
        serde_json::from_slice(snapshot.row(ordinal)).unwrap()
    };
    let price = |snapshot: &Snapshot| row(snapshot)["offers"][0]["pricing"]["input"].clone();
    assert_eq!((price(&before), price(&after)), (json!(3), json!(4)));
}

#[test]
fn a_segment_is_outdated_by_facts_hours_and_sources_and_by_nothing_else() {
    let all = facts(&[(0..4).map(|thing| priced(thing, 3)).collect(), vec![server(1)]].concat());
    let before = build(&all, NOW);
    assert_eq!(outdated(&before, &all, &[0, 1, 2], NOW), []);
    assert_eq!(outdated(&before, &all, &[], NOW.plus_secs(23 * HOUR)), []);
    assert_eq!(outdated(&before, &all, &[], NOW.plus_secs(24 * HOUR)), [Kind::Model, Kind::McpServer]);
    assert_eq!(outdated(&before, &all[1..], &[0], NOW), [Kind::McpServer], "a fact is gone");
    let mut others = sources();
    others[0].stale_after_secs += 1;
    assert_eq!(before.outdated(&[], &[], &others, NOW), [Kind::Model, Kind::McpServer], "a source is described anew");
    assert_eq!(before.outdated(&[], &[], &others[1..], NOW), [Kind::Model, Kind::McpServer], "a source is gone");
    others[0] = sources().remove(0);
    others.pop();
    assert_eq!(before.outdated(&[], &[], &others, NOW), [], "a source without facts is gone");
}

#[test]
fn facts_that_were_only_confirmed_keep_the_search_index() {
    let all = facts(&(0..4).map(|thing| priced(thing, 3)).collect::<Vec<_>>());
    let before = build(&all, NOW);
    let mut confirmed = all.clone();
    for fact in &mut confirmed {
        fact.standing.last_verified_at = Some(NOW.plus_secs(HOUR));
    }
    let later = NOW.plus_secs(HOUR);
    let after = next(&before, &confirmed, &[0], later);
    let index = |snapshot: &Snapshot| Arc::clone(snapshot.segment(Kind::Model).index());
    assert!(Arc::ptr_eq(&index(&before), &index(&after)));
    assert_eq!(after.revision(), build(&confirmed, later).revision());
    assert_ne!(after.revision(), before.revision(), "times are shown");
    let (before_models, after_models) = (before.segment(Kind::Model), after.segment(Kind::Model));
    assert!(written(before_models) == written(after_models), "a file has no times");
    // What another machine does that has the file, and is told the times.
    let told = serde_json::to_string(after_models.times()).unwrap();
    assert_eq!(told, format!(r#"[{{"last_synced_at":"{NOW}","last_verified_at":"{later}","facts":"0-3"}}]"#));
    let taken_up = before_models.confirmed_at(&serde_json::from_str(&told).unwrap(), later).unwrap();
    let snapshot = |models| {
        let mut segments = after.segments().clone();
        segments[Kind::Model.index()] = models;
        Snapshot::new(segments, later, 2, None)
    };
    assert_eq!(shown(&snapshot(Arc::new(taken_up))), shown(&after));
    let of_disk = read_at(&written(before_models), Kind::Model, (after_models.times(), later)).unwrap();
    assert_eq!(shown(&snapshot(Arc::new(of_disk))), shown(&after));
    let renamed: Vec<StoredFact> = all.iter().cloned().map(|fact| StoredFact { statement: 7, ..fact }).collect();
    let after = next(&before, &renamed, &[0], NOW);
    assert!(!Arc::ptr_eq(&index(&before), &index(&after)), "what they say is another");
}

#[test]
fn a_segment_is_not_read_with_times_that_are_not_its_own() {
    let all = facts(&(0..4).map(|thing| priced(thing, 3)).collect::<Vec<_>>());
    let built = build(&all, NOW);
    let models = built.segment(Kind::Model);
    let few: Times = (0..3).map(|_| all[0].standing.confirmed()).collect();
    assert!(models.confirmed_at(&few, NOW).is_none());
    let refused = read(&written(models), Kind::Model, &few).unwrap_err().to_string();
    assert!(refused.contains("do not fit together"), "{refused}");
    for damaged in [r#""0-1,3""#, r#""0-2,1""#, r#""1-3""#, r#""0-4000000000""#, r#""x""#] {
        let table = format!(r#"[{{"last_synced_at":"{NOW}","last_verified_at":null,"facts":{damaged}}}]"#);
        assert!(serde_json::from_str::<Times>(&table).is_err(), "{damaged}");
    }
}

/// What is written is read by programs of the same format: whoever changes what is written, rendered or indexed raises
/// [`SEGMENT_FORMAT`] and puts the new hash here.
#[test]
fn the_bytes_of_a_segment_are_those_of_its_format() {
    let facts = facts(&[(0..12).map(|thing| priced(thing, 3)).collect(), vec![server(1)]].concat());
    let built = build(&facts, NOW);
    let bytes = [written(built.segment(Kind::Model)), written(built.segment(Kind::McpServer))].concat();
    let hash = refdesk_core::hash::content_hash(&bytes);
    assert_eq!((SEGMENT_FORMAT, &hash[..23]), (9, "sha256:cd18e5824808a58c"));
    let models = built.segment(Kind::Model);
    let other = read(&written(models), Kind::Tool, models.times()).unwrap_err().to_string();
    assert!(other.contains(&format!("format {SEGMENT_FORMAT} of models")), "{other}");
}

#[test]
fn rows_that_are_read_when_they_are_asked_for_are_those_of_the_whole() {
    let all = facts(&[(0..12).map(|thing| priced(thing, 3)).collect(), vec![server(1), server(2)]].concat());
    let built = build(&all, NOW);
    for extent in [Extent::OneSearch, Extent::OneLookUp] {
        let of_disk = |kind: Kind| {
            let segment = built.segment(kind);
            Arc::new(read_extent(&written(segment), kind, (segment.times(), NOW), extent).unwrap())
        };
        let part = Snapshot::new(Kind::ALL.map(of_disk), NOW, 2, None);
        assert_eq!((part.revision(), part.stats().row_bytes), (built.revision(), built.stats().row_bytes));
        let (mut of_part, mut of_whole) = (shown(&part), shown(&built));
        if extent == Extent::OneLookUp {
            // Without an index nothing is found; all else is there.
            of_part.retain(|said| !said.starts_with("SearchOutcome"));
            of_whole.retain(|said| !said.starts_with("SearchOutcome"));
        }
        assert_eq!(of_part, of_whole);
        if extent == Extent::OneSearch {
            assert_eq!(found(&part, "serves"), found(&built, "serves"));
            assert!(
                written(part.segment(Kind::Model)) == written(built.segment(Kind::Model)),
                "they can be written again"
            );
        }
    }
}

#[test]
fn damaged_rows_are_refused_before_any_is_asked_for() {
    let built = build(&facts(&(0..12).map(|thing| priced(thing, 3)).collect::<Vec<_>>()), NOW);
    let models = built.segment(Kind::Model);
    let mut bytes = written(models);
    *bytes.last_mut().unwrap() ^= 1;
    for extent in [Extent::Whole, Extent::OneSearch, Extent::OneLookUp] {
        let refused = read_extent(&bytes, Kind::Model, (models.times(), NOW), extent).unwrap_err().to_string();
        assert!(refused.contains("the rows are damaged"), "{extent:?}: {refused}");
    }
}

#[test]
fn the_beginning_of_a_segment_tells_whether_it_may_have_a_name() {
    let built = build(&facts(&[vec![server(1)], (0..3).map(|thing| priced(thing, 3)).collect()].concat()), NOW);
    let segment = built.segment(Kind::Model);
    let models = written(segment);
    let may_name = |texts: &[&str]| Segment::may_name(&models[..], Kind::Model, texts).unwrap();
    let (id, shouted) = (segment.id(0), segment.id(0).to_uppercase());
    for (text, is_there) in [(id, true), (&shouted, true), ("acme/nova-1", true), ("acme/nova-9", false), ("", false)] {
        assert_eq!((may_name(&[text]), segment.find(text) != Found::Unknown), (is_there, is_there), "{text}");
    }
    assert!(may_name(&["acme/nova-9", id]) && !may_name(&[]));
    assert!(Segment::may_name(&models[..], Kind::Tool, &["unknown"]).is_err());
}

/// Ids of the hits of a search.
fn found(snapshot: &Snapshot, text: &str) -> Vec<String> {
    let params = SearchQuery::params([("q", text)]);
    let outcome = answer::find(snapshot, &SearchQuery::parse(&params).unwrap(), None).outcome;
    assert_eq!(outcome.total, outcome.hits.len(), "few are counted exactly");
    outcome.hits.iter().map(|hit| snapshot.id(hit.ordinal).to_owned()).collect()
}

fn described(thing: u8, description: &str) -> StoredFact {
    let mut fact = fact(&Said { source: 0, thing, model: false, price: 1, verified: 0, removed: false });
    fact.statement = refdesk_core::hash::short_hash(description.as_bytes());
    fact.head.id = format!("thing-{thing}");
    fact.identity = Identity::default();
    fact.fields = json!({ "description": description }).as_object().unwrap().clone().into();
    fact
}

#[test]
fn a_generation_from_disk_finds_what_was_written() {
    let all: Vec<StoredFact> = (0..6).map(|thing| described(thing, "counts sheep in the meadow")).collect();
    let built = build(&all, NOW);
    let from_disk = through_disk(&built);
    for text in ["sheep", "sheap", "server-1-4", "thing 3 meadow", "cow"] {
        assert_eq!(found(&from_disk, text), found(&built, text), "{text}");
    }
    assert_eq!(found(&from_disk, "sheap").len(), 6);
    let mut changed = all;
    changed[2] = described(2, "paints ships in bottles");
    changed.push(described(7, "counts sheep at night"));
    let after = next(&from_disk, &changed, &[0], NOW);
    assert_eq!(found(&after, "ships"), ["thing-2"]);
    assert_eq!(found(&after, "meadow"), ["thing-0", "thing-1", "thing-3", "thing-4", "thing-5"]);
    assert_eq!(found(&after, "night"), ["thing-7"]);
    let kinds = 1 << Kind::McpServer.index();
    assert_eq!(after.near("server-1-7x", kinds, 1)[0].0, 6);
}

fn with_shelf(facts: &[StoredFact]) -> Snapshot {
    let shelf = || Some(Box::new(Shelf(Vec::new())) as Box<dyn Texts>);
    let texts: Option<refdesk_catalog::segment::NewTexts<'_>> = Some(&shelf);
    Snapshot::build(&Input { facts, sources: sources(), now: NOW, generation: 2, before: None, texts })
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
    let outside = with_shelf(&all);
    assert_eq!(outside.passage(0), "counts sheep\nAt night goats graze on the hill.");
    let again = through_disk(&outside);
    for snapshot in [&outside, &again, &through_disk(&inside)] {
        assert_eq!(snapshot.revision(), inside.revision());
        assert!((0..3).all(|ordinal| snapshot.passage(ordinal) == inside.passage(ordinal)));
    }
    all[2] = with_body(2, "owls");
    let after = next(&again, &all, &[0], NOW);
    assert_eq!(after.passage(0), inside.passage(0));
    assert_eq!(after.passage(2), "counts sheep\nAt night owls graze on the hill.");
}

#[test]
fn a_text_that_a_disk_damaged_is_not_shown() {
    let mut fact = described(0, "counts sheep");
    fact.has_body = true;
    fact.body_text = "At night goats graze.".into();
    let built = with_shelf(&[fact]);
    let servers = built.segment(Kind::McpServer);
    let mut bytes = written(servers);
    let places: Vec<usize> = (0..bytes.len()).filter(|at| bytes[*at..].starts_with(b"goats graze.")).collect();
    let [goats] = places[..] else { panic!("the text is not there once: {places:?}") };
    bytes[goats] ^= 1;
    assert_eq!(read(&bytes, Kind::McpServer, servers.times()).unwrap().passage(0), "counts sheep");
}

#[test]
fn a_segment_that_is_damaged_or_cut_off_is_refused() {
    let said: Vec<Said> = (0..12).map(|thing| priced(thing, 3)).collect();
    let built = build(&facts(&said), NOW);
    let models = built.segment(Kind::Model);
    let bytes = written(models);
    assert!(bytes.len() > 5_000, "{}", bytes.len());
    for cut in (0..bytes.len()).step_by(97).chain([bytes.len() - 1]) {
        assert!(read(&bytes[..cut], Kind::Model, models.times()).is_err(), "cut at {cut}");
    }
    for at in (0..bytes.len()).step_by(89) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x10;
        assert!(read(&damaged, Kind::Model, models.times()).is_err(), "byte {at}");
    }
}
