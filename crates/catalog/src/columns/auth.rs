//! Whether an MCP server can be used without anything that its user has to bring: read from the inputs of its packages and remotes, in the
//! shape of the MCP registry (`Input`, `KeyValueInput` and `Argument` of its `server.json`).

use serde_json::{Map, Value};

use crate::resolve::is_stated;
use refdesk_core::text::is_variable_name;
use refdesk_search::text::word_array;

/// Members of a package, a remote or a transport that list inputs, in the spellings of both versions of the registry's API.
const INPUTS: [&str; 7] = word_array(
    "headers environmentVariables environment_variables packageArguments package_arguments runtimeArguments \
     runtime_arguments",
);

/// `none` if nothing has to be filled in for one of the ways to use the server, `required` if every way asks for something. Nothing if no
/// way is stated.
pub(super) fn auth(fields: &Map<String, Value>) -> Option<&'static str> {
    let list = |name: &str| fields.get(name).and_then(Value::as_array).into_iter().flatten();
    let mut ways = list("remotes").chain(list("packages")).peekable();
    ways.peek()?;
    // Catalogs that list the secrets of a server do not all say that they are required; what is optional is said, there or by a
    // package that has them in its environment.
    let of_packages: Vec<&Value> = list("packages").flat_map(inputs).collect();
    let is_optional_there =
        |name: &str| of_packages.iter().any(|input| text(input, "name") == Some(name) && is_optional(input));
    let required = |secret: &Value| secret.get("required").and_then(Value::as_bool);
    let is_asked_for =
        |secret: &Value| required(secret).unwrap_or_else(|| !text(secret, "env").is_some_and(is_optional_there));
    let asks_for_secrets = list("secrets").any(is_asked_for);
    let stated_optional = list("secrets").filter(|secret| required(secret) == Some(false));
    let optional: Vec<&str> = stated_optional.filter_map(|secret| text(secret, "env")).collect();
    Some(if !asks_for_secrets && ways.any(|way| !asks_anything(way, &optional)) { "none" } else { "required" })
}

/// Whether a package or a remote has an input, or an address, that its user has to fill in. `optional` are the environment variables that
/// another source states to be optional.
fn asks_anything(way: &Value, optional: &[&str]) -> bool {
    let transport = way.get("transport");
    let own = inputs(way);
    let is_own = |name: &str| own.iter().any(|input| has_name(input, name));
    let has_open_address = |of: &Value| {
        let variables = of.get("variables");
        text(of, "url").is_some_and(|url| variable_names(url).any(|name| !is_own(name) && is_open(variables, name)))
    };
    let asks = |input: &Value| {
        let is_named_optional = text(input, "name").is_some_and(|name| optional.contains(&name));
        is_asked(input) && (is_required(input) || !is_named_optional)
    };
    own.iter().any(|input| asks(input))
        || has_open_address(way)
        || transport.is_some_and(|transport| inputs(transport).into_iter().any(asks) || has_open_address(transport))
}

/// The inputs of a package, a remote or a transport. Some sources write headers as an object of names and values.
fn inputs(of: &Value) -> Vec<&Value> {
    let mut found = Vec::new();
    for list in INPUTS.iter().filter_map(|name| of.get(*name)) {
        match list {
            Value::Array(inputs) => found.extend(inputs),
            Value::Object(values) => found.extend(values.values()),
            _ => {}
        }
    }
    found
}

/// Whether an input is one that the address of its package may name: `{port}` of `--port`.
fn has_name(input: &Value, name: &str) -> bool {
    ["name", "valueHint", "value_hint"]
        .iter()
        .filter_map(|member| text(input, member))
        .any(|own| own.trim_start_matches('-') == name)
}

/// Whether an input has to be filled in: it is required, a secret of which nobody says that it is optional, or a template with an open
/// variable.
fn is_asked(input: &Value) -> bool {
    if let Value::String(template) = input {
        return variable_names(template).next().is_some();
    }
    if is_optional(input) {
        return false;
    }
    if let Some(value) = text(input, "value") {
        return variable_names(value).any(|name| is_open(input.get("variables"), name));
    }
    let is_switch = text(input, "type") == Some("named") && text(input, "format") == Some("boolean");
    is_secret(input) || is_required(input) && !is_switch && !has(input, "default")
}

