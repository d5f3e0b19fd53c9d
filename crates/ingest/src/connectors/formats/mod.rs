//! Formats that several upstreams use, read within bounds: JSON record by record, YAML, Markdown and its lists of links, reStructuredText,
//! notebooks, archives.

pub mod bullet;
pub mod headings;
pub mod json_fields;
pub mod json_text;
pub mod notebook;
pub mod page;
pub mod rst;
pub mod stated_status;
pub mod tarball;
pub mod tree;
pub mod yaml;

/// The texts between `{{` and `}}`.
pub fn placeholders(text: &str) -> impl Iterator<Item = &str> {
    text.split("{{").skip(1).filter_map(|part| Some(part.split_once("}}")?.0))
}

/// The texts in their order, each once.
pub fn distinct(texts: impl Iterator<Item = String>) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for text in texts {
        if !all.contains(&text) {
            all.push(text);
        }
    }
    all
}
