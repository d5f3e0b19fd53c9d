//! Rows that cannot be read are passed over: one of them must not stop the others, nor a start. Each is told once, counted for `/health`,
//! and forgotten when it can be read again. A sync writes such facts anew.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use refdesk_core::parallel::locked;

use crate::store::error::StoreError;
use crate::store::{Result, UnreadableRow};

/// The rows by what they hold and their ids.
type Rows = BTreeMap<(&'static str, String), UnreadableRow>;

/// What a fact is called here.
pub(crate) const FACT: &str = "fact";

/// The rows that were passed over.
#[derive(Debug, Default)]
pub(in crate::store) struct Unreadable {
    rows: Mutex<Rows>,
    /// Whether there are any: nearly always not, and then reading a row costs nothing more.
    any: AtomicBool,
}

impl Unreadable {
    /// The value of a row, or nothing after a warning.
    pub(in crate::store) fn pass_over<T>(
        &self,
        what: &'static str,
        source_id: &str,
        id: &str,
        read: Result<T>,
    ) -> Option<T> {
        match read {
            Ok(value) => {
                if self.any.load(Ordering::Relaxed) {
                    self.forget(what, id);
                }
                Some(value)
            }
            Err(error) => {
                self.remember(what, source_id, id, &error);
                None
            }
        }
    }

    fn remember(&self, what: &'static str, source_id: &str, id: &str, error: &StoreError) {
        let row = UnreadableRow { what, source_id: source_id.to_owned(), id: id.to_owned(), reason: error.to_string() };
        let mut rows = locked(&self.rows);
        self.any.store(true, Ordering::Relaxed);
        if rows.insert((what, id.to_owned()), row).is_none() {
            tracing::warn!(what, source = source_id, id, %error, "a row of the store cannot be read and is skipped; its source is synced in full");
        }
    }

    /// It was read, written anew or taken out.
    pub(in crate::store) fn forget(&self, what: &'static str, id: &str) {
        let mut rows = locked(&self.rows);
        rows.remove(&(what, id.to_owned()));
        self.any.store(!rows.is_empty(), Ordering::Relaxed);
    }

    /// All rows of a source are gone or written anew.
    pub(in crate::store) fn forget_source(&self, source_id: &str) {
        if !self.any.load(Ordering::Relaxed) {
            return;
        }
        let mut rows = locked(&self.rows);
        rows.retain(|_, row| row.source_id != source_id);
        self.any.store(!rows.is_empty(), Ordering::Relaxed);
    }

    /// Whether this fact could not be read.
    pub(in crate::store) fn has_fact(&self, row: i64) -> bool {
        self.any.load(Ordering::Relaxed) && locked(&self.rows).contains_key(&(FACT, row.to_string()))
    }

    /// Whether some fact of a source could not be read.
    pub(in crate::store) fn has_facts_of(&self, source_id: &str) -> bool {
        self.any.load(Ordering::Relaxed)
            && locked(&self.rows).values().any(|row| row.what == FACT && row.source_id == source_id)
    }

    /// The numbers of the facts that could not be read.
    pub(in crate::store) fn facts(&self) -> Vec<i64> {
        let rows = locked(&self.rows);
        rows.values().filter(|row| row.what == FACT).filter_map(|row| row.id.parse().ok()).collect()
    }

    pub(in crate::store) fn list(&self) -> Vec<UnreadableRow> {
        locked(&self.rows).values().cloned().collect()
    }
}
