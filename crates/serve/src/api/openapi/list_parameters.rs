//! The parameters of lists in the OpenAPI document, made of the table of fields.

use std::sync::LazyLock;

use refdesk_core::Kind;
use refdesk_core::field::{self, FieldDef, Shape};
use refdesk_core::query::{
    FACET_SIZE, FACETS_MAX, FilterParam, Format, Operator, PATHS_MAX, SORT_KEYS_MAX, SearchQuery, VALUES_MAX, filters,
};
use serde_json::{Map, Value, json};

use super::white_space::WHITE_SPACE;

/// A text that is more than commas and blanks.
static VALUES_PATTERN: LazyLock<String> = LazyLock::new(|| format!("[^,{WHITE_SPACE}]"));
/// A whole number, or one with a unit.
const COUNT_PATTERN: &str = r"^([0-9]{1,15}|[0-9]{1,9}(\.[0-9]{1,3})?[kKmM])$";
/// An exact decimal.
const PRICE_PATTERN: &str = r"^[0-9]{1,12}(\.[0-9]{1,9})?$";
/// A day, but February 29th.
const COMMON_DAY: &str = "[1-9][0-9]{3}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))";
/// February 29th, in the years that have it.
const LEAP_DAY: &str = "([1-9][0-9](0[48]|[2468][048]|[13579][26])|(1[26]|[2468][048]|[3579][26])00)-02-29";
/// A time of the day with its offset, as RFC 3339 has it.
const TIME: &str = r"T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]{1,9})?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])";

/// Adds the parameters of the list of a kind.
pub(super) fn add(operation: &mut Map<String, Value>, kind: Kind) {
    let Some(parameters) = operation.get_mut("parameters").and_then(Value::as_array_mut) else { return };
    parameters.extend(selection(kind));
    parameters.extend(filters(kind).iter().map(filter));
    add_formats(operation, "ChosenList");
}

/// Adds the representations of rows, and the shape of an answer of which `fields` chose the members.
fn add_formats(operation: &mut Map<String, Value>, chosen: &str) {
    let content = operation.get_mut("responses").and_then(|all| all.pointer_mut("/200/content"));
    let Some(content) = content.and_then(Value::as_object_mut) else { return };
    let text = json!({"schema": {"type": "string"}});
    content.insert("application/x-ndjson".into(), text.clone());
    content.insert("text/csv".into(), text);
    if let Some(whole) = content.get("application/json").and_then(|json| json.pointer("/schema")).cloned() {
        let chosen = json!({"$ref": format!("#/components/schemas/{chosen}")});
        content.insert("application/json".into(), json!({"schema": {"anyOf": [whole, chosen]}}));
    }
}

/// Adds what a search of one kind takes of the lists.
pub(super) fn add_to_search(operation: &mut Map<String, Value>) {
    let Some(parameters) = operation.get_mut("parameters").and_then(Value::as_array_mut) else { return };
    let own: Vec<Value> = parameters.iter().map(|parameter| parameter["name"].clone()).collect();
    let mut added: Vec<(Value, Vec<&str>)> = Vec::new();
    for kind in Kind::SEARCHED {
        let taken = SearchQuery::names(Some(kind));
        let of_list = selection(kind).into_iter().chain(filters(kind).iter().map(filter));
        for parameter in of_list.filter(|parameter| !own.contains(&parameter["name"])) {
            if !parameter["name"].as_str().is_some_and(|name| taken.contains(&name)) {
                continue;
            }
            match added.iter_mut().find(|(known, _)| known["name"] == parameter["name"]) {
                Some((_, kinds)) => kinds.push(kind.search_type()),
                None => added.push((parameter, vec![kind.search_type()])),
            }
        }
    }
    parameters.extend(added.into_iter().map(|(mut parameter, kinds)| {
        let name = parameter["name"].as_str().unwrap_or_default().to_owned();
        // It names fields of the kind.
        if name == "sort" {
            parameter["schema"] = json!({"type": "string", "pattern": *VALUES_PATTERN});
            parameter["description"] = format!("As the `{name}` of the kind's list.").into();
        }
        let described = parameter["description"].as_str().unwrap_or_default().to_owned();
        parameter["description"] = format!("With `type` {}. {described}", kinds.join(", ")).into();
        parameter
    }));
    add_formats(operation, "ChosenHits");
}

