//! Scores the requests of `eval/routing/names.jsonl`, which name a card or only use words of names: totals by half and style, and the misses of
//! the development half.

use std::collections::BTreeMap;

use refdesk_route::{Decision, Filter, Router};

use super::catalog::requests_with_names;

/// How many requests of a style are answered how.
#[derive(Default)]
struct Totals {
    n: usize,
    right: usize,
    no_match: usize,
    ambiguous: usize,
}

pub fn names(router: &Router) {
    let mut totals: BTreeMap<(bool, String), Totals> = BTreeMap::new();
    for question in requests_with_names() {
        let routing = router.route(&question.question, Filter::default());
        let ids: Vec<&str> = routing.ranked.iter().map(|ranked| router.cards()[ranked.card].id.as_str()).collect();
        let right = question.is_answered(routing.decision, &ids);
        let of_style = totals.entry((question.is_held_out(), question.style.clone())).or_default();
        of_style.n += 1;
        of_style.right += usize::from(right);
        of_style.no_match += usize::from(routing.decision == Decision::NoMatch);
        of_style.ambiguous += usize::from(routing.decision == Decision::Ambiguous);
        if !right && !question.is_held_out() {
            let first: Vec<&str> = ids.into_iter().take(2).collect();
            println!("{} | {} | {}", routing.decision.as_str(), question.question, first.join(", "));
        }
    }
    for ((held_out, style), Totals { n, right, no_match, ambiguous }) in totals {
        let half = if held_out { "held-out" } else { "development" };
        println!("{half:<12} {style:<9} n {n:>3}  right {right:>3}  no match {no_match:>3}  ambiguous {ambiguous:>3}");
    }
}
