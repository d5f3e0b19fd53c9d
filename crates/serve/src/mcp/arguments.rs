//! Arguments of a tool call as name-value texts, the form that [`refdesk_core::query`] reads.
//!
//! The schemas are strict, this is forgiving where the meaning is clear: other names that models send are understood, numbers and
//! booleans may come as texts. What is not clear is refused with words that a model can act on.

use http::StatusCode;
use refdesk_core::Kind;
use serde_json::{Map, Value};

use super::tool_schemas::ID_CHARS_MAX;
use crate::problem::{Code, Problem};

/// An argument and the other names it goes by.
pub(crate) type Name = (&'static str, &'static [&'static str]);

pub(crate) const Q: Name =
    ("q", &["query", "text", "question", "task", "problem", "search", "search_query", "keywords", "input"]);
pub(crate) const ID: Name = (
    "id",
    &[
        "model_id",
        "name",
        "slug",
        "item_id",
        "uri",
        "url",
        "document_id",
        "doc_id",
        "framework_id",
        "framework",
        "skill_id",
        "tool_id",
    ],
);
pub(crate) const TYPE: Name = ("type", &["kind", "item_type", "types", "collection"]);
pub(crate) const LIMIT: Name = ("limit", &["max_results", "top_k", "count", "page_size", "size", "max_chars"]);
pub(crate) const OFFSET: Name = ("offset", &["start", "from", "skip"]);
pub(crate) const FRESH_ONLY: Name = ("fresh_only", &["fresh", "exclude_stale"]);
pub(crate) const INCLUDE_MARKDOWN: Name = ("include_markdown", &["markdown", "include_body", "full_text"]);
pub(crate) const INCLUDE_CANDIDATES: Name = ("include_candidates", &["candidates"]);
pub(crate) const INCLUDE_PROMPT: Name = ("include_prompt", &["with_prompt", "prompt"]);
pub(crate) const DOMAIN: Name = ("domain", &["domains", "category"]);
pub(crate) const MODE: Name = ("mode", &["ranking"]);

/// What was sent, under the canonical names.
#[derive(Debug)]
pub(crate) struct Arguments {
    pairs: Vec<(&'static str, String)>,
}

impl Arguments {
    /// Reads the arguments that a tool knows.
    ///
    /// # Errors
    /// On an unknown name, or a value that is a list or an object.
    pub(crate) fn read(known: &[Name], sent: &Map<String, Value>) -> Result<Self, Problem> {
        let mut pairs: Vec<(&'static str, String)> = Vec::with_capacity(sent.len());
        let mut aliased = Vec::new();
        for (name, value) in sent {
            let canonical = known.iter().find(|(canonical, _)| canonical == name);
            let (target, list) = match canonical {
                Some((canonical, _)) => (*canonical, &mut pairs),
                None => match known.iter().find(|(_, others)| others.contains(&name.as_str())) {
                    Some((canonical, _)) => (*canonical, &mut aliased),
                    None => return Err(unknown(known, name)),
                },
            };
            if let Some(text) = text_of(name, value)? {
                list.push((target, text));
            }
        }
        // The canonical name counts when both were sent.
        for (target, text) in aliased {
            if !pairs.iter().any(|(name, _)| *name == target) {
                pairs.push((target, text));
            }
        }
        Ok(Self { pairs })
    }

    /// The value of a canonical name.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.pairs.iter().find(|(known, _)| *known == name).map(|(_, value)| value.as_str())
    }

    /// The pairs that a query reads, without those named.
    pub(crate) fn pairs_without<'a>(&'a self, left_out: &'a [&str]) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.pairs.iter().filter(|(name, _)| !left_out.contains(name)).map(|(name, value)| (*name, value.as_str()))
    }

    /// A required text.
    pub(crate) fn required(&self, name: &'static str, hint: &str) -> Result<&str, Problem> {
        self.get(name).map(str::trim).filter(|text| !text.is_empty()).ok_or_else(|| {
            wrong(name, format!("{name} is required"), format!("`{name}` is missing or blank."), hint.to_owned())
        })
    }

    /// The required `id`, in any spelling of up to [`ID_CHARS_MAX`] characters.
    pub(crate) fn id(&self, hint: &str) -> Result<&str, Problem> {
        let id = self.required("id", hint)?;
        let chars = id.chars().count();
        if chars > ID_CHARS_MAX {
            let detail = format!("`id` has {chars} characters; the most is {ID_CHARS_MAX}.");
            return Err(wrong("id", "id is too long".to_owned(), detail, hint.to_owned()));
        }
        Ok(id)
    }

    /// The `type`, understood in any of its names.
    pub(crate) fn kind(&self, allowed: &[Kind]) -> Result<Option<Kind>, Problem> {
        let Some(text) = self.get("type").map(str::trim).filter(|text| !text.is_empty()) else { return Ok(None) };
        let found = Kind::parse(text).filter(|kind| allowed.contains(kind));
        found.map(Some).ok_or_else(|| invalid_type(text, allowed))
    }

    /// A whole number from `least`; `None` when absent, the largest number when beyond 64 bits.
    pub(crate) fn count(&self, name: &'static str, least: usize) -> Result<Option<usize>, Problem> {
        let Some(text) = self.get(name).map(str::trim) else { return Ok(None) };
        let digits = text.strip_prefix('+').unwrap_or(text);
        let whole = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        let value = digits.parse().unwrap_or(usize::MAX);
        if whole && value >= least {
            return Ok(Some(value));
        }
        let shown = refdesk_core::clean::excerpt(text, 40);
        let detail = format!("`{name}` is {shown:?}, not a whole number from {least}.");
        Err(wrong(name, format!("invalid {name}"), detail, format!("Send {name}=<a whole number from {least}>.")))
    }
}

/// A 400 for an argument, in the same form as on REST.
pub(crate) fn wrong(param: &str, error: String, detail: String, hint: String) -> Problem {
    Problem::new(StatusCode::BAD_REQUEST, Code::InvalidArgument, error, detail).with("param", param).hint(hint)
}

fn invalid_type(text: &str, allowed: &[Kind]) -> Problem {
    let types: Vec<&str> = allowed.iter().map(|kind| kind.search_type()).collect();
    let shown = refdesk_core::clean::excerpt(text, 60);
    let hint = if Kind::parse(text) == Some(Kind::Framework) {
        "Frameworks have their own tools: search_frameworks, route_framework, get_framework."
    } else {
        "Send one of allowed_types, or leave type out where it is optional."
    };
    let detail = format!("`type` is {shown:?}, which is not one of the types here.");
    wrong("type", "invalid type".to_owned(), detail, hint.to_owned()).with("allowed_types", types)
}

/// The text of a value; `None` for null, which stands for absent.
fn text_of(name: &str, value: &Value) -> Result<Option<String>, Problem> {
    let what = match value {
        Value::Null => return Ok(None),
        Value::String(text) => return Ok(Some(text.clone())),
        Value::Bool(flag) => return Ok(Some(flag.to_string())),
        Value::Number(number) => return Ok(Some(number.to_string())),
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    };
    let shown = refdesk_core::clean::excerpt(name, 60);
    let detail = format!("`{shown}` is {what}; it must be a single text, number or boolean.");
    Err(wrong(&shown, format!("invalid {shown}"), detail, format!("Send {shown} as a plain value.")))
}

fn unknown(known: &[Name], name: &str) -> Problem {
    let shown = refdesk_core::clean::excerpt(name, 60);
    let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
    let hint = if names.is_empty() {
        "This tool takes no arguments; send {}.".to_owned()
    } else {
        format!("Send only: {}.", names.join(", "))
    };
    let detail = format!("This tool has no argument `{shown}`.");
    wrong(&shown, format!("unknown argument {shown}"), detail, hint).with("allowed_arguments", names)
}

#[cfg(test)]
mod tests {
    use super::{Arguments, ID, LIMIT, Q};
    use serde_json::{Value, json};

    fn read(sent: &Value) -> Result<Vec<(&'static str, String)>, String> {
        let Value::Object(sent) = sent else { return Err("no object".into()) };
        Arguments::read(&[Q, ID, LIMIT], sent).map(|read| read.pairs).map_err(|problem| problem.error)
    }

    #[test]
    fn other_names_are_understood_and_the_canonical_one_counts() {
        assert_eq!(read(&json!({"query": "a", "model_id": "b"})), Ok(vec![("q", "a".into()), ("id", "b".into())]));
        assert_eq!(
            read(&json!({"query": "a", "q": "b", "limit": 3})),
            Ok(vec![("q", "b".into()), ("limit", "3".into())])
        );
        assert_eq!(read(&json!({"q": null})), Ok(vec![]));
    }

    #[test]
    fn what_has_no_clear_meaning_is_refused() {
        assert_eq!(read(&json!({"q": {"x": 1}})), Err("invalid q".into()));
        assert_eq!(read(&json!({"colour": "red"})), Err("unknown argument colour".into()));
    }
}
