//! Requests made at random.

use std::fmt::Write as _;

use http::{Method, StatusCode};
use proptest::prelude::*;

use super::is_documented;
use crate::common::{Bench, key, targets};

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

/// Percent-encodes the bytes that an HTTP parser would not let through, and leaves every other one as it is.
fn uri_of(base: &str, query: &[u8]) -> String {
    query.iter().fold(format!("{base}?"), |mut uri, byte| {
        match byte {
            b'!'..=b'~' if !b"\"#<>`".contains(byte) => uri.push(char::from(*byte)),
            byte => drop(write!(uri, "%{byte:02X}")),
        }
        uri
    })
}

#[test]
fn any_query_string_to_any_endpoint_has_a_documented_answer() {
    let (bench, runtime) = (Bench::new(), runtime());
    let names =
        prop::sample::select(vec!["q=", "limit=", "offset=", "type=", "domain=", "fresh_only=", "mode=", "", "&", "%"]);
    let part = (names, prop::collection::vec(any::<u8>(), 0..40));
    let strategy = (0..targets().len(), prop::collection::vec(part, 0..6));
    proptest!(ProptestConfig { cases: 1_500, failure_persistence: None, ..ProptestConfig::default() }, |((at, parts) in strategy)| {
        let base = targets()[at].1.split('?').next().unwrap().to_owned();
        let query: Vec<u8> = parts.iter().flat_map(|(name, bytes)| [name.as_bytes(), bytes, b"&"].concat()).collect();
        let uri = uri_of(&base, &query);
        prop_assume!(uri.parse::<http::Uri>().is_ok());
        is_documented(&runtime.block_on(bench.get(&uri)), &[200, 400]);
    });
}

#[test]
fn any_text_finds_its_way_through_search_and_route() {
    let (bench, runtime) = (Bench::new(), runtime());
    let paths = prop::sample::select(vec!["/v1/search", "/v1/frameworks/search", "/v1/frameworks/route"]);
    proptest!(ProptestConfig { cases: 1_000, failure_persistence: None, ..ProptestConfig::default() }, |(path in paths, text in "\\PC{1,80}|[a-z \"*():^~-]{1,60}")| {
        let q: String = url::form_urlencoded::byte_serialize(text.as_bytes()).collect();
        let answer = runtime.block_on(bench.get(&format!("{path}?q={q}")));
        is_documented(&answer, if text.trim().is_empty() { &[400] } else { &[200] });
    });
}

#[test]
fn any_id_is_found_or_not_found() {
    let (bench, runtime) = (Bench::new(), runtime());
    let prefixes: Vec<String> =
        targets().iter().filter_map(|(path, _)| Some(path.split_once('{')?.0.to_owned())).collect();
    let strategy = (prop::sample::select(prefixes), prop::collection::vec(any::<u8>(), 1..60));
    proptest!(ProptestConfig { cases: 1_000, failure_persistence: None, ..ProptestConfig::default() }, |((prefix, id) in strategy)| {
        let id: String = id.iter().fold(String::new(), |mut out, byte| { let _ = write!(out, "%{byte:02x}"); out });
        is_documented(&runtime.block_on(bench.get(&format!("{prefix}{id}"))), &[200, 404]);
    });
}

#[test]
fn any_credentials_give_200_or_401() {
    let (bench, runtime) = (Bench::new(), runtime());
    let good = key(1);
    bench.admit(&good);
    let names = prop::sample::select(vec!["authorization", "x-api-key"]);
    let bytes = prop_oneof![
        prop::collection::vec(prop_oneof![0x20_u8..=0x7e, 0x80_u8..=0xff, Just(0x09)], 0..80),
        "(Bearer|bearer|Basic|) ?rdk_[0-9A-Za-z]{0,40}".prop_map(String::into_bytes),
    ];
    proptest!(ProptestConfig { cases: 1_000, failure_persistence: None, ..ProptestConfig::default() }, |(name in names, bytes in bytes)| {
        let mut request = http::Request::builder().uri("/v1/models/list").body(axum::body::Body::empty()).unwrap();
        request.headers_mut().insert(name, http::HeaderValue::from_bytes(&bytes).unwrap());
        let answer = runtime.block_on(bench.ask(request));
        is_documented(&answer, &[401]);
        prop_assert!(answer.header("www-authenticate").starts_with("Bearer"));
    });
    let answer = runtime.block_on(bench.send(Method::GET, "/v1/models/list", &[("x-api-key", &good)]));
    assert_eq!(answer.status, StatusCode::OK);
}
