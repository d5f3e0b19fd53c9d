//! Items side by side: what the table of fields names, then whatever else the rows say; which of it differs, and which value is the best
//! where that can be said.

use std::borrow::Cow;
use std::collections::BTreeSet;

use serde_json::Value;

use super::cost::{UNIT, tier_of};
use super::lists::at;
use super::{Unresolved, standing};
use crate::json::{self, Object, is_set, text_of};
use crate::resolve::price::meters::TIER_PRICES;
use crate::segment::Found;
use crate::segment::render::stale_fields;
use crate::snapshot::Snapshot;
use refdesk_core::Kind;
use refdesk_core::Usd;
use refdesk_core::field::{self, FieldDef, Shape};
use refdesk_core::field_names::{sentence, words};
use refdesk_core::figures::grouped;
use refdesk_core::query::{COMPARED, Warning};
use refdesk_search::text::word_array;

/// Objects of a row whose members are a group of their own, with what a person reads.
const GROUPS: [(&str, &str); 6] = [
    ("limits", "Limits"),
    ("modalities", "Modalities"),
    ("capabilities", "Capabilities"),
    ("pricing", "Prices"),
    ("mcp_support", "MCP support"),
    ("annotations", "Annotations"),
];
/// The group of all other fields.
const GENERAL: &str = "General";
/// What prices of a meter are stated in.
const PRICE_UNIT: &str = "USD per 1M tokens";
/// Fields of the table that other lines say in full, or that say nothing of the item itself.
const FIELDS_LEFT_OUT: [&str; 8] =
    ["id", "name", "series", "capability", "domain", "seller", "source", "has_conflicts"];
/// Members of a row that say nothing of the item itself, or too much for a comparison. Tiers and other meters have lines of their own.
const MEMBERS_LEFT_OUT: [&str; 20] = word_array(
    "id aliases language source_url evidence_key first_seen_at changed_at last_synced_at last_verified_at stale \
     stale_fields offers snapshots warnings rejected_urls input_schema config_schema headings pricing.tiers \
     pricing.other",
);
/// Members of the objects of a list of which the first stands for the whole.
const NAMES: [&str; 6] = ["name", "identifier", "path", "command", "url", "text"];
/// Lists whose order says something.
const ORDERED: [&str; 1] = ["steps"];

/// Which value is better.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Better {
    Lower,
    Higher,
    Neither,
}

/// A line of the comparison.
struct ComparedLine {
    path: String,
    label: String,
    unit: Option<Cow<'static, str>>,
    group: &'static str,
    better: Better,
    /// One for each item.
    values: Vec<Value>,
}

/// Why some items cannot be compared.
#[derive(Debug, PartialEq, Eq)]
pub enum Incomparable {
    /// A spelling names an item of another kind only.
    OtherKind {
        /// The spelling.
        id: String,
        /// Its kind.
        kind: Kind,
    },
    /// All spellings name one item.
    OneItem,
}

/// The comparison of some items of a kind.
///
/// # Errors
/// When a spelling names an item of another kind only, and when all name one item.
pub fn compare(snapshot: &Snapshot, kind: Kind, ids: &[String], warnings: &[Warning]) -> Result<Vec<u8>, Incomparable> {
    let (mut found, mut unresolved): (Vec<u32>, Vec<&String>) = (Vec::new(), Vec::new());
    for id in ids {
        match snapshot.find(kind, id) {
            Found::Id(ordinal) | Found::Alias(ordinal) if found.contains(&ordinal) => {}
            Found::Id(ordinal) | Found::Alias(ordinal) => found.push(ordinal),
            Found::Ambiguous(_) => unresolved.push(id),
            Found::Unknown => {
                let is_id = |kind: &Kind| matches!(snapshot.find(*kind, id), Found::Id(_));
                let is_alias = |kind: &Kind| matches!(snapshot.find(*kind, id), Found::Alias(_));
                let own = Kind::ALL.into_iter().find(is_id);
                if let Some(kind) = own.or_else(|| Kind::ALL.into_iter().find(is_alias)) {
                    return Err(Incomparable::OtherKind { id: id.clone(), kind });
                }
                match super::resolution::alias(snapshot, id, kind) {
                    Some(ordinal) if found.contains(&ordinal) => {}
                    Some(ordinal) => found.push(ordinal),
                    None => unresolved.push(id),
                }
            }
        }
    }
    if found.len() == 1 && unresolved.is_empty() {
        return Err(Incomparable::OneItem);
    }
    let rows: Vec<Value> = found.iter().map(|ordinal| json::read_own(snapshot.row(*ordinal))).collect();
    let mut out = Vec::with_capacity(4096);
    let mut object = Object::open(&mut out);
    object.text("type", kind.search_type());
    object.value("ids", &found.iter().map(|ordinal| snapshot.id(*ordinal)).collect::<Vec<_>>());
    object.value("unresolved", &unresolved);
    let lines = lines(snapshot, kind, &found, &rows);
    object.objects("rows", lines, |object, line| write_line(&line, kind, &rows, object));
    let mut evidence = Object::open(object.name("evidence"));
    for ordinal in &found {
        let mut record = Object::open(evidence.name(snapshot.id(*ordinal)));
        standing(&mut record, &snapshot.evidence_of(*ordinal));
        record.close();
    }
    evidence.close();
    let missing = missing(snapshot, kind, &found, &unresolved);
    object.value("warnings", &warnings.iter().chain(&missing).collect::<Vec<_>>());
    object.close();
    Ok(out)
}

