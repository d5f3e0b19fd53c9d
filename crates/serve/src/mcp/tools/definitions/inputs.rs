//! Schemas of tool arguments: the inputs of the queries as the core describes them, and what only tools take.

use refdesk_core::item::Domain;
use refdesk_core::query::{Format, InputShape, LimitRule, Mode, QUERY_CHARS_MAX, QueryInput};
use serde_json::{Value, json};

/// Arguments of a tool.
pub(super) enum Inputs {
    /// Those that have words for tools: of a query, or of tools alone.
    Of(&'static [QueryInput]),
    /// One of a shape that no input of a query has.
    One(&'static str, fn() -> Value),
    /// One that no schema tells of: warnings or the instructions name it, and models need it rarely.
    Untold(&'static str),
}

impl Inputs {
    /// Their names.
    pub(super) fn names(&self) -> impl Iterator<Item = &'static str> + Clone {
        let (of_query, one) = match *self {
            Self::Of(inputs) => (inputs, None),
            Self::One(name, _) | Self::Untold(name) => (&[][..], Some(name)),
        };
        taken(of_query).map(|input| input.name).chain(one)
    }

    /// Their schemas by name.
    pub(super) fn schemas(&self) -> Vec<(String, Value)> {
        match *self {
            Self::Of(inputs) => taken(inputs).map(|input| (input.name.to_owned(), schema(input))).collect(),
            Self::One(name, schema) => vec![(name.to_owned(), schema())],
            Self::Untold(_) => Vec::new(),
        }
    }
}

/// The inputs of a query that tools take.
fn taken(inputs: &'static [QueryInput]) -> impl Iterator<Item = &'static QueryInput> + Clone {
    inputs.iter().filter(|input| !input.tool_text.is_empty())
}

fn schema(input: &QueryInput) -> Value {
    let description = input.tool_text;
    let described = |of_type: Value| json!({"type": of_type, "description": description});
    match input.shape {
        InputShape::Question => json!({"type": "string", "maxLength": QUERY_CHARS_MAX, "description": description}),
        InputShape::Flag => described(json!("boolean")),
        InputShape::Size(LimitRule { default, max }) => {
            json!({"type": "integer", "minimum": 1, "maximum": max, "default": default, "description": description})
        }
        InputShape::SizeIfAsked(rule) => {
            json!({"type": "integer", "minimum": 1, "maximum": rule.max, "description": description})
        }
        InputShape::Offset => json!({"type": "integer", "minimum": 0, "default": 0, "description": description}),
        InputShape::Kinds(kinds) => one_of(kinds.iter().map(|kind| kind.search_type()), description),
        InputShape::Domain => one_of(Domain::WORDS.into_iter(), description),
        InputShape::Mode => {
            json!({"type": "string", "enum": Mode::WORDS, "default": Mode::default().as_str(), "description": description})
        }
        InputShape::Spellings(..) => {
            json!({"type": ["string", "array"], "items": {"type": "string"}, "description": description})
        }
        InputShape::Tokens(_) => described(json!(["integer", "string"])),
        InputShape::OneOf(words) => one_of(words.iter().copied(), description),
        InputShape::Format => one_of(Format::WORDS.into_iter(), description),
        InputShape::Text
        | InputShape::Word
        | InputShape::Spelling
        | InputShape::Values(_)
        | InputShape::SortKeys
        | InputShape::Facets
        | InputShape::Seller
        | InputShape::Percent => described(json!("string")),
    }
}

fn one_of<'a>(words: impl Iterator<Item = &'a str>, description: &str) -> Value {
    json!({"type": "string", "enum": words.collect::<Vec<_>>(), "description": description})
}

/// An argument that only tools take.
pub(super) const fn own(name: &'static str, shape: InputShape, tool_text: &'static str) -> QueryInput {
    QueryInput::new(name, shape, "", tool_text)
}

/// Whether the answer is given as REST gives it.
pub(super) const FULL: QueryInput = own("full", InputShape::Flag, "Full REST answer; far longer.");

/// Names of list parameters, and a text or a list of texts for each. A wrong name is answered with all names.
pub(super) fn filters(when: &str) -> Value {
    let common = "vendor, capability, input_modalities, context_tokens__gte, price_input__lte, seller, price_of, open_weights, released_on__gte, license, install_type, auth";
    let description =
        format!("{when} Filter names and values, such as {{\"context_tokens__gte\": \"200k\"}}. Often used: {common}.");
    let value = json!({"type": ["string", "array"], "items": {"type": "string"}});
    json!({"type": "object", "additionalProperties": value, "description": description.trim()})
}
