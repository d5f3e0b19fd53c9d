//! Full texts as pages: within the caps rendered, beyond them as they were written, and asked for again without being made again.

use crate::common::socket::{Running, SLOW};
use crate::common::{Answer, Bench};
use http::StatusCode;
use refdesk_core::Kind;
use refdesk_serve::ServerLimits;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

const HTML: (&str, &str) = ("accept", "text/html");

fn with_text(bench: &Bench, text: &str) {
    bench.bodies.put(Kind::Document, "guide/start.md", text, text.as_bytes());
}

async fn page(text: &str) -> Answer {
    let bench = Bench::new();
    with_text(&bench, text);
    let raw = bench.get_with(SLOW, &[("accept", "text/markdown")]).await;
    assert_eq!(raw.text(), text, "the bytes stay, whatever the page shows");
    let page = bench.get_with(SLOW, &[HTML]).await;
    assert_eq!(page.status, StatusCode::OK);
    assert!(page.header("content-security-policy").contains("sandbox"));
    page
}

#[tokio::test]
async fn a_text_beyond_the_caps_is_shown_as_it_was_written_with_a_note() {
    for (name, text, why) in [
        ("quotes", ">".repeat(20_000) + "x", "nests deeper than 100 levels"),
        ("lists", "- ".repeat(20_000) + "x", "nests deeper than 100 levels"),
        ("elements", "<div>".repeat(20_000) + "x", "nests deeper than 100 levels"),
        ("many", "<br>".repeat(200_000), "more than 300000 elements"),
        ("long", "word & word\n".repeat(100_000), "longer than 1048576 bytes"),
    ] {
        let page = page(&text).await.text();
        assert!(page.contains("<em>This text is shown as it was written. It") && page.contains(why), "{name}");
        let shown = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        assert!(page.contains(&format!("<pre>{shown}</pre>")), "{name}: all of it");
    }
    let rendered = page("# Start\n\nA *word*.\n").await.text();
    assert!(
        rendered.contains("<h2 id=\"s-start\">Start</h2>") && !rendered.contains("as it was written"),
        "{rendered}"
    );
}

#[tokio::test]
async fn a_page_that_the_client_has_is_a_304_and_another_text_is_another_page() {
    let bench = Bench::new();
    with_text(&bench, "# One\n");
    let first = bench.get_with(SLOW, &[HTML]).await;
    let tag = first.header("etag").to_owned();
    let reads = bench.bodies.reads();
    let again = bench.get_with(SLOW, &[HTML, ("if-none-match", &tag)]).await;
    assert_eq!((again.status, again.body.len()), (StatusCode::NOT_MODIFIED, 0));
    assert_eq!(bench.bodies.reads(), reads, "nothing was read for it");
    with_text(&bench, "# Two\n");
    assert!(bench.get_with(SLOW, &[HTML]).await.text().contains("<h2 id=\"s-two\">Two</h2>"));
}

#[tokio::test(flavor = "multi_thread")]
async fn look_ups_go_on_while_pages_are_made() {
    let server = Running::start(ServerLimits::default()).await;
    // As costly as the caps allow.
    with_text(&server.bench, &"a *b* `c` [d](/e)\n\n- f\n\n".repeat(40_000));
    let mut asking = Vec::new();
    for n in 0..8 {
        let mut stream = server.connect().await;
        let target = format!("{SLOW}?x={n}");
        let request = format!(
            "GET {target} HTTP/1.1\r\nhost: localhost\r\naccept: text/html\r\naccept-encoding: br\r\nconnection: close\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).await.unwrap();
        asking.push(tokio::spawn(async move {
            let mut bytes = Vec::new();
            stream.read_to_end(&mut bytes).await.unwrap();
            bytes
        }));
    }
    for _ in 0..20 {
        server.answers_others().await;
        assert_eq!(server.get("/livez").await.status, 200);
    }
    for asked in asking {
        let bytes = asked.await.unwrap();
        assert!(bytes.starts_with(b"HTTP/1.1 200") || bytes.starts_with(b"HTTP/1.1 503"), "{:?}", &bytes[..40]);
    }
}
