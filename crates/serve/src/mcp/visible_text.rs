//! Removes hidden characters from finished JSON, because invisible text can carry instructions to a model.

use std::borrow::Cow;

use refdesk_core::clean;

/// JSON without the characters that [`clean::is_hidden`] names, whether its texts hold them literally or escaped.
pub(crate) fn visible_json(json: &[u8]) -> Cow<'_, [u8]> {
    let Some(first) = first_hidden(json) else { return Cow::Borrowed(json) };
    let mut out = Vec::with_capacity(json.len());
    out.extend_from_slice(&json[..first]);
    let text = String::from_utf8_lossy(&json[first..]);
    let mut rest = &*text;
    while let Some(c) = rest.chars().next() {
        let (length, hidden) = match c {
            '\\' => escaped(rest.as_bytes()),
            c => (c.len_utf8(), clean::is_hidden(c)),
        };
        let (unit, after) = rest.split_at(length.min(rest.len()));
        if !hidden {
            out.extend_from_slice(unit.as_bytes());
        }
        rest = after;
    }
    Cow::Owned(out)
}

/// Length of the escape at the beginning, and whether it means a hidden character.
fn escaped(text: &[u8]) -> (usize, bool) {
    match text.get(1) {
        Some(b'b' | b'f') => (2, true),
        Some(b'u') => {
            let code = text.get(2..6).and_then(|hex| u32::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok());
            (6, code.and_then(char::from_u32).is_some_and(clean::is_hidden))
        }
        _ => (2, false),
    }
}

/// Where the first hidden character begins. It decodes only characters whose first byte a hidden one can have.
fn first_hidden(json: &[u8]) -> Option<usize> {
    let mut at = 0;
    while let Some(byte) = json.get(at) {
        match byte {
            b'\\' => {
                let (length, hidden) = escaped(&json[at..]);
                if hidden {
                    return Some(at);
                }
                at += length;
                continue;
            }
            0x7f => return Some(at),
            0xc2 | 0xd8 | 0xe1 | 0xe2 | 0xef | 0xf3 => {
                let length = if *byte < 0xe0 {
                    2
                } else if *byte < 0xf0 {
                    3
                } else {
                    4
                };
                let c = json.get(at..at + length).and_then(|bytes| std::str::from_utf8(bytes).ok()?.chars().next());
                if c.is_some_and(clean::is_hidden) {
                    return Some(at);
                }
            }
            _ => {}
        }
        at += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::visible_json;

    #[test]
    fn hidden_characters_go_whether_escaped_or_not() {
        let check = |text: &str| String::from_utf8_lossy(&visible_json(text.as_bytes())).into_owned();
        assert_eq!(check("{\"a\":\"x\u{202e}y\u{e0041}z\u{7f}\"}"), "{\"a\":\"xyz\"}");
        assert_eq!(check(r#"{"a":"x\u0000\b\u001by\n\"\\u0000"}"#), r#"{"a":"xy\n\"\\u0000"}"#);
        assert_eq!(check("{\"a\":\"— “ü” …\"}"), "{\"a\":\"— “ü” …\"}");
    }
}
