//! Authentication: finds out who sends a request, refuses invalid keys, and counts REST requests. `docs/api.md#keys-and-limits`.
//!
//! It has two steps, because a decision of a shared counter comes from another machine: [`identify`] and [`Identified::admit`].

use std::net::IpAddr;
use std::num::NonZeroU32;

use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, header};

use super::caller::{Caller, CallerIdentity};
use super::client_address::{client_address, is_local};
use super::problem::{Problem, ProblemCode};
use super::scoped_path::ScopedPath;
use super::{MCP_PATH, rate_limit};
use crate::settings::LocalToken;
use crate::state::AppState;
use crate::state::keys::KeyRejection;
use crate::state::rate_counter::{RateDecision, RateTaken};

const X_API_KEY: HeaderName = HeaderName::from_static("x-api-key");

/// A request whose caller is known, before it is counted.
pub(crate) struct Identified {
    /// Whom it is counted against, and whom it is answered for unless it is refused.
    pub(crate) caller: Caller,
    is_counted: bool,
    /// The key that it sent is refused. It still counts, against the address, so that keys cannot be guessed at will.
    refusal: Option<Problem>,
}

/// Identifies the caller of any request.
///
/// # Errors
/// The 401 of a request that needs a key and has none. It is not counted.
pub(crate) fn identify(
    state: &AppState,
    peer: Option<IpAddr>,
    parts: &Parts,
    is_page: bool,
) -> Result<Identified, Problem> {
    let address = peer.map_or(CallerIdentity::Unknown, |peer| {
        CallerIdentity::Address(client_address(&state.settings, peer, &parts.headers))
    });
    let (caller, refusal) = caller(state, address, is_local(peer, &parts.headers), &parts.headers);
    if refusal.is_some() {
        return Ok(Identified { caller, is_counted: true, refusal });
    }
    let ScopedPath { path, .. } = ScopedPath::from_uri(&parts.uri);
    let needs_key = is_rest(path) || path == MCP_PATH || is_page && !state.settings.web_open;
    if state.settings.require_key && !caller.has_key() && needs_key {
        return Err(key_required());
    }
    Ok(Identified { caller, is_counted: is_counted(path, is_page), refusal: None })
}

fn is_rest(path: &str) -> bool {
    path.starts_with("/v1/") || path == "/v1"
}

/// Whether requests to a path count here: REST and pages do, MCP requests when their method is known.
pub(super) fn is_counted(path: &str, is_page: bool) -> bool {
    is_rest(path) || is_page
}

impl Identified {
    /// Takes the request from the limit of its caller, if it counts against one.
    pub(crate) fn take(&self, state: &AppState) -> Option<RateTaken> {
        if self.is_counted { rate_limit::take(state, &self.caller) } else { None }
    }

    /// The caller, and the headers of the rate limit for the answer.
    ///
    /// # Errors
    /// The 429 of a caller over its limit, and the 401 of a refused key.
    pub(crate) fn admit(
        self,
        state: &AppState,
        decision: Option<RateDecision>,
    ) -> Result<(Caller, HeaderMap), Problem> {
        let headers = rate_limit::headers(state, &self.caller, decision)?;
        match self.refusal {
            None => Ok((self.caller, headers)),
            Some(mut problem) => {
                problem.headers.extend(headers);
                Err(problem)
            }
        }
    }
}

/// The caller by its key, or else by its address. With an invalid key it is the address, and the refusal.
fn caller(state: &AppState, address: CallerIdentity, is_local: bool, headers: &HeaderMap) -> (Caller, Option<Problem>) {
    let limits = state.limits();
    let anonymous = Caller { identity: address, per_minute: NonZeroU32::new(limits.anon_per_minute) };
    let Some(sent) = sent_key(headers) else {
        let is_unlimited = is_local && limits.loopback_unlimited;
        return (if is_unlimited { Caller { per_minute: None, ..anonymous } } else { anonymous }, None);
    };
    if is_local
        && let (Ok(sent), Some(token)) = (&sent, &state.settings.local_token)
        && sent.starts_with(LocalToken::PREFIX)
        && token.is(sent)
    {
        return (Caller { identity: CallerIdentity::CommandLine, per_minute: None }, None);
    }
    match sent.and_then(|sent| state.keys.check(sent, state.now())) {
        Ok(_) if is_ring_too_old(state) => (anonymous, Some(keys_unknown(KEYS_TOO_OLD, "the age"))),
        Ok(key) => {
            let per_minute = key.limit_per_minute.unwrap_or(limits.key_per_minute);
            (Caller { identity: CallerIdentity::Key(key), per_minute: NonZeroU32::new(per_minute) }, None)
        }
        Err(KeyRejection::Unknown) if state.keys.is_unread() => {
            (anonymous, Some(keys_unknown(KEYS_UNREAD, "the state of the database")))
        }
        Err(rejection) => (anonymous, Some(rejected(rejection, state.settings.require_key))),
    }
}

