//! Where sources disagree: the value that is shown and the rule that chose it, beside what others state.

use std::collections::{BTreeMap, BTreeSet};

use rust_decimal::Decimal;
use serde_json::{Map, Value};

use super::lists::at;
use crate::json::{self, Object};
use crate::resolve::rules::Role;
use crate::segment::{EvidenceRecord, Segment};
use crate::snapshot::Snapshot;
use refdesk_core::fact::EvidenceKey;
use refdesk_core::field::is_within;
use refdesk_core::query::{ConflictsQuery, Test, Warning};
use refdesk_core::{Kind, Usd, clean, field};

/// A path of which a smaller share is equal, by edit distance, is not named as the nearest.
const NEAR_FROM: f64 = 0.6;
/// Longer paths are compared by their beginning.
const PATH_CHARS_MAX: usize = 100;
/// Decimals of a percentage.
const PERCENT_DECIMALS: u32 = 2;

/// A field that sources disagree on.
struct Disagreement<'a> {
    kind: Kind,
    id: &'a str,
    path: String,
    value: Value,
    /// What the shown value rests on, and the rule that chose it; none where an offer shows no value.
    evidence: Option<(EvidenceRecord<'a>, Option<&'a str>)>,
    /// What others state, and how far apart that is.
    others: Vec<(Value, Distance)>,
}

/// How far another value is from the one that is shown, in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Distance {
    /// At least one of the two is not a number.
    Unknown,
    /// So many percent of what is shown.
    Percent(Decimal),
    /// 0 is shown: further than any percentage.
    Infinite,
}

/// A page of the fields that sources disagree on, and where the next one begins: the widest apart first, then by kind, id and path.
pub fn conflicts(snapshot: &Snapshot, query: &ConflictsQuery, warnings: &[Warning]) -> (Vec<u8>, Option<usize>) {
    let kinds = query.kind.map_or_else(|| Kind::ALL.to_vec(), |kind| vec![kind]);
    let mut found: Vec<Disagreement<'_>> = Vec::new();
    for kind in &kinds {
        for row in with_conflicts(snapshot, *kind) {
            found.extend(of_item(snapshot.segment(*kind), row).filter(|conflict| is_asked(conflict, query)));
        }
    }
    let widest = |conflict: &Disagreement<'_>| conflict.others.iter().map(|(_, distance)| *distance).max();
    found.sort_by(|a, b| widest(b).cmp(&widest(a)).then_with(|| (a.kind, a.id, &a.path).cmp(&(b.kind, b.id, &b.path))));
    let total = found.len();
    let end = query.offset.saturating_add(query.limit);
    let mut out = Vec::with_capacity(4096);
    let mut object = Object::open(&mut out);
    object.objects("conflicts", found.iter().skip(query.offset).take(query.limit), |object, conflict| {
        write(snapshot.segment(conflict.kind), conflict, object);
    });
    object.count("limit", query.limit);
    object.count("offset", query.offset);
    object.count("total", total);
    let next_offset = (end < total).then_some(end);
    object.value("next_offset", &next_offset);
    let unknown = query.path.as_deref().filter(|_| total == 0).and_then(|path| unknown_path(snapshot, &kinds, path));
    object.value("warnings", &warnings.iter().chain(&query.warnings).chain(&unknown).collect::<Vec<_>>());
    object.close();
    (out, next_offset)
}

/// Says that nothing known is at a path, with the nearest that is: a field of the kinds, or what sources disagree on.
fn unknown_path(snapshot: &Snapshot, kinds: &[Kind], path: &str) -> Option<Warning> {
    let fields = kinds.iter().flat_map(|kind| field::of_kind(*kind)).map(|field| field.path.to_owned());
    let mut known: BTreeSet<String> = fields.filter(|path| !path.is_empty()).collect();
    for kind in kinds {
        let conflicts =
            with_conflicts(snapshot, *kind).into_iter().flat_map(|row| stated(snapshot.segment(*kind), row));
        known.extend(conflicts.filter_map(|conflict| Some(conflict["path"].as_str()?.to_owned())));
    }
    if known.iter().any(|known| is_within(known, path) || is_within(path, known)) {
        return None;
    }
    let said = clean::excerpt(path, PATH_CHARS_MAX).to_lowercase();
    let likeness = |known: &str| strsim::normalized_damerau_levenshtein(&said, &known.to_lowercase());
    let nearest =
        known.iter().map(|known| (likeness(known), known)).max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(a.1)));
    let nearest = nearest.filter(|(likeness, _)| *likeness >= NEAR_FROM);
    let nearest = nearest.map(|(_, known)| format!("; the nearest path is `{known}`")).unwrap_or_default();
    let shown = clean::quoted(path);
    Some(format!("`path`: sources disagree on nothing at `{shown}`{nearest}").into())
}

/// How many other values sources state of an item.
pub fn conflict_count(snapshot: &Snapshot, kind: Kind, id: &str) -> usize {
    let segment = snapshot.segment(kind);
    segment.by_id(id).map_or(0, |row| stated(segment, row).len())
}

/// What else sources state of an item.
fn stated(segment: &Segment, row: u32) -> Vec<Value> {
    let mut tail: Map<String, Value> = json::read_own(&[b"{", segment.item(row).detail_tail, b"}"].concat());
    match tail.remove("conflicts") {
        Some(Value::Array(conflicts)) => conflicts,
        _ => Vec::new(),
    }
}

/// The rows of a kind that are shown and have conflicts.
fn with_conflicts(snapshot: &Snapshot, kind: Kind) -> Vec<u32> {
    let segment = snapshot.segment(kind);
    let mut rows: Vec<u32> = (0..segment.len()).filter(|row| snapshot.shows(kind, *row)).collect();
    if let Some(column) = segment.column("has_conflicts") {
        let accepted = column.accepted(&Test::Is(true));
        column.codes.retain(&mut rows, |code| accepted.contains(code));
    }
    rows
}

