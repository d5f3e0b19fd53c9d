//! The fetcher against an upstream that behaves, and against one that does everything wrong.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::time::{Duration, Instant};

use crate::support::HandClock;
use refdesk_ingest::config::FetchSettings;
use refdesk_ingest::fetch::{FetchCode, FetchError, FetchRequest, Fetched, Fetcher, Origin, Token};
use refdesk_ingest::store::Validator;
use url::Url;
use wiremock::matchers::{header, method, path};
use wiremock::{Mock, MockServer, ResponseTemplate};

fn settings() -> FetchSettings {
    FetchSettings {
        connect_timeout: Duration::from_millis(500),
        read_timeout: Duration::from_millis(300),
        total_timeout: Duration::from_millis(900),
        body_bytes_max: 10_000,
        retries_max: 2,
        backoff_base: Duration::from_millis(5),
        backoff_max: Duration::from_millis(20),
        retry_after_max: Duration::from_secs(2),
        redirects_max: 3,
        ..FetchSettings::default()
    }
}

fn fetcher(settings: FetchSettings) -> Fetcher {
    Fetcher::new(settings, false, HandClock::at(1_000_000).clock())
}

async fn fetch_with(fetcher: &Fetcher, url: &str, last: Option<&Validator>) -> Result<Fetched, FetchError> {
    let url = Url::parse(url).unwrap();
    let origin = Origin::new(url.clone(), false);
    fetcher.fetch(&origin, &FetchRequest { url: &url, may_be_missing: false, secret_headers: &[], last }).await
}

async fn fetch(url: &str) -> Result<Fetched, FetchError> {
    fetch_with(&fetcher(settings()), url, None).await
}

async fn serve(answer: ResponseTemplate) -> MockServer {
    let server = MockServer::start().await;
    Mock::given(method("GET")).respond_with(answer).mount(&server).await;
    server
}

/// A server that writes these bytes to each connection and closes it; `pause` after each byte.
fn raw_server(answer: Vec<u8>, pause: Duration) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let (mut stream, answer) = (stream.unwrap(), answer.clone());
            std::thread::spawn(move || {
                let mut request = [0; 4096];
                let _ = stream.read(&mut request);
                if pause.is_zero() {
                    let _ = stream.write_all(&answer);
                    return;
                }
                for byte in answer {
                    if stream.write_all(&[byte]).is_err() {
                        return;
                    }
                    std::thread::sleep(pause);
                }
            });
        }
    });
    format!("http://{address}/")
}

#[tokio::test]
async fn a_good_answer_comes_with_its_validators_link_and_hash() {
    let answer = ResponseTemplate::new(200)
        .set_body_string("hello")
        .insert_header("etag", "\"v1\"")
        .insert_header("last-modified", "Sun, 06 Nov 1994 08:49:37 GMT")
        .insert_header("link", "<https://e.example/2>; rel=\"next\"");
    let server = serve(answer).await;
    let fetched = fetch(&format!("{}/a?b=c", server.uri())).await.unwrap();
    assert_eq!((fetched.status, &fetched.body[..], fetched.requests), (200, &b"hello"[..], 1));
    assert_eq!(fetched.etag.as_deref(), Some("\"v1\""));
    assert_eq!(fetched.last_modified.as_deref(), Some("Sun, 06 Nov 1994 08:49:37 GMT"));
    assert_eq!(fetched.link.as_deref(), Some("<https://e.example/2>; rel=\"next\""));
    assert_eq!(fetched.content_hash, "sha256:2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824");
    let request = &server.received_requests().await.unwrap()[0];
    assert!(request.headers["user-agent"].to_str().unwrap().starts_with("refdesk/"));
    let encodings = request.headers["accept-encoding"].to_str().unwrap();
    assert!(["gzip", "br", "zstd"].iter().all(|encoding| encodings.contains(encoding)), "{encodings}");
}

