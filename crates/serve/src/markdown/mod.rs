//! Markdown as HTML for people: rendered, then sanitised, because an upstream wrote it.
//!
//! Rendering has caps on size, nesting, elements and time; a text beyond one of them is shown as written, in `<pre>`, with a note. It takes
//! a millisecond for most texts and can take a second, so it runs in the worker pool, and the result is cached. [`tags`] turns HTML into a
//! form that an HTML parser reads in time proportional to its length; [`headings`] gives headings their anchors and levels; [`links`] says
//! where links lead; `highlight`, a feature of the build, colours code. MDX is read as [`refdesk_core::text::mdx`] has it.

mod headings;
#[cfg(feature = "highlight")]
mod highlight;
mod links;
mod tags;

use std::cell::Cell;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use pulldown_cmark::{BlockQuoteKind, Event, Options, Parser, Tag, TagEnd};
use refdesk_core::within::{self, NESTING_MAX, PARSED_BYTES_MAX};
use tokio::task::JoinError;

use crate::state::AppState;
use crate::state::cache::{Heading, RenderedText, RenderedTextKey};
use crate::state::worker_pool::joined;
use headings::{ANCHOR_PREFIX, Headings};
pub(crate) use links::LinkBase;

/// Most bytes of HTML that a text may become before it is sanitised.
const RENDERED_BYTES_MAX: usize = 8 * 1024 * 1024;
/// Most time for rendering a text.
const RENDER_TIME_MAX: Duration = Duration::from_secs(2);
/// Events of the Markdown parser between two checks of the clock.
const EVENTS_PER_CLOCK_CHECK: u32 = 256;

/// The cap that a text exceeds, so that it is shown as written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RenderLimit {
    Size,
    Nesting,
    Elements,
    Time,
}

impl RenderLimit {
    fn note(self) -> String {
        let why = match self {
            Self::Size => {
                format!("It is longer than {PARSED_BYTES_MAX} bytes, or becomes longer than {RENDERED_BYTES_MAX}")
            }
            Self::Nesting => format!("It nests deeper than {NESTING_MAX} levels"),
            Self::Elements => format!("It has more than {} elements, or repeats too many open ones", tags::NODES_MAX),
            Self::Time => format!("Rendering took longer than {} seconds", RENDER_TIME_MAX.as_secs()),
        };
        format!("This text is shown as it was written. {why}.")
    }
}

/// The sanitiser of a text: the library's default without images, which would be loaded from other sites, and with anchors, each under a
/// prefix, so that no text can take the anchor of a page. Relative links lead from `base`.
fn sanitiser(base: LinkBase) -> ammonia::Builder<'static> {
    let mut sanitiser = ammonia::Builder::default();
    sanitiser.rm_tags(["img"]).link_rel(Some("noopener noreferrer nofollow"));
    // `id_prefix` would pass over an anchor that begins like the prefix.
    sanitiser.attribute_filter(|_, name, value| {
        Some(if name == "id" { format!("{ANCHOR_PREFIX}{value}").into() } else { value.into() })
    });
    // `name` is what anchors were called before `id`; none is left in the end.
    sanitiser.add_generic_attributes(["id"]).add_tag_attributes("a", ["name"]);
    #[cfg(feature = "highlight")]
    sanitiser.add_allowed_classes("span", highlight::classes());
    sanitiser.url_relative(ammonia::UrlRelative::Custom(Box::new(base)));
    sanitiser
}

/// The HTML of a Markdown text, from the cache or rendered in the worker pool. Relative links lead from `base`.
///
/// # Errors
/// When the runtime ended.
pub(crate) async fn rendered(
    state: &AppState,
    base: LinkBase,
    markdown: String,
) -> Result<Arc<RenderedText>, JoinError> {
    let key = key(&base, &markdown);
    let render = state.worker_pool.render_page(move || Arc::new(render(&base, &markdown)));
    joined(state.caches.texts.get_or_insert_async(&key, render).await)
}

fn key(base: &LinkBase, markdown: &str) -> RenderedTextKey {
    use sha2::Digest as _;
    let mut hash = sha2::Sha256::new();
    for address in base.addresses() {
        hash.update(address.len().to_be_bytes());
        hash.update(address);
    }
    hash.update(markdown);
    hash.finalize().into()
}

/// A text as a page of its own.
pub(crate) fn bare_page(title: &str, text: &RenderedText) -> String {
    let title = escaped(title);
    let html = &text.html;
    format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title></head><body><main><h1>{title}</h1>{html}</main></body></html>"
    )
}

