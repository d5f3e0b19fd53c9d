//! Code of a text in colours: each fenced block of a known language is read with the grammar of a text editor (syntect), and its parts are
//! put into classes that the sheet of the pages colours. What a block has in it stays the same text.
//!
//! Grammars are regular expressions, some of which take time that grows with the square of a line. So a block or a line that is too long
//! stays plain, and so does the rest of a text whose code was too much or took too long.

use std::collections::VecDeque;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use pulldown_cmark::{CodeBlockKind, CowStr, Event, Tag, TagEnd};
use syntect::parsing::{ParseState, Scope, ScopeStack, SyntaxReference, SyntaxSet};

use super::escaped;

/// Longest block that is coloured, in bytes.
const BLOCK_BYTES_MAX: usize = 64 * 1024;
/// Most lines of a block that is coloured.
const BLOCK_LINES_MAX: usize = 2_000;
/// Longest line that is coloured, in bytes.
const LINE_BYTES_MAX: usize = 400;
/// Most code of one text that is coloured, in bytes.
const CODE_BYTES_MAX: usize = 256 * 1024;
/// Most time for the code of one text, not counting that for loading the grammars; what comes after it is plain.
const CODE_TIME_MAX: Duration = Duration::from_millis(500);

static SYNTAXES: LazyLock<SyntaxSet> = LazyLock::new(two_face::syntax::extra_newlines);

/// The classes, and the scopes of grammars that get them; the first that fits counts.
static CLASSES: LazyLock<Vec<(Scope, &str)>> = LazyLock::new(|| {
    let scopes = [
        ("comment", "hl-comment"),
        ("string", "hl-string"),
        ("constant", "hl-constant"),
        ("keyword", "hl-keyword"),
        ("storage", "hl-keyword"),
        ("entity.name", "hl-name"),
        ("entity.other.attribute-name", "hl-name"),
        ("support", "hl-name"),
    ];
    scopes.into_iter().filter_map(|(scope, class)| Some((Scope::new(scope).ok()?, class))).collect()
});

/// The names of all classes, for the sanitiser.
pub(super) fn classes() -> impl Iterator<Item = &'static str> {
    CLASSES.iter().map(|(_, class)| *class)
}

/// The events of a text with its code in colours.
pub(super) struct Highlighted<'t, I> {
    events: I,
    ready: VecDeque<Event<'t>>,
    /// Bytes of code that may still be coloured.
    bytes_left: usize,
    /// Time in which that may be done.
    time_left: Duration,
}

impl<'t, I: Iterator<Item = Event<'t>>> Highlighted<'t, I> {
    pub(super) fn new(events: I) -> Self {
        Self::within(CODE_TIME_MAX, events)
    }

    fn within(time: Duration, events: I) -> Self {
        Self { events, ready: VecDeque::new(), bytes_left: CODE_BYTES_MAX, time_left: time }
    }

    /// Reads a block to its end, and colours it where it can.
    fn block(&mut self, start: Event<'t>, syntax: &SyntaxReference) -> Event<'t> {
        let mut code = String::new();
        let mut pieces = VecDeque::new();
        for event in self.events.by_ref() {
            let is_end = matches!(event, Event::End(TagEnd::CodeBlock));
            if let Event::Text(piece) = &event {
                code.push_str(piece);
            }
            pieces.push_back(event);
            if is_end {
                break;
            }
        }
        let fits = code.len() <= BLOCK_BYTES_MAX.min(self.bytes_left) && code.lines().count() <= BLOCK_LINES_MAX;
        let begun = Instant::now();
        let coloured = if fits { coloured(&code, syntax, begun + self.time_left) } else { None };
        self.time_left = self.time_left.saturating_sub(begun.elapsed());
        if let Some(html) = coloured {
            self.bytes_left -= code.len();
            return Event::Html(CowStr::from(format!("<pre><code>{html}</code></pre>\n")));
        }
        self.ready = pieces;
        start
    }
}

