//! One binary of all tests that go through the public surface: one link instead of one for each file.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

mod catalog;
mod names;
mod own_cards;
mod reasons;
mod router;
