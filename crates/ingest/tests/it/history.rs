//! A year of two price lists, day by day, with what really happens to such lists: corrections, slips by powers of ten, new entries that
//! are slips, units changed for a day, mass removals, flapping, a list that dies for a hundred days, a clock set back.
//!
//! After every sync each price that is shown is one that a live source states now, or is marked as stale; what a source states and is
//! not shown is told as a conflict; and what it repeats is shown after two syncs at most. `-- --nocapture` prints the figures.

#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a failing unwrap is a failing test; --nocapture shows the figures"
)]

use std::collections::{BTreeMap, BTreeSet};

use crate::support::HandClock;
use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};
use refdesk_catalog::answer::{self, DetailExtras};
use refdesk_catalog::snapshot::{Input, Snapshot};
use refdesk_core::Usd;
use refdesk_core::query::DetailQuery;
use refdesk_ingest::config::{SourceConfig, Span};
use refdesk_ingest::generation::{self, Loaded};
use refdesk_ingest::store::{Accept, Store};
use refdesk_ingest::sync::{Engine, EngineOptions, SyncResult};
use serde_json::{Map, Value, json};

const START: i64 = 1_750_000_000;
const DAY: i64 = 86_400;
const DAYS: i64 = 365;
/// Days on which the second list is dead.
const DEAD: std::ops::Range<i64> = 120..220;
const SELLERS: [&str; 4] = ["anthropic", "resale", "cloudly", "hosty"];

/// What a list states: prices in USD per million tokens, by seller and model.
type Prices = BTreeMap<(String, String), f64>;

/// What a list states, and for how many takes in a row it has.
type Stated = BTreeMap<(String, String), (Usd, u32)>;

/// A list with its slips.
struct List {
    prices: Prices,
    /// What is stated today instead, and until which day.
    slips: BTreeMap<(String, String), (f64, i64)>,
}

impl List {
    fn new(rng: &mut StdRng) -> Self {
        let mut prices = Prices::new();
        for model in 0..24 {
            let level = f64::from(rng.random_range(1..400_u32)) / 10.0;
            for seller in SELLERS.iter().take(1 + model % SELLERS.len()) {
                let price = (level * f64::from(rng.random_range(8..14_u32))).round() / 10.0;
                prices.insert(((*seller).to_owned(), format!("claude-nova-{model}")), price.max(0.1));
            }
        }
        Self { prices, slips: BTreeMap::new() }
    }

    /// What changes from one day to the next.
    fn pass_a_day(&mut self, day: i64, rng: &mut StdRng) {
        self.slips.retain(|_, (_, until)| *until > day);
        let keys: Vec<_> = self.prices.keys().cloned().collect();
        for key in keys {
            let price = self.prices[&key];
            match rng.random_range(0..1_000_u32) {
                // A correction, small or of a whole power of ten: these stay.
                0..=9 => drop(self.prices.insert(key, (price * 7.0).round() / 10.0 + 0.1)),
                10..=11 => drop(self.prices.insert(key, price * 10.0)),
                12..=13 => drop(self.prices.insert(key, (price * 1_000.0).round() / 10_000.0 + 0.01)),
                // A slip, taken back after some days.
                14..=17 => {
                    let factor = [10.0, 1_000.0, 1e6, 1e-3][rng.random_range(0..4_usize)];
                    self.slips.insert(key, (price * factor, day + rng.random_range(1..6_i64)));
                }
                // A price that flaps: a slip for a day, the same again the day after next.
                18 => drop(self.slips.insert(key, (price * 100.0, day + 1))),
                19 => drop(self.prices.remove(&key)),
                _ => {}
            }
        }
        if rng.random_range(0..4_u32) == 0 {
            let key = ("resale".to_owned(), format!("claude-nova-{}", 24 + day));
            // Half of the new entries are slips.
            if rng.random_range(0..2_u32) == 0 {
                self.slips.insert(key.clone(), (3_200.0, day + 3));
            }
            self.prices.insert(key, 0.32);
            self.prices.insert(("cloudly".to_owned(), format!("claude-nova-{}", 24 + day)), 0.35);
            self.prices.insert(("hosty".to_owned(), format!("claude-nova-{}", 24 + day)), 0.3);
        }
    }

    fn stated(&self, day: i64) -> Prices {
        let mut stated = self.prices.clone();
        for (key, (price, _)) in &self.slips {
            stated.entry(key.clone()).and_modify(|stated| *stated = *price);
        }
        // One day in dollars for a thousand tokens.
        if day == 60 {
            stated.values_mut().for_each(|price| *price /= 1_000.0);
        }
        // Two days with a quarter of the list: held back as a whole.
        if day == 90 || day == 91 {
            let some: Vec<_> = stated.keys().skip(stated.len() / 4).cloned().collect();
            for key in some {
                stated.remove(&key);
            }
        }
        stated
    }
}

