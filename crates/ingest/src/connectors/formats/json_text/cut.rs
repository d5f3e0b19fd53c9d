//! Finds where the values of a JSON text begin and end, without reading them. Brackets are counted and strings skipped, no more: what a record
//! holds is [`super::record`]'s business, so nothing in it can lead the search astray but a bracket too many.

use super::Reason;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// How many bytes a string takes with its quotes; `None` when it has no end.
pub(super) fn string_length(text: &[u8]) -> Option<usize> {
    let mut at = 1;
    loop {
        match text.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

/// Finds where values begin and end.
pub(super) struct Cut<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Cut<'a> {
    pub(super) fn new(text: &'a [u8]) -> Self {
        let mut cut = Self { text: text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text), at: 0 };
        cut.skip_space();
        cut
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while self.peek().is_some_and(|b| matches!(b, b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn wrong<T>(&self, wanted: &str) -> Result<T, Reason> {
        Err(match self.peek() {
            Some(_) => format!("it is not JSON: byte {} is not {wanted}", self.at),
            None => format!("it ends early: {wanted} is missing"),
        })
    }

    pub(super) fn expect(&mut self, byte: u8) -> Result<(), Reason> {
        self.skip_space();
        if self.peek() != Some(byte) {
            return self.wrong(&format!("`{}`", char::from(byte)));
        }
        self.at += 1;
        Ok(())
    }

    /// Entries with commas between them, from the opening bracket to the end of the text.
    pub(super) fn list(
        &mut self,
        close: u8,
        mut entry: impl FnMut(&mut Self) -> Result<(), Reason>,
    ) -> Result<(), Reason> {
        self.at += 1;
        self.skip_space();
        if self.peek() == Some(close) {
            self.at += 1;
        } else {
            loop {
                entry(self)?;
                self.skip_space();
                match self.peek() {
                    Some(b',') => self.at += 1,
                    Some(b) if b == close => {
                        self.at += 1;
                        break;
                    }
                    _ => return self.wrong(&format!("`,` or `{}`", char::from(close))),
                }
            }
        }
        self.skip_space();
        if self.peek().is_some() { self.wrong("the end") } else { Ok(()) }
    }

    pub(super) fn string(&mut self) -> Result<&'a [u8], Reason> {
        self.skip_space();
        if self.peek() != Some(b'"') {
            return self.wrong("a key in quotes");
        }
        let rest = &self.text[self.at..];
        let Some(length) = string_length(rest) else {
            self.at = self.text.len();
            return self.wrong("the closing quote");
        };
        self.at += length;
        Ok(&rest[..length])
    }

    pub(super) fn value(&mut self) -> Result<&'a [u8], Reason> {
        self.skip_space();
        let begin = self.at;
        match self.peek() {
            Some(b'"') => return self.string(),
            Some(b'{' | b'[') => self.nested()?,
            _ => {
                while self.peek().is_some_and(|b| !matches!(b, b',' | b']' | b'}' | b' ' | b'\t' | b'\n' | b'\r')) {
                    self.at += 1;
                }
            }
        }
        if self.at == begin {
            return self.wrong("a value");
        }
        Ok(&self.text[begin..self.at])
    }

    /// Over a value in brackets. They are counted, not matched: what is closed by the wrong one is no JSON when it is read.
    fn nested(&mut self) -> Result<(), Reason> {
        let mut depth = 0_usize;
        while let Some(byte) = self.peek() {
            match byte {
                b'"' => {
                    self.string()?;
                    continue;
                }
                b'{' | b'[' => depth += 1,
                b'}' | b']' => depth -= 1,
                _ => {}
            }
            self.at += 1;
            if depth == 0 {
                return Ok(());
            }
        }
        self.wrong("a closing bracket")
    }
}
