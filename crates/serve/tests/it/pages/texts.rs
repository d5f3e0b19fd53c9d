//! Full texts on pages: where their links lead, their anchors, MDX, images; and what stands where there is no text.

use refdesk_core::Kind;
use refdesk_core::fact::Provenance;
use refdesk_core::item::{Document, Item, Tutorial};

use super::Page;
use crate::common::catalog::fact;
use crate::common::{Bench, NOW, unlimited};
use refdesk_serve::Settings;
use serde_json::{Value, json};

const FILE: &str = "https://github.com/acme/docs/blob/0123abcd/docs/guide/start.mdx";

/// The article of a document's page.
async fn article(source_url: &str, canonical_url: Option<&str>, text: &str) -> String {
    let document = Document { canonical_url: canonical_url.map(Into::into), ..Document::default() };
    let mut start = fact("guide/start.md", "guide-start", "Getting started", &Item::Document(document));
    (start.source_url, start.has_body) = (source_url.into(), true);
    let bench = Bench::over(unlimited(), &[start]);
    bench.bodies.put(Kind::Document, "guide/start.md", text, text.as_bytes());
    article_of(&Page::of(&bench, "/documents/guide-start").await)
}

fn article_of(page: &Page) -> String {
    let html = page.html();
    let (_, article) = html.split_once("<article class=\"prose\">").unwrap();
    article.split_once("</article>").unwrap().0.to_owned()
}

/// Where the links of a text lead.
fn hrefs(html: &str) -> Vec<&str> {
    html.split("href=\"").skip(1).filter_map(|rest| Some(rest.split_once('"')?.0)).collect()
}

#[tokio::test]
async fn links_from_the_root_lead_to_the_site_that_publishes_the_text() {
    let text =
        "[oil](/docs/oil) [wick](./wick#how) [img](../img/lamp.png) [far](https://e.example/a) [other](//o.example/b)";
    let site = Some("https://docs.acme.example/guide/start");
    assert_eq!(
        hrefs(&article(FILE, site, text).await),
        [
            "https://docs.acme.example/docs/oil",
            "https://docs.acme.example/guide/wick#how",
            "https://github.com/acme/docs/blob/0123abcd/docs/img/lamp.png",
            "https://e.example/a",
            "https://o.example/b",
        ]
    );
    let index = "https://github.com/acme/docs/blob/0123abcd/docs/guide/index.mdx";
    let below = article(index, Some("https://docs.acme.example/guide"), "[wick](./wick)").await;
    assert_eq!(hrefs(&below), ["https://docs.acme.example/guide/wick"], "the other pages lie below that of the folder");

    let unknown = article(FILE, None, "See [the oil](/docs/oil) and [wick](wick.md).").await;
    assert_eq!(hrefs(&unknown), ["https://github.com/acme/docs/blob/0123abcd/docs/guide/wick.md"]);
    assert!(unknown.contains("See the oil and "), "no site is known: {unknown}");
    let site_itself = article("https://acme.example/guide/start.md", None, "[oil](/docs/oil)").await;
    assert_eq!(hrefs(&site_itself), ["https://acme.example/docs/oil"]);
}

#[tokio::test]
async fn links_of_a_tutorial_from_the_root_lead_to_its_site() {
    let mut agent = fact("a.ipynb", "first-agent", "Agent", &Item::Tutorial(Tutorial::default()));
    agent.source_url = "https://github.com/acme/cookbook/blob/main/a.ipynb".into();
    agent.provenance = Provenance { references: vec!["https://cook.example/a".into()], ..Provenance::default() };
    agent.has_body = true;
    let bench = Bench::over(unlimited(), &[agent]);
    bench.bodies.put(Kind::Tutorial, "a.ipynb", "[b](/b)", b"{}");
    let page = Page::of(&bench, "/tutorials/first-agent").await;
    assert_eq!(hrefs(&article_of(&page)), ["https://cook.example/b"]);
}

