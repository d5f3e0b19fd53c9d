//! One binary of all tests that go through the public surface: one link instead of one for each file.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

mod archive;
mod catalog;
mod census;
mod connectors;
mod engine;
mod engines;
mod generations;
mod history;
mod limits;
mod recordings;
mod reread;
mod schedule;
mod store;
mod support;
mod tarball;
mod upstreams;
