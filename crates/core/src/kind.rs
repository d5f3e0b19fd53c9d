//! The seven kinds of things the desk knows, and every name a kind goes by on the surfaces.
//! The kind-specific fields are in [`crate::item`].

use serde::{Deserialize, Serialize};

/// A kind of catalog item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A machine-learning model and the offers of it.
    Model,
    /// A developer tool or an API tool.
    Tool,
    /// An agent skill (`SKILL.md`).
    Skill,
    /// A tutorial or cookbook entry.
    Tutorial,
    /// A Model Context Protocol server.
    McpServer,
    /// A documentation page with its full Markdown.
    Document,
    /// A reusable way of thinking or working.
    Framework,
}

/// By kind: one of it, several, and the `type` of a search.
const NAMES: [(&str, &str, &str); 7] = [
    ("model", "models", "MODEL"),
    ("tool", "tools", "TOOL"),
    ("skill", "skills", "SKILL"),
    ("tutorial", "tutorials", "TUTORIAL"),
    ("mcp_server", "mcp_servers", "MCP_SERVER"),
    ("document", "documents", "DOC"),
    ("framework", "frameworks", "FRAMEWORK"),
];

impl Kind {
    /// All kinds, in the order in which they are shown.
    pub const ALL: [Self; 7] =
        [Self::Model, Self::Tool, Self::Skill, Self::Tutorial, Self::McpServer, Self::Document, Self::Framework];

    /// The kinds that `/v1/search` looks through; frameworks have their own search.
    pub const SEARCHED: [Self; 6] =
        [Self::Document, Self::McpServer, Self::Model, Self::Skill, Self::Tool, Self::Tutorial];

    /// Position in [`Kind::ALL`].
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Key of the item in a detail answer: `mcp_server`.
    pub const fn singular(self) -> &'static str {
        NAMES[self.index()].0
    }

    /// Key of the array in a list answer: `mcp_servers`.
    pub const fn collection(self) -> &'static str {
        NAMES[self.index()].1
    }

    /// Segment of the REST path: `mcp-servers` in `/v1/mcp-servers/list`.
    pub const fn path_segment(self) -> &'static str {
        match self {
            Self::McpServer => "mcp-servers",
            other => other.collection(),
        }
    }

    /// Name of the kind as the `type` of a search: `MCP_SERVER`, `DOC`.
    pub const fn search_type(self) -> &'static str {
        NAMES[self.index()].2
    }

    /// Words a person reads: `MCP server`.
    pub const fn label(self) -> &'static str {
        match self {
            Self::McpServer => "MCP server",
            other => other.singular(),
        }
    }

    /// The same behind its article: `an MCP server`.
    pub fn with_article(self) -> String {
        let article = if self == Self::McpServer { "an" } else { "a" };
        format!("{article} {}", self.label())
    }

    /// The key of the name in rows: documents and tutorials have a `title`, the others a `display_name`.
    pub const fn name_key(self) -> &'static str {
        match self {
            Self::Tutorial | Self::Document => "title",
            _ => "display_name",
        }
    }

    /// The kind whose paths have this segment, spelt exactly.
    pub fn of_path_segment(segment: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.path_segment() == segment)
    }

    /// Further words that people and programs send for it, singular and folded as [`Kind::parse`] does.
    const fn synonyms(self) -> &'static [&'static str] {
        match self {
            Self::Model => &["llm"],
            Self::McpServer => &["mcp", "server"],
            _ => &[],
        }
    }

    /// Understands any of the names above and their synonyms, singular or plural, in any case, with `-`, `_`, a blank or nothing between
    /// the words. All surfaces read kinds with it: what one takes, the others take. Hidden characters are passed over, as in filters: an
    /// error could not show what is wrong.
    pub fn parse(text: &str) -> Option<Self> {
        let is_between = |c: char| c.is_whitespace() || matches!(c, '-' | '_') || crate::clean::is_hidden(c);
        let folded = text.replace(is_between, "").to_ascii_lowercase();
        let is_called = |name: &str| {
            let name = name.to_ascii_lowercase().replace('_', "");
            folded == name || folded.strip_suffix('s') == Some(&name)
        };
        Self::ALL.into_iter().find(|kind| {
            let names = [kind.singular(), kind.search_type()];
            names.into_iter().chain(kind.synonyms().iter().copied()).any(is_called)
        })
    }
}

impl std::fmt::Display for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.singular())
    }
}

#[cfg(test)]
mod tests {
    use super::Kind;

    #[test]
    fn a_kind_is_understood_in_every_spelling_that_any_surface_shows_or_people_send() {
        for kind in Kind::ALL {
            for name in [kind.singular(), kind.collection(), kind.path_segment(), kind.search_type(), kind.label()] {
                assert_eq!(Kind::parse(name), Some(kind), "{name}");
                assert_eq!(Kind::parse(&name.to_uppercase()), Some(kind), "{name}");
            }
        }
        for (name, kind) in [
            ("mcp", Kind::McpServer),
            ("MCPServers", Kind::McpServer),
            (" mcp servers ", Kind::McpServer),
            ("MCP\u{200b}_server\0", Kind::McpServer),
            ("doc", Kind::Document),
            ("docs", Kind::Document),
            ("LLMs", Kind::Model),
        ] {
            assert_eq!(Kind::parse(name), Some(kind), "{name}");
        }
        for other in ["", "s", "thing", "mcp-", "modelss"] {
            let found = Kind::parse(other);
            assert!(found.is_none() || other == "mcp-", "{other}: {found:?}");
        }
    }
}
