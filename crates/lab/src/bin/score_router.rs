//! A workbench for the router: reads the cards and the evaluation questions, measures, fits weights, shows development misses.
//!
//! `cargo run --release -p refdesk-lab --bin score_router -- [score | misses | fit | decision | hyperparameters | time | ask QUESTION]`, from the root.
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
use refdesk_route::{
    Card, DECISION_FEATURE_COUNT, DECISION_FEATURE_NAMES, DecisionFeatures, Filter, Hyperparameters,
    RANKING_FEATURE_COUNT, RANKING_FEATURE_NAMES, RANKING_WEIGHTS, RankingFeatures, Router, linear_score,
};

#[path = "../../../route/tests/it/catalog/mod.rs"]
mod catalog;
use catalog::cards;

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
        "misses" => misses(&Router::build(cards)),
        "fit" => fit(&cards),
        "decision" => decision(&cards),
        "hyperparameters" => hyperparameters(&cards),
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
            RANKING_FEATURE_NAMES.iter().zip(row).map(|(name, value)| format!("{name} {value:.2}")).collect();
        println!("      {}", shown.join(" "));
    }
    let (row, _) = router.decision_features(question, Filter::default());
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

#[derive(Clone)]
/// A question with the rows of all cards and which are right.
struct Sample {
    rows: Vec<RankingFeatures>,
    right: Vec<bool>,
    weight: f32,
    development: bool,
}

const FOLDS: usize = 5;

/// Example questions left out in turn, and the development half.
fn samples(cards: &[Card], hyperparameters: Hyperparameters) -> Vec<Sample> {
    let mut out = Vec::new();
    for fold in 0..FOLDS {
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
        let router = Router::build_with(fewer, hyperparameters, &|_| true);
        for (card, question) in left_out {
            let rows: Vec<RankingFeatures> = router.ranking_features(&question);
            out.push(sample(&router, &rows, |at| at == card, example_weight(), false));
        }
    }
    let router = Router::build_with(cards.to_vec(), hyperparameters, &|_| true);
    for question in development().iter().filter(|question| !question.acceptable.is_empty()) {
        let rows = router.ranking_features(&question.question);
        out.push(sample(&router, &rows, |at| right(&router, at, question), 1.0, true));
    }
    out
}

fn sample(
    router: &Router,
    rows: &[RankingFeatures],
    right: impl Fn(usize) -> bool,
    weight: f32,
    development: bool,
) -> Sample {
    let published: Vec<usize> = (0..rows.len()).filter(|at| router.cards()[*at].published).collect();
    Sample {
        right: published.iter().map(|at| right(*at)).collect(),
        rows: published.iter().map(|at| rows[*at]).collect(),
        weight,
        development,
    }
}

/// (top-1, top-3, mean loss)
fn measure(samples: &[Sample], weights: &RankingFeatures, development: bool) -> (f32, f32, f32) {
    let (mut one, mut three, mut loss, mut n) = (0.0, 0.0, 0.0, 0.0);
    for sample in samples.iter().filter(|sample| sample.development == development) {
        let scores: Vec<f32> = sample.rows.iter().map(|row| linear_score(row, weights)).collect();
        let best =
            scores.iter().zip(&sample.right).filter(|(_, right)| **right).map(|(s, _)| *s).fold(f32::MIN, f32::max);
        let place = scores.iter().filter(|score| **score > best).count();
        one += f32::from(u8::from(place == 0));
        three += f32::from(u8::from(place < 3));
        let top = scores.iter().copied().fold(f32::MIN, f32::max);
        let all: f32 = scores.iter().map(|s| (s - top).exp()).sum();
        let good: f32 = scores.iter().zip(&sample.right).filter(|(_, r)| **r).map(|(s, _)| (s - top).exp()).sum();
        loss -= (good / all).max(1e-9).ln();
        n += 1.0;
    }
    (one / n, three / n, loss / n)
}

