//! One item of the facts that speak of it: who is considered, and what every item has whatever its kind. Fields are [`choose`]'s job.

use std::cmp::Reverse;

use foldhash::{HashSet, HashSetExt as _};

use super::agreement::are_rounded;
use super::choose::{Chosen, ConsideredFact, FAMILY, choose, is_too_far_ahead};
use super::group::is_keyless;
use super::leaves::{is_in_own_words, is_stated, leaf};
use super::names::letters;
use super::rules::Role;
use super::server::{Publisher, foreign, settle_latest};
use super::{
    Conflict, Context, FactSet, FieldEvidence, Planned, ResolvedItem, ShownOffer, Withheld, keys, model, urls,
};
use refdesk_core::fact::{StaleReason, StoredFact};
use refdesk_core::item::{Status, TrustTier};
use refdesk_core::{Kind, Stamp};
use serde_json::{Map, Value};

/// How names end of what is kept and no longer cared for.
const ARCHIVED: &str = "(archived)";
/// Whether an item is in use.
const STATUS: &str = "status";
/// How many tokens a model takes and gives.
const LIMITS: [&str; 3] = ["limits.context_tokens", "limits.input_tokens", "limits.output_tokens"];
/// When a model comes to its end.
const ENDS: [&str; 2] = ["deprecated_on", "retires_on"];
/// When the version of an MCP server was published.
const PUBLISHED_AT: &str = "published_at";
/// Where the code of an MCP server is.
const REPOSITORY: &str = "repository";
/// Why a repository is not shown.
const MADE_UP: &str = "the repository's own list has no such folder";

/// The facts of one item in the order of their precedence, whatever the time: it decides the item's id.
pub fn by_precedence(set: FactSet<'_>, mut members: Vec<usize>) -> Vec<usize> {
    if members.len() > 1 {
        let foreign = foreign(set.facts, &members);
        members.sort_by_cached_key(|at| Precedence { is_foreign: foreign.contains(at), ..Precedence::new(set, *at) });
    }
    members
}

/// The maker or publisher of the item that some facts make.
pub fn vendor(set: FactSet<'_>, members: &[usize]) -> Option<String> {
    let maker = model::vendor(set.identities, members);
    maker.or_else(|| members.iter().find_map(|at| set.servers.gateways.vendor(&set.facts[*at])))
}

/// Merges the facts of one item. Prices that are not believed are added to `withheld`.
pub fn merge(planned: &Planned, context: Context<'_>, withheld: &mut Vec<Withheld>) -> ResolvedItem {
    let (kind, facts) = (planned.kind, context.facts);
    let live: Vec<usize> =
        planned.facts.iter().copied().filter(|at| facts[*at].standing.removed_at.is_none()).collect();
    let is_gone = live.is_empty();
    let members = if is_gone { planned.facts.clone() } else { live };
    // A copy of a seller's list says nothing where the seller's own list is there.
    let listed = if kind == Kind::Model { model::listed(&members, context) } else { members.clone() };
    let mut considered = considered(kind, if listed.is_empty() { &members } else { &listed }, context);
    let order: Vec<usize> = considered.iter().map(|considered| considered.at).collect();
    let lead = order[0];
    let named_on = context.identities.get(lead).filter(|_| kind == Kind::Model).and_then(model::dated_on);
    // They are asked for limits, and are no facts of this item.
    let of_undated = model::of_undated(planned, context, &considered);
    considered.extend(of_undated);
    let mut chosen = choose(kind, &considered, named_on.as_deref(), &mistaken_families(context, &considered));
    considered.truncate(order.len());
    let (mut warnings, mut offers) = (Vec::new(), Vec::new());
    if kind == Kind::Model {
        (warnings, offers) = sold(planned, context, &considered, &listed, &mut chosen, withheld);
    }
    if kind == Kind::McpServer {
        settle_latest(&mut chosen, &considered);
        chosen.conflicts.extend(made_up(&considered, context));
    }
    let Chosen { fields, mut evidence, mut conflicts } = chosen;
    let status = if is_gone { Status::Removed } else { status(kind, &considered, &fields, context) };
    let stale = |at: usize| context.stale_reason(&facts[at]).is_some();
    if kind != Kind::Model && !is_gone {
        let ends = ends(&considered, facts, status);
        let states_shown = |at: &usize| stated_status(&facts[*at]) == status && !stale(*at);
        if let Some(by) = order.iter().copied().find(states_shown).filter(|_| !ends.is_empty()) {
            add_source(&mut evidence, STATUS, by);
        }
        conflicts.extend(ends);
    }
    without_repetitions(&mut conflicts, facts);
    let stale_fields = evidence.iter().filter(|stated| stale(stated.fact)).map(|stated| stated.path.clone()).collect();
    // A removed offer is shown as removed, so its key still names its model.
    let keyed: Vec<usize> = if kind == Kind::Model { planned.facts.clone() } else { order.clone() };
    let equally_fresh = considered.iter().take_while(|other| other.stale == considered[0].stale).count();
    let (name, named_by) = name(kind, context.set, &order[..equally_fresh]);
    if named_by != lead {
        add_source(&mut evidence, kind.name_key(), named_by);
    }
    let rejected_urls = considered.iter().flat_map(|considered| considered.rejected_urls.clone()).collect();
    ResolvedItem {
        kind,
        id: planned.id.clone(),
        name,
        vendor: vendor(context.set, &order),
        status,
        trust_tier: trust_tier(kind, context, &considered, &fields, &conflicts),
        aliases: aliases(facts, &order, &planned.lost),
        keys: keys::exact_keys(context.set, &keyed, &planned.lost),
        language: order.iter().find_map(|at| facts[*at].head.language.clone()),
        removed_at: if is_gone { removed_at(context, &order) } else { None },
        changed_at: changed_at(context, &planned.facts),
        fields,
        offers,
        lead,
        body: order.iter().copied().find(|at| facts[*at].has_body),
        facts: planned.facts.clone(),
        live: order,
        field_evidence: evidence,
        stale_fields,
        conflicts,
        warnings,
        rejected_urls,
        dated: planned.dated.clone(),
    }
}