/// Whether a variable of a template is left to the user.
fn is_open(variables: Option<&Value>, name: &str) -> bool {
    let Some(variable) = variables.and_then(|variables| variables.get(name)) else { return true };
    let is_filled = has(variable, "value") || has(variable, "default") && !is_secret(variable);
    !is_optional(variable) && !is_filled
}

fn is_required(input: &Value) -> bool {
    flag(input, ["isRequired", "is_required"]) == Some(true)
}

fn is_optional(input: &Value) -> bool {
    flag(input, ["isRequired", "is_required"]) == Some(false)
}

fn is_secret(input: &Value) -> bool {
    flag(input, ["isSecret", "is_secret"]) == Some(true)
}

fn flag(input: &Value, names: [&str; 2]) -> Option<bool> {
    names.iter().find_map(|name| input.get(*name).and_then(Value::as_bool))
}

fn has(input: &Value, name: &str) -> bool {
    input.get(name).is_some_and(is_stated)
}

fn text<'a>(of: &'a Value, name: &str) -> Option<&'a str> {
    of.get(name).and_then(Value::as_str).filter(|text| !text.is_empty())
}

/// The variables of a template: `name` of `{name}`, `${name}` and `{{name}}`.
fn variable_names(template: &str) -> impl Iterator<Item = &str> {
    template.split('{').skip(1).filter_map(|behind| {
        let name = &behind[..behind.find('}')?];
        is_variable_name(name).then_some(name)
    })
}

#[cfg(test)]
mod tests {
    use super::{auth, variable_names};
    use serde_json::{Value, json};

