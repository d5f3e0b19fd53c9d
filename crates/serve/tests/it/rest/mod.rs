//! The REST API over the router that serves HTTP.

mod items;
mod searching;
mod service;
