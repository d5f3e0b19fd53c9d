//! The table. A field that is not read at a path of the row is told by `refdesk_catalog`'s columns, by its name.

use super::{FieldDef, Shape, Use};
use crate::Kind;
use crate::item::{Capabilities, Domain, Modalities, Status, TrustTier};

const MODEL: &[Kind] = &[Kind::Model];
const TOOL: &[Kind] = &[Kind::Tool];
const SKILL: &[Kind] = &[Kind::Skill];
const TUTORIAL: &[Kind] = &[Kind::Tutorial];
const SERVER: &[Kind] = &[Kind::McpServer];
const DOCUMENT: &[Kind] = &[Kind::Document];
const FRAMEWORK: &[Kind] = &[Kind::Framework];
const LICENSED: &[Kind] = &[Kind::Model, Kind::Tool, Kind::Skill, Kind::Tutorial, Kind::McpServer];
const WRITTEN: &[Kind] = &[Kind::Document, Kind::Tutorial];
const CATEGORISED: &[Kind] = &[Kind::Tool, Kind::McpServer];
const BUT_FRAMEWORKS: &[Kind] =
    &[Kind::Model, Kind::Tool, Kind::Skill, Kind::Tutorial, Kind::McpServer, Kind::Document];
/// Kinds of which no source states when something changed.
const UNDATED: &[Kind] = &[Kind::Model, Kind::Tool, Kind::Skill, Kind::Tutorial, Kind::Document, Kind::Framework];

const TOKENS: Option<&str> = Some("tokens");
/// What prices are stated in.
const USD: Option<&str> = Some("USD per 1M tokens");

/// Of several words an item has to have all that are asked for.
const ALL_OF: Shape = Shape::Words { all: true };
/// Of several words an item has to have one that is asked for.
const ANY_OF: Shape = Shape::Words { all: false };

const fn field(
    (name, path, label): (&'static str, &'static str, &'static str),
    unit: Option<&'static str>,
    shape: Shape,
    usage: Use,
    kinds: &'static [Kind],
) -> FieldDef {
    FieldDef { name, path, told_of: &[], label, unit, shape, usage, kinds, allowed: &[] }
}

impl FieldDef {
    /// The same with its values, where they are a closed set.
    const fn one_of(self, allowed: &'static [&'static str]) -> Self {
        Self { allowed, ..self }
    }

    /// The same with the paths that it is told from.
    const fn told_of(self, told_of: &'static [&'static str]) -> Self {
        Self { told_of, ..self }
    }
}

