//! How MCP clients are told of a server: the command or the block of configuration of each, made of the server's packages and remotes.
//! They name secrets and never hold their values. What an upstream wrote is quoted for the shell and for JSON.

use maud::{Markup, html};
use serde_json::{Map, Value, json};

use crate::pages::layout::table::copied_lines;
use crate::pages::layout::values;

/// What a client starts or connects to.
enum Launch {
    Command { program: String, arguments: Vec<String>, environment: Vec<String> },
    Remote { url: String, transport: &'static str, headers: Vec<String> },
}

pub(super) fn sections(item: &Value) -> Markup {
    let name = name_for_clients(item);
    let list = |member: &str| item[member].as_array().map_or(&[][..], Vec::as_slice);
    let ways: Vec<(String, Launch)> =
        list("packages").iter().filter_map(package).chain(list("remotes").iter().filter_map(remote)).collect();
    html! {
        @if !ways.is_empty() {
            h2 #install { "Install" }
            @for (label, launch) in &ways {
                details open[ways.len() == 1] {
                    summary { (label) }
                    (clients(&name, launch))
                }
            }
        }
    }
}

/// The name under which clients list it: the last part of its registry name.
fn name_for_clients(item: &Value) -> String {
    let name = values::text(item, "name").or_else(|| values::text(item, "id")).unwrap_or_default();
    let name = name.rsplit('/').next().unwrap_or(name);
    name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '-' || c == '_' { c } else { '-' }).take(64).collect()
}

fn clients(name: &str, launch: &Launch) -> Markup {
    let block = server_block(launch);
    let vs_code = json!({"servers": {name: block}});
    let mcp_servers = json!({"mcpServers": {name: without_type(&block)}});
    let link = {
        let mut install = Map::new();
        install.insert("name".to_owned(), json!(name));
        install.extend(block.as_object().cloned().unwrap_or_default());
        Value::Object(install).to_string()
    };
    let encoded = percent_encoding::utf8_percent_encode(&link, percent_encoding::NON_ALPHANUMERIC).to_string();
    let config = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, without_type(&block).to_string());
    let cursor = url::form_urlencoded::Serializer::new(String::new())
        .append_pair("name", name)
        .append_pair("config", &config)
        .finish();
    html! {
        p {
            a href={ "vscode:mcp/install?" (encoded) } { "Add to VS Code" } " · "
            a href={ "cursor://anysphere.cursor-deeplink/mcp/install?" (cursor) } { "Add to Cursor" }
        }
        h3 { "Claude Code" }
        (copied_lines(&claude_code(name, launch)))
        h3 { "Claude Desktop and Cursor" }
        (copied_lines(&values::pretty(&mcp_servers)))
        h3 { "VS Code" }
        (copied_lines(&values::pretty(&vs_code)))
        h3 { "Codex" }
        (copied_lines(&codex(name, launch)))
    }
}

fn package(package: &Value) -> Option<(String, Launch)> {
    let registry = package["registryType"].as_str()?;
    let identifier = values::shown(package["identifier"].as_str()?);
    let version = package["version"].as_str().map(values::shown);
    let environment: Vec<String> = names(&package["environmentVariables"]);
    let pinned = |separator: &str| match &version {
        Some(version) => format!("{identifier}{separator}{version}"),
        None => identifier.clone(),
    };
    let (program, mut arguments) = match registry {
        "npm" => ("npx", vec!["-y".to_owned(), pinned("@")]),
        "pypi" => ("uvx", vec![pinned("==")]),
        "nuget" => ("dnx", vec![pinned("@"), "--yes".to_owned()]),
        "oci" => {
            let passed = environment.iter().flat_map(|name| ["-e".to_owned(), name.clone()]);
            let run = ["run", "-i", "--rm"].map(str::to_owned).into_iter();
            let image = match &version {
                // The identifier may have a tag or digest already.
                Some(version) if !identifier.contains('@') && !identifier.rsplit('/').next()?.contains(':') => {
                    format!("{identifier}:{version}")
                }
                _ => identifier.clone(),
            };
            ("docker", run.chain(passed).chain([image]).collect())
        }
        _ => return None,
    };
    arguments.extend(package_arguments(&package["packageArguments"]));
    let label = format!("{registry} package {identifier}");
    Some((label, Launch::Command { program: program.to_owned(), arguments, environment }))
}

/// Arguments in the registry's shape, with angle brackets around what a person has to fill in.
fn package_arguments(arguments: &Value) -> Vec<String> {
    let mut written = Vec::new();
    for argument in arguments.as_array().into_iter().flatten() {
        let text = |name: &str| values::text(argument, name).map(values::shown);
        let is_needed = argument["isRequired"] == true || argument["value"].is_string();
        if !is_needed {
            continue;
        }
        let value =
            text("value").or_else(|| text("default")).or_else(|| text("valueHint").map(|hint| format!("<{hint}>")));
        if argument["type"] == "named" {
            written.extend(text("name"));
        }
        written.extend(value);
    }
    written
}

fn remote(remote: &Value) -> Option<(String, Launch)> {
    let url = values::shown(remote["url"].as_str()?);
    let transport = if remote["type"] == "sse" { "sse" } else { "http" };
    let label = format!("remote at {url}");
    Some((label, Launch::Remote { url, transport, headers: names(&remote["headers"]) }))
}

