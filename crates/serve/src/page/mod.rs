//! Full texts as pages for people: rendered, then sanitised, because an upstream wrote them. What is rendered lies within caps on size,
//! nesting, elements and time; a text beyond one of them is shown as it was written, in `<pre>`, with a note.
//!
//! Making a page takes a millisecond for most texts and can take a second, so pages are made on the [`crate::workroom`]'s own threads and
//! kept ([`kept`]). [`tags`] brings HTML into a form that a parser of HTML reads in time by its length.

mod kept;
mod tags;

use std::cell::Cell;
use std::io;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use pulldown_cmark::{Options, Parser};
use refdesk_core::within::{self, NESTING_MAX, PARSED_BYTES_MAX};

pub(crate) use kept::Pages;

/// Most bytes of HTML that a text may become before it is sanitised.
const RENDERED_BYTES_MAX: usize = 8 * 1024 * 1024;
/// Most time for a page.
const RENDER_TIME_MAX: Duration = Duration::from_secs(2);
/// Events of the parser between two looks at the clock.
const EVENTS_PER_LOOK: u32 = 256;

/// Why a text is shown as it was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unrendered {
    Size,
    Nesting,
    Elements,
    Time,
}

impl Unrendered {
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

/// What sanitises pages: the default of the library, without images, which would be loaded from elsewhere.
static SANITISER: LazyLock<ammonia::Builder<'static>> = LazyLock::new(|| {
    let mut sanitiser = ammonia::Builder::default();
    sanitiser.rm_tags(["img"]).link_rel(Some("noopener noreferrer nofollow"));
    sanitiser
});

/// The whole page of a Markdown text.
fn page(title: &str, markdown: &str) -> String {
    let text = refdesk_core::text::strip_front_matter(markdown);
    let body = rendered(text, Instant::now() + RENDER_TIME_MAX).unwrap_or_else(|why| {
        let (visible, _) = refdesk_core::clean::visible(text);
        format!("<p><em>{}</em></p><pre>{}</pre>", why.note(), escaped(&visible))
    });
    let title = ammonia::clean_text(title);
    format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title></head><body><main>{body}</main></body></html>"
    )
}

/// The sanitised HTML of a text that lies within the caps.
fn rendered(markdown: &str, deadline: Instant) -> Result<String, Unrendered> {
    match within::within(markdown).1 {
        Some(within::Beyond::Size) => return Err(Unrendered::Size),
        Some(within::Beyond::Nesting) => return Err(Unrendered::Nesting),
        None => {}
    }
    let (visible, _) = refdesk_core::clean::visible(markdown);
    let tidy = tags::tidy(&html(&visible, deadline)?)?;
    let sanitised = SANITISER.clean_from_reader(Limited { bytes: tidy.as_bytes(), deadline });
    sanitised.map(|document| document.to_string()).map_err(|_| Unrendered::Time)
}

/// The HTML of a Markdown text, with whatever HTML stands in it.
fn html(markdown: &str, deadline: Instant) -> Result<String, Unrendered> {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_FOOTNOTES;
    let (late, mut events) = (Cell::new(false), 0_u32);
    let in_time = Parser::new_ext(markdown, options).take_while(|_| {
        events = events.wrapping_add(1);
        if events.is_multiple_of(EVENTS_PER_LOOK) {
            late.set(Instant::now() > deadline);
        }
        !late.get()
    });
    let mut html = Bounded { text: String::with_capacity(markdown.len() * 2) };
    let written = pulldown_cmark::html::write_html_fmt(&mut html, in_time);
    match (late.get(), written) {
        (true, _) => Err(Unrendered::Time),
        (false, Err(_)) => Err(Unrendered::Size),
        (false, Ok(())) => Ok(html.text),
    }
}

/// Text that does not grow beyond [`RENDERED_BYTES_MAX`].
struct Bounded {
    text: String,
}

impl std::fmt::Write for Bounded {
    fn write_str(&mut self, piece: &str) -> std::fmt::Result {
        if self.text.len() + piece.len() > RENDERED_BYTES_MAX {
            return Err(std::fmt::Error);
        }
        self.text.push_str(piece);
        Ok(())
    }
}

/// Bytes that can be read until a deadline. The parser of HTML reads them piece by piece.
struct Limited<'a> {
    bytes: &'a [u8],
    deadline: Instant,
}

impl io::Read for Limited<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if Instant::now() > self.deadline {
            return Err(io::ErrorKind::TimedOut.into());
        }
        self.bytes.read(into)
    }
}

/// Text between tags.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::{Unrendered, page, rendered};

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
            let made = page("Title", &text);
            let took = started.elapsed();
            // A second of an optimised build is some seconds of this one on a machine with much to do.
            assert!(took < Duration::from_secs(20), "{name}: {took:?}");
            assert!(made.len() < 24 * 1024 * 1024, "{name}: {} bytes", made.len());
        }
    }

    #[test]
    fn a_text_beyond_a_cap_is_shown_as_it_was_written() {
        let made = page("T", &format!("# <Head>\n\n{}x & y\n", "> ".repeat(500)));
        assert!(made.contains(
            "<p><em>This text is shown as it was written. It nests deeper than 100 levels.</em></p><pre># &lt;Head&gt;"
        ));
        assert!(made.contains("x &amp; y\n</pre>"), "all of it");
        assert_eq!(rendered(&"<div>".repeat(101), far()), Err(Unrendered::Nesting));
        assert_eq!(rendered(&"a\n\n".repeat(500_000), far()), Err(Unrendered::Size));
        assert_eq!(
            rendered("fine", Instant::now().checked_sub(Duration::from_secs(1)).unwrap_or_else(Instant::now)),
            Err(Unrendered::Time)
        );
    }

    #[test]
    fn html_that_grows_too_long_is_given_up() {
        let row = |cell: &str| format!("|{}\n", format!("{cell}|").repeat(1_000));
        let table = |rows: usize| format!("{}{}{}", row("a"), row("-"), row("a").repeat(rows));
        assert!(super::html(&table(100), far()).is_ok_and(|html| html.len() > 900_000));
        assert!(super::html(&table(1_000), far()).is_err_and(|why| why == Unrendered::Size));
    }

    #[test]
    fn pages_within_the_caps_keep_their_markup() {
        let text = "# Guide\n\nA *word* and `<code>` with [a link](https://e.x/a).\n\n- one\n- two\n\n<details><summary>More</summary>\n\nHidden **text**\n\n</details>\n\n<Card title=\"x\" />\n<p>one<p>two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n";
        let html = rendered(text, far()).unwrap_or_default();
        for kept in [
            "<h1>Guide</h1>",
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
    fn hundreds_of_components_are_no_nesting() {
        let text = "<Card title=\"a\" />\n<Tip>\n\nwords\n\n".repeat(400);
        assert!(rendered(&text, far()).is_ok());
    }
}
