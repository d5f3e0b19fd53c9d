//! Authentication: finds out who sends a request, refuses invalid keys, and counts REST requests. `docs/api.md#keys-and-limits`.

use std::net::IpAddr;
use std::num::NonZeroU32;

use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};

use super::caller::{Caller, CallerIdentity};
use super::client_address::{client_address, is_local};
use super::problem::{Problem, ProblemCode};
use super::scoped_path::ScopedPath;
use super::{MCP_PATH, rate_limit};
use crate::state::AppState;
use crate::state::keys::KeyRejection;

const X_API_KEY: HeaderName = HeaderName::from_static("x-api-key");

/// Identifies the caller of any request and counts it if it is a REST request or a page. Gives the headers of the rate limit for the answer.
pub(crate) fn authenticate(
    state: &AppState,
    peer: Option<IpAddr>,
    parts: &Parts,
    is_page: bool,
) -> Result<(Caller, HeaderMap), Problem> {
    let address = peer.map_or(CallerIdentity::Unknown, |peer| {
        CallerIdentity::Address(client_address(&state.settings, peer, &parts.headers))
    });
    let is_local = state.settings.loopback_unlimited && is_local(peer, &parts.headers);
    let caller = identify(state, address, is_local, &parts.headers)?;
    let ScopedPath { path, .. } = ScopedPath::of(&parts.uri);
    let is_rest = path.starts_with("/v1/") || path == "/v1";
    let needs_key = is_rest || path == MCP_PATH || is_page && !state.settings.web_open;
    if state.settings.require_key && !caller.has_key() && needs_key {
        return Err(key_required());
    }
    // MCP requests are counted when their method is known.
    let headers = if is_rest || is_page { rate_limit::count(state, &caller)? } else { HeaderMap::new() };
    Ok((caller, headers))
}

/// The caller by its key, or else by its address. A request with an invalid key is refused and counts against its address, so that keys
/// cannot be guessed at will.
fn identify(state: &AppState, address: CallerIdentity, is_local: bool, headers: &HeaderMap) -> Result<Caller, Problem> {
    let anonymous = Caller { identity: address, per_minute: NonZeroU32::new(state.settings.anon_per_minute) };
    let Some(sent) = sent_key(headers) else {
        return Ok(if is_local { Caller { per_minute: None, ..anonymous } } else { anonymous });
    };
    let checked = sent.and_then(|sent| state.keys.check(sent, state.now()));
    match checked {
        Ok(key) => {
            let per_minute = key.limit_per_minute.unwrap_or(state.settings.key_per_minute);
            Ok(Caller { identity: CallerIdentity::Key(key), per_minute: NonZeroU32::new(per_minute) })
        }
        Err(rejection) => {
            let rate = rate_limit::count(state, &anonymous)?;
            let mut problem = rejected(rejection);
            problem.headers.extend(rate);
            Err(problem)
        }
    }
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

fn rejected(rejection: KeyRejection) -> Problem {
    let (code, error, detail, hint) = match rejection {
        KeyRejection::Malformed => (
            ProblemCode::MalformedKey,
            "invalid API key",
            "The key has not the form of a key of this service, or a character of it is wrong.",
            "Send Authorization: Bearer rdk_… exactly as it was shown when the key was made, or no key at all.",
        ),
        KeyRejection::Unknown => (
            ProblemCode::UnknownKey,
            "invalid API key",
            "The key is not one of this service's.",
            "Ask the operator for a key, or send none.",
        ),
        KeyRejection::Revoked => (
            ProblemCode::RevokedKey,
            "revoked API key",
            "The key was revoked by the operator.",
            "Ask the operator for a new key, or send none.",
        ),
        KeyRejection::Expired => (
            ProblemCode::ExpiredKey,
            "expired API key",
            "The key is past its time.",
            "Ask the operator for a new key, or send none.",
        ),
    };
    let challenge = format!("Bearer realm=\"refdesk\", error=\"invalid_token\", error_description=\"{error}\"");
    unauthorized(code, error, detail, hint, &challenge)
}

fn key_required() -> Problem {
    let detail = "This service answers only with an API key.";
    let hint = "Send Authorization: Bearer rdk_…; the operator makes keys with `refdesk keys create`.";
    unauthorized(ProblemCode::KeyRequired, "API key required", detail, hint, "Bearer realm=\"refdesk\"")
}

fn unauthorized(code: ProblemCode, error: &str, detail: &str, hint: &str, challenge: &str) -> Problem {
    let problem = Problem::new(StatusCode::UNAUTHORIZED, code, error, detail).hint(hint);
    match HeaderValue::from_str(challenge) {
        Ok(challenge) => problem.header(header::WWW_AUTHENTICATE, challenge),
        // The challenges are constant and ASCII; without one the 401 still says what is wrong.
        Err(_) => problem,
    }
}
