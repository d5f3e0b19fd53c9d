//! What the page of each kind shows of its fields unless more is asked for.

use refdesk_core::Kind;

/// The fields and columns of a kind's page, by their names.
pub(super) struct ListPage {
    /// The fields whose values it counts.
    pub(super) facets: &'static [&'static str],
    /// The fields that its form shows at once; the others are below "More filters".
    pub(super) filters: &'static [&'static str],
    /// The columns of its table, in this order, besides the name.
    pub(super) columns: &'static [&'static str],
}

/// The page of a kind.
pub(super) const fn page_of(kind: Kind) -> ListPage {
    match kind {
        Kind::Model => ListPage {
            facets: &["vendor", "capability", "input_modalities", "status", "license"],
            filters: &[
                "vendor",
                "seller",
                "capability",
                "context_tokens",
                "price_input",
                "released_on",
                "open_weights",
            ],
            columns: &[
                "vendor",
                "context_tokens",
                "price_input",
                "price_output",
                "input_modalities",
                "capabilities",
                "released_on",
                "status",
                "freshness",
            ],
        },
        Kind::Tool => ListPage {
            facets: &["category", "platform", "vendor", "status"],
            filters: &["category", "vendor", "platform"],
            columns: &["about", "vendor", "category", "platform", "status", "freshness"],
        },
        Kind::Skill => ListPage {
            facets: &["vendor", "license", "has_files"],
            filters: &["vendor", "license"],
            columns: &["about", "vendor", "license", "files", "freshness"],
        },
        Kind::Tutorial => ListPage {
            facets: &["topic", "tutorial_format", "vendor", "language"],
            filters: &["topic", "tutorial_format", "language", "published_on"],
            columns: &["about", "vendor", "topic", "tutorial_format", "published_on", "freshness"],
        },
        Kind::McpServer => ListPage {
            facets: &["category", "transport", "registry_type", "official", "status"],
            filters: &["category", "transport", "registry_type", "auth", "official"],
            columns: &["about", "vendor", "category", "transports", "official", "status", "freshness"],
        },
        Kind::Document => ListPage {
            facets: &["vendor", "section", "language", "version"],
            filters: &["vendor", "section", "version", "language"],
            columns: &["about", "vendor", "section", "version", "language", "freshness"],
        },
        Kind::Framework => ListPage {
            facets: &["domain", "status"],
            filters: &["domain", "status"],
            columns: &["about", "domain", "origin", "status", "freshness"],
        },
    }
}
