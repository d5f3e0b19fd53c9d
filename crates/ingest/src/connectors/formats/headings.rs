//! The outline of a Markdown or MDX page: its headings ([`headings`]) with the anchors that GitHub gives them, or that they state.
//! reStructuredText has its own reader, [`crate::connectors::formats::rst`].

use refdesk_core::item::Heading;
use refdesk_core::text::anchors::Anchors;
use refdesk_core::text::fence::Fence;
use refdesk_core::text::headings::{heading, headings, plain};
use refdesk_core::text::strip_front_matter;
use refdesk_core::within::within;

/// Most headings that are kept of one page.
pub const HEADINGS_MAX: usize = 500;

/// The headings of a page in order, as far as it lies within the caps on texts that are parsed.
pub fn parse(markdown: &str) -> Vec<Heading> {
    placed(markdown).into_iter().map(|(_, heading)| heading).collect()
}

/// The same, each with the byte at which its line starts.
pub fn placed(markdown: &str) -> Vec<(usize, Heading)> {
    let body = strip_front_matter(markdown);
    let end = markdown.len() - body.len() + within(body).0.len();
    let mut anchors = Anchors::default();
    let entry = |heading: refdesk_core::text::headings::MarkdownHeading<'_>| {
        let text = plain(heading.title);
        let slug = anchors.of_heading(heading.id, &text);
        (heading.at, Heading { level: heading.level, text, slug })
    };
    headings(&markdown[..end]).into_iter().take(HEADINGS_MAX).map(entry).collect()
}

/// A text split at those of its headings outside of code whose level is wanted: each with its raw title and what stands below it. What stands
/// before the first has the title "".
pub fn split(markdown: &str, is_wanted: impl Fn(u8) -> bool) -> Vec<(&str, String)> {
    let mut parts = vec![("", String::new())];
    let mut fence = None::<Fence>;
    for line in markdown.lines() {
        let opening = heading(line).filter(|(level, _)| fence.is_none() && is_wanted(*level));
        fence = Fence::below(fence, line);
        if let Some((_, title)) = opening {
            parts.push((title, String::new()));
        } else if let Some((_, text)) = parts.last_mut() {
            text.push_str(line);
            text.push('\n');
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn an_explicit_id_is_the_slug_and_never_part_of_the_words() {
        let page = "# First steps { #start }\n## Oil\n## Oil {: #which-oil .wide }\n## Oil\n## `{#if}` blocks\n";
        let shown: Vec<String> = parse(page).iter().map(|h| format!("{} #{}", h.text, h.slug)).collect();
        assert_eq!(
            shown,
            ["First steps #start", "Oil #oil", "Oil #which-oil", "Oil #oil-1", "{#if} blocks #if-blocks"]
        );
    }

    #[test]
    fn an_underlined_line_is_a_heading_and_a_rule_is_none() {
        let page = "Lamps\n=====\n\nWords.\nMore words.\n---\n\nOil\n---\n\n| a |\n---\n\n---\n- item\n---\n";
        let shown: Vec<String> = parse(page).iter().map(|h| format!("{} {}", h.level, h.text)).collect();
        assert_eq!(shown, ["1 Lamps", "2 Oil"]);
    }

    #[test]
    fn headings_carry_level_words_and_githubs_anchor() {
        let page = "---\ntitle: x\n---\n# The `serve` command\n\n```sh\n# no heading\n```\n## Usage & limits ##\n## Usage & limits\n\
                    ### See [the guide](https://e.x/#a) {#see}\n####### seven\n#tag\n## Überblick[[overview]]\n";
        let shown: Vec<String> = parse(page).iter().map(|h| format!("{} {} #{}", h.level, h.text, h.slug)).collect();
        assert_eq!(
            shown,
            [
                "1 The serve command #the-serve-command",
                "2 Usage & limits #usage--limits",
                "2 Usage & limits #usage--limits-1",
                "3 See the guide #see",
                "2 Überblick #overview",
            ]
        );
    }
}
