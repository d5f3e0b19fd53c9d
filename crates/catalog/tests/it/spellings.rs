//! Who owns a spelling: what a third party calls its record never takes over what a better-ranked item is called.

use crate::common::{DAY, NOW, build_at, source, stored};
use refdesk_catalog::segment::Found;
use refdesk_catalog::snapshot::Snapshot;
use refdesk_core::Kind;
use refdesk_core::fact::{Identity, SourceInfo, StoredFact};
use refdesk_core::item::{Head, Status, TrustTier};
use serde_json::json;

/// A model as one seller offers it: its key is `seller/id`, and the id that it would like is the last part of it.
fn offer(seller: &str, id: &str, aliases: &[&str]) -> StoredFact {
    let fact = stored("list", Kind::Model, &format!("{seller}/{id}"), json!({}), NOW);
    let head = Head {
        id: id.rsplit('/').next().unwrap().into(),
        aliases: aliases.iter().map(ToString::to_string).collect(),
        ..fact.head
    };
    let identity = Identity { provider: Some(seller.into()), api_model_id: Some(id.into()), ..Identity::default() };
    StoredFact { head, identity, ..fact }
}

/// A server of a source that is trusted so.
fn server(source: &str, key: &str, aliases: &[&str]) -> StoredFact {
    let fact = stored(source, Kind::McpServer, key, json!({}), NOW);
    let head = Head { aliases: aliases.iter().map(ToString::to_string).collect(), ..fact.head };
    StoredFact { head, ..fact }
}

fn build(facts: &[StoredFact]) -> Snapshot {
    let tiers = [
        (1, "list", TrustTier::Community),
        (2, "registry", TrustTier::Verified),
        (3, "cards", TrustTier::Official),
        (4, "other", TrustTier::Community),
    ];
    let source = |(rank, id, trust_tier)| SourceInfo { trust_tier, ..source(id, rank, DAY) };
    build_at(facts, tiers.into_iter().map(source).collect(), NOW)
}

/// The id of the item that a text names; several, or none, are none.
fn named(snapshot: &Snapshot, kind: Kind, text: &str) -> Option<String> {
    match snapshot.find(kind, text) {
        Found::Id(ordinal) | Found::Alias(ordinal) => Some(snapshot.id(ordinal).to_owned()),
        Found::Ambiguous(_) | Found::Unknown => None,
    }
}

#[test]
fn a_resellers_record_does_not_take_over_the_makers_spelling() {
    let mut facts =
        [offer("anthropic", "claude-opus-4-6", &["claude-opus-4.6"]), offer("kilo", "stealth/claude-opus-4.6", &[])];
    // It was here first, and gains nothing by it.
    facts[1].standing.first_seen_at = NOW.plus_secs(-DAY);
    let snapshot = build(&facts);
    let of = |text: &str| named(&snapshot, Kind::Model, text);
    assert_eq!(of("claude-opus-4.6"), of("anthropic/claude-opus-4-6"), "the maker lists the spelling");
    let reseller = of("kilo/stealth/claude-opus-4.6").unwrap();
    assert_ne!(Some(&reseller), of("claude-opus-4.6").as_ref());
    assert_eq!(of(&reseller).as_ref(), Some(&reseller), "what is called otherwise is still found by its id");
}

#[test]
fn an_undated_name_is_a_snapshots_only_where_no_model_is_called_so() {
    let snapshot = || offer("cohere", "command-a-03-2025", &["command-a", "command-r"]);
    let alone = build(&[snapshot()]);
    assert_eq!(named(&alone, Kind::Model, "command-a").as_deref(), Some("command-a-03-2025"));
    let resold = [snapshot(), offer("kilo", "cohere/command-a", &["cohere/command-a"])];
    let both = build(&resold);
    assert_eq!(named(&both, Kind::Model, "command-a").as_deref(), Some("command-a"), "the model that is called so");
    assert_eq!(named(&both, Kind::Model, "cohere/command-a").as_deref(), Some("command-a"));
    assert_eq!(named(&both, Kind::Model, "cohere/command-a-03-2025").as_deref(), Some("command-a-03-2025"));
    // Any other alias is the maker's before a reseller's record.
    let other = build(&[snapshot(), offer("kilo", "cohere/command-r", &[])]);
    assert_eq!(named(&other, Kind::Model, "command-r").as_deref(), Some("command-a-03-2025"));
}

