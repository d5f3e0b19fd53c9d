//! The catalog: stored facts resolved into items, rendered, indexed, and the answers written of them.
//!
//! Pure: no I/O, no async, no clock (`now` is always an argument). Facts come in from `refdesk-ingest`, an immutable [`snapshot`] goes
//! out to `refdesk-serve`. Start reading at [`resolve`], then [`segment`], [`snapshot`] and [`answer`].

pub mod answer;
mod broken;
pub mod collections;
mod columns;
pub mod json;
mod listing;
pub mod partial_json;
pub mod resolve;
pub mod segment;
pub mod semantic;
pub mod snapshot;
mod understand;
