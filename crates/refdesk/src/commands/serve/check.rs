//! What `serve` checks before it opens anything; `doctor` tells the same.

use std::io::ErrorKind;
use std::net::SocketAddr;

use anyhow::Context as _;

use super::listening;
use crate::app::App;
use crate::config::{Config, key};
use crate::output::told;
use crate::{cluster, desk, log};

/// What is wrong with the settings of a desk that is about to serve, each with what to write; empty when it can start.
pub async fn faults(config: &Config) -> Vec<anyhow::Error> {
    let checks = [
        log::check(config),
        desk::check(config),
        addresses(config).await.map(drop),
        App::database(config).map(drop),
        cluster::check(config).map(drop),
    ];
    let mut faults: Vec<anyhow::Error> = Vec::new();
    for fault in checks.into_iter().filter_map(Result::err) {
        // A setting that two checks read is told once.
        if !faults.iter().any(|known| told(known) == told(&fault)) {
            faults.push(fault);
        }
    }
    faults
}

pub(super) fn cannot_listen(config: &Config) -> String {
    format!(
        "cannot listen on {:?}; choose another address with --listen, REFDESK_LISTEN or listen in the configuration file, written as \
         127.0.0.1:8787 (port 0 takes a free one)",
        config.get(key::LISTEN)
    )
}

/// The addresses of the setting `listen`.
///
/// # Errors
/// When it names none.
pub(super) async fn addresses(config: &Config) -> anyhow::Result<Vec<SocketAddr>> {
    let found = tokio::net::lookup_host(config.get(key::LISTEN)).await.with_context(|| cannot_listen(config))?;
    Ok(found.collect())
}

/// The addresses at which somebody listens already, where the desk cannot; empty when it can. That may be the desk itself, which runs.
///
/// # Errors
/// When it could not although nobody else does.
pub async fn taken_addresses(config: &Config) -> anyhow::Result<Vec<SocketAddr>> {
    let addresses = addresses(config).await?;
    match listening(&addresses) {
        Ok(_) => Ok(Vec::new()),
        Err(error) if error.kind() == ErrorKind::AddrInUse => Ok(addresses),
        Err(error) => Err(error).with_context(|| cannot_listen(config)),
    }
}
