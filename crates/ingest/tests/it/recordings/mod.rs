//! Connectors over the recorded bytes of real upstreams.

mod documents;
mod models;
mod servers;
mod sync;
