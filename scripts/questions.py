#!/usr/bin/env python3
"""Scores the natural questions of eval/questions/questions.jsonl against a running server.

    scripts/questions.py --url http://127.0.0.1:8787 [--half dev|held|all] [--mode lexical|hybrid]
                         [--class C] [--misses] [--json FILE] [--today YYYY-MM-DD] [--least HIT1]
    scripts/questions.py --url http://127.0.0.1:8787 --check
    scripts/questions.py --url http://127.0.0.1:8787 --examples

The script reads every list once, asks /v1/search each question, and prints a table with one line per class:
questions, hit@1, hit@5, precision@10 (numeric and lifecycle only), share understood, and questions of class
`none` that were understood although they must not be. `--misses` prints each miss with its first three hits.
The default half is `dev`: look at the figures of `held`, not at its misses. `--check` asks nothing; it exits 1
when an id repeats, a class is not split evenly, or no row of the catalog answers a question. `--least` exits 1
when hit@1 of all but `none` is lower, or a question of `none` is understood. `--examples` asks the questions of the
tables in docs/api.md and exits 1 when one is not read as its row says: `question`: `parameter=value`, …, or text,
which all examples of a row are that becomes text.
An example `(asked in 2026)` or `(asked in November 2026)` depends on the day and is asked at that time only.
The predicates are described in eval/questions/README.md.
"""

import argparse, datetime, json, pathlib, re, sys, urllib.parse

import page
from checks import end, fail
from desk import ROOT, Client

API = pathlib.Path(ROOT) / "docs/api.md"
# In the last cell of a row; `; ` and `, but ` stand between examples. A value `…` is any.
EXAMPLE = re.compile(r"`(?P<question>[^`]+)`: (?P<read>text\b|`compared`|`[a-z_]+=[^`]*`(?:, `[a-z_]+=[^`]*`)*)(?: and|, …)?(?P<rest>[^;|]*)")
ASKED_IN = re.compile(r"\(asked in (?:(?P<month>[A-Z][a-z]+) )?(?P<year>\d{4})\)")
# Fewer of them are a table that this script no longer reads.
EXAMPLES_MIN = 50
FILE = pathlib.Path(ROOT) / "eval/questions/questions.jsonl"
LISTS = {"MODEL": "models", "TOOL": "tools", "SKILL": "skills", "TUTORIAL": "tutorials", "MCP_SERVER": "mcp-servers", "DOC": "documents"}
TEXTS = ["id", "display_name", "title", "description", "summary", "tags", "topics", "tools.name"]
PRECISION = ("numeric", "lifecycle")


def values(row, path):
    """All non-null values at a dotted path; a list on the way stands for each of its members."""
    found = [row]
    for name in path.split("."):
        found = [value.get(name) for value in found if isinstance(value, dict)]
        found = [member for value in found for member in (value if isinstance(value, list) else [value])]
    return [value for value in found if value is not None]


def read_catalog(desk):
    """The rows of all lists by kind and id, with the derived members that predicates use."""
    catalog = {}
    for kind, segment in LISTS.items():
        for line in desk.get(f"/v1/{segment}/list?format=ndjson", "*/*").splitlines():
            row = json.loads(line) if line else {}
            if "id" not in row:
                continue
            row["@kind"] = kind
            row["@name"] = row.get("display_name") or row.get("title")
            row["@text"] = "\n".join(str(value) for path in TEXTS for value in values(row, path))
            for meter in ("input", "output"):
                offers = values(row, f"offers.pricing.{meter}")
                paid = [price for price in offers if price > 0] or offers
                row[f"@price_{meter}"] = next(iter(values(row, f"pricing.{meter}")), min(paid, default=None))
            catalog[kind, row["id"]] = row
        if kind == "MCP_SERVER":
            for line in desk.get(f"/v1/{segment}/list?format=ndjson&auth=none&fields=id", "*/*").splitlines():
                free = json.loads(line) if line else {}
                if "id" in free:
                    catalog[kind, free["id"]]["@auth"] = "none"
    return catalog


