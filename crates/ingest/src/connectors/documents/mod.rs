//! Documentation, tutorials and notebooks.

pub mod cookbook;
pub mod hf_cookbook;
pub mod llms_txt;
pub mod markdown_docs;
pub mod tutorial;
