//! Takes literal secrets out of what a fact shows: what its source published by mistake, nobody else repeats.
//!
//! A text for people that holds a token of a known form or a private key is withheld with its record; in names, descriptions and other
//! fields the secret alone is replaced. Schemas of arguments are let be: what looks like a token there is an example of one.

use refdesk_core::fact::{RecordWithheld, StatedBy};
use refdesk_core::item::Item;
use refdesk_core::{Body, Fact};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::literal_secret::{holds_private_key, token_in_prose};

/// What a fact tells instead of a text that holds a secret.
pub const BODY_MISSING: &str = "secret";
/// Replaces a secret in what is shown.
const HIDDEN: &str = "REDACTED";
/// Fields that describe values and show examples of them.
const SCHEMAS: [&str; 3] = ["input_schema", "output_schema", "config_schema"];

/// The fact without its literal secrets, and without its record where that holds one.
pub fn without_secrets(mut fact: Fact) -> Fact {
    let record = String::from_utf8_lossy(fact.record.as_bytes());
    // The record holds everything that the fields show.
    let in_record = holds_one(&record);
    let in_text = match &fact.body {
        Body::Record => in_record,
        Body::Markdown(text) => holds_one(text),
        Body::None | Body::Missing(_) => false,
    };
    let in_card = in_record && fact.provenance.stated_by == Some(StatedBy::Card);
    let in_fields = in_record && hide_in_fields(&mut fact);
    if in_text || in_card || in_fields {
        fact.provenance.record_withheld.get_or_insert(RecordWithheld::Secret);
    }
    if in_text {
        fact.body = Body::Missing(BODY_MISSING.into());
    }
    fact
}

/// Replaces the secrets in the name and the fields, and tells whether there were any. A prompt that holds one is left out whole.
fn hide_in_fields(fact: &mut Fact) -> bool {
    let name = without_secret(&fact.head.name);
    let has_fields = match &mut fact.item {
        Item::Model(fields) => hide(fields),
        Item::Tool(fields) => hide(fields),
        Item::Skill(fields) => hide(fields),
        Item::Tutorial(fields) => hide(fields),
        Item::McpServer(fields) => hide(fields),
        Item::Document(fields) => hide(fields),
        Item::Framework(fields) => {
            let prompt = fields.prompt.take_if(|prompt| holds_one(&prompt.text));
            if prompt.is_some() {
                fact.head.status = fields.publication_score().status();
            }
            hide(fields) || prompt.is_some()
        }
    };
    let has_name = name.is_some();
    if let Some(name) = name {
        fact.head.name = name;
    }
    has_name || has_fields
}

/// Replaces the secrets in the fields of an item.
fn hide<T: Serialize + DeserializeOwned>(fields: &mut T) -> bool {
    // Fields are kept as JSON, so what is none is not kept either.
    let Ok(mut value) = serde_json::to_value(&*fields) else { return false };
    let is_changed = hide_in(&mut value);
    if is_changed && let Ok(shown) = serde_json::from_value(value) {
        *fields = shown;
    }
    is_changed
}

fn hide_in(value: &mut Value) -> bool {
    match value {
        Value::String(text) => {
            let shown = without_secret(text);
            let is_changed = shown.is_some();
            if let Some(shown) = shown {
                *text = shown;
            }
            is_changed
        }
        Value::Array(items) => hide_in_all(items.iter_mut()),
        Value::Object(members) => {
            let shown = members.iter_mut().filter(|(name, _)| !SCHEMAS.contains(&name.as_str()));
            hide_in_all(shown.map(|(_, member)| member))
        }
        _ => false,
    }
}

fn hide_in_all<'v>(values: impl Iterator<Item = &'v mut Value>) -> bool {
    let mut is_changed = false;
    for value in values {
        is_changed |= hide_in(value);
    }
    is_changed
}

/// The text with another word in the place of each secret; `None` when it holds none. Of a text with a private key nothing is left.
fn without_secret(text: &str) -> Option<String> {
    if !holds_one(text) {
        return None;
    }
    if private_keys(text).any(holds_private_key) {
        return Some(HIDDEN.to_owned());
    }
    let mut shown = String::with_capacity(text.len());
    for piece in text.split_inclusive(ends_word) {
        let word = piece.strip_suffix(ends_word).unwrap_or(piece);
        if let Some(at) = token_in_prose(word) {
            shown.push_str(&word[..at]);
            shown.push_str(HIDDEN);
            shown.push_str(&piece[word.len()..]);
        } else {
            shown.push_str(piece);
        }
    }
    Some(shown)
}

fn ends_word(c: char) -> bool {
    c.is_whitespace() || matches!(c, '"' | '\'' | '`' | ',' | ';' | '(' | ')' | '<' | '>')
}

/// True when a text for people holds a token of a known form, or a private key.
fn holds_one(text: &str) -> bool {
    text.split(ends_word).any(|word| token_in_prose(word).is_some()) || private_keys(text).any(holds_private_key)
}

/// The private keys in PEM that a text shows, each from its heading to its end, or to the end of the text.
fn private_keys(text: &str) -> impl Iterator<Item = &str> {
    let headings = text.match_indices("PRIVATE KEY-----").filter(|(at, _)| {
        let line = text[..*at].rfind('\n').map_or(0, |end| end + 1);
        text[line..*at].contains("-----BEGIN")
    });
    headings.map(|(at, _)| {
        let key = &text[at..];
        &key[..key.find("-----END").unwrap_or(key.len())]
    })
}

#[cfg(test)]
mod tests {
    use super::{holds_one, without_secret};

    #[test]
    fn a_text_with_a_token_or_a_private_key_holds_a_secret_and_one_with_an_example_does_not() {
        const LINE: &str = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcw";
        let page = |line: &str| {
            format!(
                "Write your key here:\n\n```\n-----BEGIN RSA PRIVATE KEY-----\n{line}\n-----END RSA PRIVATE KEY-----\n```\n\nAn example.\n"
            )
        };
        for (text, holds) in [
            (page(LINE), true),
            (page("..."), false),
            (page(&format!("{LINE}...")), false),
            (format!("The end of a key is `PRIVATE KEY-----`. {LINE}"), false),
            ("Set `GROQ_API_KEY=gsk_Zt4kP9qLm2Xv7Bn8Wd3RyU5c`.".to_owned(), true),
            ("Set `GROQ_API_KEY=gsk_xxxxxxxxxxxxxxxxxxxxxxxx`.".to_owned(), false),
            ("Use xai-grok-4-1-fast-non-reasoning-20251119.".to_owned(), false),
        ] {
            assert_eq!(holds_one(&text), holds, "{text}");
        }
    }

    #[test]
    fn in_other_texts_the_secret_alone_is_replaced() {
        let shown = |text: &str| without_secret(text);
        assert_eq!(
            shown("Run `export TOKEN=ghp_Zt4kP9qLm2Xv7Bn8Wd3RyU5c`, then start.").as_deref(),
            Some("Run `export TOKEN=REDACTED`, then start.")
        );
        assert_eq!(shown("Run `export TOKEN=ghp_your_token_here_1234567890`."), None);
    }
}
