//! The desk's side: the endpoint is there while it serves, and says what it answers by.

use std::io::{ErrorKind, Write as _};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use refdesk_ingest::files::unfinished_in;
use refdesk_serve::LocalToken;

use super::{Endpoint, answers_of, changed_path, endpoint_path};
use crate::config::Config;

/// The endpoint of a running desk; taken away when it ends.
#[derive(Debug)]
pub struct Announcement {
    data_dir: PathBuf,
    address: SocketAddr,
    token: LocalToken,
}

impl Announcement {
    /// Writes the endpoint of a desk that listens on `address`; `None` where nobody on this machine can reach it by loopback.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(config: &Config, address: SocketAddr, token: LocalToken) -> anyhow::Result<Option<Self>> {
        let address = on_this_machine(address);
        if !address.ip().is_loopback() {
            return Ok(None);
        }
        let own = Self { data_dir: config.data_dir()?, address, token };
        own.drop_unreadable_change();
        own.follow(config)?;
        Ok(Some(own))
    }

    /// Takes away a note that this desk cannot read, which another user left behind: commands would never ask the desk again.
    fn drop_unreadable_change(&self) {
        let note = changed_path(&self.data_dir);
        let Err(error) = std::fs::read_to_string(&note) else { return };
        if error.kind() != ErrorKind::NotFound
            && let Err(error) = std::fs::remove_file(&note)
        {
            tracing::warn!(file = %note.display(), %error, "delete this file: while it is there, commands do not ask this desk");
        }
    }

    /// Writes it anew for a configuration that changed.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn follow(&self, config: &Config) -> anyhow::Result<()> {
        let endpoint = Endpoint {
            address: self.address,
            pid: std::process::id(),
            token: self.token.text().to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            answers: answers_of(config),
        };
        let path = endpoint_path(&self.data_dir);
        // A file of its own first, readable by its owner alone: nobody sees half an endpoint.
        let mut file = unfinished_in(&self.data_dir, ".tmp", "")?;
        file.write_all(serde_json::to_string(&endpoint)?.as_bytes())?;
        file.persist(&path).with_context(|| format!("{} cannot be written", path.display()))?;
        Ok(())
    }

    /// Writes the endpoint anew where there is none: another desk over this data directory put its own in its place, and took that away.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn restore(&self, config: &Config) -> anyhow::Result<()> {
        if endpoint_path(&self.data_dir).exists() { Ok(()) } else { self.follow(config) }
    }

    /// The note of a command that wrote what is not shown yet, if there is one.
    pub fn change(&self) -> Option<String> {
        std::fs::read_to_string(changed_path(&self.data_dir)).ok()
    }

    /// What the note tells of is shown; one that was written since stays.
    pub fn shown(&self, change: &str) {
        if self.change().as_deref() == Some(change) {
            // Should it stay, commands read their own store and are slower, that is all.
            let _ = std::fs::remove_file(changed_path(&self.data_dir));
        }
    }
}

impl Drop for Announcement {
    /// Takes the endpoint away, unless another desk has put its own there. One that stays is not believed: nobody proves its token any more.
    fn drop(&mut self) {
        if super::client::endpoint(&self.data_dir).is_some_and(|endpoint| endpoint.token == self.token.text()) {
            let _ = std::fs::remove_file(endpoint_path(&self.data_dir));
        }
    }
}

/// An address as this machine reaches it: the one that stands for all is loopback here.
pub fn on_this_machine(address: SocketAddr) -> SocketAddr {
    let ip = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
        IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::V6(Ipv6Addr::LOCALHOST),
        ip => ip,
    };
    SocketAddr::new(ip, address.port())
}

/// Notes that a command wrote something: until the running desk shows it, commands do not ask the desk, so that whoever syncs and then
/// looks finds what was synced.
///
/// # Errors
/// When the note cannot be written.
pub fn note_change(config: &Config) -> anyhow::Result<()> {
    let data_dir = config.data_dir()?;
    if !endpoint_path(&data_dir).exists() {
        return Ok(());
    }
    note(&data_dir).with_context(|| format!("{} cannot be written", changed_path(&data_dir).display()))
}

fn note(data_dir: &Path) -> std::io::Result<()> {
    let mut file = unfinished_in(data_dir, ".tmp", "")?;
    // Which change it is: the desk takes away only the note that it has read.
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    write!(file, "{} {}", std::process::id(), now.as_nanos())?;
    file.persist(changed_path(data_dir)).map(drop).map_err(|error| error.error)
}
