//! Arguments of a tool call as pairs of texts, the form that [`refdesk_core::query`] parses.
//!
//! The schemas are strict; parsing is lenient where the meaning is clear: it takes other names that models send, numbers and booleans as
//! texts (`True`), a list of one value as the value, and lists of ids, of sort keys, of sellers and of a filter's values, also where the list is
//! written as JSON within a text. A blank text is an argument left out. Anything ambiguous is refused with an error that a model can act on.

mod other_names;

use refdesk_core::Kind;
use refdesk_core::text::enumerated;
use serde_json::{Map, Value};

use self::other_names::{near_filter, other_names, takers, unknown};
use super::filters::{filter_names, is_filter};
use crate::http::problem::{Problem, ProblemCode, types_of};

/// Longest id that a tool takes, in characters.
const ID_CHARS_MAX: usize = 1_000;

/// The arguments that were sent, under their canonical names.
#[derive(Debug)]
pub(super) struct Arguments {
    pairs: Vec<(&'static str, String)>,
    /// The names that the tool takes.
    known: Vec<&'static str>,
}

impl Arguments {
    /// Parses the arguments of a tool that takes those which are `known`.
    ///
    /// # Errors
    /// On an unknown name, or a value that is a list or an object where none is taken.
    pub(super) fn parse(
        known: impl Iterator<Item = &'static str> + Clone,
        sent: &Map<String, Value>,
    ) -> Result<Self, Problem> {
        let mut pairs: Vec<(&'static str, String)> = Vec::with_capacity(sent.len());
        let mut aliased = Vec::new();
        for (name, value) in sent {
            let (target, list) = match known.clone().find(|known| known == name) {
                Some(canonical) => (canonical, &mut pairs),
                None => match known.clone().find(|known| other_names(known).contains(&name.as_str())) {
                    Some(canonical) => (canonical, &mut aliased),
                    None => return Err(unknown(&known.collect::<Vec<_>>(), name, sent)),
                },
            };
            // Some arguments have structure: an object of texts, and lists.
            let text = match (target, value) {
                // Its form is judged where it is read.
                ("filters", Value::Object(_) | Value::Array(_)) => Some(value.to_string()),
                ("ids" | "sort", _) => list_text(name, value, std::convert::identity)?,
                ("seller", _) => filter_text(name, value)?,
                _ => text_of(name, value)?,
            };
            // Clients that send every argument leave some blank.
            if let Some(text) = text.filter(|text| !text.trim().is_empty()) {
                list.push((target, text));
            }
        }
        // The canonical name wins when both were sent.
        for (target, text) in aliased {
            if !pairs.iter().any(|(name, _)| *name == target) {
                pairs.push((target, text));
            }
        }
        Ok(Self { pairs, known: known.collect() })
    }

    /// The value of a canonical name, without the white space around it; it is never blank.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.pairs.iter().find(|(known, _)| *known == name).map(|(_, value)| value.trim())
    }

    /// The pairs for a query, without those in `left_out`.
    pub(super) fn pairs_without<'a>(&'a self, left_out: &'a [&str]) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.pairs.iter().filter(|(name, _)| !left_out.contains(name)).map(|(name, value)| (*name, value.as_str()))
    }

