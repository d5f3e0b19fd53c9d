//! Rebuilds the crate when a card of the starter catalog or a page of the manual changes: both are compiled in.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=../../catalog");
    println!("cargo:rerun-if-changed=../../docs/manual");
}
