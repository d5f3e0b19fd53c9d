//! What a running desk takes over of a configuration that was written anew, when it is sent SIGHUP; everything else takes a restart, and is
//! named.

use refdesk_ingest::config::SourceConfig;

use super::table::key;
use super::values::Origin;
use super::{Config, ConfigError};

/// Settings that a running desk takes over.
pub const LIVE: [&str; 3] = [key::LOG.row.key, key::RATE_LIMIT_ANON.row.key, key::RATE_LIMIT_KEY.row.key];

/// Lists that switch sources: what they switch is taken over with the sources.
const SWITCHES: [&str; 2] = [key::ENABLED_SOURCES.row.key, key::DISABLED_SOURCES.row.key];

/// A configuration as far as a running desk takes it over.
#[derive(Debug)]
pub struct Reloaded {
    /// The configuration in force from now on.
    pub config: Config,
    /// The configuration as it was written, with what takes a restart.
    pub said: Config,
    /// What was taken over.
    pub taken: Vec<String>,
    /// What was written and takes a restart.
    pub restart: Vec<String>,
}

/// Switches a source as it is configured now, and takes over why; whether that switches it on or off.
pub fn take_switch(source: &mut SourceConfig, said: &SourceConfig) -> bool {
    source.disabled_reason.clone_from(&said.disabled_reason);
    std::mem::replace(&mut source.enabled, said.enabled) != said.enabled
}

impl Config {
    /// Whether anything in force is from the file.
    fn says_anything(&self) -> bool {
        let mut origins = self.rows().map(|(_, _, origin)| origin);
        self.names_sources || !self.collections.is_empty() || origins.any(|origin| *origin == Origin::File)
    }

    /// Reads the file anew, with the environment and flags as they are. Without a file, or with an empty one, the defaults are in force only for
    /// who had nothing else: else limits would go back, and sources that were switched off be shown.
    ///
    /// # Errors
    /// When the file is gone, was emptied, cannot be read or is not valid.
    pub fn reloaded(&self) -> Result<Reloaded, ConfigError> {
        let file = self.file_to_write();
        let is_there = file.exists();
        let text = self.text_to_write()?;
        let is_emptied = text.trim().is_empty() && self.says_anything();
        if self.file.is_some() && (!is_there || is_emptied) {
            let what = if is_there { "empty" } else { "gone" };
            return Err(ConfigError(format!("{}: is {what}; put it back, or restart without it", file.display())));
        }
        let said = self.with_text(&text)?;
        let (mut config, mut taken, mut restart) = (self.clone(), Vec::new(), Vec::new());
        config.file = Some(file).filter(|_| is_there);
        for (row, value, origin) in said.rows() {
            let known = (row.slot)(&self.values);
            if known.written() == value && known.origin() == origin {
                continue;
            }
            if LIVE.contains(&row.key) || SWITCHES.contains(&row.key) {
                config.set(row, value, origin.clone())?;
                taken.extend(LIVE.contains(&row.key).then(|| row.key.to_owned()));
            } else if known.written().trim() != value.trim() {
                restart.push(row.key.to_owned());
            }
        }
        if self.collections != said.collections {
            config.collections.clone_from(&said.collections);
            taken.push("[[collections]]".to_owned());
        }
        for source in &mut config.sources {
            let Some(new) = said.sources.iter().find(|new| new.id == source.id) else {
                restart.push(format!("source {} (it is gone)", source.id));
                continue;
            };
            let before = source.clone();
            take_switch(source, new);
            source.interval = new.interval;
            if *source != before {
                taken.push(format!("source {}", source.id));
            }
            if source != new {
                restart.push(format!("source {}", source.id));
            }
        }
        let is_new = |id: &str| !self.sources.iter().any(|source| source.id == id);
        let new = said.sources.iter().filter(|source| is_new(&source.id));
        restart.extend(new.map(|source| format!("source {} (it is new)", source.id)));
        Ok(Reloaded { config, said, taken, restart })
    }
}
