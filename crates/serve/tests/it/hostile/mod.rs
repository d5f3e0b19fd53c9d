//! Hostile input: every endpoint with values that no honest client sends. The documented status, always a typed answer, never a 5xx.

mod generated;

use std::fmt::Write as _;

use crate::common::{Answer, Bench, targets};
use http::StatusCode;

/// Values as they stand in a URI, percent-encoded where they must be.
fn values() -> Vec<String> {
    let mut values: Vec<String> = [
        "",
        "%20",
        "%00",
        "a%00b",
        "%FF",
        "%C3%28",
        "%C0%AF",
        "%E2%82",
        "%ED%A0%80",
        "%",
        "%zz",
        "%2",
        "%%",
        "+",
        "%0D%0ASet-Cookie:%20a=b",
        "'",
        "%22",
        "%27%20OR%201=1--",
        "1;DROP%20TABLE%20facts",
        "%27%20UNION%20SELECT%20secret%20FROM%20keys--",
        "*",
        "AND",
        "OR%20NOT",
        "NEAR/3",
        "(((",
        ")))",
        "[a%20TO%20z]",
        "title:%2Fa.*%2F",
        "a%5E100",
        "a~2",
        "-a",
        "%7B%7B7*7%7D%7D",
        "${jndi:ldap://x.example/a}",
        "%F0%9F%A6%80",
        "%F0%9F%91%A9%E2%80%8D%F0%9F%92%BB",
        "%E2%80%AE",
        "%EF%BB%BF",
        "%E2%80%8B",
        "e%CC%81",
        "%E6%97%A5%E6%9C%AC%E8%AA%9E",
        "0",
        "-1",
        "1.5",
        "1e400",
        "NaN",
        "Infinity",
        "-0",
        "9223372036854775807",
        "9223372036854775808",
        "18446744073709551616",
        "-99999999999999999999999999",
        "340282366920938463463374607431768211456",
        "0x7f",
        "%D9%A1",
        "true",
        "null",
        "undefined",
        "[]",
        "{}",
        "..",
        "../..",
        "..%2f..%2fetc%2fpasswd",
        "%2e%2e%2f%2e%2e%2f",
        "..%5c..%5c",
        "....//",
        "/etc/passwd",
        "file:///etc/passwd",
        "~root",
        "%252e%252e%252f",
        "list",
        "search",
        "route",
        ".",
        "/",
        "//",
        "%2F",
        ";",
        ";jsessionid=1",
        "?",
        "&",
        "=",
        "a&q=b&q=c",
        "a&limit=1&limit=x",
        "%3Cscript%3Ealert(1)%3C/script%3E",
        "javascript:alert(1)",
        "%0A%0A",
    ]
    .iter()
    .map(|value| (*value).to_owned())
    .collect();
    values.push("a".repeat(2_000));
    values.push("a".repeat(2_001));
    values.push("a".repeat(7_000));
    values.push("%F0%9F%A6%80".repeat(500));
    values.push("a%20".repeat(900));
    values.push("(".repeat(1_500));
    values.push("9".repeat(1_900));
    values.push("x".repeat(40_000));
    values
}

/// What every answer owes, whatever was sent.
#[track_caller]
fn is_documented(answer: &Answer, allowed: &[u16]) {
    let status = answer.status.as_u16();
    assert!(allowed.contains(&status), "{status} for {}: {}", short(&answer.target), answer.text());
    answer.tells_nothing_of_the_inside();
    assert_eq!(answer.header("x-content-type-options"), "nosniff", "{}", short(&answer.target));
    if status >= 400 {
        let code = answer.json()["code"].as_str().unwrap_or_default().to_owned();
        answer.problem(status, &code);
    } else if status == 200 && answer.header("content-type").starts_with("application/json") {
        answer.json();
    }
}

fn short(target: &str) -> &str {
    target.get(..200).unwrap_or(target)
}

#[tokio::test]
async fn every_parameter_of_every_endpoint_takes_every_value_as_documented() {
    let bench = Bench::new();
    let names = [
        "q",
        "type",
        "fresh_only",
        "include_markdown",
        "limit",
        "offset",
        "mode",
        "domain",
        "include_candidates",
        "include_prompt",
        "x",
    ];
    for (path, target) in targets() {
        let base = target.split('?').next().unwrap().to_owned();
        for name in names {
            for value in values() {
                let mut uri = format!("{base}?{name}={value}");
                // The parameter under test is the hostile one: q is there when it is another.
                if name != "q" && ["/v1/search", "/v1/frameworks/search", "/v1/frameworks/route"].contains(&path) {
                    let _ = write!(uri, "&q=nova");
                }
                let Ok(parsed) = uri.parse::<http::Uri>() else { continue };
                let answer = bench.get(&uri).await;
                let too_long = parsed.to_string().len() > 32 * 1024;
                is_documented(&answer, if too_long { &[414] } else { &[200, 400] });
                if base.ends_with("/list") && ["limit", "offset"].contains(&name) {
                    let whole = value.trim_matches(['-', '+']).bytes().all(|byte| byte.is_ascii_digit());
                    let good = whole && !value.is_empty() && !value.starts_with('-') && !value.starts_with('+');
                    let zero = name == "limit" && value.bytes().all(|byte| byte == b'0');
                    if good && !zero && !too_long {
                        assert_eq!(answer.status, StatusCode::OK, "{uri}");
                        assert!(answer.json()["limit"].as_u64().unwrap() <= 500, "{uri}");
                    }
                }
            }
        }
    }
}

