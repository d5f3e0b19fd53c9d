//! Fits the weights of the ranking features: gradient ascent on the likelihood of right cards (softmax over the cards of a question), from
//! example questions left out in turn and the development half.

use refdesk_route::{
    Card, Hyperparameters, RANKING_FEATURE_COUNT, RANKING_FEATURES, RANKING_WEIGHTS, RankingFeatures, Router,
    linear_score,
};

use super::{FOLDS, development, right, without_fold};

/// A question with the rows of all cards and which are right.
#[derive(Clone)]
pub struct Sample {
    rows: Vec<RankingFeatures>,
    right: Vec<bool>,
    weight: f32,
    development: bool,
}

/// Example questions left out in turn, and the development half.
pub fn samples(cards: &[Card], hyperparameters: Hyperparameters) -> Vec<Sample> {
    let mut out = Vec::new();
    for fold in 0..FOLDS {
        let (fewer, left_out) = without_fold(cards, fold);
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
pub fn measure(samples: &[Sample], weights: &RankingFeatures, development: bool) -> (f32, f32, f32) {
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
            let against = matches!(RANKING_FEATURES[k].0, "anti_nearer" | "not_nearer");
            weights[k] = if against { weights[k].min(-0.2) } else { weights[k].max(0.0) };
        }
    }
    weights
}

pub fn fit(cards: &[Card]) {
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
    for ((name, _), weight) in RANKING_FEATURES.iter().zip(fitted) {
        println!("  {name:<14} {weight:.2}");
    }
    println!("pub const RANKING_WEIGHTS: RankingFeatures = {fitted:.2?};");
}

/// Weight of a left-out example beside a development question.
fn example_weight() -> f32 {
    std::env::var("EXAMPLE_WEIGHT").ok().and_then(|text| text.parse().ok()).unwrap_or(0.05)
}
