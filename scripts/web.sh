#!/usr/bin/env bash
# The pages in a real browser: the flows of scripts/web, the weight of each kind of page, and the types of its script.
#
#   scripts/web.sh BINARY TOOLS [DATA]    DATA is a data directory filled from upstreams; without one the starter catalog is served
#   scripts/web.sh fetch TOOLS            only installs what it takes from npm
#   WEB_WRITE=docs/web.md scripts/web.sh …          also writes the table of weights into the page
#   WEB_PICTURES=docs/images scripts/web.sh …       also makes the pictures of the README
#   WEB_LONG=1 scripts/web.sh …                     has axe look at each page in both themes and widths, and asks Lighthouse
#
# TOOLS is a folder for what is installed from npm. Chromium comes from apt.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$2"
tools=$(realpath "$2")

if [ ! -d "$tools/node_modules/@axe-core" ]; then
  PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1 npm install --silent --no-fund --no-audit --prefix "$tools" \
    playwright-core @axe-core/playwright typescript@5
fi
[ -d "$tools/claude/node_modules" ] ||
  npm install --silent --no-fund --no-audit --ignore-scripts --prefix "$tools/claude" @anthropic-ai/claude-code
claude=$(find "$tools/claude/node_modules/@anthropic-ai" -maxdepth 2 -name claude -path '*claude-code-*' -type f | head -1)

[ "$1" != fetch ] || exit 0
binary=$(realpath "$1") data=${3:-}

assets=$here/../crates/serve/src/pages/assets
"$tools/node_modules/.bin/tsc" --noEmit --allowJs --checkJs --strict --target es2022 --lib es2022,dom,dom.iterable "$assets/app.js" "$assets/theme.js"

export REFDESK=$binary WEB_TOOLS=$tools WEB_DATA=$data CLAUDE=$claude
node "$here/web/weights.mjs"
node --test --test-reporter=spec "$here/web/flows.test.mjs"
[ -z "${WEB_LONG:-}" ] || node "$here/web/lighthouse.mjs"
