//! How Docker's catalog runs an image, as a package with arguments and variables in the registry's shape.
//!
//! Values are templates over the settings, `{{server.setting|filter}}`, which Docker's gateway fills in. Here each is a template of the
//! registry whose variables have the settings' defaults. What neither a command line nor such a template can say is named in `left_out`.

use serde_json::{Map, Value, json};

use super::DockerServer;
use crate::connectors::formats::json_fields::{flag, text};
use crate::connectors::formats::yaml::scalar;
use crate::connectors::mcp::mcp_registry::secrets::looks_secret;

/// Flags of `docker run` whose value is no text of the entry.
const WITHOUT_NETWORK: (&str, &str) = ("--network", "none");

impl DockerServer {
    /// The image as a package in the registry's shape.
    pub(super) fn package(&self) -> Option<Value> {
        let image = text(&self.entry, "image")?;
        let settings = self.settings();
        let run = Run::read(self.part("run"), &settings);
        let (mut environment, mut left_out) = self.environment(&settings);
        environment.extend(run.environment);
        left_out.extend(run.left_out);
        let mut package = json!({
            "registryType": "oci",
            "identifier": image,
            "transport": { "type": "stdio" },
            "environmentVariables": environment,
        });
        for (key, inputs) in [("runtimeArguments", run.runtime_arguments), ("packageArguments", run.package_arguments)]
        {
            if !inputs.is_empty() {
                package[key] = Value::Array(inputs);
            }
        }
        if !left_out.is_empty() {
            package["leftOut"] = json!(left_out);
        }
        Some(package)
    }

    fn settings(&self) -> Settings<'_> {
        let names = |(key, name)| self.config(key).filter_map(move |stated| text(stated, name));
        Settings {
            server: &self.name,
            schema: self.config_schema(),
            environment: [("secrets", "env"), ("env", "name")].into_iter().flat_map(names).collect(),
        }
    }

    /// Secrets by name and settings with their values, in the registry's shape, and which of these values cannot be told in it.
    fn environment(&self, settings: &Settings<'_>) -> (Vec<Value>, Vec<String>) {
        let (mut variables, mut left_out) = (Vec::new(), Vec::new());
        for (list, name_key, secret) in [("secrets", "env", true), ("env", "name", false)] {
            for stated in self.config(list) {
                let Some(name) = text(stated, name_key) else { continue };
                let mut variable = json!({ "name": name, "isSecret": secret || looks_secret(name) });
                variable["isRequired"] = flag(stated, "required").map_or(Value::Null, Value::Bool);
                for key in ["description", "value", "default"] {
                    variable[key] = stated
                        .get(key)
                        .filter(|value| !secret || key == "description" || value.is_null())
                        .cloned()
                        .into();
                }
                if let Value::Object(variable) = &mut variable {
                    if let Some(value) = variable.get("value").filter(|value| value.is_string()) {
                        match settings.input(value) {
                            Some(input) => variable.extend(input),
                            None => left_out.push(format!("config.{list}: {name}")),
                        }
                    }
                    variable.retain(|_, value| !value.is_null());
                }
                variables.push(variable);
            }
        }
        (variables, left_out)
    }
}

/// What a server lets its user set.
struct Settings<'a> {
    /// Name of the server, with which the names of its settings begin.
    server: &'a str,
    /// Their JSON Schema, without literal secrets.
    schema: Option<Value>,
    /// Names of the variables of the environment.
    environment: Vec<&'a str>,
}

enum Template {
    /// An input of the registry: `value`, and `variables` where settings have defaults.
    Input(Map<String, Value>),
    /// Nothing, unless its user sets something.
    Empty,
    /// It has a filter of which nothing is known.
    Unknown,
}

/// How an image is run.
#[derive(Default)]
struct Run {
    /// What `docker run` is given before the image.
    runtime_arguments: Vec<Value>,
    /// What the program in the image is given.
    package_arguments: Vec<Value>,
    /// Variables of the environment that the entry sets itself.
    environment: Vec<Value>,
    /// Members of `run` that are not among these.
    left_out: Vec<String>,
}

impl Run {
    /// Reads `run`.
    fn read(stated: Option<&Map<String, Value>>, settings: &Settings<'_>) -> Self {
        let mut run = Self::default();
        for (key, value) in stated.into_iter().flatten() {
            let is_taken = match (key.as_str(), value) {
                (_, Value::Null) | ("disableNetwork", Value::Bool(false)) => true,
                ("command", Value::Array(words)) => each(words, |word| run.word(word, settings)),
                ("volumes", Value::Array(volumes)) => each(volumes, |volume| run.option("-v", volume, settings)),
                ("ports", Value::Array(ports)) => each(ports, |port| run.option("-p", port, settings)),
                ("env", Value::Object(variables)) => {
                    each(variables, |(name, value)| run.variable(name, value, settings))
                }
                ("user", user) => run.user(user, settings),
                ("disableNetwork", Value::Bool(true)) => {
                    let (name, value) = WITHOUT_NETWORK;
                    run.runtime_arguments.push(json!({ "type": "named", "name": name, "value": value }));
                    true
                }
                _ => false,
            };
            if !is_taken {
                run.left_out.push(format!("run.{key}"));
            }
        }
        run
    }

