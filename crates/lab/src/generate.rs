//! `generate`: fills a store with rows of our own making, for benchmarks and load tests. No operator needs it.
//!
//! Every row depends on the seed and its number only, so a store of 10,000 rows is the beginning of one of 1,000,000. Rows go
//! through the real `commit_sync` of several sources, as a sync writes them; frameworks come with the starter catalog. What each
//! row says is in [`rows`].

mod rows;
mod words;

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use refdesk_core::{Fact, Kind, Stamp};
use refdesk_ingest::store::{Run, RunOutcome, SourceState, Store, SyncCommit, Validators, prepare};
use serde_json::json;

use self::words::Vocabulary;
use refdesk::app::{self, App};
use refdesk::config::Config;
use refdesk::exit::Exit;
use refdesk::output;

/// Rows of one source, so that one commit and its memory stay bounded.
const SOURCE_ROWS: u64 = 20_000;
/// Name of the configuration that lists the sources, beside the store.
const CONFIG_FILE: &str = "generated.toml";

/// Flags of `generate`.
#[derive(Debug, Clone, clap::Args)]
pub struct Flags {
    /// Rows of the whole catalog.
    #[arg(long, value_name = "N")]
    pub rows: u64,
    /// All of one kind, instead of a mixture.
    #[arg(long, value_name = "KIND", value_parser = generated_kind)]
    pub kind: Option<Kind>,
    /// Another seed gives other rows.
    #[arg(long, default_value_t = 1, value_name = "S")]
    pub seed: u64,
    /// Change only the first so many rows of a store that was filled before.
    #[arg(long, value_name = "COUNT", conflicts_with = "kind")]
    pub touch: Option<u64>,
}

fn generated_kind(word: &str) -> Result<Kind, String> {
    let kind = Kind::parse(word).filter(|kind| rows::nth_of(*kind, 0).is_some());
    kind.ok_or_else(|| "rows are models, tools, skills, tutorials, MCP servers or documents".to_owned())
}

/// `refdesk-lab generate`.
///
/// # Errors
/// When the store cannot be written.
pub async fn run(config: Config, flags: &Flags, as_json: bool) -> anyhow::Result<Exit> {
    let folder = config.data_dir()?;
    let app = App::open(config).await?;
    app.sync_bundled().await?;
    let vocabulary = Vocabulary::new(flags.seed);
    let now = app::now();
    let mut import = Import { store: &app.store, now, rows: 0, took: Duration::ZERO };
    match flags.touch {
        Some(count) => touch(&mut import, &vocabulary, flags.seed, count.min(flags.rows)).await?,
        None => fill(&mut import, &vocabulary, flags).await?,
    }
    let (written, seconds) = (import.rows, import.took.as_secs_f64());
    let file = folder.join(CONFIG_FILE);
    std::fs::write(&file, source_tables(flags.rows)).with_context(|| format!("cannot write {}", file.display()))?;
    let rate = written as f64 / seconds;
    if as_json {
        output::json(&json!({ "rows": written, "seconds": seconds, "rows_per_second": rate, "config": file }));
    } else {
        output::line(&format!(
            "{written} rows in {seconds:.2} s ({rate:.0} a second); serve them with --config {}",
            file.display()
        ));
    }
    app.store.close().await;
    Ok(Exit::Done)
}

/// Writes rows, counts them, and measures how long writing takes; making the rows up does not count.
struct Import<'a> {
    store: &'a Store,
    now: Stamp,
    rows: usize,
    took: Duration,
}

impl Import<'_> {
    async fn write(&mut self, source: u64, facts: Vec<Fact>, partial: bool) -> anyhow::Result<()> {
        let (rows, begun) = (facts.len(), Instant::now());
        self.store.commit_sync(&commit(source, facts, partial, self.now)?).await?;
        self.took += begun.elapsed();
        self.rows += rows;
        Ok(())
    }
}

/// Writes all rows, one commit a source.
async fn fill(import: &mut Import<'_>, vocabulary: &Vocabulary, flags: &Flags) -> anyhow::Result<()> {
    for source in 0..flags.rows.div_ceil(SOURCE_ROWS) {
        let range = source * SOURCE_ROWS..((source + 1) * SOURCE_ROWS).min(flags.rows);
        let number = |nth| flags.kind.and_then(|kind| rows::nth_of(kind, nth)).unwrap_or(nth);
        let facts = range.map(|nth| rows::fact(vocabulary, flags.seed, number(nth), 0)).collect::<Result<_, _>>()?;
        import.write(source, facts, false).await?;
    }
    Ok(())
}

/// Writes the first rows of the first source again with another price or version, as a sync of what changed does.
async fn touch(import: &mut Import<'_>, vocabulary: &Vocabulary, seed: u64, count: u64) -> anyhow::Result<()> {
    let edition = u64::try_from(import.now.0).unwrap_or(1);
    let rows = 0..count.min(SOURCE_ROWS);
    let facts = rows.map(|row| rows::fact(vocabulary, seed, row, edition)).collect::<Result<_, _>>()?;
    import.write(0, facts, true).await
}

fn commit(source: u64, facts: Vec<Fact>, partial: bool, now: Stamp) -> anyhow::Result<SyncCommit> {
    let source_id = source_id(source);
    Ok(SyncCommit {
        known: None,
        facts: prepare(facts, None)?,
        rejects: Vec::new(),
        validators: Validators { fingerprint: "generated".into(), requests: Vec::new() },
        partial,
        new_bytes: true,
        now,
        state: SourceState {
            last_attempt_at: Some(now),
            last_synced_at: Some(now),
            last_full_at: Some(now),
            last_verified_at: Some(now),
            outcome: Some(RunOutcome::Updated),
            ..SourceState::default()
        },
        run: Run::new(&source_id, now, RunOutcome::Updated),
        source_id,
    })
}

fn source_id(source: u64) -> String {
    format!("generated-{source}")
}

/// The sources as configuration. There is no upstream to sync them from: whoever serves them says `--offline` or `sync=false`.
fn source_tables(rows: u64) -> String {
    let mut text = String::from("# Written by `refdesk-lab generate`.\ndefault_sources = false\n");
    for source in 0..rows.div_ceil(SOURCE_ROWS).max(1) {
        // Writing into a String does not fail.
        let _ = write!(
            text,
            "\n[[sources]]\nid = \"{}\"\nconnector = \"cards\"\nurl = \"https://example.com/{source}\"\n\
             stale_after = \"365d\"\n",
            source_id(source)
        );
    }
    text
}
