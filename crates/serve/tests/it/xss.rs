//! Texts that upstreams wrote, shown to people: nothing in them runs. A corpus of our own goes into titles, descriptions, Markdown,
//! front matter and URLs, and every page and snippet is searched for what could run.

use crate::common::{Bench, catalog, unlimited};
use proptest::prelude::*;
use refdesk_core::Kind;
use refdesk_core::fact::StoredFact;
use refdesk_core::item::{Document, Heading, Item, Model, Skill, Tutorial};

pub const PAYLOADS: [&str; 44] = [
    "<script>alert(1)</script>",
    "<SCRIPT SRC=//x.example/a.js></SCRIPT>",
    "<scr<script>ipt>alert(1)</scr</script>ipt>",
    "<img src=x onerror=alert(1)>",
    "<img/src/onerror=alert(1)>",
    "<svg onload=alert(1)>",
    "<svg><script>alert(1)</script></svg>",
    "<svg><animate xlink:href=#a attributeName=href values=javascript:alert(1) /><a id=a><text>x</text></a></svg>",
    "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)></style></mglyph></table></mtext></math>",
    "<iframe src=javascript:alert(1)></iframe>",
    "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
    "<object data=javascript:alert(1)></object>",
    "<embed src=javascript:alert(1)>",
    "<form action=javascript:alert(1)><button>go</button></form>",
    "<button formaction=javascript:alert(1)>go</button>",
    "<a href=javascript:alert(1)>go</a>",
    "<a href='&#106;avascript:alert(1)'>go</a>",
    "<a href='java\tscript:alert(1)'>go</a>",
    "<a href=' javascript:alert(1)'>go</a>",
    "<a href='data:text/html,<script>alert(1)</script>'>go</a>",
    "<a href='vbscript:msgbox(1)'>go</a>",
    "<base href=//x.example/>",
    "<link rel=stylesheet href=//x.example/a.css>",
    "<meta http-equiv=refresh content='0;url=javascript:alert(1)'>",
    "<style>@import '//x.example/a.css';</style>",
    "<p style='background:url(javascript:alert(1))'>x</p>",
    "<details open ontoggle=alert(1)>x</details>",
    "<video><source onerror=alert(1)></video>",
    "<body onload=alert(1)>",
    "<input autofocus onfocus=alert(1)>",
    "<noscript><p title=\"</noscript><img src=x onerror=alert(1)>\">",
    "<template><script>alert(1)</script></template>",
    "<!--><script>alert(1)</script>-->",
    "<![CDATA[<script>alert(1)</script>]]>",
    "</title><script>alert(1)</script>",
    "\"><script>alert(1)</script>",
    "' onmouseover='alert(1)",
    "[go](javascript:alert(1))",
    "[go](JaVaScRiPt:alert(1) \"x\")",
    "[go](https://x.example \"/b onmouseover=alert(1) class=top c\")",
    "<b title='/b onmouseover=alert(1) class=top c'>x</b>",
    "![x](javascript:alert(1))",
    "[go]: data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==\n\n[go]",
    "<javascript:alert(1)>\n\n`<script>`\n\n```html\n<script>alert(1)</script>\n```\n",
];

/// Asserts that a page holds nothing that runs, loads or leads to a script. Works on the tags of the page, after escapes.
#[track_caller]
fn is_inert(page: &str, why: &str) {
    let lower = page.to_lowercase();
    for tag in [
        "script", "iframe", "object", "embed", "form", "input", "button", "svg", "math", "base", "link", "img",
        "video", "audio", "template", "textarea", "noscript", "frame",
    ] {
        assert!(!has_tag(&lower, tag), "{why}: <{tag}> in {page}");
    }
    let meta: Vec<_> = lower.match_indices("<meta").collect();
    assert_eq!(meta.len(), 1, "{why}: only our own <meta charset> in {page}");
    no_attribute_runs(&lower, why);
}

/// Asserts that no attribute of a page is a handler, and none leads to a script. The page is in lower case.
#[track_caller]
pub fn no_attribute_runs(page: &str, why: &str) {
    for tag in tags(page) {
        for (name, value) in attributes(tag) {
            assert!(
                !name.starts_with("on") && name != "style" && name != "srcdoc" && name != "formaction",
                "{why}: {tag}"
            );
            if name == "href" || name == "src" {
                let target: String =
                    decoded(&value).chars().filter(|c| !c.is_whitespace() && !c.is_control()).collect();
                let scheme = target.split_once(':').map(|(scheme, _)| scheme.to_owned());
                let harmless = scheme.is_none_or(|scheme| {
                    ["http", "https", "mailto"].contains(&scheme.as_str()) || scheme.contains(['/', '?', '#'])
                });
                assert!(harmless, "{why}: {tag}");
            }
        }
    }
}

