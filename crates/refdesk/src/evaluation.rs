//! The last evaluation of the router, which `/health` and routed answers tell: this machine's, or the one that ships.

use std::time::{Duration, Instant};

use refdesk_catalog::answer::RouterEval;
use refdesk_ingest::store::Store;
use refdesk_route::Router;
use refdesk_route::eval::RoutingReport;
use refdesk_serve::AppState;
use refdesk_serve::state::Evaluated;
use serde::{Deserialize, Serialize};

/// The figures of the last run on the questions of the repository, committed beside them.
const FIGURES: &str = include_str!("../../../eval/routing/figures.json");
/// Name of the stored figures of the last run on this machine.
const META_FIGURES: &str = "router_eval";
/// A figure may be this much lower than its baseline before it counts as a regression: less than one question in a hundred.
const TOLERANCE: f64 = 0.005;

/// How often a database that many nodes ask is asked for an evaluation, which nobody waits for.
const SHARED_LOOK: Duration = Duration::from_secs(30);

/// What is kept of a run: the held-out half only, because the other half was used to choose parameters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// What the desk tells.
    #[serde(flatten)]
    told: Evaluated,
    no_match_f1: f64,
    ece: f64,
}

impl Figures {
    /// The figures of a report.
    pub fn new(report: &RoutingReport) -> Self {
        let rounded = |figure: f32| (f64::from(figure) * 1e4).round() / 1e4;
        let figures = RouterEval {
            n: report.held_out.n,
            top1: rounded(report.held_out.hits.top1),
            top3: rounded(report.held_out.hits.top3),
            evaluated_at: crate::app::now(),
        };
        Self {
            told: Evaluated { cards_hash: report.cards_hash.clone(), figures },
            no_match_f1: rounded(report.held_out.no_match_f1),
            ece: rounded(report.held_out.ece),
        }
    }

    /// What is worse than in `before`, in words.
    pub fn regressions(&self, before: &Self) -> Vec<String> {
        let (shown, shown_before) = (&self.told.figures, &before.told.figures);
        [
            ("top-1", shown.top1, shown_before.top1),
            ("top-3", shown.top3, shown_before.top3),
            ("no-match F1", self.no_match_f1, before.no_match_f1),
        ]
        .into_iter()
        .filter(|(_, now, then)| *now + TOLERANCE < *then)
        .map(|(name, now, then)| format!("{name} on the held-out half fell from {then:.3} to {now:.3}"))
        .collect()
    }
}

/// The figures of the last evaluation of exactly the router's cards: this machine's, else those that ship.
pub async fn last(store: &Store, router: &Router) -> Option<Evaluated> {
    let stored = store.meta(META_FIGURES).await.ok().flatten();
    of_cards(stored.as_deref(), router)
}

/// The stored figures, else those that ship, if they are of exactly the router's cards.
fn of_cards(stored: Option<&str>, router: &Router) -> Option<Evaluated> {
    let cards_hash = router.cards_hash();
    [stored, Some(FIGURES)]
        .into_iter()
        .flatten()
        .filter_map(|text| serde_json::from_str::<Figures>(text).ok())
        .map(|figures| figures.told)
        .find(|told| told.cards_hash == cards_hash)
}

/// Follows the last evaluation for a running desk: another process may make one, and a sync may bring other cards.
#[derive(Debug, Default)]
pub struct Followed {
    /// The stored figures and the generation that were last looked at.
    seen: Option<(Option<String>, u64)>,
    looked: Option<Instant>,
}

impl Followed {
    /// Tells the desk what has changed. While the store cannot be read, the figures stay as they were.
    pub async fn look(&mut self, store: &Store, desk: &AppState) {
        if store.is_shared() && self.looked.is_some_and(|at| at.elapsed() < SHARED_LOOK) {
            return;
        }
        self.looked = Some(Instant::now());
        let Ok(stored) = store.meta(META_FIGURES).await else { return };
        let snapshot = desk.snapshot();
        let seen = Some((stored, snapshot.generation()));
        if self.seen != seen {
            let stored = seen.as_ref().and_then(|(stored, _)| stored.as_deref());
            desk.set_evaluated(of_cards(stored, snapshot.router()));
            self.seen = seen;
        }
    }
}

/// Keeps the figures of a run on this machine.
///
/// # Errors
/// When the store cannot be written.
pub async fn keep(store: &Store, figures: &Figures) -> anyhow::Result<()> {
    store.set_meta(META_FIGURES, &serde_json::to_string(figures)?).await?;
    Ok(())
}
