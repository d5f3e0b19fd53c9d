//! Plain text out of Markdown, notebooks' prose and MDX ([`mdx`]), for the search index and snippets. Not a renderer. Front matter is split off
//! here for every reader of pages: YAML between lines of `---`, as most write it, and TOML between lines of `+++`, as Hugo and Zola do.

pub mod anchors;
pub mod clean;
pub mod fence;
pub mod field_names;
pub mod figures;
pub mod headings;
pub mod mdx;
pub mod nearest;
mod plain_text;
pub mod script;
pub mod sections;
pub mod within;

pub use plain_text::plain;

/// Longest heading whose attribute lists are looked for, in bytes.
const HEADING_BYTES_MAX: usize = 2_000;

/// The words of a text: runs of letters and digits of any script.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}

/// Words as a sentence lists them: `a, b and c`, with `and` or another word before the last.
pub fn enumerated<W: AsRef<str>>(words: &[W], before_last: &str) -> String {
    let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
    match &words[..] {
        [others @ .., last] if !others.is_empty() => format!("{} {before_last} {last}", others.join(", ")),
        words => words.concat(),
    }
}

/// Whether what stands between the braces of a template is the name of a variable. Braces around anything else are text.
pub fn is_variable_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || "_.-".contains(c))
}

/// The first so many characters of a text, or all of it.
pub fn first_chars(text: &str, count: usize) -> &str {
    match text.get(..count) {
        // Most texts are ASCII, a byte a character.
        Some(first) if first.is_ascii() => first,
        _ => text.char_indices().nth(count).map_or(text, |(end, _)| &text[..end]),
    }
}

/// The numbers of a text: runs of ASCII digits, `3` and `5` of `claude-3.5`.
pub fn numbers(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_digit()).filter(|number| !number.is_empty())
}

/// The lines of a list that comes with the program, without comments and empty ones.
pub fn listed_lines(list: &str) -> impl Iterator<Item = &str> {
    list.lines().filter(|line| !line.is_empty() && !line.starts_with('#'))
}

/// The words of a text of `N` words with one blank between, told apart when the program is compiled. A constant of a text that has more or
/// fewer does not compile.
pub const fn word_array<const N: usize>(text: &'static str) -> [&'static str; N] {
    let (mut words, mut found, mut rest) = ([""; N], 0, text);
    while found < N {
        let mut end = 0;
        while end < rest.len() && rest.as_bytes()[end] != b' ' {
            end += 1;
        }
        assert!(end > 0, "a list of words has fewer than it says");
        let (word, behind) = rest.split_at(end);
        words[found] = word;
        rest = if behind.is_empty() { "" } else { behind.split_at(1).1 };
        found += 1;
    }
    assert!(rest.is_empty(), "a list of words has more than it says");
    words
}

/// The Markdown after its front matter, YAML, TOML or JSON, or all of it when it has none.
pub fn strip_front_matter(markdown: &str) -> &str {
    FrontMatter::split(markdown).map_or(markdown, |(_, body)| body)
}

/// The front matter of a page: a block at the very top that is closed by the mark that opens it, or an object of JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrontMatter<'a> {
    /// Between lines of `---`.
    Yaml(&'a str),
    /// Between lines of `+++`.
    Toml(&'a str),
    /// From a line of `{` to the one that closes it, as Hugo has it.
    Json(&'a str),
}

impl<'a> FrontMatter<'a> {
    /// The front matter and the text after it; `None` when the text does not open with a closed front matter.
    pub fn split(text: &'a str) -> Option<(Self, &'a str)> {
        let yaml = between_lines(text, "---").map(|(front, body)| (Self::Yaml(front), body));
        let toml = || between_lines(text, "+++").map(|(front, body)| (Self::Toml(front), body));
        yaml.or_else(toml).or_else(|| object(text).map(|(front, body)| (Self::Json(front), body)))
    }
}

/// The YAML front matter and the Markdown after it; `None` when the text does not open with a closed front matter.
pub fn split_front_matter(markdown: &str) -> Option<(&str, &str)> {
    between_lines(markdown, "---")
}

/// What stands between a first line that is `mark` and the next such line, and what follows.
fn between_lines<'a>(text: &'a str, mark: &str) -> Option<(&'a str, &'a str)> {
    let text = text.trim_start_matches('\u{feff}');
    let (first, rest) = text.split_once('\n')?;
    if first.trim_end() != mark || !first.starts_with(mark) {
        return None;
    }
    let mut at = 0;
    for line in rest.split_inclusive('\n') {
        if line.trim_end() == mark {
            return Some((&rest[..at], &rest[at + line.len()..]));
        }
        at += line.len();
    }
    None
}

/// The JSON object whose first line is `{` alone, and what follows its last line.
fn object(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start_matches('\u{feff}');
    text.split_once('\n').filter(|(first, _)| first.trim_end() == "{")?;
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<serde::de::IgnoredAny>();
    values.next()?.ok()?;
    let (front, behind) = text.split_at(values.byte_offset());
    let (rest, body) = behind.split_once('\n')?;
    (rest.trim().is_empty() && !body.trim().is_empty()).then_some((front, body))
}

/// A heading without the attribute lists at its end, and the id that they give it: `{#id}`, `{ #id .class }`, `{: #id key="a b" }` and
/// MDX's `{/* #id */}`. Other text in braces belongs to the heading, and so does a list that is all of it. A line longer than any heading is
/// left whole.
pub fn split_attributes(heading: &str) -> (&str, Option<&str>) {
    let (mut text, mut id) = (heading.trim_end(), None);
    if text.len() > HEADING_BYTES_MAX {
        return (text, None);
    }
    while let Some((before, list)) = text.strip_suffix('}').and_then(|text| text.rsplit_once('{')) {
        let before = before.trim_end_matches('\\').trim_end();
        let list = list.strip_suffix('\\').unwrap_or(list).trim();
        let Some(attributes) = attributes(list) else { break };
        if before.trim_matches(['#', ' ']).is_empty() {
            break;
        }
        id = attributes.id.or(id);
        text = before;
    }
    (text, id)
}

/// An attribute list of a heading.
struct Attributes<'a> {
    id: Option<&'a str>,
}

