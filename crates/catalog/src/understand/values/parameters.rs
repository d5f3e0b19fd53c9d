//! Filters as programs and addresses write them: `vendor:OpenAI capability:reasoning`, `price_input<=1 context_tokens>=200k`. A question of
//! nothing but these is the list that they say; one of which anything is not known stays text.

use crate::snapshot::Snapshot;
use crate::snapshot::gazetteer::{compact, gazetteer};
use crate::understand::params::{self, Param};
use crate::understand::reading::Reading;
use crate::understand::words;
use refdesk_core::Kind;
use refdesk_core::field::{self, FieldDef, Shape};
use refdesk_search::text::folded;

/// Signs between the name of a field and its value, and how the name of the filter ends; what begins like another comes behind it.
const SIGNS: [(&str, &str); 10] = [
    ("!=", "__not"),
    (">=", "__gte"),
    ("≥", "__gte"),
    ("<=", "__lte"),
    ("≤", "__lte"),
    ("==", ""),
    ("=", ""),
    (":", ""),
    (">", "__gte"),
    ("<", "__lte"),
];
/// What signs begin or end with.
const SIGN_PARTS: [char; 7] = ['!', '>', '<', '=', ':', '≥', '≤'];
/// What stands between filters.
const JOINING: [&str; 4] = ["and", "AND", "&", "&&"];
/// Kinds in the order in which a question is of the first that has all its fields.
const KINDS: [Kind; 6] = [Kind::Model, Kind::McpServer, Kind::Tool, Kind::Skill, Kind::Tutorial, Kind::Document];

/// Reads a question of nothing but filters, of a kind or of the first that has them.
pub fn parse<'a>(snapshot: &'a Snapshot, text: &'a str, kind: Option<Kind>) -> Option<Reading<'a>> {
    if !text.contains(SIGN_PARTS) {
        return None;
    }
    let parts = parts(text);
    let said: Vec<Said<'_>> = parts.iter().map(|part| said(part)).collect::<Option<_>>()?;
    let kinds = kind.map_or_else(|| KINDS.to_vec(), |kind| vec![kind]);
    kinds.into_iter().find_map(|kind| {
        let mut words = words::words(text);
        words.iter_mut().for_each(|word| word.used = true);
        let mut reading = Reading::new(snapshot, kind, words, None);
        for said in &said {
            let (name, value) = parameter(&reading, said)?;
            reading.set(&name, &value);
        }
        let pairs = reading.params.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        params::list(kind, pairs)?;
        Some(reading)
    })
}

/// The parts of a text that are each to be a filter, without what joins them and without blanks around a sign.
fn parts(text: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    for part in text.split_whitespace().filter(|part| !JOINING.contains(part)) {
        match parts.last_mut() {
            Some(last) if last.ends_with(SIGN_PARTS) || part.starts_with(SIGN_PARTS) => last.push_str(part),
            _ => parts.push(part.to_owned()),
        }
    }
    parts
}

/// What a part says: the name of a field, a sign, how that ends the name of the filter, and a value.
struct Said<'a> {
    name: &'a str,
    sign: &'static str,
    end: &'static str,
    value: &'a str,
}

/// Reads a part.
fn said(part: &str) -> Option<Said<'_>> {
    let (name, behind) = part.split_at(part.find(SIGN_PARTS)?);
    let (sign, end) = *SIGNS.iter().find(|(sign, _)| behind.starts_with(sign))?;
    let value = behind[sign.len()..].trim_end_matches([',', ';']).trim_matches(['"', '\'', '`']);
    // `capability:!reasoning`
    let bare = value.strip_prefix('!').unwrap_or(value);
    let is_whole = !name.is_empty() && !bare.is_empty() && !bare.contains(SIGN_PARTS);
    is_whole.then_some(Said { name, sign, end, value })
}

/// The parameter of a list that a part says, if the kind has the field and the catalog the value.
fn parameter(reading: &Reading<'_>, said: &Said<'_>) -> Option<Param> {
    let (name, own_end) = said.name.split_once("__").unwrap_or((said.name, ""));
    let end = match own_end {
        "" => said.end.to_owned(),
        operator if said.end.is_empty() => format!("__{operator}"),
        _ => return None,
    };
    let field = field::named(reading.kind, &name.to_lowercase()).filter(|field| field.is_filter())?;
    let value = match field.shape {
        Shape::Word | Shape::Words { .. } => values(reading, field, said.value)?,
        Shape::Flag => said.value.to_lowercase(),
        Shape::Count => count(said),
        _ => said.value.to_owned(),
    };
    Some((format!("{}{end}", field.name), value))
}

/// A whole number as the filter takes it, which has its bound among the values.
fn count(said: &Said<'_>) -> String {
    let within = match (said.sign, said.value.parse::<u64>()) {
        (">", Ok(number)) => number.checked_add(1),
        ("<", Ok(number)) => number.checked_sub(1),
        _ => None,
    };
    within.map_or_else(|| said.value.to_owned(), |number| number.to_string())
}

/// The values of the catalog that are said between commas.
fn values(reading: &Reading<'_>, field: &FieldDef, said: &str) -> Option<String> {
    let known = gazetteer(reading.values(field.name));
    let value = |said: &str| {
        let value = if field.allowed.is_empty() {
            known.get(&compact(&folded(said))).map(|value| (*value).to_owned())
        } else {
            field.value_meant(said)
        };
        value.map(|value| field::escaped(&value))
    };
    said.split(',').map(value).collect::<Option<Vec<_>>>().map(|values| values.join(","))
}
