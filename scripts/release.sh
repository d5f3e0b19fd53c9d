#!/usr/bin/env bash
# Builds the release binary and puts it into dist/ with its bill of materials, checksums and completions. With SOURCE_DATE_EPOCH (seconds)
# the bill of materials is the same each time.
set -euo pipefail
cd "$(dirname "$0")/.."
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -1)
target=$(rustc -vV | sed -n 's/^host: //p')
out=dist/refdesk-$version-$target
rm -rf "$out"
mkdir -p "$out/completions"
cargo build --release --locked -p refdesk
cp target/release/refdesk README.md LICENSE-MIT LICENSE-APACHE CHANGELOG.md refdesk.example.toml "$out/"
# Nothing of this machine is in it: neither where its sources were nor where the packages are kept.
for path in "$PWD" "$HOME" "${CARGO_HOME:-$HOME/.cargo}" "${RUSTUP_HOME:-$HOME/.rustup}" "${CARGO_TARGET_DIR:-$PWD/target}"; do
  [ "$path" = / ] && continue
  if grep -aqF -- "$path/" "$out/refdesk"; then
    echo "the binary holds $path:" && grep -aoF -m 5 -- "$path/" "$out/refdesk" | head -3
    exit 1
  fi
done
for shell in bash zsh fish; do "$out/refdesk" completions "$shell" >"$out/completions/refdesk.$shell"; done
python3 scripts/sbom.py >"$out/refdesk.cdx.json"
(cd "$out" && find . -type f ! -name SHA256SUMS -print0 | sort -z | xargs -0 sha256sum >SHA256SUMS)
echo "$out"