fn names(named: &Value) -> Vec<String> {
    named.as_array().into_iter().flatten().filter_map(|one| one["name"].as_str()).map(values::shown).collect()
}

/// What stands for a value that only its owner knows.
fn placeholder(name: &str) -> String {
    format!("<your {name}>")
}

/// The block of a server in the configuration of VS Code.
fn server_block(launch: &Launch) -> Value {
    let filled =
        |names: &[String]| names.iter().map(|name| (name.clone(), json!(placeholder(name)))).collect::<Map<_, _>>();
    let mut block = Map::new();
    match launch {
        Launch::Command { program, arguments, environment } => {
            block.insert("type".to_owned(), json!("stdio"));
            block.insert("command".to_owned(), json!(program));
            block.insert("args".to_owned(), json!(arguments));
            if !environment.is_empty() {
                block.insert("env".to_owned(), Value::Object(filled(environment)));
            }
        }
        Launch::Remote { url, transport, headers } => {
            block.insert("type".to_owned(), json!(transport));
            block.insert("url".to_owned(), json!(url));
            if !headers.is_empty() {
                block.insert("headers".to_owned(), Value::Object(filled(headers)));
            }
        }
    }
    Value::Object(block)
}

/// The same for clients that tell the transport by themselves.
fn without_type(block: &Value) -> Value {
    let mut block = block.clone();
    if let Some(members) = block.as_object_mut() {
        members.remove("type");
    }
    block
}

fn claude_code(name: &str, launch: &Launch) -> String {
    let words: Vec<String> = match launch {
        Launch::Command { program, arguments, environment } => {
            let variables =
                environment.iter().flat_map(|name| ["--env".to_owned(), format!("{name}={}", placeholder(name))]);
            let command = std::iter::once(program.clone()).chain(arguments.iter().cloned());
            [name.to_owned()].into_iter().chain(variables).chain(["--".to_owned()]).chain(command).collect()
        }
        Launch::Remote { url, transport, headers } => {
            let headers =
                headers.iter().flat_map(|name| ["--header".to_owned(), format!("{name}: {}", placeholder(name))]);
            ["--transport", transport, name, url].map(str::to_owned).into_iter().chain(headers).collect()
        }
    };
    format!("claude mcp add {}", words.iter().map(|word| shell_word(word)).collect::<Vec<_>>().join(" "))
}

/// A table of `config.toml`.
fn codex(name: &str, launch: &Launch) -> String {
    // A JSON string is a basic string of TOML, but for U+007F.
    let string = |text: &str| json!(text.replace('\u{7f}', "")).to_string();
    let table = |names: &[String]| {
        let entries: Vec<String> =
            names.iter().map(|name| format!("{} = {}", string(name), string(&placeholder(name)))).collect();
        format!("{{ {} }}", entries.join(", "))
    };
    let mut lines = vec![format!("[mcp_servers.{name}]")];
    match launch {
        Launch::Command { program, arguments, environment } => {
            let arguments: Vec<String> = arguments.iter().map(|argument| string(argument)).collect();
            lines.push(format!("command = {}", string(program)));
            lines.push(format!("args = [{}]", arguments.join(", ")));
            if !environment.is_empty() {
                lines.push(format!("env = {}", table(environment)));
            }
        }
        Launch::Remote { url, headers, .. } => {
            lines.push(format!("url = {}", string(url)));
            if !headers.is_empty() {
                lines.push(format!("http_headers = {}", table(headers)));
            }
        }
    }
    lines.join("\n")
}

/// A word as a POSIX shell takes it.
fn shell_word(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "@%+=:,./_-".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::{claude_code, codex, package, remote, server_block};
    use serde_json::json;

    #[test]
    fn a_package_becomes_a_command_and_names_what_it_needs() {
        let stated = json!({"registryType": "npm", "identifier": "@x/server", "version": "1.2.0",
            "packageArguments": [{"type": "named", "name": "--root", "isRequired": true, "valueHint": "dir"}, {"type": "positional", "value": "ro"}],
            "environmentVariables": [{"name": "X_KEY", "isSecret": true}]});
        let (label, launch) = package(&stated).expect("a package");
        assert_eq!(label, "npm package @x/server");
        assert_eq!(
            claude_code("server", &launch),
            "claude mcp add server --env 'X_KEY=<your X_KEY>' -- npx -y @x/server@1.2.0 --root '<dir>' ro"
        );
        assert_eq!(
            server_block(&launch),
            json!({"type": "stdio", "command": "npx", "args": ["-y", "@x/server@1.2.0", "--root", "<dir>", "ro"], "env": {"X_KEY": "<your X_KEY>"}})
        );
    }

    #[test]
    fn a_hostile_name_is_one_word_of_the_shell_and_one_string_of_the_file() {
        let stated = json!({"type": "sse", "url": "https://e.x/'; rm -rf ~ #", "headers": [{"name": "A\"\nb"}]});
        let (_, launch) = remote(&stated).expect("a remote");
        let line = claude_code("x", &launch);
        assert!(line.starts_with("claude mcp add --transport sse x 'https://e.x/'\\''; rm -rf ~ #'"), "{line}");
        let file = codex("x", &launch);
        assert_eq!(file.lines().count(), 3, "{file}");
        assert!(file.contains(r#"url = "https://e.x/'; rm -rf ~ #""#), "{file}");
    }
}
