//! One binary of all tests that go through the public surface: one link instead of one for each file.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod catalog;
mod common;
mod limits;
mod model_identity;
mod resolution;
mod router;
mod server_identity;
mod snapshot;
mod snapshot_update;
mod spellings;
