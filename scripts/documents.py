#!/usr/bin/env python3
"""Runs what README.md and docs/manual/*.md show, on a fresh data folder with the starter catalog. Loopback only, standard library only;
the blocks themselves use curl and jq.

    scripts/documents.py --refdesk target/debug/refdesk [PAGE …]

sh        runs under `set -euo pipefail`, and a status of 400 or above fails; port 8787 is the server's, `rdk_…` is a real key, and
          `cargo run --release --` is the binary
output    a block after `<!-- output -->` is what the block before it prints; `…` stands for anything, alone on a line for any lines
toml      is a configuration file that `refdesk config show` takes; yaml and markdown with `kind:` are cards that a sync takes; json is JSON
<!-- not run: why --> before a block: it needs another program, the network, or a state that a fresh desk is not in
"""
import glob, json, os, re, shutil, subprocess, sys, tempfile, tomllib

import page
from desk import ROOT, Desk, command_line, source, write_file

BLOCK = re.compile(r"^(?:<!-- (not run|output)(?:: ([^\n]*))? -->\n)?```(\w*)\n(.*?)^```$", re.M | re.S)
SECONDS_MAX = 60
# The sources that the manual names, as folders of cards: nothing is fetched. The collections are those of its recipes.
SOURCES = ("litellm", "mcp-registry", "anthropic-skills", "team-cards")
CARD = "kind: tool\nid: {0}-tool\ndisplay_name: Tool of {0}\nsource_url: https://example.org/{0}\ncategory: test\ndescription: A tool for {0}.\n"


class Place:
    """A folder with configuration, data, the programs of the blocks and a running server."""
    def __init__(self, binary):
        self.folder = tempfile.mkdtemp(prefix="refdesk-documents-")
        tools = self.made("bin")
        os.symlink(binary, os.path.join(tools, "refdesk"))
        self.write("bin/curl", f'#!/bin/sh\nexec {shutil.which("curl")} --fail-with-body "$@"\n', 0o755)
        os.symlink(os.path.join(ROOT, "catalog", "frameworks"), os.path.join(self.made("cards"), "frameworks"))
        self.write("cards/ours.yaml", CARD.format("ours"))
        for name in SOURCES:
            self.write(f"upstream/{name}/tool.yaml", CARD.format(name))
        tables = [source(name, "cards", f"upstream/{name}") for name in SOURCES]
        tables += [code for _, _, language, code in BLOCK.findall(page.read(os.path.join(ROOT, "docs", "manual", "recipes.md"))) if language == "toml"]
        self.write("desk-of-the-manual.toml", "\n".join(["default_sources = true", *tables]))
        self.environment = {"PATH": f"{tools}:{os.environ['PATH']}", "HOME": self.folder, "LANG": "C.UTF-8", "REFDESK_LISTEN": "127.0.0.1:0",
                            "REFDESK_CONFIG": os.path.join(self.folder, "desk-of-the-manual.toml"), "REFDESK_DATA_DIR": self.made("data"), "REFDESK_OFFLINE": "true"}
        self.key = json.loads(self.ran(["refdesk", "--json", "keys", "create", "--name", "documents"]).stdout)["key"]
        self.desk = self.started("refdesk", "serve")

    def made(self, name):
        path = os.path.join(self.folder, name)
        os.makedirs(path, exist_ok=True)
        return path

    def write(self, name, text, mode=0o644):
        return write_file(os.path.join(self.folder, name), text, mode)

    def ran(self, command, **more):
        return subprocess.run(command, cwd=self.folder, env=self.environment | more, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=SECONDS_MAX)

    def started(self, *command):
        return Desk(command, cwd=self.folder, env=self.environment)

    def close(self):
        self.desk.stop()
        shutil.rmtree(self.folder)

    def shell(self, text):
        """Runs a block; what it printed, and what was wrong."""
        text = text.replace("http://127.0.0.1:8787", self.desk.base).replace("rdk_…", self.key).replace("cargo run --release --", "refdesk")
        # Of this place the file is there already, which is not overwritten; nobody who reads the page has the variable set.
        text = text.replace("refdesk config init", "env -u REFDESK_CONFIG refdesk config init")
        if text.rstrip().endswith("refdesk serve"):
            code = self.started("bash", "-c", text.rstrip().replace("refdesk serve", "exec refdesk serve")).stop()
            return "listening on http://127.0.0.1:8787\n", None if code == 0 else f"the server ended with {code}"
        done = self.ran(["bash", "-euo", "pipefail", "-c", text])
        return done.stdout.replace(self.desk.base, "http://127.0.0.1:8787"), None if done.returncode == 0 else f"exit code {done.returncode}: {done.stdout[-500:]}{done.stderr[-1500:]}"

    def configuration(self, text):
        tomllib.loads(text)
        self.made("as-shown/cards")
        done = self.ran(["refdesk", "config", "show"], REFDESK_CONFIG=self.write("as-shown/refdesk.toml", text))
        return None if done.returncode == 0 else done.stderr

    def card(self, name, text):
        folder = tempfile.mkdtemp(dir=self.folder)
        self.write(os.path.join(folder, name), text)
        file = self.write(os.path.join(folder, ".refdesk.toml"), "default_sources = false\n" + source("shown", "cards", folder))
        done = self.ran(["refdesk", "--json", "sync", "shown"], REFDESK_CONFIG=file, REFDESK_DATA_DIR=os.path.join(folder, ".data"))
        shown = self.ran(["refdesk", "--json", "sources", "show", "shown", "--rejects"], REFDESK_CONFIG=file, REFDESK_DATA_DIR=os.path.join(folder, ".data"))
        counts = json.loads(shown.stdout)["source"]["counts"] if shown.returncode == 0 else {}
        return None if done.returncode == 0 and (counts.get("total"), counts.get("rejects")) == (1, 0) else f"{done.stdout}{done.stderr}{shown.stdout}{shown.stderr}"


