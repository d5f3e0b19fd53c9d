//! Letters of names.

/// The letters and digits of a name in lower case: what is left when spellings differ in nothing else.
pub fn letters(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}