/// Maximises the probability of right cards by gradient ascent; returns the weights.
fn climb(samples: &[&Sample], start: RankingFeatures) -> RankingFeatures {
    let mut weights = start;
    let (mut m, mut v) = ([0.0_f32; RANKING_FEATURE_COUNT], [0.0_f32; RANKING_FEATURE_COUNT]);
    for step in 1..=400 {
        let mut gradient = [0.0_f32; RANKING_FEATURE_COUNT];
        let mut total = 0.0;
        for sample in samples {
            let scores: Vec<f32> = sample.rows.iter().map(|row| linear_score(row, &weights)).collect();
            let top = scores.iter().copied().fold(f32::MIN, f32::max);
            let exps: Vec<f32> = scores.iter().map(|s| (s - top).exp()).collect();
            let all: f32 = exps.iter().sum();
            let good: f32 = exps.iter().zip(&sample.right).filter(|(_, r)| **r).map(|(e, _)| e).sum();
            if good <= 0.0 {
                continue;
            }
            for (at, row) in sample.rows.iter().enumerate() {
                let p = exps[at] / all;
                let target = if sample.right[at] { exps[at] / good } else { 0.0 };
                for (slot, value) in gradient.iter_mut().zip(row) {
                    *slot += sample.weight * (target - p) * value;
                }
            }
            total += sample.weight;
        }
        for k in 0..RANKING_FEATURE_COUNT {
            let g = gradient[k] / total - 0.001 * (weights[k] - start[k]);
            m[k] = 0.9 * m[k] + 0.1 * g;
            v[k] = 0.99 * v[k] + 0.01 * g * g;
            let (mh, vh) = (m[k] / (1.0 - 0.9_f32.powi(step)), v[k] / (1.0 - 0.99_f32.powi(step)));
            weights[k] += 0.1 * mh / (vh.sqrt() + 1e-8);
            // What speaks for a card never counts against it, nor the other way round.
            let against = matches!(RANKING_FEATURE_NAMES[k], "anti_nearer" | "not_nearer");
            weights[k] = if against { weights[k].min(-0.2) } else { weights[k].max(0.0) };
        }
    }
    weights
}

fn fit(cards: &[Card]) {
    let samples = samples(cards, Hyperparameters::TUNED);
    println!(
        "now: examples {:?} development {:?}",
        measure(&samples, &RANKING_WEIGHTS, false),
        measure(&samples, &RANKING_WEIGHTS, true)
    );
    let examples: Vec<&Sample> = samples.iter().filter(|sample| !sample.development).collect();
    let from_examples = climb(&examples, RANKING_WEIGHTS);
    println!(
        "examples only: examples {:?} development {:?}",
        measure(&samples, &from_examples, false),
        measure(&samples, &from_examples, true)
    );
    println!("{from_examples:.2?}");
    let developed: Vec<&Sample> = samples.iter().filter(|sample| sample.development).collect();
    let mut crossed = (0.0, 0.0, 0.0);
    for fold in 0..FOLDS {
        let train: Vec<&Sample> = examples
            .iter()
            .copied()
            .chain(developed.iter().enumerate().filter(|(at, _)| at % FOLDS != fold).map(|(_, s)| *s))
            .collect();
        let weights = climb(&train, RANKING_WEIGHTS);
        let test: Vec<Sample> =
            developed.iter().enumerate().filter(|(at, _)| at % FOLDS == fold).map(|(_, s)| (*s).clone()).collect();
        let got = measure(&test, &weights, true);
        crossed =
            (crossed.0 + got.0 / FOLDS as f32, crossed.1 + got.1 / FOLDS as f32, crossed.2 + got.2 / FOLDS as f32);
    }
    println!("development, crossed: {crossed:?}");
    let all: Vec<&Sample> = samples.iter().collect();
    let fitted = climb(&all, RANKING_WEIGHTS);
    println!(
        "all: examples {:?} development {:?}",
        measure(&samples, &fitted, false),
        measure(&samples, &fitted, true)
    );
    for (name, weight) in RANKING_FEATURE_NAMES.iter().zip(fitted) {
        println!("  {name:<14} {weight:.2}");
    }
    println!("pub const RANKING_WEIGHTS: RankingFeatures = {fitted:.2?};");
}

