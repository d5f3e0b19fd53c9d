#!/usr/bin/env python3
"""Compares what a desk says with an independent reading of the recorded upstreams it was filled from. Standard library only.

    scripts/truth.py --refdesk target/debug/refdesk                        the comparison, with failures
    scripts/truth.py --refdesk … --write docs/truth.md                     the same, and its figures as a page's section

Every recording is synced into an empty store, the desk is asked over HTTP, and each value is looked up in the bytes that the replay served: by
readers written here, which share no code with the product. Where ../shared is absent it says so and skips.
"""
import collections, datetime, decimal, hashlib, json, re, sys, tempfile, urllib.parse

import page, recordings
from checks import needed
from desk import Refused, ask, command_line, exact

MILLION = decimal.Decimal(1_000_000)
FIFTEEN = decimal.Context(prec=15)
PRICE_LISTS = {
    "litellm": "raw.githubusercontent.com/BerriAI/litellm/main/model_prices_and_context_window.json", "models-dev": "models.dev/api.json", "openrouter": "openrouter.ai/api/v1/models",
}
failures = collections.Counter()
counts = collections.Counter()
TOLD_MAX = 5
# No calendar of a vendor reaches there: lists write it for "not known".
FAR_FUTURE = "2090"


def differs(what, where, got, wanted):
    counts[what] += 1
    if got != wanted:
        failures[what] += 1
        if failures[what] <= TOLD_MAX:
            print(f"FAIL  {what}: {where}: the desk says {got!r}, the upstream {wanted!r}")


def per_million(value):
    return None if value is None else FIFTEEN.multiply(FIFTEEN.plus(decimal.Decimal(str(value))), MILLION).normalize()


def plain(value):
    return None if value is None else FIFTEEN.plus(decimal.Decimal(str(value))).normalize()


def same_record(record):
    """Stands for a record whatever the order of its keys; a whole float is the integer that it is, as canonical JSON has it."""
    def whole(value):
        if isinstance(value, dict):
            return {name: whole(inner) for name, inner in value.items()}
        if isinstance(value, list):
            return [whole(inner) for inner in value]
        return int(value) if isinstance(value, float) and value.is_integer() else value
    return json.dumps(whole(record), sort_keys=True)


# ---- independent readers: record in, {path: value} out; None is "states nothing" ----

def litellm(r):
    out = {"pricing.input": per_million(r.get("input_cost_per_token")), "pricing.output": per_million(r.get("output_cost_per_token")),
           "pricing.batch_input": per_million(r.get("input_cost_per_token_batches")), "pricing.batch_output": per_million(r.get("output_cost_per_token_batches"))}
    if isinstance(r.get("tiered_pricing"), list):
        out.pop("pricing.input"), out.pop("pricing.output")
    return out | {"limits.context_tokens": r.get("max_input_tokens") or None, "limits.output_tokens": r.get("max_output_tokens"), "retires_on": r.get("deprecation_date")}


def models_dev(r):
    cost, limit = r.get("cost") or {}, r.get("limit") or {}
    return {f"pricing.{name}": plain(cost.get(name)) for name in ("input", "output", "cache_read", "cache_write", "reasoning", "input_audio", "output_audio")} | {
        "limits.context_tokens": limit.get("context") or None, "limits.input_tokens": limit.get("input") or None, "limits.output_tokens": limit.get("output") or None}


def openrouter(r):
    prices = r.get("pricing") or {}
    batch = r["id"].endswith(":batch")
    price = lambda name: None if prices.get(name) in (None, "-1") else per_million(prices[name])
    out = {"limits.context_tokens": r.get("context_length") or None, "limits.output_tokens": (r.get("top_provider") or {}).get("max_completion_tokens") or None, "retires_on": r.get("expiration_date")}
    if batch:
        return out | {"pricing.batch_input": price("prompt"), "pricing.batch_output": price("completion"), "pricing.input": None, "pricing.output": None}
    return out | {"pricing.input": price("prompt"), "pricing.output": price("completion"), "pricing.cache_read": price("input_cache_read")}


READERS = {"litellm": litellm, "models-dev": models_dev, "openrouter": openrouter}
NUMBERS = ("limits.context_tokens", "limits.input_tokens", "limits.output_tokens")


