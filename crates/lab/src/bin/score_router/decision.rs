//! Fits the two models of the decision (logistic regression, by gradient descent) and the map of confidences (isotonic regression by pooling
//! adjacent violators), on the development half and left-out lines.

use refdesk_route::{
    Card, DECISION_FEATURE_COUNT, DECISION_FEATURE_NAMES, DecisionFeatures, Filter, Hyperparameters, Router,
};

use super::{FOLDS, development, right, without_fold};

/// Fits the two models of the decision and the map of confidences, on the development half and left-out lines.
pub fn decision(cards: &[Card]) {
    // (row, whether a card answers it, whether the first card is right, weight, development)
    let mut rows: Vec<(DecisionFeatures, bool, bool, f32, bool)> = Vec::new();
    for fold in 0..FOLDS {
        let (fewer, left_out) = without_fold(cards, fold);
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
