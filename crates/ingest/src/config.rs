//! What an operator says of sources: `[[sources]]` of the configuration file.
//!
//! Types with their defaults and their checks; the sources that ship are in [`defaults`]. Reading files, environment and flags is the
//! binary's job.

mod defaults;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use refdesk_core::SourceInfo;
use refdesk_core::item::TrustTier;
use serde::{Deserialize, Serialize};
use url::Url;

use crate::connectors::Target;
use crate::connectors::repository::public_host::names_private_host;
use crate::connectors::repository::public_url::LOCAL;
pub use defaults::{default_sources, default_sources_text, effective_sources, source_of_entry};

pub use crate::duration::{Span, SpanError};
pub use crate::fetch::FetchSettings;
use crate::fetch::Token;

/// Shortest interval between two syncs of a source, so that a slip of the pen does not hammer an upstream.
pub const INTERVAL_MIN: Span = Span::secs(1);
/// Longest id of a source.
pub const SOURCE_ID_CHARS_MAX: usize = 64;
/// Id of the source of the bundled cards.
pub const BUNDLED_SOURCE_ID: &str = "starter-catalog";

/// One `[[sources]]` entry. Only `id`, `connector` and `url` are required.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SourceConfig {
    /// Its id: `[a-z0-9]` with single `-`, `.`, `_` inside.
    pub id: String,
    /// Name of a connector.
    pub connector: String,
    /// `https://…`, `http://…` on a loopback or private host, `file://…`, or a local path.
    pub url: String,
    /// Name for people; else the id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// How often it is synced.
    #[serde(default = "interval_default")]
    pub interval: Span,
    /// After how long without verification its facts are stale.
    #[serde(default = "stale_after_default")]
    pub stale_after: Span,
    /// Whether it is synced.
    #[serde(default = "yes")]
    pub enabled: bool,
    /// Trust tier of what it states, unless a fact says otherwise.
    #[serde(default = "trust_tier_default")]
    pub trust_tier: TrustTier,
    /// Smaller is better: whose word wins when sources disagree.
    #[serde(default = "rank_default")]
    pub rank: i32,
    /// Licence of the data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub license: Option<String>,
    /// How to credit the source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attribution: Option<String>,
    /// Permission to fetch from loopback and private addresses, also after redirects.
    #[serde(default)]
    pub allow_private: bool,
    /// Take and show bodies also of items whose own licence does not allow to pass them on; the operator answers for it.
    #[serde(default)]
    pub serve_restricted: bool,
    /// Why it is off, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disabled_reason: Option<String>,
    /// The environment variable that holds its token, for a private repository or API.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_env: Option<String>,
    /// The header that the token goes into as it is; without one it is `Authorization: Bearer …`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_header: Option<String>,
    /// Options of the connector.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub options: BTreeMap<String, String>,
}

fn interval_default() -> Span {
    Span::days(1)
}
fn stale_after_default() -> Span {
    Span::days(14)
}
fn trust_tier_default() -> TrustTier {
    TrustTier::Community
}
fn rank_default() -> i32 {
    50
}
fn yes() -> bool {
    true
}

