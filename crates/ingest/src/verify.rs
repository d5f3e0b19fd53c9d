//! Shows that the evidence is what it says: every content hash is recomputed from the stored content, every statement hash from the stored
//! row, and every record is read once more by its connector, whose values must be those that the fact states.
//!
//! A connector that cannot read a record by itself, or a source that is not configured, leaves its facts with their hashes alone; they are
//! counted. A row that cannot be read at all is a difference.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use refdesk_catalog::resolve::is_stated;
use refdesk_core::Kind;
use refdesk_core::hash::{canonical_json, content_hash};
use refdesk_core::item::{Head, Status};
use serde_json::{Map, Value};

use crate::config::{FindConnector, SourceConfig};
use crate::connectors::repository::shown_secrets;
use crate::connectors::{Connector, Reread, StoredKey, Target};
use crate::store::pack::unpack;
use crate::store::{FACT, FactContents, FactRow, Store, StoreError, check_readable, statement_hash};
use crate::sync::is_of_other_readers;

/// Facts that are read at once.
const CHUNK_ROWS: u32 = 500;

/// What was checked and what differs.
#[derive(Debug, Clone, PartialEq, Eq, Default, serde::Serialize)]
pub struct Verification {
    /// Facts whose hash was recomputed.
    pub checked: usize,
    /// Those of them whose record was read again and compared with what the fact states.
    pub compared: usize,
    /// Those of them whose record was not read again: their source is not configured, or the record is not what was hashed.
    pub not_compared: usize,
    /// Facts without their record, which an archive left out because it may not be given out.
    pub withheld: usize,
    /// Facts, by source, of whose record this program reads other values than the one that synced them did: the next sync takes these.
    pub read_otherwise: BTreeMap<String, usize>,
    /// What is not as it is stated.
    pub differences: Vec<Difference>,
}

impl Verification {
    /// Adds what another part found.
    pub fn extend(&mut self, other: Self) {
        self.checked += other.checked;
        self.compared += other.compared;
        self.not_compared += other.not_compared;
        self.withheld += other.withheld;
        for (source, facts) in other.read_otherwise {
            *self.read_otherwise.entry(source).or_default() += facts;
        }
        self.differences.extend(other.differences);
    }
}

/// Something stored that is not what it should be.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Difference {
    /// The source.
    pub source_id: String,
    /// The kind of the fact.
    pub kind: String,
    /// The upstream key of the fact.
    pub key: String,
    /// Dotted path of the value; `None` when it is about the content itself.
    pub path: Option<String>,
    /// What is stored: a hash or a value.
    pub stored: String,
    /// What comes out of the content.
    pub computed: String,
    /// What is wrong, for people.
    pub reason: String,
}

/// Which facts to check.
#[derive(Debug, Clone, Copy)]
pub enum Scope<'a> {
    /// All.
    All,
    /// Those of a kind.
    Kind(Kind),
    /// The one that a source states of this kind under this upstream key; no other is read.
    One {
        /// Its kind.
        kind: Kind,
        /// Its upstream key.
        key: &'a str,
        /// Its source.
        source_id: &'a str,
    },
}

impl Scope<'_> {
    fn covers(&self, kind: &str) -> bool {
        !matches!(self, Self::Kind(wanted) if wanted.singular() != kind)
    }
}

/// The connectors that read records again, by source.
#[derive(Clone, Default)]
pub struct Readers {
    by_source: Arc<BTreeMap<String, (&'static Connector, Target)>>,
    /// The sources that connectors of another build read last.
    read_by_others: Arc<BTreeSet<String>>,
}

impl Readers {
    /// Those of configured sources; relative paths start from `base`. A source that cannot be used as it is configured has none.
    pub fn new(sources: &[SourceConfig], find: FindConnector, base: &Path) -> Self {
        let readers = sources.iter().filter_map(|source| {
            let target = source.target(base).ok()?;
            Some((source.id.clone(), (find(&source.connector)?, target)))
        });
        Self { by_source: Arc::new(readers.collect()), read_by_others: Arc::default() }
    }

    /// The same, with what the store tells of who read its facts.
    async fn over(&self, store: &Store) -> Result<Self, StoreError> {
        let mut read_by_others = BTreeSet::new();
        for source_id in self.by_source.keys() {
            if is_of_other_readers(&store.validators(source_id).await?.fingerprint) {
                read_by_others.insert(source_id.clone());
            }
        }
        Ok(Self { read_by_others: Arc::new(read_by_others), ..self.clone() })
    }

