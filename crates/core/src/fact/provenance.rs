//! What a fact says of its own origin: the source, licences, pages that are referred to, and what tells two sources of one item.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::item::{McpVersion, TrustTier};

/// What the desk knows of a configured source; part of every evidence record.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SourceInfo {
    /// Id in the configuration.
    pub id: Arc<str>,
    /// Name for people.
    pub name: String,
    /// License of the data.
    pub license: Option<String>,
    /// How to credit the source.
    pub attribution: Option<String>,
    /// Trust tier of what it states, unless a fact says otherwise.
    pub trust_tier: TrustTier,
    /// Smaller is better: whose word wins when sources disagree.
    pub rank: i32,
    /// After how many seconds without verification its facts are stale.
    pub stale_after_secs: i64,
    /// The seller whose own list the source is, once it has been read and as long as it is fresh: what it does not list, the seller
    /// does not sell.
    #[serde(default)]
    pub own_list_of: Option<String>,
}

impl SourceInfo {
    /// A source of which nothing but its id is known: nobody trusts it, and it ranks last.
    pub fn unknown(id: &str) -> Self {
        Self { id: id.into(), name: id.to_owned(), rank: i32::MAX, ..Self::default() }
    }
}

/// What the evidence of a fact says beyond its source, address, hash and times.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Provenance {
    /// Pages that the source refers to (a vendor's documentation). Nobody fetched them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub references: Vec<String>,
    /// The address of the record itself, where `source_url` is a page that a person names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record_url: Option<String>,
    /// Who states it, when that is not the source as a whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stated_by: Option<StatedBy>,
    /// The item's own license; it wins over the license of its source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub license: Option<String>,
    /// Why record and body may not be given out. Their hash stays, and `verify` checks it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record_withheld: Option<RecordWithheld>,
}

/// Who states a fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum StatedBy {
    /// The author of a hand-written card.
    Card,
}

crate::closed_set! {
    /// Why no surface gives out a record.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
    #[serde(rename_all = "snake_case")]
    pub enum RecordWithheld {
        /// Its own license does not allow to pass it on, or could not be read.
        Licence => "licence",
        /// It holds a literal secret.
        Secret => "secret",
    }
}

impl RecordWithheld {
    /// Why, for people: how a sentence ends.
    pub const fn because(self) -> &'static str {
        match self {
            Self::Licence => "its own license does not allow passing it on, or could not be read",
            Self::Secret => "it holds a literal secret",
        }
    }

    /// Why a body is missing, for people: one that may not be passed on says so in a word.
    pub fn in_words(body_missing: &str) -> &str {
        match Self::parse(body_missing) {
            Some(reason) => reason.because(),
            None => body_missing,
        }
    }
}

/// What tells that two sources speak of the same item.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Identity {
    /// Models: the seller, as the source calls it (`anthropic`, `bedrock`). The maker's own offer is told by resolution.
    pub provider: Option<String>,
    /// Models: the id to send to the seller's API, verbatim.
    pub api_model_id: Option<String>,
    /// Models: the maker, where the source states it (`anthropic`); else it is read from the id.
    pub maker: Option<String>,
    /// Ids that the source itself says are the same item (canonical slugs, alias targets, Hugging Face ids).
    pub same_as: Vec<String>,
    /// MCP servers: repository URL and folder.
    pub repository: Option<String>,
    /// MCP servers: packages that run it, as `ecosystem:name` without version or tag: `npm:@scope/name`, `pypi:name`,
    /// `oci:registry/image`, `nuget:name`, `mcpb:https://…`.
    pub packages: Vec<String>,
    /// MCP servers: public addresses at which it answers, in one spelling: host in lower case, no default port, fragment or closing `/`,
    /// and of the query only what is neither secret nor to be filled in.
    pub remotes: Vec<String>,
    /// MCP servers: all versions the source lists, newest first.
    pub versions: Vec<McpVersion>,
}

impl Identity {
    /// That of a model which a seller offers under an id of its API.
    pub fn of_offer(seller: &str, api_model_id: &str) -> Self {
        Self { provider: Some(seller.to_owned()), api_model_id: Some(api_model_id.to_owned()), ..Self::default() }
    }
}
