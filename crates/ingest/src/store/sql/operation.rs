//! What is asked of stores, and how many calls of each failed in this process. The counts are for a metric: of the process, and never reset.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::store::Result;

refdesk_core::closed_set! {
    /// What is asked of a store, in the words of the errors.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(in crate::store) enum Operation {
        AskForSync => "asking for a sync",
        CountFacts => "counting facts",
        DeleteGenerations => "deleting old generations",
        DeleteSegmentFiles => "deleting segment files",
        FinishRequest => "finishing a request",
        ReleaseLease => "giving the lease up",
        Import => "importing",
        PutKey => "keeping a key",
        PutEmbeddings => "keeping embeddings",
        Probe => "looking after the store",
        CheckLease => "looking at the lease",
        FindOldGenerations => "looking for old generations",
        Migrate => "migrating",
        NoteRun => "noting a run",
        NoteFlight => "noting a sync under way",
        NoteKeyUses => "noting the use of keys",
        ReadBody => "reading a body",
        ReadGeneration => "reading a generation",
        ReadMeta => "reading a named value",
        ReadRecord => "reading a record",
        ReadSegmentFile => "reading a segment file",
        ReadSourceState => "reading a source state",
        ReadEmbeddings => "reading embeddings",
        ReadFactsWithoutRecord => "reading facts without a record",
        ReadImportedSources => "reading imported sources",
        ReadKeys => "reading keys",
        ReadKinds => "reading kinds",
        ReadMissingFacts => "reading missing facts",
        ReadRejects => "reading rejects",
        ReadSyncRequests => "reading requests for syncs",
        ReadRuns => "reading runs",
        ReadSourceStates => "reading source states",
        ReadCatalog => "reading the catalog",
        ReadHead => "reading the head",
        ReadLease => "reading the lease",
        ReadArchive => "reading the store for an archive",
        ReadFlights => "reading the syncs under way",
        ReadValidators => "reading validators",
        RemoveSource => "removing a source",
        RenewLease => "renewing the lease",
        RevokeKey => "revoking a key",
        TakeLease => "taking the lease",
        WriteGeneration => "writing a generation",
        WriteMeta => "writing a named value",
        WriteSegmentFile => "writing a segment file",
        WriteSync => "writing a sync",
        WriteVerdict => "writing a verdict",
        WriteHead => "writing the head",
    }
}

/// A counter for each operation, in their order. An alert on growth does not see the first failure of a series that begins with it, so all are
/// there before anything fails.
static FAILURES: [AtomicU64; Operation::ALL.len()] = [const { AtomicU64::new(0) }; Operation::ALL.len()];

/// Counts a call that failed.
pub(in crate::store) fn counted<T>(operation: Operation, result: Result<T>) -> Result<T> {
    if result.is_err() {
        FAILURES[operation as usize].fetch_add(1, Ordering::Relaxed);
    }
    result
}

/// Calls that failed so far, by what was asked; 0 where none did.
pub fn failures_by_operation() -> impl Iterator<Item = (&'static str, u64)> {
    Operation::WORDS.into_iter().zip(FAILURES.iter().map(|count| count.load(Ordering::Relaxed)))
}
