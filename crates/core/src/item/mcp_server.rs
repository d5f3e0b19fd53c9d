//! MCP servers as registries and lists describe them.

use serde::{Deserialize, Serialize};

use crate::Stamp;

/// An MCP server (its latest version; earlier ones are in `versions` of the detail).
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct McpServer {
    /// Registry name, such as `io.github.owner/server`.
    pub name: Option<String>,
    /// What it does.
    pub description: Option<String>,
    /// Version, verbatim (not always semantic).
    pub version: Option<String>,
    /// License of its code.
    pub license: Option<String>,
    /// Its source code.
    pub repository: Option<McpRepository>,
    /// Its home page.
    pub website_url: Option<String>,
    /// Packages in the registry's own shape, without literal secrets.
    pub packages: Vec<serde_json::Value>,
    /// Remote endpoints in the registry's own shape, without literal secrets: templates such as `Bearer {token}` are shown.
    pub remotes: Vec<serde_json::Value>,
    /// JSON Schema of its settings, where its source states one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub config_schema: Option<serde_json::Value>,
    /// Secrets that it asks for, by name.
    pub secrets: Vec<McpSecret>,
    /// When this version was published.
    pub published_at: Option<Stamp>,
    /// When its registry entry was updated.
    pub updated_at: Option<Stamp>,
    /// Whether this is the latest version.
    pub is_latest: Option<bool>,
    /// Whether it comes from the maker of what it serves.
    pub official: Option<bool>,
    /// Models it names as supported.
    pub supported_models: Vec<String>,
    /// Its tools, where known.
    pub tools: Vec<McpTool>,
    /// Free-text category of its source.
    pub category: Option<String>,
    /// Tags of its source.
    pub tags: Vec<String>,
}

/// Where an MCP server's code lives.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct McpRepository {
    /// Repository URL.
    pub url: Option<String>,
    /// Host, such as `github`.
    pub source: Option<String>,
    /// The host's own id of the repository.
    pub id: Option<String>,
    /// Folder in a repository of many servers.
    pub subfolder: Option<String>,
}

/// A secret that an MCP server asks for: its names, never its value.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct McpSecret {
    /// Its name in the catalog that runs the server.
    pub name: String,
    /// The environment variable that takes it.
    pub env: Option<String>,
    /// Whether the server needs it; null when unknown.
    pub required: Option<bool>,
    /// What it is for.
    pub description: Option<String>,
}

/// A tool of an MCP server.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct McpTool {
    /// Its name.
    pub name: String,
    /// What it does.
    pub description: Option<String>,
}

/// A version of an MCP server.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct McpVersion {
    /// Version, verbatim.
    pub version: String,
    /// The registry's status of it.
    pub status: Option<String>,
    /// When it was published.
    pub published_at: Option<Stamp>,
    /// When its entry was updated.
    pub updated_at: Option<Stamp>,
    /// Whether it is the latest.
    pub is_latest: Option<bool>,
}
