//! Where the platform keeps data and configurations.

use std::path::PathBuf;

/// `$XDG_DATA_HOME/refdesk`, `~/.local/share/refdesk`, or their like on macOS and Windows.
pub fn data() -> Option<PathBuf> {
    let folder = if cfg!(windows) {
        named("LOCALAPPDATA")
    } else if cfg!(target_os = "macos") {
        named("HOME").map(|home| home.join("Library/Application Support"))
    } else {
        named("XDG_DATA_HOME").or_else(|| named("HOME").map(|home| home.join(".local/share")))
    };
    folder.map(|folder| folder.join("refdesk"))
}

/// The folders of configurations, the user's before the system's: `$XDG_CONFIG_HOME/refdesk` or `~/.config/refdesk`, `/etc/refdesk`, or
/// their like on macOS and Windows.
pub fn configuration() -> Vec<PathBuf> {
    let (user, system) = if cfg!(windows) {
        (named("APPDATA"), named("PROGRAMDATA"))
    } else if cfg!(target_os = "macos") {
        (named("HOME").map(|home| home.join("Library/Application Support")), Some(PathBuf::from("/etc")))
    } else {
        let user = named("XDG_CONFIG_HOME").or_else(|| named("HOME").map(|home| home.join(".config")));
        (user, Some(PathBuf::from("/etc")))
    };
    [user, system].into_iter().flatten().map(|folder| folder.join("refdesk")).collect()
}

fn named(variable: &str) -> Option<PathBuf> {
    std::env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from)
}
