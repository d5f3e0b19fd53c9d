//! The core of the hot requests in a loop, for callgrind: `hot_requests STORE ROUNDS`. Collection is switched on inside the functions
//! `hot_…` only; `scripts/bench.py` runs it and divides by the rounds. Beside them it tells the time of a filtered list, of one with facets,
//! the rate of an export, and the bytes of columns, all on the thread that runs them.

#![expect(clippy::print_stderr, reason = "the times are what one runs it for")]

use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use refdesk_catalog::answer::{self, DetailExtras, HitTexts};
use refdesk_catalog::snapshot::{Input, Snapshot};
use refdesk_core::fact::SourceInfo;
use refdesk_core::item::TrustTier;
use refdesk_core::query::{Format, ListQuery, Params, SearchQuery};
use refdesk_core::{Kind, Stamp};
use refdesk_ingest::store::Store;

/// Different searches and details; the rounds go over them again and again.
const SAMPLE: usize = 200;

type Failure = Box<dyn std::error::Error>;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Failure> {
    let mut arguments = std::env::args().skip(1);
    let (Some(store), Some(rounds)) = (arguments.next(), arguments.next()) else {
        return Err("usage: hot_requests STORE ROUNDS".into());
    };
    let rounds: usize = rounds.parse()?;
    let snapshot = Arc::new(snapshot(Path::new(&store)).await?);
    let models = snapshot.segment(Kind::Model).len();
    let step = (models as usize / SAMPLE).max(1);
    let ordinals: Vec<u32> = (0..models).step_by(step).map(|row| snapshot.ordinal(Kind::Model, row)).collect();
    let ids: Vec<String> = ordinals.iter().map(|ordinal| snapshot.id(*ordinal).to_owned()).collect();
    let questions = ordinals.iter().map(|ordinal| question(&snapshot.passage(*ordinal)));
    let questions: Vec<String> = questions.filter(|question| !question.is_empty()).collect();
    let typos: Vec<String> = ordinals.iter().filter_map(|ordinal| typo(&snapshot.name(*ordinal))).collect();
    let (mut bytes, mut hits) = (0, 0);
    let [mut lists, mut details, mut searches, mut words, mut broad, mut mistyped, mut filtered, mut counted] =
        [Duration::ZERO; 8];
    // Word lists are made at the first question of a process, which is no part of a request.
    hits += searched(&snapshot, &[("q", &questions[0])])?;
    for round in 0..rounds {
        bytes += timed(&mut lists, || hot_list(&snapshot))?;
        bytes += timed(&mut details, || hot_detail(&snapshot, &ids[round % ids.len()]));
        let question = &questions[round % questions.len()];
        hits += timed(&mut searches, || hot_search(&snapshot, question))?;
        hits += timed(&mut words, || hot_words(&snapshot, question))?;
        let word = question.split(' ').next_back().unwrap_or_default();
        hits += timed(&mut broad, || hot_broad(&snapshot, word))?;
        hits += timed(&mut mistyped, || hot_typo(&snapshot, &typos[round % typos.len()]))?;
        bytes += timed(&mut filtered, || hot_filters(&snapshot))?;
        bytes += timed(&mut counted, || hot_facets(&snapshot))?;
    }
    let mut exported = Duration::ZERO;
    let written = timed(&mut exported, || export(&snapshot))?;
    eprintln!("export: {:.0} MB/s of {:.1} MB", written as f64 / 1e6 / exported.as_secs_f64(), written as f64 / 1e6);
    for kind in Kind::ALL {
        let segment = snapshot.segment(kind);
        if !segment.is_empty() {
            let bytes = segment.column_bytes() as f64 / f64::from(segment.len());
            eprintln!("columns of {}: {bytes:.1} bytes a row, {} rows", kind.path_segment(), segment.len());
        }
    }
    for (name, took) in [
        ("list", lists),
        ("detail", details),
        ("search", searches),
        ("search, not understood", words),
        ("search, one word", broad),
        ("search, a name with a typo", mistyped),
        ("filters, order, page of 100", filtered),
        ("the same with three facets", counted),
    ] {
        eprintln!("{name}: {:.1} µs on average", took.as_secs_f64() * 1e6 / rounds as f64);
    }
    // Keeps the results alive, so that nothing is optimised away.
    black_box((bytes, hits));
    Ok(())
}

fn timed<T>(sum: &mut Duration, work: impl FnOnce() -> T) -> T {
    let begun = Instant::now();
    let done = work();
    *sum += begun.elapsed();
    done
}