impl SourceConfig {
    /// A source with everything but id, connector and url at its default.
    pub fn new(id: impl Into<String>, connector: impl Into<String>, url: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            connector: connector.into(),
            url: url.into(),
            name: None,
            interval: interval_default(),
            stale_after: stale_after_default(),
            enabled: true,
            trust_tier: trust_tier_default(),
            rank: rank_default(),
            license: None,
            attribution: None,
            allow_private: false,
            serve_restricted: false,
            disabled_reason: None,
            token_env: None,
            token_header: None,
            options: BTreeMap::new(),
        }
    }

    /// Name for people.
    pub fn display_name(&self) -> &str {
        self.name.as_deref().unwrap_or(&self.id)
    }

    /// Whether syncing it opens a connection. The parsed scheme decides: a folder may be called `httpd-docs`, and `HTTPS://…` is https.
    pub fn is_remote(&self) -> bool {
        Url::parse(self.url.trim()).is_ok_and(|url| matches!(url.scheme(), "https" | "http"))
    }

    /// Its url as strangers may see it: without secrets, and `local:<id>` for a file or folder of this machine.
    pub fn shown_url(&self) -> String {
        let is_bundled = || Url::parse(self.url.trim()).is_ok_and(|url| url.scheme() == "bundled");
        if self.is_remote() || is_bundled() {
            crate::fetch::redact_text(self.url.trim())
        } else {
            format!("{LOCAL}:{}", self.id)
        }
    }

    /// Where its token comes from and how it is sent.
    pub fn token(&self) -> Option<Token> {
        let variable = self.token_env.clone()?;
        Some(Token { variable, header: self.token_header.clone() })
    }

    /// What evidence records say of it.
    pub fn info(&self) -> SourceInfo {
        SourceInfo {
            id: Arc::from(self.id.as_str()),
            name: self.display_name().to_owned(),
            license: self.license.clone(),
            attribution: self.attribution.clone(),
            trust_tier: self.trust_tier,
            rank: self.rank,
            stale_after_secs: self.stale_after.as_stamp_secs(),
            own_list_of: None,
        }
    }

    /// What a pass over it needs to know.
    ///
    /// # Errors
    /// As [`Self::target_url`].
    pub fn target(&self, base: &Path) -> Result<Target, ConfigError> {
        Ok(Target {
            source_id: self.id.clone(),
            url: self.target_url(base)?,
            options: self.options.clone(),
            serve_restricted: self.serve_restricted,
        })
    }

    /// The url to fetch; a local path becomes `file://…`, taken from `base` when it is relative.
    ///
    /// # Errors
    /// When the text is no usable url or path.
    pub fn target_url(&self, base: &Path) -> Result<Url, ConfigError> {
        let wrong = |reason: String| ConfigError::new(&self.id, "url", reason);
        let text = self.url.trim();
        let looks_like_url = text
            .split_once(':')
            .is_some_and(|(scheme, rest)| scheme.len() > 1 && !rest.is_empty() && is_scheme(scheme));
        if !looks_like_url {
            if text.is_empty() {
                return Err(wrong("is empty; give an https url, a loopback http url, or a local path".into()));
            }
            if Path::new(text).starts_with("~") {
                return Err(wrong(format!(
                    "`{text}`: `~` is read by shells only; write the folder that it stands for"
                )));
            }
            let joined = std::path::absolute(base.join(text)).map_err(|error| wrong(format!("`{text}`: {error}")))?;
            let parsed = if joined.is_dir() { Url::from_directory_path(&joined) } else { Url::from_file_path(&joined) };
            return parsed.map_err(|()| wrong(format!("`{text}` is not a usable path")));
        }
        let url = Url::parse(text)
            .map_err(|error| wrong(format!("`{}` is not a URL: {error}", crate::fetch::redact_text(text))))?;
        match url.scheme() {
            "https" | "file" | "bundled" => Ok(url),
            "http" if self.allow_private || names_private_host(&url) => Ok(url),
            "http" => Err(wrong("is plain http, which is allowed only for loopback and private addresses; use https, or set allow_private = true".into())),
            other => Err(wrong(format!("has the scheme `{other}`; use https, http on loopback, or a local path"))),
        }
    }
}

fn is_scheme(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
}

/// A source that cannot be used as it is configured.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("[[sources]] `{source_id}`: `{key}` {reason}")]
pub struct ConfigError {
    /// Id of the source.
    pub source_id: String,
    /// Key of the setting.
    pub key: String,
    /// What is wrong and what to do.
    pub reason: String,
}