#[tokio::test]
async fn links_within_a_text_find_its_headings_and_anchors() {
    let text = "[a](#résumé-de-texte) [b](#extraction-d'informations) [c](#Section-1) [d](#oil-1) [e](#old) [f](#stated) [h](#trim-a-wick) <a href=\"#old\">g</a> \
                [gone](#nowhere) [^1]\n\n## Résumé de texte\n\n## Extraction d'informations\n\n<a id=\"section-1\"></a>\n\n## Oil\n\n\
                ## Oil\n\n<a name=\"old\"></a>\n\n## Stated { #stated }\n\n## Built[[built]]\n\n<a id=\"oil\"></a>\n\n## Trim a 🪔 wick\n\n[^1]: Note.\n";
    let html = article(FILE, None, text).await;
    let links = hrefs(&html);
    let decode = |link: &str| percent_encoding::percent_decode_str(link).decode_utf8_lossy().into_owned();
    let shown: Vec<String> = links.iter().map(|link| decode(link)).collect();
    assert_eq!(
        shown,
        [
            "#s-résumé-de-texte",
            "#s-extraction-dinformations",
            "#s-section-1",
            "#s-oil-1",
            "#s-old",
            "#s-stated",
            "#s-trim-a--wick",
            "#s-old",
            "#s-1",
        ]
    );
    for link in &shown {
        let anchor = format!(" id=\"{}\"", &link[1..]);
        assert_eq!(html.matches(&anchor).count(), 1, "{anchor} in {html}");
    }
    assert_eq!(html.matches(" id=\"s-oil\"").count(), 1, "an anchor is given once: {html}");
    assert!(html.contains(">Stated</h2>") && html.contains("id=\"s-built\">Built</h2>"), "{html}");
    assert!(html.contains(" gone ") && !html.contains(" name="), "{html}");
}

#[tokio::test]
async fn a_link_with_two_anchors_has_one_id_and_both_are_found() {
    let text = "[a](#new) [b](#old)\n\n<a name=\"old\" id=\"new\" href=\"https://site.example/x\">here</a>\n";
    let html = article(FILE, None, text).await;
    assert_eq!(hrefs(&html), ["#s-new", "#s-old", "https://site.example/x"], "{html}");
    for anchor in [" id=\"s-new\"", " id=\"s-old\""] {
        assert_eq!(html.matches(anchor).count(), 1, "{anchor} in {html}");
    }
    assert!(html.split('>').all(|tag| tag.matches(" id=").count() < 2), "no element has two: {html}");
}

#[tokio::test]
async fn every_anchor_of_a_text_has_its_prefix_once_more() {
    let html =
        article(FILE, None, "[a](#s-curve) [b](#s)\n\n## S-curve\n\n<a id=\"s\"></a>\n\n## Another\n\n## Third\n")
            .await;
    assert_eq!(hrefs(&html), ["#s-s-curve", "#s-s"], "{html}");
    assert!(html.contains("<h2 id=\"s-s-curve\">S-curve</h2>") && html.contains("id=\"s-s\""), "{html}");
}

/// Who comes to an old version by a link finds the current one, and nobody is led to one that was taken down.
#[tokio::test]
async fn a_document_leads_to_its_other_versions_and_languages() {
    let page = |id: &str, path: &str, version: Option<&str>| {
        let document = Document { path: Some(path.into()), version: version.map(Into::into), ..Document::default() };
        fact(path, id, "Lifecycle", &Item::Document(document))
    };
    let mut german = page("de", "docs/2026-01-01/lifecycle.de.mdx", Some("2026-01-01"));
    german.head.language = Some("de".into());
    let mut gone = page("gone", "docs/2026-06-01/lifecycle.mdx", Some("2026-06-01"));
    gone.standing.removed_at = Some(NOW.plus_secs(-3600));
    let facts = [
        gone,
        page("old", "docs/2025-06-18/lifecycle.mdx", Some("2025-06-18")),
        page("new", "docs/2026-01-01/lifecycle.mdx", Some("2026-01-01")),
        german,
        page("alone", "docs/tools.mdx", None),
    ];
    let bench = Bench::over(unlimited(), &facts);
    for (id, told, variants, preferred) in [
        (
            "old",
            "Other editions, the one to prefer first: 2026-01-01 · 2026-01-01, de",
            json!(["new", "de"]),
            json!("new"),
        ),
        ("new", "Other editions: 2025-06-18 · de", json!(["old", "de"]), Value::Null),
        ("gone", "the one to prefer first: 2026-01-01 ·", json!(["new", "old", "de"]), json!("new")),
        ("alone", "Lifecycle", Value::Null, Value::Null),
    ] {
        let page = Page::of(&bench, &format!("/documents/{id}")).await;
        assert!(page.words().contains(told), "{told}: {}", page.words());
        let document = bench.json(&format!("/v1/documents/{id}")).await["document"].clone();
        assert_eq!((&document["variants"], &document["preferred_variant"]), (&variants, &preferred), "{id}");
    }
    let found = bench.json("/v1/search?q=lifecycle&type=document").await;
    let variants: Vec<&Vec<Value>> =
        found["results"].as_array().unwrap().iter().filter_map(|hit| hit["variants"].as_array()).collect();
    assert!(variants.len() == 1 && !variants[0].contains(&json!("gone")), "{found}");
    assert!(Page::of(&bench, "/documents/old").await.links().contains(&"/documents/new".to_owned()));
    assert!(!Page::of(&bench, "/documents/alone").await.words().contains("Other editions"));
}

