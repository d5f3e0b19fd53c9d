//! The writing side of refdesk: connectors, fetcher, sync engine, store, schedule, generations.
//!
//! Facts flow one way: bytes → [`connectors`] → facts → [`store`] → `refdesk_catalog::snapshot`. [`sync`] drives it, [`fetch`] owns
//! HTTP, [`schedule`] says when, [`generation`] builds the catalog of the stored facts. Start reading at [`sync::Engine`].

pub mod archive;
pub mod bundled;
pub mod census;
pub mod clock;
pub mod config;
pub mod connectors;
mod duration;
pub mod fetch;
pub mod files;
pub mod generation;
pub mod keys;
pub mod lint;
pub mod memory_budget;
pub mod schedule;
pub mod segment_store;
pub mod store;
pub mod sync;
pub mod verify;

pub use clock::{Clock, system_clock};
pub use config::{FetchSettings, SourceConfig, Span};
pub use store::{Store, StoreError};
pub use sync::Engine;
