//! What ships inside the binary: the cards of the starter catalog and refdesk's own manual.
//!
//! The `cards` connector reads them under the url [`URL`], without a request. A build notices changed cards through `build.rs`.

use bytes::Bytes;
use include_dir::{Dir, include_dir};

/// The url of the bundled cards in the configuration.
pub const URL: &str = "bundled:catalog";

/// The repository in which the bundled files can be read.
pub const REPOSITORY: &str = env!("CARGO_PKG_REPOSITORY");

/// Folder of the manual in the repository.
pub const MANUAL_FOLDER: &str = "docs/manual";

static CATALOG: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/../../catalog");
static MANUAL: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/../../docs/manual");

/// All bundled files by their path in the repository, in order.
pub fn files() -> Vec<(String, Bytes)> {
    let mut files = Vec::new();
    collect("catalog", &CATALOG, &mut files);
    collect(MANUAL_FOLDER, &MANUAL, &mut files);
    files.sort_by(|a, b| a.0.cmp(&b.0));
    files
}

/// `sha256:<hex>` over paths and contents: changes exactly when a bundled file does. `build.rs` takes it.
pub const DIGEST: &str = env!("REFDESK_BUNDLED_DIGEST");

fn collect(root: &str, dir: &'static Dir<'static>, files: &mut Vec<(String, Bytes)>) {
    for file in dir.files() {
        let path = file.path().to_string_lossy().replace('\\', "/");
        files.push((format!("{root}/{path}"), Bytes::from_static(file.contents())));
    }
    for folder in dir.dirs() {
        collect(root, folder, files);
    }
}
