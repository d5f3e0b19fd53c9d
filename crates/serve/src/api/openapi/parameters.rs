//! The parameters of operations in the OpenAPI document, made of the inputs of the queries and of the table of fields. They are described as
//! leniently as they are parsed: words in any case between white space, whole numbers of any length.

use std::sync::LazyLock;

use refdesk_core::Kind;
use refdesk_core::field::{self, FieldDef, Shape};
use refdesk_core::item::Domain;
use refdesk_core::query::{self, inputs};
use refdesk_core::query::{
    DetailQuery, FACETS_MAX, FilterParam, Format, InputShape, ListQuery, Mode, Operator, QueryInput, SORT_KEYS_MAX,
    SearchQuery, VALUES_MAX, filters,
};
use serde_json::{Map, Value, json};

/// Unicode's white space, which requests are trimmed of, for a character class: `\\s` means less in some dialects of regular expressions.
const WHITE_SPACE: &str = r"\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000";
/// A text that is not blank.
static WORD_PATTERN: LazyLock<String> = LazyLock::new(|| format!("[^{WHITE_SPACE}]"));
/// A text that is more than commas and blanks.
static VALUES_PATTERN: LazyLock<String> = LazyLock::new(|| format!("[^,{WHITE_SPACE}]"));
/// A whole number, or one with a unit.
const COUNT_PATTERN: &str = r"^([0-9]{1,15}|[0-9]{1,3}(,[0-9]{3}){1,4}|[0-9]{1,9}(\.[0-9]{1,3})?[kKmM])$";
/// An exact decimal.
const PRICE_PATTERN: &str = r"^[0-9]{1,12}(\.[0-9]{1,9})?$";
/// A day, but February 29th.
const COMMON_DAY: &str = "[1-9][0-9]{3}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))";
/// February 29th, in the years that have it.
const LEAP_DAY: &str = "([1-9][0-9](0[48]|[2468][048]|[13579][26])|(1[26]|[2468][048]|[3579][26])00)-02-29";
/// A time of the day with its offset, as RFC 3339 has it.
const TIME: &str = r"T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]{1,9})?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])";

/// Adds the parameters of a path, behind those that are a part of it.
pub(super) fn add(operation: &mut Map<String, Value>, path: &str) {
    let all = |inputs: &[QueryInput]| inputs.iter().map(|input| of_input(input, None)).collect();
    let (segment, rest) = path.strip_prefix("/v1/").and_then(|path| path.split_once('/')).unwrap_or_default();
    let mut added: Vec<Value> = match (path, Kind::parse(segment), rest) {
        ("/v1/search", ..) => [all(&inputs::SEARCH), of_one_kind()].concat(),
        ("/v1/frameworks/search", ..) => all(&inputs::FRAMEWORK_SEARCH),
        ("/v1/frameworks/route", ..) => all(&inputs::ROUTE),
        ("/v1/cost", ..) => all(&inputs::COST),
        ("/v1/resolve", ..) => all(&inputs::RESOLVE),
        ("/v1/conflicts", ..) => all(&inputs::CONFLICTS),
        (_, Some(kind), "list") => of_list(kind),
        (_, Some(_), "compare") => all(&inputs::COMPARE),
        (_, Some(kind), "{id}") => all(DetailQuery::inputs(kind)),
        _ => return,
    };
    if let Some(Value::Array(mut parameters)) = operation.shift_remove("parameters") {
        parameters.append(&mut added);
        added = parameters;
    }
    // Before the responses, where the other operations have them.
    let responses = operation.shift_remove("responses");
    operation.insert("parameters".into(), added.into());
    operation.extend(responses.map(|responses| ("responses".to_owned(), responses)));
    match rest {
        "list" => add_formats(operation, "ChosenList"),
        _ if path == "/v1/search" => add_formats(operation, "ChosenHits"),
        _ => {}
    }
}