fn has_tag(page: &str, name: &str) -> bool {
    page.match_indices(&format!("<{name}")).any(|(at, _)| {
        let next = page[at + 1 + name.len()..].chars().next();
        next.is_none_or(|c| !c.is_ascii_alphanumeric())
    })
}

/// The insides of all tags. The page is well-formed, because a sanitiser wrote it: `<` outside a tag is escaped.
fn tags(page: &str) -> Vec<&str> {
    page.split('<').skip(1).filter_map(|rest| rest.split_once('>')).map(|(tag, _)| tag).collect()
}

fn attributes(tag: &str) -> Vec<(String, String)> {
    let mut out = Vec::new();
    let mut rest = tag.trim_start_matches(|c: char| !c.is_whitespace()).trim_start();
    while let Some((name, after)) = rest.split_once('=') {
        let (value, left) = match after.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').unwrap_or((quoted, "")),
            None => after.split_once(' ').unwrap_or((after, "")),
        };
        out.push((name.trim().to_owned(), value.to_owned()));
        rest = left.trim_start();
    }
    out
}

fn decoded(value: &str) -> String {
    value.replace("&amp;", "&").replace("&#106;", "j").replace("&colon;", ":").replace("&quot;", "\"")
}

/// A catalog in which every text is a payload, and the bodies of its document, skill and tutorial.
pub fn poisoned(payload: &str) -> (Vec<StoredFact>, String) {
    let body = format!(
        "---\ntitle: {payload}\n---\n# {payload}\n\ntext {payload} text\n\n- {payload}\n\n| {payload} |\n|---|\n| {payload} |\n\n> {payload}\n\n[^1]: {payload}\n"
    );
    let text = || Some(payload.to_owned());
    let items = [
        Item::Document(Document {
            summary: text(),
            path: text(),
            section: text(),
            headings: vec![Heading { level: 1, text: payload.into(), slug: payload.into() }],
            canonical_url: Some("javascript:alert(1)".into()),
            ..Document::default()
        }),
        Item::Skill(Skill { name: payload.into(), description: text(), ..Skill::default() }),
        Item::Tutorial(Tutorial { summary: text(), topics: vec![payload.into()], ..Tutorial::default() }),
        Item::Model(Model { description: text(), family: text(), ..Model::default() }),
    ];
    let facts = items.iter().map(|item| {
        let mut fact = catalog::fact(&format!("bad-{}", item.kind()), "bad", &format!("needle {payload}"), item);
        fact.head.vendor = text();
        fact.source_url = format!("javascript:alert(1)//{payload}");
        fact.has_body = item.kind() != Kind::Model;
        fact.body_text = format!("needle {payload} needle").into();
        fact
    });
    (facts.collect(), body)
}