#[test]
fn a_word_that_several_sellers_have_for_an_id_names_none_of_their_models() {
    let service = |seller: &str| {
        let fact = offer(seller, "search", &["search"]);
        let id = format!("{seller}/search");
        StoredFact { head: Head { id, ..fact.head }, ..fact }
    };
    let snapshot = build(&[service("perplexity"), service("tavily"), service("exa_ai")]);
    let found = snapshot.find(Kind::Model, "search");
    assert!(
        matches!(&found, Found::Ambiguous(ordinals) if ordinals.len() == 3),
        "the maker's is one of them: {found:?}"
    );
    assert_eq!(named(&snapshot, Kind::Model, "perplexity/search").as_deref(), Some("perplexity-search"));
    let alone = build(&[service("perplexity"), offer("tavily", "tavily-2", &[])]);
    assert_eq!(named(&alone, Kind::Model, "search").as_deref(), Some("perplexity-search"));
}

#[test]
fn a_key_goes_to_the_item_that_is_trusted_more_and_still_names_something() {
    let snapshot =
        build(&[server("list", "github", &["mcp/github"]), server("registry", "io.github.github/server", &["github"])]);
    assert_eq!(named(&snapshot, Kind::McpServer, "github").as_deref(), Some("io.github.github-server"));
    assert_eq!(named(&snapshot, Kind::McpServer, "mcp/github").as_deref(), Some("list-github"));
}

#[test]
fn an_alias_that_fits_several_items_of_one_standing_names_none_unless_it_is_the_key_of_one() {
    let tied = build(&[server("list", "one", &["same"]), server("list", "two", &["same"])]);
    assert_eq!(named(&tied, Kind::McpServer, "same"), None);
    let keyed = build(&[
        server("registry", "one", &["same"]),
        server("registry", "two", &["same"]),
        server("list", "same", &["other"]),
    ]);
    assert_eq!(named(&keyed, Kind::McpServer, "same"), named(&keyed, Kind::McpServer, "other"));
}

#[test]
fn what_is_gone_gives_its_spelling_to_what_lives() {
    let mut gone = server("registry", "tickets", &[]);
    gone.standing.removed_at = Some(NOW.plus_secs(-60));
    let snapshot = build(&[gone, server("list", "acme/tickets", &["tickets"])]);
    assert_eq!(named(&snapshot, Kind::McpServer, "tickets").as_deref(), Some("acme-tickets"));
}

#[test]
fn what_has_ended_gives_its_key_to_what_has_not_and_has_the_same() {
    let ended = |source: &str| {
        let fact = server(source, "tickets", &["mcp/tickets"]);
        StoredFact { head: Head { status: Status::Deprecated, ..fact.head }, ..fact }
    };
    let named = |facts: &[StoredFact], text: &str| named(&build(facts), Kind::McpServer, text);
    let two = [ended("list"), server("other", "tickets", &["acme/tickets"])];
    assert_eq!(named(&two, "tickets"), named(&two, "acme/tickets"));
    assert_eq!(named(&two, "mcp/tickets").as_deref(), Some("list-tickets"), "it is found by its own spelling");
    let trusted = [ended("registry"), server("other", "tickets", &["acme/tickets"])];
    assert_eq!(named(&trusted, "tickets"), named(&trusted, "mcp/tickets"), "trust comes first");
    let alike = [ended("list"), server("other", "acme/tickets", &["tickets"])];
    assert_eq!(named(&alike, "tickets"), named(&alike, "mcp/tickets"), "a key is more than an alias");
}

#[test]
fn a_card_of_the_operator_owns_what_it_is_called() {
    let snapshot = build(&[server("cards", "tickets", &[]), server("registry", "com.acme/tickets", &["tickets"])]);
    assert_eq!(named(&snapshot, Kind::McpServer, "tickets").as_deref(), Some("tickets"));
    assert_eq!(named(&snapshot, Kind::McpServer, "com.acme/tickets").as_deref(), Some("com.acme-tickets"));
}