/// Puts the prices and offers of a model, and gives the warnings about them and the offers that are shown.
fn sold(
    planned: &Planned,
    context: Context<'_>,
    considered: &[ConsideredFact<'_>],
    listed: &[usize],
    chosen: &mut Chosen,
    withheld: &mut Vec<Withheld>,
) -> (Vec<String>, Vec<ShownOffer>) {
    let outlives_api = model::outlives_api(considered, &chosen.fields, context);
    if outlives_api {
        chosen.forget(&ENDS);
    }
    let mut stated = model::Offers::new(planned, context, considered, outlives_api);
    let warnings = stated.take_prices(&planned.id, withheld);
    (warnings, stated.put(listed, chosen))
}

/// Says which fact states a field, in the order of the paths.
fn add_source(evidence: &mut Vec<FieldEvidence>, path: &str, fact: usize) {
    evidence.push(FieldEvidence { path: path.to_owned(), fact, rule: Role::Source.as_str() });
    evidence.sort_by(|a, b| a.path.cmp(&b.path));
}

/// The families that facts state of a model and that are another maker's by mistake.
fn mistaken_families<'c>(context: Context<'_>, considered: &'c [ConsideredFact<'_>]) -> Vec<&'c str> {
    let maker = considered.iter().find_map(|stated| context.identities.get(stated.at)?.maker.as_deref());
    let Some(maker) = maker else { return Vec::new() };
    let names = considered.iter().flat_map(|stated| {
        let fact = &context.facts[stated.at];
        [fact.identity.api_model_id.as_deref().unwrap_or(&fact.key), &fact.head.name]
    });
    let names: Vec<&str> = names.collect();
    let families = considered.iter().filter_map(|stated| stated.fields.get(FAMILY)?.as_str());
    families.filter(|family| model::is_mistaken_family(family, maker, &names)).collect()
}

/// The name, and the fact that has it: that of the lead, but for a model of which it only repeats the id. That is spelt as the next fact
/// spells it that says the same in capitals or words: `Claude Opus 5` for `claude-opus-5`. `order` has the facts that are as fresh as the
/// lead.
fn name(kind: Kind, set: FactSet<'_>, order: &[usize]) -> (String, usize) {
    let lead = order[0];
    let said = |at: usize| {
        let fact = &set.facts[at];
        let said: &str = if fact.head.name.is_empty() { &fact.key } else { &fact.head.name };
        let id = fact.identity.api_model_id.as_deref().unwrap_or(&fact.key);
        set.identities.get(at).map_or(said, |identity| model::plain_name(said, id, identity))
    };
    let is_id = |name: &str| !name.chars().any(|c| c.is_uppercase() || c.is_whitespace());
    let name = said(lead);
    let spelt = || order.iter().copied().find(|at| !is_id(said(*at)) && letters(said(*at)) == letters(name));
    match (kind == Kind::Model && is_id(name)).then(spelt).flatten() {
        Some(at) => (said(at).to_owned(), at),
        None => (name.to_owned(), lead),
    }
}

