//! Parameters of REST as the command line takes them: `price_input__lte` is `--price-input-lte`. Answers and errors come in the words of REST;
//! this is the one place that puts them into those of the command line.

use std::borrow::Cow;

use refdesk_core::Kind;
use refdesk_core::query::SOURCES_PATH;

use super::kind_word;

/// Parameters whose flag is not their own name with dashes.
const NAMED_OTHERWISE: [(&str, &str); 7] = [
    ("cache_read_tokens", "--cache-read"),
    ("cache_write_tokens", "--cache-write"),
    ("include_prompt", "--prompt"),
    ("include_removed", "--without-removed"),
    ("input_tokens", "--input"),
    ("output_tokens", "--output"),
    ("reasoning_tokens", "--reasoning"),
];

/// Parameters whose flags have no value.
const SWITCHES: [&str; 5] = ["all_offers", "batch", "fresh_only", "include_candidates", "include_prompt"];

/// The flag of a parameter.
pub fn flag(parameter: &str) -> String {
    let named = NAMED_OTHERWISE.iter().find(|(name, _)| *name == parameter);
    named
        .map_or_else(|| format!("--{}", parameter.replace("__", "-").replace('_', "-")), |(_, flag)| (*flag).to_owned())
}

/// The parameter of a flag, which stands here without its dashes.
pub fn parameter(flag: &str) -> String {
    let named = NAMED_OTHERWISE.iter().find(|(_, known)| known.strip_prefix("--") == Some(flag));
    named.map_or_else(|| flag.replace('-', "_"), |(name, _)| (*name).to_owned())
}

/// What is said of a parameter whose flag has another name, with the flags of the others that are named beside it, too.
pub fn beside(parameter: &str, text: &str) -> String {
    let mut told = in_flags(text).into_owned();
    if NAMED_OTHERWISE.iter().any(|(name, _)| *name == parameter) {
        for (name, flag) in NAMED_OTHERWISE {
            told = told.replace(name, flag);
        }
    }
    told
}

/// Words before what was typed or is a value, although it may be spelt as a parameter is: ``no row has `seller` ``.
const BEFORE_VALUES: [&str; 5] = ["has", "at", "value", "for", "is"];

/// A sentence in which parameters stand between backticks, with their flags instead: `` `understand=false` `` becomes
/// `` `--understand=false` ``, and `` `type=MCP_SERVER` `` `` `--type=mcp-server` ``. What stands there otherwise, such as a command or a value, stays.
pub fn in_flags(text: &str) -> Cow<'_, str> {
    if !text.contains('`') {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for (at, part) in text.split('`').enumerate() {
        if at > 0 {
            out.push('`');
        }
        let (name, value) = part.split_once('=').map_or((part, None), |(name, value)| (name, Some(value)));
        let is_value = || BEFORE_VALUES.iter().any(|word| out.ends_with(&format!(" {word} `")));
        // Between backticks is every second part.
        if at % 2 == 0 || !is_parameter(name) || value.is_none() && is_value() {
            out.push_str(part);
            continue;
        }
        out.push_str(&flag(name));
        if let Some(value) = value.filter(|_| !SWITCHES.contains(&name)) {
            let kind = Kind::parse(value).filter(|_| name == "type").map(kind_word);
            out.push('=');
            out.push_str(kind.as_deref().unwrap_or(value));
        }
    }
    Cow::Owned(out)
}

/// The same, with the commands that ask what a path of REST answers: `/v1/frameworks/premortem` becomes `` `refdesk get framework premortem` ``.
pub fn in_commands(text: &str) -> String {
    let words = text.split(' ').map(|word| command(word).map_or(Cow::Borrowed(word), Cow::Owned));
    in_flags(&words.collect::<Vec<_>>().join(" ")).into_owned()
}

/// The command that asks what a path of REST answers.
fn command(path: &str) -> Option<String> {
    if path == SOURCES_PATH {
        return Some("`refdesk sources`".to_owned());
    }
    if let Some(id) = path.strip_prefix("/v1/frameworks/") {
        return Some(format!("`refdesk get framework {id}`"));
    }
    let (model, usage) = path.strip_prefix("/v1/cost?model=")?.split_once('&')?;
    let usage = usage.split('&').filter_map(|pair| pair.split_once('='));
    let said = |(name, value)| {
        if SWITCHES.contains(&name) { format!(" {}", flag(name)) } else { format!(" {} {value}", flag(name)) }
    };
    let flags: String = usage.map(said).collect();
    Some(format!("`refdesk cost {model}{flags}`"))
}

fn is_parameter(name: &str) -> bool {
    use refdesk_core::query::{
        CompareQuery, ConflictsQuery, CostQuery, ListQuery, ResolveQuery, RouteQuery, SearchQuery,
    };
    let of_kinds = || {
        Kind::ALL
            .into_iter()
            .any(|kind| ListQuery::names(kind).contains(&name) || SearchQuery::names(Some(kind)).contains(&name))
    };
    let others: [&[&str]; 5] =
        [&CostQuery::NAMES, &ConflictsQuery::NAMES, &ResolveQuery::NAMES, &CompareQuery::NAMES, &RouteQuery::NAMES];
    others.iter().any(|names| names.contains(&name)) || of_kinds()
}

#[cfg(test)]
mod tests {
    use super::{flag, in_commands, in_flags};

    #[test]
    fn paths_are_told_as_the_commands_that_ask_the_same() {
        for (told, shown) in [
            ("look at /v1/frameworks/premortem", "look at `refdesk get framework premortem`"),
            (
                "every seller of `o3`: /v1/cost?model=o3&input_tokens=1M",
                "every seller of `o3`: `refdesk cost o3 --input 1M`",
            ),
            ("/v1/cost?model=o3&input_tokens=2000&output_tokens=500", "`refdesk cost o3 --input 2000 --output 500`"),
            ("/v1/cost?model=o3&input_tokens=1M&batch=true", "`refdesk cost o3 --input 1M --batch`"),
            ("the catalog is empty: see /v1/sources/status", "the catalog is empty: see `refdesk sources`"),
            ("see /v1/models/list", "see /v1/models/list"),
        ] {
            assert_eq!(in_commands(told), shown);
        }
    }

    #[test]
    fn parameters_are_told_as_flags_and_other_words_stay() {
        assert_eq!(flag("price_input__lte"), "--price-input-lte");
        assert_eq!(flag("input_tokens"), "--input");
        assert_eq!(in_flags("`understand=false` takes them"), "`--understand=false` takes them");
        assert_eq!(in_flags("add `type=MCP_SERVER`"), "add `--type=mcp-server`");
        assert_eq!(in_flags("add `include_candidates=true`"), "add `--include-candidates`");
        for (told, shown) in [
            ("no row of this page has `seller`", "no row of this page has `seller`"),
            ("`path`: sources disagree on nothing at `status`", "`--path`: sources disagree on nothing at `status`"),
            ("`vendor`: nothing has the value `source`", "`--vendor`: nothing has the value `source`"),
            ("searched for `license`: `understand=false` takes", "searched for `license`: `--understand=false` takes"),
            ("leaves out all that `stale` asks for", "leaves out all that `--stale` asks for"),
        ] {
            assert_eq!(in_flags(told), shown);
        }
        assert_eq!(
            in_flags("searched for `a model`: see `refdesk sync`"),
            "searched for `a model`: see `refdesk sync`"
        );
    }
}
