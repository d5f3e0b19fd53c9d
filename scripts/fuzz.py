#!/usr/bin/env python3
"""Fuzzes everything that reads what strangers wrote (crates/refdesk/tests/fuzz_short.rs) for longer than the suite does. Standard library only.

    scripts/fuzz.py                                          two minutes for each target, 50 minutes of fuzzing in all
    scripts/fuzz.py --seconds 1200                           a night's
    scripts/fuzz.py --only stored,tarballs                   only the tests whose names hold one of these
    scripts/fuzz.py … --write docs/reliability.md            the figures as a section of the page; targets that did not run keep theirs
    scripts/fuzz.py … --binary target/debug/deps/fuzz_short-…   a test binary that is built already

Every finding is told with its input and the seed that repeats it; any finding is a failure.
"""
import argparse, os, re, subprocess, sys
import page

FIGURES = re.compile(r"fuzzed (\S+) seconds=(\d+) cases=(\d+) findings=(\d+) seed=(\d+)")


def published(path):
    """The rows of the page's table, as (target, seconds, cases, findings)."""
    section = open(path, encoding="utf-8").read().partition("\n## Fuzzing\n")[2].partition("\n## ")[0]
    return [(name, *(int(figure.replace(",", "")) for figure in figures)) for name, *figures in re.findall(r"^\| ([\w-]+) \| ([\d,]+) \| ([\d,]+) \| ([\d,]+) \|$", section, re.M)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=120, help="for each target")
    parser.add_argument("--threads", type=int, default=2, help="targets at a time")
    parser.add_argument("--only", default="", help="tests whose names hold one of these, comma-separated")
    parser.add_argument("--binary", help="a built test binary; else cargo builds it")
    parser.add_argument("--write", help="write the figures to this page")
    options = parser.parse_args()
    command = [os.path.abspath(options.binary)] if options.binary else ["cargo", "test", "-p", "refdesk", "--test", "fuzz_short", "--"]
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    environment = dict(os.environ, REFDESK_FUZZ_SECONDS=str(options.seconds))
    process = subprocess.Popen([*command, *filter(None, options.only.split(",")), "--nocapture", "--test-threads", str(options.threads)], cwd=root, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace")
    rows = []
    for line in process.stderr:
        found = FIGURES.search(line)
        if found:
            rows.append((found[1], *map(int, found.groups()[1:])))
        print(line, end="", flush=True)
    code = process.wait()
    findings = sum(row[3] for row in rows)
    if options.write and rows:
        rows = sorted({row[0]: row for row in [*published(options.write), *rows]}.values())
        total = ("**all**", f"{sum(row[1] for row in rows):,}", f"{sum(row[2] for row in rows):,}", findings)
        table = page.table(("target", "seconds", "cases", "findings"), [*((n, s, f"{c:,}", f) for n, s, c, f, *_ in rows), total])
        page.write_section(options.write, "Fuzzing", f"Made by `scripts/fuzz.py --write {options.write}`; `fuzz.py --seconds` says how long, `fuzz.py --only` for which target, and a row tells of its target's last run. "
                           "A target gets mutated fixtures and must neither panic nor lose an item nor let script through; each connector is one.\n\n" + table)
    print(f"{len(rows)} targets, {findings} findings")
    sys.exit(1 if code or findings or not rows else 0)


if __name__ == "__main__":
    main()
