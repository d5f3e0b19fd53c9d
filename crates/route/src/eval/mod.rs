//! Evaluation of the router on labelled questions, beside three baselines in the same run. Pure: the caller reads the questions.
//! What fitting needs is in `fitting`.
//!
//! A hash of the ids splits the questions: the development half may be looked at, the held-out half is only ever scored.

mod baseline;
#[cfg(feature = "fitting")]
pub mod fitting;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::{Decision, Filter, Router};
use baseline::{chance, name_match, plain_bm25};
use refdesk_core::item::Domain;

/// A labelled question: one line of `questions.jsonl`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    /// `r001`; decides the half.
    pub id: String,
    /// What somebody typed.
    pub question: String,
    /// Ids of cards that are right, best first; empty when none is.
    pub acceptable: Vec<String>,
    /// Domain of the best card.
    pub domain: Option<Domain>,
    /// `short`, `long`, `messy`, `formal`, `agent`, `near_miss`, `name`, `none`.
    #[serde(default)]
    pub style: String,
}

impl Question {
    /// Parses the lines of a question set.
    ///
    /// # Errors
    /// The number of the first bad line and what is wrong with it.
    pub fn parse_lines(text: &str) -> Result<Vec<Self>, String> {
        text.lines()
            .enumerate()
            .filter(|(_, line)| !line.trim().is_empty())
            .map(|(at, line)| serde_json::from_str(line).map_err(|error| format!("line {}: {error}", at + 1)))
            .collect()
    }

    /// Whether it belongs to the half that is only scored.
    pub fn is_held_out(&self) -> bool {
        Sha256::digest(self.id.as_bytes())[0] >= 0x80
    }

    /// Whether a decision and the cards, best first, are what the label wants: no card, the best card, or a question that has the cards of the
    /// label before all others, if the request names `two`.
    pub fn is_answered(&self, decision: Decision, ranked: &[&str]) -> bool {
        let names_all = |cards: &[String]| {
            ranked.len() >= cards.len() && ranked[..cards.len()].iter().all(|id| cards.iter().any(|card| card == id))
        };
        match (&self.acceptable[..], self.style.as_str()) {
            ([], _) => decision == Decision::NoMatch,
            (cards, "two") => decision == Decision::Ambiguous && names_all(cards),
            ([best, ..], _) => decision == Decision::Match && ranked.first() == Some(&best.as_str()),
        }
    }
}

/// How a ranking did on some questions. Shares are 0 to 1.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct RankingMetrics {
    /// Questions that have a right card.
    pub n: usize,
    /// Share with a right card first.
    pub top1: f32,
    /// Share with a right card among the first three.
    pub top3: f32,
    /// Share with a right card among the first five.
    pub top5: f32,
}

/// How the router did on some questions.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct RoutingMetrics {
    /// All questions.
    pub n: usize,
    /// The ranking, whatever the decision, on questions that have a right card.
    #[serde(flatten)]
    pub hits: RankedShares,
    /// Share of the questions with a right card that were answered "no match".
    pub missed: f32,
    /// Share of the questions with a right card that were answered "ambiguous".
    pub ambiguous: f32,
    /// Of the answers "no match", the share that is right.
    pub no_match_precision: f32,
    /// Of the questions without a card, the share that was answered "no match".
    pub no_match_recall: f32,
    /// Their harmonic mean.
    pub no_match_f1: f32,
    /// Expected calibration error over ten bins.
    pub ece: f32,
    /// Ten bins of confidence.
    pub calibration: Vec<CalibrationBin>,
}

/// The ranking part of [`RoutingMetrics`].
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct RankedShares {
    /// Questions that have a right card.
    pub with_card: usize,
    /// Share with a right card first.
    pub top1: f32,
    /// Share with a right card among the first three.
    pub top3: f32,
    /// Share with a right card among the first five.
    pub top5: f32,
}

/// A bin of confidences.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct CalibrationBin {
    /// Lower border.
    pub from: f32,
    /// Answers in it.
    pub n: usize,
    /// Their mean confidence.
    pub confidence: f32,
    /// The share that was right.
    pub right: f32,
}

/// A baseline's result on both halves and all.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BaselineReport {
    /// `bm25`, `name` or `random`.
    pub name: String,
    /// On the development half.
    pub development: RankingMetrics,
    /// On the held-out half.
    pub held_out: RankingMetrics,
}

