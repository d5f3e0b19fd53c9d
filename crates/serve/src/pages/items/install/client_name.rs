//! The name under which clients list a server. It tells one server from the next, because a client keeps one server for each name: where
//! the last part of the registry's name says only that it is a server (`com.stripe/mcp`), whoever publishes it names it (`stripe`).

/// Words that say what a thing is, not which: every server has them.
const OF_EVERY_SERVER: [&str; 10] =
    ["mcp", "server", "servers", "remote", "local", "api", "http", "sse", "stdio", "www"];
/// The most characters of a name that clients take.
const CHARS_MAX: usize = 64;
/// What a server is called of whose name clients take no character.
const NAMELESS: &str = "server";

/// The name of a server for clients, out of the registry's: a namespace in reverse DNS order, a slash, and a name.
pub(super) fn of_server(name: &str) -> String {
    let (namespace, own) = name.rsplit_once('/').unwrap_or(("", name));
    // The first label is a top-level domain, the last stands nearest to the name.
    let labels = || namespace.split('.').skip(1).collect::<Vec<_>>().into_iter().rev();
    let telling = [own].into_iter().chain(labels()).find(|part| is_telling(part));
    let name = cleaned(telling.unwrap_or(own));
    // Clients on the command line take a word that begins with `-` for an option.
    match name.trim_start_matches('-') {
        "" => NAMELESS.to_owned(),
        name => name.to_owned(),
    }
}

/// The last part of a path, as a word that clients and shells take.
pub(super) fn of_path(path: &str) -> String {
    cleaned(path.rsplit('/').next().unwrap_or(path))
}

/// Whether a part has a word that not every server has.
fn is_telling(part: &str) -> bool {
    refdesk_core::text::words(part).any(|word| !OF_EVERY_SERVER.contains(&word.to_ascii_lowercase().as_str()))
}

fn cleaned(name: &str) -> String {
    let kept = |c: char| if c.is_ascii_alphanumeric() || c == '-' || c == '_' { c } else { '-' };
    name.chars().map(kept).take(CHARS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::{of_path, of_server};

    #[test]
    fn a_name_that_says_only_that_it_is_a_server_gives_way_to_its_publisher() {
        for (name, client) in [
            ("com.stripe/mcp", "stripe"),
            ("com.notion/mcp", "notion"),
            ("com.figma.mcp/mcp", "figma"),
            ("com.ivisa.www/mcp", "ivisa"),
            ("uk.co.acme/remote-mcp-server", "acme"),
            ("io.github.Snowflake-Labs/MCP_Server", "Snowflake-Labs"),
            ("io.github.user/server-x", "server-x"),
            ("io.github.user/weather.mcp", "weather-mcp"),
            ("com.mcp/mcp", "mcp"),
            ("x/desk", "desk"),
            ("mcp", "mcp"),
            ("io.github.user/--env", "env"),
            ("io.github.user/-", "user"),
            ("灯/灯", "server"),
            ("", "server"),
        ] {
            assert_eq!(of_server(name), client, "{name}");
        }
        assert_eq!(of_path("skills/a b"), "a-b");
        assert_eq!(of_path(&"x".repeat(90)).len(), 64);
    }
}
