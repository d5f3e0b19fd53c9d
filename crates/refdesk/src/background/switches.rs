//! The watch that a running desk keeps on its configuration file, for sources that are switched on and off.

use std::io::{Error, ErrorKind};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::config::reload::take_switch;
use crate::config::{Config, ConfigError};
use crate::output;

/// How often a running desk looks whether its configuration file switches sources.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// The watch of a running desk on its configuration file.
pub struct Watch {
    config: Config,
    file: PathBuf,
    seen: Option<String>,
    /// Why what was seen is not valid, until that is told: at the next look, as a file may be half written at one.
    untold: Option<ConfigError>,
    /// Why the file could not be read at the last look.
    unreadable: Option<ErrorKind>,
    looked: Instant,
}

impl Watch {
    /// Watches the file of a configuration, or the one that would be read if it were there.
    pub fn new(config: &Config) -> Self {
        // From where it was started, wherever that is later.
        let named = config.file_to_write();
        let file = std::path::absolute(&named).unwrap_or(named);
        // Nothing is seen yet: what changed since the configuration was read is looked at, too.
        Self { config: config.clone(), seen: None, untold: None, unreadable: None, looked: Instant::now(), file }
    }

    /// The configuration with its sources switched, when the file switches one since the last look. A file that cannot be read changes
    /// nothing and is told of once.
    pub fn look(&mut self) -> Option<Config> {
        if self.looked.elapsed() < POLL_INTERVAL {
            return None;
        }
        self.looked = Instant::now();
        let text = self.read();
        if text == self.seen {
            if let Some(error) = self.untold.take() {
                tracing::warn!(error = %output::told(&error.into()), "the configuration file is not valid any more; the last good one stays");
            }
            return None;
        }
        (self.seen, self.untold) = (text, None);
        // Without the file it would be another configuration altogether; that takes a restart.
        let text = self.seen.as_ref()?;
        let said = match self.config.with_text(text) {
            Ok(said) => said,
            Err(error) => {
                self.untold = Some(error);
                return None;
            }
        };
        let mut switched = false;
        for source in &mut self.config.sources {
            let Some(said) = said.sources.iter().find(|said| said.id == source.id) else { continue };
            if take_switch(source, said) {
                tracing::info!(source = source.id, enabled = said.enabled, "a source is switched");
                switched = true;
            }
        }
        switched.then(|| self.config.clone())
    }

    /// Takes what the file says now as seen: somebody else has read it, and told what is wrong with it.
    pub fn pass_over(&mut self) {
        (self.seen, self.untold) = (self.read(), None);
    }

    /// The text of the file. There need not be one, and an empty one is none.
    fn read(&mut self) -> Option<String> {
        let read = std::fs::read_to_string(&self.file);
        let unreadable = read.as_ref().err().map(Error::kind).filter(|kind| *kind != ErrorKind::NotFound);
        if let Err(error) = &read
            && unreadable.is_some()
            && unreadable != self.unreadable
        {
            tracing::warn!(file = %self.file.display(), %error, "the configuration file cannot be read; what was read last stays");
        }
        self.unreadable = unreadable;
        // An editor that is about to write it, or a full disk, may have cut it off: what it switched off would be shown.
        read.ok().filter(|text| !text.trim().is_empty())
    }
}