impl<'t, I: Iterator<Item = Event<'t>>> Iterator for Highlighted<'t, I> {
    type Item = Event<'t>;

    fn next(&mut self) -> Option<Event<'t>> {
        if let Some(event) = self.ready.pop_front() {
            return Some(event);
        }
        let event = self.events.next()?;
        let syntax = match &event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => syntax(info),
            _ => None,
        };
        Some(match syntax {
            Some(syntax) => self.block(event, syntax),
            None => event,
        })
    }
}

/// The grammar of the language that a fence names: `rust`, `py`, `js title="a"`, `rust,ignore`.
fn syntax(info: &str) -> Option<&'static SyntaxReference> {
    let name = info.trim_start().split(|c: char| c.is_whitespace() || matches!(c, ',' | '{')).next()?;
    let known = SYNTAXES.find_syntax_by_token(name).filter(|_| !name.is_empty())?;
    (known.name != SYNTAXES.find_syntax_plain_text().name).then_some(known)
}

/// Code as HTML, or nothing when it cannot be read, or not in time.
fn coloured(code: &str, syntax: &SyntaxReference, deadline: Instant) -> Option<String> {
    let (mut state, mut scopes) = (ParseState::new(syntax), ScopeStack::new());
    let mut html = Html::default();
    for line in code.split_inclusive('\n') {
        if Instant::now() > deadline {
            return None;
        }
        if line.len() > LINE_BYTES_MAX {
            html.push(line, None);
            continue;
        }
        let mut from = 0;
        for (at, change) in state.parse_line(line, &SYNTAXES).ok()? {
            html.push(line.get(from..at)?, class_of(&scopes));
            scopes.apply(&change).ok()?;
            from = at;
        }
        html.push(&line[from..], class_of(&scopes));
    }
    html.close();
    Some(html.text)
}

/// The class of the innermost scope that has one.
fn class_of(scopes: &ScopeStack) -> Option<&'static str> {
    let class = |scope: &Scope| CLASSES.iter().find(|(known, _)| known.is_prefix_of(*scope)).map(|(_, class)| *class);
    scopes.as_slice().iter().rev().find_map(class)
}

/// HTML in which neighbours of one class share an element.
#[derive(Default)]
struct Html {
    text: String,
    open: Option<&'static str>,
}

impl Html {
    fn push(&mut self, code: &str, class: Option<&'static str>) {
        // Blanks have no colour, and need no element of their own.
        if class != self.open && !code.trim().is_empty() {
            self.close();
            if let Some(class) = class {
                self.text.push_str(&format!("<span class=\"{class}\">"));
            }
            self.open = class;
        }
        self.text.push_str(&escaped(code));
    }

