//! Rebuilds the crate when a card of the starter catalog or a page of the manual changes, since both are compiled in, and tells it their
//! digest: every command compares that with the store's, and would otherwise read and hash megabytes.

use std::io::Result;
use std::path::Path;

use sha2::{Digest as _, Sha256};

/// Folders of bundled files in the repository.
const FOLDERS: [&str; 2] = ["catalog", "docs/manual"];
const REPOSITORY: &str = "../..";

fn main() -> Result<()> {
    println!("cargo:rerun-if-changed=build.rs");
    let mut files = Vec::new();
    for folder in FOLDERS {
        println!("cargo:rerun-if-changed={REPOSITORY}/{folder}");
        collect(folder, &mut files)?;
    }
    files.sort();
    let mut hasher = Sha256::new();
    for (path, content) in files {
        hasher.update((path.len() as u64).to_be_bytes());
        hasher.update(path.as_bytes());
        hasher.update((content.len() as u64).to_be_bytes());
        hasher.update(&content);
    }
    println!("cargo:rustc-env=REFDESK_BUNDLED_DIGEST=sha256:{:x}", hasher.finalize());
    Ok(())
}

/// The files below a folder, by their paths in the repository.
fn collect(folder: &str, files: &mut Vec<(String, Vec<u8>)>) -> Result<()> {
    for entry in std::fs::read_dir(Path::new(REPOSITORY).join(folder))? {
        let entry = entry?;
        let path = format!("{folder}/{}", entry.file_name().to_string_lossy());
        if entry.file_type()?.is_dir() {
            collect(&path, files)?;
        } else {
            files.push((path, std::fs::read(entry.path())?));
        }
    }
    Ok(())
}
