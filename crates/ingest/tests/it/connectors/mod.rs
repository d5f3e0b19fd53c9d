//! What each connector reads, and what it refuses.

mod cards;
mod documents;
mod frameworks;
mod hostile;
mod licences;
mod lists;
mod models;
mod pages;
mod registry;
mod servers;
mod unreadable;