#[tokio::test]
async fn an_unchanged_upstream_is_asked_by_etag_and_answers_304() {
    let server = MockServer::start().await;
    let unchanged = ResponseTemplate::new(304).insert_header("etag", "\"v1\"");
    Mock::given(header("if-none-match", "\"v1\"")).respond_with(unchanged).mount(&server).await;
    let last = Validator {
        url: server.uri(),
        status: 200,
        etag: Some("\"v1\"".into()),
        last_modified: Some("Sun, 06 Nov 1994 08:49:37 GMT".into()),
        content_hash: "sha256:old".into(),
        secret_headers: Vec::new(),
    };
    let fetched = fetch_with(&fetcher(settings()), &server.uri(), Some(&last)).await.unwrap();
    assert_eq!((fetched.status, fetched.content_hash.as_str()), (304, "sha256:old"));
    assert!(fetched.equals(&last));
    // A cache may answer with the tag of bytes that never came.
    server.reset().await;
    let other = ResponseTemplate::new(304).insert_header("etag", "\"v2\"");
    Mock::given(header("if-none-match", "\"v1\"")).respond_with(other).mount(&server).await;
    let fetched = fetch_with(&fetcher(settings()), &server.uri(), Some(&last)).await.unwrap();
    assert_eq!((fetched.status, fetched.etag.as_deref()), (304, Some("\"v1\"")));
    // Without an ETag the date is asked with.
    // wiremock's `header` would take the comma of the date for a list.
    let dated = |request: &wiremock::Request| {
        request.headers.get("if-modified-since").is_some_and(|date| date == "Sun, 06 Nov 1994 08:49:37 GMT")
    };
    Mock::given(dated).respond_with(ResponseTemplate::new(304)).mount(&server).await;
    let dated = Validator { etag: None, ..last };
    assert_eq!(fetch_with(&fetcher(settings()), &server.uri(), Some(&dated)).await.unwrap().status, 304);
}

#[tokio::test]
async fn coded_bodies_are_decoded_and_the_cap_counts_decoded_bytes() {
    let gzip = |text: &[u8]| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    };
    let coded = |body: Vec<u8>, encoding: &str| {
        ResponseTemplate::new(200).set_body_bytes(body).insert_header("content-encoding", encoding)
    };
    let server = serve(coded(gzip(b"gzip text"), "gzip")).await;
    assert_eq!(&fetch(&server.uri()).await.unwrap().body[..], b"gzip text");
    // Members one behind the other are one text, and what is behind the last is padding.
    let members = [gzip(b"one, "), gzip(b""), gzip(b"two")].concat();
    for padding in [&b""[..], b"\0\0\0"] {
        let server = serve(coded([&members[..], padding].concat(), "gzip")).await;
        assert_eq!(&fetch(&server.uri()).await.unwrap().body[..], b"one, two");
    }
    let server = serve(coded(members[..members.len() - 1].to_vec(), "gzip")).await;
    assert_eq!(fetch(&server.uri()).await.unwrap_err().code, FetchCode::Decode, "the last member is cut");
    let large = [gzip(&[0; 6_000]), gzip(&[0; 6_000])].concat();
    let server = serve(coded(large, "gzip")).await;
    assert_eq!(fetch(&server.uri()).await.unwrap_err().code, FetchCode::TooLarge, "the cap counts all members");
    let server = serve(coded(zstd::encode_all(&b"zstd text"[..], 3).unwrap(), "zstd")).await;
    assert_eq!(&fetch(&server.uri()).await.unwrap().body[..], b"zstd text");
    let bomb = gzip(&vec![0; 1_000_000]);
    assert!(bomb.len() < 10_000, "the coded body is below the cap");
    let server = serve(coded(bomb, "gzip")).await;
    let error = fetch(&server.uri()).await.unwrap_err();
    assert_eq!((error.code, error.requests), (FetchCode::TooLarge, 1));
    let server = serve(ResponseTemplate::new(200).set_body_bytes(vec![0; 10_001])).await;
    assert_eq!(fetch(&server.uri()).await.unwrap_err().code, FetchCode::TooLarge);
    let server = serve(coded(b"this is no gzip".to_vec(), "gzip")).await;
    assert_eq!(fetch(&server.uri()).await.unwrap_err().code, FetchCode::Decode);
}

#[tokio::test]
async fn a_status_other_than_200_is_an_error_and_only_transient_ones_are_tried_again() {
    for (status, requests) in [(500, 3), (503, 3), (429, 3), (404, 1), (403, 1), (401, 1), (418, 1), (204, 1), (304, 1)]
    {
        let server = serve(ResponseTemplate::new(status)).await;
        let error = fetch(&server.uri()).await.unwrap_err();
        assert_eq!((error.code, error.status, error.requests), (FetchCode::Status, Some(status), requests), "{status}");
        assert_eq!(server.received_requests().await.unwrap().len() as u64, requests);
    }
}

#[tokio::test]
async fn a_flaky_upstream_is_read_through_its_retries() {
    let server = MockServer::start().await;
    Mock::given(method("GET")).respond_with(ResponseTemplate::new(503)).up_to_n_times(2).mount(&server).await;
    Mock::given(method("GET")).respond_with(ResponseTemplate::new(200).set_body_string("ok")).mount(&server).await;
    let fetched = fetch(&server.uri()).await.unwrap();
    assert_eq!((&fetched.body[..], fetched.requests), (&b"ok"[..], 3));
}

