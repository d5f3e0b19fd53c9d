//! Rows, lists and details of the kinds.

use std::collections::BTreeMap;

use refdesk_core::Stamp;
use refdesk_core::item::{Document, Framework, McpServer, McpVersion, Model, Skill, Tool, Tutorial};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::evidence::{Conflict, Evidence, FieldEvidence};

/// An offer of a model or of one that it is linked with.
#[derive(Serialize, ToSchema)]
pub struct AnyOffer {
    #[serde(flatten)]
    pub offer: refdesk_core::item::Offer,
    /// Id of the model that is offered.
    pub model_id: String,
    /// The maker's own price, which stands at the top of its model.
    pub first_party: bool,
}

/// The seller whose prices a row shows; all null when it sells at none.
#[derive(Serialize, ToSchema)]
pub struct PricedBy {
    pub seller: Option<String>,
    pub api_model_id: Option<String>,
    pub evidence_key: Option<String>,
}

/// How often each value of a field occurs in the rows.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct FacetCounts {
    pub results: Vec<FacetCount>,
    /// Rows of which the value is unknown.
    pub missing: usize,
    /// There are more values than `facet_size`.
    pub truncated: bool,
}

/// How many rows have a value.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct FacetCount {
    /// As the filter takes it.
    pub value: String,
    pub label: String,
    pub count: usize,
    /// A filter asks for it.
    pub selected: bool,
}

/// A list of which `fields` chose the members of the rows.
#[derive(Serialize, ToSchema)]
pub struct ChosenList {
    pub limit: usize,
    pub offset: usize,
    pub total: usize,
    /// Null at the end.
    pub next_offset: Option<usize>,
}

/// What a detail adds to the row.
#[derive(Serialize, ToSchema)]
pub struct DetailParts {
    /// Dotted path of each stated field, and who states it.
    pub field_evidence: BTreeMap<String, FieldEvidence>,
    pub conflicts: Vec<Conflict>,
}

macro_rules! kind_schemas {
    ($($row:ident $item:ident $list:ident $detail:ident $fields:ty, $name:ident, $collection:ident, $single:ident, {$($extra:ident: $extra_type:ty),*};)*) => {$(
        /// A row: what every item has, and the kind's own fields.
        #[derive(Serialize, ToSchema)]
        pub struct $row {
            pub id: String,
            pub $name: String,
            pub vendor: Option<String>,
            pub status: refdesk_core::item::Status,
            pub trust_tier: refdesk_core::item::TrustTier,
            /// Every upstream spelling; each resolves on the detail path.
            pub aliases: Vec<String>,
            #[schema(required = false)]
            pub language: Option<String>,
            #[serde(flatten)]
            pub fields: $fields,
            pub source_url: String,
            pub evidence_key: String,
            pub first_seen_at: Option<Stamp>,
            /// When a source last changed what it states of the item, or stopped listing it.
            pub changed_at: Option<Stamp>,
            pub last_synced_at: Option<Stamp>,
            pub last_verified_at: Option<Stamp>,
            pub stale: bool,
            /// Dotted paths of the fields whose own evidence is stale.
            #[schema(required = false)]
            pub stale_fields: Vec<String>,
            /// With `fresh_only`: stale offers that are left out.
            #[schema(required = false)]
            pub stale_offers_excluded: usize,
            /// When the last source stopped listing it.
            #[schema(required = false)]
            pub removed_at: Stamp,
            /// The undated name that this model is a dated snapshot of.
            #[schema(required = false)]
            pub snapshot_of: String,
            /// The dated snapshots of this undated name, the newest first.
            #[schema(required = false)]
            pub snapshots: Vec<refdesk_catalog::resolve::DatedSnapshot>,
            /// What is withheld.
            #[schema(required = false)]
            pub warnings: Vec<String>,
            /// With `price_of`: whose prices `pricing` has.
            #[schema(required = false)]
            pub priced_by: PricedBy,
            /// Values that sources state for address fields and that are not `http` or `https` addresses; the fields are null.
            #[schema(required = false)]
            pub rejected_urls: Vec<refdesk_catalog::resolve::RejectedUrl>,
        }

        /// The item of a detail: its row, and the evidence behind it.
        #[derive(Serialize, ToSchema)]
        pub struct $item {
            #[serde(flatten)]
            pub row: $row,
            #[serde(flatten)]
            pub parts: DetailParts,
            $(#[schema(required = false)] pub $extra: $extra_type,)*
        }

        /// A page of rows.
        #[derive(Serialize, ToSchema)]
        pub struct $list {
            pub $collection: Vec<$row>,
            /// The page size applied.
            pub limit: usize,
            pub offset: usize,
            pub total: usize,
            /// Null at the end.
            pub next_offset: Option<usize>,
            /// With `fresh_only`: stale items that are left out.
            #[schema(required = false)]
            pub excluded_stale: usize,
            /// With `ids`: those that name no item.
            #[schema(required = false)]
            pub unresolved: Vec<String>,
            /// With `facets`: how often each value of each field occurs, under all other filters.
            #[schema(required = false)]
            pub facets: BTreeMap<String, FacetCounts>,
            #[schema(required = false)]
            pub warnings: Vec<String>,
        }

        /// An item with its evidence. The related arrays are reserved and empty.
        #[derive(Serialize, ToSchema)]
        pub struct $detail {
            pub $single: $item,
            pub evidence: Evidence,
            /// Models, with `all_offers`: the offers of the undated name and of all its snapshots.
            #[schema(required = false)]
            pub all_offers: Vec<AnyOffer>,
            /// The alias that you sent, if it was not the id.
            #[schema(required = false)]
            pub resolved_from: String,
            pub related_models: Vec<serde_json::Value>,
            pub related_tools: Vec<serde_json::Value>,
            pub related_skills: Vec<serde_json::Value>,
            pub related_tutorials: Vec<serde_json::Value>,
            pub related_mcp_servers: Vec<serde_json::Value>,
            pub related_documents: Vec<serde_json::Value>,
            pub related_frameworks: Vec<serde_json::Value>,
            #[schema(required = false)]
            pub warnings: Vec<String>,
        }
    )*};
}

kind_schemas! {
    ModelRow ModelItem ModelList ModelDetail Model, display_name, models, model, {};
    ToolRow ToolItem ToolList ToolDetail Tool, display_name, tools, tool, {};
    SkillRow SkillItem SkillList SkillDetail Skill, display_name, skills, skill,
        {body_markdown: Option<String>, body: Option<String>, body_missing: String};
    TutorialRow TutorialItem TutorialList TutorialDetail Tutorial, title, tutorials, tutorial,
        {body_markdown: Option<String>, body: Option<String>, body_missing: String};
    McpServerRow McpServerItem McpServerList McpServerDetail McpServer, display_name, mcp_servers, mcp_server, {versions: Vec<McpVersion>};
    DocumentRow DocumentItem DocumentList DocumentDetail Document, title, documents, document,
        {markdown: Option<String>, body: Option<String>, body_missing: String, variants: Vec<String>, preferred_variant: String};
    FrameworkRow FrameworkItem FrameworkList FrameworkDetail Framework, display_name, frameworks, framework, {};
}
