//! What is written of a segment and read again: whole or in parts, with texts beside it, and refused where it is damaged.

use std::sync::Arc;

use super::*;
use refdesk_catalog::segment::{Found, SEGMENT_FORMAT};

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
    assert_eq!((SEGMENT_FORMAT, &hash[..23]), (27, "sha256:2e1ae55c891d8846"));
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
    let may_name = |texts: &[&str]| Segment::may_name(&mut &models[..], Kind::Model, texts).unwrap();
    let (id, shouted) = (segment.id(0), segment.id(0).to_uppercase());
    for (text, is_there) in [(id, true), (&shouted, true), ("acme/nova-1", true), ("acme/nova-9", false), ("", false)] {
        assert_eq!((may_name(&[text]), segment.find(text) != Found::Unknown), (is_there, is_there), "{text}");
    }
    assert!(may_name(&["acme/nova-9", id]) && !may_name(&[]));
    assert!(Segment::may_name(&mut &models[..], Kind::Tool, &["unknown"]).is_err());
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