/// Where a fact stands among those of its item, member after member; the smallest stands first.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Precedence<'a> {
    is_removed: bool,
    /// MCP servers: an entry that somebody else published though the owner speaks.
    is_foreign: bool,
    /// Models: who speaks, the maker's own API first.
    role: Option<Role>,
    rank: i32,
    trust_tier: Reverse<TrustTier>,
    source_id: &'a str,
    /// MCP servers: whose entry of a registry it is.
    publisher: Publisher,
    /// MCP servers: when its version was published, the newest first.
    published_at: Reverse<Option<Stamp>>,
    key: &'a str,
}

impl<'a> Precedence<'a> {
    fn new(set: FactSet<'a>, at: usize) -> Self {
        let fact = &set.facts[at];
        let is_server = fact.kind == Kind::McpServer;
        let published_at = is_server.then(|| fact.fields.top_level_text(PUBLISHED_AT)).flatten();
        let published_at = published_at.as_deref().filter(|at| !is_too_far_ahead(at, fact.standing.changed_at));
        let published_at = published_at.and_then(Stamp::parse);
        Self {
            is_removed: fact.standing.removed_at.is_some(),
            is_foreign: false,
            role: set.identities.get(at).map(model::role_of),
            rank: set.rank_of(fact),
            trust_tier: Reverse(set.source_tier(fact)),
            source_id: &fact.source_id,
            publisher: if is_server { set.servers.gateways.publisher(fact) } else { Publisher::Other },
            published_at: Reverse(published_at),
            key: &fact.key,
        }
    }
}

/// The facts that are considered, in their order: members are in the order of precedence, and fresh ones go before stale ones.
fn considered<'a>(kind: Kind, members: &[usize], context: Context<'a>) -> Vec<ConsideredFact<'a>> {
    let foreign = foreign(context.facts, members);
    let mut considered: Vec<ConsideredFact<'a>> = members
        .iter()
        .map(|at| {
            let fact = &context.facts[*at];
            let mut fields = fact.fields.read();
            let rejected_urls = urls::take_rejected(fact, &mut fields);
            if context.servers.folders.is_made_up(fact) {
                fields.to_mut().insert(REPOSITORY.to_owned(), Value::Null);
            }
            ConsideredFact {
                at: *at,
                rejected_urls,
                fields,
                // What nobody dated has not aged: a card of the operator's own wins, although it is shown as never verified.
                // What others publish about a server goes last, as stale statements do.
                stale: foreign.contains(at)
                    || context.stale_reason(fact).is_some_and(|reason| reason != StaleReason::NeverVerified),
                is_foreign: foreign.contains(at),
                speaks: true,
                stated_at: fact.standing.changed_at,
                ..ConsideredFact::default()
            }
        })
        .collect();
    considered.sort_by_key(|considered| considered.stale);
    if kind == Kind::Model {
        model::assign_roles(context, &mut considered);
    }
    considered
}

