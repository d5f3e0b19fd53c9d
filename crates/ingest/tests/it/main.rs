//! One binary of all tests that go through the public surface: one link instead of one for each file.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod archive;
mod catalog;
mod catalog_folder;
mod census;
mod connectors;
mod crafted;
mod engine;
mod engines;
mod fetcher;
mod history;
mod limits;
mod proxy;
mod recordings;
mod reread;
mod schedule;
mod shared_generations;
mod store;
mod support;
mod tarball;
