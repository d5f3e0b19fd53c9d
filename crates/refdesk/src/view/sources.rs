//! One source: what it is, where it stands, and what came of it.

use refdesk_core::Kind;
use refdesk_core::source_status::{SourceStatus, StatusWord};
use refdesk_ingest::Span;

use super::{clean, moment_or_dash};
use crate::cli::kind_word;
use crate::output::{Paint, counted, grouped, table};

/// Where a source stands, in a word.
pub fn state(paint: Paint, state: StatusWord) -> String {
    let word = state.as_str();
    match state {
        StatusWord::Ok => paint.good(word),
        StatusWord::Never | StatusWord::Syncing => word.to_owned(),
        StatusWord::Failed => paint.bad(word),
        StatusWord::Quarantined | StatusWord::Orphaned => paint.warn(word),
        StatusWord::Disabled => paint.dim(word),
    }
}

/// All that is known of a source, a row for each.
pub fn source(paint: Paint, status: &SourceStatus) -> String {
    let counts = &status.counts;
    let changes =
        [(counts.added, "added"), (counts.changed, "changed"), (counts.removed, "removed")].map(|(count, word)| {
            let count = grouped(count);
            format!("{count} {word}")
        });
    let error = status.error.as_ref().map(|error| {
        let since = error.at.map(|at| format!(", {}", moment_or_dash(Some(at)))).unwrap_or_default();
        paint.bad(&format!("{} ({}{since})", clean(&error.message), error.code))
    });
    let failures = usize::try_from(status.consecutive_failures).unwrap_or(usize::MAX);
    let some = |count: usize| (count > 0).then(|| grouped(count));
    let interval = Span::secs(status.interval_seconds).to_string();
    let next = if status.refresh_due { "due".to_owned() } else { moment_or_dash(status.next_due_at) };
    let kinds: Vec<String> = status.types.iter().filter_map(|kind| Kind::parse(kind)).map(kind_word).collect();
    let rows = [
        ("source", Some(paint.strong(&status.id))),
        ("name", Some(clean(&status.name))),
        ("connector", Some(status.kind.clone())),
        ("address", Some(clean(&status.url))),
        ("license", status.license.as_deref().map(clean)),
        ("kinds", Some(kinds.join(", "))),
        ("state", Some(state(paint, status.status))),
        ("why", status.disabled_reason.as_deref().map(clean)),
        ("error", error),
        ("failed in a row", (failures > 0).then(|| counted(failures, "time"))),
        ("last tried", Some(moment_or_dash(status.last_attempt_at))),
        ("last synced", Some(moment_or_dash(status.last_synced_at))),
        ("last verified", Some(moment_or_dash(status.last_verified_at))),
        ("next sync", status.enabled.then_some(next)),
        ("every", Some(interval)),
        ("HTTP status", status.http_status.map(|code| code.to_string())),
        ("content hash", status.content_hash.clone()),
        ("facts", Some(grouped(counts.total))),
        ("stale", some(counts.stale)),
        ("last sync", Some(changes.join(", "))),
        ("rejects", some(counts.rejects)),
        ("withheld", some(counts.withheld)),
        ("quarantined", some(counts.quarantined)),
        ("left out", some(counts.left_out)),
        ("not shown", some(counts.unshown)),
        ("uncounted", (counts.uncounted != 0).then(|| paint.bad(&counts.uncounted.to_string()))),
    ];
    let rows = rows.into_iter().filter_map(|(name, value)| Some(vec![paint.dim(name), value?]));
    table(&rows.collect::<Vec<_>>())
}