/// Fits the two models of the decision and the map of confidences, on the development half and left-out lines.
fn decision(cards: &[Card]) {
    // (row, whether a card answers it, whether the first card is right, weight, development)
    let mut rows: Vec<(DecisionFeatures, bool, bool, f32, bool)> = Vec::new();
    for fold in 0..FOLDS {
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
        let router = Router::build_with(fewer, Hyperparameters::TUNED, &|at| at % FOLDS != fold);
        rows.extend(left_out.iter().map(|(card, question)| {
            let (row, first) = router.decision_features(question, Filter::default());
            (row, true, first == Some(*card), 0.1, false)
        }));
        let lines = Router::training_requests().into_iter().enumerate().filter(|(at, _)| at % FOLDS == fold);
        rows.extend(
            lines.map(|(_, (q, asking))| (router.decision_features(q, Filter::default()).0, asking, false, 0.3, false)),
        );
    }
    let router = Router::build(cards.to_vec());
    for question in development() {
        let (row, first) = router.decision_features(&question.question, Filter::default());
        let correct = first.is_some_and(|card| right(&router, card, &question));
        rows.push((row, !question.acceptable.is_empty(), correct, 1.0, true));
    }
    // Crossed over the development half, for honest numbers.
    let places: Vec<usize> = (0..rows.len()).filter(|at| rows[*at].4).collect();
    let (mut tp, mut fp, mut fnn) = (0.0_f32, 0.0_f32, 0.0_f32);
    // (confidence before the map, whether right, weight): left-out examples are harder than most questions, and keep the map modest.
    let mut raw: Vec<(f32, bool, f32)> = Vec::new();
    for fold in 0..FOLDS {
        let test: Vec<usize> =
            places.iter().copied().enumerate().filter(|(i, _)| i % FOLDS == fold).map(|(_, at)| at).collect();
        let fits: Vec<(DecisionFeatures, bool, f32)> =
            rows.iter().enumerate().filter(|(at, _)| !test.contains(at)).map(|(_, r)| (r.0, r.1, r.3)).collect();
        let rights: Vec<(DecisionFeatures, bool, f32)> =
            rows.iter().enumerate().filter(|(at, _)| !test.contains(at)).filter_map(|(_, r)| right_row(r)).collect();
        let (fits, rights) = (logistic_fit(&fits), logistic_fit(&rights));
        for at in test {
            let none = logistic(&rows[at].0, &fits) < 0.5;
            match (none, rows[at].1) {
                (true, false) => tp += 1.0,
                (true, true) => fp += 1.0,
                (false, false) => fnn += 1.0,
                _ => {}
            }
            if !none {
                raw.push((logistic(&rows[at].0, &rights), rows[at].2, 1.0));
            }
        }
    }
    println!(
        "crossed: no-match precision {:.3} recall {:.3} F1 {:.3}",
        tp / (tp + fp),
        tp / (tp + fnn),
        2.0 * tp / (2.0 * tp + fp + fnn)
    );
    let fits: Vec<(DecisionFeatures, bool, f32)> = rows.iter().map(|r| (r.0, r.1, r.3)).collect();
    let rights: Vec<(DecisionFeatures, bool, f32)> = rows.iter().filter_map(right_row).collect();
    let (fits, rights) = (logistic_fit(&fits), logistic_fit(&rights));
    for (what, label, weight) in [("asking", true, 0.3), ("elsewhere", false, 0.3), ("examples", true, 0.1)] {
        let own: Vec<bool> = rows
            .iter()
            .filter(|r| !r.4 && r.1 == label && (r.3 - weight).abs() < 1e-6)
            .map(|r| (logistic(&r.0, &fits) >= 0.5) == label)
            .collect();
        println!("{what}, left out in turn: {} of {} right", own.iter().filter(|right| **right).count(), own.len());
    }
    for (k, name) in DECISION_FEATURE_NAMES.iter().enumerate() {
        println!("  {name:<16} fits {:>6.2} right {:>6.2}", fits[k], rights[k]);
    }
    println!("const FITS: DecisionFeatures = {fits:.2?};\nconst RIGHT: DecisionFeatures = {rights:.2?};");
    raw.extend(
        rows.iter()
            .filter_map(|r| Some((right_row(r)?, r.4)))
            .filter(|(_, development)| !development)
            .map(|((row, correct, weight), _)| (logistic(&row, &rights), correct, weight)),
    );
    println!("const CALIBRATION: {:.3?}", monotone(raw));
}

/// A question of the development half, or with less weight a left-out example, with whether the first card was right.
fn right_row(row: &(DecisionFeatures, bool, bool, f32, bool)) -> Option<(DecisionFeatures, bool, f32)> {
    let example = (row.3 - 0.1).abs() < 1e-6;
    match (row.4, example) {
        (true, _) => Some((row.0, row.2, 1.0)),
        (false, true) => Some((row.0, row.2, 0.03)),
        _ => None,
    }
}

fn logistic(row: &DecisionFeatures, weights: &DecisionFeatures) -> f32 {
    let sum: f32 = row.iter().zip(weights).map(|(a, b)| a * b).sum();
    1.0 / (1.0 + (-sum).exp())
}

