//! What one fact may be, whatever its source says: short names, few aliases, texts and lists that a page can show, no date to come.
//!
//! A connector need not think of it: every fact passes here before it is written, and one that is too much becomes a reject with its reason.
//! How large a record may be is the readers' business ([`crate::connectors::formats::json_text`], [`crate::connectors::formats::tree`]); how many facts there
//! may be is [`crate::connectors::kept`]'s.

use refdesk_core::fact::REJECT_KEY_BYTES_MAX;
use refdesk_core::{Body, Fact, Kind, Reject, Stamp, clean};
use serde_json::Value;

use crate::config::Span;
use crate::connectors::FactFiles;

/// Longest key of a fact, in bytes. An index of `PostgreSQL` takes 2,704 with the source and the kind.
pub const KEY_BYTES_MAX: usize = 1 << 10;
const _: () = assert!(KEY_BYTES_MAX <= REJECT_KEY_BYTES_MAX, "a reject has the key of its fact whole");
/// Longest name, id, vendor or alias, in bytes.
pub const NAME_BYTES_MAX: usize = 1 << 10;
/// Most aliases of a fact, and most entries of each list by which facts meet.
pub const ALIASES_MAX: usize = 1_000;
/// Longest address, in bytes.
pub const ADDRESS_BYTES_MAX: usize = 8 << 10;
/// Longest text of a field, in bytes; those of frameworks may be longer.
pub const TEXT_BYTES_MAX: usize = 32 << 10;
/// Longest text of a framework, in bytes: its prompt, and the sections of it. Collections hold prompts of 231 KB.
pub const PROMPT_BYTES_MAX: usize = 1 << 20;
/// Most entries of a list in the fields.
pub const LIST_ITEMS_MAX: usize = 10_000;
/// Most bytes of all fields of a fact.
pub const FIELDS_BYTES_MAX: usize = 2 << 20;
/// A day begins so much earlier in the east than in Greenwich: a card may be checked on a day that has begun somewhere.
pub const CHECKED_AHEAD_MAX: Span = Span::secs(14 * 3_600);
/// How much of a fact's record its reject shows, in bytes.
const SHOWN_BYTES: usize = 2 << 10;

/// The facts within the bounds; the others become rejects, which name the file of those that are all of a file. Without `now` dates are
/// not looked at.
pub(super) fn within(facts: Vec<Fact>, files: &FactFiles, rejects: &mut Vec<Reject>, now: Option<Stamp>) -> Vec<Fact> {
    let mut good = Vec::with_capacity(facts.len());
    for fact in facts {
        match check(&fact).and_then(|()| now.map_or(Ok(()), |now| check_date(&fact, now))) {
            Ok(()) => good.push(fact),
            Err(reason) => {
                let record = fact.record.as_bytes();
                let shown = String::from_utf8_lossy(record.get(..SHOWN_BYTES).unwrap_or(record));
                rejects.push(match files.get(&(fact.kind(), fact.key.clone())) {
                    Some(path) => {
                        Reject::new(path.as_str(), format!("{path}: {reason}"), &shown).of(Some(fact.key.as_str()))
                    }
                    None => Reject::new(fact.key.as_str(), reason, &shown),
                });
            }
        }
    }
    good
}

fn check_date(fact: &Fact, now: Stamp) -> Result<(), String> {
    match fact.checked_on {
        Some(at) if at.secs_since(now) > CHECKED_AHEAD_MAX.as_stamp_secs() => Err(format!(
            "`checked_on` is {}, a date in the future; set it to the day of the check",
            at.to_string().get(..10).unwrap_or_default()
        )),
        _ => Ok(()),
    }
}