def as_shown(shown, printed):
    """Whether a text is what a document shows of it."""
    lines = [r"(?:[^\n]*\n)*?" if line.strip() == "…" else r"[^\n]*".join(map(re.escape, line.split("…"))) + r"\n" for line in shown.rstrip().split("\n")]
    return re.fullmatch("".join(lines), printed.rstrip() + "\n") is not None


def trouble(place, language, text, before):
    """What is wrong with a block; and what it printed."""
    if language == "sh":
        printed, wrong = place.shell(text)
        return wrong, printed
    if language == "toml":
        return place.configuration(text), before
    if language in ("yaml", "markdown") and re.search(r"^kind: ", text, re.M):
        identity = re.search(r"^id: (\S+)$", text, re.M).group(1)
        return place.card(f"{identity}.{'yaml' if language == 'yaml' else 'md'}", text), before
    if language == "json":
        json.loads(text)
    return None, before


def done_as_shown(path, binary):
    """Runs the blocks of a page: what failed, how many ran, and how many are marked as not run."""
    text = page.read(path)
    failures, ran, passed_over = [], 0, 0
    here, printed = Place(binary), ""
    try:
        for match in BLOCK.finditer(text):
            mark, _, language, block = match.groups()
            place = f"{os.path.relpath(path, ROOT)}:{text[:match.start()].count(chr(10)) + 1}"
            if mark == "not run":
                passed_over += 1
                continue
            try:
                wrong = None
                if mark == "output":
                    wrong = None if as_shown(block, printed) else f"what is shown differs from what is printed:\n{printed[:3000]}"
                else:
                    wrong, printed = trouble(here, language, block, printed)
            except (ValueError, RuntimeError, subprocess.TimeoutExpired) as error:
                wrong = str(error)
            ran += language in ("sh", "toml", "yaml", "markdown", "json") or mark == "output"
            if wrong:
                failures.append(f"{place}: {wrong}")
    finally:
        here.close()
    return failures, ran, passed_over


def main():
    parser = command_line(__doc__)
    parser.add_argument("pages", nargs="*")
    options = parser.parse_args()
    missing = [tool for tool in ("curl", "jq", "bash") if not shutil.which(tool)]
    if missing:
        sys.exit(f"missing: {', '.join(missing)}")
    pages = options.pages or [os.path.join(ROOT, "README.md"), *sorted(glob.glob(os.path.join(ROOT, "docs", "manual", "*.md")))]
    failures, ran, passed_over = [], 0, 0
    for path in pages:
        found, some, others = done_as_shown(os.path.abspath(path), os.path.abspath(options.refdesk))
        failures, ran, passed_over = failures + found, ran + some, passed_over + others
    print("\n".join(failures) or f"{ran} blocks of {len(pages)} pages do what is shown; {passed_over} are marked as not run")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