/// The evaluation of a router.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RoutingReport {
    /// Name of the ranking.
    pub algorithm: String,
    /// Which set of cards.
    pub cards_hash: String,
    /// Hash of the questions.
    pub questions_hash: String,
    /// Number of published cards.
    pub cards: usize,
    /// Both halves together.
    pub all: RoutingMetrics,
    /// The development half.
    pub development: RoutingMetrics,
    /// The half that is only scored.
    pub held_out: RoutingMetrics,
    /// Held-out questions that have a card, by domain of the best card.
    pub by_domain: BTreeMap<String, RankingMetrics>,
    /// The three baselines.
    pub baselines: Vec<BaselineReport>,
}

/// What the router said to a question.
struct Answer<'a> {
    question: &'a Question,
    /// Position of the first right card in the whole ranking.
    place: Option<usize>,
    decision: Decision,
    confidence: f32,
}

impl Router {
    /// All cards that the filter lets through, best first, whatever the decision.
    pub fn ranking(&self, question: &str, filter: Filter) -> Vec<usize> {
        let analysed = self.analyse(question);
        let order = self.order(&analysed, &self.features(&analysed), filter.include_candidates);
        self.within(&order, filter).into_iter().map(|scored| scored.card).collect()
    }
}

/// Evaluates a router on labelled questions.
pub fn evaluate(router: &Router, questions: &[Question]) -> RoutingReport {
    let answers: Vec<Answer<'_>> = questions
        .iter()
        .map(|question| {
            let routing = router.route(&question.question, Filter::default());
            let ids: Vec<&str> = router
                .ranking(&question.question, Filter::default())
                .into_iter()
                .map(|card| router.cards()[card].id.as_str())
                .collect();
            Answer {
                question,
                place: place(&ids, question),
                decision: routing.decision,
                confidence: routing.ranked.first().map_or(0.0, |ranked| ranked.confidence),
            }
        })
        .collect();
    let half = |held_out: bool| -> Vec<&Answer<'_>> {
        answers.iter().filter(|answer| answer.question.is_held_out() == held_out).collect()
    };
    let held_out = half(true);
    let lines: Vec<String> = questions.iter().map(|q| serde_json::to_string(q).unwrap_or_default()).collect();
    RoutingReport {
        algorithm: Router::ALGORITHM.to_owned(),
        cards_hash: router.cards_hash().to_owned(),
        questions_hash: refdesk_core::hash::content_hash(lines.join("\n").as_bytes()),
        cards: router.cards().iter().filter(|card| card.published).count(),
        all: scores(&answers.iter().collect::<Vec<_>>()),
        development: scores(&half(false)),
        by_domain: by_domain(&held_out),
        held_out: scores(&held_out),
        baselines: baselines(router, questions),
    }
}

fn place(ids: &[&str], question: &Question) -> Option<usize> {
    ids.iter().position(|id| question.acceptable.iter().any(|right| right == id))
}

fn share(part: usize, whole: usize) -> f32 {
    if whole == 0 { 0.0 } else { part as f32 / whole as f32 }
}

fn hits(places: &[Option<usize>]) -> RankingMetrics {
    let within =
        |limit: usize| share(places.iter().filter(|place| place.is_some_and(|at| at < limit)).count(), places.len());
    RankingMetrics { n: places.len(), top1: within(1), top3: within(3), top5: within(5) }
}

