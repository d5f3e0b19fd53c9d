//! One binary of all tests that go through the public surface: one link instead of one for each file.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod collections;
mod common;
mod hostile;
mod limits;
mod mcp;
mod openapi;
mod pages;
mod rest_details;
mod rest_errors;
mod rest_frameworks;
mod rest_health;
mod rest_http_manners;
mod rest_hybrid;
mod rest_keys_and_limits;
mod rest_lists;
mod rest_pages;
mod rest_passages;
mod rest_questions;
mod rest_records;
mod rest_search;
mod rest_selection;
mod rest_understanding;
mod server;
mod server_crowds;
mod server_refusals;
mod shared_limits;
mod xss;
