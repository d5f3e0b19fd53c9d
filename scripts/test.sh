#!/usr/bin/env bash
# Runs every test of refdesk, and installs first what is missing for it (apt, cargo, npm and PyPI, by package name).
#
#   scripts/test.sh           everything; where ../shared or the network is absent, the parts that need it say so and skip
#   REFDESK_TEST_ALL=1 scripts/test.sh   the same, and a skipped part is a failure
#   REFDESK_TEST_LONG=1 scripts/test.sh  lists, costs, pages and the OpenAPI document in the long form, as scripts/nightly.sh asks for
#   REFDESK_TEST_PART_SECONDS=1800       a part that takes longer is ended and has failed; the others still run
#
# Long forms (benchmarks, soak, 200 kills, 20,000 schemathesis cases, long fuzzing) are scripts of their own: CONTRIBUTING.md lists them.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
cache=${REFDESK_TEST_CACHE:-$root/target/test-tools}
export CARGO_TERM_COLOR=${CARGO_TERM_COLOR:-never}
# The names of the parts that failed and of those that were skipped, a line each.
results=$(mktemp -d)
touch "$results/failed" "$results/skipped"

# Each part is a process group of its own, so that one which hangs is ended with all it has started, and the others still run.
part() { # NAME COMMAND…
  local name=$1 started=$SECONDS limit=${REFDESK_TEST_PART_SECONDS:-1800} watchdog code=0
  shift
  echo "== $name"
  set -m
  (set +e && "$@") </dev/null &
  part_group=$!
  (sleep "$limit" && echo "== $name: ended after $limit s (REFDESK_TEST_PART_SECONDS)" && kill -TERM -- "-$part_group" && sleep 10 && kill -KILL -- "-$part_group") &
  watchdog=$!
  set +m
  wait "$part_group" || code=$?
  # What was ended and does not end within some seconds is killed.
  [ "$code" != 143 ] || { sleep 5 && kill -KILL -- "-$part_group" 2>/dev/null || true; }
  part_group=
  # It has ended by itself where it had to kill the part.
  kill -TERM -- "-$watchdog" 2>/dev/null || true
  wait "$watchdog" 2>/dev/null || true
  if [ "$code" = 0 ]; then echo "== $name: ok ($((SECONDS - started)) s)"; else echo "$name" >>"$results/failed"; echo "== $name: FAILED"; fi
}
# The same for parts that time nothing but waits of minutes, two at once: each mostly waits, or keeps one core busy. What one prints is
# shown when it has ended.
lanes=()
beside() { # NAME COMMAND…
  local printed lane running
  printed=$(mktemp -p "$results")
  while
    running=()
    for lane in "${lanes[@]}"; do kill -0 "$lane" 2>/dev/null && running+=("$lane"); done
    [ ${#running[@]} -ge 2 ]
  do wait -n "${running[@]}" || true; done
  (trap stop_part TERM && part "$@" >"$printed" 2>&1; flock "$results" cat "$printed") &
  lanes=("${running[@]}" $!)
}
join_lanes() {
  wait "${lanes[@]}" || true
  lanes=()
}
# What was interrupted leaves nothing behind.
part_group=
stop_part() { [ -z "$part_group" ] || kill -TERM -- "-$part_group"; exit 130; }
trap '[ ${#lanes[@]} = 0 ] || kill -TERM "${lanes[@]}" 2>/dev/null; stop_part' INT TERM
# The first of two in the long form, else the second.
long() { if [ "${REFDESK_TEST_LONG:-}" = 1 ]; then echo "$1"; else echo "$2"; fi; }
skip() { # NAME WHY
  echo "== $1: skipped, $2"
  echo "$1" >>"$results/skipped"
}

# Says when the whole machine stood still, as shared ones do: whoever reads that a wait was too long should know.
watch_for_stalls() {
  python3 -c '
import os, time
script = os.getppid()
while os.getppid() == script:
    before = time.monotonic()
    time.sleep(0.2)
    if (stood := time.monotonic() - before - 0.2) > 2:
        print(f"== the machine stood still for {stood:.1f} s", flush=True)' &
}

ensure_tools() {
  command -v cargo >/dev/null || { echo "cargo is missing: install Rust from https://rustup.rs"; exit 2; }
  cargo fmt --version >/dev/null 2>&1 || rustup component add rustfmt
  cargo clippy --version >/dev/null 2>&1 || rustup component add clippy
  cargo nextest --version >/dev/null 2>&1 || cargo install cargo-nextest --locked
  cargo machete --version >/dev/null 2>&1 || cargo install cargo-machete --locked
  command -v cc >/dev/null || apt_install gcc libc6-dev
  command -v make >/dev/null || apt_install make
  command -v python3 >/dev/null || apt_install python3
  command -v curl >/dev/null && command -v jq >/dev/null || apt_install curl jq
  python3 -c 'import ensurepip' 2>/dev/null || apt_install python3-venv
}
apt_install() {
  local sudo=
  [ "$(id -u)" = 0 ] || sudo=sudo
  $sudo apt-get update -qq && $sudo apt-get install -y -qq "$@"
}
# What single parts need besides. It is fetched while the compiler works, where nobody has to be asked for a password.
fetch_tools() {
  local missing=() program
  while read -r program package; do
    command -v "$program" >/dev/null || [ -x "/usr/sbin/$program" ] || missing+=("$package")
  done <<'PROGRAMS'
redis-server redis-server
haproxy haproxy
nginx nginx-light
wrk wrk
systemd-analyze systemd
kubectl kubernetes-client
objdump binutils
buildah buildah
lintian lintian
ruby ruby
npm npm
node nodejs
chromium chromium
PROGRAMS
  compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null || missing+=(postgresql)
  # The parts themselves say what they lack.
  [ ${#missing[@]} = 0 ] || apt_install "${missing[@]}" || true
  python_with schemathesis 'schemathesis==4.*' || true
  [ ! -f ../shared/replay.py ] || python_with selection duckdb polars litellm || true
  scripts/web.sh fetch "$cache/web" || true
  python3 scripts/clients.py --fetch --short --tools "$cache/clients" || true
  [ ! -x ../shared/accept/mcp/run.sh ] || MCP_TOOLS=$cache/mcp ../shared/accept/mcp/run.sh setup || true
}
# Python with packages in an environment of its own; its path is what is printed last.
python_with() { # NAME PACKAGE…
  local venv=$cache/$1
  shift
  [ -e "$venv/whole" ] || { python3 -m venv "$venv" && "$venv/bin/pip" install -q "$@" && touch "$venv/whole"; } || return 9
  echo "$venv/bin/python"
}

# The tests that need PostgreSQL or Redis, out of the build of all tests.
with_engines() {
  python3 scripts/engines.py python3 scripts/postgres.py -- cargo nextest run --workspace --profile ci --run-ignored all \
    -E '(test(/^store::/) - test(/^store::speed/)) | test(/^cluster::/) | test(/^database::/) | test(/^shared_limits::/)'
}
# Puts a desk of the replayed upstreams into a folder. It is filled and its catalog built once; each part has a copy of its own.
filled=$(mktemp -d)
trap 'rm -rf "$filled" "$results"' EXIT
fill() { # FOLDER
  (
    flock 9
    [ -e "$filled/whole" ] ||
      { python3 scripts/rehearse.py --refdesk target/debug/refdesk --fill "$filled/data" && touch "$filled/whole"; }
  ) 9>"$filled/lock" || return 1
  cp -R "$filled/data/." "$1"
}
# The server that the black-box parts talk to: replayed upstreams where they are, else the starter catalog.
serve_for() { # COMMAND… with $url in its environment
  local data
  data=$(mktemp -d)
  [ ! -f ../shared/replay.py ] || fill "$data" || return 1
  # A part of the catalog, for what asks /c/ID/.
  printf '[[collections]]\nid = "callers"\nkinds = ["model"]\nfilter = "capability=tool_call&price_input__lte=3"\n' >"$data/collections.toml"
  target/debug/refdesk serve --config "$data/collections.toml" --data-dir "$data" --offline --listen 127.0.0.1:0 --rate-limit-anon 0 --rate-limit-key 0 >"$data/out" 2>"$data/log" &
  local pid=$!
  for _ in $(seq 300); do grep -q listening "$data/out" && break; sleep 0.1; done
  grep -q listening "$data/out" || { echo "the desk did not say within 30 s where it listens:"; tail -n 30 "$data/log"; }
  url=$(sed -n 's/^listening on //p' "$data/out") "$@"
  local code=$?
  kill -TERM $pid && wait $pid || code=1
  rm -rf "$data"
  return $code
}

schema() {
  local python
  python=$(python_with schemathesis 'schemathesis==4.*') || return 9
  scripts/schemathesis.sh "${python%/*}/schemathesis" "$url" "$(long 20000 800)"
}
selection() {
  local python
  python=$(python_with selection duckdb polars litellm) || return 9
  "$python" scripts/selection.py --url "$url" --queries "$(long 2000 150)" --costs "$(long 500 40)" --collection callers
}
questions() {
  python3 scripts/questions.py --url "$url" --check && python3 scripts/questions.py --url "$url" --examples &&
    python3 scripts/questions.py --url "$url" --half all --least 0.6
}
mcp_acceptance() {
  MCP_TOOLS=$cache/mcp ../shared/accept/mcp/run.sh "$url/mcp" --tool search_catalog --args '{"q":"postgres"}'
}

engines() {
  local program
  for program in redis-server haproxy nginx wrk systemd-analyze kubectl; do
    command -v "$program" >/dev/null || [ -x "/usr/sbin/$program" ] || return 1
  done
  compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null
}

web() {
  local data= code=0
  if [ -f ../shared/replay.py ]; then
    data=$(mktemp -d)
    fill "$data" || return 1
  fi
  WEB_LONG=$(long 1 "") scripts/web.sh target/debug/refdesk "$cache/web" "$data" || code=1
  [ -z "$data" ] || rm -rf "$data"
  return $code
}
web_audit() {
  cp ../shared/accept/page-audit.mjs "$cache/web/"
  local pages=(/models /documents /models/claude-sonnet-4-5 '/search?q=claude+sonnet')
  # The flows of scripts/web look at these as well.
  [ -z "$(long 1 "")" ] || pages+=(/ /tools /mcp-servers/github /skills/rag-implementation /frameworks/premortem \
    '/compare?ids=claude-sonnet-4-5,gpt-4o' /sources /connect)
  node "$cache/web/page-audit.mjs" "${pages[@]/#/$url}" >"$cache/web/audit.json" || { grep -A3 '"over"' "$cache/web/audit.json"; return 1; }
}

clients() {
  python3 scripts/clients.py --refdesk target/debug/refdesk --tools "$cache/clients" --short
}
# The packages of a release, with the debug binary, packed fast: scripts/nightly.sh makes the real ones.
packages() {
  local dist code=0
  dist=$(mktemp -d)
  python3 scripts/release --binary target/debug/refdesk --rehearsal --out "$dist" && python3 scripts/packages.py --dist "$dist" || code=1
  rm -rf "$dist"
  return $code
}

ensure_tools
watch_for_stalls
if [ "$(id -u)" = 0 ]; then
  beside "what the parts need besides" fetch_tools
else
  part "what the parts need besides" fetch_tools
fi
part "format" cargo fmt --all --check
part "limits" python3 scripts/limits.py
part "claims name their tests" python3 scripts/claims.py
part "no cycles, no crowded folders" python3 scripts/rooms.py
part "pages say of clients what their data say" python3 scripts/clients.py
part "lints" cargo clippy --workspace --all-targets -- -D warnings
part "no unused dependency" cargo machete
part "docs" env RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --document-private-items
# All targets at once: what only tests need adds features to some libraries, and would have them and all of ours compiled a second time.
part "build" cargo build --workspace --all-targets
# One more at once than there are cores: many wait for a desk or for a clock, which left a third of the cores idle.
part "tests" cargo nextest run --workspace --profile ci --test-threads $(($(nproc) + 1))
part "framework cards" target/debug/refdesk frameworks lint catalog/frameworks
data=$(mktemp -d)
part "routing has not become worse" target/debug/refdesk --data-dir "$data" eval routing --baseline eval/routing/figures.json
rm -rf "$data"
part "hostile clients" python3 scripts/hostile_clients.py --refdesk target/debug/refdesk --short
join_lanes

# By itself: it holds times of nodes to their goals.
if engines; then
  part "several machines" python3 scripts/cluster.py --refdesk target/debug/refdesk --short --tools "$cache"
fi
# The longest first, so that neither lane is idle at the end.
if [ -f ../shared/replay.py ]; then
  beside "faults" python3 scripts/rehearse.py --refdesk target/debug/refdesk --faults
fi
beside "web page" web
beside "crafted upstreams" python3 scripts/hostile_upstream.py --refdesk target/debug/refdesk --short
if engines; then
  beside "tests on PostgreSQL and Redis" with_engines
  beside "files for several machines" python3 scripts/deploy.py --refdesk target/debug/refdesk --tools "$cache/deploy"
else
  skip "tests on PostgreSQL and Redis, several machines and their files" "Redis, HAProxy, nginx, PostgreSQL, wrk, kubectl or systemd is missing and cannot be installed"
fi
beside "disks and clocks" python3 scripts/disks_and_clocks.py --refdesk target/debug/refdesk --short
if [ -f ../shared/replay.py ]; then
  beside "kills" python3 scripts/rehearse.py --refdesk target/debug/refdesk --kills 10
  beside "answers against an independent reading" python3 scripts/truth.py --refdesk target/debug/refdesk
  beside "lists and costs against other implementations" serve_for selection
  beside "rehearsal" python3 scripts/rehearse.py --refdesk target/debug/refdesk
  beside "natural questions are answered" serve_for questions
  beside "identity has not become worse" python3 scripts/identity.py --refdesk target/debug/refdesk --baseline eval/identity/figures.json
  beside "the starter catalog against the recordings" python3 scripts/starter.py --refdesk target/debug/refdesk
else
  skip "rehearsal, faults, truth, kills, identity, starter, lists, costs, natural questions" "../shared/replay.py is not here"
fi
if [ -d ../shared/eval/sets ]; then
  beside "search has not become worse" python3 scripts/labelled_sets.py --refdesk target/debug/refdesk
else
  skip "search has not become worse" "../shared/eval/sets is not here"
fi
beside "clients connect" clients
beside "OpenAPI against the server (schemathesis)" serve_for schema
if [ -f ../shared/accept/page-audit.mjs ]; then
  beside "weight and findings of pages" serve_for web_audit
else
  skip "weight and findings of pages" "../shared/accept/page-audit.mjs is not here"
fi
beside "packages" packages
beside "documents do what they show" python3 scripts/documents.py --refdesk target/debug/refdesk
if [ -x ../shared/accept/mcp/run.sh ]; then
  beside "MCP acceptance" serve_for mcp_acceptance
else
  skip "MCP acceptance" "../shared/accept/mcp is not here"
fi
beside "backup, upgrade and roll back" python3 scripts/upgrade.py --new target/debug/refdesk
join_lanes

named() { paste -sd, "$results/$1" | sed '/./{s/^/ (/;s/$/)/}'; }
counted() { echo "$(wc -l <"$results/$1")$(named "$1")"; }
echo
echo "failed: $(counted failed), skipped: $(counted skipped)"
[ ! -s "$results/failed" ] || exit 1
[ ! -s "$results/skipped" ] || [ "${REFDESK_TEST_ALL:-}" != 1 ] || { echo "REFDESK_TEST_ALL=1: a skipped part is a failure"; exit 1; }
