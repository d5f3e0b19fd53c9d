//! Lists of values in a parameter: between commas, with a backslash before a comma that belongs to a value (`Acme\, Inc.`), and before a
//! backslash. Quotes were rejected: they are frequent in names, and a value without a comma would have to be quoted for them.

/// The values of a list, trimmed; blank ones are left out.
pub fn split(text: &str) -> Vec<String> {
    let mut words = split_with_blanks(text);
    words.retain(|word| !word.is_empty());
    words
}

/// The same with the blank ones, for lists in which each value has its place.
pub fn split_with_blanks(text: &str) -> Vec<String> {
    let (mut words, mut word) = (Vec::new(), String::new());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            ',' => words.push(std::mem::take(&mut word)),
            // Before anything else it is one of the value.
            '\\' => word.push(rest.next_if(|next| matches!(next, ',' | '\\')).unwrap_or(c)),
            _ => word.push(c),
        }
    }
    words.push(word);
    words.iter().map(|word| word.trim().to_owned()).collect()
}

/// A value as [`split`] takes it.
pub fn escaped(value: &str) -> String {
    value.replace('\\', r"\\").replace(',', r"\,")
}

#[cfg(test)]
mod tests {
    use super::{escaped, split, split_with_blanks};

    #[test]
    fn a_comma_of_a_value_is_escaped() {
        assert_eq!(split(" a, b ,,c"), ["a", "b", "c"]);
        assert_eq!(split_with_blanks(r" a\, b ,, c,"), ["a, b", "", "c", ""]);
        assert_eq!(split(r"MIT (code)\, CC-BY-4.0 (docs),ISC"), ["MIT (code), CC-BY-4.0 (docs)", "ISC"]);
        assert_eq!(split(r"C:\new"), [r"C:\new"], "a backslash before anything else is one of the value");
        for value in ["plain", "a, b", r"a\", r"a\, b\\c", r"\"] {
            assert_eq!(split(&format!("x,{}", escaped(value))), ["x", value]);
        }
    }
}
