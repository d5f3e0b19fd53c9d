//! Inputs in the shape of the MCP registry (`Input`, `KeyValueInput` and `Argument` of its `server.json`): what is fixed, what has a
//! default, and what only the owner of the server knows, for which a placeholder stands.

use refdesk_core::text::is_variable_name;
use serde_json::{Value, json};

use crate::pages::layout::values;

/// What stands for a value that only its owner knows.
fn placeholder(name: &str) -> String {
    format!("<your {name}>")
}

/// A text of an input, without characters that only deceive.
fn text(input: &Value, member: &str) -> Option<String> {
    values::text(input, member).map(values::shown)
}

fn default(input: &Value) -> Option<String> {
    text(input, "default").map(|default| filled(&default, &Value::Null))
}

fn is_required(input: &Value) -> bool {
    input["isRequired"] == true
}

/// A template with its variables filled in, `{name}`, `${name}`, `{{name}}` or `$NAME`: with their values or defaults, or else with
/// placeholders. A default may be a template, too: no client puts the home folder for `$HOME`.
pub(super) fn filled(template: &str, variables: &Value) -> String {
    let (mut filled, mut rest) = (String::new(), template);
    while let Some((before, name, behind)) = first_variable(rest) {
        let variable = &variables[name];
        let value = text(variable, "value").or_else(|| default(variable)).unwrap_or_else(|| placeholder(name));
        filled.extend([before, &value]);
        rest = behind;
    }
    filled + rest
}

/// The first variable of a template, between what stands before it and what stands behind it.
fn first_variable(template: &str) -> Option<(&str, &str, &str)> {
    let is_of_shell = |c: char| c.is_ascii_uppercase() || c == '_';
    template.match_indices(['{', '$']).find_map(|(open, sign)| {
        if sign == "$" {
            let behind = &template[open + 1..];
            let end = behind.find(|c: char| !is_of_shell(c) && !c.is_ascii_digit()).unwrap_or(behind.len());
            let (name, behind) = behind.split_at(end);
            return name.starts_with(is_of_shell).then_some((&template[..open], name, behind));
        }
        let inner = template[open..].trim_start_matches('{');
        let (name, behind) = inner.split_at(inner.find('}')?);
        let closed = if template[open..].starts_with("{{") { "}}" } else { "}" };
        let before = template[..open].strip_suffix('$').unwrap_or(&template[..open]);
        Some((before, name, behind.strip_prefix(closed)?)).filter(|_| is_variable_name(name))
    })
}

/// The variables of the environment or the headers that have to be set. What may be left open, or has a default, is left to the table of
/// the page; a secret of which its source does not say that is taken to be needed.
pub(super) fn settings(inputs: &Value) -> Vec<(String, String)> {
    let is_needed = |input: &&Value| {
        input["value"].is_string() || is_required(input) || input["isSecret"] == true && input["isRequired"].is_null()
    };
    let setting = |input: &Value| Some((text(input, "name")?, setting_value(input)));
    // Some sources list a variable once for each part of the server that reads it.
    let mut seen = std::collections::HashSet::new();
    let settings = inputs.as_array().into_iter().flatten().filter(is_needed).filter_map(setting);
    settings.filter(|(name, _)| seen.insert(name.clone())).collect()
}

fn setting_value(input: &Value) -> String {
    let own = || placeholder(&text(input, "name").unwrap_or_default());
    let default = default(input);
    let fixed = text(input, "value").map(|value| match first_variable(&value) {
        // A variable that nobody describes says no more than the name of the setting, and less than its default.
        Some(("", name, "")) if input["variables"][name].is_null() => default.clone().unwrap_or_else(own),
        _ => filled(&value, &input["variables"]),
    });
    fixed.or(default).unwrap_or_else(own)
}

/// The words of the arguments that a package needs.
pub(super) fn of_package(arguments: &Value) -> Vec<String> {
    arguments.as_array().into_iter().flatten().flat_map(|argument| words(argument, false)).collect()
}

/// The words of each argument of the program that runs a package. Some sources state the value of a named one as the next argument.
pub(super) fn of_runtime(arguments: &Value) -> Vec<Vec<String>> {
    let arguments = arguments.as_array().map_or(&[][..], Vec::as_slice);
    let has_value_behind = |at: usize| {
        let behind = arguments.get(at + 1);
        behind.is_some_and(|behind| behind["type"] == "positional" && behind["value"].is_string())
    };
    let words = arguments.iter().enumerate().map(|(at, argument)| words(argument, has_value_behind(at)));
    words.filter(|words| !words.is_empty()).collect()
}