    /// The members of `filters`, which must be parameters of the lists of a kind.
    ///
    /// # Errors
    /// On a name that is none, with all that are.
    pub(super) fn filters(&self, kind: Option<Kind>) -> Result<Vec<(String, String)>, Problem> {
        let Some(text) = self.get("filters") else { return Ok(Vec::new()) };
        let hint = "Send filters={\"vendor\": \"OpenAI\"}: names and texts.";
        let wrong = |detail: String| invalid("filters", "invalid filters", detail, hint);
        let Ok(Value::Object(sent)) = serde_json::from_str(text) else {
            return Err(wrong("`filters` is not an object.".to_owned()));
        };
        if sent.values().all(Value::is_null) {
            return Ok(Vec::new());
        }
        let Some(kind) = kind else {
            let hint = "Send type, or write the conditions into q.";
            return Err(invalid(
                "type",
                "type is required",
                "`filters` apply to one type, and `type` is missing.",
                hint,
            ));
        };
        let names: Vec<&str> = filter_names(kind).collect();
        let mut pairs = Vec::with_capacity(sent.len());
        for (name, value) in &sent {
            if !names.contains(&name.as_str()) {
                let shown = refdesk_core::clean::quoted(name);
                let detail = format!("`{shown}` is not a filter of {}.", kind.search_type());
                let mut problem = wrong(detail).hint("Use names of `allowed`.");
                if let Some(filter) = near_filter(kind, name) {
                    problem = problem.hint(format!("Send filters={filter}."));
                } else if let Some(tools) = takers(name).filter(|_| !is_filter(name)) {
                    let is_known = self.known.iter().any(|known| known == name);
                    let (before, behind) =
                        if is_known { ("Send", " beside filters") } else { ("This tool does not take", "") };
                    problem = problem.hint(format!("{before} {shown}{behind}: {tools} it."));
                }
                return Err(problem.with("allowed", names));
            }
            pairs.extend(filter_text(name, value)?.map(|text| (name.clone(), text)));
        }
        Ok(pairs)
    }

    /// A boolean, `false` when absent.
    pub(super) fn flag(&self, name: &'static str) -> Result<bool, Problem> {
        match self.get(name) {
            None | Some("false" | "0") => Ok(false),
            Some("true" | "1") => Ok(true),
            Some(other) => {
                let shown = refdesk_core::clean::excerpt(other, 40);
                let detail = format!("`{name}` is {shown:?}, not a boolean.");
                Err(invalid(name, format!("invalid {name}"), detail, format!("Send {name}=true or {name}=false.")))
            }
        }
    }

    /// A required text.
    pub(super) fn required(&self, name: &'static str, hint: &str) -> Result<&str, Problem> {
        let missing = || invalid(name, format!("{name} is required"), format!("`{name}` is missing or blank."), hint);
        self.get(name).ok_or_else(missing)
    }

    /// The required `id`, in any spelling of up to [`ID_CHARS_MAX`] characters.
    pub(super) fn id(&self, hint: &str) -> Result<&str, Problem> {
        let id = self.required("id", hint)?;
        let chars = id.chars().count();
        if chars > ID_CHARS_MAX {
            let detail = format!("`id` has {chars} characters; the most is {ID_CHARS_MAX}.");
            return Err(invalid("id", "id is too long", detail, hint));
        }
        Ok(id)
    }

    /// The `type`, by any name of a kind.
    pub(super) fn kind(&self, allowed: &[Kind]) -> Result<Option<Kind>, Problem> {
        self.get("type").map(|text| kind_among(text, allowed)).transpose()
    }

    /// The required `type`.
    pub(super) fn required_kind(&self, allowed: &[Kind], hint: &str) -> Result<Kind, Problem> {
        kind_among(self.required("type", hint)?, allowed)
    }

    /// A whole number from `least`; `None` when absent. A number beyond 64 bits becomes the largest one.
    pub(super) fn count(&self, name: &'static str, least: usize) -> Result<Option<usize>, Problem> {
        let Some(text) = self.get(name) else { return Ok(None) };
        let digits = text.strip_prefix('+').unwrap_or(text);
        let whole = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        let value = digits.parse().unwrap_or(usize::MAX);
        if whole && value >= least {
            return Ok(Some(value));
        }
        let shown = refdesk_core::clean::excerpt(text, 40);
        let detail = format!("`{name}` is {shown:?}, not a whole number from {least}.");
        Err(invalid(name, format!("invalid {name}"), detail, format!("Send {name}=<a whole number from {least}>.")))
    }
}

