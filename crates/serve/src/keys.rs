//! The key ring: which API keys are valid just now. The binary refreshes it from the store every few seconds; a request reads memory.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use arc_swap::ArcSwap;
use refdesk_core::{Stamp, key};
use subtle::ConstantTimeEq;

/// A stored key: everything but its secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyRecord {
    /// Id in the store.
    pub id: String,
    /// SHA-256 of the key.
    pub fingerprint: [u8; 32],
    /// When it stops working.
    pub expires_at: Option<Stamp>,
    /// When it was revoked.
    pub revoked_at: Option<Stamp>,
    /// Its own limit; `None` takes the default for keys.
    pub limit_per_minute: Option<u32>,
}

/// Why a key is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// Not the form of a key, or its checksum is wrong.
    Malformed,
    /// Well-formed, but not one of ours.
    Unknown,
    /// Revoked by the operator.
    Revoked,
    /// Past its time.
    Expired,
}

/// All keys of the store.
#[derive(Debug, Default)]
pub struct KeyRing {
    by_fingerprint: ArcSwap<HashMap<[u8; 32], Arc<KeyRecord>>>,
    used: Mutex<HashMap<String, Stamp>>,
}

impl KeyRing {
    /// Replaces all keys.
    pub fn replace(&self, keys: Vec<KeyRecord>) {
        let by_fingerprint = keys.into_iter().map(|key| (key.fingerprint, Arc::new(key))).collect();
        self.by_fingerprint.store(Arc::new(by_fingerprint));
    }

    /// Checks a key as it was sent.
    ///
    /// # Errors
    /// Why it is refused.
    pub fn check(&self, sent: &str, now: Stamp) -> Result<Arc<KeyRecord>, Refusal> {
        if !key::is_well_formed(sent) {
            return Err(Refusal::Malformed);
        }
        let fingerprint = key::fingerprint(sent);
        let known = self.by_fingerprint.load().get(&fingerprint).cloned();
        let known = known.filter(|known| bool::from(known.fingerprint.ct_eq(&fingerprint))).ok_or(Refusal::Unknown)?;
        if known.revoked_at.is_some() {
            return Err(Refusal::Revoked);
        }
        if known.expires_at.is_some_and(|at| at <= now) {
            return Err(Refusal::Expired);
        }
        if let Ok(mut used) = self.used.lock() {
            used.insert(known.id.clone(), now);
        }
        Ok(known)
    }

    /// The keys used since the last call, with the time of their last use; the binary writes them to the store in one go.
    pub fn take_used(&self) -> Vec<(String, Stamp)> {
        self.used.lock().map(|mut used| used.drain().collect()).unwrap_or_default()
    }
}