/// A number as it stands in the file: no more digits than it needs.
fn number(price: f64) -> Value {
    serde_json::from_str(&Usd::parse(&format!("{price:.15}")).unwrap().to_string()).unwrap()
}

/// As models.dev has it.
fn models_dev(stated: &Prices, day: i64) -> Value {
    let mut providers: Map<String, Value> = Map::new();
    for ((seller, model), price) in stated {
        let provider = providers.entry(seller.clone()).or_insert_with(|| json!({"id": seller, "models": {}}));
        provider["models"][model] =
            json!({"id": model, "name": model, "last_updated": day.to_string(), "cost": {"input": number(*price)}});
    }
    Value::Object(providers)
}

/// As `LiteLLM` has it: per token.
fn litellm(stated: &Prices, day: i64) -> Value {
    let entry = |((seller, model), price): (&(String, String), &f64)| {
        let fields = json!({"litellm_provider": seller, "mode": "chat", "input_cost_per_token": number(*price / 1e6), "day": day});
        (format!("{seller}/{model}"), fields)
    };
    Value::Object(stated.iter().map(entry).collect())
}

struct Desk {
    engine: Engine,
    clock: HandClock,
    folder: tempfile::TempDir,
    /// What each list stated when it was last taken, and for how many takes in a row.
    stated: BTreeMap<&'static str, Stated>,
    withheld: BTreeSet<(String, String, String)>,
    withheld_in_all: usize,
    released: usize,
    checked: usize,
}

