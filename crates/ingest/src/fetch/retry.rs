//! When to try again: exponential backoff with equal jitter (half of each wait is fixed, half is random), and what `Retry-After` asks for.

use std::time::Duration;

use rand::Rng as _;

use super::settings::FetchSettings;

/// How long to wait before attempt `attempt + 1`; `None` when the upstream asks for more patience than is allowed.
pub(super) fn wait(settings: &FetchSettings, attempt: u32, retry_after: Option<Duration>) -> Option<Duration> {
    let ceiling =
        settings.backoff_base.saturating_mul(1_u32.checked_shl(attempt).unwrap_or(u32::MAX)).min(settings.backoff_max);
    let jittered = ceiling.mul_f64(rand::rng().random_range(0.5..=1.0));
    match retry_after {
        Some(asked) if asked > settings.retry_after_max => None,
        Some(asked) => Some(asked.max(jittered)),
        None => Some(jittered),
    }
}

/// The wait that a `Retry-After` header asks for: a number, or an HTTP date (RFC 9110, 10.2.3) against the answer's own `Date`
/// or, without one, `now`.
pub(super) fn retry_after(header: &str, now_secs: i64) -> Option<Duration> {
    let until = |at: i64| u64::try_from(at.saturating_sub(now_secs)).unwrap_or(0);
    let secs = header.trim().parse().ok().or_else(|| http_date_secs(header).map(until))?;
    Some(Duration::from_secs(secs))
}

/// Seconds since the epoch of an HTTP date in any of its three forms (RFC 9110, 5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT` is preferred.
pub(super) fn http_date_secs(text: &str) -> Option<i64> {
    let at = httpdate::parse_http_date(text.trim()).ok()?;
    let since = at.duration_since(std::time::UNIX_EPOCH).ok()?;
    i64::try_from(since.as_secs()).ok()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{retry_after, wait};
    use crate::fetch::FetchSettings;

    #[test]
    fn retry_after_reads_seconds_and_http_dates() {
        let secs = |header, now_secs| retry_after(header, now_secs).map(|wait| wait.as_secs());
        assert_eq!(secs("7", 0), Some(7));
        assert_eq!(secs("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777 - 30), Some(30));
        assert_eq!(secs("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777 + 30), Some(0));
        assert_eq!(secs("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777 - 30), Some(30), "as RFC 850 wrote it");
        assert_eq!(secs("Sun Nov  6 08:49:37 1994", 784_111_777 - 30), Some(30), "as asctime writes it");
        assert_eq!(secs("soon", 0), None);
    }

    #[test]
    fn waits_grow_are_capped_and_give_up_when_too_much_is_asked() {
        let settings = FetchSettings {
            backoff_base: Duration::from_millis(100),
            backoff_max: Duration::from_millis(400),
            retry_after_max: Duration::from_secs(5),
            ..FetchSettings::default()
        };
        for (attempt, ceiling) in [(0, 100), (1, 200), (2, 400), (9, 400), (40, 400)] {
            let waited = wait(&settings, attempt, None).unwrap_or_default();
            assert!(
                waited <= Duration::from_millis(ceiling) && waited >= Duration::from_millis(ceiling / 2),
                "{attempt}: {waited:?}"
            );
        }
        assert_eq!(wait(&settings, 0, Some(Duration::from_secs(3))), Some(Duration::from_secs(3)));
        assert_eq!(wait(&settings, 0, Some(Duration::from_secs(6))), None);
    }
}