/// The attribute list that a text in braces is, if it is one.
fn attributes(list: &str) -> Option<Attributes<'_>> {
    let comment = list.strip_prefix("/*").and_then(|list| list.strip_suffix("*/"));
    let marked = list.strip_prefix(':');
    let list = comment.or(marked).unwrap_or(list);
    let mut id = None;
    let mut is_list = marked.is_some();
    let mut quoted = false;
    for word in list.split_whitespace() {
        let inside = quoted;
        quoted ^= word.matches('"').count() % 2 == 1;
        let is_name = |name: &str| !name.is_empty() && !name.starts_with(['.', '#']);
        match word.as_bytes()[0] {
            _ if inside => {}
            b'#' if is_name(&word[1..]) => id = id.or(Some(&word[1..])),
            b'.' if is_name(&word[1..]) && comment.is_none() => {}
            _ if word.split_once('=').is_some_and(|(key, _)| is_key(key)) => continue,
            _ => return None,
        }
        is_list = true;
    }
    is_list.then_some(Attributes { id })
}

fn is_key(key: &str) -> bool {
    !key.is_empty() && key.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b':'))
}

#[cfg(test)]
mod tests {
    use super::{
        FrontMatter, first_chars, numbers, plain, split_attributes, split_front_matter, strip_front_matter, word_array,
        words,
    };

    #[test]
    fn the_first_characters_are_counted_as_characters() {
        for (text, count, first) in [
            ("lamp", 2, "la"),
            ("lamp", 4, "lamp"),
            ("lamp", 9, "lamp"),
            ("é漢x", 2, "é漢"),
            ("aé", 2, "aé"),
            ("", 0, ""),
        ] {
            assert_eq!(first_chars(text, count), first, "{text} {count}");
        }
    }

    #[test]
    fn the_words_of_an_array_are_those_between_the_blanks_of_its_text() {
        const WORDS: [&str; 3] = word_array("a don’t b-2");
        assert_eq!(WORDS, ["a", "don’t", "b-2"]);
    }

    #[test]
    fn words_are_letters_and_digits_of_any_script_and_numbers_ascii_digits() {
        assert!(words("gpt-4o, на русском_").eq(["gpt", "4o", "на", "русском"]));
        assert!(numbers("claude-3.5-sonnet-20241022 ٣").eq(["3", "5", "20241022"]));
        assert_eq!((words(" - ").count(), numbers("gpt").count()), (0, 0));
    }

    #[test]
    fn front_matter_of_json_is_an_object_in_lines_of_its_own_before_the_text() {
        let front = "{\n  \"title\": \"A { b }\"\n}";
        assert_eq!(FrontMatter::split(&format!("{front}\n# A\n")), Some((FrontMatter::Json(front), "# A\n")));
        for other in ["{\n}", "{}\nA\n", "{\n  a\n}\nA\n", "{\n} A\nB\n"] {
            assert_eq!((FrontMatter::split(other), strip_front_matter(other)), (None, other));
        }
    }

    #[test]
    fn toml_front_matter_is_split_off_too() {
        let page = "+++\ntitle = \"Lamps\"\n+++\n# Lamps\n";
        assert_eq!(FrontMatter::split(page), Some((FrontMatter::Toml("title = \"Lamps\"\n"), "# Lamps\n")));
        assert_eq!((plain(page).as_str(), strip_front_matter(page)), ("Lamps\n", "# Lamps\n"));
        assert_eq!(FrontMatter::split("---\na: 1\n---\nb"), Some((FrontMatter::Yaml("a: 1\n"), "b")));
        assert_eq!(strip_front_matter("+++\ntitle = 1\nnever closed"), "+++\ntitle = 1\nnever closed");
    }

    #[test]
    fn attribute_lists_are_split_off_headings_and_other_braces_stay() {
        for (heading, text, id) in [
            ("Lamps { #lamps }", "Lamps", Some("lamps")),
            ("Lamps {#lamps}", "Lamps", Some("lamps")),
            ("Lamps {: #lamps .wide title=\"a b\" }", "Lamps", Some("lamps")),
            ("Lamps {: .wide}", "Lamps", None),
            ("Lamps {/* #lamps */}", "Lamps", Some("lamps")),
            ("Lamps \\{#lamps}", "Lamps", Some("lamps")),
            ("Lamps {#a} { .b }", "Lamps", Some("a")),
            ("The set {a, b}", "The set {a, b}", None),
            ("{#if ...}", "{#if ...}", None),
            ("Use {{name}}", "Use {{name}}", None),
        ] {
            assert_eq!(split_attributes(heading), (text, id), "{heading}");
        }
        assert_eq!(plain("## Lamps { #lamps }\n"), "Lamps\n");
    }

    #[test]
    fn front_matter_is_split_only_where_it_is_closed() {
        assert_eq!(split_front_matter("---\na: 1\n---\nbody"), Some(("a: 1\n", "body")));
        assert_eq!(split_front_matter("---\na: 1\nbody"), None);
        assert_eq!(split_front_matter("body\n---\n"), None);
    }
}
