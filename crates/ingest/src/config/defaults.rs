//! The sources that ship, and what a configuration makes of them.

use serde::Deserialize;

use super::{BUNDLED_SOURCE_ID, SourceConfig};

const DEFAULT_SOURCES: &str = include_str!("../default_sources.toml");

#[derive(Deserialize)]
struct SourcesFile {
    sources: Vec<SourceConfig>,
}

/// The sources that ship: every upstream with its real public url, and the bundled cards.
///
/// # Errors
/// Never in a released build: a test reads the embedded file.
pub fn default_sources() -> Result<Vec<SourceConfig>, toml::de::Error> {
    toml::from_str::<SourcesFile>(DEFAULT_SOURCES).map(|file| file.sources)
}

/// The embedded text of the default sources, with its comments, for `config init`.
pub const fn default_sources_text() -> &'static str {
    DEFAULT_SOURCES
}

/// A `[[sources]]` entry of a file: on top of the default source of its id where there is one, so that keys it does not name stay. Options
/// are merged one by one; they belong to a connector, and another one starts without.
///
/// # Errors
/// On a value of the wrong type, or a key that is missing.
pub fn source_of_entry(entry: toml::Table) -> Result<SourceConfig, toml::de::Error> {
    #[derive(Deserialize)]
    struct Tables {
        sources: Vec<toml::Table>,
    }
    let id = entry.get("id").cloned();
    let defaults = toml::from_str::<Tables>(DEFAULT_SOURCES)?.sources;
    let Some(mut merged) = defaults.into_iter().find(|default| default.get("id") == id.as_ref()) else {
        return entry.try_into();
    };
    if entry.get("connector").is_some_and(|connector| merged.get("connector") != Some(connector)) {
        merged.remove("options");
    }
    for (key, value) in entry {
        match (merged.get_mut(&key), value) {
            (Some(toml::Value::Table(options)), toml::Value::Table(named)) => options.extend(named),
            (_, value) => drop(merged.insert(key, value)),
        }
    }
    if merged.get("enabled").and_then(toml::Value::as_bool) == Some(true) {
        merged.remove("disabled_reason");
    }
    merged.try_into()
}

/// The sources to use: the default ones, where they are wanted, with the configured ones in their places, then the others that are configured.
/// The bundled cards are always among them.
///
/// # Errors
/// Never in a released build: a test reads the embedded file.
pub fn effective_sources(
    configured: Vec<SourceConfig>,
    with_defaults: bool,
) -> Result<Vec<SourceConfig>, toml::de::Error> {
    let mut own = configured;
    let bundles = |source: &SourceConfig| source.id == BUNDLED_SOURCE_ID || source.url == crate::bundled::URL;
    let bundled_is_own = own.iter().any(bundles);
    let wanted = |source: &SourceConfig| if bundles(source) { !bundled_is_own } else { with_defaults };
    let mut sources = Vec::new();
    for default in default_sources()? {
        match own.iter().position(|source| source.id == default.id) {
            Some(at) => sources.push(own.remove(at)),
            None if wanted(&default) => sources.push(default),
            None => {}
        }
    }
    sources.extend(own);
    Ok(sources)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{BUNDLED_SOURCE_ID, SourceConfig, default_sources, effective_sources, source_of_entry};

    fn entry(text: &str) -> SourceConfig {
        source_of_entry(toml::from_str(text).unwrap()).unwrap()
    }

    #[test]
    fn the_default_sources_read_and_the_unclear_ones_say_why_they_are_off() {
        let sources = default_sources().unwrap();
        assert!(sources.len() >= 28, "{}", sources.len());
        for source in &sources {
            assert!(source.enabled || source.disabled_reason.is_some(), "{} is off without a reason", source.id);
            assert!(source.name.is_some() && source.attribution.is_some(), "{} has no name or attribution", source.id);
            source.target_url(Path::new("/")).unwrap();
        }
        let off: Vec<&str> = sources.iter().filter(|source| !source.enabled).map(|source| source.id.as_str()).collect();
        for id in ["openrouter", "llm-prices", "huggingface", "langchain-docs", "composio-toolkits", "composio-tools"] {
            assert!(off.contains(&id), "{id} is on");
        }
    }

    fn ids(configured: &[SourceConfig], with_defaults: bool) -> Vec<String> {
        effective_sources(configured.to_vec(), with_defaults).unwrap().into_iter().map(|source| source.id).collect()
    }

    #[test]
    fn a_configuration_adds_to_the_default_sources_or_has_only_its_own_and_the_bundled_cards() {
        let own = SourceConfig::new("mine", "cards", "./cards");
        let defaults: Vec<String> = default_sources().unwrap().into_iter().map(|source| source.id).collect();
        assert_eq!(ids(std::slice::from_ref(&own), true), [defaults, vec!["mine".to_owned()]].concat());
        assert_eq!(ids(std::slice::from_ref(&own), false), [BUNDLED_SOURCE_ID, "mine"]);
        assert_eq!(ids(&[], false), [BUNDLED_SOURCE_ID]);
        // Twice the same id stays twice, so that the check can tell.
        assert_eq!(ids(&[own.clone(), own], false), [BUNDLED_SOURCE_ID, "mine", "mine"]);
        let renamed = SourceConfig::new("ours", "cards", crate::bundled::URL);
        assert_eq!(ids(&[renamed], false), ["ours"]);
    }

    #[test]
    fn an_entry_with_the_id_of_a_default_source_changes_just_what_it_names() {
        let default = |id: &str| default_sources().unwrap().into_iter().find(|source| source.id == id).unwrap();
        let changed = entry("id = 'openrouter'\nenabled = true\n");
        assert_eq!(changed, SourceConfig { enabled: true, disabled_reason: None, ..default("openrouter") });
        let nearer = entry("id = 'litellm'\nurl = 'https://mirror.example/prices.json'\n");
        assert_eq!(nearer, SourceConfig { url: "https://mirror.example/prices.json".into(), ..default("litellm") });
        let before = default("openai-cookbook");
        assert!(!before.options.is_empty());
        let with_option = entry("id = 'openai-cookbook'\n[options]\nlanguage = 'fr'\n");
        assert_eq!(
            with_option.options.len(),
            before.options.len() + usize::from(!before.options.contains_key("language"))
        );
        assert_eq!(with_option.options["language"], "fr");
        let another = entry("id = 'openai-cookbook'\nconnector = 'cards'\nurl = 'cards'\n");
        assert!(another.options.is_empty(), "{:?}", another.options);
        let places = ids(&[entry("id = 'openrouter'\nrank = 1\n")], true);
        assert_eq!(places, default_sources().unwrap().into_iter().map(|source| source.id).collect::<Vec<_>>());
        let error = source_of_entry(toml::from_str("id = 'mine'\nurl = 'x'\n").unwrap()).unwrap_err();
        assert!(error.to_string().contains("connector"), "{error}");
    }
}