/// All fields.
pub static FIELDS: &[FieldDef] = &[
    field(("id", "id", "Id"), None, Shape::Rank, Use::Sort, &[]),
    field(("name", "", "Name"), None, Shape::Rank, Use::Sort, &[]),
    field(("vendor", "vendor", "Vendor"), None, Shape::Word, Use::All, &[]),
    field(("status", "status", "Status"), None, Shape::Word, Use::All, BUT_FRAMEWORKS).one_of(&Status::ITEM_WORDS),
    field(("status", "status", "Status"), None, Shape::Word, Use::All, FRAMEWORK).one_of(&Status::FRAMEWORK_WORDS),
    field(("trust_tier", "trust_tier", "Trust tier"), None, Shape::Word, Use::Filter, &[]).one_of(&TrustTier::WORDS),
    field(("source", "", "Source"), None, Shape::Word, Use::Filter, &[]),
    field(("license", "license", "License"), None, Shape::Word, Use::Filter, LICENSED),
    field(("language", "language", "Language"), None, Shape::Word, Use::Filter, WRITTEN),
    field(("category", "category", "Category"), None, Shape::Word, Use::Filter, CATEGORISED),
    // Models.
    field(("family", "family", "Family"), None, Shape::Word, Use::All, MODEL),
    field(("series", "", "Series"), None, Shape::Word, Use::Filter, MODEL).told_of(&["id"]),
    field(("model_mode", "mode", "Mode"), None, Shape::Word, Use::Filter, MODEL),
    field(("seller", "", "Seller"), None, ANY_OF, Use::Filter, MODEL),
    field(("capability", "", "Capability"), None, ALL_OF, Use::Filter, MODEL)
        .told_of(&["capabilities"])
        .one_of(&Capabilities::WORDS),
    field(("input_modalities", "modalities.input", "Input modalities"), None, ALL_OF, Use::Filter, MODEL)
        .one_of(&Modalities::WORDS),
    field(("output_modalities", "modalities.output", "Output modalities"), None, ALL_OF, Use::Filter, MODEL)
        .one_of(&Modalities::WORDS),
    field(("open_weights", "open_weights", "Open weights"), None, Shape::Flag, Use::Filter, MODEL),
    field(("context_tokens", "limits.context_tokens", "Context"), TOKENS, Shape::Count, Use::Range, MODEL),
    field(("input_tokens", "limits.input_tokens", "Most input"), TOKENS, Shape::Count, Use::Range, MODEL),
    field(("output_tokens", "limits.output_tokens", "Most output"), TOKENS, Shape::Count, Use::Range, MODEL),
    field(("price_input", "pricing.input", "Input price"), USD, Shape::Price, Use::Range, MODEL),
    field(("price_output", "pricing.output", "Output price"), USD, Shape::Price, Use::Range, MODEL),
    field(("price_cache_read", "pricing.cache_read", "Cache read price"), USD, Shape::Price, Use::Range, MODEL),
    field(("price_cache_write", "pricing.cache_write", "Cache write price"), USD, Shape::Price, Use::Range, MODEL),
    field(("price_batch_input", "pricing.batch_input", "Batch input price"), USD, Shape::Price, Use::Range, MODEL),
    field(("price_batch_output", "pricing.batch_output", "Batch output price"), USD, Shape::Price, Use::Range, MODEL),
    field(("price_blended", "", "Blended price (3:1)"), USD, Shape::Price, Use::Sort, MODEL)
        .told_of(&["pricing.input", "pricing.output"]),
    field(("released_on", "released_on", "Released"), None, Shape::Date, Use::Range, MODEL),
    field(("knowledge_cutoff", "knowledge_cutoff", "Knowledge cutoff"), None, Shape::Date, Use::Range, MODEL),
    field(("deprecated_on", "deprecated_on", "Deprecated"), None, Shape::Date, Use::Range, MODEL),
    field(("retires_on", "retires_on", "Retires"), None, Shape::Date, Use::Range, MODEL),
    field(("offers", "", "Offers"), None, Shape::Count, Use::Range, MODEL),
    // MCP servers.
    field(("install_type", "", "Install"), None, ALL_OF, Use::Filter, SERVER)
        .told_of(&["remotes", "packages"])
        .one_of(&["remote", "package"]),
    field(("transport", "", "Transport"), None, ANY_OF, Use::Filter, SERVER).told_of(&["remotes", "packages"]),
    field(("registry_type", "", "Package registry"), None, ANY_OF, Use::Filter, SERVER).told_of(&["packages"]),
    field(("auth", "", "Secrets asked for"), None, Shape::Word, Use::Filter, SERVER)
        .told_of(&["remotes", "packages", "secrets"])
        .one_of(&["none", "required"]),
    field(("official", "official", "Official"), None, Shape::Flag, Use::Filter, SERVER),
    field(("has_tools", "", "Tools are known"), None, Shape::Flag, Use::Filter, SERVER).told_of(&["tools"]),
    field(("tag", "tags", "Tag"), None, ALL_OF, Use::Filter, SERVER),
    // Tools.
    field(("platform", "platforms", "Platform"), None, ALL_OF, Use::Filter, TOOL),
    field(("mcp_client", "mcp_support.client", "MCP client"), None, Shape::Flag, Use::Filter, TOOL),
    field(("mcp_server", "mcp_support.server", "MCP server"), None, Shape::Flag, Use::Filter, TOOL),
    // Skills.
    field(("has_files", "", "Has files"), None, Shape::Flag, Use::Filter, SKILL).told_of(&["files"]),
    // Documents and tutorials.
    field(("section", "section", "Section"), None, Shape::Word, Use::Filter, DOCUMENT),
    field(("version", "version", "Version"), None, Shape::Word, Use::Filter, DOCUMENT),
    field(("topic", "topics", "Topic"), None, ALL_OF, Use::Filter, TUTORIAL),
    field(("tutorial_format", "format", "Format"), None, Shape::Word, Use::Filter, TUTORIAL),
    field(("published_on", "published_on", "Published"), None, Shape::Date, Use::Range, TUTORIAL),
    // Frameworks.
    field(("domain", "", "Domain"), None, ANY_OF, Use::Filter, FRAMEWORK)
        .told_of(&["domain", "secondary_domains"])
        .one_of(&Domain::WORDS),
    // All kinds.
    field(("has_conflicts", "", "Has conflicts"), None, Shape::Flag, Use::Filter, &[]),
    field(("updated_at", "updated_at", "Updated"), None, Shape::Time, Use::Range, SERVER),
    field(("updated_at", "changed_at", "Updated"), None, Shape::Time, Use::Range, UNDATED),
    field(("last_verified_at", "last_verified_at", "Last verified"), None, Shape::Time, Use::Range, &[]),
];

#[cfg(test)]
mod tests {
    use super::FIELDS;

    #[test]
    fn a_field_says_what_stands_at_its_path_or_at_the_paths_that_it_is_told_from() {
        let says = |name: &str, path: &str| FIELDS.iter().any(|field| field.name == name && field.is_told_of(path));
        assert!(says("price_input", "pricing.input") && !says("price_input", "pricing.input_audio"));
        assert!(says("price_blended", "pricing.output") && !says("price_blended", "pricing.cache_read"));
        assert!(
            says("capability", "capabilities.tools") && says("auth", "remotes") && says("domain", "secondary_domains")
        );
        // These say something of the item as a whole, or of each offer by itself.
        let whole = ["name", "source", "seller", "offers", "has_conflicts"];
        for field in FIELDS.iter().filter(|field| !whole.contains(&field.name)) {
            assert_ne!(field.path.is_empty(), field.told_of.is_empty(), "{}", field.name);
        }
    }
}