async fn snapshot(store: &Path) -> Result<Snapshot, Failure> {
    let begun = Instant::now();
    let facts = Store::open(store).await?.facts(&Kind::ALL).await?;
    eprintln!("read {} facts in {:.2?}", facts.len(), begun.elapsed());
    let ids: std::collections::BTreeSet<Arc<str>> = facts.iter().map(|fact| Arc::clone(&fact.source_id)).collect();
    let source = |id: Arc<str>| SourceInfo {
        name: id.to_string(),
        id,
        trust_tier: TrustTier::Community,
        rank: 50,
        stale_after_secs: i64::from(u32::MAX),
        ..SourceInfo::default()
    };
    let sources = ids.into_iter().map(source).collect();
    let now = facts.iter().map(|fact| fact.standing.last_synced_at).max().unwrap_or(Stamp(0));
    let begun = Instant::now();
    let snapshot = Snapshot::build(&Input { facts: &facts, sources, now, generation: 1, before: None, texts: None });
    eprintln!("built in {:.2?}", begun.elapsed());
    Ok(snapshot)
}

/// Three words of a text, not its first ones.
fn question(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().skip(2).step_by(2).take(3).collect();
    words.join(" ").replace('.', "").to_lowercase()
}

/// The first two words of a name, a letter left out of the middle of the second.
fn typo(name: &str) -> Option<String> {
    let mut words = name.split_whitespace();
    let (first, second) = (words.next()?, words.next()?);
    let at = second.char_indices().nth(second.chars().count() / 2)?.0;
    let rest = second[at..].chars();
    (second.chars().count() > 5).then(|| format!("{first} {}{}", &second[..at], rest.skip(1).collect::<String>()))
}

#[inline(never)]
fn hot_list(snapshot: &Snapshot) -> Result<usize, Failure> {
    let params = Params::new([("limit", "500")], ListQuery::names(Kind::Model));
    let query = ListQuery::parse(Kind::Model, &params)?;
    Ok(answer::list(snapshot, Kind::Model, &query, &params.warnings).pieces.iter().map(bytes::Bytes::len).sum())
}

#[inline(never)]
fn hot_detail(snapshot: &Snapshot, id: &str) -> usize {
    let detail = |(ordinal, _)| answer::detail(snapshot, ordinal, &DetailExtras::default()).len();
    answer::resolve(snapshot, Kind::Model, id).map_or(0, detail)
}

// What is done with the text keeps the compiler from making one function of several, which callgrind could not tell apart.
#[inline(never)]
fn hot_search(snapshot: &Snapshot, text: &str) -> Result<usize, Failure> {
    searched(snapshot, &[("q", black_box(text))])
}

/// The same, without reading the question as filters.
#[inline(never)]
fn hot_words(snapshot: &Snapshot, text: &str) -> Result<usize, Failure> {
    searched(snapshot, &[("q", text), ("understand", "false")])
}

/// One word.
#[inline(never)]
fn hot_broad(snapshot: &Snapshot, word: &str) -> Result<usize, Failure> {
    searched(snapshot, &[("q", black_box(word.trim()))])
}

/// A name with a typo.
#[inline(never)]
fn hot_typo(snapshot: &Snapshot, text: &str) -> Result<usize, Failure> {
    searched(snapshot, &[("q", text)])
}

fn searched(snapshot: &Snapshot, pairs: &[(&str, &str)]) -> Result<usize, Failure> {
    let params = SearchQuery::params(pairs.iter().copied());
    let query = SearchQuery::parse(&params)?;
    let outcome = answer::find(snapshot, &query, None);
    Ok(answer::search(snapshot, &query, &outcome, &HitTexts::default(), "", &params.warnings).json.len())
}

/// Three filters, an order, a page of 100.
const FILTERED: [(&str, &str); 5] = [
    ("context_tokens__gte", "8k"),
    ("price_input__lte", "5"),
    ("status", "active"),
    ("sort", "-context_tokens,price_input"),
    ("limit", "100"),
];

#[inline(never)]
fn hot_filters(snapshot: &Snapshot) -> Result<usize, Failure> {
    listed(snapshot, FILTERED)
}

#[inline(never)]
fn hot_facets(snapshot: &Snapshot) -> Result<usize, Failure> {
    listed(snapshot, FILTERED.into_iter().chain([("facets", "vendor,status,model_mode")]))
}

fn listed(
    snapshot: &Snapshot,
    pairs: impl IntoIterator<Item = (&'static str, &'static str)>,
) -> Result<usize, Failure> {
    let params = Params::new(pairs, ListQuery::names(Kind::Model));
    let query = ListQuery::parse(Kind::Model, &params)?;
    Ok(answer::list(snapshot, Kind::Model, &query, &params.warnings).pieces.iter().map(bytes::Bytes::len).sum())
}

/// All models as NDJSON; bytes.
fn export(snapshot: &Arc<Snapshot>) -> Result<usize, Failure> {
    let params = Params::new([("format", Format::Ndjson.as_str())], ListQuery::names(Kind::Model));
    let query = ListQuery::parse(Kind::Model, &params)?;
    let pieces = answer::Export::new(Arc::clone(snapshot), Kind::Model, query, usize::MAX);
    Ok(pieces.map(|piece| piece.len()).sum())
}
