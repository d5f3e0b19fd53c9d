#!/usr/bin/env bash
# The long forms of what scripts/test.sh runs short; for a quiet machine, some hours. REFDESK_OLD names the binary of the release before.
set -euo pipefail
cd "$(dirname "$0")/.."
REFDESK_TEST_LONG=1 scripts/test.sh
# Each crate has the features of libraries that it uses, and does not owe them to its neighbours or its tests.
for crate in $(cargo metadata --no-deps --format-version 1 | jq -r '.packages[].name'); do cargo check -q -p "$crate"; done
python3 scripts/rehearse.py --refdesk target/debug/refdesk --kills 200
python3 scripts/fuzz.py --seconds 1200 --threads 2
cargo build --release -p refdesk
python3 scripts/rehearse.py --release --refdesk target/release/refdesk
python3 scripts/rehearse.py --release --refdesk target/release/refdesk --reads
python3 scripts/hostile_upstream.py --refdesk target/release/refdesk --write docs/reliability.md
python3 scripts/soak.py --refdesk target/release/refdesk --seconds 600
python3 scripts/hostile_clients.py --refdesk target/release/refdesk
python3 scripts/disks_and_clocks.py --refdesk target/release/refdesk
python3 scripts/clients.py --refdesk target/release/refdesk
REFDESK_FAULTS=2000 python3 scripts/postgres.py -- cargo nextest run -p refdesk-ingest --test it -E 'test(lease_faults)' --run-ignored all --no-capture
python3 scripts/cluster.py --refdesk target/release/refdesk --write docs/cluster.md
scripts/release.sh
python3 scripts/packages.py --full
python3 scripts/upgrade.py --new target/release/refdesk ${REFDESK_OLD:+--old "$REFDESK_OLD"}
# Compares with benches/baseline.json once `scripts/bench.py --write` has made it.
[ ! -f benches/baseline.json ] || python3 scripts/bench.py --check
command -v cargo-deny >/dev/null || cargo install cargo-deny --locked
cargo deny check
