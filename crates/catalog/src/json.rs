//! A writer of JSON objects straight into a byte buffer: rows and answers are rendered without a tree in between.
//!
//! Every text that is written loses its hidden characters ([`clean::visible`]) here, at one place: whatever an upstream put into a field,
//! no answer reorders or hides text in a terminal or page. A full text that a reader may want to compare is [`Object::verbatim`].

use std::io;

use serde::{Deserialize, Serialize};
use serde_json::ser::{CharEscape, Formatter, Serializer};

use crate::broken::broken;
use refdesk_core::{Stamp, clean};

/// Reads JSON again that this crate rendered: rows, details, hits.
///
/// # Panics
/// When it cannot be read: see [`broken`].
pub fn read_own<'a, T: Deserialize<'a>>(rendered: &'a [u8]) -> T {
    serde_json::from_slice(rendered).unwrap_or_else(|error| unreadable(rendered, &error))
}

/// Ends the work at hand because JSON that this crate rendered cannot be read again.
///
/// # Panics
/// Always: see [`broken`].
#[cold]
pub fn unreadable(rendered: &[u8], error: &serde_json::Error) -> ! {
    let quoted = clean::quoted(&String::from_utf8_lossy(rendered));
    broken("rendered JSON cannot be read again", format!("{error}: {quoted}"))
}

/// Whether a value says anything: null, an empty list and an empty object do not.
pub fn is_set(value: &serde_json::Value) -> bool {
    match value {
        serde_json::Value::Null => false,
        serde_json::Value::Array(list) => !list.is_empty(),
        serde_json::Value::Object(object) => !object.is_empty(),
        _ => true,
    }
}

/// The text of a member; empty when there is none.
pub fn text_of<'a>(value: &'a serde_json::Value, name: &str) -> &'a str {
    value.get(name).and_then(serde_json::Value::as_str).unwrap_or_default()
}

/// An open JSON object in a buffer. [`Object::close`] ends it.
pub struct Object<'a> {
    out: &'a mut Vec<u8>,
    empty: bool,
}

impl<'a> Object<'a> {
    /// Starts an object.
    pub fn open(out: &'a mut Vec<u8>) -> Self {
        out.push(b'{');
        Self { out, empty: true }
    }

    /// Goes on with an object whose opening brace and first members are in the buffer already.
    pub fn go_on(out: &'a mut Vec<u8>) -> Self {
        Self { out, empty: false }
    }

    /// Writes the name of the next member; its value is for the caller to write.
    #[inline]
    pub fn name(&mut self, name: &str) -> &mut Vec<u8> {
        if !self.empty {
            self.out.push(b',');
        }
        self.empty = false;
        self.out.push(b'"');
        self.out.extend_from_slice(name.as_bytes());
        self.out.extend_from_slice(b"\":");
        self.out
    }

    /// A member of any serialisable value.
    pub fn value<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) {
        write(self.name(name), value);
    }

    /// A text member.
    pub fn text(&mut self, name: &str, text: &str) {
        write_text(self.name(name), text);
    }

    /// A text member that is made of several pieces.
    pub fn joined(&mut self, name: &str, pieces: &[&str]) {
        if !pieces.iter().all(|piece| is_plain(piece)) {
            return self.text(name, &pieces.concat());
        }
        let out = self.name(name);
        out.push(b'"');
        pieces.iter().for_each(|piece| out.extend_from_slice(piece.as_bytes()));
        out.push(b'"');
    }

    /// A text or null.
    pub fn optional(&mut self, name: &str, text: Option<&str>) {
        match text {
            Some(text) => self.text(name, text),
            None => self.raw(name, "null"),
        }
    }

    /// A text or null, with every character that it has.
    pub fn verbatim(&mut self, name: &str, text: Option<&str>) {
        serde_json::to_writer(self.name(name), &text).unwrap_or_else(|error| broken("a text cannot be written", error));
    }

    /// A time or null.
    pub fn stamp(&mut self, name: &str, stamp: Option<Stamp>) {
        self::stamp(self.name(name), stamp);
    }

    /// A text that needs no escapes.
    pub fn plain(&mut self, name: &str, text: &[u8]) {
        let out = self.name(name);
        out.push(b'"');
        out.extend_from_slice(text);
        out.push(b'"');
    }

    /// A boolean.
    pub fn flag(&mut self, name: &str, flag: bool) {
        self.raw(name, if flag { "true" } else { "false" });
    }

    /// A number.
    pub fn count(&mut self, name: &str, count: usize) {
        self.value(name, &count);
    }

    /// A member whose value is JSON already.
    pub fn raw(&mut self, name: &str, json: impl AsRef<[u8]>) {
        self.name(name).extend_from_slice(json.as_ref());
    }

    /// An array of objects, the members of each written by `members`.
    pub fn objects<T>(
        &mut self,
        name: &str,
        items: impl IntoIterator<Item = T>,
        mut members: impl FnMut(&mut Object<'_>, T),
    ) {
        array(self.name(name), items, |out, item| {
            let mut object = Object::open(out);
            members(&mut object, item);
            object.close();
        });
    }

    /// Members that are JSON already, without braces: `"a":1,"b":2`.
    pub fn members(&mut self, json: &[u8]) {
        if json.is_empty() {
            return;
        }
        if !self.empty {
            self.out.push(b',');
        }
        self.empty = false;
        self.out.extend_from_slice(json);
    }

    /// Ends the object.
    pub fn close(self) {
        self.out.push(b'}');
    }

    /// The buffer, for a value written piece by piece after [`Object::name`].
    pub fn buffer(&mut self) -> &mut Vec<u8> {
        self.out
    }
}

/// JSON without hidden characters, compact.
struct VisibleText;