/// A 400 for an argument, in the same form as on REST.
pub(super) fn invalid(
    param: &str,
    error: impl Into<String>,
    detail: impl Into<String>,
    hint: impl Into<String>,
) -> Problem {
    Problem::new(ProblemCode::InvalidArgument, error, detail).with("param", param).hint(hint)
}

fn kind_among(text: &str, allowed: &[Kind]) -> Result<Kind, Problem> {
    let named = Kind::parse(text);
    if let Some(kind) = named.filter(|kind| allowed.contains(kind)) {
        return Ok(kind);
    }
    let types = types_of(allowed);
    let shown = refdesk_core::clean::quoted(text);
    let hint = if named == Some(Kind::Framework) {
        "Frameworks have their own tools: search_frameworks, route_framework, get_framework."
    } else {
        "Send one of allowed_types, or leave type out where it is optional."
    };
    let meant = refdesk_core::nearest::meant(text, types.iter().copied());
    let nearest = meant.map(|meant| format!("; the nearest is `{meant}`")).unwrap_or_default();
    let detail = format!("`type` is {shown:?}, which is not one of the types here{nearest}.");
    let problem = invalid("type", "invalid type", detail, hint).with("allowed_types", types);
    Err(match meant {
        Some(meant) => problem.with("suggestions", vec![meant]),
        None => problem,
    })
}

/// A list of plain values, each as `written` says, between commas.
fn joined(name: &str, values: &[Value], written: impl Fn(String) -> String) -> Result<String, Problem> {
    let texts = values.iter().map(|value| text_of(name, value)).collect::<Result<Vec<_>, _>>().map_err(|_| {
        let shown = refdesk_core::clean::quoted(name);
        let detail = format!("`{shown}` is a list that holds more than texts, numbers and booleans.");
        invalid(&shown, format!("invalid {shown}"), detail, format!("Send {shown} as a list of plain values."))
    })?;
    Ok(texts.into_iter().flatten().map(written).collect::<Vec<_>>().join(","))
}

/// The text of a filter: of a list, its values as the filter takes several.
fn filter_text(name: &str, value: &Value) -> Result<Option<String>, Problem> {
    list_text(name, value, |value| refdesk_core::field::escaped(&value))
}

/// The text of a value that may be a list, whose values are each as `written` says. Where a schema takes a text or a list, many models send
/// a text with the JSON of a list.
fn list_text(name: &str, value: &Value, written: impl Fn(String) -> String) -> Result<Option<String>, Problem> {
    let within = value.as_str().filter(|text| text.trim_start().starts_with('['));
    let within = within.and_then(|text| serde_json::from_str::<Vec<Value>>(text).ok());
    match within.as_ref().or(value.as_array()) {
        Some(values) => joined(name, values, written).map(Some),
        None => text_of(name, value),
    }
}

/// The text of a value; `None` for null, which means absent.
fn text_of(name: &str, value: &Value) -> Result<Option<String>, Problem> {
    let what = match value {
        Value::Null => return Ok(None),
        // Python writes its booleans with a capital. A name loses nothing: it is looked up in any case.
        Value::String(text) if ["true", "false"].iter().any(|word| text.trim().eq_ignore_ascii_case(word)) => {
            return Ok(Some(text.to_ascii_lowercase()));
        }
        Value::String(text) => return Ok(Some(text.clone())),
        Value::Bool(flag) => return Ok(Some(flag.to_string())),
        // JSON has one kind of number: 5.0 is the whole number 5, and some clients write all of theirs so; 1e30 is whole, too.
        Value::Number(number) => {
            let whole = number.as_f64().filter(|value| number.is_f64() && value.fract() == 0.0);
            return Ok(Some(whole.map_or_else(|| number.to_string(), |whole| format!("{whole:.0}"))));
        }
        Value::Array(values) => match values.as_slice() {
            [only] => return text_of(name, only),
            _ => "a list",
        },
        Value::Object(_) => "an object",
    };
    let shown = refdesk_core::clean::quoted(name);
    let detail = format!("`{shown}` is {what}; it must be a single text, number or boolean.");
    Err(invalid(&shown, format!("invalid {shown}"), detail, format!("Send {shown} as a plain value.")))
}

