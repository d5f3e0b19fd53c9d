//! One binary of all tests that go through the public surface: one link instead of one for each file.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod bad_input;
mod bridge;
mod cluster;
mod commands;
mod common;
mod database;
mod disks_and_clocks;
mod mcp_stdio;
mod operations;
mod packaging;
mod secrets;
mod service;
mod serving;
mod shown_questions;
mod sources;
mod terminal;
