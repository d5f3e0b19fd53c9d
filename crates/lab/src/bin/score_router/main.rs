//! A workbench for the router: reads the cards and the evaluation questions, measures, fits weights, shows development misses.
//!
//! `cargo run --release -p refdesk-lab --bin score_router -- [score | names | misses | fit | decision | hyperparameters | time | ask QUESTION]`, from the root.
//! Of the held-out half it prints totals only.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::print_stderr,
    missing_docs,
    reason = "a workbench for the author"
)]

use std::time::Instant;

use refdesk_route::eval::{Question, evaluate};
use refdesk_route::{Card, DECISION_FEATURE_NAMES, Filter, RANKING_FEATURES, Router};

#[path = "../../../../route/tests/it/catalog/mod.rs"]
mod catalog;
mod decision;
mod hyperparameters;
mod names;
mod ranking;

use catalog::cards;

/// Parts of the examples, each left out in turn.
const FOLDS: usize = 5;

fn questions() -> Vec<Question> {
    catalog::questions()
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let cards = cards();
    match args.first().map_or("score", String::as_str) {
        "score" => {
            let start = Instant::now();
            let router = Router::build(cards);
            eprintln!("{} cards, built in {:?}", router.cards().len(), start.elapsed());
            println!("{}", evaluate(&router, &questions()).to_table());
        }
        "names" => names::names(&Router::build(cards)),
        "misses" => misses(&Router::build(cards)),
        "fit" => ranking::fit(&cards),
        "decision" => decision::decision(&cards),
        "hyperparameters" => hyperparameters::hyperparameters(&cards),
        "time" => time(&Router::build(cards)),
        "ask" => ask(&Router::build(cards), &args[1..].join(" ")),
        other => eprintln!("unknown command {other}"),
    }
}

fn development() -> Vec<Question> {
    questions().into_iter().filter(|question| !question.is_held_out()).collect()
}

fn right(router: &Router, card: usize, question: &Question) -> bool {
    question.acceptable.contains(&router.cards()[card].id)
}

/// The cards without the example questions of a fold, and these, each with its card.
fn without_fold(cards: &[Card], fold: usize) -> (Vec<Card>, Vec<(usize, String)>) {
    let mut fewer = cards.to_vec();
    let mut left_out: Vec<(usize, String)> = Vec::new();
    for (at, card) in fewer.iter_mut().enumerate() {
        let list = std::mem::take(&mut card.framework.example_questions);
        for (line, question) in list.into_iter().enumerate() {
            if line % FOLDS == fold && card.published {
                left_out.push((at, question));
            } else {
                card.framework.example_questions.push(question);
            }
        }
    }
    (fewer, left_out)
}

fn misses(router: &Router) {
    for question in development() {
        let routing = router.route(&question.question, Filter::default());
        let order = router.ranking(&question.question, Filter::default());
        let place = order.iter().position(|card| right(router, *card, &question));
        let none = routing.decision.as_str() == "no_match";
        if place == Some(0) && !none || question.acceptable.is_empty() && none {
            continue;
        }
        let first: Vec<&str> = order.iter().take(3).map(|card| router.cards()[*card].id.as_str()).collect();
        println!(
            "{} [{}] {} | {}\n    want {} at {:?}; got {}",
            question.id,
            question.style,
            routing.decision.as_str(),
            question.question,
            question.acceptable.join(","),
            place.map(|at| at + 1),
            first.join(",")
        );
        if let Some(ranked) = routing.ranked.first() {
            for reason in &ranked.reasons {
                println!("      {}: {}", reason.field, reason.terms.join(", "));
            }
        }
    }
}

fn ask(router: &Router, question: &str) {
    let routing = router.route(question, Filter::default());
    println!("{} {:?}", routing.decision.as_str(), routing.clarifying_question);
    for ranked in &routing.ranked {
        println!(
            "{:<24} {:.3} {:.3} {:?}",
            router.cards()[ranked.card].id,
            ranked.score,
            ranked.confidence,
            ranked.why_not
        );
        for reason in &ranked.reasons {
            println!("      {}: {}", reason.field, reason.terms.join(", "));
        }
        let row = router.ranking_features(question)[ranked.card];
        let shown: Vec<String> =
            RANKING_FEATURES.iter().zip(row).map(|((name, _), value)| format!("{name} {value:.2}")).collect();
        println!("      {}", shown.join(" "));
    }
    let (row, _) = router.decision_features(question);
    println!(
        "{}",
        DECISION_FEATURE_NAMES
            .iter()
            .zip(row)
            .map(|(name, value)| format!("{name} {value:.2}"))
            .collect::<Vec<_>>()
            .join(" ")
    );
}

fn time(router: &Router) {
    let questions = questions();
    let long = questions.iter().map(|q| q.question.as_str()).collect::<Vec<_>>().join(" ");
    let long: String = long.chars().take(2000).collect();
    let mut times: Vec<u128> = Vec::new();
    for _ in 0..5 {
        for question in &questions {
            let start = Instant::now();
            std::hint::black_box(router.route(&question.question, Filter::default()));
            times.push(start.elapsed().as_micros());
        }
    }
    times.sort_unstable();
    let at = |share: f64| times[(times.len() as f64 * share) as usize];
    println!("p50 {} us, p99 {} us, max {} us", at(0.5), at(0.99), times[times.len() - 1]);
    let start = Instant::now();
    for _ in 0..20 {
        std::hint::black_box(router.route(&long, Filter::default()));
    }
    println!("2,000 characters: {} us", start.elapsed().as_micros() / 20);
}
