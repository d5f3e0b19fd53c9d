//! Fits the two models of the decision (logistic regression, by gradient descent) and the map of confidences (isotonic regression by pooling
//! adjacent violators), on the development half and left-out lines.

use refdesk_route::{
    Card, DECISION_FEATURE_COUNT, DECISION_FEATURE_NAMES, DecisionFeatures, Hyperparameters, NAMING, Router,
};

use super::{FOLDS, development, right, without_fold};

/// Where a row comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Origin {
    /// A question of the development half.
    Development,
    /// An example question of a card that was left out.
    Example,
    /// A training request that was left out.
    Request,
    /// One in which the name of a card was put.
    Named,
}

/// A question as the models see it.
struct Row {
    features: DecisionFeatures,
    /// Whether a card answers it.
    answered: bool,
    /// Whether the first card is right.
    right: bool,
    origin: Origin,
}

impl Row {
    /// Whether it names a card: there is a model of its own for those.
    fn is_naming(&self) -> bool {
        self.features[NAMING] > 0.0
    }

    /// For the model of whether a card answers.
    fn of_fits(&self) -> (DecisionFeatures, bool, f32) {
        let weight = match self.origin {
            Origin::Development => 1.0,
            Origin::Example => 0.1,
            Origin::Request => 0.3,
            Origin::Named => 0.3 / NAMES as f32,
        };
        (self.features, self.answered, weight)
    }

    /// For the model of whether the first card is right. Requests have no right card.
    fn of_right(&self) -> Option<(DecisionFeatures, bool, f32)> {
        let weight = match self.origin {
            Origin::Development => 1.0,
            Origin::Example => 0.03,
            Origin::Request | Origin::Named => return None,
        };
        Some((self.features, self.right, weight))
    }
}

/// The models of whether a card answers: of questions that name none, and of those that do.
struct Fits([DecisionFeatures; 2]);

impl Fits {
    fn new<'r>(rows: impl Iterator<Item = &'r Row> + Clone) -> Self {
        let of = |is_naming: bool| {
            let own = rows.clone().filter(move |row| row.is_naming() == is_naming);
            logistic_fit(&own.map(Row::of_fits).collect::<Vec<_>>())
        };
        Self([of(false), of(true)])
    }

    fn is_answered(&self, row: &Row) -> bool {
        logistic(&row.features, &self.0[usize::from(row.is_naming())]) >= 0.5
    }
}

/// The development half, and what is left out in turn: example questions and training requests.
fn rows(cards: &[Card]) -> Vec<Row> {
    let mut rows = Vec::new();
    let row = |router: &Router, question: &str, answered: bool, origin: Origin, is_right: &dyn Fn(usize) -> bool| {
        let (features, first) = router.decision_features(question);
        Row { features, answered, right: first.is_some_and(is_right), origin }
    };
    for fold in 0..FOLDS {
        let (fewer, left_out) = without_fold(cards, fold);
        let router = Router::build_with(fewer, Hyperparameters::TUNED, &|at| at % FOLDS != fold);
        rows.extend(
            left_out
                .iter()
                .map(|(card, question)| row(&router, question, true, Origin::Example, &|first| first == *card)),
        );
        for (at, (request, answered)) in Router::training_requests().into_iter().enumerate() {
            if at % FOLDS != fold {
                continue;
            }
            if !request.contains(ANY_NAME) {
                rows.push(row(&router, request, answered, Origin::Request, &|_| false));
                continue;
            }
            let named = some_names(cards, at).map(|(card, name)| {
                let question = request.replace(ANY_NAME, name);
                row(&router, &question, answered, Origin::Named, &|first| first == card)
            });
            // A name that is an ordinary word names nothing beyond doubt.
            rows.extend(named.filter(Row::is_naming));
        }
    }
    let router = Router::build(cards.to_vec());
    rows.extend(development().iter().map(|question| {
        let answered = !question.acceptable.is_empty();
        row(&router, &question.question, answered, Origin::Development, &|first| right(&router, first, question))
    }));
    rows
}

