//! The rule book of resolution: which sources may state a field, in which order, and which fields are chosen together.
//!
//! One table, [`RULES`], read by [`super::merge`] and printed into the manual (`docs/manual/which-value-is-shown.md`). Within a rule
//! a fresh statement always goes before a stale one, then the roles of the rule count in their order, then the rank of the source.

use refdesk_core::Kind;

/// What a fact is to the item that it speaks of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Role {
    /// The maker's own API, or a card on it.
    Maker,
    /// A cloud platform of the maker's company.
    Platform,
    /// The maker's published weights.
    Weights,
    /// Somebody else's plain offer.
    Seller,
    /// Somebody else's variant: free, batch, a region.
    Variant,
    /// The maker, of the undated name of the model.
    Undated,
    /// Kinds that nobody sells: any source.
    #[default]
    Source,
}

impl Role {
    /// Whether it counts among sellers.
    pub const fn is_of_sellers(self) -> bool {
        matches!(self, Self::Seller | Self::Variant)
    }

    /// The word in `field_evidence`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Maker => "maker",
            Self::Platform => "makers_platform",
            Self::Weights => "makers_weights",
            Self::Seller | Self::Variant => "most_sellers",
            Self::Undated => "undated_name",
            Self::Source => "best_source",
        }
    }
}

/// How the values of a rule's fields are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// Each field of the best role that states it; among sellers the value that most of them state.
    Each,
    /// All fields of the one best role that states any of them.
    Together,
    /// These fields of the one best source that states any of them, and all others of the rule from the same; where it states none of
    /// those, from the best source that does.
    Led(&'static [&'static str]),
    /// As [`Self::Together`], and the next roles fill in what that one does not state, as long as the fields fit together.
    Checked,
    /// Checked too, but within one offer: `resolve/model/offers/mod.rs` chooses it, since only offers know their terms.
    Offer,
}

/// A rule of the book.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// Its name.
    pub name: &'static str,
    /// The kind whose fields it is for; every kind without.
    pub kind: Option<Kind>,
    /// Dotted paths; one that ends in a point stands for everything below it. Empty: all other fields.
    pub fields: &'static [&'static str],
    /// How values are chosen.
    pub choice: Choice,
    /// Who may state the fields, best first.
    pub roles: &'static [Role],
    /// Why.
    pub why: &'static str,
}

const ANY_MODEL_ROLE: &[Role] = &[Role::Maker, Role::Platform, Role::Weights, Role::Seller, Role::Variant];
const LIMIT_ROLES: &[Role] = &[Role::Maker, Role::Platform, Role::Weights, Role::Seller, Role::Variant, Role::Undated];