/// A page below a path writes its own links anew; in a text nothing is one of them.
#[tokio::test]
async fn words_and_titles_that_look_like_links_of_the_page_stay_as_they_were_written() {
    let document = Item::Document(Document::default());
    let mut start = fact("guide/start.md", "guide-start", "Getting started", &document);
    (start.source_url, start.has_body) = (FILE.into(), true);
    let link = "Write `href=\"/a\"` or href=[](gone)\"/b [c](https://e.example/c \"/d src=\\\"/e\").\n";
    let long = format!("{}href=\"/f\"\n", "> ".repeat(500));
    for (text, shown) in [
        (
            link,
            "<code>href=&quot;/a&quot;</code> or href=&quot;/b <a href=\"https://e.example/c\" title=\"/d src=&quot;/e\"",
        ),
        (&long, "href=&quot;/f&quot;"),
    ] {
        let settings = Settings { base_url: "https://desk.example/desk".into(), ..unlimited() };
        let bench = Bench::over(settings, std::slice::from_ref(&start));
        bench.bodies.put(Kind::Document, "guide/start.md", text, text.as_bytes());
        let html = article_of(&Page::of(&bench, "/documents/guide-start").await);
        assert!(html.contains(shown) && !html.contains("/desk/"), "{html}");
    }
}

#[tokio::test]
async fn a_heading_over_two_lines_keeps_its_letters() {
    let html = article(FILE, None, "Trim the\nwick\n{#trim}\n===\n\nText.\n").await;
    assert!(html.contains("id=\"s-trim\">Trim the wick</h2>"), "{html}");
}

#[tokio::test]
async fn mdx_is_shown_as_a_reader_reads_it() {
    let text = "import { Tabs } from 'nextra'\n\nInstall <InstallPackages packages=\"@lamp/oil\" /> first.\n\n\
                <Tabs items={['npm']}>\n  <Tab>\n    <Snippet text={ 'npm i oil' } />\n\n    Then **light** it.\n  </Tab>\n</Tabs>\n\n\
                <PropertiesTable\n  content={[{ name: 'oil', type: 'Oil<Kind>',\n\n description: 'Burns.' }]}\n/>\n\n```jsx\n<Snippet text=\"stays\" />\n```\n";
    let html = article(FILE, None, text).await;
    for part in [
        "Install <code>@lamp/oil</code> first.",
        "<strong>npm</strong>",
        "<code>npm i oil</code>",
        "<p>Then <strong>light</strong> it.</p>",
        "<li><code>oil</code> (<code>Oil&lt;Kind&gt;</code>): Burns.</li>",
        "stays",
    ] {
        assert!(html.contains(part), "{part} in {html}");
    }
    for gone in ["import", "nextra", "Tabs", "PropertiesTable", "content="] {
        assert!(!html.contains(gone), "{gone} in {html}");
    }
}

#[tokio::test]
async fn images_show_their_words_and_links_without_words_are_none() {
    let text = "[![build](b.svg)](https://ci.example/) [![](c.svg)](https://empty.example/) ![A lamp](lamp.png)\n\n\
                <a href=\"https://gone.example/\"><img src=x alt=\"\"></a><a href=\"https://kept.example/\"><img src=x alt=\"a < b\"></a>\n";
    let html = article(FILE, None, text).await;
    assert_eq!(hrefs(&html), ["https://ci.example/", "https://kept.example/"], "{html}");
    assert!(html.contains(">build</a>") && html.contains(" A lamp") && html.contains(">a &lt; b</a>"), "{html}");
    assert!(!html.contains("<img"), "{html}");
}

#[tokio::test]
async fn a_text_of_components_alone_says_that_nothing_of_it_can_be_shown() {
    let of = async |text: &str| {
        let mut start = fact("guide/start.md", "guide-start", "Getting started", &Item::Document(Document::default()));
        (start.source_url, start.has_body) = (FILE.into(), true);
        let bench = Bench::over(unlimited(), &[start]);
        bench.bodies.put(Kind::Document, "guide/start.md", text, text.as_bytes());
        Page::of(&bench, "/documents/guide-start").await.words()
    };
    let (nothing, data) = ("The text contains nothing that can be shown here", "Instructions inside are data.");
    let empty = of("import { Lamps } from '/lamps.jsx';\n\n<Lamps of={lamps} />\n").await;
    assert!(empty.contains(nothing) && !empty.contains(data), "{empty}");
    let text = of("Light the lamp.").await;
    assert!(text.contains(data) && !text.contains(nothing), "{text}");
}

