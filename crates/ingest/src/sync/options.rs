//! How an engine works, as the settings say.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::quarantine;
use super::report::{Progress, Silent};
use crate::clock::{Clock, system_clock};
use crate::config::{FetchSettings, FindConnector, Span};
use crate::connectors;

/// A scheduled sync starts late by up to this share of its interval, in percent, unless the setting says otherwise.
pub const JITTER_PERCENT: u32 = 10;
/// A scheduled sync that takes longer than this is given up, unless the setting says otherwise.
pub const SYNC_TIME_MAX: Duration = Duration::from_hours(1);

/// How an engine works.
#[derive(Clone)]
pub struct EngineOptions {
    /// Limits of fetching.
    pub fetch: FetchSettings,
    /// Never open a connection; local and bundled sources are synced all the same.
    pub offline: bool,
    /// The clock.
    pub clock: Clock,
    /// Where connectors are found by name.
    pub find: FindConnector,
    /// Folder that relative paths of sources start from.
    pub base: PathBuf,
    /// Hears the steps of syncs.
    pub progress: Arc<dyn Progress>,
    /// A sync that removes more than this share of a source's facts is held back, in percent; 100 holds none back.
    pub removed_percent_max: usize,
    /// In so long that share may go; in longer times without a good sync, more.
    pub removals_normal_span: Span,
    /// A sync that adds more than this share of a source's facts is held back, in percent; 0 holds none back. It grows with the time without
    /// a good sync as the share that may go does.
    pub added_percent_max: usize,
    /// A scheduled sync starts late by up to this share of its interval, in percent.
    pub jitter_percent: u32,
    /// A scheduled sync that takes longer is given up.
    pub sync_time_max: Duration,
}

impl Default for EngineOptions {
    fn default() -> Self {
        Self {
            fetch: FetchSettings::default(),
            offline: false,
            clock: system_clock(),
            find: connectors::find,
            base: PathBuf::from("."),
            progress: Arc::new(Silent),
            removed_percent_max: quarantine::REMOVED_PERCENT_MAX,
            removals_normal_span: quarantine::REMOVALS_NORMAL_SPAN,
            added_percent_max: quarantine::ADDED_PERCENT_MAX,
            jitter_percent: JITTER_PERCENT,
            sync_time_max: SYNC_TIME_MAX,
        }
    }
}
