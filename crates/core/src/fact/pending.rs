//! Prices that are not believed yet.

use serde::{Deserialize, Serialize};

use crate::{Stamp, Usd};

/// A price that came anew or moved far off the last one that was believed. Until its source states it again it is believed only at the
/// level of other prices of the model (`refdesk-catalog`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PendingPrice {
    /// Dotted path: `pricing.input`.
    pub path: String,
    /// The price that was believed before; none when there was none.
    pub before: Option<Usd>,
    /// When the source was first seen to state the new one.
    pub since: Stamp,
    /// What an operator said of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
}

crate::closed_set! {
    /// What an operator says of a withheld value.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Verdict {
        /// It is shown from now on.
        Accepted => "accepted",
        /// It is withheld for as long as the source states it.
        Refused => "refused",
    }
}
