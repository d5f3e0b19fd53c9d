//! The packages of a server: the program of their registry that runs them, or the file that clients open.

use serde_json::Value;

use super::{Command, InstallWay, Means, Remote, inputs, transport};
use crate::pages::layout::values;

/// How a package is run.
pub(super) fn way(package: &Value) -> Option<InstallWay> {
    let registry = values::shown(package["registryType"].as_str()?);
    let identifier = values::shown(package["identifier"].as_str()?);
    let label = format!("{registry} package {identifier}");
    let left_out = values::list(package, "leftOut").iter().filter_map(Value::as_str);
    let left_out = left_out.map(values::shown).collect();
    if registry == "mcpb" {
        let sha256 = values::text(package, "fileSha256").map(values::shown);
        return Some(InstallWay { label, means: Means::Bundle { url: identifier, sha256 }, left_out });
    }
    // A package that listens on an address is started by a person; clients connect to it.
    let stated = &package["transport"];
    let url = stated["url"].as_str().filter(|_| stated["type"] != "stdio");
    let url = url.map(|url| inputs::filled(&values::shown(url), &inputs::variables(package)));
    let Some(command) = command(&registry, &identifier, package, url.as_deref()) else {
        return Some(InstallWay { label, means: Means::Unknown, left_out });
    };
    Some(match url {
        Some(url) => {
            let transport = transport(&stated["type"]);
            let label = format!("{label}, over {} at {url}", if transport == "sse" { "SSE" } else { "HTTP" });
            let remote = Remote { url, transport, headers: inputs::settings(&stated["headers"]) };
            InstallWay { label, means: Means::Remote { remote, start: Some(command) }, left_out }
        }
        None => InstallWay { label, means: Means::Command(command), left_out },
    })
}

fn command(registry: &str, identifier: &str, package: &Value, url: Option<&str>) -> Option<Command> {
    // No registry has such a name, and the program would take it for an option.
    if identifier.starts_with('-') {
        return None;
    }
    let version = package["version"].as_str().map(values::shown);
    let pinned = |separator: &str| match &version {
        Some(version) => format!("{identifier}{separator}{version}"),
        None => identifier.to_owned(),
    };
    let environment = inputs::settings(&package["environmentVariables"]);
    let runtime = inputs::of_runtime(&package["runtimeArguments"]);
    // Some sources name the package among the arguments of the program, too.
    let is_named = runtime.iter().any(|word| is_package(word, identifier));
    let named = |package: String| (!is_named).then_some(package);
    let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let (program, mut arguments) = match registry {
        "npm" => {
            let is_sure = runtime.iter().any(|word| word == "-y" || word == "--yes");
            let sure = owned(if is_sure { &[] } else { &["-y"] });
            ("npx", [sure, runtime].concat().into_iter().chain(named(pinned("@"))).collect())
        }
        // The module of a package, which Python runs.
        "pypi" if package["runtimeHint"].as_str().is_some_and(|hint| hint.starts_with("python")) => {
            ("uvx", [owned(&["--from", &pinned("=="), "python"]), runtime].concat())
        }
        "pypi" => ("uvx", runtime.into_iter().chain(named(pinned("=="))).collect()),
        "nuget" => ("dnx", runtime.into_iter().chain(named(pinned("@"))).chain(owned(&["--yes"])).collect::<Vec<_>>()),
        "oci" => {
            let own: Vec<String> = runtime.into_iter().filter(|word| !is_package(word, identifier)).collect();
            ("docker", image_arguments(&own, &environment, url, image(identifier, version.as_deref())))
        }
        _ => return None,
    };
    arguments.extend(inputs::of_package(&package["packageArguments"]));
    Some(Command { program, arguments, environment })
}

/// Whether a word names a package, whatever version or tag stands behind its name.
fn is_package(word: &str, identifier: &str) -> bool {
    let (word, identifier) = (word.trim_start_matches("docker.io/"), identifier.trim_start_matches("docker.io/"));
    let name = without_tag(identifier);
    word.strip_prefix(name).is_some_and(|behind| behind.is_empty() || behind.starts_with([':', '@', '=', '[']))
}

/// The name of an image without its tag or digest. The names of other packages have none.
fn without_tag(identifier: &str) -> &str {
    let folder = identifier.rfind('/').map_or(0, |slash| slash + 1);
    // A scope of npm begins with the same character as a digest.
    let tag = identifier[folder..].find([':', '@']).filter(|place| *place > 0);
    tag.map_or(identifier, |place| &identifier[..folder + place])
}

/// An image with the version as its tag, unless it has a tag or digest already.
fn image(identifier: &str, version: Option<&str>) -> String {
    match version {
        Some(version) if without_tag(identifier) == identifier => format!("{identifier}:{version}"),
        _ => identifier.to_owned(),
    }
}

/// The arguments of `docker` that run an image: the stated ones, what is passed on from the environment, and where the image listens.
fn image_arguments(
    runtime: &[String],
    environment: &[(String, String)],
    url: Option<&str>,
    image: String,
) -> Vec<String> {
    let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let mut arguments = owned(if url.is_some() { &["run", "--rm"] } else { &["run", "-i", "--rm"] });
    arguments.extend(runtime.iter().filter(|word| !["run", "-i", "--rm"].contains(&word.as_str())).cloned());
    for (name, _) in environment {
        if !runtime.iter().any(|word| word.split('=').next() == Some(name)) {
            arguments.extend(owned(&["-e", name]));
        }
    }
    let is_reachable = runtime.iter().any(|word| ["-p", "--publish", "--network"].contains(&word.as_str()));
    let port = url.filter(|_| !is_reachable).and_then(|url| url::Url::parse(url).ok()?.port());
    arguments.extend(port.into_iter().flat_map(|port| ["-p".to_owned(), format!("{port}:{port}")]));
    arguments.push(image);
    arguments
}

