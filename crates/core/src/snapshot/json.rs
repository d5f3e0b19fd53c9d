//! A writer of JSON objects straight into a byte buffer: rows and answers are rendered without a tree in between.

use serde::Serialize;

use crate::Stamp;

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
        if pieces.iter().any(|piece| has_escapes(piece)) {
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

    /// A time or null.
    pub fn stamp(&mut self, name: &str, stamp: Option<Stamp>) {
        match stamp.map(Stamp::written) {
            Some(Some(text)) => self.plain(name, &text),
            _ => self.value(name, &stamp),
        }
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

/// Writes any serialisable value.
pub fn write<T: Serialize + ?Sized>(out: &mut Vec<u8>, value: &T) {
    // A Vec never refuses bytes and our values have text keys, so this cannot fail; null keeps the JSON whole if it ever does.
    let start = out.len();
    if serde_json::to_writer(&mut *out, value).is_err() {
        out.truncate(start);
        out.extend_from_slice(b"null");
    }
}

/// Writes a text. Most texts need no escape; those are found out faster than they are written a character at a time.
fn write_text(out: &mut Vec<u8>, text: &str) {
    if has_escapes(text) {
        return write(out, text);
    }
    out.reserve(text.len() + 2);
    out.push(b'"');
    out.extend_from_slice(text.as_bytes());
    out.push(b'"');
}

/// Whether JSON escapes something of a text.
fn has_escapes(text: &str) -> bool {
    // No early end, so that the loop is compiled to vector instructions.
    let escapes = text.bytes().map(|byte| u8::from(matches!(byte, 0..=0x1f | b'"' | b'\\')));
    escapes.fold(0, |found, escape| found | escape) > 0
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