    fn word(&mut self, word: &Value, settings: &Settings<'_>) -> bool {
        let argument = json!({ "type": "positional" });
        push(&mut self.package_arguments, argument, settings.template(word))
    }

    fn option(&mut self, name: &str, value: &Value, settings: &Settings<'_>) -> bool {
        let argument = json!({ "type": "named", "name": name });
        push(&mut self.runtime_arguments, argument, settings.template(value))
    }

    /// A user is a setting that may stay empty, and then the image's own is meant.
    fn user(&mut self, user: &Value, settings: &Settings<'_>) -> bool {
        let template = match settings.template(user) {
            Template::Input(input) if is_open(&input) => Template::Empty,
            template => template,
        };
        push(&mut self.runtime_arguments, json!({ "type": "named", "name": "--user" }), template)
    }

    fn variable(&mut self, name: &str, value: &Value, settings: &Settings<'_>) -> bool {
        push(&mut self.environment, json!({ "name": name, "isSecret": false }), settings.template(value))
    }
}

/// Whether all of them are taken; one that is not keeps no other from it.
fn each<T>(stated: impl IntoIterator<Item = T>, mut take: impl FnMut(T) -> bool) -> bool {
    let mut all = true;
    for one in stated {
        all &= take(one);
    }
    all
}

/// Adds an input with the members of a template; false where nothing is known of it.
fn push(inputs: &mut Vec<Value>, mut input: Value, template: Template) -> bool {
    match (template, &mut input) {
        (Template::Input(members), Value::Object(own)) => own.extend(members),
        (Template::Empty, _) => return true,
        _ => return false,
    }
    inputs.push(input);
    true
}

/// Whether a template names settings and none of them has a default.
fn is_open(input: &Map<String, Value>) -> bool {
    let is_template = input.get("value").and_then(Value::as_str).is_some_and(|value| value.contains("{{"));
    is_template && !input.contains_key("variables")
}

impl Settings<'_> {
    /// A value with its settings: the members of an input. `None` where nothing is known of a filter in it.
    fn input(&self, value: &Value) -> Option<Map<String, Value>> {
        match self.template(value) {
            Template::Input(input) => Some(input),
            Template::Empty | Template::Unknown => None,
        }
    }

    fn template(&self, value: &Value) -> Template {
        let Some(text) = scalar(value) else { return Template::Unknown };
        let (mut out, mut rest) = (String::new(), text.as_str());
        let mut variables = Map::new();
        while let Some((before, behind)) = rest.split_once("{{") {
            let Some((inner, after)) = behind.split_once("}}") else { break };
            let mut parts = inner.split('|').map(str::trim);
            let name = parts.next().unwrap_or_default();
            let filters: Vec<&str> = parts.collect();
            let default = self.default_of(name);
            let own = named(name);
            out.push_str(before);
            match filters.as_slice() {
                // A list that nobody fills.
                ["or:[]", ..] if default.is_none() => return Template::Empty,
                [] | ["into" | "volume-target"] | ["volume-target", "into"] => out.push_str(&own),
                // A folder that has the same path inside.
                ["volume"] | ["volume", "into"] | ["or:[]", "volume", "into"] => {
                    out.extend([own.as_str(), ":", own.as_str()]);
                }
                _ => return Template::Unknown,
            }
            if let Some(default) = default {
                variables.insert(name.to_owned(), json!({ "default": default }));
            }
            rest = after;
        }
        out.push_str(rest);
        let mut input = Map::new();
        input.insert("value".to_owned(), Value::String(self.with_environment(out)));
        if !variables.is_empty() {
            input.insert("variables".to_owned(), Value::Object(variables));
        }
        Template::Input(input)
    }

    /// `$NAME` of a variable of the environment as `${NAME}`, a template, which nobody takes for a secret or passes on as it stands.
    fn with_environment(&self, text: String) -> String {
        let mut names = self.environment.clone();
        // A name may begin with another.
        names.sort_by_key(|name| std::cmp::Reverse(name.len()));
        names.iter().fold(text, |text, name| text.replace(&format!("${name}"), &format!("${{{name}}}")))
    }

    /// The default of a setting `server.setting`, which may be a member of another.
    fn default_of(&self, name: &str) -> Option<String> {
        let own = name.strip_prefix(self.server).and_then(|rest| rest.strip_prefix('.')).unwrap_or(name);
        let properties = |schema: &Value, name: &str| schema.get("properties").and_then(|all| all.get(name)).cloned();
        let schema = self.schema.as_ref()?;
        let setting = properties(schema, own)
            .or_else(|| own.split('.').try_fold(schema.clone(), |schema, part| properties(&schema, part)))?;
        let default = match setting.get("default")? {
            Value::Array(items) => items.first().filter(|_| items.len() == 1).and_then(scalar),
            default => scalar(default),
        };
        default.filter(|default| !default.is_empty())
    }
}

/// A template of one variable.
fn named(name: &str) -> String {
    ["{{", name, "}}"].concat()
}
