//! The contract of the store, on every engine.

mod cluster;
mod contract;
mod dump;
mod faults;
mod files;
mod lease_faults;
mod postgres;
mod rejected;
mod speed;
