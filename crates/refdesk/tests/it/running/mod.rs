//! A desk that runs: start, signals, clocks, disks, secrets.

mod disks_and_clocks;
mod operations;
mod secrets;
mod service;
mod serving;
mod vectors;
