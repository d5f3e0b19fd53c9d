//! One tag of JSX.

use super::literal::{Literal, skip_opaque};

/// Longest tag, in bytes; anything longer is text.
pub(super) const MDX_TAG_BYTES_MAX: usize = 256 * 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Opens,
    Closes,
    Both,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    /// A string or another literal.
    Literal(Literal),
    /// An expression that would have to be run.
    Expression,
    /// None.
    Flag,
}

#[derive(Debug, Clone)]
pub(super) struct Tag<'t> {
    pub(super) name: &'t str,
    pub(super) role: Role,
    pub(super) attributes: Vec<(&'t str, Value)>,
    /// Whether a value stands in braces, which HTML does not have.
    pub(super) has_braces: bool,
    /// Bytes of it.
    pub(super) length: usize,
}

impl<'t> Tag<'t> {
    /// The tag that a text begins with, and how many bytes were looked at.
    pub(super) fn parse(text: &'t str) -> (Option<Self>, usize) {
        let mut reader = TagReader { text: &text[..text.floor_char_boundary(MDX_TAG_BYTES_MAX)], at: 1 };
        let tag = reader.tag();
        (tag, reader.at)
    }

    /// The text of the first of these attributes that has one.
    pub(super) fn text(&self, names: &[&str]) -> Option<&str> {
        let literal = |name: &&str| {
            let (_, value) = self.attributes.iter().find(|(key, _)| key == name)?;
            let text = if let Value::Literal(literal) = value { literal.text()?.trim() } else { return None };
            (!text.is_empty()).then_some(text)
        };
        names.iter().find_map(literal)
    }
}

struct TagReader<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> TagReader<'t> {
    fn next(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn tag(&mut self) -> Option<Tag<'t>> {
        let closes = self.next()? == b'/';
        self.at += usize::from(closes);
        let name = self.name()?;
        let mut tag = Tag { name, role: Role::Opens, attributes: Vec::new(), has_braces: false, length: 0 };
        loop {
            let before = self.at;
            self.skip_blank();
            match self.next()? {
                b'>' => break,
                b'/' if self.text[self.at..].starts_with("/>") => {
                    self.at += 1;
                    tag.role = Role::Both;
                    break;
                }
                _ if before == self.at => return None,
                b'{' => {
                    let inner = &self.text[self.at + 1..];
                    (inner.starts_with("...") || inner.starts_with("/*")).then_some(())?;
                    self.at = self.expression_end()?;
                    tag.has_braces = true;
                }
                _ => {
                    let attribute = self.attribute(&mut tag.has_braces)?;
                    tag.attributes.push(attribute);
                }
            }
        }
        self.at += 1;
        tag.length = self.at;
        match (closes, tag.role, tag.attributes.is_empty()) {
            (true, Role::Opens, true) => tag.role = Role::Closes,
            (true, ..) => return None,
            _ => {}
        }
        Some(tag)
    }

    /// Where the expression in braces ends that is next; where it does not end, all was looked at.
    fn expression_end(&mut self) -> Option<usize> {
        let end = expression_end(self.text, self.at);
        self.at = end.unwrap_or(self.text.len());
        end
    }

    fn skip_blank(&mut self) {
        while self.next().is_some_and(|byte| byte.is_ascii_whitespace()) {
            self.at += 1;
        }
    }

    fn name(&mut self) -> Option<&'t str> {
        let start = self.at;
        let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b':' | b'$');
        while self.next().is_some_and(is_part) {
            self.at += 1;
        }
        (self.at > start && self.text.as_bytes()[start].is_ascii_alphabetic()).then(|| &self.text[start..self.at])
    }

    fn attribute(&mut self, has_braces: &mut bool) -> Option<(&'t str, Value)> {
        let name = self.name()?;
        let after = self.at;
        self.skip_blank();
        if self.next()? != b'=' {
            self.at = after;
            return Some((name, Value::Flag));
        }
        self.at += 1;
        self.skip_blank();
        let start = self.at;
        let value = match self.next()? {
            quote @ (b'"' | b'\'') => {
                self.at = self.text.len();
                let end = start + 1 + self.text[start + 1..].find(char::from(quote))?;
                self.at = end + 1;
                Value::Literal(Literal::Text(self.text[start + 1..end].to_owned()))
            }
            b'{' => {
                *has_braces = true;
                self.at = self.expression_end()?;
                let inner = self.text[start + 1..self.at - 1].trim();
                Literal::parse(inner).map_or(Value::Expression, Value::Literal)
            }
            // As HTML has it.
            _ => {
                let rest = &self.text[start..];
                let end = rest.find(|c: char| c.is_whitespace() || matches!(c, '>' | '<' | '{' | '"' | '\''))?;
                self.at += end;
                (end > 0).then(|| Value::Literal(Literal::Text(rest[..end].to_owned())))?
            }
        };
        Some((name, value))
    }
}

/// Where the expression in braces ends that begins at `start`, its closing brace included.
fn expression_end(text: &str, start: usize) -> Option<usize> {
    let (bytes, mut depth, mut at) = (text.as_bytes(), 0_usize, start);
    while at < bytes.len() {
        let after = skip_opaque(text, at)?;
        if after > at {
            at = after;
            continue;
        }
        match bytes[at] {
            b'{' | b'[' | b'(' => depth += 1,
            b'}' | b']' | b')' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
        at += 1;
    }
    None
}