fn of_list(kind: Kind) -> Vec<Value> {
    let inputs = ListQuery::inputs(kind).map(|input| of_input(input, Some(kind)));
    inputs.chain(filters(kind).iter().map(filter)).collect()
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

/// What a search of one kind takes of the lists.
fn of_one_kind() -> Vec<Value> {
    let own = query::names(&inputs::SEARCH);
    let mut added: Vec<(Value, Vec<&str>)> = Vec::new();
    for kind in Kind::SEARCHED {
        let taken = SearchQuery::names(Some(kind));
        let of_list = of_list(kind).into_iter();
        for parameter in of_list {
            let is_more = |name: &str| taken.contains(&name) && !own.contains(&name);
            if !parameter["name"].as_str().is_some_and(is_more) {
                continue;
            }
            match added.iter_mut().find(|(known, _)| known["name"] == parameter["name"]) {
                Some((_, kinds)) => kinds.push(kind.search_type()),
                None => added.push((parameter, vec![kind.search_type()])),
            }
        }
    }
    let added = added.into_iter().map(|(mut parameter, kinds)| {
        let name = parameter["name"].as_str().unwrap_or_default().to_owned();
        // It names fields of the kind.
        if name == "sort" {
            parameter["schema"] = json!({"type": "string", "pattern": *VALUES_PATTERN});
            parameter["description"] = format!("As the `{name}` of the kind's list.").into();
        }
        let described = parameter["description"].as_str().unwrap_or_default().to_owned();
        parameter["description"] = format!("With `type` {}. {described}", kinds.join(", ")).into();
        parameter
    });
    added.collect()
}

fn parameter(name: &str, description: &str, is_required: bool, schema: &Value) -> Value {
    json!({"name": name, "in": "query", "description": description, "required": is_required, "schema": schema})
}

/// An input, of a list of a kind where it names fields.
fn of_input(input: &QueryInput, kind: Option<Kind>) -> Value {
    let mut description = input.described();
    let mut fields_of = |is_allowed: fn(&FieldDef) -> bool| {
        let fields = kind.into_iter().flat_map(field::of_kind).filter(|field| is_allowed(field));
        let names: Vec<&str> = fields.map(|field| field.name).collect();
        description = description.replace("{names}", &names.join(", "));
        names
    };
    let text = |pattern: &str| json!({"type": "string", "pattern": pattern});
    let word = |pattern: &str| json!({"type": "string", "minLength": 1, "pattern": pattern});
    let schema = match input.shape {
        InputShape::Question | InputShape::Word | InputShape::Spelling => word(&WORD_PATTERN),
        InputShape::Seller => word(&VALUES_PATTERN),
        InputShape::Flag => json!({"type": "boolean"}),
        InputShape::Size(_) | InputShape::SizeIfAsked(_) => json!({"type": "integer", "minimum": 1}),
        InputShape::Offset => json!({"type": "integer", "minimum": 0}),
        InputShape::Text => json!({"type": "string"}),
        InputShape::Values(_) => text(&VALUES_PATTERN),
        InputShape::Format => text(&words_pattern(Format::WORDS.into_iter())),
        InputShape::SortKeys => some_of(&fields_of(FieldDef::is_sort_key), "-?", SORT_KEYS_MAX),
        InputShape::Facets => some_of(&fields_of(FieldDef::is_facet), "", FACETS_MAX),
        InputShape::Spellings(0, max) => text(&format!("^[^,]*(,[^,]*){{0,{}}}$", max - 1)),
        InputShape::Spellings(from, max) => {
            let one = format!("[{WHITE_SPACE}]*[^,{WHITE_SPACE}][^,]*");
            text(&format!("^{one}(,{one}){{{},{}}}$", from - 1, max - 1))
        }
        InputShape::Tokens(0) => {
            text(r"^([0-9]{1,12}|10{12}|[0-9]{1,3}(,[0-9]{3}){1,3}|[0-9]{1,6}(\.[0-9]{1,3})?[kKmM])$")
        }
        InputShape::Tokens(_) => {
            text(r"^([1-9][0-9]{0,11}|10{12}|[1-9][0-9]{0,2}(,[0-9]{3}){1,3}|[1-9][0-9]{0,5}(\.[0-9]{1,3})?[kKmM])$")
        }
        InputShape::Percent => text(r"^[0-9]{1,9}(\.[0-9]{1,4})?$"),
        InputShape::OneOf(words) => text(&words_pattern(words.iter().copied())),
        InputShape::Kinds(kinds) => {
            name_all(&mut description, kinds.iter().map(|kind| kind.search_type()));
            text(&kinds_pattern(kinds))
        }
        InputShape::Domain => {
            name_all(&mut description, Domain::WORDS.into_iter());
            text(&words_pattern(Domain::WORDS.into_iter()))
        }
        InputShape::Mode => text(&words_pattern(Mode::WORDS.into_iter())),
    };
    parameter(input.name, &description, input.is_required, &schema)
}

/// Adds the words of a closed list to a description that names none.
fn name_all<'a>(description: &mut String, words: impl Iterator<Item = &'a str>) {
    if !description.contains('`') {
        *description = format!("{description} One of `{}`.", words.collect::<Vec<_>>().join("`, `"));
    }
}

