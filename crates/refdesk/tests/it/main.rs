//! One binary of all tests that go through the public surface: one link instead of one for each file.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

mod asking;
mod bad_input;
mod cluster;
mod common;
mod database;
mod local_sources;
mod packaging;
mod reviews;
mod running;
#[cfg(target_os = "linux")]
mod short_of_room;
mod sources;
