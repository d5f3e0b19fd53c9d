//! Coordinate search over the hyperparameters of the router.

use refdesk_route::{Card, Hyperparameters, RANKING_WEIGHTS};

use super::ranking::{measure, samples};

/// A change of the hyperparameters, by name.
type Try = (&'static str, Box<dyn Fn(&mut Hyperparameters)>);

/// Coordinate search over the hyperparameters, judged by the loss on left-out examples and on the development half.
pub fn hyperparameters(cards: &[Card]) {
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