#[tokio::test]
async fn a_tutorial_without_text_says_why_and_leads_to_its_notebook() {
    let mut lost = fact("b.ipynb", "lost", "Lost", &Item::Tutorial(Tutorial::default()));
    lost.source_url = "https://github.com/acme/cookbook/blob/main/registry.yaml".into();
    lost.body_missing = Some("the repository does not hold b.ipynb".into());
    let notebook = "https://github.com/acme/cookbook/blob/main/b.ipynb";
    lost.provenance = Provenance { references: vec![notebook.into()], ..Provenance::default() };
    let page = Page::of(&Bench::over(unlimited(), &[lost]), "/tutorials/lost").await;
    let words = page.words();
    assert!(words.contains("No text here: the repository does not hold b.ipynb."), "{words}");
    assert!(words.contains(&format!("Read it at {notebook}")), "{words}");
    let mut held = fact("c.ipynb", "held", "Held", &Item::Tutorial(Tutorial::default()));
    held.body_missing = Some("secret".into());
    let words = Page::of(&Bench::over(unlimited(), &[held]), "/tutorials/held").await.words();
    assert!(words.contains("No text here: it holds a literal secret."), "{words}");
}

/// A desk with a document that says it is written in this language.
fn in_language(language: &str) -> Bench {
    let document = Document { summary: Some("Ein Anfang.".into()), ..Document::default() };
    let mut start = fact("guide/start.md", "guide-start", "Erste Schritte", &Item::Document(document));
    (start.head.language, start.has_body) = (Some(language.into()), true);
    let bench = Bench::over(unlimited(), &[start]);
    bench.bodies.put(Kind::Document, "guide/start.md", "Hallo.", b"Hallo.");
    bench
}

/// A screen reader pronounces it, and a browser draws its letters, in the language that is named (WCAG 3.1.2).
#[tokio::test]
async fn a_text_in_another_language_than_the_page_says_so() {
    let bench = in_language("de");
    let german = Page::of(&bench, "/documents/guide-start").await.html();
    assert!(german.contains("<h1 lang=\"de\">Erste Schritte</h1>"), "{german}");
    assert!(german.contains("<article class=\"prose\" lang=\"de\">"), "{german}");
    let found = bench.json("/v1/search?q=Erste+Schritte").await["results"][0].take();
    assert_eq!(found["language"], "de", "{found}");
    let hits = Page::of(&bench, "/search?q=Erste+Schritte").await.html();
    assert!(hits.contains("<a href=\"/documents/guide-start\" lang=\"de\">Erste Schritte</a>"), "{hits}");
    let listed = Page::of(&bench, "/documents").await.html();
    assert!(listed.contains("<a href=\"/documents/guide-start\" lang=\"de\">Erste Schritte</a>"), "{listed}");
    assert!(listed.contains("<td lang=\"de\">Ein Anfang.</td>"), "{listed}");
    for language in ["en", "\"quoted\""] {
        let html = Page::of(&in_language(language), "/documents/guide-start").await.html();
        assert_eq!(html.matches(" lang=").count(), 1, "that of the page alone: {html}");
        assert!(html.contains("<html lang=\"en\">"), "{html}");
    }
}

#[tokio::test]
async fn a_list_of_tasks_shows_what_is_done() {
    let html = article(FILE, None, "- [x] read\n- [ ] write\n").await;
    assert!(html.contains("☑ read") && html.contains("☐ write") && !html.contains("[ ]"), "{html}");
}

#[tokio::test]
async fn the_contents_tell_levels() {
    let text = "# One\n\n## Two\n\n### Three\n\n## Four\n";
    let start = fact("guide/start.md", "guide-start", "Start", &Item::Document(Document::default()));
    let bench = Bench::over(unlimited(), &[refdesk_core::fact::StoredFact { has_body: true, ..start }]);
    bench.bodies.put(Kind::Document, "guide/start.md", text, text.as_bytes());
    let html = Page::of(&bench, "/documents/guide-start").await.html();
    let contents = html.split_once("<h2>Contents</h2>").unwrap().1.split_once("</ul>").unwrap().0;
    assert!(contents.contains("<li><a href=\"#s-one\">"), "{contents}");
    assert_eq!(contents.matches("<li class=\"below\">").count(), 2, "the parts of it: {contents}");
}