#[tokio::test]
async fn everything_in_q_is_data() {
    let bench = Bench::new();
    for path in ["/v1/search", "/v1/frameworks/search", "/v1/frameworks/route"] {
        for value in values() {
            let uri = format!("{path}?q={value}");
            if uri.parse::<http::Uri>().is_err() {
                continue;
            }
            let text: String = url::form_urlencoded::parse(uri.split_once('?').unwrap().1.as_bytes())
                .find(|(name, _)| name == "q")
                .map(|(_, text)| text.trim().to_owned())
                .unwrap_or_default();
            let chars = text.chars().count();
            let answer = bench.get(&uri).await;
            match (uri.len() > 32 * 1024, chars > 0) {
                (true, _) => is_documented(&answer, &[414]),
                (_, false) => is_documented(&answer, &[400]),
                (_, true) => {
                    is_documented(&answer, if uri.contains("limit=") { &[200, 400] } else { &[200] });
                    if answer.status == StatusCode::OK {
                        let cut: String = text.chars().take(2_000).collect();
                        assert_eq!(answer.json()["query"], cut, "{}", short(&uri));
                    }
                }
            }
        }
    }
}

#[tokio::test]
async fn every_value_as_an_id_is_found_or_not_found() {
    let bench = Bench::new();
    for (path, _) in targets() {
        let Some((prefix, _)) = path.split_once('{') else { continue };
        for value in values() {
            let uri = format!("{prefix}{value}");
            let Ok(parsed) = uri.parse::<http::Uri>() else { continue };
            let answer = bench.get(&uri).await;
            let allowed: &[u16] = match (parsed.path().len() > 8 * 1024 || uri.len() > 32 * 1024, &*value) {
                (true, _) => &[414],
                (_, "list" | "?" | "search" | "route") => &[200, 400, 404],
                _ => &[404],
            };
            is_documented(&answer, allowed);
        }
    }
}

#[tokio::test]
async fn paths_with_tricks_are_unknown_endpoints() {
    let bench = Bench::new();
    for path in [
        "/..",
        "/../v1/models/list",
        "/v1/../health",
        "/v1/%2e%2e/health",
        "/v1/models/../tools/list",
        "//v1/models/list",
        "/v1/models//",
        "/%00",
        "/%FF",
        "/v1%2Fmodels%2Flist",
        "/v1/models%2Flist",
        "/v1\\models\\list",
        "/health%00",
        "/health%20",
        "/HEALTH",
        "/v1/models/list;a=b",
        "/mcp/",
        "/.git/config",
        "/wp-login.php",
        "/v1/keys",
        "/v1/search/",
        "/metrics/x",
    ] {
        if path.parse::<http::Uri>().is_err() {
            continue;
        }
        is_documented(&bench.get(path).await, &[404]);
    }
}

#[tokio::test]
async fn parameters_by_the_thousand_are_read_and_named_once() {
    let bench = Bench::new();
    let query: String = (0..3_000).fold(String::from("limit=1"), |mut query, at| {
        let _ = write!(query, "&a{at}=");
        query
    });
    let answer = bench.get(&format!("/v1/models/list?{query}")).await;
    is_documented(&answer, &[200]);
    let warnings = answer.json()["warnings"].as_array().unwrap().len();
    assert!(warnings <= 11, "{warnings} warnings: an answer does not grow with what was sent");
    let repeated = "q=nova&".repeat(3_000);
    assert_eq!(bench.json(&format!("/v1/search?{repeated}")).await["warnings"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn hostile_headers_change_nothing() {
    let bench = Bench::new();
    for name in [
        "accept",
        "accept-encoding",
        "if-none-match",
        "x-request-id",
        "x-forwarded-for",
        "forwarded",
        "origin",
        "range",
        "cookie",
    ] {
        for value in [
            "",
            "*",
            ",,,,",
            ";;;",
            "gzip;q=",
            "\"",
            "W/",
            "a;q=1e999",
            "0.0.0.0",
            "::",
            "../..",
            "bytes=0-0",
            "';--",
            &"x,".repeat(5_000),
        ] {
            let answer = bench.get_with("/v1/documents/guide-start", &[(name, value)]).await;
            is_documented(&answer, &[200, 304]);
            let body = answer.header("content-type").starts_with("application/json");
            assert!(body || answer.status == StatusCode::NOT_MODIFIED, "{name}: {value}");
        }
    }
}

/// Found by the properties below: a date was looked for inside letters of four bytes, and a word in mixed case was marked in snippets
/// after its own parts.
#[tokio::test]
async fn wide_letters_and_words_in_mixed_case_are_searched_like_any_other() {
    let bench = Bench::new();
    for text in ["𑽐¡𝔍𑤌ఽ", "nova-𝔍𑤌ఽ", "documents carefulWork fulWork Work"] {
        let q: String = url::form_urlencoded::byte_serialize(text.as_bytes()).collect();
        for path in ["/v1/search", "/v1/frameworks/search", "/v1/frameworks/route"] {
            assert_eq!(bench.json(&format!("{path}?q={q}")).await["query"], text);
        }
    }
}