class Gold:
    """Decides which rows answer a question. `@today`, `@today-90d` and `@year` in a bound follow the calendar."""

    def __init__(self, today):
        self.today = today

    def bound(self, value):
        if not isinstance(value, str):
            return value
        ago = re.fullmatch(r"@today(?:-(\d+)d)?", value)
        if ago:
            return str(self.today - datetime.timedelta(days=int(ago[1] or 0)))
        return value.replace("@year", str(self.today.year))

    def test(self, rule, found):
        """One `path` rule; a bound holds when some value at the path meets it."""
        tests = {
            "eq": lambda value, want: value == want,
            "in": lambda value, want: value in want,
            "has": lambda value, want: value == want,
            "gte": lambda value, want: value >= want,
            "gt": lambda value, want: value > want,
            "lte": lambda value, want: value <= want,
            "lt": lambda value, want: value < want,
            "matches": lambda value, want: re.search(want, str(value), re.I),
        }
        for name, want in rule.items():
            if name == "exists":
                if bool(found) != want:
                    return False
            elif name != "path" and not any(tests[name](value, self.bound(want)) for value in found):
                return False
        return True

    def meets(self, rule, row):
        if "all" in rule:
            return all(self.meets(part, row) for part in rule["all"])
        if "any" in rule:
            return any(self.meets(part, row) for part in rule["any"])
        if "not" in rule:
            return not self.meets(rule["not"], row)
        if "ids" in rule:
            return row["id"] in rule["ids"]
        if "text" in rule:
            return bool(re.search(rule["text"], row["@text"], re.I))
        return self.test(rule, values(row, rule["path"]))

    def answers(self, question, catalog):
        """The rows that meet the predicate, and the best of them (all, if the question asks for no order)."""
        if question["gold"] is None:
            return set(), set()
        kinds, rule = question["kind"].split("|"), dict(question["gold"])
        order = rule.pop("order", None)
        right = {key for key, row in catalog.items() if key[0] in kinds and self.meets(rule, row)}
        if not order:
            return right, right
        ranked = {key: found[0] for key in right if (found := values(catalog[key], order["path"]))}
        top = (max if order["direction"] == "desc" else min)(ranked.values(), default=None)
        paid = min((value for value in ranked.values() if value != 0), default=None) if order.get("zero_is_unsure") else top
        best = {key for key, value in ranked.items() if value in (top, paid)}
        return right, best


def check(questions, gold, catalog):
    faults, seen, halves = [], set(), {}
    for question in questions:
        if question["id"] in seen:
            faults.append(f"{question['id']}: this id repeats")
        seen.add(question["id"])
        halves.setdefault(question["class"], []).append(question["half"])
        if question["gold"] is None:
            if question["class"] != "none":
                faults.append(f"{question['id']}: no gold: {question['q']}")
        elif not gold.answers(question, catalog)[1]:
            faults.append(f"{question['id']}: no row answers: {question['q']}")
    for group, members in halves.items():
        if abs(members.count("dev") - members.count("held")) > 1:
            faults.append(f"{group}: {members.count('dev')} dev, {members.count('held')} held")
    print(*faults, f"{len(questions)} questions, {len(faults)} faults", sep="\n")
    return 1 if faults else 0


def examples(text):
    """The questions of the tables that say how one is read, with what they are read as and the time that they are asked at, if it matters."""
    section = text.partition("### How a question is read")[2].partition("\n### ")[0]
    for row in section.splitlines():
        if row.startswith("| ") and row.count("|") >= 4:
            _, _, become, example, _ = row.split("|", 4)
            if become.strip().startswith("text"):
                yield from ((question, "text", "") for question in re.findall("`([^`]+)`", example))
            else:
                yield from (match.group("question", "read", "rest") for match in EXAMPLE.finditer(example))


def is_asked_now(told, today):
    asked = ASKED_IN.search(told)
    return not asked or asked["year"] == str(today.year) and asked["month"] in (None, today.strftime("%B"))