fn logistic_fit(rows: &[(DecisionFeatures, bool, f32)]) -> DecisionFeatures {
    let mut weights = [0.0_f32; DECISION_FEATURE_COUNT];
    let (mut m, mut v) = ([0.0_f32; DECISION_FEATURE_COUNT], [0.0_f32; DECISION_FEATURE_COUNT]);
    let total: f32 = rows.iter().map(|r| r.2).sum();
    for step in 1..=1500 {
        let mut gradient = [0.0_f32; DECISION_FEATURE_COUNT];
        for (row, label, weight) in rows {
            let error = f32::from(u8::from(*label)) - logistic(row, &weights);
            for (slot, value) in gradient.iter_mut().zip(row) {
                *slot += weight * error * value / total;
            }
        }
        for k in 0..DECISION_FEATURE_COUNT {
            let g = gradient[k] - 0.002 * weights[k];
            m[k] = 0.9 * m[k] + 0.1 * g;
            v[k] = 0.99 * v[k] + 0.01 * g * g;
            let (mh, vh) = (m[k] / (1.0 - 0.9_f32.powi(step)), v[k] / (1.0 - 0.99_f32.powi(step)));
            weights[k] += 0.03 * mh / (vh.sqrt() + 1e-8);
            // A better fit never speaks for "no match", nor an unknown word for a match.
            match DECISION_FEATURE_NAMES[k] {
                "top_score" | "coverage" | "best_line" | "margin" | "top_probability" | "concepts" | "words" => {
                    weights[k] = weights[k].max(0.0);
                }
                "unknown_share" => weights[k] = weights[k].min(0.0),
                _ => {}
            }
        }
    }
    weights
}

/// Pools neighbours that are out of order; then the middle of each pool is a point of the map.
fn monotone(mut raw: Vec<(f32, bool, f32)>) -> Vec<(f32, f32)> {
    raw.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut pools: Vec<(f32, f32, f32)> = Vec::new();
    let mut open = (0.0, 0.0, 0.0);
    for (at, (confidence, correct, weight)) in raw.iter().enumerate() {
        open.0 += confidence * weight;
        open.1 += f32::from(u8::from(*correct)) * weight;
        open.2 += weight;
        if open.2 < 24.0 && at + 1 < raw.len() {
            continue;
        }
        pools.push(std::mem::take(&mut open));
        while pools.len() > 1 {
            let (last, before) = (pools[pools.len() - 1], pools[pools.len() - 2]);
            if before.1 / before.2 < last.1 / last.2 {
                break;
            }
            pools.pop();
            let at = pools.len() - 1;
            pools[at] = (before.0 + last.0, before.1 + last.1, before.2 + last.2);
        }
    }
    let mut out = vec![(0.0, 0.0)];
    // One right and one wrong answer more in each pool keep it from certainty.
    out.extend(pools.iter().map(|(mean, good, n)| (mean / n, (good + 1.0) / (n + 2.0))));
    out.push((1.0, 0.98));
    out
}

/// A change of the hyperparameters, by name.
type Try = (&'static str, Box<dyn Fn(&mut Hyperparameters)>);

/// Coordinate search over the hyperparameters, judged by the loss on left-out examples and on the development half.
fn hyperparameters(cards: &[Card]) {
    let judge = |hyperparameters: Hyperparameters| {
        let samples = samples(cards, hyperparameters);
        let (e, d) = (measure(&samples, &RANKING_WEIGHTS, false), measure(&samples, &RANKING_WEIGHTS, true));
        (0.3 * e.2 + d.2, e, d)
    };
    let base = Hyperparameters::TUNED;
    println!("base {:?}", judge(base));
    let tries: Vec<Try> = vec![
        ("passes 3", Box::new(|s| s.epochs = 3)),
        ("passes 10", Box::new(|s| s.epochs = 10)),
        ("step 2", Box::new(|s| s.step = 2.0)),
        ("step 8", Box::new(|s| s.step = 8.0)),
        (
            "step 8 passes 3",
            Box::new(|s| {
                s.step = 8.0;
                s.epochs = 3;
            }),
        ),
        ("ridge 0.1", Box::new(|s| s.ridge = 0.1)),
        ("ridge 1", Box::new(|s| s.ridge = 1.0)),
        ("idf 0.5", Box::new(|s| s.idf_exponent = 0.5)),
        ("idf 0.9", Box::new(|s| s.idf_exponent = 0.9)),
        ("concept 0.8", Box::new(|s| s.concept = 0.8)),
        ("concept 1.3", Box::new(|s| s.concept = 1.3)),
        ("pair 0.2", Box::new(|s| s.pair = 0.2)),
        ("pair 0.7", Box::new(|s| s.pair = 0.7)),
        ("setting 0.3", Box::new(|s| s.setting = 0.3)),
        ("setting 0.7", Box::new(|s| s.setting = 0.7)),
        ("lone 0.6", Box::new(|s| s.lone = 0.6)),
        ("known_stem 0.6", Box::new(|s| s.known_stem = 0.6)),
        ("known_stem 1.0", Box::new(|s| s.known_stem = 1.0)),
    ];
    for (name, change) in tries {
        let mut hyperparameters = base;
        change(&mut hyperparameters);
        println!("{name:<18} {:?}", judge(hyperparameters));
    }
}

/// Weight of a left-out example beside a development question.
fn example_weight() -> f32 {
    std::env::var("EXAMPLE_WEIGHT").ok().and_then(|text| text.parse().ok()).unwrap_or(0.05)
}
