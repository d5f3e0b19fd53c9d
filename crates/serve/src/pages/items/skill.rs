//! What only skills have: their files with digests, what they need, and `SKILL.md`.

use maud::{Markup, html};

use super::{Shown, facts, install, text};
use crate::pages::layout::table::{copied, heads, number_heads, tabular};
use crate::pages::layout::{freshness, values};

pub(super) fn sections(shown: &Shown<'_>) -> Markup {
    let item = shown.item;
    let files = values::list(item, "files");
    html! {
        (facts::table(shown.kind, "About", item, &[
            ("license", "License"), ("compatibility", "Compatibility"), ("allowed_tools", "Allowed tools"), ("token_estimate", "Tokens (estimate)"),
            ("repository.url", "Repository"), ("repository.path", "Folder"), ("repository.ref", "Branch"), ("repository.commit", "Commit"),
        ]))
        (install::skill(item))
        @if !files.is_empty() {
            h2 #files { "Files (" (files.len()) ")" (freshness::stale_field(item, "files")) }
            (tabular("Files", html! { (heads(&["File"])) (number_heads(&["Bytes"])) (heads(&["Digest"])) }, html! {
                @for file in files {
                    tr {
                        th scope="row" { (values::any(&file["path"])) }
                        td.n { (values::any(&file["bytes"])) }
                        td { (copied(file["digest"].as_str().unwrap_or_default())) }
                    }
                }
            }))
        }
        h2 #text { "SKILL.md" }
        (text::text(shown))
    }
}