fn parameter(name: &str, description: &str, schema: &Value) -> Value {
    json!({"name": name, "in": "query", "description": description, "required": false, "schema": schema})
}

fn names(kind: Kind, is_allowed: impl Fn(&FieldDef) -> bool) -> Vec<&'static str> {
    field::of_kind(kind).filter(|field| is_allowed(field)).map(|field| field.name).collect()
}

/// A list of some of these names, at most so many.
fn some_of(names: &[&str], prefix: &str, most: usize) -> Value {
    let any = names.join("|");
    json!({"type": "string", "pattern": format!("^{prefix}({any})(,{prefix}({any})){{0,{}}}$", most - 1)})
}

fn selection(kind: Kind) -> Vec<Value> {
    let (sort, facets) = (names(kind, FieldDef::is_sort_key), names(kind, FieldDef::is_facet));
    let values = json!({"type": "string", "pattern": *VALUES_PATTERN});
    let flag = json!({"type": "boolean"});
    let formats = Format::ALL.map(Format::as_str);
    let mut all = vec![
        parameter(
            "q",
            "Only what matches this text; without `sort` the best match is first.",
            &json!({"type": "string", "pattern": *VALUES_PATTERN}),
        ),
        parameter(
            "ids",
            &format!(
                "Only these ids or spellings, separated by commas, at most {VALUES_MAX}; `unresolved` lists those that name nothing."
            ),
            &values,
        ),
        parameter("include_removed", "Items that no source lists any more, too; default true.", &flag),
        parameter(
            "sort",
            &format!(
                "At most {SORT_KEYS_MAX} keys, separated by commas; `-` before one is descending. Unknown values are last; ties go by id. Keys: {}.",
                sort.join(", ")
            ),
            &some_of(&sort, "-?", SORT_KEYS_MAX),
        ),
        parameter(
            "fields",
            &format!(
                "Only these members of the rows, at most {PATHS_MAX}: dotted paths, separated by commas. `id`, `evidence_key` and `stale` are always there."
            ),
            &values,
        ),
        parameter(
            "facets",
            &format!(
                "Count the values of these fields, at most {FACETS_MAX}, each under all other filters: {}.",
                facets.join(", ")
            ),
            &some_of(&facets, "", FACETS_MAX),
        ),
        parameter(
            "facet_size",
            &format!(
                "Most values of each facet, default {}. A size over {} is clamped.",
                FACET_SIZE.default, FACET_SIZE.max
            ),
            &json!({"type": "integer", "minimum": 1}),
        ),
        parameter(
            "format",
            "`json` (default), or the whole list as `ndjson` or `csv`; `Accept` can say the same.",
            &json!({"type": "string", "enum": formats}),
        ),
    ];
    if kind == Kind::Model {
        all.push(parameter("price_of", "Whose prices are filtered, sorted and shown: `maker` (default), `cheapest` (the seller with the lowest price of three parts of input and one of output), or the id of a seller.", &json!({"type": "string", "minLength": 1, "pattern": *VALUES_PATTERN})));
    }
    all
}

/// What the bounds of ranges are spelt like.
fn pattern(shape: Shape) -> String {
    match shape {
        Shape::Count => COUNT_PATTERN.to_owned(),
        Shape::Price => PRICE_PATTERN.to_owned(),
        Shape::Date => format!("^([1-9][0-9]{{3}}(-(0[1-9]|1[0-2]))?|{COMMON_DAY}|{LEAP_DAY})$"),
        Shape::Time => format!("^({COMMON_DAY}|{LEAP_DAY})({TIME})?$"),
        Shape::Word | Shape::Words { .. } | Shape::Flag | Shape::Rank => VALUES_PATTERN.clone(),
    }
}

fn filter(filter: &'static FilterParam) -> Value {
    let schema = match (filter.operator, filter.field.shape) {
        (Operator::IsNull, _) | (_, Shape::Flag) => json!({"type": "boolean"}),
        (Operator::Equals | Operator::Not, _) if !filter.field.allowed.is_empty() => {
            some_of(filter.field.allowed, if filter.field.has_negation() { "!?" } else { "" }, VALUES_MAX)
        }
        (Operator::Equals | Operator::Not, shape) => json!({"type": "string", "pattern": pattern(shape)}),
        (_, shape) => json!({"type": "string", "pattern": pattern(shape), "examples": shape.examples()}),
    };
    parameter(&filter.name, &filter.description(), &schema)
}
