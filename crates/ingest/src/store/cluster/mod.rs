//! What several processes over one store share: the head that readers poll, the lease of the one that writes, generations as manifests,
//! requests of operators, and segment files for who has no object store.
//!
//! The fence is here as well ([`crate::store::Store::fenced`]): a handle whose every writing transaction first looks whether its lease is
//! still the current one. The design is Gray and Cheriton's lease with an epoch as fencing token, checked inside the committing transaction.

mod flights;
mod generations;
mod head;
mod lease;
mod requests;
mod segments;

pub use flights::Flight;
pub use generations::StoredGeneration;
pub use head::Head;
pub use lease::{Lease, LeaseState};
pub use requests::{SYNC_REQUESTS_MAX, SyncRequest};
pub use segments::SEGMENT_CHUNK_BYTES;

pub(super) use head::{bump_keys, bump_revision};
pub(super) use lease::check_fence;
