//! The key ring: the API keys of the store, in memory. The binary refreshes it every few seconds, so that checking a key needs no store.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use arc_swap::ArcSwap;
use refdesk_core::Stamp;
use refdesk_core::key::{self, KeyRecord};
use refdesk_core::parallel::locked;
use subtle::ConstantTimeEq;

/// Why a key is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyRejection {
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
    /// They are in a store that could not be read yet, so that a key that is not here may be good.
    is_unread: AtomicBool,
    /// Ids of the keys used since they were last taken, with the time of the last use.
    used: Mutex<HashMap<String, Stamp>>,
}

impl KeyRing {
    /// The keys are in a store that is yet to be read: until it was, one that is not known is not called wrong.
    pub fn await_store(&self) {
        self.is_unread.store(true, Ordering::Relaxed);
    }

    /// Whether the keys could not be read from their store yet.
    pub fn is_unread(&self) -> bool {
        self.is_unread.load(Ordering::Relaxed)
    }

    /// Replaces all keys.
    pub fn replace(&self, keys: Vec<KeyRecord>) {
        self.is_unread.store(false, Ordering::Relaxed);
        let by_fingerprint = keys.into_iter().map(|key| (key.fingerprint, Arc::new(key))).collect();
        self.by_fingerprint.store(Arc::new(by_fingerprint));
    }

    /// Checks a key as it was sent.
    ///
    /// # Errors
    /// Why it is refused.
    pub fn check(&self, sent: &str, now: Stamp) -> Result<Arc<KeyRecord>, KeyRejection> {
        if !key::is_well_formed(sent) {
            return Err(KeyRejection::Malformed);
        }
        let fingerprint = key::fingerprint(sent);
        let known = self.by_fingerprint.load().get(&fingerprint).cloned();
        let known =
            known.filter(|known| bool::from(known.fingerprint.ct_eq(&fingerprint))).ok_or(KeyRejection::Unknown)?;
        if known.revoked_at.is_some() {
            return Err(KeyRejection::Revoked);
        }
        if known.expires_at.is_some_and(|at| at <= now) {
            return Err(KeyRejection::Expired);
        }
        locked(&self.used).insert(known.id.clone(), now);
        Ok(known)
    }

    /// Takes the ids of the keys used since the last call, with the time of their last use. The binary writes them to the store.
    pub fn take_used(&self) -> Vec<(String, Stamp)> {
        locked(&self.used).drain().collect()
    }
}
