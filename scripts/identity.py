#!/usr/bin/env python3
"""Precision and recall of identity on the labelled pairs of eval/identity. Standard library only.

    scripts/identity.py --refdesk target/debug/refdesk            syncs the recorded models and MCP servers, then asks for every pair
    scripts/identity.py --refdesk … --errors                      the same, and every pair that came out wrong
    scripts/identity.py --refdesk … --baseline eval/identity/figures.json    and fails when a figure is worse than that
    scripts/identity.py --refdesk … --write eval/identity/figures.json       writes the figures

A key belongs to the item whose details name the evidence of that very fact, and where none does, to the one that has it as a spelling.
Every key must also resolve as it stands. Where ../shared is absent it says so and skips; with REFDESK_TEST_ALL=1 that
is a failure.
"""
import collections, csv, hashlib, json, os, sys, tempfile, urllib.parse

import page, recordings
from checks import needed
from desk import ROOT, Refused, command_line

# Path and the word for one of them, by file.
KINDS = {"models": ("models", "model"), "servers": ("mcp-servers", "mcp_server")}


def pairs(kind):
    with open(os.path.join(ROOT, "eval", "identity", f"{kind}.tsv"), encoding="utf-8") as f:
        yield from csv.DictReader(f, delimiter="\t", quoting=csv.QUOTE_NONE)


class Items:
    """The items of one kind by their spellings."""
    def __init__(self, desk, path, singular):
        self.desk, self.path, self.singular = desk, path, singular
        self.by_spelling, self.details, self.ids = collections.defaultdict(set), {}, []
        for row in desk.pages(path):
            self.ids.append(row["id"])
            for spelling in [row["id"], *row["aliases"]]:
                self.by_spelling[spelling].add(row["id"])

    def detail(self, key):
        if key not in self.details:
            try:
                self.details[key] = self.desk.json(f"/v1/{self.path}/{urllib.parse.quote(key, safe='')}")
            except Refused:
                self.details[key] = None
        return self.details[key]

    def resolves(self, key):
        return self.detail(key) is not None

    def of(self, source, key):
        """Id of the item that the fact belongs to, or None: the one that has the key as a spelling and names the fact's evidence, else any
        that names it, for a key that is also what a better-ranked item is called names that item."""
        digest = hashlib.sha256(b"".join(part.encode() + b"\0" for part in (source, self.singular, key))).hexdigest()
        evidence, spelt = f"ev_{digest[:20]}", sorted(self.by_spelling[key])
        return next((i for i in [*spelt, *self.ids] if evidence in json.dumps(self.detail(i))), spelt[0] if spelt else None)


def measure(desk, errors):
    figures, unresolved = {}, []
    for kind, (path, singular) in KINDS.items():
        counts, items = collections.defaultdict(collections.Counter), Items(desk, path, singular)
        for pair in pairs(kind):
            facts = [(pair[f"source_{side}"], pair[f"key_{side}"]) for side in "ab"]
            a, b = (items.of(*fact) for fact in facts)
            unresolved += [(kind, *fact) for fact in facts if not items.resolves(fact[1])]
            joined, same = a is not None and a == b, pair["label"] == "same"
            outcome = ("true" if joined == same else "false") + (" join" if joined else " split")
            for group in ("all", pair["class"]):
                counts[group][outcome] += 1
            if errors and joined != same:
                print(f"{outcome}: {kind} {pair['source_a']} {pair['key_a']} | {pair['source_b']} {pair['key_b']} ({pair['why']})")
        figures[kind] = {group: figure(count) for group, count in sorted(counts.items())}
    return figures, unresolved


def figure(count):
    joins, same = count["true join"] + count["false join"], count["true join"] + count["false split"]
    share = lambda part, whole: round(part / whole, 3) if whole else None
    return {"pairs": sum(count.values()), "precision": share(count["true join"], joins), "recall": share(count["true join"], same), "joins": joins, "same": same}


def main():
    parser = command_line(__doc__)
    parser.add_argument("--errors", action="store_true")
    parser.add_argument("--baseline")
    parser.add_argument("--write")
    options = parser.parse_args()
    needed(recordings.REPLAY, "no recordings beside the repository: skipped")
    with tempfile.TemporaryDirectory() as folder, recordings.Replay() as replay:
        program = recordings.Program(options.refdesk, folder)
        wanted = {row[f"source_{side}"] for kind in KINDS for row in pairs(kind) for side in "ab"}
        program.read_from(replay.base, [s for s in program.default_sources() if s["id"] in wanted])
        program.json("sync")
        with program.serve() as desk:
            figures, unresolved = measure(desk, options.errors)
    rows = [(kind, group, f["pairs"], f["joins"], f["precision"], f["same"], f["recall"]) for kind, groups in figures.items() for group, f in groups.items()]
    print(page.table(("kind", "class", "pairs", "joined", "precision", "same", "recall"), rows), end="")
    print(f"\nkeys that resolve to no item: {len(unresolved)}")
    for key in unresolved:
        print("  ", *key)
    worse = []
    if options.baseline:
        before = json.loads(page.read(options.baseline))
        for kind, name in ((k, n) for k in KINDS for n in ("precision", "recall")):
            if figures[kind]["all"][name] < before[kind]["all"][name]:
                worse.append(f"{kind} {name}: {figures[kind]['all'][name]} after {before[kind]['all'][name]}")
    if options.write:
        page.write(options.write, json.dumps(figures, indent=1) + "\n")
    for line in worse:
        print("worse:", line)
    sys.exit(1 if worse or unresolved else 0)


if __name__ == "__main__":
    main()