/// Stands for the name of any card in the training requests.
const ANY_NAME: &str = "NAME";
/// Names that are put into each of these.
const NAMES: usize = 4;

/// A few names, each with its card: other ones for each request.
fn some_names(cards: &[Card], request: usize) -> impl Iterator<Item = (usize, &str)> {
    let published: Vec<usize> = (0..cards.len()).filter(|at| cards[*at].published).collect();
    (0..NAMES).map(move |at| {
        // A stride that shares no factor with their number visits all cards.
        let card = published[(request * NAMES + at) * 31 % published.len()];
        let names: Vec<&str> =
            std::iter::once(&cards[card].name).chain(&cards[card].aliases).map(String::as_str).collect();
        (card, names[(request + at) % names.len()])
    })
}

/// Fits the two models of the decision and the map of confidences, on the development half and left-out lines.
pub fn decision(cards: &[Card]) {
    let rows = rows(cards);
    // Crossed over the development half, for honest numbers.
    let places: Vec<usize> = (0..rows.len()).filter(|at| rows[*at].origin == Origin::Development).collect();
    let (mut tp, mut fp, mut fnn) = (0.0_f32, 0.0_f32, 0.0_f32);
    // (confidence before the map, whether right, weight): left-out examples are harder than most questions, and keep the map modest.
    let mut raw: Vec<(f32, bool, f32)> = Vec::new();
    for fold in 0..FOLDS {
        let test: Vec<usize> =
            places.iter().copied().enumerate().filter(|(i, _)| i % FOLDS == fold).map(|(_, at)| at).collect();
        let train = rows.iter().enumerate().filter(|(at, _)| !test.contains(at)).map(|(_, row)| row);
        let fits = Fits::new(train.clone());
        let rights = logistic_fit(&train.filter_map(Row::of_right).collect::<Vec<_>>());
        for row in test.iter().map(|at| &rows[*at]) {
            let none = !fits.is_answered(row);
            match (none, row.answered) {
                (true, false) => tp += 1.0,
                (true, true) => fp += 1.0,
                (false, false) => fnn += 1.0,
                _ => {}
            }
            if !none {
                raw.push((logistic(&row.features, &rights), row.right, 1.0));
            }
        }
    }
    println!(
        "crossed: no-match precision {:.3} recall {:.3} F1 {:.3}",
        tp / (tp + fp),
        tp / (tp + fnn),
        2.0 * tp / (2.0 * tp + fp + fnn)
    );
    let fits = Fits::new(rows.iter());
    let rights = logistic_fit(&rows.iter().filter_map(Row::of_right).collect::<Vec<_>>());
    for (what, answered, origin) in [
        ("asking", true, Origin::Request),
        ("elsewhere", false, Origin::Request),
        ("naming a card", true, Origin::Named),
        ("naming a card, elsewhere", false, Origin::Named),
        ("examples", true, Origin::Example),
    ] {
        let own: Vec<bool> = rows
            .iter()
            .filter(|row| row.origin == origin && row.answered == answered)
            .map(|row| fits.is_answered(row) == answered)
            .collect();
        println!("{what}, left out in turn: {} of {} right", own.iter().filter(|right| **right).count(), own.len());
    }
    let Fits([fits, naming]) = fits;
    for (k, name) in DECISION_FEATURE_NAMES.iter().enumerate() {
        println!("  {name:<16} fits {:>6.2} naming {:>6.2} right {:>6.2}", fits[k], naming[k], rights[k]);
    }
    println!("const FITS: DecisionFeatures = {fits:.2?};\nconst FITS_NAMING: DecisionFeatures = {naming:.2?};");
    println!("const RIGHT: DecisionFeatures = {rights:.2?};");
    raw.extend(
        rows.iter()
            .filter(|row| row.origin != Origin::Development)
            .filter_map(Row::of_right)
            .map(|(features, correct, weight)| (logistic(&features, &rights), correct, weight)),
    );
    println!("const CALIBRATION: {:.3?}", monotone(raw));
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
                "top_score" | "coverage" | "best_line" | "margin" | "top_probability" | "concepts" | "words"
                | "name" => {
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
