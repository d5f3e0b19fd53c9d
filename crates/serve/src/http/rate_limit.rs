//! Rate limiting: counts a caller's request, and writes the `RateLimit` headers or the 429. `docs/api.md#keys-and-limits`.

use std::num::NonZeroU32;
use std::time::Duration;

use http::{HeaderMap, HeaderName, HeaderValue, header};

use super::caller::Caller;
use super::problem::{Problem, ProblemCode};
use crate::state::AppState;
use crate::state::rate_counter::{RATE_WINDOW_SECS, RateDecision, RateScope, RateTaken};

const RATE_LIMIT: HeaderName = HeaderName::from_static("ratelimit");
const RATE_LIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");

/// Takes one request from the limit of a caller; `None` when it has none.
pub(super) fn take(state: &AppState, caller: &Caller) -> Option<RateTaken> {
    let per_minute = caller.per_minute?;
    Some(state.rate_counter.take(caller.scope(), &caller.identity.to_string(), per_minute))
}

/// The headers that a decision gives the answer.
///
/// # Errors
/// The 429, when the caller is over its limit.
pub(super) fn headers(state: &AppState, caller: &Caller, decision: Option<RateDecision>) -> Result<HeaderMap, Problem> {
    let (Some(per_minute), Some(decision)) = (caller.per_minute, decision) else { return Ok(HeaderMap::new()) };
    let scope = caller.scope();
    let headers = rate_headers(scope, per_minute, decision);
    if decision.allowed {
        return Ok(headers);
    }
    state.metrics.serving.limited.with_label_values(&[scope.as_str()]).inc();
    let mut problem = too_many(scope, per_minute, decision);
    problem.headers.extend(headers);
    Err(problem)
}

/// Counts one request and gives the headers for its answer.
///
/// # Errors
/// The 429, when the caller is over its limit.
pub(crate) async fn count(state: &AppState, caller: &Caller) -> Result<HeaderMap, Problem> {
    let decision = match take(state, caller) {
        Some(taken) => Some(taken.decision().await),
        None => None,
    };
    headers(state, caller, decision)
}

fn whole_seconds_up(wait: Duration) -> u64 {
    wait.as_secs() + u64::from(wait.subsec_nanos() > 0)
}

fn rate_headers(scope: RateScope, per_minute: NonZeroU32, decision: RateDecision) -> HeaderMap {
    let name = scope.as_str();
    let mut headers = HeaderMap::new();
    let policy = format!("\"{name}\";q={per_minute};w={RATE_WINDOW_SECS}");
    let state = format!("\"{name}\";r={};t={}", decision.remaining, whole_seconds_up(decision.wait));
    for (header, text) in [(RATE_LIMIT_POLICY, policy), (RATE_LIMIT, state)] {
        // Both texts are ASCII, so both are header values.
        headers.extend(HeaderValue::from_str(&text).map(|value| (header, value)));
    }
    headers
}

fn too_many(scope: RateScope, per_minute: NonZeroU32, decision: RateDecision) -> Problem {
    let wait = whole_seconds_up(decision.wait).max(1);
    let hint = match scope {
        RateScope::Anon => "Wait for Retry-After seconds, or ask the operator for an API key.",
        RateScope::Key => "Wait for Retry-After seconds, or ask the operator for a higher limit.",
    };
    let detail = format!("The limit is {per_minute} calls a minute.");
    Problem::new(ProblemCode::RateLimited, "rate limit exceeded", detail)
        .hint(hint)
        .with("limit_per_minute", per_minute.get())
        .with("retry_after_seconds", wait)
        .with("scope", scope.as_str())
        .header(header::RETRY_AFTER, HeaderValue::from(wait))
}