fn check(fact: &Fact) -> Result<(), String> {
    let (head, identity) = (&fact.head, &fact.identity);
    not_blank("its key", &fact.key)?;
    not_blank("its name", &head.name)?;
    no_longer("its key", &fact.key, KEY_BYTES_MAX)?;
    without_nul("its key", &fact.key)?;
    without_nul("its address", &fact.source_url)?;
    if let Body::Missing(reason) = &fact.body {
        without_nul("why its body is missing", reason)?;
    }
    no_longer("its id", &head.id, NAME_BYTES_MAX)?;
    no_longer("its name", &head.name, NAME_BYTES_MAX)?;
    no_longer("its vendor", head.vendor.as_deref().unwrap_or_default(), NAME_BYTES_MAX)?;
    no_longer("its language", head.language.as_deref().unwrap_or_default(), NAME_BYTES_MAX)?;
    no_longer("its address", &fact.source_url, ADDRESS_BYTES_MAX)?;
    for (what, texts, bytes_max) in [
        ("aliases", &head.aliases, NAME_BYTES_MAX),
        ("references", &fact.provenance.references, ADDRESS_BYTES_MAX),
        ("ids elsewhere", &identity.same_as, ADDRESS_BYTES_MAX),
        ("packages", &identity.packages, ADDRESS_BYTES_MAX),
        ("remotes", &identity.remotes, ADDRESS_BYTES_MAX),
    ] {
        if texts.len() > ALIASES_MAX {
            return Err(format!("it has {} {what}; at most {ALIASES_MAX} are taken", texts.len()));
        }
        texts.iter().try_for_each(|text| no_longer(&format!("one of its {what}"), text, bytes_max))?;
    }
    for text in
        [&identity.provider, &identity.api_model_id, &identity.maker, &identity.repository].into_iter().flatten()
    {
        no_longer("what it is known by", text, ADDRESS_BYTES_MAX)?;
    }
    let fields = fact.item.to_json().map_err(|error| error.to_string())?;
    let text_max = if fact.kind() == Kind::Framework { PROMPT_BYTES_MAX } else { TEXT_BYTES_MAX };
    let bytes = measure(&fields, "", text_max)?;
    if bytes > FIELDS_BYTES_MAX {
        return Err(format!("its fields have {bytes} bytes together; at most {FIELDS_BYTES_MAX} are taken"));
    }
    Ok(())
}

/// Nobody could see, name or look for what has no visible character.
fn not_blank(what: &str, text: &str) -> Result<(), String> {
    if clean::line(text).is_empty() { Err(format!("{what} has no visible character")) } else { Ok(()) }
}

/// `PostgreSQL` takes no NUL in a text, and a store is to take the same whatever its engine is. JSON escapes it, contents are bytes.
fn without_nul(what: &str, text: &str) -> Result<(), String> {
    if text.contains('\0') { Err(format!("{what} has a NUL character; take it out")) } else { Ok(()) }
}

fn no_longer(what: &str, text: &str, bytes_max: usize) -> Result<(), String> {
    if text.len() > bytes_max {
        return Err(format!("{what} has {} bytes; at most {bytes_max} are taken", text.len()));
    }
    Ok(())
}

/// The bytes of all texts of a value, each within its bound.
fn measure(value: &Value, field: &str, text_max: usize) -> Result<usize, String> {
    match value {
        Value::String(text) => no_longer(&format!("`{field}`"), text, text_max).map(|()| text.len()),
        Value::Array(items) if items.len() > LIST_ITEMS_MAX => {
            Err(format!("`{field}` has {} entries; at most {LIST_ITEMS_MAX} are taken", items.len()))
        }
        Value::Array(items) => items.iter().map(|item| measure(item, field, text_max)).sum(),
        Value::Object(members) => members
            .iter()
            .map(|(key, value)| {
                no_longer(&format!("a name in `{field}`"), key, NAME_BYTES_MAX)?;
                let path = if field.is_empty() { key.as_str() } else { field };
                measure(value, path, text_max).map(|bytes| key.len() + bytes)
            })
            .sum(),
        _ => Ok(8),
    }
}
