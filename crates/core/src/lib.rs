//! The vocabulary of refdesk: kinds, items, facts, evidence, money, time, ids, queries.
//!
//! Pure: no I/O, no async, no clock (`now` is always an argument; only [`cooperative`] looks at one). Start reading at [`fact`].

pub mod codec;
pub mod cooperative;
mod declared;
pub mod fact;
pub mod field;
pub mod hash;
pub mod item;
pub mod key;
pub mod kind;
pub mod money;
pub mod parallel;
pub mod query;
pub mod slug;
pub mod source_status;
pub mod text;
pub mod time;
pub mod version;

pub use fact::{Body, Covers, Fact, HashBasis, Record, Reject, SourceInfo, StaleReason};
pub use kind::Kind;
pub use money::Usd;
pub use text::{clean, field_names, figures, nearest, within};
pub use time::Stamp;
