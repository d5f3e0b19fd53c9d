//! The REST API over the router that serves HTTP.

pub mod items;
mod searching;
mod service;
