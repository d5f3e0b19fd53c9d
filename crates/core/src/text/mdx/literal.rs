//! Literals of JavaScript, as attributes of components have them: strings, lists and objects, nothing that would have to be run.

/// How deep a literal may nest.
const LITERAL_NESTING_MAX: usize = 16;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Literal {
    Text(String),
    List(Vec<Self>),
    Object(Vec<(String, Self)>),
    /// A number, `true`, `null`, …; within a list or an object also a name, so that the texts beside it can be read.
    Other,
}

impl Literal {
    /// The literal that a whole expression is; `None` for everything else.
    pub(super) fn parse(expression: &str) -> Option<Self> {
        let mut reader = LiteralReader { text: expression, at: 0 };
        let value = reader.value(0)?;
        reader.skip_blank();
        (reader.at == expression.len()).then_some(value)
    }

    pub(super) fn text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }
}

/// Where the string that begins at `at` ends, its closing quote included. A quote that the line does not close is an apostrophe.
pub(super) fn string_end(text: &str, at: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let quote = bytes[at];
    let mut end = at + 1;
    loop {
        match *bytes.get(end)? {
            b'\\' => end += 2,
            b'\n' if quote != b'`' => return None,
            byte if byte == quote => return Some(end + 1),
            _ => end += 1,
        }
    }
}

/// Where the string, comment or escaped character ends that starts at `at`: no bracket within it counts. `at` itself where none starts
/// there, `None` where a comment does not end. The slashes of an address are no comment, because text between tags may hold one.
pub(super) fn skip_opaque(text: &str, at: usize) -> Option<usize> {
    match text.as_bytes()[at] {
        b'\'' | b'"' | b'`' => Some(string_end(text, at).unwrap_or(at + 1)),
        b'/' if text[at..].starts_with("/*") => Some(at + text[at..].find("*/")? + 2),
        b'/' if text[at..].starts_with("//") && !text[..at].ends_with(':') => {
            Some(text[at..].find('\n').map_or(text.len(), |line| at + line))
        }
        // A string that does not close would be looked for again at each escaped quote within it.
        b'\\' => Some(at + 2),
        _ => Some(at),
    }
}

struct LiteralReader<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> LiteralReader<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn skip_blank(&mut self) {
        loop {
            let rest = self.rest();
            let comment = match rest.trim_start() {
                after if after.starts_with("//") => after.find('\n').map_or(after.len(), |end| end + 1),
                after if after.starts_with("/*") => after.find("*/").map_or(after.len(), |end| end + 2),
                _ => 0,
            };
            self.at += rest.len() - rest.trim_start().len() + comment;
            if comment == 0 {
                return;
            }
        }
    }

    fn takes(&mut self, mark: char) -> bool {
        self.skip_blank();
        let is_next = self.rest().starts_with(mark);
        self.at += if is_next { mark.len_utf8() } else { 0 };
        is_next
    }

    fn value(&mut self, depth: usize) -> Option<Literal> {
        if depth > LITERAL_NESTING_MAX {
            return None;
        }
        self.skip_blank();
        match self.rest().chars().next()? {
            '\'' | '"' | '`' => self.joined().map(Literal::Text),
            '[' => self.list(depth),
            '{' => self.object(depth),
            // A name stands for a value that is elsewhere.
            _ => self.word().filter(|word| depth > 0 || is_constant(word)).map(|_| Literal::Other),
        }
    }

    /// `'a' + "b"`
    fn joined(&mut self) -> Option<String> {
        let mut joined = String::new();
        loop {
            self.skip_blank();
            joined.push_str(&self.string()?);
            if !self.takes('+') {
                return Some(joined);
            }
        }
    }

    fn string(&mut self) -> Option<String> {
        if !self.rest().starts_with(['\'', '"', '`']) {
            return None;
        }
        let end = string_end(self.text, self.at)?;
        let inner = self.text.get(self.at + 1..end - 1)?;
        if self.rest().starts_with('`') && inner.replace("\\$", "").contains("${") {
            return None;
        }
        self.at = end;
        Some(unescaped(inner))
    }

    fn list(&mut self, depth: usize) -> Option<Literal> {
        self.takes('[');
        let mut items = Vec::new();
        while !self.takes(']') {
            items.push(self.value(depth + 1)?);
            if !self.takes(',') && !self.rest().starts_with(']') {
                return None;
            }
        }
        Some(Literal::List(items))
    }

    fn object(&mut self, depth: usize) -> Option<Literal> {
        self.takes('{');
        let mut members = Vec::new();
        while !self.takes('}') {
            let key = if self.rest().starts_with(['\'', '"']) { self.string() } else { self.word().map(str::to_owned) };
            let key = key?;
            if !self.takes(':') {
                return None;
            }
            members.push((key, self.value(depth + 1)?));
            if !self.takes(',') && !self.rest().starts_with('}') {
                return None;
            }
        }
        Some(Literal::Object(members))
    }

    /// A name, or a number.
    fn word(&mut self) -> Option<&'t str> {
        let rest = self.rest();
        let end =
            rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$' | '.' | '-'))).unwrap_or(rest.len());
        self.at += end;
        (end > 0).then(|| &rest[..end])
    }
}

fn is_constant(word: &str) -> bool {
    let is_number = word.trim_start_matches(['-', '.']).starts_with(|c: char| c.is_ascii_digit());
    is_number || matches!(word, "true" | "false" | "null" | "undefined")
}

fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('n') => out.push('\n'),
                Some('t') => out.push('\t'),
                Some('\n' | 'r') | None => {}
                Some(c) => out.push(c),
            },
            c => out.push(c),
        }
    }
    out
}