/// The repositories that facts state with folders that are not there.
fn made_up(considered: &[ConsideredFact<'_>], context: Context<'_>) -> Vec<Conflict> {
    let facts = considered.iter().map(|considered| considered.at);
    let of_fact = |at: usize| {
        let stated = context.facts[at].fields.read().get(REPOSITORY).and_then(Value::as_object).cloned();
        let members = stated.into_iter().flatten().filter(|(_, value)| is_stated(value));
        members.map(move |(name, value)| Conflict::plain(format!("{REPOSITORY}.{name}"), value, at).because(MADE_UP))
    };
    facts.filter(|at| context.servers.folders.is_made_up(&context.facts[*at])).flat_map(of_fact).collect()
}

/// What the best source says, with its dates at the time that it is.
fn status(kind: Kind, considered: &[ConsideredFact<'_>], fields: &Map<String, Value>, context: Context<'_>) -> Status {
    if kind == Kind::Model {
        return model::status(considered, fields, context);
    }
    let mut stated = considered.iter().map(|considered| stated_status(&context.facts[considered.at]));
    stated.find(|status| *status != Status::Unknown).unwrap_or(Status::Unknown)
}

/// The status that a fact states. Who has no field for it says it in the name: `SQLite (Archived)`.
fn stated_status(fact: &StoredFact) -> Status {
    match fact.head.status {
        Status::Active if fact.head.name.to_lowercase().ends_with(ARCHIVED) => Status::Deprecated,
        status => status,
    }
}

/// What facts say of an item's end that the shown status does not. That one is in use is what many sources mean by listing it, and no
/// contradiction to its end.
fn ends(considered: &[ConsideredFact<'_>], facts: &[StoredFact], shown: Status) -> Vec<Conflict> {
    let stated = considered.iter().map(|fact| (fact.at, stated_status(&facts[fact.at])));
    let ended = stated.filter(|(_, status)| {
        matches!(status, Status::Deprecated | Status::Retired | Status::Removed) && *status != shown
    });
    ended.map(|(at, status)| Conflict::plain(STATUS.to_owned(), status.as_str().into(), at)).collect()
}

/// The lead's tier; `verified` when two independent sources agree on everything that both state of the item. What they say of a reseller's
/// offer is nothing of the item, unless it is so far off that it is withheld.
fn trust_tier(
    kind: Kind,
    context: Context<'_>,
    considered: &[ConsideredFact<'_>],
    shown: &Map<String, Value>,
    conflicts: &[Conflict],
) -> TrustTier {
    let facts = context.facts;
    let lead = context.tier_of(&facts[considered[0].at]);
    // Who copied the words of another entry confirms none of it.
    let is_copy = |fact: &StoredFact| kind == Kind::McpServer && is_keyless(fact, &context.servers.folders);
    let of_item = considered.iter().filter(|fact| !states_other_limits(fact, shown) && !is_copy(&facts[fact.at]));
    let live = of_item.map(|fact| &facts[fact.at]).filter(|fact| fact.standing.removed_at.is_none());
    let mut live = live.map(|fact| &fact.source_id);
    let is_of_several = live.next().is_some_and(|first| live.any(|other| other != first));
    let is_of_offer = |conflict: &Conflict| conflict.path.starts_with("offers.") && conflict.withheld_since.is_none();
    let is_made_up = |conflict: &Conflict| conflict.reason.as_deref() == Some(MADE_UP);
    let agree = conflicts
        .iter()
        .all(|conflict| is_in_own_words(kind, &conflict.path) || is_of_offer(conflict) || is_made_up(conflict));
    if is_of_several && agree { lead.max(TrustTier::Verified) } else { lead }
}

/// Whether a seller's offer has other limits than its model is shown with. That is no conflict, and no agreement either.
fn states_other_limits(fact: &ConsideredFact<'_>, shown: &Map<String, Value>) -> bool {
    let tokens = |fields, path| leaf(fields, path).and_then(Value::as_u64);
    LIMITS.iter().any(|path| {
        let both = tokens(&fact.fields, path).zip(tokens(shown, path));
        both.is_some_and(|(stated, shown)| !are_rounded(stated, shown))
    })
}

/// Every spelling of every source that is considered, in their order, without repetitions and without those that name another item.
fn aliases(facts: &[StoredFact], order: &[usize], lost: &[String]) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut seen = HashSet::new();
    for at in order {
        let fact = &facts[*at];
        for alias in std::iter::once(&fact.key).chain(&fact.head.aliases) {
            if keys::is_spelling(alias) && !lost.contains(alias) && seen.insert(alias.as_str()) {
                out.push(alias.clone());
            }
        }
    }
    out
}

/// When the last of the sources stopped listing an item that is gone.
fn removed_at(context: Context<'_>, order: &[usize]) -> Option<Stamp> {
    order.iter().filter_map(|at| context.facts[*at].standing.known_at(context.now).removed_at).max()
}

/// When the last of some facts was changed or removed.
fn changed_at(context: Context<'_>, facts: &[usize]) -> Option<Stamp> {
    let known = facts.iter().map(|at| context.facts[*at].standing.known_at(context.now));
    known.flat_map(|times| [times.changed_at, times.removed_at]).flatten().max()
}

/// A source that says the same of a field in several facts says it once.
fn without_repetitions(conflicts: &mut Vec<Conflict>, facts: &[StoredFact]) {
    let mut kept: Vec<Conflict> = Vec::with_capacity(conflicts.len());
    for conflict in conflicts.drain(..) {
        let is_known = kept.iter().any(|known| {
            known.path == conflict.path
                && known.value == conflict.value
                && facts[known.fact].source_id == facts[conflict.fact].source_id
        });
        if !is_known {
            kept.push(conflict);
        }
    }
    *conflicts = kept;
}
