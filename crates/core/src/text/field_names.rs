//! Names of fields as people read them, on every surface the same. The table of [`field`](crate::field) has labels of its own.

/// Parts of names that are no plain words.
const ABBREVIATIONS: [(&str, &str); 4] = [("url", "URL"), ("mcp", "MCP"), ("api", "API"), ("id", "ID")];

/// A name of a field as words: `context_tokens` is `context tokens`, `repository_url` is `repository URL`.
pub fn words(name: &str) -> String {
    let word = |word: &str| {
        let known = ABBREVIATIONS.iter().find(|(part, _)| *part == word.trim_end_matches(','));
        known.map_or_else(|| word.to_owned(), |(part, name)| word.replacen(part, name, 1))
    };
    name.split(['_', ' ']).map(word).collect::<Vec<_>>().join(" ")
}

/// With a capital letter.
pub fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

#[cfg(test)]
mod tests {
    use super::{sentence, words};

    #[test]
    fn a_name_becomes_words_with_abbreviations_as_they_are_written() {
        let names = ["tool_call", "repository_url", "limits, output_tokens", "ids"];
        assert_eq!(names.map(words), ["tool call", "repository URL", "limits, output tokens", "ids"]);
        assert_eq!(["tool call", "", "URL"].map(sentence), ["Tool call", "", "URL"]);
    }
}
