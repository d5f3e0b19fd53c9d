//! Which prices of a fact are pending after a sync: new, or far off the last one that was believed, and not yet stated twice.

use serde_json::{Map, Value};

use super::{BELIEVED_AFTER_SECS, far_off, meters};
use refdesk_core::Stamp;
use refdesk_core::fact::{PendingPrice, Verdict};

/// What the store holds of a fact's prices before a sync.
#[derive(Debug, Clone, Copy)]
pub struct Last<'a> {
    /// Its fields.
    pub fields: &'a Map<String, Value>,
    /// Its pending prices.
    pub pending: &'a [PendingPrice],
}

/// The pending prices of a fact whose source now states `new`. `new_bytes` tells that the source's bytes differ from those of the last
/// sync, so that stating a price again means something.
pub fn after_sync(last: Last<'_>, new: &Map<String, Value>, now: Stamp, new_bytes: bool) -> Vec<PendingPrice> {
    let Some(new) = new.get("pricing").and_then(Value::as_object) else { return Vec::new() };
    let before = last.fields.get("pricing").and_then(Value::as_object).map(meters::all).unwrap_or_default();
    let mut pending = Vec::new();
    for meter in meters::all(new) {
        let stated = before.iter().find(|known| known.path == meter.path).map(|known| known.price);
        let known = last.pending.iter().find(|pending| pending.path == meter.path);
        match known {
            Some(known) if stated == Some(meter.price) => {
                let is_restated = new_bytes || now.secs_since(known.since) >= BELIEVED_AFTER_SECS;
                // Equal bytes leave every verdict in force; a refusal lasts for as long as the price is stated.
                if known.verdict == Some(Verdict::Refused) || !is_restated {
                    pending.push(known.clone());
                }
            }
            _ => {
                let believed = match known {
                    Some(known) if !is_believed(known, now) => known.before,
                    _ => stated,
                };
                // No price is far off zero by a factor, so one that comes in its place is as doubtful as a new one.
                let is_far = believed.is_none_or(|believed| believed.is_zero() || far_off(meter.price, believed));
                if !meter.price.is_zero() && is_far {
                    pending.push(PendingPrice { path: meter.path, before: believed, since: now, verdict: None });
                }
            }
        }
    }
    pending
}

/// Whether a pending price is believed without looking at its level, when its source was last seen to state it at `at`.
pub fn is_believed(pending: &PendingPrice, at: Stamp) -> bool {
    match pending.verdict {
        Some(Verdict::Accepted) => true,
        Some(Verdict::Refused) => false,
        None => at.secs_since(pending.since) >= BELIEVED_AFTER_SECS,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value, json};

    use super::{Last, after_sync};
    use refdesk_core::fact::{PendingPrice, Verdict};
    use refdesk_core::{Stamp, Usd};

    const HOUR: i64 = 3_600;

    /// A source over several syncs, an hour apart.
    #[derive(Default)]
    struct Source {
        fields: Map<String, Value>,
        pending: Vec<PendingPrice>,
        hours: i64,
    }

    impl Source {
        /// The pending prices, each with the one that was believed before.
        fn states(&mut self, input: Value, new_bytes: bool) -> Vec<(String, Option<Usd>)> {
            self.hours += 1;
            let Value::Object(new) = json!({"pricing": {"input": input}}) else { return Vec::new() };
            let last = Last { fields: &self.fields, pending: &self.pending };
            self.pending = after_sync(last, &new, Stamp(self.hours * HOUR), new_bytes);
            self.fields = new;
            self.pending.iter().map(|pending| (pending.path.clone(), pending.before)).collect()
        }
    }

    #[test]
    fn a_far_step_is_pending_until_it_is_stated_again_with_new_bytes() {
        let mut source = Source::default();
        source.states(json!(3), true);
        assert_eq!(source.states(json!(3), true), []);
        assert_eq!(source.states(json!(4), true), [], "a small step is believed");
        assert_eq!(source.states(json!(4000), true), [("pricing.input".into(), Usd::parse("4"))]);
        assert_eq!(
            source.states(json!(4000), false),
            [("pricing.input".into(), Usd::parse("4"))],
            "equal bytes say nothing"
        );
        assert_eq!(source.states(json!(4000), true), []);
    }

    #[test]
    fn a_price_in_the_place_of_zero_is_pending_and_zero_is_not() {
        let mut source = Source::default();
        assert_eq!(source.states(json!(0), true), [], "free at once");
        source.states(json!(0), true);
        assert_eq!(source.states(json!(3200), true), [("pricing.input".into(), Some(Usd::ZERO))]);
        assert_eq!(source.states(json!(3200), true), [], "stated again");
        assert_eq!(source.states(json!(0), true), []);
    }

    #[test]
    fn a_slip_that_is_taken_back_leaves_nothing() {
        let mut source = Source::default();
        source.states(json!(3), true);
        source.states(json!(3), true);
        source.states(json!(3000), true);
        assert_eq!(source.states(json!(3), true), [], "measured by the last price that was believed");
        assert_eq!(source.states(json!(3000), true).len(), 1, "flapping is a new step each time");
    }

    #[test]
    fn a_price_is_believed_after_a_day_and_refused_for_as_long_as_it_is_stated() {
        let mut source = Source::default();
        source.states(json!(3), true);
        source.states(json!(3), true);
        source.states(json!(3000), false);
        source.hours += 24;
        assert_eq!(source.states(json!(3000), false), []);
        let mut source = Source::default();
        source.states(json!(3), true);
        source.states(json!(3), true);
        source.states(json!(3000), true);
        source.pending[0].verdict = Some(Verdict::Refused);
        source.hours += 100;
        assert_eq!(source.states(json!(3000), true).len(), 1);
        assert_eq!(source.states(json!(2000), true).len(), 1, "another far price is looked at anew");
        assert_eq!(source.pending[0].verdict, None);
    }
}
