//! What happens at each limit.

mod readers;
mod stores;
mod syncs;
