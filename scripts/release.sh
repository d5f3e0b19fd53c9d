#!/usr/bin/env bash
# Builds the release binary and puts it into dist/ with its bill of materials, checksums and completions.
set -euo pipefail
cd "$(dirname "$0")/.."
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -1)
target=$(rustc -vV | sed -n 's/^host: //p')
out=dist/refdesk-$version-$target
rm -rf "$out"
mkdir -p "$out/completions"
cargo build --release --locked -p refdesk
cp target/release/refdesk README.md LICENSE-MIT LICENSE-APACHE CHANGELOG.md refdesk.example.toml "$out/"
for shell in bash zsh fish; do "$out/refdesk" completions "$shell" >"$out/completions/refdesk.$shell"; done
python3 scripts/sbom.py >"$out/refdesk.cdx.json"
(cd "$out" && find . -type f ! -name SHA256SUMS -print0 | sort -z | xargs -0 sha256sum >SHA256SUMS)
echo "$out"