#[tokio::test]
async fn tls_that_fails_has_its_own_code_and_is_not_tried_again() {
    for answer in [&b"HTTP/1.1 400 Bad Request\r\n\r\n"[..], b"", b"\x15\x03\x03\0\x02\x02\x28"] {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (seen, connections) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let _ = seen.send(());
                let _ = stream.read(&mut [0; 4096]);
                let _ = stream.write_all(answer);
            }
        });
        let error = fetch(&format!("https://{address}/")).await.unwrap_err();
        assert_eq!(error.code, FetchCode::Tls, "{error} for {answer:?}");
        assert_eq!((error.requests, connections.try_iter().count()), (1, 1), "{error}");
    }
}

#[tokio::test]
async fn retry_after_is_waited_for_or_handed_on_when_it_asks_too_much() {
    let server = MockServer::start().await;
    let slow_down = ResponseTemplate::new(429).insert_header("retry-after", "1");
    Mock::given(method("GET")).respond_with(slow_down).up_to_n_times(1).mount(&server).await;
    Mock::given(method("GET")).respond_with(ResponseTemplate::new(200)).mount(&server).await;
    let begun = Instant::now();
    assert_eq!(fetch(&server.uri()).await.unwrap().requests, 2);
    assert!(begun.elapsed() >= Duration::from_secs(1), "{:?}", begun.elapsed());

    let server = serve(ResponseTemplate::new(429).insert_header("retry-after", "3600")).await;
    let error = fetch(&server.uri()).await.unwrap_err();
    assert_eq!((error.requests, error.retry_at.map(|at| at.0)), (1, Some(1_003_600)));
}

#[tokio::test]
async fn a_slow_upstream_runs_into_the_read_and_the_total_timeout() {
    let once = FetchSettings { retries_max: 0, ..settings() };
    let server = serve(ResponseTemplate::new(200).set_delay(Duration::from_secs(5))).await;
    let error = fetch_with(&fetcher(once.clone()), &server.uri(), None).await.unwrap_err();
    assert_eq!(error.code, FetchCode::Timeout, "{error}");
    // One byte at a time never falls silent for long, so only the total timeout ends it.
    let drip = [b"HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n".to_vec(), vec![b'x'; 500]].concat();
    let begun = Instant::now();
    let error = fetch_with(&fetcher(once), &raw_server(drip, Duration::from_millis(20)), None).await.unwrap_err();
    assert_eq!(error.code, FetchCode::Timeout, "{error}");
    assert!(begun.elapsed() < Duration::from_secs(3));
}

#[tokio::test]
async fn a_body_that_ends_early_or_is_no_http_is_an_error() {
    let cut = b"HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\nonly this".to_vec();
    let error = fetch(&raw_server(cut, Duration::ZERO)).await.unwrap_err();
    assert_eq!((error.code, error.requests), (FetchCode::Decode, 3), "{error}");
    let error = fetch(&raw_server(b"garbage garbage\r\n\r\n".to_vec(), Duration::ZERO)).await.unwrap_err();
    assert_eq!(error.code, FetchCode::Connect, "{error}");
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let error = fetch(&format!("http://{nobody}/")).await.unwrap_err();
    assert_eq!((error.code, error.requests), (FetchCode::Connect, 3), "{error}");
}

#[tokio::test]
async fn redirects_are_followed_within_the_origin_and_counted() {
    let server = MockServer::start().await;
    let to = |place: &str| ResponseTemplate::new(302).insert_header("location", place);
    Mock::given(path("/a")).respond_with(to("/b")).mount(&server).await;
    Mock::given(path("/b")).respond_with(ResponseTemplate::new(200).set_body_string("there")).mount(&server).await;
    Mock::given(path("/loop")).respond_with(to("/loop")).mount(&server).await;
    Mock::given(path("/file")).respond_with(to("file:///etc/passwd")).mount(&server).await;
    Mock::given(path("/nowhere")).respond_with(ResponseTemplate::new(302)).mount(&server).await;
    let fetched = fetch(&format!("{}/a", server.uri())).await.unwrap();
    assert_eq!((&fetched.body[..], fetched.requests), (&b"there"[..], 2));
    for place in ["/loop", "/file", "/nowhere"] {
        let error = fetch(&format!("{}{place}", server.uri())).await.unwrap_err();
        assert_eq!(error.code, FetchCode::Redirect, "{place}: {error}");
    }
}