impl ConfigError {
    pub(crate) fn new(source_id: &str, key: &str, reason: impl Into<String>) -> Self {
        Self { source_id: source_id.to_owned(), key: key.to_owned(), reason: reason.into() }
    }
}

/// How a connector is found by its name.
pub type FindConnector = fn(&str) -> Option<&'static crate::connectors::Connector>;

/// Checks sources against each other and against the connectors that there are.
///
/// # Errors
/// The first thing that is wrong, with the id of its source.
pub fn check_sources(sources: &[SourceConfig], find: FindConnector, base: &Path) -> Result<(), ConfigError> {
    let mut ids = BTreeSet::new();
    for source in sources {
        let wrong = |key: &str, reason: String| Err(ConfigError::new(&source.id, key, reason));
        if !is_source_id(&source.id) {
            return wrong("id", "must be lower-case letters, digits and single `-`, `.`, `_` inside".into());
        }
        if !ids.insert(source.id.as_str()) {
            return wrong("id", "is used twice; give one of them another id".into());
        }
        if source.interval < INTERVAL_MIN {
            return wrong("interval", format!("is {}; the shortest is {INTERVAL_MIN}", source.interval));
        }
        let url = source.target_url(base)?;
        check_token(source, &url)?;
        let Some(connector) = find(&source.connector) else {
            let names: Vec<&str> = crate::connectors::REGISTRY.iter().map(|known| known.name).collect();
            return wrong("connector", format!("is `{}`; the connectors are {}", source.connector, names.join(", ")));
        };
        for key in source.options.keys() {
            if !connector.options.iter().any(|(known, _)| known == key) {
                let known: Vec<&str> = connector.options.iter().map(|(known, _)| *known).collect();
                let known = if known.is_empty() { "it has none".to_owned() } else { known.join(", ") };
                return wrong(
                    "options",
                    format!("has the unknown key `{key}`; options of `{}`: {known}", connector.name),
                );
            }
        }
    }
    Ok(())
}

/// Nothing that it says repeats what was written: a token that stands where the name of its variable belongs stays unknown.
fn check_token(source: &SourceConfig, url: &Url) -> Result<(), ConfigError> {
    let wrong = |key: &str, reason: &str| Err(ConfigError::new(&source.id, key, reason));
    let Some(token) = source.token() else {
        return match &source.token_header {
            Some(_) => wrong("token_header", "needs `token_env`, the environment variable that holds the token"),
            None => Ok(()),
        };
    };
    if !token.names_variable() {
        return wrong("token_env", "must be the name of an environment variable (letters, digits, _), not the token");
    }
    if token.looks_pasted() {
        return wrong("token_env", "looks like a token; write the name of the environment variable that holds it");
    }
    if !token.names_header() {
        return wrong("token_header", "must be the name of a header, such as X-Api-Key");
    }
    if token.names_reserved_header() {
        return wrong("token_header", "is a header that every request sets for itself; name one such as X-Api-Key");
    }
    if !matches!(url.scheme(), "https" | "http") {
        return wrong("token_env", "has no use for a local source; a token is sent over https or http");
    }
    Ok(())
}

