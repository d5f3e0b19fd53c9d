//! The REST API over the router that serves HTTP.

mod details;
mod errors;
mod frameworks;
mod health;
mod http_manners;
mod hybrid;
mod keys_and_limits;
mod lists;
mod pages;
mod passages;
mod questions;
mod records;
mod search;
mod selection;
mod understanding;