impl Formatter for VisibleText {
    fn write_string_fragment<W: io::Write + ?Sized>(&mut self, out: &mut W, fragment: &str) -> io::Result<()> {
        out.write_all(clean::visible(fragment).as_bytes())
    }

    fn write_char_escape<W: io::Write + ?Sized>(&mut self, out: &mut W, escape: CharEscape) -> io::Result<()> {
        let escaped: &[u8] = match escape {
            CharEscape::Quote => b"\\\"",
            CharEscape::ReverseSolidus => b"\\\\",
            CharEscape::Solidus => b"\\/",
            CharEscape::LineFeed => b"\\n",
            CharEscape::CarriageReturn => b"\\r",
            CharEscape::Tab => b"\\t",
            // All other controls are hidden characters.
            CharEscape::Backspace | CharEscape::FormFeed | CharEscape::AsciiControl(_) => b"",
        };
        out.write_all(escaped)
    }
}

/// Appends a time or null.
pub fn stamp(out: &mut Vec<u8>, stamp: Option<Stamp>) {
    match stamp.map(Stamp::written) {
        Some(text) => {
            out.push(b'"');
            out.extend_from_slice(&text);
            out.push(b'"');
        }
        None => out.extend_from_slice(b"null"),
    }
}

/// Writes any serialisable value, its texts without hidden characters.
pub fn write<T: Serialize + ?Sized>(out: &mut Vec<u8>, value: &T) {
    let written = value.serialize(&mut Serializer::with_formatter(out, VisibleText));
    // A Vec never refuses bytes, and our values have text keys.
    written.unwrap_or_else(|error| broken("a value cannot be written as JSON", error));
}

/// A serialisable value as JSON, its texts without hidden characters, which can carry instructions to a model.
pub fn rendered<T: Serialize + ?Sized>(value: &T) -> Vec<u8> {
    let mut out = Vec::new();
    write(&mut out, value);
    out
}

/// Bytes of a text that are tested together.
const CHUNK_BYTES: usize = 32;

/// Writes a text: what is JSON as it stands is copied, and only the characters between are looked at one by one.
fn write_text(out: &mut Vec<u8>, text: &str) {
    out.reserve(text.len() + 2);
    out.push(b'"');
    let mut rest = text;
    loop {
        let plain = plain_len(rest.as_bytes());
        out.extend_from_slice(&rest.as_bytes()[..plain]);
        let (between, after) = rest[plain..].split_at(special_len(&rest[plain..]));
        clean::visible_chars(between).for_each(|c| write_char(out, c));
        rest = after;
        if rest.is_empty() {
            break;
        }
    }
    out.push(b'"');
}

/// How many bytes a text begins with that are not plain.
fn special_len(text: &str) -> usize {
    text.find(|c: char| c.is_ascii() && special(c as u8) == 0).unwrap_or(text.len())
}

/// Writes a character that is not plain, and not hidden.
fn write_char(out: &mut Vec<u8>, c: char) {
    match c {
        '"' => out.extend_from_slice(b"\\\""),
        '\\' => out.extend_from_slice(b"\\\\"),
        '\n' => out.extend_from_slice(b"\\n"),
        '\r' => out.extend_from_slice(b"\\r"),
        '\t' => out.extend_from_slice(b"\\t"),
        c => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
    }
}

/// 1 for a byte that is no JSON as it stands, or of a character that may be hidden: all but ASCII without controls and escapes.
fn special(byte: u8) -> u8 {
    // Combined comparisons vectorise; a list of patterns compiles to a bit table and does not.
    u8::from(byte.wrapping_sub(b' ') >= 0x7f - b' ') | u8::from(byte == b'"') | u8::from(byte == b'\\')
}

/// Whether a text is JSON as it stands and has no hidden character.
fn is_plain(text: &str) -> bool {
    plain_len(text.as_bytes()) == text.len()
}

/// How many bytes of a text are JSON as they stand.
fn plain_len(text: &[u8]) -> usize {
    let mut plain = 0;
    while let Some(chunk) = text[plain..].first_chunk::<CHUNK_BYTES>() {
        // No early end, so that the loop is compiled to vector instructions.
        if chunk.iter().fold(0, |found, byte| found | special(*byte)) > 0 {
            break;
        }
        plain += CHUNK_BYTES;
    }
    plain + text[plain..].iter().take_while(|byte| special(**byte) == 0).count()
}

/// Writes an array of values, each written by `item`.
pub fn array<T>(out: &mut Vec<u8>, items: impl IntoIterator<Item = T>, mut item: impl FnMut(&mut Vec<u8>, T)) {
    out.push(b'[');
    for (at, value) in items.into_iter().enumerate() {
        if at > 0 {
            out.push(b',');
        }
        item(out, value);
    }
    out.push(b']');
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    #[test]
    fn rendered_json_that_cannot_be_read_again_is_no_empty_answer() {
        let panic = std::panic::catch_unwind(|| super::read_own::<serde_json::Value>(b"{\"id\":")).err();
        let message = panic.as_ref().and_then(|panic| panic.downcast_ref::<String>()).map_or("", String::as_str);
        assert!(message.starts_with("rendered JSON cannot be read again: EOF while parsing a value"), "{message}");
    }

    proptest! {
        #[test]
        fn a_text_is_written_as_any_other_value(
            text in prop_oneof!["[a-z \"\\\\\n\t\r\u{0}\u{7f}\u{200b}\u{200c}\u{200d}\u{202e}é漢😀क्ی]{0,120}", any::<String>()],
        ) {
            let (mut fast, mut slow) = (Vec::new(), Vec::new());
            super::write_text(&mut fast, &text);
            super::write(&mut slow, text.as_str());
            prop_assert_eq!(String::from_utf8(fast), String::from_utf8(slow));
        }
    }
}
