//! One binary of all tests that go through the public surface: one link instead of one for each file.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

mod agreement;
mod common;
mod generations;
mod listing;
mod model_identity;
mod resolution;
mod server_identity;
mod server_lists;
mod snapshot;
mod spellings;