/// The whole of a Markdown text.
fn render(base: &LinkBase, markdown: &str) -> RenderedText {
    let text = refdesk_core::text::strip_front_matter(markdown);
    sanitised(base, &refdesk_core::text::mdx::readable(text), Instant::now() + RENDER_TIME_MAX).unwrap_or_else(|why| {
        let visible = refdesk_core::clean::visible(text);
        let html = format!("<p><em>{}</em></p><pre>{}</pre>", why.note(), escaped(&visible));
        RenderedText { html, headings: Vec::new() }
    })
}

/// The sanitised HTML of a text within the caps.
fn sanitised(base: &LinkBase, markdown: &str, deadline: Instant) -> Result<RenderedText, RenderLimit> {
    match within::within(markdown).1 {
        Some(within::Beyond::Size) => return Err(RenderLimit::Size),
        Some(within::Beyond::Nesting) => return Err(RenderLimit::Nesting),
        None => {}
    }
    let visible = refdesk_core::clean::visible(markdown);
    let (html, headings) = html(&visible, deadline)?;
    let balanced = tags::balanced(&html)?;
    let sanitiser = sanitiser(base.clone());
    let document = sanitiser.clean_from_reader(UntilDeadline { bytes: balanced.as_bytes(), deadline });
    let html = document.map_err(|_| RenderLimit::Time)?.to_string();
    // What may scroll has to be reachable by keyboard. Every `<` of a text is escaped.
    let html = html.replace("<pre", "<pre tabindex=\"0\"").replace("<table", "<table tabindex=\"0\"");
    // Those of Markdown were set already; these were written as HTML.
    let html = html.replace("<h1", "<h2").replace("</h1>", "</h2>");
    let html = links::finished(&html);
    Ok(RenderedText { html, headings })
}

/// The HTML of a Markdown text, including any HTML in it, and its headings.
fn html(markdown: &str, deadline: Instant) -> Result<(String, Vec<Heading>), RenderLimit> {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_GFM;
    let (late, mut events) = (Cell::new(false), 0_u32);
    let in_time = Parser::new_ext(markdown, options).take_while(|_| {
        events = events.wrapping_add(1);
        if events.is_multiple_of(EVENTS_PER_CLOCK_CHECK) {
            late.set(Instant::now() > deadline);
        }
        !late.get()
    });
    // Images are not shown: their words are.
    let in_time = in_time.filter(|event| !matches!(event, Event::Start(Tag::Image { .. }) | Event::End(TagEnd::Image)));
    let mut html = BoundedText { text: String::with_capacity(markdown.len() * 2) };
    // A box that nobody can tick is a sign.
    let in_time = in_time.map(|event| match event {
        Event::TaskListMarker(is_done) => Event::Text(if is_done { "☑ " } else { "☐ " }.into()),
        event => event,
    });
    let in_time = in_time.flat_map(with_title);
    #[cfg(feature = "highlight")]
    let in_time = highlight::Highlighted::new(in_time);
    let mut with_anchors = Headings::new(in_time);
    let written = pulldown_cmark::html::write_html_fmt(&mut html, &mut with_anchors);
    match (late.get(), written) {
        (true, _) => Err(RenderLimit::Time),
        (false, Err(_)) => Err(RenderLimit::Size),
        (false, Ok(())) => Ok((html.text, with_anchors.found)),
    }
}

/// A quotation that is an alert of GitHub (`> [!TIP]`) begins with a word that says so.
fn with_title(event: Event<'_>) -> impl Iterator<Item = Event<'_>> {
    let title = match &event {
        Event::Start(Tag::BlockQuote(Some(kind))) => Some(match kind {
            BlockQuoteKind::Note => "Note",
            BlockQuoteKind::Tip => "Tip",
            BlockQuoteKind::Important => "Important",
            BlockQuoteKind::Warning => "Warning",
            BlockQuoteKind::Caution => "Caution",
        }),
        _ => None,
    };
    let paragraph = title.map(|title| {
        let word = [Event::Start(Tag::Strong), Event::Text(title.into()), Event::End(TagEnd::Strong)];
        std::iter::once(Event::Start(Tag::Paragraph)).chain(word).chain([Event::End(TagEnd::Paragraph)])
    });
    std::iter::once(event).chain(paragraph.into_iter().flatten())
}

/// A text that refuses to grow beyond [`RENDERED_BYTES_MAX`].
struct BoundedText {
    text: String,
}

impl std::fmt::Write for BoundedText {
    fn write_str(&mut self, piece: &str) -> std::fmt::Result {
        if self.text.len() + piece.len() > RENDERED_BYTES_MAX {
            return Err(std::fmt::Error);
        }
        self.text.push_str(piece);
        Ok(())
    }
}

/// Bytes that can be read until a deadline. The HTML parser reads them piece by piece.
struct UntilDeadline<'a> {
    bytes: &'a [u8],
    deadline: Instant,
}