#[cfg(test)]
mod tests {
    use super::super::{Means, clients};
    use super::way;
    use serde_json::{Value, json};

    /// The line that starts a package, whoever starts it.
    fn line(package: &Value) -> String {
        match way(package).expect("a way").means {
            Means::Command(command) | Means::Remote { start: Some(command), .. } => command.line(),
            _ => String::new(),
        }
    }

    #[test]
    fn the_arguments_of_the_program_are_given_to_it_and_the_package_once() {
        for (package, written) in [
            (
                json!({"registryType": "npm", "identifier": "@x/y", "version": "1.2.0", "runtimeArguments": [{"type": "positional", "value": "--yes"}]}),
                "npx --yes @x/y@1.2.0",
            ),
            (
                json!({"registryType": "npm", "identifier": "@x/y", "version": "1", "runtimeArguments": [{"type": "named", "name": "-y", "value": "@x/y@latest"}]}),
                "npx -y @x/y@latest",
            ),
            (
                json!({"registryType": "pypi", "identifier": "y", "version": "1", "runtimeHint": "python", "runtimeArguments": [{"type": "positional", "value": "-m"}, {"type": "positional", "value": "y.server"}]}),
                "uvx --from y==1 python -m y.server",
            ),
            (
                json!({"registryType": "oci", "identifier": "docker.io/x/y:2", "version": "3", "environmentVariables": [{"name": "KEY", "isSecret": true}, {"name": "TOKEN", "isRequired": true}],
                    "runtimeArguments": [{"type": "positional", "value": "run"}, {"type": "named", "name": "--rm"}, {"type": "named", "name": "-e"}, {"type": "positional", "value": "TOKEN"}, {"type": "positional", "value": "x/y:2"}]}),
                "KEY='<your KEY>' TOKEN='<your TOKEN>' docker run -i --rm -e TOKEN -e KEY docker.io/x/y:2",
            ),
        ] {
            assert_eq!(line(&package), written);
        }
    }

    #[test]
    fn what_a_package_is_called_and_needs_cannot_become_an_option_or_a_command() {
        for registry in ["npm", "pypi", "nuget", "oci"] {
            let stated =
                json!({"registryType": registry, "identifier": "--index-url=https://e.example", "version": "1"});
            assert!(matches!(way(&stated).expect("a way").means, Means::Unknown), "{registry}");
        }
        let stated = json!({"registryType": "npm", "identifier": "y", "transport": {"type": "sse", "url": "http://localhost:1/sse"},
            "environmentVariables": [{"name": "A;touch b;C", "value": "1"}, {"name": "D", "value": "2"}]});
        assert_eq!(line(&stated), "env -- 'A;touch b;C=1' D=2 npx -y y");
    }

    #[test]
    fn an_image_gets_its_folders_and_says_what_its_line_leaves_out() {
        let rooms = json!({"lamp.rooms": {"default": "/rooms"}});
        let stated = json!({"registryType": "oci", "identifier": "mcp/lamp", "leftOut": ["run.allowHosts"],
            "environmentVariables": [{"name": "LAMP_MODE", "value": "stdio"}, {"name": "LAMP_LEVEL", "value": "{{lamp.level}}", "default": "3"}],
            "runtimeArguments": [
                {"type": "named", "name": "-v", "value": "{{lamp.rooms}}:{{lamp.rooms}}", "variables": rooms},
                {"type": "named", "name": "-v", "value": "{{lamp.home}}:/home:ro"}, {"type": "named", "name": "--network", "value": "none"}],
            "packageArguments": [{"type": "positional", "value": "--stdio"}, {"type": "positional", "value": "{{lamp.rooms}}", "variables": rooms}]});
        assert_eq!(
            line(&stated),
            "LAMP_MODE=stdio LAMP_LEVEL=3 docker run -i --rm -v /rooms:/rooms -v '<your lamp.home>:/home:ro' --network none \
             -e LAMP_MODE -e LAMP_LEVEL mcp/lamp --stdio /rooms"
        );
        assert_eq!(way(&stated).expect("a way").left_out, ["run.allowHosts"]);
    }

    #[test]
    fn a_package_that_listens_is_started_first_and_clients_connect_to_it() {
        let stated = json!({"registryType": "oci", "identifier": "x/y", "version": "3",
            "transport": {"type": "streamable-http", "url": "http://{host}:{port}/mcp", "headers": [{"name": "Authorization", "value": "Bearer {token}"}]},
            "packageArguments": [{"type": "named", "name": "--port", "isRequired": true, "default": "8089"}],
            "environmentVariables": [{"name": "host", "value": "{name}", "variables": {"name": {"default": "localhost"}}}]});
        assert_eq!(line(&stated), "host=localhost docker run --rm -e host -p 8089:8089 x/y:3 --port 8089");
        let way = way(&stated).expect("a way");
        assert_eq!(way.label, "oci package x/y, over HTTP at http://localhost:8089/mcp");
        let Means::Remote { remote, .. } = way.means else { panic!("clients connect to it") };
        assert_eq!(
            clients::claude_code("y", &clients::Launch::Remote(&remote)),
            "claude mcp add --transport http y http://localhost:8089/mcp --header 'Authorization: Bearer <your token>'"
        );
    }
}
