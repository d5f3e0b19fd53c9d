//! Syncs that a command asks for, whichever command it is: in this process, or by the node that leads where several share a database.

use std::sync::Arc;

use indicatif::{ProgressBar, ProgressStyle};
use refdesk_core::parallel::cores;
use refdesk_ingest::store::Accept;
use refdesk_ingest::sync::{Progress, SyncReport};

use crate::app::App;
use crate::cluster::Cluster;
use crate::output;
use crate::semantic;

/// Sources to sync, and what is taken of them past a quarantine.
#[derive(Debug, Clone)]
pub struct AskedSyncs {
    /// The sources; none means all that are on.
    pub ids: Vec<String>,
    /// What is taken of them.
    pub accept: Accept,
}

/// Makes what hears the steps of so many syncs in this process.
pub type MakeProgress<'a> = &'a dyn Fn(usize) -> Arc<dyn Progress>;

/// Carries syncs out. In a cluster the node that leads does, or this process leads for as long as it takes where nobody does.
///
/// # Errors
/// When a source is unknown, or the store fails. An upstream's failure is a report.
pub async fn carry_out(app: &App, asked: &[AskedSyncs], progress: MakeProgress<'_>) -> anyhow::Result<Vec<SyncReport>> {
    let Some(cluster) = Cluster::open(app)? else { return here(app, asked, progress).await };
    loop {
        if let Some(reports) = cluster.lead_for(app, async |led| here(led, asked, progress).await).await? {
            return Ok(reports);
        }
        output::say("another node leads; it syncs, and this waits for it");
        if let Some(reports) = by_the_leader(app, &cluster, asked).await? {
            return Ok(reports);
        }
    }
}

async fn here(app: &App, asked: &[AskedSyncs], progress: MakeProgress<'_>) -> anyhow::Result<Vec<SyncReport>> {
    app.sync_bundled().await?;
    let is_all = asked.iter().any(|asked| asked.ids.is_empty());
    let ids = asked.iter().flat_map(|asked| &asked.ids).cloned().collect::<Vec<_>>();
    let accepted = asked.iter().flat_map(|asked| asked.ids.iter().map(|id| (id.clone(), asked.accept.clone())));
    let accepted: Vec<(String, Accept)> = accepted.filter(|(_, accept)| *accept != Accept::No).collect();
    // Those that are off are passed over, and reported like all others.
    let reported = app.config.sources.iter().filter(|source| is_all || ids.contains(&source.id)).count();
    let engine = app.engine(progress(reported))?;
    let reports = engine.sync_all((!is_all).then_some(&ids[..]), &accepted).await?;
    encode(app).await?;
    Ok(reports)
}

/// Has the node sync that leads; `None` when it leads no more.
async fn by_the_leader(app: &App, cluster: &Cluster, asked: &[AskedSyncs]) -> anyhow::Result<Option<Vec<SyncReport>>> {
    let mut all = Vec::new();
    for AskedSyncs { ids, accept } in asked {
        let Some(reports) = cluster.ask_for_syncs(app, ids, accept).await? else { return Ok(None) };
        all.extend(reports);
    }
    Ok(Some(all))
}

/// Computes the vectors of new texts, where the operator gave a model.
async fn encode(app: &App) -> anyhow::Result<()> {
    let Some(model) = semantic::open(&app.config).await? else { return Ok(()) };
    let snapshot = app.snapshot().await?;
    let bar = ProgressBar::new(0); // invisible unless stderr is a terminal
    if let Ok(style) = ProgressStyle::with_template("  vectors of texts {bar:32} {pos}/{len} {eta}") {
        bar.set_style(style);
    }
    let tell = |done: usize, all: usize| {
        bar.set_length(all as u64);
        bar.set_position(done as u64);
        true
    };
    semantic::fill(&app.store, model.encoder(), &snapshot, cores(), tell).await?;
    bar.finish_and_clear();
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failing unwrap is a failing test")]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use refdesk_ingest::store::{Accept, Store};
    use refdesk_ingest::sync::{Progress, SyncEvent};

    use super::{AskedSyncs, carry_out};
    use crate::app::App;
    use crate::config::{Config, Given, key};

    /// How many sources were told to be synced, and how many ended.
    #[derive(Default)]
    struct Counted {
        expected: AtomicUsize,
        ended: AtomicUsize,
    }

    impl Progress for Counted {
        fn event(&self, event: SyncEvent<'_>) {
            if let SyncEvent::Finished(_) = event {
                self.ended.fetch_add(1, Ordering::Relaxed);
            }
        }
    }

    /// A source that is counted and never ends leaves the bar at "1 of 30 sources".
    #[tokio::test]
    async fn the_progress_of_a_sync_hears_the_end_of_every_source_that_it_counts() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("refdesk.toml");
        let entry = |id: &str, url: &str, more: &str| {
            format!("[[sources]]\nid = \"{id}\"\nconnector = \"cards\"\nurl = \"{url}\"\n{more}\n")
        };
        let sources =
            [entry("here", ".", ""), entry("far", "https://far.example/", ""), entry("off", ".", "enabled = false")];
        std::fs::write(&file, format!("default_sources = false\noffline = true\n{}", sources.concat())).unwrap();
        let data_dir = folder.path().join("data");
        let config = Config::load(Some(&file), &[Given::by_set(key::DATA_DIR.row, data_dir.to_str().unwrap())]);
        let app = App { config: config.unwrap(), store: Store::open_in_memory().await.unwrap() };
        // The cards that ship are a source of every desk.
        for (ids, count) in [(Vec::new(), 4), (vec!["far".to_owned(), "off".to_owned()], 2)] {
            let counted = Arc::new(Counted::default());
            let progress = |sources| -> Arc<dyn Progress> {
                counted.expected.store(sources, Ordering::Relaxed);
                Arc::clone(&counted) as Arc<dyn Progress>
            };
            let reports = carry_out(&app, &[AskedSyncs { ids, accept: Accept::No }], &progress).await.unwrap();
            let (expected, ended) = (counted.expected.load(Ordering::Relaxed), counted.ended.load(Ordering::Relaxed));
            assert_eq!((reports.len(), expected, ended), (count, count, count));
        }
    }
}