fn scores(answers: &[&Answer<'_>]) -> RoutingMetrics {
    let (with, without): (Vec<&Answer<'_>>, Vec<&Answer<'_>>) =
        answers.iter().copied().partition(|answer| !answer.question.acceptable.is_empty());
    let said =
        |list: &[&Answer<'_>], decision: Decision| list.iter().filter(|answer| answer.decision == decision).count();
    let places: Vec<Option<usize>> = with.iter().map(|answer| answer.place).collect();
    let found = hits(&places);
    let (wrongly, rightly) = (said(&with, Decision::NoMatch), said(&without, Decision::NoMatch));
    let precision = share(rightly, rightly + wrongly);
    let recall = share(rightly, without.len());
    let calibration = bins(answers);
    let answered: usize = calibration.iter().map(|bin| bin.n).sum();
    RoutingMetrics {
        n: answers.len(),
        hits: RankedShares { with_card: with.len(), top1: found.top1, top3: found.top3, top5: found.top5 },
        missed: share(wrongly, with.len()),
        ambiguous: share(said(&with, Decision::Ambiguous), with.len()),
        no_match_precision: precision,
        no_match_recall: recall,
        no_match_f1: if precision + recall > 0.0 { 2.0 * precision * recall / (precision + recall) } else { 0.0 },
        ece: calibration.iter().map(|bin| share(bin.n, answered) * (bin.confidence - bin.right).abs()).sum(),
        calibration,
    }
}

/// Ten bins over the confidences of the answers that name a card; a card named for a question without one is wrong.
fn bins(answers: &[&Answer<'_>]) -> Vec<CalibrationBin> {
    let mut bins: Vec<CalibrationBin> =
        (0..10).map(|at| CalibrationBin { from: at as f32 / 10.0, ..CalibrationBin::default() }).collect();
    for answer in answers.iter().filter(|answer| answer.decision != Decision::NoMatch) {
        let bin = &mut bins[((answer.confidence * 10.0) as usize).min(9)];
        bin.n += 1;
        bin.confidence += answer.confidence;
        bin.right += f32::from(u8::from(answer.place == Some(0)));
    }
    for bin in bins.iter_mut().filter(|bin| bin.n > 0) {
        bin.confidence /= bin.n as f32;
        bin.right /= bin.n as f32;
    }
    bins
}

fn by_domain(answers: &[&Answer<'_>]) -> BTreeMap<String, RankingMetrics> {
    let mut places: BTreeMap<String, Vec<Option<usize>>> = BTreeMap::new();
    for answer in answers {
        if let Some(domain) = answer.question.domain
            && !answer.question.acceptable.is_empty()
        {
            places.entry(domain.as_str().to_owned()).or_default().push(answer.place);
        }
    }
    places.into_iter().map(|(domain, places)| (domain, hits(&places))).collect()
}

fn baselines(router: &Router, questions: &[Question]) -> Vec<BaselineReport> {
    let cards = router.cards();
    [("bm25", plain_bm25(cards)), ("name", name_match(cards)), ("random", chance(cards))]
        .into_iter()
        .map(|(name, rank)| {
            let mut halves: [Vec<Option<usize>>; 2] = [Vec::new(), Vec::new()];
            for question in questions.iter().filter(|question| !question.acceptable.is_empty()) {
                let ids: Vec<&str> = rank(&question.question).into_iter().map(|card| cards[card].id.as_str()).collect();
                halves[usize::from(question.is_held_out())].push(place(&ids, question));
            }
            BaselineReport { name: name.to_owned(), development: hits(&halves[0]), held_out: hits(&halves[1]) }
        })
        .collect()
}

impl RoutingReport {
    /// The report as text for a terminal.
    pub fn to_table(&self) -> String {
        use std::fmt::Write as _;
        let mut out = String::new();
        let _ = writeln!(out, "{} over {} cards ({})", self.algorithm, self.cards, self.cards_hash);
        let _ = writeln!(
            out,
            "\n{:<12} {:>5} {:>6} {:>6} {:>6} {:>7} {:>9} {:>9} {:>9} {:>6} {:>6}",
            "half", "n", "top-1", "top-3", "top-5", "missed", "ambiguous", "no-match", "precision", "recall", "F1"
        );
        for (name, scores) in [("all", &self.all), ("development", &self.development), ("held-out", &self.held_out)] {
            let _ = writeln!(
                out,
                "{name:<12} {:>5} {:>6.3} {:>6.3} {:>6.3} {:>7.3} {:>9.3} {:>9} {:>9.3} {:>6.3} {:>6.3}",
                scores.n,
                scores.hits.top1,
                scores.hits.top3,
                scores.hits.top5,
                scores.missed,
                scores.ambiguous,
                scores.n - scores.hits.with_card,
                scores.no_match_precision,
                scores.no_match_recall,
                scores.no_match_f1
            );
        }
        let _ = writeln!(out, "\nheld-out against baselines");
        let _ = writeln!(
            out,
            "{:<12} {:>6.3} {:>6.3} {:>6.3}",
            "router", self.held_out.hits.top1, self.held_out.hits.top3, self.held_out.hits.top5
        );
        for baseline in &self.baselines {
            let hits = &baseline.held_out;
            let _ = writeln!(out, "{:<12} {:>6.3} {:>6.3} {:>6.3}", baseline.name, hits.top1, hits.top3, hits.top5);
        }
        let _ =
            writeln!(out, "\ncalibration, held-out (expected error {:.3}; all {:.3})", self.held_out.ece, self.all.ece);
        for bin in self.held_out.calibration.iter().filter(|bin| bin.n > 0) {
            let _ = writeln!(
                out,
                "{:.1} to {:.1}  n {:>4}  said {:.2}  right {:.2}",
                bin.from,
                bin.from + 0.1,
                bin.n,
                bin.confidence,
                bin.right
            );
        }
        let _ = writeln!(out, "\nby domain, held-out");
        for (domain, hits) in &self.by_domain {
            let _ = writeln!(out, "{domain:<16} n {:>4}  top-1 {:.3}  top-3 {:.3}", hits.n, hits.top1, hits.top3);
        }
        out
    }
}