def check_examples(desk, today):
    """Asks the examples of the documents; each has the parameters that its row shows, beside those that go without saying."""
    asked = 0
    for question, documented, told in examples(API.read_text()):
        wanted = dict(re.findall(r"`([a-z_]+)=([^`]*)`", documented))
        if not is_asked_now(told, today):
            # Nothing is lacking: its time is over, or yet to come.
            print(f"not asked now: {question}:{told}")
            continue
        asked += 1
        reading = desk.json("/v1/search?" + urllib.parse.urlencode({"q": question, "limit": 1}))["understood"] or {}
        read = reading.get("filters", {}) | ({"sort": reading["sort"]} if reading.get("sort") else {})
        compared = reading.get("compared")
        if documented == "text" and (read or compared):
            fail(f"{question}: read as {read or compared}, and documented as text")
        if documented == "`compared`" and not compared:
            fail(f"{question}: nothing is compared, as documented; read as {read}")
        for name, value in wanted.items():
            if read.get(name) != value and not (value == "…" and name in read):
                fail(f"{question}: {name} is {read.get(name)!r}, and documented as {value!r}; read as {read}")
    if asked < EXAMPLES_MIN:
        fail(f"only {asked} examples were found")
    print(f"{asked} documented questions asked")


def ask(desk, mode, question, gold, catalog):
    query = urllib.parse.urlencode({"q": question["q"], "limit": 10, "mode": mode})
    answer = desk.json(f"/v1/search?{query}")
    reading = answer.get("understood") or {}
    hits = [(hit["type"], hit["id"]) for hit in answer["results"]]
    right, best = gold.answers(question, catalog)
    scored = question["class"] != "none"
    return {
        "id": question["id"], "class": question["class"], "half": question["half"], "q": question["q"],
        "hits": [" ".join(hit) for hit in hits], "understood": bool(reading.get("filters") or reading.get("sort")),
        "hit1": hits[0] in best if scored and hits else False,
        "hit5": any(hit in best for hit in hits[:5]) if scored else False,
        "precision10": sum(hit in right for hit in hits) / min(10, len(right)) if right else None,
    }


def figures(results):
    """One table line per class, and one for all but `none`."""
    groups = {}
    for result in results:
        groups.setdefault(result["class"], []).append(result)
    groups["all but none"] = [result for result in results if result["class"] != "none"]
    lines = []
    for group, members in groups.items():
        share = lambda name: round(sum(member[name] for member in members) / len(members), 3) if members else None
        line = {"class": group, "n": len(members), "hit@1": None, "hit@5": None, "precision@10": None, "understood": share("understood"), "wrong": None}
        if group == "none":
            line["wrong"] = sum(member["understood"] for member in members)
        else:
            line["hit@1"], line["hit@5"] = share("hit1"), share("hit5")
        if group in PRECISION:
            line["precision@10"] = share("precision10")
        lines.append(line)
    return lines


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--url", default="http://127.0.0.1:8787")
    arguments.add_argument("--half", choices=["dev", "held", "all"], default="dev")
    arguments.add_argument("--mode", choices=["lexical", "hybrid"], default="lexical")
    arguments.add_argument("--class", dest="group")
    arguments.add_argument("--misses", action="store_true")
    arguments.add_argument("--json", metavar="FILE")
    arguments.add_argument("--check", action="store_true")
    arguments.add_argument("--examples", action="store_true")
    arguments.add_argument("--least", type=float)
    arguments.add_argument("--file", type=pathlib.Path, default=FILE)
    arguments.add_argument("--today", type=datetime.date.fromisoformat, default=datetime.date.today())
    options = arguments.parse_args()
    questions = [json.loads(line) for line in options.file.read_text().splitlines() if line]
    desk = Client(options.url, timeout=120)
    if options.examples:
        check_examples(desk, options.today)
        return end()
    gold, catalog = Gold(options.today), read_catalog(desk)
    if options.check:
        return check(questions, gold, catalog)
    asked = [q for q in questions if options.half in ("all", q["half"]) and options.group in (None, q["class"])]
    results = [ask(desk, options.mode, question, gold, catalog) for question in asked]
    if options.misses:
        for result in results:
            if result["understood"] if result["class"] == "none" else not result["hit1"]:
                print(f"{result['id']} {result['class']}: {result['q']}", *(f"    {hit}" for hit in result["hits"][:3]), sep="\n")
    table = figures(results)
    names = list(table[0])
    cell = lambda value: "–" if value is None else f"{value:.2f}" if isinstance(value, float) else str(value)
    print(page.table(names, [[cell(line[name]) for name in names] for line in table]), end="")
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps({"figures": table, "questions": results}, indent=1, ensure_ascii=False) + "\n")
    if options.least is None:
        return 0
    wrong = any(line["wrong"] for line in table)
    return 1 if wrong or table[-1]["hit@1"] < options.least else 0


if __name__ == "__main__":
    sys.exit(main())