/// The words of an argument; none where it may be left out.
fn words(argument: &Value, has_value_behind: bool) -> Vec<String> {
    let fixed = text(argument, "value").map(|value| filled(&value, &argument["variables"]));
    let name = text(argument, "name").filter(|_| argument["type"] != "positional");
    if fixed.is_none() && !is_required(argument) {
        return name.into_iter().filter(|_| has_value_behind).collect();
    }
    if argument["format"] == "boolean" && name.is_some() {
        return name.into_iter().filter(|_| fixed.as_deref() != Some("false")).collect();
    }
    let own = || {
        let hint = text(argument, "valueHint").map(|hint| format!("<{hint}>"));
        hint.unwrap_or_else(|| placeholder(name.as_deref().map_or("argument", |name| name.trim_start_matches('-'))))
    };
    let value = fixed.or_else(|| default(argument)).unwrap_or_else(own);
    name.iter().cloned().chain([value]).collect()
}

/// What the address of a package may name: its arguments and its environment.
pub(super) fn variables(package: &Value) -> Value {
    let inputs = ["runtimeArguments", "packageArguments", "environmentVariables"];
    let inputs = inputs.into_iter().flat_map(|member| package[member].as_array().into_iter().flatten());
    let mut variables = json!({});
    for input in inputs {
        for name in ["name", "valueHint"].into_iter().filter_map(|member| values::text(input, member)) {
            let value = text(input, "value").map(|value| filled(&value, &input["variables"]));
            variables[name.trim_start_matches('-')] = json!({"value": value, "default": input["default"]});
        }
    }
    variables
}

#[cfg(test)]
mod tests {
    use super::{filled, of_package, of_runtime, settings};
    use serde_json::json;

    #[test]
    fn a_template_keeps_its_words_and_names_what_its_owner_fills_in() {
        for (template, variables, written) in [
            ("Bearer {token}", json!(null), "Bearer <your token>"),
            ("Bearer ${API_KEY}", json!(null), "Bearer <your API_KEY>"),
            ("$HOME/a:/b", json!(null), "<your HOME>/a:/b"),
            ("{{desk.home}}:/b", json!({"desk.home": {"default": "$HOME/a"}}), "<your HOME>/a:/b"),
            ("for $5 or $x", json!(null), "for $5 or $x"),
            ("{{desk.key}}", json!(null), "<your desk.key>"),
            ("{port}:9328", json!({"port": {"default": "80"}}), "80:9328"),
            ("{\"a\": 1} {}", json!(null), "{\"a\": 1} {}"),
        ] {
            assert_eq!(filled(template, &variables), written);
        }
    }

    #[test]
    fn what_has_a_default_or_may_be_left_out_is_no_blank_to_fill_in() {
        let stated = json!([
            {"name": "KEY", "isSecret": true}, {"name": "MAY", "isSecret": true, "isRequired": false},
            {"name": "LEVEL", "default": "info"}, {"name": "PORT", "isRequired": true, "default": "80"},
            {"name": "MODE", "value": "http"}, {"name": "KEY", "isSecret": true, "isRequired": true}, {"name": "HOST", "value": "{{desk.host}}"}, {"name": "NOTE"},
        ]);
        let set = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let written = [set("KEY", "<your KEY>"), set("PORT", "80"), set("MODE", "http"), set("HOST", "<your HOST>")];
        assert_eq!(settings(&stated), written);
    }

    #[test]
    fn an_argument_that_is_needed_never_stands_without_its_value() {
        let stated = json!([
            {"type": "named", "name": "--transport", "value": "stdio"}, {"type": "named", "name": "--api-key", "isRequired": true},
            {"type": "named", "name": "--quiet", "format": "boolean", "isRequired": true}, {"type": "named", "name": "--port", "default": "80"},
            {"type": "positional", "isRequired": true, "valueHint": "folder"}, {"type": "named", "name": "--no", "format": "boolean", "value": "false"},
        ]);
        assert_eq!(of_package(&stated), ["--transport", "stdio", "--api-key", "<your api-key>", "--quiet", "<folder>"]);
        let stated = json!([
            {"type": "named", "name": "--rm"}, {"type": "named", "name": "-e"}, {"type": "positional", "value": "TOKEN"},
            {"type": "named", "name": "-v", "value": "{src}:/app", "variables": {"src": {}}},
        ]);
        assert_eq!(of_runtime(&stated).concat(), ["-e", "TOKEN", "-v", "<your src>:/app"]);
    }
}
