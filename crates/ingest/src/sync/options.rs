//! How an engine works, as the settings say.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::quarantine;
use super::report::{Progress, Silent};
use crate::clock::{Clock, system_clock};
use crate::config::{FetchSettings, FindConnector};
use crate::connectors;

/// A scheduled sync starts late by up to this share of its interval, in percent, unless the setting says otherwise.
pub const JITTER_PERCENT: u32 = 10;
/// A scheduled sync that takes longer than this is given up, unless the setting says otherwise.
pub const SYNC_TIME_MAX: Duration = Duration::from_hours(1);

refdesk_core::with_defaults! {
    /// How an engine works.
    #[derive(Clone)]
    pub struct EngineOptions {
        /// Limits of fetching.
        pub fetch: FetchSettings = FetchSettings::default(),
        /// Never open a connection; local and bundled sources are synced all the same.
        pub offline: bool = false,
        /// The clock.
        pub clock: Clock = system_clock(),
        /// Where connectors are found by name.
        pub find: FindConnector = connectors::find,
        /// Folder that relative paths of sources start from.
        pub base: PathBuf = PathBuf::from("."),
        /// Hears the steps of syncs.
        pub progress: Arc<dyn Progress> = Arc::new(Silent),
        /// A sync that removes more than this share of a source's facts is held back, in percent; 100 holds none back.
        pub removed_percent_max: usize = quarantine::REMOVED_PERCENT_MAX,
        /// In so long that share may go; in longer times without a good sync, more.
        pub removals_normal_span: Duration = quarantine::REMOVALS_NORMAL_SPAN,
        /// A sync that adds more than this share of a source's facts is held back, in percent; 0 holds none back. It grows with the time
        /// without a good sync as the share that may go does.
        pub added_percent_max: usize = quarantine::ADDED_PERCENT_MAX,
        /// A scheduled sync starts late by up to this share of its interval, in percent.
        pub jitter_percent: u32 = JITTER_PERCENT,
        /// A scheduled sync that takes longer is given up.
        pub sync_time_max: Duration = SYNC_TIME_MAX,
    }
}
