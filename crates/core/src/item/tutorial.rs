//! Tutorials and cookbook entries.

use serde::{Deserialize, Serialize};

/// A tutorial. Its `body_markdown` is a [`crate::Body`], shown in the detail only.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Tutorial {
    /// What the reader learns.
    pub summary: Option<String>,
    /// Topics or tags.
    pub topics: Vec<String>,
    /// Who wrote it.
    pub authors: Vec<String>,
    /// `YYYY-MM-DD`.
    pub published_on: Option<String>,
    /// `notebook`, `markdown`, …
    pub format: Option<String>,
    /// License of the tutorial.
    pub license: Option<String>,
    /// Path in its repository.
    pub path: Option<String>,
}