/// Says of each spelling that names nothing what may have been meant, and whether enough is left to compare.
fn missing(snapshot: &Snapshot, kind: Kind, found: &[u32], unresolved: &[&String]) -> Vec<Warning> {
    let unknown = |spelling: &&String| {
        let near = Unresolved::new(snapshot, &[kind], spelling).suggestions;
        let shown = refdesk_core::clean::quoted(spelling);
        let near = if near.is_empty() { String::new() } else { format!("; near it: {}", near.join(", ")) };
        Warning::from(format!("no {} has the id or alias `{shown}`{near}", kind.label()))
    };
    let mut warnings: Vec<Warning> = unresolved.iter().map(unknown).collect();
    if !unresolved.is_empty() && found.len() < *COMPARED.start() {
        let known = found.first().map_or("none".to_owned(), |ordinal| format!("only {}", snapshot.id(*ordinal)));
        warnings.push(format!("there is nothing to compare: of `ids`, {known} is known").into());
    }
    warnings
}

/// The lines that at least one item has a value for, group by group.
fn lines(snapshot: &Snapshot, kind: Kind, found: &[u32], rows: &[Value]) -> Vec<ComparedLine> {
    let mut lines = vec![plain(kind.name_key(), "Name".to_owned(), rows)];
    let of_table = field::of_kind(kind).filter(|field| !FIELDS_LEFT_OUT.contains(&field.name));
    lines.extend(of_table.map(|field| line_of_field(snapshot, field, found, rows)));
    lines.extend(tiers(rows));
    lines.extend(other_meters(rows));
    for path in paths(rows) {
        if !lines.iter().any(|line| line.path == path) {
            lines.push(line_of_member(&path, rows));
        }
    }
    lines.retain(|line| line.values.iter().any(is_set));
    let place = |line: &ComparedLine| GROUPS.iter().position(|(_, label)| *label == line.group).map_or(0, |at| at + 1);
    lines.sort_by_key(place);
    lines
}

/// Whether all that a row says is stale.
fn is_stale(row: &Value) -> bool {
    row.get("stale") == Some(&Value::Bool(true))
}

/// Whether what a row says in the line of a path is stale though the row is not.
fn is_stale_at(row: &Value, kind: Kind, path: &str) -> bool {
    let field = field::of_kind(kind).find(|field| field.path.is_empty() && field.name == path);
    let is_within = |stale: &str| field::is_within(path, stale) || field.is_some_and(|field| field.is_told_of(stale));
    !is_stale(row) && stale_fields(row).any(is_within)
}

/// The paths of what rows say: their members, and those of objects in them.
fn paths(rows: &[Value]) -> Vec<String> {
    let mut paths: Vec<String> = Vec::new();
    let mut add = |path: String| {
        if !MEMBERS_LEFT_OUT.contains(&path.as_str()) && !paths.contains(&path) {
            paths.push(path);
        }
    };
    for (name, value) in rows.iter().filter_map(Value::as_object).flatten() {
        match value {
            Value::Object(members) => members.keys().for_each(|member| add(format!("{name}.{member}"))),
            _ => add(name.clone()),
        }
    }
    // What one row has an object for, and another nothing, is said of the members of it.
    let is_object = |path: &str| rows.iter().any(|row| row.get(path).is_some_and(Value::is_object));
    paths.retain(|path| !is_object(path));
    paths
}