/// Words as loosely as they are read.
fn words_pattern<'a>(words: impl Iterator<Item = &'a str>) -> String {
    format!("^[{WHITE_SPACE}]*({})[{WHITE_SPACE}]*$", words.map(loosely).collect::<Vec<_>>().join("|"))
}

/// What may stand between the letters of a kind.
const SEPARATORS: &str = "[-_ ]*";

/// The spellings of kinds that [`Kind::parse`] takes.
fn kinds_pattern(kinds: &[Kind]) -> String {
    let spelled = |word: &str| word.chars().map(|c| in_any_case(&c.to_string()) + SEPARATORS).collect::<String>();
    let words: Vec<String> = kinds.iter().flat_map(|kind| words_of(*kind)).map(|word| spelled(&word)).collect();
    format!("^[{WHITE_SPACE}]*{SEPARATORS}({})([Ss]{SEPARATORS})?[{WHITE_SPACE}]*$", words.join("|"))
}

/// The words that [`Kind::parse`] takes for a kind, singular, in lower case and without anything between them.
fn words_of(kind: Kind) -> Vec<String> {
    let mut words = Vec::new();
    for word in [kind.singular(), kind.search_type(), "mcp", "server", "llm"] {
        let word = word.to_ascii_lowercase().replace('_', "");
        if Kind::parse(&word) == Some(kind) && !words.contains(&word) {
            words.push(word);
        }
    }
    words
}

/// `doc` gives `[Dd][Oo][Cc]`.
fn in_any_case(word: &str) -> String {
    word.chars().fold(String::new(), |mut pattern, c| {
        if c.is_ascii_alphabetic() {
            pattern.extend(['[', c.to_ascii_uppercase(), c.to_ascii_lowercase(), ']']);
        } else {
            pattern.push(c);
        }
        pattern
    })
}

/// A word in any case, with a blank, a hyphen or a `_` for each of these.
fn loosely(word: &str) -> String {
    word.split(['-', '_']).map(in_any_case).collect::<Vec<_>>().join("[-_ ]")
}

/// A list of some of these names, at most so many, as loosely as they are read, with white space and empty places between them.
fn some_of(names: &[&str], prefix: &str, most: usize) -> Value {
    let any = names.iter().map(|name| loosely(name)).collect::<Vec<_>>().join("|");
    let (space, blanks) = (format!("[{WHITE_SPACE}]*"), format!("[,{WHITE_SPACE}]*"));
    let one = format!("{prefix}{space}({any})");
    json!({"type": "string", "pattern": format!("^{blanks}{one}({space},{blanks}{one}){{0,{}}}{blanks}$", most - 1)})
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
    parameter(&filter.name, &filter.description(), false, &schema)
}
