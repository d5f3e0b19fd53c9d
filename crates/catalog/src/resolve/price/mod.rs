//! Whether a price that a source states is believed.
//!
//! [`pending`] is kept by the store at every sync: which prices are new or far off the last one that was believed, and since when.
//! [`level`] decides at every resolution which of these are withheld: those that are far off the level of other prices of the model.
//! A price that its source states again (with new bytes, or a day later) is believed, whatever its level: of 324 far jumps in a year
//! of two price lists 320 were corrections.

pub mod level;
pub mod meters;
pub mod pending;

use rust_decimal::Decimal;

use refdesk_core::Usd;

/// A price this many times off is not believed without a second look.
pub const PRICE_RATIO_MAX: i64 = 10;
/// A new price is this many times off what other sellers ask before that alone makes it doubtful: sellers differ by tens, slips by thousands.
pub const NEW_PRICE_RATIO_MAX: i64 = 100;
/// A price that its source still states after so many seconds is believed.
pub const BELIEVED_AFTER_SECS: i64 = 86_400;
/// No price in USD for a million tokens is believed at once above this: the dearest known ask for 600. Most slips are by a thousand, a
/// price for a thousand tokens that stands where one for a token belongs, and a model that nobody else sells has no other price to tell
/// them by.
pub const PRICE_PER_MILLION_MAX: i64 = 1_000;

/// True when both are prices above zero and one is [`PRICE_RATIO_MAX`] times the other or more.
pub fn far_off(a: Usd, b: Usd) -> bool {
    is_off(a, b, PRICE_RATIO_MAX)
}

/// True when both are prices above zero and one is so many times the other or more.
fn is_off(a: Usd, b: Usd, ratio_max: i64) -> bool {
    a.ratio_to(b).is_some_and(|ratio| ratio >= Decimal::from(ratio_max))
}
