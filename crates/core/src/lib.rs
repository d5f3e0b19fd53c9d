//! The vocabulary of refdesk and everything that is derived from stored facts.
//!
//! Pure: no I/O, no async, no clock (`now` is always an argument; only [`pace`] looks at one). Facts come in from `refdesk-ingest`, an
//! immutable [`snapshot`] goes out to `refdesk-serve`. Start reading at [`fact`], then [`resolve`], then [`snapshot`].

pub mod clean;
pub mod fact;
pub mod hash;
mod image;
pub mod item;
pub mod key;
pub mod kind;
mod lazy;
pub mod money;
pub mod pace;
pub mod query;
pub mod resolve;
pub mod route;
pub mod search;
pub mod semantic;
pub mod slug;
pub mod snapshot;
pub mod text;
pub mod time;
pub mod within;

pub use fact::{Body, Fact, HashBasis, Record, Reject, SourceInfo, StaleReason};
pub use kind::Kind;
pub use money::Usd;
pub use time::Stamp;
