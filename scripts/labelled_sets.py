#!/usr/bin/env python3
"""Search on the labelled sets of ../shared/eval/sets, lexical, against the figures that were reached. Standard library only.

    scripts/labelled_sets.py --refdesk target/debug/refdesk            scores every set, and fails when a figure is worse than in eval/search/figures.json
    scripts/labelled_sets.py --refdesk … --write eval/search/figures.json       writes the figures
    scripts/labelled_sets.py --refdesk … --british                              scores the questions that British spelling changes, in it

The sets are not part of the repository: where they are absent it says so and skips; with REFDESK_TEST_ALL=1 that is a failure.
"""
import json, os, re, shutil, subprocess, tempfile

from checks import end, fail, needed
from desk import ROOT, command_line

SETS = os.path.join(ROOT, "..", "shared", "eval", "sets")
FIGURES = os.path.join(ROOT, "eval", "search", "figures.json")
# By class of question where a set has classes: a mean hides the class that got worse.
MEASURED = ("ndcg10", "hit1")
# Figures are kept with four digits.
ROUNDING = 0.00005
# Words of American spelling, and their British one.
BRITISH = [
    (r"\b(\w{3,})iz(e|ed|es|er|ers|ing|ation|ations)\b", r"\1is\2"), (r"\b(\w*)lyz(e|ed|er|ing)\b", r"\1lys\2"),
    (r"\b(col|behavi|fav|neighb|flav|hum)or", r"\1our"), (r"\b(cata|dia)log\b", r"\1logue"), (r"\bcenter", "centre"), (r"\btheater", "theatre"),
    (r"\blicens", "licenc"), (r"\b(label|model|cancel|travel)(ed|ing|er)", r"\1l\2"), (r"\bgray\b", "grey"),
]


def british(name, folder):
    """A set of the questions that British spelling changes, in it; none where there are none."""
    source, target = os.path.join(SETS, name), os.path.join(folder, name)
    asked = [json.loads(line) for line in open(os.path.join(source, "queries.jsonl"), encoding="utf-8")]
    respelt = {}
    for query in asked:
        text = query["text"]
        for american, other in BRITISH:
            text = re.sub(american, other, text, flags=re.I)
        if text != query["text"]:
            respelt[query["_id"]] = {**query, "text": text}
    if not respelt:
        return None
    os.mkdir(target)
    shutil.copy(os.path.join(source, "corpus.jsonl"), target)
    with open(os.path.join(target, "queries.jsonl"), "w", encoding="utf-8") as f:
        f.writelines(json.dumps(query) + "\n" for query in respelt.values())
    with open(os.path.join(source, "qrels.tsv"), encoding="utf-8") as f, open(os.path.join(target, "qrels.tsv"), "w", encoding="utf-8") as out:
        out.writelines([next(f), *(line for line in f if line.split("\t")[0] in respelt)])
    print(f"{name}: {len(respelt)} questions in British spelling")
    return target


def scores(refdesk, sets):
    told = subprocess.run([os.path.abspath(refdesk), "eval", "search", *sets, "--json"], capture_output=True, check=True).stdout
    kept = lambda figures: {name: round(figures[name], 4) for name in MEASURED}
    return {one["set"]: {"all": kept(one["scores"]), **{name: kept(figures) for name, figures in one["by_class"].items()}} for one in json.loads(told)}


def main():
    parser = command_line(__doc__)
    parser.add_argument("--write", help="write the figures to this file")
    parser.add_argument("--british", action="store_true", help="score the questions that British spelling changes, in it")
    options = parser.parse_args()
    needed(SETS, "labelled sets skipped: ../shared/eval/sets is not here")
    names = sorted(os.listdir(SETS))
    if options.british:
        with tempfile.TemporaryDirectory() as folder:
            found = scores(options.refdesk, [path for name in names if (path := british(name, folder))])
        print(", ".join(f"{name} {classes['all']}" for name, classes in found.items()))
        return
    found = scores(options.refdesk, [os.path.join(SETS, name) for name in names])
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
