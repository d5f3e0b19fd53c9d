//! The command or the block of configuration of each MCP client, and the links that two of them open.

use maud::{Markup, html};
use serde_json::{Map, Value, json};

use super::{Command, Remote, shell_word};
use crate::pages::layout::table::{copied, copied_lines};
use crate::pages::layout::values;

/// What a client starts or connects to.
pub(super) enum Launch<'a> {
    Command(&'a Command),
    Remote(&'a Remote),
}

/// The lines of all clients.
pub(super) fn lines(name: &str, launch: &Launch<'_>) -> Markup {
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
        @match launch {
            Launch::Command(_) => {
                h3 { "Claude Desktop and Cursor" }
                (copied_lines(&values::pretty(&mcp_servers)))
            },
            Launch::Remote(remote) => {
                h3 { "Cursor" }
                (copied_lines(&values::pretty(&mcp_servers)))
                h3 { "Claude Desktop" }
                (connector(remote))
            },
        }
        h3 { "VS Code" }
        (copied_lines(&values::pretty(&vs_code)))
        h3 { "Codex" }
        (copied_lines(&codex(name, launch)))
    }
}

/// How Claude Desktop connects to an address. Its file of configuration takes programs only; addresses are custom connectors, which
/// Anthropic's servers call, without headers of the user.
fn connector(Remote { url, headers, .. }: &Remote) -> Markup {
    let is_public = url.starts_with("https://") && !is_local(url);
    html! {
        @match (is_public, headers.as_slice()) {
            (true, []) => p { "Settings, Connectors, Add custom connector, with the address " (copied(url)) "." },
            (true, [(name, _), ..]) => p { "Claude Desktop cannot connect: a custom connector cannot send your header, and this server needs " code { (name) } "." },
            (false, _) => p { "Claude Desktop cannot connect: Anthropic's servers call its connectors, and they reach public HTTPS addresses only." },
        }
    }
}

fn is_local(url: &str) -> bool {
    let host = url::Url::parse(url).ok().and_then(|url| url.host_str().map(str::to_owned));
    host.is_some_and(|host| host == "localhost" || host == "127.0.0.1" || host == "[::1]")
}

/// The block of a server in the configuration of VS Code.
fn server_block(launch: &Launch<'_>) -> Value {
    let (mut block, member, settings) = match launch {
        Launch::Command(Command { program, arguments, environment }) => {
            (json!({"type": "stdio", "command": program, "args": arguments}), "env", environment)
        }
        Launch::Remote(Remote { url, transport, headers }) => {
            (json!({"type": transport, "url": url}), "headers", headers)
        }
    };
    if !settings.is_empty() {
        block[member] = settings.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
    }
    block
}

/// The same for clients that tell the transport by themselves.
fn without_type(block: &Value) -> Value {
    let mut block = block.clone();
    if let Some(members) = block.as_object_mut() {
        // `remove` would put the last member in its place, and people expect the command before its arguments.
        members.retain(|name, _| name != "type");
    }
    block
}

pub(super) fn claude_code(name: &str, launch: &Launch<'_>) -> String {
    let words: Vec<String> = match launch {
        Launch::Command(command) => {
            let variables =
                command.environment.iter().flat_map(|(name, value)| ["--env".to_owned(), format!("{name}={value}")]);
            let command = command.words().map(str::to_owned);
            [name.to_owned()].into_iter().chain(variables).chain(["--".to_owned()]).chain(command).collect()
        }
        Launch::Remote(Remote { url, transport, headers }) => {
            let headers = headers.iter().flat_map(|(name, value)| ["--header".to_owned(), format!("{name}: {value}")]);
            ["--transport", transport, name, url].map(str::to_owned).into_iter().chain(headers).collect()
        }
    };
    format!("claude mcp add {}", words.iter().map(|word| shell_word(word)).collect::<Vec<_>>().join(" "))
}

/// A table of `config.toml`.
fn codex(name: &str, launch: &Launch<'_>) -> String {
    // A JSON string is a basic string of TOML, but for U+007F.
    let string = |text: &str| json!(text.replace('\u{7f}', "")).to_string();
    let (mut lines, member, settings) = match launch {
        Launch::Command(Command { program, arguments, environment }) => {
            let arguments: Vec<String> = arguments.iter().map(|argument| string(argument)).collect();
            let lines = vec![format!("command = {}", string(program)), format!("args = [{}]", arguments.join(", "))];
            (lines, "env", environment)
        }
        Launch::Remote(Remote { url, headers, .. }) => {
            (vec![format!("url = {}", string(url))], "http_headers", headers)
        }
    };
    if !settings.is_empty() {
        let entries: Vec<String> =
            settings.iter().map(|(name, value)| format!("{} = {}", string(name), string(value))).collect();
        lines.push(format!("{member} = {{ {} }}", entries.join(", ")));
    }
    format!("[mcp_servers.{name}]\n{}", lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::super::{InstallWay, Means, package, remote};
    use super::{Launch, claude_code, codex, server_block, without_type};
    use serde_json::json;

    #[test]
    fn a_package_becomes_a_command_and_names_what_it_needs() {
        let stated = json!({"registryType": "npm", "identifier": "@x/server", "version": "1.2.0",
            "packageArguments": [{"type": "named", "name": "--root", "isRequired": true, "valueHint": "dir"}, {"type": "positional", "value": "ro"}],
            "environmentVariables": [{"name": "X_KEY", "isSecret": true}]});
        let Some(InstallWay { label, means: Means::Command(command), .. }) = package::way(&stated) else {
            panic!("a command")
        };
        assert_eq!(label, "npm package @x/server");
        let launch = Launch::Command(&command);
        assert_eq!(
            claude_code("server", &launch),
            "claude mcp add server --env 'X_KEY=<your X_KEY>' -- npx -y @x/server@1.2.0 --root '<dir>' ro"
        );
        assert_eq!(
            server_block(&launch),
            json!({"type": "stdio", "command": "npx", "args": ["-y", "@x/server@1.2.0", "--root", "<dir>", "ro"], "env": {"X_KEY": "<your X_KEY>"}})
        );
        let untyped = without_type(&server_block(&launch)).to_string();
        assert!(untyped.starts_with(r#"{"command":"npx","args":["-y","#), "in the order that people write: {untyped}");
    }

    #[test]
    fn a_hostile_name_is_one_word_of_the_shell_and_one_string_of_the_file() {
        let stated =
            json!({"type": "sse", "url": "https://e.x/'; rm -rf ~ #", "headers": [{"name": "A\"\nb", "value": "{c}"}]});
        let Some(InstallWay { means: Means::Remote { remote, .. }, .. }) = remote(&stated) else { panic!("a remote") };
        let launch = Launch::Remote(&remote);
        let line = claude_code("x", &launch);
        assert!(line.starts_with("claude mcp add --transport sse x 'https://e.x/'\\''; rm -rf ~ #'"), "{line}");
        let file = codex("x", &launch);
        assert_eq!(file.lines().count(), 3, "{file}");
        assert!(file.contains(r#"url = "https://e.x/'; rm -rf ~ #""#), "{file}");
    }
}
