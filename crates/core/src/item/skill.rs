//! Agent skills: the `SKILL.md` front matter and where the skill lives.

use serde::{Deserialize, Serialize};

/// A skill. Its `body_markdown` is a [`crate::Body`], shown in the detail only.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Skill {
    /// Name in the front matter.
    pub name: String,
    /// What it does and when to use it.
    pub description: Option<String>,
    /// License in the front matter.
    pub license: Option<String>,
    /// What it needs to run.
    pub compatibility: Option<String>,
    /// Further front matter.
    pub metadata: Option<serde_json::Value>,
    /// Tools it may use without asking.
    pub allowed_tools: Vec<String>,
    /// Where it lives.
    pub repository: Option<SkillRepository>,
    /// The files beside `SKILL.md`, including itself.
    pub files: Vec<SkillFile>,
    /// About how many tokens its `SKILL.md` takes (bytes / 4).
    pub token_estimate: Option<u64>,
}

/// Where a skill lives.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SkillRepository {
    /// Repository URL.
    pub url: Option<String>,
    /// Branch or tag.
    #[serde(rename = "ref")]
    pub reference: Option<String>,
    /// Commit, where the source tells it.
    pub commit: Option<String>,
    /// Folder of the skill.
    pub path: Option<String>,
}

/// A file of a skill.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SkillFile {
    /// Path below the skill's folder.
    pub path: String,
    /// Size in bytes.
    pub bytes: u64,
    /// `sha256:<hex>` of its bytes.
    pub digest: String,
}
