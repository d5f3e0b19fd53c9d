//! The typed, kind-specific fields of catalog items: `docs/api.md#rows-and-fields`, one file per kind.
//!
//! `None` is "not published / unknown" and is written as `null`; zero and `false` mean what they say. Connectors build these,
//! resolution merges them, rows show them. Field order here is the order in the answers.

mod document;
mod framework;
mod mcp_server;
mod model;
mod skill;
mod tool;
mod tutorial;

pub use document::{Document, Heading, MANUAL_ID};
pub use framework::{AntiExample, Domain, Framework, Input, Origin, Output, Prompt, PublicationScore};
pub use mcp_server::{McpRepository, McpSecret, McpServer, McpTool, McpVersion};
pub use model::{Capabilities, Limits, Modalities, Model, Offer, OtherPrice, PriceTier, Pricing};
pub use skill::{Skill, SkillFile, SkillRepository};
pub use tool::{Command, EnvironmentVariable, Install, McpSupport, Tool, ToolAnnotations};
pub use tutorial::Tutorial;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Kind;

crate::closed_set! {
    /// The lifecycle status of an item.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, utoipa::ToSchema)]
    #[serde(rename_all = "snake_case")]
    pub enum Status {
        /// In use.
        Active => "active",
        /// Announced or in beta.
        Preview => "preview",
        /// Still there, to be replaced.
        Deprecated => "deprecated",
        /// No longer offered by its maker.
        Retired => "retired",
        /// The source no longer lists it; kept, never deleted.
        Removed => "removed",
        /// The source does not say.
        #[default]
        Unknown => "unknown",
        /// Frameworks only: the card passes the publication score.
        Published => "published",
        /// Frameworks only: the card is below the publication score.
        Candidate => "candidate",
    }
}

impl Status {
    /// The words of all kinds but frameworks, as filters take them.
    pub const ITEM_WORDS: [&'static str; 6] = [
        Self::Active.as_str(),
        Self::Preview.as_str(),
        Self::Deprecated.as_str(),
        Self::Retired.as_str(),
        Self::Removed.as_str(),
        Self::Unknown.as_str(),
    ];
    /// Those of frameworks.
    pub const FRAMEWORK_WORDS: [&'static str; 3] =
        [Self::Published.as_str(), Self::Candidate.as_str(), Self::Removed.as_str()];

    /// That of an item or an offer in an answer.
    pub fn of(stated: &Value) -> Option<Self> {
        stated["status"].as_str().and_then(Self::parse)
    }

    /// The same, if nobody should begin with what has it.
    pub fn outgoing(stated: &Value) -> Option<Self> {
        Self::of(stated).filter(|status| status.is_outgoing())
    }

    /// Whether it is worth a word beside an offer: most are sold, and of some nobody says it.
    pub const fn is_told(self) -> bool {
        !matches!(self, Self::Active | Self::Unknown)
    }

    /// Whether nothing of this status is sold.
    pub const fn ends_sale(self) -> bool {
        matches!(self, Self::Retired | Self::Removed)
    }

    /// Whether nobody should begin with what has this status.
    pub const fn is_outgoing(self) -> bool {
        matches!(self, Self::Deprecated) || self.ends_sale()
    }
}

crate::closed_set! {
    /// How far a fact can be relied on.
    #[derive(
        Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize, utoipa::ToSchema,
    )]
    #[serde(rename_all = "snake_case")]
    pub enum TrustTier {
        /// Nobody vouches for it.
        #[default]
        Unverified => "unverified",
        /// Kept by a community.
        Community => "community",
        /// Two or more independent sources agree, or an official registry holds it.
        Verified => "verified",
        /// The vendor says it of its own thing.
        Official => "official",
    }
}

/// What every item has, whatever its kind, as one source states it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Head {
    /// The id that this source would like for the item; resolution may qualify it. Any spelling, made a slug later.
    pub id: String,
    /// `display_name` or `title`.
    pub name: String,
    /// Maker or publisher.
    pub vendor: Option<String>,
    /// Where the item stands in its life.
    pub status: Status,
    /// Overrides the source's own tier for this item (an official skill in a community repository).
    pub trust_tier: Option<TrustTier>,
    /// Upstream spellings, verbatim; each resolves on the detail path.
    pub aliases: Vec<String>,
    /// BCP 47 tag where the source tells it.
    pub language: Option<String>,
}

/// The fields of one kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "fields", rename_all = "snake_case")]
pub enum Item {
    /// A model.
    Model(Model),
    /// A tool.
    Tool(Tool),
    /// A skill.
    Skill(Skill),
    /// A tutorial.
    Tutorial(Tutorial),
    /// An MCP server.
    McpServer(McpServer),
    /// A document.
    Document(Document),
    /// A framework.
    Framework(Framework),
}

impl Item {
    /// The kind of these fields.
    pub const fn kind(&self) -> Kind {
        match self {
            Self::Model(_) => Kind::Model,
            Self::Tool(_) => Kind::Tool,
            Self::Skill(_) => Kind::Skill,
            Self::Tutorial(_) => Kind::Tutorial,
            Self::McpServer(_) => Kind::McpServer,
            Self::Document(_) => Kind::Document,
            Self::Framework(_) => Kind::Framework,
        }
    }

    /// The fields as a JSON object, in the order of the answers.
    ///
    /// # Errors
    /// Never for values built from JSON; kept as a result because serialisation is fallible by type.
    pub fn to_json(&self) -> Result<serde_json::Value, serde_json::Error> {
        match self {
            Self::Model(fields) => serde_json::to_value(fields),
            Self::Tool(fields) => serde_json::to_value(fields),
            Self::Skill(fields) => serde_json::to_value(fields),
            Self::Tutorial(fields) => serde_json::to_value(fields),
            Self::McpServer(fields) => serde_json::to_value(fields),
            Self::Document(fields) => serde_json::to_value(fields),
            Self::Framework(fields) => serde_json::to_value(fields),
        }
    }
}
