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
    let words = runtime.concat();
    // Some sources name the package among the arguments of the program, too.
    let is_named = words.iter().any(|word| is_package(word, identifier));
    let named = |package: String| if is_named { Vec::new() } else { vec![package] };
    let (before, behind) = runtime.split_at(if is_named { runtime.len() } else { own_words(&runtime) });
    let (before, behind) =
        (before.concat(), [behind.concat(), inputs::of_package(&package["packageArguments"])].concat());
    let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let hint = package["runtimeHint"].as_str().unwrap_or_default();
    let is_module = words.first().is_some_and(|first| first == "-m" || hint.starts_with("python"));
    let (program, arguments) = match registry {
        "npm" if hint.starts_with("bun") => ("bunx", [before, named(pinned("@")), behind].concat()),
        "npm" => {
            let sure = owned(if before.iter().any(|word| is_sure(word)) { &[] } else { &["-y"] });
            ("npx", [sure, before, named(pinned("@")), behind].concat())
        }
        // The module of a package, which Python runs.
        "pypi" if is_module => {
            let module = owned(&["--from", &pinned("=="), "python"]);
            ("uvx", [module, before, behind].concat())
        }
        "pypi" => ("uvx", [before, named(pinned("==")), behind].concat()),
        "nuget" => {
            // Without it, `dnx` takes what begins with a hyphen for its own.
            let ends = owned(if behind.is_empty() { &["--yes"] } else { &["--yes", "--"] });
            ("dnx", [before, named(pinned("@")), ends, behind].concat())
        }
        "oci" => {
            let own: Vec<String> = words.into_iter().filter(|word| !is_package(word, identifier)).collect();
            let image = image_arguments(&own, &environment, url, image(identifier, version.as_deref()));
            ("docker", [image, inputs::of_package(&package["packageArguments"])].concat())
        }
        _ => return None,
    };
    Some(Command { program, arguments, environment })
}

/// Whether a word tells a runner to install without asking.
fn is_sure(word: &str) -> bool {
    word == "-y" || word == "--yes"
}

/// Where the arguments of a runner end that are its own: it takes the first bare word for the package and would run whatever is called so.
fn own_words(runtime: &[Vec<String>]) -> usize {
    let is_option = |words: &[String]| words.len() == 1 && words[0].starts_with('-') && !is_sure(&words[0]);
    let is_bare = |at: &usize| {
        let is_word = runtime[*at].first().is_some_and(|word| !word.starts_with('-'));
        is_word && at.checked_sub(1).is_none_or(|before| !is_option(&runtime[before]))
    };
    (0..runtime.len()).find(is_bare).unwrap_or(runtime.len())
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
            (json!({"registryType": "pypi", "identifier": "y", "version": "1", "runtimeHint": "python"}), "uvx y==1"),
            (
                json!({"registryType": "pypi", "identifier": "y", "version": "1", "runtimeArguments": [{"type": "positional", "value": "-m"}, {"type": "positional", "value": "y.server"}]}),
                "uvx --from y==1 python -m y.server",
            ),
            (
                json!({"registryType": "npm", "identifier": "y", "version": "1", "runtimeArguments": [{"type": "named", "name": "--registry", "value": "https://e.example"}, {"type": "positional", "value": "serve"}], "packageArguments": [{"type": "positional", "value": "now"}]}),
                "npx -y --registry https://e.example y@1 serve now",
            ),
            (
                json!({"registryType": "pypi", "identifier": "y", "version": "1", "runtimeArguments": [{"type": "positional", "value": "--python"}, {"type": "positional", "value": "3.12"}, {"type": "positional", "value": "serve"}]}),
                "uvx --python 3.12 y==1 serve",
            ),
            (json!({"registryType": "npm", "identifier": "y", "version": "1", "runtimeHint": "bun"}), "bunx y@1"),
            (
                json!({"registryType": "nuget", "identifier": "Y", "version": "1", "packageArguments": [{"type": "named", "name": "--mode", "value": "mcp"}]}),
                "dnx Y@1 --yes -- --mode mcp",
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