impl io::Read for UntilDeadline<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if Instant::now() > self.deadline {
            return Err(io::ErrorKind::TimedOut.into());
        }
        self.bytes.read(into)
    }
}

/// Escapes text between tags. Quotes too: see [`links::finished`].
fn escaped(text: &str) -> String {
    maud::html! { (text) }.into_string()
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::{LinkBase, RenderLimit, render, sanitised};

    fn far() -> Instant {
        Instant::now() + Duration::from_mins(5)
    }

    /// Texts that cost their parser time by the square of their length, or that blow up.
    #[test]
    fn no_text_takes_long_or_much() {
        let deep = 20_000;
        for (name, text) in [
            ("quotes", ">".repeat(deep) + "x\n" + &"y\n".repeat(deep)),
            ("list marks", "- ".repeat(deep) + "x\n" + &"\n".repeat(deep)),
            ("divs", "<div>".repeat(deep)),
            ("divs closed", "<div>".repeat(deep) + &"</div>".repeat(deep)),
            ("spans in a paragraph", "a ".to_owned() + &"<span>".repeat(deep)),
            ("misnested", "<b><div></b>".repeat(deep)),
            ("spans closed too early", "<span><div></span></div>".repeat(deep)),
            ("divs in tables", "<div><table></div></table>".repeat(deep)),
            ("cells", "<table><tr><td>".repeat(deep)),
            (
                "formatting, then paragraphs",
                (0..60).map(|n| format!("<b title={n}>")).collect::<String>() + &"<p>x".repeat(deep),
            ),
            ("formatting in a paragraph", "<p>".to_owned() + &"<i><b><u><s>".repeat(20) + &"<div>x</div>".repeat(deep)),
            ("attributes", "<a ".to_owned() + &(0..60_000).map(|n| format!("a{n} ")).collect::<String>() + ">x</a>"),
            ("open quotes", "<a b=\"".repeat(deep)),
            ("open tags", "<a b".repeat(deep)),
            ("mixed quotes", "<a b='<a c=\"".repeat(deep)),
            ("open comments", "<!--".repeat(deep)),
            ("declarations", "<!a".repeat(deep)),
            ("unknown tags", "<x-a>".repeat(deep)),
            ("svg", "<svg><td>".repeat(deep)),
            ("templates", "<template>".repeat(deep)),
            ("selects", "<select><option>".repeat(deep)),
            ("scripts", "<script><!--<script>".repeat(deep)),
            ("links", "[".repeat(deep)),
            ("images", "![".repeat(deep)),
            ("link ends", "[a](".repeat(deep)),
            ("emphasis", "*a _b ".repeat(deep)),
            ("stars", "*".repeat(deep * 4)),
            ("backticks", (1..600).map(|n| "`".repeat(n) + " ").collect()),
            ("table", format!("|{}\n|{}\n{}", "a|".repeat(2_000), "-|".repeat(2_000), "|\n".repeat(deep))),
            ("references", format!("[a]: /{}\n\n{}", "x".repeat(50_000), "[a] ".repeat(deep))),
            ("footnotes", (0..deep).map(|n| format!("[^{n}]: [^{n}]\n")).collect()),
            ("entities", "&".repeat(deep * 4)),
            ("long", "word ".repeat(300_000)),
        ] {
            let started = Instant::now();
            let made = render(&LinkBase::default(), &text).html;
            let took = started.elapsed();
            // A second of an optimised build is some seconds of this one on a machine with much to do.
            assert!(took < Duration::from_secs(20), "{name}: {took:?}");
            assert!(made.len() < 24 * 1024 * 1024, "{name}: {} bytes", made.len());
        }
    }

    #[test]
    fn a_text_beyond_a_cap_is_shown_as_it_was_written() {
        let made = render(&LinkBase::default(), &format!("# <Head>\n\n{}x & y\n", "> ".repeat(500))).html;
        assert!(made.contains(
            "<p><em>This text is shown as it was written. It nests deeper than 100 levels.</em></p><pre># &lt;Head&gt;"
        ));
        assert!(made.contains("x &amp; y\n</pre>"), "all of it");
        assert_eq!(sanitised(&LinkBase::default(), &"<div>".repeat(101), far()), Err(RenderLimit::Nesting));
        assert_eq!(sanitised(&LinkBase::default(), &"a\n\n".repeat(500_000), far()), Err(RenderLimit::Size));
        assert_eq!(
            sanitised(
                &LinkBase::default(),
                "fine",
                Instant::now().checked_sub(Duration::from_secs(1)).unwrap_or_else(Instant::now)
            ),
            Err(RenderLimit::Time)
        );
    }

    #[test]
    fn html_that_grows_too_long_is_given_up() {
        let row = |cell: &str| format!("|{}\n", format!("{cell}|").repeat(1_000));
        let table = |rows: usize| format!("{}{}{}", row("a"), row("-"), row("a").repeat(rows));
        assert!(super::html(&table(100), far()).is_ok_and(|(html, _)| html.len() > 900_000));
        assert!(super::html(&table(1_000), far()).is_err_and(|why| why == RenderLimit::Size));
    }

    #[test]
    fn pages_within_the_caps_keep_their_markup() {
        let text = "# Guide\n\nA *word* and `<code>` with [a link](https://e.x/a).\n\n- one\n- two\n\n<details><summary>More</summary>\n\nHidden **text**\n\n</details>\n\n<Card title=\"x\" />\n<p>one<p>two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n";
        let html = sanitised(&LinkBase::default(), text, far()).expect("a text within the caps").html;
        for kept in [
            "<h2 id=\"s-guide\">Guide</h2>",
            "<em>word</em>",
            "<code>&lt;code&gt;</code>",
            "<a href=\"https://e.x/a\" rel=\"noopener noreferrer nofollow\">a link</a>",
            "<li>two</li>",
            "<details><summary>More</summary>",
            "<strong>text</strong>",
            "<p>one</p><p>two",
            "<td>2</td>",
        ] {
            assert!(html.contains(kept), "{kept} in {html}");
        }
        assert!(!html.contains("Card"), "{html}");
    }

    #[test]
    fn an_alert_of_github_says_in_a_word_what_it_is() {
        let text = "> [!TIP]\n> Use *this*.\n\n> [!WARNING]\n> - not that\n\n> [!OTHER]\n> stays\n";
        let html = sanitised(&LinkBase::default(), text, far()).expect("a text within the caps").html;
        let lines: Vec<&str> = html.lines().filter(|line| !line.is_empty()).collect();
        let tip = ["<blockquote>", "<p><strong>Tip</strong></p>", "<p>Use <em>this</em>.</p>", "</blockquote>"];
        assert_eq!(lines[..4], tip, "{html}");
        assert!(html.contains("<p><strong>Warning</strong></p>\n<ul>\n<li>not that</li>"), "{html}");
        assert!(html.contains("[!OTHER]"), "only the five words that GitHub knows: {html}");
    }

    #[test]
    fn headings_fit_below_that_of_the_page_and_have_anchors_of_their_own() {
        let text = format!(
            "# One\n\n### Three\n\n##### Five\n\n###### Six\n\n## One\n\n<h1>Raw</h1>\n\n# {}\n\n[up](#one) [off](/a)\n",
            "long ".repeat(100)
        );
        let base = LinkBase::new("https://e.x/docs/a", None);
        let made = sanitised(&base, &text, far()).expect("a text within the caps");
        for part in [
            "<h2 id=\"s-one\">One</h2>",
            "<h3 id=\"s-three\">",
            "<h4 id=\"s-five\">",
            "<h5 id=\"s-six\">",
            "<h3 id=\"s-one-1\">One</h3>",
            "<h2>Raw</h2>",
            "<a href=\"#s-one\"",
            "<a href=\"https://e.x/a\"",
        ] {
            assert!(made.html.contains(part), "{part} in {}", made.html);
        }
        let deep = (1..=6).map(|level| format!("{} h\n\n", "#".repeat(level))).collect::<String>();
        let levels = |text: &str| {
            sanitised(&LinkBase::default(), text, far()).map(|made| made.headings.iter().map(|h| h.level).collect())
        };
        assert_eq!(levels(&deep), Ok(vec![2, 3, 4, 5, 6, 6]), "HTML has no seventh");
        assert_eq!(made.headings.last().map(|heading| heading.anchor.len()), Some(2 + 80), "a long anchor is cut");
        assert_eq!(levels(&"# h\n\n".repeat(600)).map(|levels| levels.len()), Ok(500), "so many are listed");
    }

    #[test]
    fn hundreds_of_components_are_no_nesting() {
        let text = "<Card title=\"a\" />\n<Tip>\n\nwords\n\n".repeat(400);
        assert!(sanitised(&LinkBase::default(), &text, far()).is_ok());
    }
}