def upstream_entries(base):
    """Every record of the price lists by its key, by source, in the bytes that the replay serves."""
    lists = {source: json.loads(ask(base, f"/{source}/{path}", timeout=60).body) for source, path in PRICE_LISTS.items()}
    return {
        "litellm": lists["litellm"],
        "models-dev": {f"{p}/{m}": model for p, of in lists["models-dev"].items() for m, model in of["models"].items()},
        "openrouter": {record["id"]: record for record in lists["openrouter"]["data"]},
    }


class Records:
    """Records behind evidence keys, fetched once, their hashes recomputed."""

    def __init__(self, desk, upstream):
        self.desk, self.upstream, self.known = desk, upstream, {}

    def read(self, key, source):
        """What the record of an evidence key states; None for a source without a reader here."""
        if source not in READERS:
            return None
        if key not in self.known:
            evidence = self.desk.json(f"/v1/evidence/{key}")
            record = self.desk.get(f"/v1/evidence/{key}/record")
            differs("record hashes", key, "sha256:" + hashlib.sha256(record).hexdigest(), evidence["content_hash"])
            differs("records found in the upstream's bytes", key, same_record(json.loads(record)) in self.upstream[source], True)
            self.known[key] = READERS[source](exact(record))
        return self.known[key]


def value_at(item, path):
    for name in path.split("."):
        item = item.get(name) if isinstance(item, dict) else None
    return item


def shown(value, path):
    if value is None or path in NUMBERS or path == "retires_on":
        return value
    return plain(value)


def check_values(where, item, stated, paths, told):
    """Values of an item or offer against what the record states. `told` are paths that the desk says it withholds or contests."""
    for path in paths:
        if path not in stated or path in told:
            continue
        got = shown(value_at(item, path), path)
        if path == "retires_on" and stated[path] and stated[path] >= FAR_FUTURE:
            counts["dates that are placeholders, left out"] += 1
            stated = stated | {path: None}
        if got is None and path in NUMBERS and stated[path] is not None and value_at(item, "limits.context_tokens") is not None and stated[path] > value_at(item, "limits.context_tokens"):
            counts["limits that cannot be, left out"] += 1
            continue
        differs("values", f"{where} {path}", got, stated[path])


def check_model(row, detail, records, today):
    model = detail["model"]
    where = f"model {model['id']}"
    conflicts = model["conflicts"]
    repeated = [k for k, n in collections.Counter((c["path"], json.dumps(c["value"]), c["source_id"]) for c in conflicts).items() if n > 1]
    differs("conflicts listed once", where, repeated, [])
    limits = model["limits"]
    for holder, of in [(model, where)] + [(offer, f"{where} offer {offer['provider']}/{offer['api_model_id']}") for offer in model["offers"]]:
        limits = holder["limits"]
        context = limits["context_tokens"]
        for part in ("input_tokens", "output_tokens"):
            differs("limits that can be", f"{of} {part}", context is None or limits[part] is None or limits[part] <= context, True)
    retires = model["retires_on"]
    if retires and len(retires) == 10 and retires <= today:
        differs("models past their retirement are retired", where, model["status"] in ("retired", "removed"), True)
    withheld = {c["path"] for c in conflicts if c.get("withheld")}
    counts["prices withheld on the first sync"] += len(withheld)
    differs("withheld prices warned of on the row", where, len(row.get("warnings", [])), len(withheld))
    for path, by in model["field_evidence"].items():
        if path.startswith("pricing."):
            differs("prices at the top are the maker's", f"{where} {path}", by["rule"] in ("maker", "makers_platform"), True)
        stated = records.read(by["evidence_key"], by["source_id"])
        if stated and path in stated:
            differs("values", f"{where} {path}", shown(value_at(model, path), path), stated[path])
    for offer in model["offers"]:
        stated = records.read(offer["evidence_key"], offer["source_id"])
        if stated:
            front = f"offers.{offer['provider']}.{offer['api_model_id']}."
            told = {path[len(front):] for path in withheld if path.startswith(front)}
            # What another source adds is that one's statement.
            for path, by in model["field_evidence"].items():
                if path.startswith(front):
                    own, added = path[len(front):], records.read(by["evidence_key"], by["source_id"])
                    told |= {own, ".".join(own.split(".")[:2])}
                    counts["values of offers that another source adds"] += 1
                    if added and own in added:
                        differs("values", f"{where} {path}", shown(value_at(offer, own), own), added[own])
            check_values(f"{where} offer {offer['provider']}/{offer['api_model_id']}", offer, stated, list(stated), told)


