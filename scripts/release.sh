#!/usr/bin/env bash
# Builds the release binary and makes every package of this platform into dist/: tarball, Debian package, wheel, npm packages, OCI image,
# Homebrew formula, bill of materials, checksums. scripts/packages.py then installs and uses each of them.
#
#   scripts/release.sh                        linked with the C library of this machine
#   REFDESK_GLIBC=2.28 scripts/release.sh     linked by zig for an older one; zig and cargo-zigbuild come from PyPI into target/release-tools
#
# What the binary needs of the C library is read off it and refused beyond what is promised (scripts/release/binary.py), so build on Debian 12,
# Ubuntu 22.04 or older. Everything is of the moment of the commit, or of SOURCE_DATE_EPOCH: the same commit gives the same files.
set -euo pipefail
cd "$(dirname "$0")/.."
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
target=$(rustc -vV | sed -n 's/^host: //p')
built=${CARGO_TARGET_DIR:-target}/$target/release/refdesk
glibc=${REFDESK_GLIBC:-host}
[ -z "$(git status --porcelain --untracked-files=no)" ] || echo "warning: there are changes that are not committed; the binary will name a commit that it is not of" >&2

case $target in
  *-linux-gnu) ;;
  *) glibc=host ;;
esac
if [ "$glibc" = host ]; then
  cargo build --release --locked -p refdesk --target "$target"
else
  tools=$PWD/target/release-tools
  [ -x "$tools/bin/cargo-zigbuild" ] || { python3 -m venv "$tools" && "$tools/bin/pip" install --quiet 'ziglang==0.17.1' 'cargo-zigbuild==0.24.1'; }
  # Found by cargo as `cargo zigbuild`; it runs zig by the Python beside it.
  PATH=$tools/bin:$PATH cargo zigbuild --release --locked -p refdesk --target "$target.$glibc"
fi
rm -rf dist
python3 scripts/release --binary "$built" --target "$target"
