//! One binary of all tests that go through the public surface: one link instead of one for each file.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod archive;
mod catalog;
mod catalog_folder;
mod census;
mod connectors_cards;
mod connectors_documents;
mod connectors_frameworks;
mod connectors_hostile;
mod connectors_licences;
mod connectors_lists;
mod connectors_models;
mod connectors_registry;
mod connectors_servers;
mod crafted;
mod engine;
mod engines;
mod fetcher;
mod history;
mod limits_readers;
mod limits_stores;
mod limits_syncs;
mod proxy;
mod recordings_documents;
mod recordings_models;
mod recordings_servers;
mod recordings_sync;
mod reread;
mod schedule;
mod shared_generations;
mod store_cluster;
mod store_contract;
mod store_faults;
mod store_postgres;
mod store_speed;
mod support;
mod tarball;