    fn close(&mut self) {
        if self.open.take().is_some() {
            self.text.push_str("</span>");
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use pulldown_cmark::Parser;
    use pulldown_cmark::html::push_html;

    use super::super::render;
    use super::{
        BLOCK_BYTES_MAX, BLOCK_LINES_MAX, CODE_BYTES_MAX, Highlighted, LINE_BYTES_MAX, SYNTAXES, classes, coloured,
        escaped, syntax,
    };

    fn html(text: &str) -> String {
        render(&super::super::LinkBase::default(), text).html
    }

    /// A text whose code has time enough on any machine.
    fn in_colours(text: &str) -> String {
        let mut made = String::new();
        push_html(&mut made, Highlighted::within(Duration::from_mins(10), Parser::new(text)));
        made
    }

    fn is_coloured(text: &str) -> bool {
        in_colours(text).contains("<span class=\"hl-")
    }

    #[test]
    fn the_code_of_a_fence_that_names_its_language_is_in_colours() {
        for (info, code, part) in [
            ("rust", "// a < b\nlet x = \"é\";", "<span class=\"hl-comment\">// a &lt; b\n</span>"),
            ("rust,ignore", "let x = 1;", "<span class=\"hl-constant\">1</span>"),
            ("python title=\"a.py\"", "def f(): pass", "<span class=\"hl-name\">f</span>"),
            ("ts", "const a: string = 'b'", "<span class=\"hl-string\">'b'"),
            ("toml", "a = \"b\"", "<span class=\"hl-string\">&quot;b&quot;"),
            ("Dockerfile", "FROM scratch", "<span class=\"hl-keyword\">FROM</span>"),
            ("json", "{\"a\": 1}", "<span class=\"hl-constant\">1</span>"),
            ("bash", "# c\nls -l", "<span class=\"hl-comment\"># c"),
        ] {
            let text = format!("```{info}\n{code}\n```\n");
            let made = in_colours(&text);
            assert!(made.contains(part), "{info}: {made}");
            let shown = html(&text);
            assert!(shown.starts_with("<pre tabindex=\"0\"><code>") && shown.ends_with("</code></pre>\n"), "{shown}");
        }
        let made = in_colours(
            "```\nlet x = 1;\n```\n\n```nolanguage\nlet x = 1;\n```\n\n```text\nlet\n```\n\n    let x = 1;\n",
        );
        assert!(!made.contains("<span"), "{made}");
    }

    #[test]
    fn a_text_gets_no_class_but_those_of_code() {
        let made = html("<span class=\"find hl-string\">a</span> <b class=\"hl-string\">b</b>\n");
        assert_eq!(made, "<p><span class=\"hl-string\">a</span> <b>b</b></p>\n");
    }

    #[test]
    fn code_beyond_the_bounds_stays_plain_and_whole() {
        let line = "let x = 1;\n";
        let block = |code: &str| format!("```rust\n{code}```\n");
        assert!(is_coloured(&block(&line.repeat(BLOCK_LINES_MAX))), "BLOCK_LINES_MAX");
        assert!(!is_coloured(&block(&line.repeat(BLOCK_LINES_MAX + 1))), "BLOCK_LINES_MAX");
        let long = |bytes: usize| format!("{}\n", "1".repeat(bytes - 1));
        assert!(is_coloured(&block(&long(LINE_BYTES_MAX))), "LINE_BYTES_MAX");
        let made = in_colours(&block(&(long(LINE_BYTES_MAX + 1) + "2\n")));
        assert!(made.contains("11\n<span class=\"hl-constant\">2"), "LINE_BYTES_MAX: {made}");
        assert!(!is_coloured(&block(&long(LINE_BYTES_MAX + 1))), "LINE_BYTES_MAX");
        let heavy = format!("{}\n", " ".repeat(99)).repeat(BLOCK_BYTES_MAX / 100);
        assert!(is_coloured(&block(&format!("1\n{heavy}"))), "BLOCK_BYTES_MAX");
        assert!(!is_coloured(&block(&format!("1\n{heavy}{heavy}"))), "BLOCK_BYTES_MAX");
        let after = |blocks: usize| is_coloured(&(block(&heavy).repeat(blocks) + &block(&line.repeat(20))));
        assert!(after(CODE_BYTES_MAX / BLOCK_BYTES_MAX - 1), "CODE_BYTES_MAX");
        assert!(!after(CODE_BYTES_MAX / BLOCK_BYTES_MAX), "CODE_BYTES_MAX");
        let rust = syntax("rust").expect("a grammar of Rust");
        let past = Instant::now().checked_sub(Duration::from_secs(1)).unwrap_or_else(Instant::now);
        assert_eq!(coloured("let x = 1;", rust, past), None, "CODE_TIME_MAX");
    }

    /// Pieces that open what is never closed, in every grammar.
    #[test]
    fn code_in_colours_is_the_same_text() {
        let hostile = ["(", "\"é", "\\", "<a ", "${", "a.", "/*", "[[", "=> ", "<<", "'", "`", "@a(", "{#", "&amp;"];
        let deadline = Instant::now() + Duration::from_mins(10);
        for known in SYNTAXES.syntaxes() {
            for piece in hostile {
                let line = piece.repeat(20);
                let code = format!("{line}\n{line}x\n");
                let made =
                    coloured(&code, known, deadline).unwrap_or_else(|| panic!("{} cannot read {piece:?}", known.name));
                let text = classes().fold(made.replace("</span>", ""), |text, class| {
                    text.replace(&format!("<span class=\"{class}\">"), "")
                });
                assert_eq!(text, escaped(&code), "{}: {piece:?}", known.name);
            }
        }
    }
}
