//! Bytes of upstreams: how they are fetched, and what hostile ones cost.

mod crafted;
mod fetcher;
pub mod proxy;
