//! Developer tools and API tools.

use serde::{Deserialize, Serialize};

/// A tool.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Tool {
    /// Kind of tool, such as `coding-agent` or `vector-store`.
    pub category: Option<String>,
    /// What it does.
    pub description: Option<String>,
    /// Its home page.
    pub homepage_url: Option<String>,
    /// Its source code.
    pub repository_url: Option<String>,
    /// Its license.
    pub license: Option<String>,
    /// Ways to install it.
    pub install: Vec<Install>,
    /// Commands it has.
    pub commands: Vec<Command>,
    /// Models it is known to work with.
    pub supported_models: Vec<String>,
    /// Environment variables it reads. Names only, never values.
    pub environment_variables: Vec<EnvironmentVariable>,
    /// Its support for the Model Context Protocol; null when unknown.
    pub mcp_support: Option<McpSupport>,
    /// Platforms it runs on.
    pub platforms: Vec<String>,
    /// JSON Schema of its input, for API tools whose source states it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_schema: Option<serde_json::Value>,
    /// JSON Schema of its output, for API tools whose source states it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<serde_json::Value>,
    /// Hints from its source about its effects; null when it gives none.
    pub annotations: Option<ToolAnnotations>,
}

/// Hints of what an API tool does, as the Model Context Protocol names them; null where the source does not say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ToolAnnotations {
    /// It changes nothing.
    pub read_only: Option<bool>,
    /// It may delete or overwrite.
    pub destructive: Option<bool>,
    /// Calling it again with the same arguments changes nothing more.
    pub idempotent: Option<bool>,
    /// It reaches out to things beyond its own.
    pub open_world: Option<bool>,
}

impl ToolAnnotations {
    /// `None` when there is no hint at all.
    pub fn or_unknown(self) -> Option<Self> {
        (self != Self::default()).then_some(self)
    }
}

/// A way to install a tool.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Install {
    /// Package manager, such as `npm`, `pip`, `brew`, `cargo`, `docker`, `script`.
    pub manager: String,
    /// The command to type.
    pub command: String,
}

/// A command of a tool.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Command {
    /// Its name.
    pub name: String,
    /// What it does.
    pub summary: Option<String>,
    /// How it is typed.
    pub usage: Option<String>,
}

/// An environment variable: its name, never its value.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct EnvironmentVariable {
    /// Its name.
    pub name: String,
    /// Whether the tool needs it; null when unknown.
    pub required: Option<bool>,
    /// Whether it holds a secret; null when unknown.
    pub secret: Option<bool>,
    /// What it is for.
    pub description: Option<String>,
}

/// A tool's support for the Model Context Protocol.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct McpSupport {
    /// It can use MCP servers.
    pub client: Option<bool>,
    /// It can be used as an MCP server.
    pub server: Option<bool>,
    /// `stdio`, `streamable-http`, `sse`.
    pub transports: Vec<String>,
}