impl Desk {
    async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let clock = HandClock::at(START);
        let source = |id: &str, connector: &str, rank: i32| {
            let mut source = SourceConfig::new(id, connector, folder.path().join(id).to_string_lossy());
            (source.rank, source.stale_after, source.interval) = (rank, Span::days(7), Span::secs(3_600));
            source
        };
        let sources = vec![source("models-dev", "models-dev", 10), source("litellm", "litellm", 20)];
        let options = EngineOptions { clock: clock.clock(), ..EngineOptions::default() };
        let engine = Engine::new(Store::open_in_memory().await.unwrap(), sources, options).unwrap();
        let (stated, withheld) = Default::default();
        Self { engine, clock, folder, stated, withheld, withheld_in_all: 0, released: 0, checked: 0 }
    }

    async fn sync(&mut self, source: &'static str, file: Option<&Value>, stated: &Prices) {
        let path = self.folder.path().join(source);
        match file {
            Some(file) => std::fs::write(&path, file.to_string()).unwrap(),
            None => std::fs::remove_file(&path).unwrap_or_default(),
        }
        let report = self.engine.sync_source(source, &Accept::No).await.unwrap();
        match report.result {
            SyncResult::Updated => assert!(file.is_some()),
            SyncResult::Quarantined { .. } => return,
            other => return assert!(file.is_none(), "{source}: {other:?}"),
        }
        let before = self.stated.remove(source).unwrap_or_default();
        let told = |(key, price): (&(String, String), &f64)| {
            let price = Usd::from_json(&number(*price)).unwrap();
            let times = before.get(key).filter(|(same, _)| *same == price).map_or(1, |(_, times)| times + 1);
            (key.clone(), (price, times))
        };
        self.stated.insert(source, stated.iter().map(told).collect());
    }

    async fn snapshot(&self) -> Snapshot {
        let now = self.clock.now();
        let Loaded { facts, sources } =
            generation::load(self.engine.store(), &self.engine.sources(), now).await.unwrap();
        Snapshot::build(&Input { facts: &facts, sources, now, generation: 1, before: None, texts: None })
    }

    /// Holds the desk to its word.
    async fn check(&mut self, day: i64) {
        let snapshot = self.snapshot().await;
        for ordinal in 0..snapshot.item_count() {
            let shown: Value =
                serde_json::from_slice(&answer::detail(&snapshot, ordinal, &DetailExtras::default())).unwrap();
            let model = &shown["model"];
            if model["status"] == "removed" {
                continue;
            }
            Self::is_fresh(day, &snapshot, ordinal);
            let top = &model["field_evidence"]["pricing.input"]["source_id"];
            let is_stale =
                model["stale_fields"].as_array().is_some_and(|paths| paths.contains(&json!("pricing.input")));
            self.is_stated(day, "anthropic", model, &model["pricing"]["input"], top, is_stale);
            for offer in model["offers"].as_array().unwrap().iter().filter(|offer| offer["status"] != "removed") {
                let seller = offer["provider"].as_str().unwrap();
                let is_stale = offer["stale"] == true;
                self.is_stated(day, seller, model, &offer["pricing"]["input"], &offer["source_id"], is_stale);
            }
        }
        let now: BTreeSet<_> = snapshot
            .withheld()
            .map(|withheld| (withheld.source_id.to_string(), withheld.key.clone(), withheld.value.clone()))
            .collect();
        for (source, key, value) in &now {
            let (seller, model) = key.split_once('/').unwrap();
            // What its source removed since is withheld on an item that is itself gone.
            let known = self.stated[source.as_str()].get(&(seller.to_owned(), model.to_owned()));
            let Some((stated, times)) = known else { continue };
            assert_eq!(Some(*stated), Usd::parse(value), "day {day}: {source} {key} is withheld as it is stated");
            assert!(*times < 2, "day {day}: {source} repeats {value} of {key}, and it is still withheld");
        }
        self.withheld_in_all += now.difference(&self.withheld).count();
        self.released += self.withheld.difference(&now).count();
        self.withheld = now;
    }

    /// Who only wants what is fresh is told nothing of a list that has been dead for longer than its facts hold.
    fn is_fresh(day: i64, snapshot: &Snapshot, ordinal: u32) {
        if !(DEAD.start + 8..DEAD.end).contains(&day) || snapshot.evidence_of(ordinal).stale_reason.is_some() {
            return;
        }
        let query = DetailQuery { fresh_only: true, ..DetailQuery::default() };
        let extras = DetailExtras { query, ..DetailExtras::default() };
        let shown: Value = serde_json::from_slice(&answer::detail(snapshot, ordinal, &extras)).unwrap();
        let model = &shown["model"];
        for offer in model["offers"].as_array().unwrap() {
            assert_ne!(offer["source_id"], "litellm", "day {day}: {offer}");
        }
        for (path, by) in model["field_evidence"].as_object().unwrap() {
            let value = path.split('.').fold(model, |value, name| &value[name]);
            assert!(by["source_id"] != "litellm" || value.is_null(), "day {day}: {path} is {value} of a dead list");
        }
    }

    /// A shown price is what its source states now, or is stale; one that is not shown is told.
    fn is_stated(&mut self, day: i64, seller: &str, model: &Value, shown: &Value, source: &Value, is_stale: bool) {
        self.checked += 1;
        let key = (seller.to_owned(), model["id"].as_str().unwrap().to_owned());
        if shown.is_null() {
            let told = |stated: &Stated| {
                let Some((price, _)) = stated.get(&key) else { return true };
                let conflicts = model["conflicts"].as_array().unwrap();
                conflicts
                    .iter()
                    .any(|conflict| conflict["withheld"] == true && Usd::from_json(&conflict["value"]) == Some(*price))
            };
            let stated: Vec<_> = self.stated.iter().map(|(source, stated)| (source, stated.get(&key))).collect();
            let conflicts = &model["conflicts"];
            assert!(
                self.stated.values().all(told),
                "day {day}: {key:?} is shown as unknown, and nothing says why: {stated:?} {conflicts}"
            );
            return;
        }
        let stated = self.stated.get(source.as_str().unwrap()).and_then(|stated| stated.get(&key));
        let is_said = stated.is_some_and(|(price, _)| Usd::from_json(shown) == Some(*price));
        assert!(is_said || is_stale, "day {day}: {key:?} is shown at {shown}, {source} states {stated:?}");
    }
}

fn seed() -> u64 {
    std::env::var("REFDESK_HISTORY_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(16)
}

#[tokio::test]
async fn over_a_year_nothing_is_shown_that_no_source_says_and_nothing_is_withheld_that_a_source_repeats() {
    let mut rng = StdRng::seed_from_u64(seed());
    let mut desk = Desk::new().await;
    let mut first = List::new(&mut rng);
    let mut second = List { prices: first.prices.clone(), slips: BTreeMap::new() };
    for day in 0..DAYS {
        // Once the clock of the machine is wrong for a day.
        desk.clock.pass(match day {
            300 => -3 * DAY,
            301 => 5 * DAY,
            _ => DAY,
        });
        first.pass_a_day(day, &mut rng);
        second.pass_a_day(day, &mut rng);
        let (a, b) = (first.stated(day), second.stated(day));
        desk.sync("models-dev", Some(&models_dev(&a, day)), &a).await;
        desk.check(day).await;
        let alive = (!DEAD.contains(&day)).then(|| litellm(&b, day));
        desk.sync("litellm", alive.as_ref(), &b).await;
        desk.check(day).await;
    }
    let Desk { checked, withheld_in_all, released, .. } = desk;
    eprintln!(
        "{DAYS} days: {checked} shown prices compared; {withheld_in_all} prices withheld, {released} of them released"
    );
    assert!(checked > 50_000 && withheld_in_all > 100, "the year was too quiet to show anything");
}