fn is_source_id(id: &str) -> bool {
    let inner = |c: char| matches!(c, '-' | '.' | '_');
    !id.is_empty()
        && id.len() <= SOURCE_ID_CHARS_MAX
        && id.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || inner(c))
        && !id.starts_with(inner)
        && !id.ends_with(inner)
        && !id.chars().zip(id.chars().skip(1)).any(|(a, b)| inner(a) && inner(b))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{SourceConfig, check_sources, source_of_entry};

    fn entry(text: &str) -> SourceConfig {
        source_of_entry(toml::from_str(text).unwrap()).unwrap()
    }

    #[test]
    fn a_token_is_named_by_its_variable_and_never_written_down() {
        let checked = |token: &str, url: &str| {
            let text = format!("id = 'a'\nconnector = 'litellm'\nurl = '{url}'\n{token}");
            let checked = check_sources(&[entry(&text)], crate::connectors::find, Path::new("/"));
            checked.map_err(|error| error.to_string())
        };
        let remote = "https://e.example/a";
        checked("token_env = 'MY_TOKEN'", remote).unwrap();
        checked("token_env = 'MY_TOKEN'\ntoken_header = 'X-Api-Key'", remote).unwrap();
        let pasted = checked("token_env = 'ghp-PLANTED'", remote).unwrap_err();
        assert!(
            pasted.contains("`token_env` must be the name of an environment variable") && !pasted.contains("PLANTED")
        );
        let pasted = checked("token_env = 'ghp_PLANTEDPLANTEDplanted0123'", remote).unwrap_err();
        assert!(pasted.contains("`token_env` looks like a token") && !pasted.contains("PLANTED"), "{pasted}");
        assert!(
            checked("token_env = 'A'\ntoken_header = 'x y'", remote).unwrap_err().contains("`token_header` must be")
        );
        for reserved in ["Host", "content-length", "Transfer-Encoding", "Connection", "TE", "Proxy-Authorization"] {
            let refused = checked(&format!("token_env = 'A'\ntoken_header = '{reserved}'"), remote).unwrap_err();
            assert!(refused.contains("`token_header` is a header that every request sets"), "{reserved}: {refused}");
        }
        assert!(checked("token_header = 'x-key'", remote).unwrap_err().contains("needs `token_env`"));
        assert!(checked("token_env = 'A'", "/srv/prices.json").unwrap_err().contains("local source"));
    }

    #[test]
    fn urls_are_https_or_loopback_or_local() {
        let url = |text: &str| {
            let result = SourceConfig::new("s", "cards", text).target_url(Path::new("/data"));
            result.map(|url| url.to_string()).map_err(|error| error.to_string())
        };
        assert_eq!(url("https://e.example/a").unwrap(), "https://e.example/a");
        assert_eq!(url("http://127.0.0.1:9900/a").unwrap(), "http://127.0.0.1:9900/a");
        assert_eq!(url("http://localhost:1/a").unwrap(), "http://localhost:1/a");
        assert_eq!(url("cards/mine.yaml").unwrap(), "file:///data/cards/mine.yaml");
        assert!(url("http://e.example/a").unwrap_err().contains("use https"));
        assert!(url("ftp://e.example/a").unwrap_err().contains("scheme `ftp`"));
        assert!(url(" ").unwrap_err().contains("is empty"));
    }

    #[test]
    fn a_local_path_and_a_secret_are_not_shown() {
        let shown = |url: &str| SourceConfig::new("mine", "cards", url).shown_url();
        assert_eq!(shown("https://u:p@e.example/a?token=x"), "https://e.example/a?token=REDACTED");
        assert_eq!(shown("bundled:catalog"), "bundled:catalog");
        for local in ["/srv/secret/cards", "./cards", "file:///srv/secret/cards", "C:/secret/cards"] {
            assert_eq!(shown(local), "local:mine", "{local}");
        }
    }

    #[test]
    fn the_parsed_scheme_says_whether_a_source_is_remote() {
        for (url, remote) in [
            ("https://e.example/a", true),
            (" HTTPS://e.example/a", true),
            ("Http://127.0.0.1:1/a", true),
            ("httpd-docs/cards", false),
            ("http", false),
            ("file:///srv/http/cards", false),
            ("bundled:catalog", false),
            ("C:/http/cards", false),
        ] {
            assert_eq!(SourceConfig::new("mine", "cards", url).is_remote(), remote, "{url}");
        }
    }

    #[test]
    fn an_unknown_key_of_a_source_is_an_error() {
        let text = "id = 'a'\nconnector = 'cards'\nurl = 'x'\nintervall = '1h'\n";
        assert!(toml::from_str::<SourceConfig>(text).unwrap_err().to_string().contains("intervall"));
    }
}
