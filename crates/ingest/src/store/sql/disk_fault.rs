//! Damage of the store, or a failing disk under it, that a statement of this process met. Unlike a failed write ([`super::super::last_write`])
//! it is not over when the next statement goes well: that may have read another part. Only a check of all the parts tells that.

use std::sync::Mutex;

use refdesk_core::parallel::locked;

use crate::store::error::StoreError;
use crate::store::{Result, StoreFault};

/// What was met last, until the store is found sound.
#[derive(Debug, Default)]
pub(in crate::store) struct DiskFault(Mutex<Option<StoreFault>>);

impl DiskFault {
    /// Takes in how a statement ended. What says nothing of the disk changes nothing, and neither does a good end.
    pub(in crate::store) fn note<T>(&self, result: &Result<T>) {
        if let Err(error @ (StoreError::Damaged { .. } | StoreError::Disk { .. })) = result {
            *locked(&self.0) = Some(error.into());
        }
    }

    pub(in crate::store) fn met(&self) -> Option<StoreFault> {
        locked(&self.0).clone()
    }

    /// The store was found sound.
    pub(in crate::store) fn is_over(&self) {
        *locked(&self.0) = None;
    }
}