/// The rule book. The first rule that names a field is its rule.
pub const RULES: &[Rule] = &[
    Rule {
        name: "price",
        kind: Some(Kind::Model),
        fields: &["pricing", "pricing."],
        choice: Choice::Offer,
        roles: &[Role::Maker, Role::Platform],
        why: "A model's price is its maker's first-party offer, from one source. Another source adds meters only if both agree on every meter that both state; the same holds within each seller's offer. Nobody else's price is shown at the top, and neither is a free offer of a model that others sell.",
    },
    Rule {
        name: "limits",
        kind: Some(Kind::Model),
        fields: &["limits."],
        choice: Choice::Checked,
        roles: LIMIT_ROLES,
        why: "Limits only make sense together: no input or output above the context. The maker's value counts, then that of its weights' card, then what most sellers state. If equally many sellers state two values, the best source's value wins; if they differ only by rounding, the smaller; otherwise the limit is unknown. An input limit that a seller states is that seller's own cap if a more reliable source states the context, if the context is unknown because sellers are tied, or if no more than half of the sellers agree. A context of a dated snapshot that is the input limit of its undated name is taken for that, and the limits that the maker states of that name count.",
    },
    Rule {
        name: "end of life",
        kind: Some(Kind::Model),
        fields: &["deprecated_on", "retires_on"],
        choice: Choice::Checked,
        roles: &[Role::Maker, Role::Platform],
        why: "Only its maker ends a model. A seller's dates end its own offer and are shown there; so do the maker's if the weights are published and others still sell the model, and its price is then shown there, too.",
    },
    Rule {
        name: "weights",
        kind: Some(Kind::Model),
        fields: &["open_weights", "license"],
        choice: Choice::Each,
        roles: &[Role::Weights, Role::Maker, Role::Platform, Role::Seller, Role::Variant],
        why: "Whether weights are published, and under which license, is best known where they are published, or by a source that names that place.",
    },
    Rule {
        name: "model",
        kind: Some(Kind::Model),
        fields: &[],
        choice: Choice::Each,
        roles: ANY_MODEL_ROLE,
        why: "The maker's statement counts, otherwise the value that most sellers state; if sellers are tied, the value is unknown, but of days in one month, or a day and its month, the month counts, and of lists the entries that all of them have. Modalities are compared with `file`, OpenRouter's word, as `pdf`, and shown with `pdf` if one of the sources that agree has it. A release in an earlier month than the date in the model's name is not believed if another statement fits that name. Dates out of order (knowledge cutoff, release, retirement) contradict each other, and so does a chat mode for a model without text output: the next consistent statement is used, otherwise the value of the less reliable source is dropped. What a model with the mode `embedding` is said to output instead of embeddings is never shown, nor a limit of output tokens above 0, which is mostly the length of its vectors. A release or knowledge cutoff more than a year ahead of the day on which its source was first seen to state it is not believed.",
    },
    Rule {
        name: "release",
        kind: Some(Kind::McpServer),
        fields: &["version", "published_at", "updated_at", "is_latest", "packages", "remotes"],
        choice: Choice::Led(&["packages", "remotes"]),
        roles: &[Role::Source],
        why: "Packages, addresses, version and dates come from one source, the best one that states a package or an address, even a stale one: a gateway's address must not stand beside the maker's version. If that source states neither version nor dates, these come from the best source that does. `conflicts` lists what the others state. A time is not shown if it lies more than a year after the day on which its source was first seen to state it.",
    },
    Rule {
        name: "repository",
        kind: None,
        fields: &["repository."],
        choice: Choice::Together,
        roles: &[Role::Source],
        why: "A folder from one source inside another source's repository would be a place that no source states. A folder that its repository's own list does not have is not shown.",
    },
    Rule {
        name: "best source",
        kind: None,
        fields: &[],
        choice: Choice::Each,
        roles: &[Role::Source],
        why: "The best-ranked source that states a field.",
    },
];

/// The number of the rule for a field, in [`RULES`].
pub fn number_of(kind: Kind, path: &str) -> usize {
    let names = |field: &&str| if field.ends_with('.') { path.starts_with(*field) } else { path == *field };
    let fits = |rule: &Rule| {
        rule.kind.is_none_or(|of| of == kind) && (rule.fields.is_empty() || rule.fields.iter().any(&names))
    };
    RULES.iter().position(fits).unwrap_or(RULES.len() - 1)
}

#[cfg(test)]
mod tests {
    use super::{RULES, number_of};
    use refdesk_core::Kind;

    #[test]
    fn every_field_has_one_rule() {
        for (kind, path, rule) in [
            (Kind::Model, "pricing.input", "price"),
            (Kind::Model, "pricing", "price"),
            (Kind::Model, "limits.context_tokens", "limits"),
            (Kind::Model, "retires_on", "end of life"),
            (Kind::Model, "license", "weights"),
            (Kind::Model, "description", "model"),
            (Kind::McpServer, "version", "release"),
            (Kind::McpServer, "remotes", "release"),
            (Kind::Skill, "repository.path", "repository"),
            (Kind::Skill, "license", "best source"),
            (Kind::Document, "version", "best source"),
        ] {
            assert_eq!(RULES[number_of(kind, path)].name, rule, "{kind} {path}");
        }
    }
}