#[tokio::test]
async fn pages_of_bodies_hold_nothing_that_runs() {
    for payload in PAYLOADS {
        let (facts, body) = poisoned(payload);
        let bench = Bench::over(unlimited(), &facts);
        for (kind, target) in [
            (Kind::Document, "/v1/documents/bad"),
            (Kind::Skill, "/v1/skills/bad"),
            (Kind::Tutorial, "/v1/tutorials/bad"),
        ] {
            bench.bodies.put(kind, &format!("bad-{kind}"), &body, body.as_bytes());
            let answer = bench.get_with(target, &[("accept", "text/html")]).await;
            assert_eq!(answer.header("content-type"), "text/html; charset=utf-8", "{payload}");
            assert_eq!(answer.header("x-content-type-options"), "nosniff");
            let policy = answer.header("content-security-policy");
            for part in
                ["default-src 'none'", "sandbox", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"]
            {
                assert!(policy.contains(part), "{policy}");
            }
            is_inert(&answer.text(), payload);
        }
    }
}

#[tokio::test]
async fn snippets_hold_escaped_text_and_marks_only() {
    for payload in PAYLOADS {
        let (facts, _) = poisoned(payload);
        let bench = Bench::over(unlimited(), &facts);
        let q: String = url::form_urlencoded::byte_serialize(format!("needle {payload}").as_bytes()).collect();
        let answer = bench.json(&format!("/v1/search?q={q}")).await;
        let hits = answer["results"].as_array().unwrap();
        assert!(!hits.is_empty(), "{payload}");
        let mut snippets = 0;
        for snippet in hits.iter().filter_map(|hit| hit["snippet"].as_str()) {
            let rest = snippet.replace("<mark>", "").replace("</mark>", "");
            assert!(!rest.contains(['<', '>', '"', '\'']), "{payload}: {snippet}");
            snippets += 1;
        }
        assert!(snippets > 0, "{payload}: {answer}");
    }
}

#[tokio::test]
async fn payloads_in_json_stay_data_of_a_type_that_no_browser_renders() {
    for payload in PAYLOADS {
        let (facts, body) = poisoned(payload);
        let bench = Bench::over(unlimited(), &facts);
        for kind in ["document", "skill", "tutorial"] {
            bench.bodies.put(Kind::parse(kind).unwrap(), &format!("bad-{kind}"), &body, body.as_bytes());
        }
        for target in [
            "/v1/documents/bad",
            "/v1/models/bad",
            "/v1/models/list",
            "/v1/skills/list",
            "/v1/search?q=needle&include_markdown=1",
        ] {
            let answer = bench.get_with(target, &[("accept", "*/*")]).await;
            assert_eq!(answer.header("content-type"), "application/json", "{target}");
            assert_eq!(answer.header("x-content-type-options"), "nosniff", "{target}");
            assert!(answer.header("content-security-policy").contains("default-src 'none'"), "{target}");
            answer.json();
        }
        assert_eq!(
            bench.json("/v1/documents/bad").await["document"]["markdown"],
            body,
            "stored text is served verbatim"
        );
    }
}

#[tokio::test]
async fn payloads_in_requests_come_back_as_json_only() {
    let bench = Bench::new();
    for payload in PAYLOADS {
        let encoded: String = url::form_urlencoded::byte_serialize(payload.as_bytes()).collect();
        for target in [format!("/v1/models/{}", encoded.replace('+', "%20")), format!("/v1/search?q=a&type={encoded}")]
        {
            let answer = bench.get_with(&target, &[("accept", "text/html")]).await;
            let status = answer.status.as_u16();
            let code = answer.json()["code"].as_str().unwrap().to_owned();
            answer.problem(status, &code);
        }
        let found = bench.get_with(&format!("/v1/search?q={encoded}"), &[("accept", "text/html")]).await;
        assert_eq!(found.header("content-type"), "application/json");
    }
}

#[tokio::test]
async fn hidden_characters_leave_names_and_pages_and_stay_in_the_raw_bytes() {
    let (facts, _) = poisoned("a\u{202e}b\u{200b}c\u{e0041}");
    let bench = Bench::over(unlimited(), &facts);
    let body = "# x\u{202e}y\n";
    bench.bodies.put(Kind::Document, "bad-document", body, body.as_bytes());
    let page = bench.get_with("/v1/documents/bad", &[("accept", "text/html")]).await.text();
    assert!(page.contains("<h2 id=\"s-xy\">xy</h2>") && !page.contains('\u{202e}'), "{page}");
    assert_eq!(bench.json("/v1/documents/bad").await["document"]["title"], "needle abc");
    assert_eq!(bench.json("/v1/documents/bad").await["document"]["markdown"], body);
}

#[test]
fn any_markdown_becomes_a_page_that_runs_nothing() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (facts, _) = poisoned("x");
    let bench = Bench::over(unlimited(), &facts);
    let piece = prop_oneof![
        prop::sample::select(PAYLOADS.to_vec()).prop_map(str::to_owned),
        prop::sample::select(vec![
            "\n", "\n\n", "<", ">", "\"", "'", "`", "```", "[", "](", ")", "|", "&", "&#x6a;", "<!--", "-->", "---\n",
            "\0"
        ])
        .prop_map(str::to_owned),
        "\\PC{0,12}",
    ];
    let config = ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() };
    proptest!(config, |(pieces in prop::collection::vec(piece, 0..12))| {
        let body = pieces.concat();
        bench.bodies.put(Kind::Document, "bad-document", &body, body.as_bytes());
        let answer = runtime.block_on(bench.get_with("/v1/documents/bad", &[("accept", "text/html")]));
        prop_assert_eq!(answer.status.as_u16(), 200);
        is_inert(&answer.text(), &body);
    });
}