/// Whether the keys could not be compared with the store for longer than the operator allows.
fn is_ring_too_old(state: &AppState) -> bool {
    let most = state.settings.key_ring_age_max;
    !most.is_zero() && state.node.keys_age_secs() > most.as_secs()
}

const KEYS_UNREAD: &str =
    "The keys could not be read from the database since this node started, so whether this one is good is not known.";
const KEYS_TOO_OLD: &str =
    "The keys could not be compared with the database for too long, so that a revoked one might pass.";

/// 503: which keys are good is not known; `seen` is what the operator sees of it.
fn keys_unknown(detail: &str, seen: &str) -> Problem {
    Problem::new(ProblemCode::KeysUnknown, "keys unknown", detail)
        .hint(format!("Try another node, or again later; the operator sees {seen} in /health."))
}

/// The key as it was sent; a bearer token wins over `x-api-key`. An `Authorization` without a bearer token is malformed, and so is a header
/// sent twice: a proxy may have checked the other one.
fn sent_key(headers: &HeaderMap) -> Option<Result<&str, KeyRejection>> {
    let name = [header::AUTHORIZATION, X_API_KEY].into_iter().find(|name| headers.contains_key(name))?;
    let mut values = headers.get_all(&name).iter();
    let (Some(value), None) = (values.next(), values.next()) else { return Some(Err(KeyRejection::Malformed)) };
    let text = value.to_str().map_err(|_| KeyRejection::Malformed).map(str::trim);
    if name == X_API_KEY {
        return Some(text);
    }
    Some(text.and_then(|text| {
        let (scheme, token) = text.split_once(' ').ok_or(KeyRejection::Malformed)?;
        if scheme.eq_ignore_ascii_case("bearer") { Ok(token.trim()) } else { Err(KeyRejection::Malformed) }
    }))
}

/// A key that is not taken. Where none is needed, the caller may do without one.
fn rejected(rejection: KeyRejection, is_needed: bool) -> Problem {
    let (code, error, detail, remedy) = match rejection {
        KeyRejection::Malformed => (
            ProblemCode::MalformedKey,
            "invalid API key",
            "This is not a valid key: wrong format, or a mistyped character.",
            "Send Authorization: Bearer rdk_… exactly as it was shown when the key was made",
        ),
        KeyRejection::Unknown => (
            ProblemCode::UnknownKey,
            "invalid API key",
            "This service does not know the key.",
            "Ask the operator for a key",
        ),
        KeyRejection::Revoked => (
            ProblemCode::RevokedKey,
            "revoked API key",
            "The key was revoked by the operator.",
            "Ask the operator for a new key",
        ),
        KeyRejection::Expired => {
            (ProblemCode::ExpiredKey, "expired API key", "The key is past its time.", "Ask the operator for a new key")
        }
    };
    let challenge = format!("Bearer realm=\"refdesk\", error=\"invalid_token\", error_description=\"{error}\"");
    let hint = format!("{remedy}{}", if is_needed { "." } else { ", or send none." });
    unauthorized(code, error, detail, &hint, &challenge)
}

fn key_required() -> Problem {
    let detail = "This service answers only with an API key.";
    let hint = "Send Authorization: Bearer rdk_…; the operator makes keys with `refdesk keys create`.";
    unauthorized(ProblemCode::KeyRequired, "API key required", detail, hint, "Bearer realm=\"refdesk\"")
}

fn unauthorized(code: ProblemCode, error: &str, detail: &str, hint: &str, challenge: &str) -> Problem {
    let mut problem = Problem::new(code, error, detail).hint(hint);
    // The challenges are constant and ASCII, so each is a header value.
    problem.headers.extend(HeaderValue::from_str(challenge).map(|challenge| (header::WWW_AUTHENTICATE, challenge)));
    problem
}
