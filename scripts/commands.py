#!/usr/bin/env python3
"""Measures what look-ups from the command line cost, through a running desk and out of the store; the answers must be byte for byte the same.

    scripts/rehearse.py --refdesk target/release/refdesk --fill DIR       a desk to ask
    scripts/commands.py --refdesk target/release/refdesk --data DIR       the figures
    scripts/commands.py --refdesk … --data DIR --write                    the same, as the section "Commands" of docs/benchmarks.md

Each figure is the median of the runs: seconds on the wall, processor time, and the largest resident memory. Standard library only.
"""
import os, statistics, subprocess, sys, tempfile, time

import page
from desk import ROOT, Desk, command_line

REPORT = os.path.join(ROOT, "docs", "benchmarks.md")
HEADING = "Commands"
LOOK_UPS = [["get", "model", "gpt-4o"], ["list", "models", "--limit", "20"], ["resolve", "claude-sonnet-4-5"], ["search", "postgres mcp server"], ["search", "claude", "--type", "model"],
            ["route", "What could go wrong with our launch?"]]
KINDS = ["model", "tool", "skill", "tutorial", "mcp-server", "document", "framework"]


def run(command):
    """The output of a command, its seconds, processor milliseconds and largest memory in MB."""
    with tempfile.TemporaryFile() as out:
        begun = time.perf_counter()
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
        _, status, used = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - begun
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        return out.read(), seconds * 1e3, (used.ru_utime + used.ru_stime) * 1e3, used.ru_maxrss / 1024


def measured(command, runs):
    done = [run(command) for _ in range(runs)]
    return done[0][0], [statistics.median(values) for values in list(zip(*done))[1:]]


def main():
    parser = command_line(__doc__)
    parser.add_argument("--data", required=True, help="data directory of a desk with a catalog")
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--build", default="release build", help="what the binary is, for the page")
    parser.add_argument("--write", action="store_true", help=f"write the section {HEADING!r} of docs/benchmarks.md")
    options = parser.parse_args()
    base = [os.path.abspath(options.refdesk), "--data-dir", os.path.abspath(options.data), "--offline", "--set", "log=error"]
    rows = {kind: len(run([*base, "export", "-", "--format", "ndjson", "--type", kind])[0].splitlines()) for kind in KINDS}
    alone = {tuple(words): measured([*base, "--set", "ask_service=false", *words], options.runs) for words in LOOK_UPS}
    with Desk([*base, "serve", "--listen", "127.0.0.1:0"]):
        served = {tuple(words): measured([*base, *words], options.runs) for words in LOOK_UPS}
    lines, differing = [], 0
    for words in map(tuple, LOOK_UPS):
        (said, through), (wanted, out_of_store) = served[words], alone[words]
        differing += said != wanted
        shown = " ".join(f"'{word}'" if " " in word else word for word in words)
        lines.append((f"`{shown}`", *(f"{value:.0f}" for value in [*through, *out_of_store])))
    text = f"""What a look-up from the command line takes on a desk with {sum(rows.values()):,} items, {rows["model"]:,} of them models, as `scripts/rehearse.py --fill` brings them, through the running desk and without one (`scripts/commands.py`, {options.build}, medians of {options.runs}). The answers are byte for byte the same.

""" + page.table(("command", "running desk: ms", "CPU ms", "MB", "without: ms", "CPU ms", "MB"), lines)
    print(text)
    if options.write:
        page.write_section(REPORT, HEADING, text)
    if differing:
        print(f"FAIL  {differing} answers differ")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
