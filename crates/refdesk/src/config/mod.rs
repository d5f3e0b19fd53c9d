//! The configuration: file < environment < flags, every value with its origin, every mistake with what to do.
//!
//! The settings themselves are rows of [`table`]; sources and collections are `[[sources]]` and `[[collections]]` [`entries`] of the file.

pub mod edit;
mod entries;
pub mod file;
mod folders;
mod lines;
mod load;
pub mod reload;
pub mod table;
pub mod values;

use std::path::{Path, PathBuf};

use refdesk_catalog::collections::Collection;
use refdesk_ingest::config::{FetchSettings, SourceConfig};
use refdesk_ingest::files::folder_of;
pub use table::key;
use table::{Key, SETTINGS, Setting, Values};
use values::{Origin, Value};

/// Name of the file that is looked for when `--config` names none.
pub const FILE_NAME: &str = "refdesk.toml";

/// A value from the command line.
#[derive(Debug, Clone)]
pub struct Given {
    /// The setting.
    pub row: &'static Setting,
    /// Its value.
    pub value: String,
    /// What was typed for it, without the value: `--listen`, `--set log`.
    pub typed: String,
}

impl Given {
    /// By the flag that is named like the setting.
    pub fn by_flag(row: &'static Setting, value: impl Into<String>) -> Self {
        Self { row, value: value.into(), typed: format!("--{}", row.key.replace('_', "-")) }
    }

    /// By `--set KEY=VALUE`.
    pub fn by_set(row: &'static Setting, value: impl Into<String>) -> Self {
        Self { row, value: value.into(), typed: format!("--set {}", row.key) }
    }
}

/// A mistake in the configuration: names the place, the key and what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ConfigError(pub String);

/// All values, checked.
#[derive(Debug, Clone)]
pub struct Config {
    /// The file that was read, if any.
    pub file: Option<PathBuf>,
    /// Boxed because futures carry configurations: some 80 slots are several kilobytes.
    values: Box<Values>,
    /// The sources, bundled cards included.
    pub sources: Vec<SourceConfig>,
    /// The collections.
    pub collections: Vec<Collection>,
    /// Whether the file has any `[[sources]]`.
    names_sources: bool,
    /// What the command line set, for reading all of it again.
    flags: Vec<Given>,
}

/// Variables of the environment that look like misspelt settings. Others that begin so may be of somebody else: Kubernetes names services so.
fn misspelt_variables() -> Vec<String> {
    let set = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    let misspelt = set.filter_map(|name| {
        let said = name.strip_prefix(table::VARIABLE_PREFIX)?.to_ascii_lowercase();
        let meant = refdesk_core::nearest::meant(&said, SETTINGS.iter().map(|row| row.key))?;
        let setting = SETTINGS.iter().find(|row| row.key == meant).filter(|row| row.key != said)?;
        Some(format!("unknown setting {name} (did you mean {}?); correct or unset it", setting.variable()))
    });
    misspelt.collect()
}

impl Config {
    /// The file in force, or the one that would be read if it were there.
    pub fn file_to_write(&self) -> PathBuf {
        self.file.clone().unwrap_or_else(|| PathBuf::from(FILE_NAME))
    }

    /// What a person should know of the configuration although nothing is wrong with it.
    pub fn warnings(&self) -> Vec<String> {
        self.of_old_sources().into_iter().chain(self.of_stale_sources()).chain(misspelt_variables()).collect()
    }

    fn of_stale_sources(&self) -> impl Iterator<Item = String> {
        let stale = self.sources.iter().filter(|source| source.enabled && source.stale_after < source.interval);
        stale.map(|source| {
            format!(
                "source {}: stale_after ({}) is below interval ({}), so that its facts are stale before the next sync; raise the one or \
                 lower the other",
                source.id, source.stale_after, source.interval
            )
        })
    }

    fn of_old_sources(&self) -> Option<String> {
        let file = self.file.as_deref().filter(|_| self.names_sources && !self.is_set(key::DEFAULT_SOURCES))?;
        Some(format!(
            "{} names [[sources]] and does not say default_sources. Since 0.2 such a file adds to the default sources; before, it had only its \
             own. Write `default_sources = true` at its top to have both, or `default_sources = false` to have only its own.",
            file.display()
        ))
    }

    /// The value of a setting.
    pub fn get<T: Value>(&self, key: Key<T>) -> T::Read<'_> {
        key.read(&self.values)
    }

    /// A whole number of 32 bits; larger ones are the largest.
    pub fn count32<T: for<'a> Value<Read<'a> = usize>>(&self, key: Key<T>) -> u32 {
        u32::try_from(self.get(key)).unwrap_or(u32::MAX)
    }

    /// Whether somebody set it: the file, the environment or a flag.
    pub fn is_set<T>(&self, key: Key<T>) -> bool {
        *(key.row.slot)(&self.values).origin() != Origin::Default
    }

    /// Where a setting's value came from, for people.
    pub fn origin<T>(&self, key: Key<T>) -> String {
        match ((key.row.slot)(&self.values).origin(), &self.file) {
            (Origin::File, Some(file)) => file.display().to_string(),
            (origin, _) => origin.to_string(),
        }
    }

    /// Every setting with its value, as it was written, and where that came from.
    pub fn rows(&self) -> impl Iterator<Item = (&'static Setting, &str, &Origin)> {
        SETTINGS.iter().map(|row| {
            let slot = (row.slot)(&self.values);
            (*row, slot.written(), slot.origin())
        })
    }

    /// How upstreams are fetched.
    pub fn fetch_settings(&self) -> FetchSettings {
        FetchSettings {
            connect_timeout: self.get(key::CONNECT_TIMEOUT),
            read_timeout: self.get(key::READ_TIMEOUT),
            total_timeout: self.get(key::TOTAL_TIMEOUT),
            body_bytes_max: self.get(key::BODY_BYTES_MAX) as u64,
            pass_bytes_max: self.get(key::PASS_BYTES_MAX) as u64,
            pass_requests_max: self.get(key::PASS_REQUESTS_MAX),
            pass_timeout: self.get(key::PASS_TIMEOUT),
            sync_memory_max: self.get(key::SYNC_MEMORY_MAX) as u64,
            retries_max: self.count32(key::RETRIES_MAX),
            backoff_base: self.get(key::RETRY_BASE),
            backoff_max: self.get(key::RETRY_WAIT_MAX),
            retry_after_max: self.get(key::RETRY_AFTER_MAX),
            redirects_max: self.get(key::REDIRECTS_MAX),
            concurrency_max: self.get(key::SYNC_CONCURRENCY),
            source_concurrency_max: self.get(key::SOURCE_CONCURRENCY),
            proxy: Some(self.get(key::PROXY).to_owned()).filter(|proxy| !proxy.is_empty()),
            ..FetchSettings::default()
        }
    }

    /// The folder from which relative paths in the configuration are meant.
    pub fn base_dir(&self) -> PathBuf {
        self.file.as_deref().map_or(Path::new("."), folder_of).to_owned()
    }

    /// The directory of the store: `data_dir`, else the platform's data directory.
    ///
    /// # Errors
    /// When none is set and the platform names none.
    pub fn data_dir(&self) -> Result<PathBuf, ConfigError> {
        self.get(key::DATA_DIR).map(Path::to_owned).or_else(folders::data).ok_or_else(|| {
            ConfigError(
                "no data directory: set --data-dir, REFDESK_DATA_DIR or data_dir in the configuration file".into(),
            )
        })
    }
}
