//! Documentation pages.

use serde::{Deserialize, Serialize};

/// What the ids of the pages of refdesk's own manual begin with.
pub const MANUAL_ID: &str = "refdesk-manual-";

/// A document. Its Markdown is a [`crate::Body`], shown in the detail, or in a search with `include_markdown`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Document {
    /// The page's own summary, in a sentence.
    pub summary: Option<String>,
    /// Path in its repository or site.
    pub path: Option<String>,
    /// Section of the documentation.
    pub section: Option<String>,
    /// Version of the documentation, such as `2025-06-18` or `draft`.
    pub version: Option<String>,
    /// Size of the raw page.
    pub bytes: Option<u64>,
    /// About how many tokens the page takes (bytes / 4).
    pub token_estimate: Option<u64>,
    /// Headings in order.
    pub headings: Vec<Heading>,
    /// The page on its public site, where known.
    pub canonical_url: Option<String>,
}

/// A heading of a page.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Heading {
    /// 1 to 6.
    pub level: u8,
    /// Its text without markup.
    pub text: String,
    /// Anchor, as GitHub makes it.
    pub slug: String,
}