    fn of_fields(fields: &Value) -> Option<&'static str> {
        auth(fields.as_object().unwrap())
    }

    fn of_ways(remotes: &Value, packages: &Value) -> Option<&'static str> {
        of_fields(&json!({"remotes": remotes, "packages": packages}))
    }

    #[test]
    fn an_input_is_asked_for_unless_it_is_optional_or_filled_in() {
        for (input, asked) in [
            (json!({"name": "KEY"}), false),
            (json!({"name": "KEY", "isRequired": true}), true),
            (json!({"name": "KEY", "is_required": true}), true),
            (json!({"name": "KEY", "isSecret": true}), true),
            (json!({"name": "KEY", "isSecret": true, "default": "changeme"}), true),
            (json!({"name": "KEY", "isSecret": true, "isRequired": false}), false),
            (json!({"name": "KEY", "value": "Bearer {smithery_api_key}"}), true),
            (json!({"name": "KEY", "value": "Bearer {key}", "isRequired": false}), false),
            (json!({"name": "KEY", "value": "{{desk.key}}"}), true),
            (json!({"name": "KEY", "value": "{level}", "variables": {"level": {"default": "info"}}}), false),
            (json!({"name": "KEY", "value": "{key}", "variables": {"key": {"isSecret": true}}}), true),
            (json!({"name": "KEY", "value": "{key}", "variables": {"key": {"isRequired": false}}}), false),
            (json!({"name": "MODE", "value": "http", "isRequired": true}), false),
            (json!({"name": "PORT", "default": "80", "isRequired": true}), false),
        ] {
            let expected = Some(if asked { "required" } else { "none" });
            let remote = json!([{"type": "sse", "url": "https://acme.example/sse", "headers": [input]}]);
            assert_eq!(of_ways(&remote, &json!([])), expected, "header {input}");
            for list in ["environmentVariables", "packageArguments", "runtimeArguments"] {
                let package = json!([{"registryType": "npm", "identifier": "acme", list: [input]}]);
                assert_eq!(of_ways(&json!([]), &package), expected, "{list} {input}");
            }
        }
    }

    #[test]
    fn one_way_that_asks_for_nothing_is_enough_and_without_ways_nothing_is_known() {
        let open = json!([{"type": "sse", "url": "https://acme.example/sse"}]);
        let asking = json!([{"registryType": "npm", "environmentVariables": [{"name": "KEY", "isRequired": true}]}]);
        assert_eq!(of_ways(&open, &asking), Some("none"));
        assert_eq!(of_ways(&json!([]), &asking), Some("required"));
        assert_eq!(of_ways(&json!([]), &json!([])), None);
    }

    #[test]
    fn a_secret_that_another_source_states_to_be_optional_is_not_asked_for() {
        let of = |input: Value| {
            let package = json!([{"registryType": "npm", "environmentVariables": [input]}]);
            let secrets = json!([{"name": "acme.key", "env": "KEY", "required": false}]);
            of_fields(&json!({"packages": package, "secrets": secrets}))
        };
        assert_eq!(of(json!({"name": "KEY", "isSecret": true})), Some("none"));
        assert_eq!(of(json!({"name": "KEY", "isSecret": true, "isRequired": true})), Some("required"));
        assert_eq!(of(json!({"name": "OTHER", "isSecret": true})), Some("required"));
    }

    #[test]
    fn an_address_without_headers_asks_for_something_where_a_catalog_lists_a_secret() {
        let of = |secrets: Value| {
            let remote = json!([{"type": "sse", "url": "https://acme.example/sse"}]);
            of_fields(&json!({"remotes": remote, "secrets": secrets}))
        };
        // Docker's catalog lists what signing in gives without saying whether it is required.
        assert_eq!(of(json!([{"name": "acme.token", "env": "ACME_TOKEN", "required": null}])), Some("required"));
        assert_eq!(of(json!([])), Some("none"));
    }

    #[test]
    fn a_secret_that_a_package_states_to_be_optional_is_asked_for_only_where_its_catalog_says_so() {
        let of = |required: Value, own: Value| {
            let package = json!([{"registryType": "npm", "environmentVariables": [own]}]);
            let secrets = json!([{"name": "acme.key", "env": "KEY", "required": required}]);
            of_fields(&json!({"packages": package, "secrets": secrets}))
        };
        let optional = json!({"name": "KEY", "isSecret": true, "isRequired": false});
        assert_eq!(of(Value::Null, optional.clone()), Some("none"));
        assert_eq!(of(json!(true), optional), Some("required"));
        assert_eq!(of(Value::Null, json!({"name": "OTHER", "isRequired": false})), Some("required"));
        assert_eq!(of(Value::Null, json!({"name": "KEY", "isRequired": true})), Some("required"));
    }

    #[test]
    fn an_address_with_an_open_variable_is_no_way_without_anything() {
        for (remote, expected) in [
            (json!({"url": "https://{host}/mcp"}), "required"),
            (json!({"url": "https://{host}/mcp", "variables": {"host": {"isRequired": true}}}), "required"),
            (json!({"url": "https://{host}/mcp", "variables": {"host": {"default": "acme.example"}}}), "none"),
            (json!({"url": "https://acme.example/mcp", "headers": {"Authorization": "Bearer {token}"}}), "required"),
            (json!({"url": "https://acme.example/mcp", "headers": {"Accept": "text/plain"}}), "none"),
        ] {
            assert_eq!(of_ways(&json!([remote]), &json!([])), Some(expected), "{remote}");
        }
        let port = json!([{"transport": {"type": "sse", "url": "http://localhost:{port}/sse"},
            "packageArguments": [{"type": "named", "name": "--port", "default": "80"}]}]);
        assert_eq!(of_ways(&json!([]), &port), Some("none"), "the address names an argument of the package");
    }

    #[test]
    fn braces_around_anything_but_a_name_are_text() {
        let names = |template| variable_names(template).collect::<Vec<_>>();
        assert_eq!(names("Bearer ${API_KEY} {{desk.key}} {a-b}"), ["API_KEY", "desk.key", "a-b"]);
        assert_eq!(names("{\"a\": 1} {} {a b} {open"), Vec::<&str>::new());
    }
}