def check_licences(desk):
    """Bodies of skills whose licence forbids it are not given out."""
    for skill in desk.pages("skills"):
        detail = desk.json("/v1/skills/" + urllib.parse.quote(skill["id"], safe=""))
        licence = f"{detail['evidence']['license']} {skill.get('license')}".lower()
        if "proprietary" in licence or "all rights reserved" in licence:
            differs("bodies under a licence that forbids it", skill["id"], (detail["skill"]["body_markdown"], detail["skill"].get("body_missing")), (None, "licence"))
        counts["bodies whose licence was looked at"] += 1


def check_keys(desk, entries):
    """Every exact upstream key of a price list resolves."""
    for key in (key for of in entries.values() for key in of if key not in ("sample_spec", "fallback_generalizations")):
        try:
            desk.get("/v1/models/" + urllib.parse.quote(key, safe=""))
            found = True
        except Refused as error:
            found = error.status
        differs("exact upstream keys that resolve", key, found, True)


def check_spellings(desk):
    """A spelling that an item lists names that item, or none where it fits several: nothing takes over what another is called."""
    for path in ("models", "mcp-servers", "skills", "tools", "documents", "tutorials"):
        for row in desk.pages(path):
            for spelling in [row["id"], *row["aliases"]]:
                try:
                    detail = desk.json(f"/v1/{path}/{urllib.parse.quote(spelling, safe='')}")
                except Refused as error:
                    differs("spellings that name their item, or none", spelling, error.status, 404)
                    continue
                found = next(value["id"] for name, value in detail.items() if name != "evidence" and isinstance(value, dict) and "id" in value)
                differs("spellings that name their item, or none", f"{spelling} of {row['id']}", found, row["id"])


def rejects(program):
    """Why records could not become facts, and how many each time."""
    by_reason = collections.Counter()
    for source in program.json("sources")["sources"]:
        if source["counts"]["rejects"]:
            for reject in program.json("sources", "show", source["id"], "--rejects")["rejects"]:
                reason = re.sub(r"`[^`]*`|\"[^\"]*\"|\S*[/.#]\S+|\d+", "…", reject["reason"])
                by_reason[reason[:90]] += 1
    return by_reason


def figures(statuses, by_reason):
    compared = [(what, f"{n:,}", f"{failures[what]:,}") for what, n in sorted(counts.items())]
    return (page.table(("compared with an independent reading of the recordings", "number", "differing"), compared) + "\n"
            + page.table(("why records could not become facts", "number"), by_reason.most_common())
            + f"\n`/v1/sources/status` counts {statuses['summary']['withheld']} withheld prices after the first sync of everything.\n")


def compare(program):
    today = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
    with recordings.Replay() as replay:
        program.read_from(replay.base)
        program.json("sync", codes=(0, 2))
        entries = upstream_entries(replay.base)
        with program.serve() as desk:
            records = Records(desk, {source: {same_record(record) for record in of.values()} for source, of in entries.items()})
            for row in desk.pages("models"):
                check_model(row, desk.json("/v1/models/" + urllib.parse.quote(row["id"], safe="")), records, today)
            check_licences(desk)
            check_keys(desk, entries)
            check_spellings(desk)
            statuses = desk.json("/v1/sources/status")
    differs("withheld prices counted alike everywhere", "status", statuses["summary"]["withheld"], counts["prices withheld on the first sync"])
    return figures(statuses, rejects(program))


def main():
    parser = command_line(__doc__)
    parser.add_argument("--write", help="put the figures between the marks of this page")
    options = parser.parse_args()
    needed(recordings.REPLAY, "comparison skipped: ../shared/replay.py is not here")
    with tempfile.TemporaryDirectory(prefix="refdesk-truth-", ignore_cleanup_errors=True) as folder:
        text = compare(recordings.Program(options.refdesk, folder))
    print(text)
    if options.write:
        page.write_between(options.write, ("<!-- figures -->\n", "<!-- /figures -->"), text)
    print(f"{sum(failures.values())} failures")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
