//! How long a text is when written as JSON, and how much of it there is room for. Not how an answer is cut: that is
//! `projection/fit.rs`.

/// The first characters of a text: at most `chars_max`, and at most `bytes_max` when written as JSON. Gives their end in bytes and their
/// number.
pub(super) fn prefix(text: &str, chars_max: usize, bytes_max: usize) -> (usize, usize) {
    let (mut bytes, mut chars) = (0, 0);
    for (at, c) in text.char_indices() {
        bytes += bytes_of(c);
        if chars == chars_max || bytes > bytes_max {
            return (at, chars);
        }
        chars += 1;
    }
    (text.len(), chars)
}

/// Bytes of a text when written as JSON.
pub(super) fn bytes(text: &str) -> usize {
    text.chars().map(bytes_of).sum()
}

const fn bytes_of(c: char) -> usize {
    match c {
        '"' | '\\' | '\n' | '\r' | '\t' => 2,
        '\u{0}'..='\u{1f}' => 6,
        c => c.len_utf8(),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_text_is_cut_at_a_character_and_by_its_json_size() {
        assert_eq!(super::prefix("aü\nb", 10, 4), (3, 2));
        assert_eq!(super::prefix("aü\nb", 10, 100), (5, 4));
        assert_eq!(super::prefix("aü\nb", 1, 100), (1, 1));
        assert_eq!(super::bytes("aü\nb"), 6);
    }
}