fn plain(path: &str, label: String, rows: &[Value]) -> ComparedLine {
    let parent = path.split_once('.').map(|(parent, _)| parent);
    let group = GROUPS.iter().find(|(name, _)| parent == Some(name)).map_or(GENERAL, |(_, label)| label);
    // The name of a member may have dots itself, as those of a skill's metadata do.
    let member = |row: &Value| path.split_once('.').and_then(|(parent, name)| row.get(parent)?.get(name)).map(named);
    let value = |row: &Value| member(row).or_else(|| at(row, path).map(named)).unwrap_or_default();
    let values = rows.iter().map(value).collect();
    ComparedLine { path: path.to_owned(), label, unit: None, group, better: Better::Neither, values }
}

fn line_of_field(snapshot: &Snapshot, field: &FieldDef, found: &[u32], rows: &[Value]) -> ComparedLine {
    let label = field.label.to_owned();
    let line = if field.path.is_empty() {
        let values = found.iter().map(|ordinal| told(snapshot, *ordinal, field)).collect();
        let group = if field.is_price() { "Prices" } else { GENERAL };
        ComparedLine { group, values, ..plain(field.name, label, &[]) }
    } else {
        plain(field.path, label, rows)
    };
    let better = match field.shape {
        Shape::Price => Better::Lower,
        Shape::Count if field.unit.is_some() => Better::Higher,
        _ => Better::Neither,
    };
    ComparedLine { unit: field.unit.map(Cow::Borrowed), better, ..line }
}

/// A field that is told from several members of a row, as filters know it.
fn told(snapshot: &Snapshot, ordinal: u32, field: &FieldDef) -> Value {
    let (segment, row) = snapshot.locate(ordinal);
    let Some(column) = segment.column(field.name) else { return Value::Null };
    if column.sets.is_some() {
        return column.set(row).iter().map(|number| column.numbered(*number)).collect();
    }
    let Some(text) = column.value(row) else { return Value::Null };
    match field.shape {
        Shape::Flag | Shape::Count | Shape::Price => serde_json::from_str(text).unwrap_or(Value::Null),
        _ => text.into(),
    }
}

/// What else rows say at a path.
fn line_of_member(path: &str, rows: &[Value]) -> ComparedLine {
    let (parent, name) = path.split_once('.').unwrap_or(("", path));
    let is_grouped = GROUPS.iter().any(|(group, _)| *group == parent);
    let label = if is_grouped { name } else { path };
    let line = plain(path, sentence(&words(&label.replace('.', " "))), rows);
    if parent == "pricing" && !matches!(name, "currency" | "unit") {
        return ComparedLine { unit: Some(PRICE_UNIT.into()), better: Better::Lower, ..line };
    }
    line
}

/// What a longer prompt costs, for each size above which one of the items has other prices: as `cost` bills it, so that an item without
/// such a tier has its one price there. Of one that takes no prompt of that size nothing is said, unless its source states a price for just
/// that: a longer context that has to be asked for is often missing in the limits.
fn tiers(rows: &[Value]) -> Vec<ComparedLine> {
    let of_row = |row: &Value| at(row, "pricing.tiers").and_then(Value::as_array).cloned().unwrap_or_default();
    let sizes = rows.iter().flat_map(of_row).filter_map(|tier| tier.get("above_context_tokens")?.as_u64());
    let sizes: BTreeSet<u64> = sizes.collect();
    let line = |size: u64, meter: &str| {
        let price = |row: &Value| {
            let pricing = row.get("pricing")?;
            let takes = at(row, "limits.context_tokens").and_then(Value::as_u64);
            let tier = tier_of(pricing, size.saturating_add(1));
            let is_told = tier.is_some_and(|(above, _)| above == size) || takes.is_none_or(|takes| takes > size);
            tier.map_or(pricing, |(_, tier)| tier).get(meter).filter(|_| is_told).cloned()
        };
        ComparedLine {
            path: format!("pricing.tiers.{size}.{meter}"),
            label: sentence(&format!("{} above {} tokens", words(meter), grouped(size))),
            unit: Some(PRICE_UNIT.into()),
            group: "Prices",
            better: Better::Lower,
            values: rows.iter().map(|row| price(row).unwrap_or(Value::Null)).collect(),
        }
    };
    sizes.iter().flat_map(|size| TIER_PRICES.map(|meter| line(*size, meter))).collect()
}

