//! Prices that cannot be: held back one by one, never the whole source.
//!
//! A price that is ten times or more off its own last value is an upstream slip (a moved decimal point, dollars for micro-dollars):
//! the last value stays and the reason is kept. [`super::model`] makes the same check against another source's price of the same seller.

use rust_decimal::Decimal;
use serde_json::{Map, Value};

use crate::Usd;

/// A price this many times off is not believed without a second look.
pub const PRICE_RATIO_MAX: i64 = 10;

/// True when both are prices above zero and one is [`PRICE_RATIO_MAX`] times the other or more.
pub fn far_off(a: Usd, b: Usd) -> bool {
    a.ratio_to(b).is_some_and(|ratio| ratio >= Decimal::from(PRICE_RATIO_MAX))
}

/// Compares the prices of a new state with the last good one of the same fact. Far-off prices are put back to their last value in
/// `new`; each gives its dotted path and the reason.
pub fn hold_back(last: &Map<String, Value>, new: &mut Map<String, Value>) -> Vec<(String, String)> {
    let mut held = Vec::new();
    let Some(Value::Object(old_prices)) = last.get("pricing") else { return held };
    let Some(Value::Object(new_prices)) = new.get_mut("pricing") else { return held };
    for (meter, value) in new_prices.iter_mut() {
        let (Some(now), Some(before)) = (Usd::from_json(value), old_prices.get(meter).and_then(Usd::from_json)) else {
            continue;
        };
        if far_off(now, before) {
            held.push((
                format!("pricing.{meter}"),
                format!("{now} is {PRICE_RATIO_MAX} times or more off the last value {before}; the last value is kept"),
            ));
            *value = old_prices[meter].clone();
        }
    }
    held
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::hold_back;

    #[test]
    fn a_price_far_off_its_last_value_is_held_back_alone() {
        let last = json!({"pricing": {"input": 3, "output": 15, "cache_read": 0.3}});
        let mut new = json!({"pricing": {"input": 3000, "output": 18, "cache_read": 0}});
        let (Some(last), Some(new_fields)) = (last.as_object(), new.as_object_mut()) else { return };
        let held = hold_back(last, new_fields);
        assert_eq!(held.len(), 1);
        assert_eq!(held[0].0, "pricing.input");
        assert_eq!(new, json!({"pricing": {"input": 3, "output": 18, "cache_read": 0}}));
    }
}
