//! The clock of the writing side, injected everywhere so that tests own the time.
//!
//! A rehearsal of wrong clocks needs a whole desk whose clock is off, and not the machine's: the clock can be told to add what a file says,
//! which the rehearsal changes while the desk runs.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use refdesk_core::Stamp;

/// Tells the time.
pub type Clock = Arc<dyn Fn() -> Stamp + Send + Sync>;

/// The file that is added to the machine's clock, where there is one.
static OFFSET_FILE: OnceLock<PathBuf> = OnceLock::new();

/// The clock of the machine.
pub fn system_clock() -> Clock {
    Arc::new(now)
}

/// The time of the machine's clock.
pub fn now() -> Stamp {
    let now = Stamp::from_timestamp(jiff::Timestamp::now());
    OFFSET_FILE.get().map_or(now, |file| now.plus_secs(offset_secs(file)))
}

/// Adds the number of seconds in a file to the machine's clock, in this process and until it ends. Every look at the clock reads the file;
/// a file that is missing or holds no number adds nothing. A second call changes nothing.
pub fn add_offset_of(file: &Path) {
    let _ = OFFSET_FILE.set(file.to_owned());
}

fn offset_secs(file: &Path) -> i64 {
    std::fs::read_to_string(file).ok().and_then(|text| text.trim().parse().ok()).unwrap_or(0)
}