/// A 400 for an address of another type than is meant.
pub(super) fn other_type(sent: &str, kind: Kind, allowed: &[Kind]) -> Problem {
    let types = types_of(allowed);
    let (shown, of) = (refdesk_core::clean::excerpt(sent, 100), kind.search_type());
    let detail = format!("{shown:?} is the address of a {of}; meant here is {}.", enumerated(&types, "or"));
    invalid("type", "invalid type", detail, "Send the id of an item of one of allowed_types.")
        .with("allowed_types", types)
}

#[cfg(test)]
mod tests {
    use super::Arguments;
    use refdesk_core::Kind;
    use serde_json::{Value, json};

    fn parse(sent: &Value) -> Result<Vec<(&'static str, String)>, String> {
        let Value::Object(sent) = sent else { return Err("no object".into()) };
        Arguments::parse(["q", "id", "limit"].into_iter(), sent)
            .map(|arguments| arguments.pairs)
            .map_err(|problem| problem.error)
    }

    #[test]
    fn other_names_are_understood_and_the_canonical_one_counts() {
        assert_eq!(parse(&json!({"query": "a", "model_id": "b"})), Ok(vec![("q", "a".into()), ("id", "b".into())]));
        assert_eq!(
            parse(&json!({"query": "a", "q": "b", "limit": 3})),
            Ok(vec![("q", "b".into()), ("limit", "3".into())])
        );
        assert_eq!(parse(&json!({"q": null})), Ok(vec![]));
    }

    /// A schema's `integer` takes 3.0, and clients whose numbers are all floats send it.
    #[test]
    fn a_whole_number_may_be_written_with_a_fraction_of_zero() {
        for (sent, text) in [(json!(3.0), "3"), (json!(1e9), "1000000000"), (json!(0.5), "0.5"), (json!(3), "3")] {
            assert_eq!(parse(&json!({"limit": sent})), Ok(vec![("limit", text.into())]));
        }
    }

    #[test]
    fn a_list_of_one_is_its_value_and_a_blank_text_is_left_out() {
        assert_eq!(parse(&json!({"q": ["a"], "limit": [3]})), Ok(vec![("q", "a".into()), ("limit", "3".into())]));
        assert_eq!(parse(&json!({"q": "", "query": "a", "limit": " "})), Ok(vec![("q", "a".into())]));
    }

    #[test]
    fn a_list_may_be_json_within_a_text_where_a_list_is_taken() {
        let parse = |sent: &Value| {
            let Value::Object(sent) = sent else { return None };
            let arguments = Arguments::parse(["q", "ids", "filters"].into_iter(), sent).ok()?;
            let filters = arguments.filters(Some(Kind::Model)).ok()?;
            Some((arguments.get("q").map(str::to_owned), arguments.get("ids").map(str::to_owned), filters))
        };
        let filter = |text: &str| vec![("license".to_owned(), text.to_owned())];
        let sent = json!({"ids": "[\"a\", \"b\"]", "filters": {"license": "[\"MIT\", \"BSD, CC0\"]"}});
        assert_eq!(parse(&sent), Some((None, Some("a,b".into()), filter("MIT,BSD\\, CC0"))));
        let texts = json!({"q": "[\"a\"]", "ids": "[a,b", "filters": {"license": "[MIT]"}});
        assert_eq!(parse(&texts), Some((Some("[\"a\"]".into()), Some("[a,b".into()), filter("[MIT]"))));
    }

    #[test]
    fn what_has_no_clear_meaning_is_refused() {
        assert_eq!(parse(&json!({"q": ["a", "b"]})), Err("invalid q".into()));
        assert_eq!(parse(&json!({"q": {"x": 1}})), Err("invalid q".into()));
        assert_eq!(parse(&json!({"colour": "red"})), Err("unknown argument colour".into()));
    }
}
