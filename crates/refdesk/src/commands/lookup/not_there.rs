//! What is said of an id that names no item of a kind: what else it names, what may have been meant, or how to look for it.

use refdesk_catalog::answer::Unresolved;
use refdesk_core::Kind;

use crate::cli::kind_word;
use crate::exit::Exit;
use crate::output;

/// Tells that no item of a kind has an id, and what to do.
pub(in crate::commands) fn no_item(kind: Kind, spelling: &str, unresolved: Unresolved) -> Exit {
    output::not_found_near(&told(kind, spelling, &unresolved), unresolved.suggestions)
}

/// The same without the ids that may have been meant, which stand behind it.
pub(in crate::commands) fn told(kind: Kind, spelling: &str, unresolved: &Unresolved) -> String {
    let mut told = if unresolved.is_ambiguous {
        format!("several items have the alias {spelling:?}, so it names no single {}.", kind.label())
    } else {
        format!("no {} has the id or alias {spelling:?}.", kind.label())
    };
    for (other, id) in &unresolved.of_other_kinds {
        told += &format!(" It names {}: `refdesk get {} {id}`.", other.with_article(), kind_word(*other));
    }
    if unresolved.of_other_kinds.is_empty() && unresolved.suggestions.is_empty() {
        told += &format!(" `{}` looks for it.", search(kind, spelling));
    }
    told
}

/// The command that looks for something of a kind. What a shell would not take as one word stands for itself.
fn search(kind: Kind, spelling: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._:/@-".contains(c);
    let is_word = !spelling.is_empty() && !spelling.starts_with('-') && spelling.chars().all(is_plain);
    let words = if is_word { spelling } else { "WORDS" };
    if kind == Kind::Framework {
        format!("refdesk list {} --q {words}", kind_word(kind))
    } else {
        format!("refdesk search {words} --type {}", kind_word(kind))
    }
}
