//! Items side by side: every field, which differ, and which value is the best where that can be said.

use std::cmp::Ordering;

use serde_json::Value;

use super::lists::at;
use super::standing;
use crate::json::{self, Object};
use crate::segment::Found;
use crate::snapshot::Snapshot;
use refdesk_core::Kind;
use refdesk_core::Usd;
use refdesk_core::field::{self, Shape};

/// Objects of a row whose members are compared, with what a person reads.
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
/// Members of `pricing` that are no price of a meter.
const NOT_COMPARED: [&str; 2] = ["pricing.tiers", "pricing.other"];

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
    unit: Option<&'static str>,
    group: &'static str,
    better: Better,
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
pub fn compare(snapshot: &Snapshot, kind: Kind, ids: &[String], warnings: &[String]) -> Result<Vec<u8>, Incomparable> {
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
                unresolved.push(id);
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
    json::array(object.name("rows"), lines(kind, &rows), |out, line| write_line(&line, &rows, out));
    let mut evidence = Object::open(object.name("evidence"));
    for ordinal in &found {
        let mut record = Object::open(evidence.name(snapshot.id(*ordinal)));
        standing(&mut record, &snapshot.evidence_of(*ordinal));
        record.close();
    }
    evidence.close();
    object.value("warnings", warnings);
    object.close();
    Ok(out)
}

/// The fields of the table, then what else the rows say below the same objects.
fn lines(kind: Kind, rows: &[Value]) -> Vec<ComparedLine> {
    let group = |path: &str| {
        let parent = path.split_once('.').map(|(parent, _)| parent);
        GROUPS.iter().find(|(name, _)| parent == Some(name)).map_or(GENERAL, |(_, label)| label)
    };
    let of_table = field::of_kind(kind).filter(|field| !field.path.is_empty() && field.name != "id");
    let mut lines: Vec<ComparedLine> = std::iter::once(ComparedLine {
        path: kind.name_key().to_owned(),
        label: "Name".to_owned(),
        unit: None,
        group: GENERAL,
        better: Better::Neither,
    })
    .chain(of_table.map(|field| ComparedLine {
        path: field.path.to_owned(),
        label: field.label.to_owned(),
        unit: field.unit,
        group: group(field.path),
        better: match field.shape {
            Shape::Price => Better::Lower,
            Shape::Count => Better::Higher,
            _ => Better::Neither,
        },
    }))
    .collect();
    for (parent, label) in GROUPS {
        for members in rows.iter().filter_map(|row| row.get(parent)).filter_map(Value::as_object) {
            for name in members.keys() {
                let path = format!("{parent}.{name}");
                let is_price = parent == "pricing" && !matches!(name.as_str(), "currency" | "unit");
                if !NOT_COMPARED.contains(&path.as_str()) && !lines.iter().any(|line| line.path == path) {
                    lines.push(ComparedLine {
                        label: name.replace('_', " "),
                        unit: is_price.then_some("USD per 1M tokens"),
                        group: label,
                        better: if is_price { Better::Lower } else { Better::Neither },
                        path,
                    });
                }
            }
        }
    }
    // A line that no item has a value for tells nothing.
    lines.retain(|line| rows.iter().any(|row| at(row, &line.path).is_some_and(is_known)));
    let place = |line: &ComparedLine| GROUPS.iter().position(|(_, label)| *label == line.group).map_or(0, |at| at + 1);
    lines.sort_by_key(place);
    lines
}

fn is_known(value: &Value) -> bool {
    !value.is_null() && value.as_array().is_none_or(|list| !list.is_empty())
}

fn write_line(line: &ComparedLine, rows: &[Value], out: &mut Vec<u8>) {
    let values: Vec<&Value> = rows.iter().map(|row| at(row, &line.path).unwrap_or(&Value::Null)).collect();
    let mut object = Object::open(out);
    object.text("path", &line.path);
    object.text("label", &line.label);
    object.optional("unit", line.unit);
    object.text("group", line.group);
    object.value("values", &values);
    object.flag("differs", values.windows(2).any(|pair| pair[0] != pair[1]));
    object.value("best", &best(&values, line.better));
    object.close();
}

/// The places of the best known values; nowhere when all known ones are equal, or there is but one.
fn best(values: &[&Value], better: Better) -> Vec<usize> {
    let known: Vec<(usize, Usd)> = match better {
        Better::Neither => return Vec::new(),
        _ => values.iter().enumerate().filter_map(|(at, value)| Some((at, Usd::from_json(value)?))).collect(),
    };
    let order =
        |a: &(usize, Usd), b: &(usize, Usd)| if better == Better::Lower { a.1.cmp(&b.1) } else { b.1.cmp(&a.1) };
    let Some(first) = known.iter().copied().min_by(order) else { return Vec::new() };
    if known.iter().all(|other| order(&first, other) == Ordering::Equal) {
        return Vec::new();
    }
    known.iter().filter(|other| order(&first, other) == Ordering::Equal).map(|(at, _)| *at).collect()
}
