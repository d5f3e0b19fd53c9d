//! Sections of Markdown texts: what stands under each heading, up to the next one.

use std::ops::Range;

use super::anchors::Anchors;
use super::headings::{MarkdownHeading, headings, plain};

/// What stands under a heading and above the next one of any level; what stands before the first heading is under none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section<'t> {
    /// The headings that it is under, the outermost first.
    pub path: Vec<&'t str>,
    /// Its bytes, its heading included.
    pub range: Range<usize>,
}

/// The sections of a text, in order, without its front matter. Together they are all of it.
pub fn sections(text: &str) -> Vec<Section<'_>> {
    let start = text.len() - super::strip_front_matter(text).len();
    let headings = headings(text);
    let first = headings.first().map_or(text.len(), |heading| heading.at);
    let mut found = Vec::with_capacity(headings.len() + 1);
    if !text[start..first].trim().is_empty() {
        found.push(Section { path: Vec::new(), range: start..first });
    }
    let mut above: Vec<MarkdownHeading<'_>> = Vec::new();
    for (at, heading) in headings.iter().enumerate() {
        above.retain(|other| other.level < heading.level);
        above.push(*heading);
        let end = headings.get(at + 1).map_or(text.len(), |next| next.at);
        found.push(Section { path: above.iter().map(|heading| heading.title).collect(), range: heading.at..end });
    }
    found
}

/// The bytes under the first heading that has these words, as an outline shows them or as they are written, or under the one of this anchor,
/// which tells headings of the same words apart; with the headings below it, up to the next heading of its level or above.
pub fn under_heading(text: &str, words: &str) -> Option<Range<usize>> {
    let folded = |title: &str| plain(title).to_lowercase();
    let wanted = folded(words.trim_start_matches('#'));
    if wanted.is_empty() {
        return None;
    }
    let all = headings(text);
    let exact = all.iter().position(|heading| folded(heading.title) == wanted);
    let (mut anchors, anchor) = (Anchors::default(), words.trim_matches(['#', ' ']).to_lowercase());
    let mut has_anchor =
        |heading: &MarkdownHeading<'_>| anchors.of_heading(heading.id, &plain(heading.title)).to_lowercase() == anchor;
    let at = exact.or_else(|| all.iter().position(&mut has_anchor));
    let at = at.or_else(|| all.iter().position(|heading| folded(heading.title).contains(&wanted)))?;
    let MarkdownHeading { at: start, level, .. } = all[at];
    let end = all[at + 1..].iter().find(|other| other.level <= level).map_or(text.len(), |next| next.at);
    Some(start..end)
}

#[cfg(test)]
mod tests {
    use super::{Section, sections, under_heading};

    const TEXT: &str =
        "---\ntitle: A\n---\nintro\n# One {#one}\na\n## Two\n```\n# no heading\n```\n### Three\nc\n## Four\nd\n";

    #[test]
    fn sections_have_the_path_of_their_headings_and_lose_nothing() {
        let found = sections(TEXT);
        let shown: Vec<(String, &str)> =
            found.iter().map(|Section { path, range }| (path.join(" > "), &TEXT[range.clone()])).collect();
        assert_eq!(
            shown,
            [
                (String::new(), "intro\n"),
                ("One".into(), "# One {#one}\na\n"),
                ("One > Two".into(), "## Two\n```\n# no heading\n```\n"),
                ("One > Two > Three".into(), "### Three\nc\n"),
                ("One > Four".into(), "## Four\nd\n"),
            ]
        );
        assert!(sections("").is_empty());
    }

    #[test]
    fn a_heading_in_a_comment_parts_no_section() {
        let text = "# One\na\n<!--\n# Two\n-->\nb\n";
        let found = sections(text);
        assert_eq!((found.len(), found[0].range.clone()), (1, 0..text.len()));
        assert_eq!(under_heading(text, "Two"), None);
    }

    #[test]
    fn a_heading_goes_up_to_the_next_of_its_level() {
        let under = |words: &str| under_heading(TEXT, words).map(|range| &TEXT[range]);
        assert_eq!(under("## two"), Some("## Two\n```\n# no heading\n```\n### Three\nc\n"));
        assert_eq!(under("thr"), Some("### Three\nc\n"), "a part of the words will do");
        assert_eq!((under("five"), under("##")), (None, None));
    }

    #[test]
    fn a_heading_is_found_by_its_anchor_also_among_several_of_its_words() {
        let text = "# Oil\na\n## Use it\nb\n# Wick\nc\n## Use it\nd\n# Glass {#lens}\ne\n";
        let under = |words: &str| under_heading(text, words).map(|range| &text[range]);
        assert_eq!((under("Use it"), under("use-it")), (Some("## Use it\nb\n"), Some("## Use it\nb\n")));
        assert_eq!(under("#use-it-1"), Some("## Use it\nd\n"));
        assert_eq!((under("lens"), under("use-it-2")), (Some("# Glass {#lens}\ne\n"), None));
    }

    #[test]
    fn a_heading_is_found_by_the_words_that_an_outline_shows() {
        let text = "---\n# of the front: matter\n---\nOil\n===\n\na\n\n##\tThe `pour` [command](/pour) ##\nb\n## End\n";
        let under = |words: &str| under_heading(text, words).map(|range| &text[range]);
        assert_eq!(under("The pour command"), Some("##\tThe `pour` [command](/pour) ##\nb\n"));
        assert_eq!(under("The `pour` [command](/pour)"), under("The pour command"), "as it is written");
        assert_eq!(under("oil").map(|text| text.starts_with("Oil\n===\n")), Some(true));
        assert_eq!(under("of the front"), None);
    }
}
