//! Makers, in all spellings that the catalog has of each: `mcp servers by stripe`. A registry of servers knows a maker by the domain that its
//! namespace is (`stripe.com` of `com.stripe/mcp`), other sources by its name.

use super::{FROM, SOLD, list, longest_at, source};
use crate::resolve::model::makers::{self, is_family};
use crate::understand::gazetteer::{Makers, compact};
use crate::understand::reading::Reading;
use crate::understand::rest::is_said_anyway;
use crate::understand::vocabulary::is_part_of_topic;
use refdesk_core::Kind;
use refdesk_search::text::folded;

/// What stands before a maker that is asked what it has …
const ASKING_OWNER: [&str; 3] = ["does", "do", "did"];
/// … and behind it.
const OWNING: [&str; 6] = ["have", "offer", "publish", "provide", "maintain", "make"];

/// The domains among the makers of servers that are the namespace of one: `stripe.com` of `com.stripe-mcp`.
fn registered<'a>(reading: &Reading<'a>) -> Vec<&'a str> {
    if reading.kind != Kind::McpServer {
        return Vec::new();
    }
    let is_namespace = |domain: &&str| {
        let namespace = domain.rsplit('.').collect::<Vec<_>>().join(".").to_lowercase();
        let has_server =
            |sign: &str| reading.snapshot.ids_with_prefix(reading.kind, &format!("{namespace}{sign}"), 1).0 > 0;
        domain.contains('.') && ["-", "."].into_iter().any(has_server)
    };
    reading.values("vendor").filter(is_namespace).collect()
}

/// The maker that is named at a position, in all spellings of the catalog, and how many words name it.
pub fn vendor_at<'a>(reading: &Reading<'a>, at: usize) -> Option<(Vec<&'a str>, usize)> {
    let known = reading.vendors.get_or_init(|| Makers::new(reading.values("vendor").collect(), &registered(reading)));
    // `zhipu`, `facebook`: what the makers of models are called elsewhere.
    let by_spelling = |said: &str| {
        let slug = makers::vendor(said).filter(|_| reading.kind == Kind::Model && !is_family(said))?;
        known.called(&compact(&folded(makers::display_name(slug)?)))
    };
    longest_at(reading, at, |said| known.called(said).or_else(|| by_spelling(said)))
}

/// Reads a maker at a position, with the word in front that says so.
pub fn parse(reading: &mut Reading<'_>, at: usize) -> bool {
    let is_from = at > 0 && reading.is(at - 1, &FROM);
    // `how many skills does anthropic have`
    let is_owner = at > 0 && reading.is(at - 1, &ASKING_OWNER);
    let introduced = is_from || is_owner;
    // Who sells a model need not make it: what is no seller either stays text.
    if introduced && at > 1 && reading.is(at - 2, &SOLD) {
        return false;
    }
    let negation = reading.negation_before_name(at);
    if is_from && negation == 0 && source::is_source(reading, at - 1) {
        return false;
    }
    // Among what other things are about, the name of a maker may be any word, and `servers without docker` do not need it.
    let is_left_out = negation > 0 && !reading.is(at - negation, &["without"]);
    let is_by_makers = matches!(reading.kind, Kind::Model | Kind::Skill | Kind::Tutorial | Kind::Document);
    let may_be_one = introduced || is_left_out || is_by_makers;
    if !may_be_one || !introduced && is_part_of_topic(reading, at) {
        return false;
    }
    let Some((mut makers, taken)) = vendor_at(reading, at) else { return false };
    if is_owner && reading.kind != Kind::Model && !reading.is(at + taken, &OWNING) {
        return false;
    }
    // `anthropic skills`, `vercel docs`; in `skills to use anthropic` it is what they are about.
    let is_said_of_kind = !introduced && !is_left_out;
    if reading.kind != Kind::Model && is_said_of_kind && !reading.is_before_kind(at + taken) {
        return false;
    }
    // Who types `vercel docs` and nothing else rather looks for where they begin than for all of them.
    let says_more = |other: usize| !reading.words[other].used && !is_said_anyway(&reading.words[other]);
    let is_topic_told = (0..at).chain(at + taken..reading.words.len()).any(says_more);
    if reading.kind == Kind::Document && is_said_of_kind && !is_topic_told {
        return false;
    }
    // `made by`, `released by`
    let made =
        introduced && at > 1 && reading.is(at - 2, &["made", "built", "published", "developed", "trained", "created"]);
    // `Google, OpenAI or Anthropic`: what negates the first holds to the end.
    let (others, end) = list::others(reading, at + taken, &FROM, negation > 0, vendor_at);
    makers.extend(others.into_iter().flatten());
    reading.filter("vendor", negation > 0, &makers);
    reading.take(at - negation.max(usize::from(introduced) + usize::from(made))..end);
    reading.note_negated(negation, end);
    true
}
