//! References to items as models send them, and the items that they name.

use refdesk_catalog::answer::{Unresolved, item_at, resolve};
use refdesk_catalog::segment::Found;
use refdesk_catalog::snapshot::Snapshot;
use refdesk_core::Kind;
use refdesk_core::text::enumerated;

use super::arguments::{self, Arguments};
use crate::http::problem::Problem;
use crate::mcp::protocol::request::McpRequest;

/// Parses an id as models send it: plain, or as the address of the item, unless that is how an item is spelt.
pub(super) fn parse_reference(snapshot: &Snapshot, sent: &str) -> (Option<Kind>, String) {
    let is_spelling = || Kind::ALL.iter().any(|kind| !matches!(snapshot.find(*kind, sent), Found::Unknown));
    let named = item_at(sent).filter(|_| !is_spelling());
    named.map_or_else(|| (None, sent.to_owned()), |(kind, id)| (Some(kind), id))
}

/// The same where only some kinds are meant: an address of another kind is refused, however well its id fits.
///
/// # Errors
/// On an address of another kind.
pub(super) fn reference_among(
    snapshot: &Snapshot,
    sent: &str,
    allowed: &[Kind],
) -> Result<(Option<Kind>, String), Problem> {
    let (named, id) = parse_reference(snapshot, sent);
    match named.filter(|kind| !allowed.contains(kind)) {
        Some(kind) => Err(arguments::other_type(sent, kind, allowed)),
        None => Ok((named, id)),
    }
}

/// The id that the argument `id` names, and the kinds that it may be of: those that a tool takes, or the one that `type` or the address names.
///
/// # Errors
/// On an id or a type that is none, and on an address of another kind.
pub(super) fn sent_id(
    request: &McpRequest<'_>,
    arguments: &Arguments,
    allowed: &[Kind],
    hint: &str,
) -> Result<(String, Vec<Kind>), Problem> {
    let sent = arguments.id(hint)?;
    let typed = arguments.kind(allowed)?;
    let (named, id) = reference_among(&request.snapshot, sent, typed.as_ref().map_or(allowed, std::slice::from_ref))?;
    Ok((id, typed.or(named).map_or_else(|| allowed.to_vec(), |kind| vec![kind])))
}

/// The one item of these kinds that an id or alias names, with the alias. `param` is the argument that holds the id.
pub(super) fn resolve_item<'a>(
    request: &'a McpRequest<'_>,
    param: &str,
    kinds: &[Kind],
    id: &'a str,
) -> Result<(u32, Option<&'a str>), Problem> {
    let of_kind = |kind: &Kind| match request.snapshot.find(*kind, id) {
        Found::Id(ordinal) => Some((ordinal, None)),
        Found::Alias(ordinal) => Some((ordinal, Some(id))),
        Found::Ambiguous(_) | Found::Unknown => None,
    };
    let mut found: Vec<(u32, Option<&str>)> = kinds.iter().filter_map(of_kind).collect();
    // What no source spells so may be a name, or one without what its kind goes without saying: `GPT-4o Mini`, `5 Whys`.
    if found.is_empty() {
        found = kinds.iter().filter_map(|kind| resolve(&request.snapshot, *kind, id).ok()).collect();
    }
    // An id wins over an alias of another item.
    if found.len() > 1 && found.iter().filter(|(_, alias)| alias.is_none()).count() == 1 {
        found.retain(|(_, alias)| alias.is_none());
    }
    match found.as_slice() {
        [one] => Ok(*one),
        [] => {
            let label = if kinds.len() == Kind::ALL.len() {
                "item".to_owned()
            } else {
                enumerated(&kinds.iter().map(|kind| kind.label()).collect::<Vec<_>>(), "or")
            };
            let unresolved = Unresolved::new(&request.snapshot, kinds, id);
            let search = if kinds == [Kind::Framework] { "search_frameworks" } else { "search_catalog" };
            Err(Problem::no_item(&label, id, unresolved, search, how_to_get).with("param", param))
        }
        several => {
            let kinds = several.iter().map(|(ordinal, _)| request.snapshot.kind_of(*ordinal).search_type());
            let kinds: Vec<&str> = kinds.collect();
            let shown = refdesk_core::clean::excerpt(id, 100);
            let detail = format!("{shown:?} names items of several types.");
            Err(arguments::invalid("type", "type is required", detail, "Send type too.").with("allowed_types", kinds))
        }
    }
}

/// How a client reads an item of a kind.
fn how_to_get(kind: Kind, id: &str) -> String {
    format!("get_item with type={} and id={id}", kind.search_type())
}
