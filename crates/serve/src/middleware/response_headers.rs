//! The headers that every response gets: request id, security headers, CORS. Also the responses of problems.

use axum::body::Body;
use axum::response::{IntoResponse as _, Response};
use http::{HeaderMap, HeaderValue, Uri, header};

use crate::http::problem::{PROBLEM_MEDIA_TYPE, Problem};
use crate::policy::Policies;
use crate::policy::headers::{REQUEST_ID, SECURITY_HEADERS};

/// The response of a problem. Adds the members of the document that only the middleware knows.
pub(super) fn problem_response(problem: Problem, uri: &Uri, id: &str) -> Response {
    let mut document = problem.document();
    document.insert("instance".into(), refdesk_core::clean::excerpt(uri.path(), 200).into());
    document.insert("request_id".into(), id.into());
    let body = Body::from(serde_json::Value::Object(document).to_string());
    let headers = [(header::CONTENT_TYPE, PROBLEM_MEDIA_TYPE), (header::CACHE_CONTROL, "no-store")];
    (problem.code.status(), *problem.headers, headers, body).into_response()
}

/// Adds the headers that every response has. `request` has the origin of the request.
pub(super) fn add(policies: &Policies, response: &mut Response, request: &HeaderMap, id: HeaderValue) {
    let headers = response.headers_mut();
    headers.insert(REQUEST_ID, id);
    // Data answers start from a template that has them.
    if !headers.contains_key(header::REFERRER_POLICY) {
        for (name, value) in SECURITY_HEADERS.iter() {
            headers.entry(name).or_insert_with(|| value.clone());
        }
        policies.cors.add_static_headers(headers);
    }
    policies.cors.add_headers(response, request);
}
