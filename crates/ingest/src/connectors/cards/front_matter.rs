//! Where the front matter of a Markdown card stands, and what its author is told where it nearly does: a file that begins with `---` means
//! to be a card, and would be taken for a README without a word.

use refdesk_core::text::split_front_matter;

/// The front matter and the body of a Markdown file; `None` when it has no front matter and so is no card.
///
/// # Errors
/// A sentence that says what to do, when it begins as a card does and its front matter cannot be told.
pub(super) fn split(markdown: &str) -> Result<Option<(&str, &str)>, String> {
    if let Some(parts) = split_front_matter(markdown) {
        return Ok(Some(parts));
    }
    let mut lines = markdown.trim_start_matches('\u{feff}').lines().enumerate();
    let Some((at, _)) = lines.find(|(_, line)| !line.trim().is_empty()).filter(|(_, line)| line.trim_end() == "---")
    else {
        return Ok(None);
    };
    if at > 0 {
        let lines = if at == 1 { "line" } else { "lines" };
        return Err(format!(
            "front matter begins in the first line of a card; take out the {at} blank {lines} before `---`"
        ));
    }
    Err("the front matter is not closed; write a line `---` below its last key".to_owned())
}
