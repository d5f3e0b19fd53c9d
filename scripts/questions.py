#!/usr/bin/env python3
"""Scores the natural questions of eval/questions against a running server.

    scripts/questions.py --url http://127.0.0.1:8787 [--half dev|held|all] [--mode lexical|hybrid] [--class C] [--misses] [--check] [--least HIT1]

Every second question is held out (`held`): only figures of it are looked at, never its misses. `--check` verifies that some row of the
catalog answers each question, and asks nothing. `--least` is a failure when hit@1 of all but `none` is lower, or a `none` is understood.
"""

import argparse
import json
import pathlib
import sys
import urllib.parse
import urllib.request

KINDS = {"MODEL": "models", "TOOL": "tools", "SKILL": "skills", "TUTORIAL": "tutorials", "MCP_SERVER": "mcp-servers", "DOC": "documents"}
FILE = pathlib.Path(__file__).resolve().parent.parent / "eval/questions/questions.tsv"


def get(url):
    with urllib.request.urlopen(url, timeout=120) as answer:
        return answer.read().decode()


def facts(kind, row, auth):
    """What the predicates of the file speak of."""
    number = lambda *path: next((v for v in [walk(row, path)] if isinstance(v, (int, float))), None)
    name = (row.get("display_name") or row.get("title") or "").lower()
    tools = " ".join(f"{tool.get('name', '')} {tool.get('description', '')}" for tool in row.get("tools") or [])
    texts = [row["id"], name, row.get("description"), row.get("summary"), row.get("category"), " ".join(row.get("tags") or []),
             " ".join(row.get("topics") or []), " ".join(row.get("aliases") or []), tools,
             " ".join(heading.get("text", "") for heading in row.get("headings") or [])]
    text = " ".join(part for part in texts if part).lower()
    packages, remotes = row.get("packages") or [], row.get("remotes") or []
    tokens = lambda limit: Unknown if (value := number("limits", limit)) is None else value
    price = lambda meter: Unknown if (value := number("pricing", meter)) is None else value
    return {
        "kind": kind, "row": {**row, "type_auth": auth}, "id": row["id"], "name": name, "vendor": row.get("vendor"), "status": row["status"],
        "has": lambda *words: any(word in text for word in words), "mode": row.get("mode"),
        "inputs": walk(row, ("modalities", "input")) or [], "outputs": walk(row, ("modalities", "output")) or [],
        "cap": row.get("capabilities") or {}, "weights": row.get("open_weights"), "context": tokens("context_tokens"),
        "output": tokens("output_tokens"), "price_in": price("input"), "price_out": price("output"), "offers": len(row.get("offers") or []),
        "sellers": [offer.get("provider") for offer in row.get("offers") or []], "released": row.get("released_on"),
        "retires": row.get("retires_on"), "deprecated": row.get("deprecated_on"), "cutoff": row.get("knowledge_cutoff"),
        "remote": bool(remotes), "registries": [package.get("registryType") for package in packages],
        "transports": [remote.get("type") for remote in remotes],
    }


class _Unknown:
    """A number that nobody states: on neither side of any bound."""

    def __lt__(self, other):
        return False

    __le__ = __gt__ = __ge__ = __eq__ = __lt__
    __hash__ = None


Unknown = _Unknown()


def walk(value, path):
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def read(url):
    rows = {}
    for kind, segment in KINDS.items():
        lines = get(f"{url}/v1/{segment}/list?format=ndjson").splitlines()
        without_login = set()
        if kind == "MCP_SERVER":
            ids = json.loads("[" + ",".join(get(f"{url}/v1/{segment}/list?format=ndjson&auth=none&fields=id").splitlines()) + "]")
            without_login = {row["id"] for row in ids}
        for row in map(json.loads, lines):
            if "id" in row:
                rows[kind, row["id"]] = facts(kind, row, "none" if row["id"] in without_login else "unknown")
    return rows


def questions():
    lines = [line.split("\t") for line in FILE.read_text().splitlines() if line and not line.startswith("#")]
    for at, (group, kind, question, gold) in enumerate(lines):
        yield {"half": "held" if at % 2 else "dev", "class": group, "kind": kind, "q": question, "gold": compile(gold, question, "eval")}


def meets(question, row):
    """The file is our own: its predicates are code."""
    if question["kind"] not in ("-", row["kind"]):
        return False
    return bool(eval(question["gold"], {"__builtins__": {}}, row))


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--url", default="http://127.0.0.1:8787")
    arguments.add_argument("--half", choices=["dev", "held", "all"], default="all")
    arguments.add_argument("--mode", default="lexical")
    arguments.add_argument("--class", dest="group")
    arguments.add_argument("--misses", action="store_true")
    arguments.add_argument("--check", action="store_true")
    arguments.add_argument("--least", type=float, default=0.0)
    options = arguments.parse_args()
    rows = read(options.url)
    asked = [q for q in questions() if options.half in ("all", q["half"]) and options.group in (None, q["class"])]
    if options.check:
        without = [q["q"] for q in asked if q["class"] != "none" and not any(meets(q, row) for row in rows.values())]
        print(*(f"no row answers: {text}" for text in without), f"{len(asked)} questions, {len(without)} without an answer", sep="\n")
        return 1 if without else 0
    figures = {}
    for question in asked:
        query = urllib.parse.urlencode({"q": question["q"], "limit": 10, "mode": options.mode})
        answer = json.loads(get(f"{options.url}/v1/search?{query}"))
        understood = answer["understood"] and (answer["understood"]["filters"] or answer["understood"]["sort"])
        right = [meets(question, rows[hit["type"], hit["id"]]) for hit in answer["results"]] if question["class"] != "none" else []
        figure = figures.setdefault(question["class"], [])
        wrong = question["class"] == "none" and bool(understood)
        figure.append((right[:1] == [True], any(right[:5]), sum(right) / max(len(right), 1), bool(understood), wrong))
        if options.misses and question["half"] == "dev" and (wrong or (question["class"] != "none" and right[:1] != [True])):
            print(f"{question['class']}: {question['q']}  {answer['understood'] and answer['understood']['filters']}")
            print(*(f"    {hit['type']} {hit['id']}" for hit in answer["results"][:3]), sep="\n")
    print("| class | questions | hit@1 | hit@5 | precision@10 where understood | understood | wrongly understood |")
    print("|---|---|---|---|---|---|---|")
    scored = [figure for group, figure in figures.items() if group != "none"]
    for group, figure in [*figures.items(), ("all but none", sum(scored, []))]:
        share = lambda values: f"{sum(values) / len(values):.2f}" if values else "–"
        hits = ["–", "–", "–"] if group == "none" else [
            share([f[0] for f in figure]), share([f[1] for f in figure]), share([f[2] for f in figure if f[3]])]
        print(f"| {group} | {len(figure)} | {' | '.join(hits)} | {sum(f[3] for f in figure)} | {sum(f[4] for f in figure)} |")
    all_scored = sum(scored, [])
    hit1 = sum(f[0] for f in all_scored) / max(len(all_scored), 1)
    wrong = sum(f[4] for f in sum(figures.values(), []))
    return 1 if hit1 < options.least or (options.least and wrong) else 0


if __name__ == "__main__":
    sys.exit(main())