fn is_asked(conflict: &Disagreement<'_>, query: &ConflictsQuery) -> bool {
    query.path.as_deref().is_none_or(|path| is_within(&conflict.path, path))
        && query
            .min_percent
            .is_none_or(|least| conflict.others.iter().any(|(_, distance)| *distance >= Distance::Percent(least)))
}

/// The conflicts of an item, by path.
fn of_item(segment: &Segment, row: u32) -> impl Iterator<Item = Disagreement<'_>> {
    let item = segment.item(row);
    let shown: Value = json::read_own(segment.row(row));
    let mut by_path: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for conflict in stated(segment, row) {
        let path = conflict["path"].as_str().unwrap_or_default().to_owned();
        by_path.entry(path).or_default().push(conflict);
    }
    by_path.into_iter().map(move |(path, others)| {
        let value = at_conflict(&shown, &path).cloned();
        let of_field = segment.stated_by(&item, &path).map(|(evidence, rule)| (evidence, Some(rule)));
        let evidence = of_field.or_else(|| {
            // An offer is what its best source says of it, but for values that other sources add.
            let (offer, _) = offer_at(&shown, &path)?;
            Some((evidence_of(segment, offer)?, value.is_some().then_some(Role::Source.as_str())))
        });
        let value = value.unwrap_or_default();
        let others = others.into_iter().map(|other| (other.clone(), distance(&value, &other["value"]))).collect();
        Disagreement { kind: segment.kind(), id: segment.id(row), evidence, path, value, others }
    })
}

/// The evidence that an offer or a conflict names.
fn evidence_of<'a>(segment: &'a Segment, naming: &Value) -> Option<EvidenceRecord<'a>> {
    let key = EvidenceKey::parse(naming["evidence_key"].as_str()?)?;
    segment.all_evidence().slot(key).map(|slot| segment.all_evidence().get(slot))
}

/// The value that an item shows at the path of a conflict; `None` where it shows none.
pub fn at_conflict<'i>(item: &'i Value, path: &str) -> Option<&'i Value> {
    let value = match offer_at(item, path) {
        Some((offer, below)) => at(offer, below),
        None => at(item, path),
    };
    value.filter(|value| !value.is_null())
}

/// The offer that a path speaks of, and the path below it. Such a path names seller and id, `offers.SELLER.ID.pricing.input`, and both may
/// have dots, so the names are those of the offers.
pub fn offer_at<'i, 'p>(item: &'i Value, path: &'p str) -> Option<(&'i Value, &'p str)> {
    let below = path.strip_prefix("offers.")?;
    item.get("offers")?.as_array()?.iter().find_map(|offer| {
        let name = |name: &str| offer.get(name).and_then(Value::as_str);
        let rest = below.strip_prefix(name("provider")?)?.strip_prefix('.')?;
        let rest = rest.strip_prefix(name("api_model_id")?)?.strip_prefix('.')?;
        // Another id may begin with this one.
        at(offer, rest).map(|_| (offer, rest))
    })
}

/// How far another number is from the one that is shown.
fn distance(shown: &Value, other: &Value) -> Distance {
    let number = |value: &Value| value.is_number().then(|| Usd::from_json(value)).flatten().map(Usd::decimal);
    let (Some(shown), Some(other)) = (number(shown), number(other)) else { return Distance::Unknown };
    if shown.is_zero() && !other.is_zero() {
        return Distance::Infinite;
    }
    percent(shown, other).map_or(Distance::Unknown, Distance::Percent)
}

/// By how many percent of a number another one differs.
fn percent(shown: Decimal, other: Decimal) -> Option<Decimal> {
    let share = other.checked_sub(shown)?.abs().checked_div(shown.abs())?;
    Some(share.checked_mul(Decimal::ONE_HUNDRED)?.round_dp(PERCENT_DECIMALS).normalize())
}

fn write(segment: &Segment, conflict: &Disagreement<'_>, object: &mut Object<'_>) {
    object.text("type", conflict.kind.search_type());
    object.text("id", conflict.id);
    object.text("path", &conflict.path);
    object.value("value", &conflict.value);
    let shown = conflict.evidence.as_ref().map(|(evidence, _)| evidence);
    object.optional("source_id", shown.map(|evidence| &*evidence.source.id));
    object.optional("rule", conflict.evidence.as_ref().and_then(|(_, rule)| *rule));
    object.value("evidence_key", &shown.map(|evidence| evidence.key.to_string()));
    verified(object, shown);
    object.objects("others", &conflict.others, |entry, (other, distance)| {
        entry.value("value", &other["value"]);
        entry.value("source_id", &other["source_id"]);
        entry.value("evidence_key", &other["evidence_key"]);
        verified(entry, evidence_of(segment, other).as_ref());
        match distance {
            Distance::Percent(percent) => entry.raw("percent", percent.to_string()),
            Distance::Unknown | Distance::Infinite => entry.raw("percent", "null"),
        }
        entry.flag("withheld", other["withheld"] == Value::Bool(true));
        entry.value("reason", &other["reason"]);
        entry.value("since", &other["since"]);
    });
}

/// When it was last confirmed that the source of a value states it, and whether that is too long ago.
fn verified(object: &mut Object<'_>, evidence: Option<&EvidenceRecord<'_>>) {
    object.stamp("last_verified_at", evidence.and_then(|evidence| evidence.known().last_verified_at));
    object.value("stale", &evidence.map(|evidence| evidence.stale_reason.is_some()));
}
