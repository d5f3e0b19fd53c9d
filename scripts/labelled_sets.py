#!/usr/bin/env python3
"""Search on the labelled sets of ../shared/eval/sets, lexical, against the figures that were reached. Standard library only.

    scripts/labelled_sets.py --refdesk target/debug/refdesk            scores every set, and fails when a figure is worse than in eval/search/figures.json
    scripts/labelled_sets.py --refdesk … --write eval/search/figures.json       writes the figures

The sets are not part of the repository: where they are absent it says so and skips; with REFDESK_TEST_ALL=1 that is a failure.
"""
import json, os, subprocess

from checks import end, fail, needed
from desk import ROOT, command_line

SETS = os.path.join(ROOT, "..", "shared", "eval", "sets")
FIGURES = os.path.join(ROOT, "eval", "search", "figures.json")
# By class of question where a set has classes: a mean hides the class that got worse.
MEASURED = ("ndcg10", "hit1")
# Figures are kept with four digits.
ROUNDING = 0.00005


def scores(refdesk):
    sets = [os.path.join(SETS, name) for name in sorted(os.listdir(SETS))]
    told = subprocess.run([os.path.abspath(refdesk), "eval", "search", *sets, "--json"], capture_output=True, check=True).stdout
    kept = lambda figures: {name: round(figures[name], 4) for name in MEASURED}
    return {one["set"]: {"all": kept(one["scores"]), **{name: kept(figures) for name, figures in one["by_class"].items()}} for one in json.loads(told)}


def main():
    parser = command_line(__doc__)
    parser.add_argument("--write", help="write the figures to this file")
    options = parser.parse_args()
    needed(SETS, "labelled sets skipped: ../shared/eval/sets is not here")
    found = scores(options.refdesk)
    if options.write:
        with open(options.write, "w", encoding="utf-8") as f:
            json.dump(found, f, indent=1, sort_keys=True)
            f.write("\n")
        return
    with open(FIGURES, encoding="utf-8") as f:
        reached = json.load(f)
    for name, classes in reached.items():
        for of, figures in classes.items():
            for figure, least in figures.items():
                got = found.get(name, {}).get(of, {}).get(figure)
                if got is None or got < least - ROUNDING:
                    fail(f"{name}, {of}: {figure} is {got}, and was {least}")
    print(", ".join(f"{name} {classes['all']['ndcg10']}" for name, classes in found.items()))
    end()


if __name__ == "__main__":
    main()