#[tokio::test]
async fn a_redirect_to_another_private_address_is_refused_unless_the_source_allows_it() {
    let inside = serve(ResponseTemplate::new(200).set_body_string("secret")).await;
    let port = inside.address().port();
    for target in [inside.uri(), format!("http://localhost:{port}/"), format!("http://[::ffff:127.0.0.1]:{port}/")] {
        let server = serve(ResponseTemplate::new(302).insert_header("location", target.as_str())).await;
        let error = fetch(&server.uri()).await.unwrap_err();
        assert_eq!((error.code, error.requests), (FetchCode::BlockedAddress, 1), "{target}: {error}");
    }
    assert!(inside.received_requests().await.unwrap().is_empty());
    let server = serve(ResponseTemplate::new(302).insert_header("location", inside.uri().as_str())).await;
    let url = Url::parse(&server.uri()).unwrap();
    let origin = Origin::new(url.clone(), true);
    let ask = FetchRequest { url: &url, may_be_missing: false, secret_headers: &[], last: None };
    assert_eq!(&fetcher(settings()).fetch(&origin, &ask).await.unwrap().body[..], b"secret");
}

#[tokio::test]
async fn a_public_source_cannot_reach_a_private_address_by_any_name() {
    let origin = Origin::new(Url::parse("https://e.example/").unwrap(), false);
    for inside in [
        "http://127.0.0.1:1/",
        "https://localhost/",
        "https://10.0.0.1/",
        "https://169.254.169.254/latest",
        "https://[::1]/",
    ] {
        let url = Url::parse(inside).unwrap();
        let ask = FetchRequest { url: &url, may_be_missing: false, secret_headers: &[], last: None };
        let error = fetcher(settings()).fetch(&origin, &ask).await.unwrap_err();
        assert_eq!((error.code, error.requests), (FetchCode::BlockedAddress, 0), "{inside}");
    }
    let url = Url::parse("file:///etc/passwd").unwrap();
    let ask = FetchRequest { url: &url, may_be_missing: false, secret_headers: &[], last: None };
    assert!(fetcher(settings()).fetch(&origin, &ask).await.is_err());
}

#[tokio::test]
async fn a_source_of_https_is_never_asked_over_plain_http() {
    let origin = Origin::new(Url::parse("https://e.example/").unwrap(), false);
    let url = Url::parse("http://e.example/next").unwrap();
    let ask = FetchRequest { url: &url, may_be_missing: false, secret_headers: &[], last: None };
    let error = fetcher(settings()).fetch(&origin, &ask).await.unwrap_err();
    assert_eq!((error.code, error.requests), (FetchCode::Redirect, 0), "{error}");
}

#[tokio::test]
async fn offline_opens_no_connection_and_still_reads_files() {
    let server = serve(ResponseTemplate::new(200)).await;
    let offline = Fetcher::new(settings(), true, HandClock::at(0).clock());
    assert_eq!(fetch_with(&offline, &server.uri(), None).await.unwrap_err().code, FetchCode::Offline);
    assert!(server.received_requests().await.unwrap().is_empty());
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.json");
    std::fs::write(&file, "{}").unwrap();
    let url = Url::from_file_path(&file).unwrap();
    assert_eq!(&fetch_with(&offline, url.as_str(), None).await.unwrap().body[..], b"{}");
}

#[tokio::test]
async fn a_local_folder_comes_as_the_same_tarball_each_time_and_nothing_outside_of_it_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("cards");
    std::fs::create_dir_all(root.join("deep")).unwrap();
    std::fs::create_dir_all(root.join(".git")).unwrap();
    std::fs::write(root.join("deep/b.yaml"), "b").unwrap();
    std::fs::write(root.join("a.yaml"), "a").unwrap();
    std::fs::write(root.join(".git/config"), "x").unwrap();
    std::fs::write(folder.path().join("secret"), "s").unwrap();
    let url = Url::from_directory_path(&root).unwrap();
    let first = fetch(url.as_str()).await.unwrap();
    assert_eq!(fetch(url.as_str()).await.unwrap().content_hash, first.content_hash);
    let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(&first.body[..]));
    let names: Vec<String> =
        archive.entries().unwrap().map(|entry| entry.unwrap().path().unwrap().display().to_string()).collect();
    assert_eq!(names, ["cards/a.yaml", "cards/deep/b.yaml"]);

    let origin = Origin::new(url.clone(), false);
    let outside = url.join("../secret").unwrap();
    let ask = FetchRequest { url: &outside, may_be_missing: false, secret_headers: &[], last: None };
    assert_eq!(fetcher(settings()).fetch(&origin, &ask).await.unwrap_err().code, FetchCode::File);
    let missing = url.join("nothing.yaml").unwrap();
    let ask = FetchRequest { url: &missing, may_be_missing: true, secret_headers: &[], last: None };
    assert_eq!(fetcher(settings()).fetch(&origin, &ask).await.unwrap().status, 404);
}