    fn reread(&self, row: &FactRow, record: &[u8]) -> Option<Result<Reread, String>> {
        let (connector, target) = self.by_source.get(&row.source_id)?;
        let kind = Kind::ALL.into_iter().find(|kind| kind.singular() == row.kind);
        let kind = kind.ok_or_else(|| format!("`{}` is not a kind", row.kind));
        let reread = kind.and_then(|kind| (connector.reread)(target, StoredKey { kind, key: &row.key }, record));
        // As the facts of a sync are before they are written.
        Some(reread.map(|reread| Reread { fact: shown_secrets::without_secrets(reread.fact), ..reread }))
    }
}

/// Checks all facts in scope.
///
/// # Errors
/// When the store cannot be read; a damaged content is a difference, not an error.
pub async fn verify(store: &Store, readers: &Readers, scope: Scope<'_>) -> Result<Verification, StoreError> {
    let readers = &readers.over(store).await?;
    if let Scope::One { kind, key, source_id } = scope {
        let fact = store.whole_fact(source_id, kind.singular(), key).await?;
        return checked(fact.into_iter().collect(), readers).await;
    }
    let mut verification = Verification::default();
    let (mut after, mut seen) = (0, BTreeSet::new());
    loop {
        let rows = store.fact_rows(after, CHUNK_ROWS).await?;
        let Some((last, _)) = rows.last() else {
            let unreadable = unreadable(store, scope, &seen);
            verification.differences.extend(unreadable);
            return Ok(verification);
        };
        after = last.id;
        // Few, and mostly none: only of those that were passed over it is asked whether they were seen here.
        let passed_over: BTreeSet<String> = store.unreadable().into_iter().map(|row| row.id).collect();
        seen.extend(rows.iter().map(|(row, _)| row.id.to_string()).filter(|id| passed_over.contains(id)));
        let rows = rows.into_iter().filter(|(row, _)| scope.covers(&row.kind)).collect();
        verification.extend(checked(rows, readers).await?);
    }
}

/// Checks facts on a thread of its own: hashing and parsing take long.
async fn checked(facts: Vec<(FactRow, FactContents)>, readers: &Readers) -> Result<Verification, StoreError> {
    let readers = readers.clone();
    let checked = tokio::task::spawn_blocking(move || {
        let mut found = Verification::default();
        facts.iter().for_each(|(row, contents)| check(row, contents, &readers, &mut found));
        found
    });
    checked.await.map_err(|error| StoreError::Value { what: "content".into(), reason: error.to_string() })
}

/// The facts of which not even the columns can be read; others were told when they were checked.
fn unreadable(store: &Store, scope: Scope<'_>, checked: &BTreeSet<String>) -> Vec<Difference> {
    let is_all = matches!(scope, Scope::All);
    let rows = store.unreadable().into_iter().filter(|row| row.what == FACT && is_all && !checked.contains(&row.id));
    rows.map(|row| Difference {
        source_id: row.source_id,
        kind: FACT.into(),
        key: format!("row {}", row.id),
        path: None,
        stored: String::new(),
        computed: String::new(),
        reason: format!(
            "the row cannot be read and was skipped: {}; the next sync of its source rewrites it",
            row.reason
        ),
    })
    .collect()
}

/// What is wrong with the row as such, whatever its record says: the hash of it as it stands, and why.
fn changed_row(row: &FactRow, contents: &FactContents) -> Option<(String, String)> {
    if let Err(error) = check_readable(row) {
        return Some((String::new(), error.to_string()));
    }
    let body = match contents.body.as_deref().map(unpack).transpose() {
        Ok(body) => body,
        Err(error) => return Some((String::new(), format!("its body cannot be read: {error}"))),
    };
    match statement_hash(row, body.as_deref()) {
        Ok(computed) if computed == row.statement_hash => None,
        Ok(computed) => Some((computed, "the stored statement was changed by something else than a sync".into())),
        Err(error) => Some((String::new(), error.to_string())),
    }
}

fn check(row: &FactRow, contents: &FactContents, readers: &Readers, found: &mut Verification) {
    let different = |path: Option<String>, stored: String, computed: String, reason: String| Difference {
        source_id: row.source_id.clone(),
        kind: row.kind.clone(),
        key: row.key.clone(),
        path,
        stored,
        computed,
        reason,
    };
    if contents.record.is_empty() && row.is_withheld() {
        found.withheld += 1;
        return;
    }
    found.checked += 1;
    let before = found.differences.len();
    compare_content(row, contents, readers, found, &different);
    // What tells which value it is stands for itself.
    if found.differences.len() == before
        && let Some((computed, reason)) = changed_row(row, contents)
    {
        found.differences.push(different(None, row.statement_hash.clone(), computed, reason));
    }
}

/// Compares the hash of the content, and the values of the record.
fn compare_content(
    row: &FactRow,
    contents: &FactContents,
    readers: &Readers,
    found: &mut Verification,
    different: &impl Fn(Option<String>, String, String, String) -> Difference,
) {
    let content = match content(row, contents) {
        Ok(content) => content,
        Err((computed, reason)) => {
            found.not_compared += 1;
            found.differences.push(different(None, row.content_hash.clone(), computed, reason));
            return;
        }
    };
    match readers.reread(row, &content) {
        None => found.not_compared += 1,
        Some(reread) => {
            found.compared += 1;
            let told = differing_values(row, reread, different);
            if !told.is_empty() && readers.read_by_others.contains(&row.source_id) {
                *found.read_otherwise.entry(row.source_id.clone()).or_default() += 1;
            } else {
                found.differences.extend(told);
            }
        }
    }
}

/// What the fact states and its record, read once more, does not say.
fn differing_values(
    row: &FactRow,
    reread: Result<Reread, String>,
    different: &impl Fn(Option<String>, String, String, String) -> Difference,
) -> Vec<Difference> {
    let reread = match reread {
        Ok(reread) => reread,
        Err(reason) => {
            let reason = format!("its record cannot be read any more: {reason}");
            return vec![different(None, row.content_hash.clone(), String::new(), reason)];
        }
    };
    let told = |(path, stored, read): ValueDifference| {
        let reason = "the record says something else".to_owned();
        different(Some(path), stored.to_string(), read.to_string(), reason)
    };
    match compare(row, &reread) {
        Ok(values) => values.into_iter().map(told).collect(),
        Err(error) => {
            let reason = format!("what is stored cannot be compared with its record: {error}");
            vec![different(None, row.statement_hash.clone(), String::new(), reason)]
        }
    }
}

/// The content of a fact; the hash of it and what is wrong when it is not what its evidence says.
fn content(row: &FactRow, contents: &FactContents) -> Result<Vec<u8>, (String, String)> {
    if contents.record.is_empty() {
        return Err((String::new(), "its record is missing".into()));
    }
    let content = unpack(&contents.record).map_err(|error| (String::new(), error.to_string()))?;
    let computed = content_hash(&content);
    if computed != row.content_hash {
        return Err((computed, "the stored content has another hash".into()));
    }
    if row.hash_basis == "record" {
        let canonical = serde_json::from_slice(&content).ok().and_then(|value| canonical_json(&value).ok());
        if canonical.as_deref().map(str::as_bytes) != Some(&content) {
            return Err((computed, "the stored record is not in canonical form (RFC 8785)".into()));
        }
    }
    Ok(content)
}

type ValueDifference = (String, Value, Value);

/// What a fact states and its record does not say: path, stored and read value.
fn compare(row: &FactRow, reread: &Reread) -> Result<Vec<ValueDifference>, serde_json::Error> {
    let compared = |name: &str| !reread.not_in_record.contains(&name);
    let (stored, read) = (serde_json::from_str::<Head>(&row.head)?, &reread.fact.head);
    let mut pairs = vec![("name", Value::from(stored.name), Value::from(read.name.as_str()))];
    pairs.push(("vendor", stored.vendor.into(), read.vendor.clone().into()));
    pairs.push(("language", stored.language.into(), read.language.clone().into()));
    if read.status != Status::Unknown {
        pairs.push(("status", serde_json::to_value(stored.status)?, serde_json::to_value(read.status)?));
    }
    // Only as far as the record by itself tells them.
    let told = pairs.into_iter().filter(|(name, stored, read)| compared(name) && is_stated(read) && stored != read);
    let mut found: Vec<_> = told.map(|(name, stored, read)| (name.into(), stored, read)).collect();
    let stored: Map<String, Value> = serde_json::from_str(&row.fields)?;
    // Through text, as the stored ones went, so that numbers have the same form.
    let read: Map<String, Value> = serde_json::from_str(&reread.fact.item.to_json()?.to_string())?;
    for (name, value) in stored.iter().filter(|(name, _)| compared(name)) {
        differ(name, value, read.get(name).unwrap_or(&Value::Null), &mut found);
    }
    Ok(found)
}

/// Adds the stated values below a path that are read otherwise.
fn differ(path: &str, stored: &Value, read: &Value, found: &mut Vec<ValueDifference>) {
    match (stored, read) {
        (Value::Object(stored), Value::Object(read)) => {
            for (name, value) in stored {
                differ(&format!("{path}.{name}"), value, read.get(name).unwrap_or(&Value::Null), found);
            }
        }
        _ if is_stated(stored) && is_other(stored, read) => {
            found.push((path.to_owned(), stored.clone(), read.clone()));
        }
        _ => {}
    }
}

/// Whether two values are different JSON. A record in canonical form writes `1.0` as `1` and rounds what no float holds.
fn is_other(stored: &Value, read: &Value) -> bool {
    let is_same = || canonical_json(stored).is_ok_and(|stored| canonical_json(read).is_ok_and(|read| read == stored));
    stored != read && !is_same()
}
