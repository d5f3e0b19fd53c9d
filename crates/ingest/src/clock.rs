//! The clock of the writing side, injected everywhere so that tests own the time.

use std::sync::Arc;

use refdesk_core::Stamp;

/// Tells the time.
pub type Clock = Arc<dyn Fn() -> Stamp + Send + Sync>;

/// The clock of the machine.
pub fn system_clock() -> Clock {
    Arc::new(|| Stamp::from_timestamp(jiff::Timestamp::now()))
}
