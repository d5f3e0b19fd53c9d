//! Formats that several upstreams use, read within bounds: JSON record by record, YAML, Markdown, reStructuredText, notebooks, archives.

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
