//! One binary of all tests that go through the public surface: one link instead of one for each file.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod asking;
mod bad_input;
mod cluster;
mod common;
mod database;
mod packaging;
mod running;
mod sources;