/// What is charged for beside tokens, such as images or queries: a line for each unit of a meter that one of the items has a price of.
fn other_meters(rows: &[Value]) -> Vec<ComparedLine> {
    let of_row = |row: &Value| at(row, "pricing.other").and_then(Value::as_array).cloned().unwrap_or_default();
    let key = |other: &Value| [text_of(other, "meter").to_owned(), text_of(other, "unit").to_owned()];
    let keys: BTreeSet<[String; 2]> = rows.iter().flat_map(of_row).map(|other| key(&other)).collect();
    let line = |[meter, unit]: [String; 2]| {
        let is_this = |other: &Value| text_of(other, "meter") == meter && text_of(other, "unit") == unit;
        let price = |row: &Value| Some(of_row(row).into_iter().find(is_this)?["price"].clone());
        ComparedLine {
            values: rows.iter().map(|row| price(row).unwrap_or_default()).collect(),
            path: format!("pricing.other.{meter}/{unit}"),
            label: sentence(&words(&meter)),
            unit: Some(if unit == UNIT { PRICE_UNIT.into() } else { format!("USD per {}", words(&unit)).into() }),
            group: "Prices",
            better: Better::Lower,
        }
    };
    keys.into_iter().map(line).collect()
}

/// A value as it is compared: of a list of objects their names.
fn named(value: &Value) -> Value {
    let Value::Array(entries) = value else { return value.clone() };
    let name = |entry: &Value| NAMES.iter().find_map(|name| entry.get(name).filter(|name| name.is_string())).cloned();
    entries.iter().map(|entry| name(entry).unwrap_or_else(|| entry.clone())).collect()
}

/// Whether two values of a line say the same; `text, image` is `image, text`.
fn is_same(path: &str, a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Array(a), Value::Array(b)) if !ORDERED.contains(&path) => {
            a.len() == b.len() && a.iter().all(|entry| b.contains(entry)) && b.iter().all(|entry| a.contains(entry))
        }
        _ => a == b,
    }
}

fn write_line(line: &ComparedLine, kind: Kind, rows: &[Value], object: &mut Object<'_>) {
    let ComparedLine { path, label, unit, group, better, values } = line;
    let is_told_stale = |at: &usize| is_set(&values[*at]) && is_stale_at(&rows[*at], kind, path);
    let stale: Vec<usize> = (0..values.len()).filter(is_told_stale).collect();
    object.text("path", path);
    object.text("label", label);
    object.optional("unit", unit.as_deref());
    object.text("group", group);
    object.value("values", values);
    object.flag("differs", values.windows(2).any(|pair| !is_same(path, &pair[0], &pair[1])));
    object.value("best", &best(values, &|at| stale.contains(&at) || is_stale(&rows[at]), *better));
    object.value("stale", &stale);
}

/// The places of the best known values; nowhere when all known ones are equal, or there is but one. What is stale is no best beside what is
/// fresh.
fn best(values: &[Value], is_stale: &dyn Fn(usize) -> bool, better: Better) -> Vec<usize> {
    if better == Better::Neither {
        return Vec::new();
    }
    let number = |(at, value): (usize, &Value)| Some((at, Usd::from_json(value)?));
    let mut known: Vec<(usize, Usd)> = values.iter().enumerate().filter_map(number).collect();
    if known.iter().any(|(at, _)| !is_stale(*at)) {
        known.retain(|(at, _)| !is_stale(*at));
    }
    let numbers = || known.iter().map(|(_, number)| *number);
    let (lowest, highest) = (numbers().min(), numbers().max());
    let best = if better == Better::Lower { lowest } else { highest };
    let is_best = |number: Usd| lowest != highest && Some(number) == best;
    known.iter().filter(|(_, number)| is_best(*number)).map(|(at, _)| *at).collect()
}