#[tokio::test]
async fn errors_never_show_a_secret_and_a_missing_one_is_named() {
    let server = serve(ResponseTemplate::new(500)).await;
    let error = fetch(&format!("{}/a?api_key=hunter2", server.uri().replace("http://", "http://user:hunter2@")))
        .await
        .unwrap_err();
    assert!(!format!("{error} {error:?}").contains("hunter2"), "{error:?}");
    let url = Url::parse(&server.uri()).unwrap();
    let headers = [("x-api-key".to_owned(), "REFDESK_TEST_UNSET_VARIABLE".to_owned())];
    let ask = FetchRequest { url: &url, may_be_missing: false, secret_headers: &headers, last: None };
    let error = fetcher(settings()).fetch(&Origin::new(url.clone(), false), &ask).await.unwrap_err();
    assert_eq!((error.code, error.requests), (FetchCode::Request, 0));
    assert!(error.to_string().contains("REFDESK_TEST_UNSET_VARIABLE"), "{error}");
}

#[tokio::test]
async fn a_secret_goes_to_its_own_origin_and_not_along_a_redirect() {
    let elsewhere = serve(ResponseTemplate::new(200)).await;
    let server = serve(ResponseTemplate::new(302).insert_header("location", elsewhere.uri().as_str())).await;
    let url = Url::parse(&server.uri()).unwrap();
    // PATH is set everywhere, so that no test has to set a variable.
    let headers = [("x-api-key".to_owned(), "PATH".to_owned())];
    let ask = FetchRequest { url: &url, may_be_missing: false, secret_headers: &headers, last: None };
    fetcher(settings()).fetch(&Origin::new(url.clone(), true), &ask).await.unwrap();
    assert!(server.received_requests().await.unwrap()[0].headers.contains_key("x-api-key"));
    assert!(!elsewhere.received_requests().await.unwrap()[0].headers.contains_key("x-api-key"));
}

#[tokio::test]
async fn the_token_of_a_source_is_a_bearer_or_goes_into_its_header_and_replaces_the_connectors_key() {
    let elsewhere = serve(ResponseTemplate::new(200)).await;
    let server = serve(ResponseTemplate::new(302).insert_header("location", elsewhere.uri().as_str())).await;
    let url = Url::parse(&server.uri()).unwrap();
    let asked = async |header: Option<&str>, secret_headers: &[(String, String)]| {
        let mut origin = Origin::new(url.clone(), true);
        origin.token = Some(Token { variable: "PATH".into(), header: header.map(str::to_owned) });
        let ask = FetchRequest { url: &url, may_be_missing: false, secret_headers, last: None };
        fetcher(settings()).fetch(&origin, &ask).await.unwrap();
        server.received_requests().await.unwrap().pop().unwrap().headers
    };
    let path = std::env::var("PATH").unwrap().trim().to_owned();
    assert_eq!(asked(None, &[]).await["authorization"].to_str().unwrap(), format!("Bearer {path}"));
    let headers = asked(Some("X-Api-Key"), &[("x-api-key".into(), "REFDESK_TEST_UNSET_VARIABLE".into())]).await;
    assert_eq!(headers["x-api-key"].to_str().unwrap(), path);
    assert!(!headers.contains_key("authorization"));
    for request in elsewhere.received_requests().await.unwrap() {
        assert!(!request.headers.contains_key("authorization") && !request.headers.contains_key("x-api-key"));
    }
    let mut origin = Origin::new(url.clone(), true);
    origin.token = Some(Token { variable: "REFDESK_TEST_UNSET_VARIABLE".into(), header: None });
    let ask = FetchRequest { url: &url, may_be_missing: false, secret_headers: &[], last: None };
    let error = fetcher(settings()).fetch(&origin, &ask).await.unwrap_err();
    assert_eq!((error.code, error.requests), (FetchCode::Request, 0));
    assert!(error.to_string().contains("REFDESK_TEST_UNSET_VARIABLE is not set"), "{error}");
}
