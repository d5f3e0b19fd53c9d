//! When the publisher looks at the store again: every half second, as soon as a fact turns stale, and when another process wrote to the
//! store file.

use std::time::{Duration, Instant};

use refdesk_ingest::store::{Store, WriteMark};

/// How often is looked whether another process synced.
const POLL_INTERVAL: Duration = Duration::from_millis(500);
/// How often the store file tells whether there is anything to look at: its metadata alone, which costs next to nothing.
const GLANCE: Duration = Duration::from_millis(50);
/// Shortest sleep between two looks.
const LOOK_MIN: Duration = Duration::from_millis(10);

/// How long to wait before the next look: until the first fact turns stale, which is so many seconds away. After a look that failed it may
/// have turned long ago, and whatever failed is not asked all the time.
pub fn until_next_look(stale_in_secs: Option<i64>, has_failed: bool) -> Duration {
    match stale_in_secs {
        Some(secs) if !has_failed => {
            Duration::from_secs(u64::try_from(secs).unwrap_or(0)).clamp(LOOK_MIN, POLL_INTERVAL)
        }
        _ => POLL_INTERVAL,
    }
}

/// Waits for so long, or until somebody wrote to the store file since it had the mark `seen`.
pub async fn look_is_due(store: &Store, seen: Option<WriteMark>, wait: Duration) {
    let due = Instant::now() + wait;
    while let Some(left) = due.checked_duration_since(Instant::now()).filter(|left| !left.is_zero()) {
        tokio::time::sleep(if seen.is_some() { left.min(GLANCE) } else { left }).await;
        if seen.is_some() && seen != store.write_mark() {
            break;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use refdesk_ingest::store::Store;

    use super::{LOOK_MIN, POLL_INTERVAL, look_is_due, until_next_look};

    #[tokio::test]
    async fn a_write_of_another_process_ends_the_wait_for_the_next_look() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("refdesk.sqlite3");
        let (store, other) = (Store::open(&path).await.unwrap(), Store::open(&path).await.unwrap());
        store.set_meta("name", "one").await.unwrap();
        let seen = store.write_mark();
        assert!(seen.is_some());
        let looks = tokio::spawn(async move { look_is_due(&store, seen, Duration::from_hours(24)).await });
        other.set_meta("name", "two, which is longer").await.unwrap();
        looks.await.unwrap();
    }

    #[test]
    fn what_turned_stale_is_looked_at_at_once_unless_the_last_look_failed() {
        for (stale_in, has_failed, wait) in [
            (None, false, POLL_INTERVAL),
            (Some(3_600), false, POLL_INTERVAL),
            (Some(0), false, LOOK_MIN),
            (Some(-3_600), false, LOOK_MIN),
            (Some(0), true, POLL_INTERVAL),
            (Some(-3_600), true, POLL_INTERVAL),
            (None, true, POLL_INTERVAL),
        ] {
            assert_eq!(until_next_look(stale_in, has_failed), wait, "{stale_in:?} {has_failed}");
        }
    }
}
