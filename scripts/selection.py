#!/usr/bin/env python3
"""Compares lists, facets, exports and costs of a running desk with other implementations over its own export.

    scripts/selection.py --url http://127.0.0.1:8787 [--queries 2000] [--costs 500] [--seed 7] [--collection ID]

Filters, orders and facets are asked again in SQL (duckdb) over the NDJSON of each list, with `ids`, `price_of`, `fresh_only` and, where --collection
names one of the desk with its members as ids, collections; the exports are read by polars; costs are those of litellm where both have the same prices.
Needs duckdb, polars and litellm from PyPI.
"""
import argparse, json, os, random, re, tempfile, time, urllib.parse
from decimal import Decimal

os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
import duckdb
import polars

from checks import end, fail
from desk import Client, Refused

COUNTS = {"context_tokens": "limits.context_tokens", "input_tokens": "limits.input_tokens", "output_tokens": "limits.output_tokens"}
PRICES = {f"price_{name}": f"pricing.{name}" for name in ("input", "output", "cache_read", "cache_write", "batch_input", "batch_output")}
DATES = {name: name for name in ("released_on", "knowledge_cutoff", "deprecated_on", "retires_on")}
CAPABILITIES = ["reasoning", "tool_call", "structured_output", "attachments", "prompt_caching", "batch", "streaming", "temperature"]
# Of each kind: equal to one of; all of a list; one of a list; booleans.
KINDS = {
    "models": dict(words={"vendor": "vendor", "family": "family", "status": "status", "license": "license", "model_mode": "mode", "trust_tier": "trust_tier"},
                   all_of={"input_modalities": "modalities.input", "output_modalities": "modalities.output"}, any_of={"seller": "offers[*].provider"}, flags={"open_weights": "open_weights"}),
    "mcp-servers": dict(words={"vendor": "vendor", "status": "status", "license": "license", "category": "category"}, all_of={"tag": "tags"},
                        any_of={"transport": None}, flags={"official": "official"}),
    "tools": dict(words={"vendor": "vendor", "category": "category", "license": "license"}, all_of={"platform": "platforms"}, any_of={}, flags={"mcp_client": "mcp_support.client"}),
    "skills": dict(words={"vendor": "vendor", "license": "license"}, all_of={}, any_of={}, flags={}),
    "documents": dict(words={"vendor": "vendor", "section": "section", "version": "version", "language": "language"}, all_of={}, any_of={}, flags={}),
    "tutorials": dict(words={"vendor": "vendor", "tutorial_format": "format", "language": "language"}, all_of={"topic": "topics"}, any_of={}, flags={}),
}
# Sellers by every spelling: name | what it is | company | spellings.
ROWS = [[column.strip() for column in line.split("|")] for line in open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../crates/catalog/src/resolve/model/data/sellers.txt"), encoding="utf-8") if line.strip() and not line.startswith("#")]
SPELLINGS = {spelling: row[0] for row in ROWS for spelling in [row[0], *(row[3].split(", ") if len(row) > 3 else [])]}
PLAN = re.compile("-(token-plan(-ams|-cn|-sgp)?|(cn-)?coding-plan|coding-plan-cn|for-coding)$")
# Fields with more values than a facet lists.
LONG = {"mcp-servers": ["vendor"], "documents": ["section"]}


def get(desk, path):
    """A body, once a desk that is busy has time."""
    for _ in range(40):
        try:
            return desk.get(path, "*/*")
        except Refused as error:
            if error.status not in (429, 503):
                raise
            time.sleep(0.25)
    raise RuntimeError(f"{path}: busy")


def quoted(text):
    return "'" + str(text).replace("'", "''") + "'"


def text(path):
    return f"json_extract_string(row, '$.{path}')"


def texts(path):
    """The texts of a list as a list."""
    whole = path if "[*]" in path else f"{path}[*]"
    return f"list_transform(json_extract_string(row, '$.{whole}'), lambda value: lower(value))"


TRANSPORTS = "list_distinct(list_concat(json_extract_string(row, '$.remotes[*].type'), json_extract_string(row, '$.packages[*].transport.type')))"


def number(path, kind):
    return f"CAST({text(path)} AS {kind})"


def first_day(path):
    column = text(path)
    return f"CASE length({column}) WHEN 4 THEN {column} || '-01-01' WHEN 7 THEN {column} || '-01' ELSE {column} END"


def last_day(path):
    column = text(path)
    month = f"strftime(last_day(CAST({column} || '-01' AS DATE)), '%Y-%m-%d')"
    return f"CASE length({column}) WHEN 4 THEN {column} || '-12-31' WHEN 7 THEN {month} ELSE {column} END"


def sellers(row):
    """Who sells a model: name and prices of the maker, if it sells it, then of each offer that is not over."""
    over = ("removed", "retired")
    own = [(row.get("vendor") or "", row["pricing"])] if row.get("pricing") and row.get("status") not in over else []
    return own + [(offer.get("provider") or "", offer.get("pricing") or {}) for offer in row.get("offers") or [] if offer.get("status") not in over]


def called(name):
    """The name of a seller, the same in every spelling."""
    folded = re.sub("[_ ]", "-", name.lower())
    return SPELLINGS.get(folded, "google-vertex" if folded.startswith("vertex-ai-") else folded)


def is_included(name, pricing):
    """Whether a seller is a plan whose prices are all 0."""
    prices = [value for key, value in pricing.items() if key not in ("tiers", "other")]
    prices += [value for tier in pricing.get("tiers") or [] for key, value in tier.items() if key != "above_context_tokens"]
    prices = [value for value in prices + [other.get("price") for other in pricing.get("other") or []] if isinstance(value, (int, Decimal))]
    return bool(PLAN.search(called(name)) and prices) and not any(prices)


def blended(pricing):
    prices = [pricing.get(name) for name in ("input", "output")]
    return None if None in prices else prices[0] * 3 + prices[1]


def prices_of(row, seller):
    """The prices that a row has for `price_of`: of one seller, the maker before its offers, or of the cheapest."""
    sold = [(name, {} if is_included(name, pricing) else pricing) for name, pricing in sellers(row)]
    if seller == "cheapest":
        sold = [pricing for _, pricing in sold if blended(pricing) is not None]
        return min(sold, key=blended) if sold else {}
    has_own = bool(row.get("pricing")) and row.get("status") not in ("removed", "retired")
    if has_own and called(row.get("vendor") or "") == called(seller):
        return row["pricing"]
    sold = [pricing for name, pricing in sold[has_own:] if called(name) == called(seller)]
    return min(sold, key=lambda pricing: (blended(pricing) is None, blended(pricing) or 0)) if sold else {}


class Kind:
    def __init__(self, desk, name, folder, within="", parameters=""):
        self.desk, self.name, self.shape, self.within = desk, name, KINDS[name], within
        self.file = os.path.join(folder, f"{name}-{len(os.listdir(folder))}.ndjson")
        with open(self.file, "wb") as out:
            out.write(get(desk, f"{within}/v1/{name}/list?format=ndjson{parameters}"))
        self.collection = name.replace("-", "_")
        self.table = self.collection + re.sub("[^a-z]", "_", within + parameters)
        duckdb.sql(f"CREATE TABLE {self.table} AS SELECT json AS row, json_extract_string(json, '$.id') AS id FROM read_ndjson_objects('{self.file}')")
        self.rows = [json.loads(line, parse_float=Decimal) for line in open(self.file, encoding="utf-8")]
        self.parameters = [tuple(pair.split("=")) for pair in parameters.split("&") if pair]
        self.price_tables = {}

    def priced_by(self, seller):
        """A table of the rows with the prices of a seller."""
        if seller not in self.price_tables:
            table, file = f"{self.table}_priced_{len(self.price_tables)}", f"{self.file}.{len(self.price_tables)}"
            with open(file, "w", encoding="utf-8") as out:
                for row in self.rows:
                    prices = prices_of(row, seller)
                    priced = {**{name: value for name, value in row.items() if name != "pricing"}, "pricing": prices or None}
                    out.write(json.dumps(priced, default=lambda number: f"{number:f}") + "\n")
            duckdb.sql(f"CREATE TABLE {table} AS SELECT json AS row, json_extract_string(json, '$.id') AS id FROM read_ndjson_objects('{file}')")
            self.price_tables[seller] = table
        return self.price_tables[seller]

    @staticmethod
    def label(row):
        return row.get("display_name") or row.get("title") or ""

    def values(self, path):
        """Some values that rows have at a path."""
        found = []
        for row in random.sample(self.rows, min(60, len(self.rows))):
            value = row
            for part in path.split("."):
                value = [entry.get(part[:-3] if part.endswith("[*]") else part) for entry in value if isinstance(entry, dict)] if isinstance(value, list) else (value or {}).get(part.replace("[*]", ""))
            found += [entry for entry in value if isinstance(entry, str)] if isinstance(value, list) else [value] if value not in (None, "", {}) else []
        return found

    def condition(self):
        """A random filter: field, parameter, value, SQL."""
        shape, families = self.shape, ["word", "word_not", "word_null"]
        families += ["all_of"] * bool(shape["all_of"]) + ["any_of"] * bool(shape["any_of"]) + ["flag"] * bool(shape["flags"])
        if self.name == "models":
            families += ["count", "count", "price", "price", "date", "capability", "null"]
        family = random.choice(families)
        if family.startswith("word"):
            field, path = random.choice(list(shape["words"].items()))
            known = self.values(path)
            if family == "word_null" or not known:
                is_null = random.random() < 0.5
                return field, f"{field}__isnull", str(is_null).lower(), f"({text(path)} IS {'' if is_null else 'NOT '}NULL)"
            some = [value for value in random.sample(known, min(len(known), random.randint(1, 3))) if "," not in value] or ["nothing"]
            listed = ", ".join(quoted(value.lower()) for value in some)
            given = ",".join(random.choice([value, value.upper()]) if value.isascii() else value for value in some)
            if family == "word":
                return field, field, given, f"lower({text(path)}) IN ({listed})"
            return field, f"{field}__not", given, f"({text(path)} IS NULL OR lower({text(path)}) NOT IN ({listed}))"
        if family == "all_of":
            field, path = random.choice(list(shape["all_of"].items()))
            some = [value for value in self.values(path)[:2] if "," not in value] or ["nothing"]
            # What OpenRouter calls files, others call by their format.
            words = [("pdf", "file") if path.startswith("modalities.") and value in ("pdf", "file") else (value,) for value in some]
            sql = [" OR ".join(f"list_contains({texts(path)}, {quoted(word.lower())})" for word in either) for either in words]
            return field, field, ",".join(some), " AND ".join(f"({either})" for either in sql)
        if family == "any_of":
            field, path = random.choice(list(shape["any_of"].items()))
            known = self.values(path) if path else ["stdio", "sse", "streamable-http"]
            value = random.choice(known or ["nothing"])
            if field == "seller":
                named = [row["id"] for row in self.rows if called(value) in (called(name) for name, _ in sellers(row))]
                return field, field, value, f"id IN ({', '.join(quoted(one) for one in named) or quoted('')})"
            return field, field, value, f"list_contains({texts(path) if path else TRANSPORTS}, {quoted(value.lower())})"
        if family == "flag":
            field, path = random.choice(list(shape["flags"].items()))
            value = random.choice(["true", "false"])
            return field, field, value, f"{text(path)} = '{value}'"
        if family == "capability":
            name, wanted = random.choice(CAPABILITIES), random.random() < 0.7
            return "capability", "capability", name if wanted else f"!{name}", f"{text('capabilities.' + name)} = '{str(wanted).lower()}'"
        side = random.choice(["gte", "lte"])
        operator = ">=" if side == "gte" else "<="
        if family == "null":
            field, path = random.choice(list({**COUNTS, **PRICES, **DATES}.items()))
            is_null = random.random() < 0.5
            return field, f"{field}__isnull", str(is_null).lower(), f"({text(path)} IS {'' if is_null else 'NOT '}NULL)"
        if family == "count":
            field, path = random.choice(list(COUNTS.items()))
            value = random.choice(self.values(path) or [1000])
            given = f"{value // 1000}k" if value % 1000 == 0 and random.random() < 0.5 else str(value)
            return field, f"{field}__{side}", given, f"{number(path, 'BIGINT')} {operator} {value}"
        if family == "price":
            field, path = random.choice(list(PRICES.items()))
            value = f"{Decimal(str(random.choice(self.values(path) or [1]))):f}"
            return field, f"{field}__{side}", value, f"{number(path, 'DECIMAL(38,12)')} {operator} {value}"
        field, path = random.choice(list(DATES.items()))
        value = random.choice(["2024", "2024-06", "2025-02", "2025-05-15", "2023-12-31", "2026-01"])
        if side == "gte":
            bound = {4: f"{value}-01-01", 7: f"{value}-01"}.get(len(value), value)
            return field, f"{field}__gte", value, f"({first_day(path)}) >= '{bound}'"
        ends = {"2024": "2024-12-31", "2024-06": "2024-06-30", "2025-02": "2025-02-28", "2026-01": "2026-01-31"}
        return field, f"{field}__lte", value, f"({last_day(path)}) <= '{ends.get(value, value)}'"

    def order(self):
        keys = {"id": "id", "vendor": [f"lower({text('vendor')})", text("vendor")]}
        name = text("title" if self.name in ("documents", "tutorials") else "display_name")
        # Lower case is another in each Unicode library beyond ASCII.
        if all(self.label(row).isascii() for row in self.rows):
            keys["name"] = [f"lower({name})", name]
        if self.name == "models":
            keys |= {field: number(path, "BIGINT") for field, path in COUNTS.items()}
            keys |= {field: number(path, "DECIMAL(38,12)") for field, path in PRICES.items()}
            keys |= {field: text(path) for field, path in DATES.items()}
            keys["price_blended"] = f"({number('pricing.input', 'DECIMAL(38,12)')} * 3 + {number('pricing.output', 'DECIMAL(38,12)')}) / 4"
            keys["offers"] = "json_array_length(row, '$.offers')"
        some, sql = random.sample(list(keys), random.randint(0, 2)), []
        given = []
        for key in some:
            down = random.random() < 0.5
            given.append(("-" if down else "") + key)
            for column in keys[key] if isinstance(keys[key], list) else [keys[key]]:
                sql.append(f"({column}) IS NULL, ({column}) {'DESC' if down else 'ASC'}")
        return ",".join(given), ", ".join([*sql, "id"])

    def facet(self):
        field, path = random.choice(list(self.shape["words"].items()))
        return field, path

    def query(self):
        conditions = {}
        for _ in range(random.randint(0, 4)):
            field, name, value, sql = self.condition()
            conditions[name] = (field, value, sql)
        sort, order = self.order()
        facet, path = self.facet()
        if facet == "trust_tier" or facet in LONG.get(self.name, ()):
            facet, path = "status", "status"
        table = self.table
        pairs = [*self.parameters, *((name, value) for name, (_, value, _) in conditions.items())]
        if self.name == "models" and random.random() < 0.3:
            named = [name for row in random.sample(self.rows, min(20, len(self.rows))) for name, _ in sellers(row) if name]
            seller = random.choice(["cheapest", *named])
            pairs.append(("price_of", random.choice([seller, seller.upper()]) if seller != "cheapest" and seller.isascii() else seller))
            table = self.priced_by(seller)
        chosen = "true"
        if random.random() < 0.15:
            some = random.sample(self.rows, min(len(self.rows), random.randint(1, 50)))
            some = [row["id"] for row in some if "," not in row["id"]] or ["nothing"]
            pairs.append(("ids", ",".join(some)))
            chosen = f"id IN ({', '.join(quoted(one) for one in some)})"
        pairs += [("sort", sort)] * bool(sort) + [("fields", "id"), ("limit", "500"), ("facets", facet), ("facet_size", "1000")]
        target = f"{self.within}/v1/{self.name}/list?{urllib.parse.urlencode(pairs)}"
        answer = json.loads(get(self.desk, target))
        where = " AND ".join([chosen, *(f"({sql})" for _, _, sql in conditions.values())])
        wanted = [row[0] for row in duckdb.sql(f"SELECT id FROM {table} WHERE {where} ORDER BY {order}").fetchall()]
        got = [row["id"] for row in answer[self.collection]]
        if answer["total"] != len(wanted) or got != wanted[:500]:
            at = next((at for at, pair in enumerate(zip(got, wanted)) if pair[0] != pair[1]), min(len(got), len(wanted)))
            fail(f"{target}: {answer['total']} rows, SQL has {len(wanted)}; from place {at}: {got[at:at + 3]} and {wanted[at:at + 3]}")
        others = " AND ".join([chosen, *(f"({sql})" for of, _, sql in conditions.values() if of != facet)])
        counts = dict(duckdb.sql(f"SELECT lower({text(path)}), count(*) FROM {table} WHERE {others} GROUP BY 1").fetchall())
        missing = counts.pop(None, 0)
        shown = answer["facets"][facet]
        if shown["missing"] != missing or {entry["label"].lower(): entry["count"] for entry in shown["results"]} != counts:
            fail(f"{target}: facet {facet} is not that of SQL")


def exports(desk, kinds, folder):
    for kind in kinds:
        with open(os.path.join(folder, "list.csv"), "wb") as out:
            out.write(get(desk, f"/v1/{kind.name}/list?format=csv"))
        csv = polars.read_csv(out.name, infer_schema_length=None)
        lines = polars.read_ndjson(kind.file, infer_schema_length=None)
        if not csv.height == lines.height == len(kind.rows):
            fail(f"{kind.name}: {csv.height} cells' rows, {lines.height} lines, {len(kind.rows)} rows")
        if kind.name == "models":
            for path in ("input", "output", "cache_read"):
                wanted = sum(Decimal(str(row["pricing"][path])) for row in kind.rows if (row["pricing"] or {}).get(path) is not None)
                got = sum(Decimal(str(value)) for value in csv[f"pricing.{path}"].drop_nulls())
                if got != wanted:
                    fail(f"sum of pricing.{path}: {got} in CSV, {wanted} in the rows")


def costs(desk, models, wanted):
    import litellm
    known, compared, other_prices = litellm.model_cost, 0, 0
    per_million = lambda value: Decimal(str(value)) * 1_000_000
    def simple(entry):
        tiers = [name for name in entry if "above" in name or "priority" in name or "flex" in name]
        return entry.get("mode") in ("chat", "completion", "responses") and not tiers and "tiered_pricing" not in entry
    rows = [row for row in models.rows if row["id"] in known and row["status"] not in ("removed", "retired") and row["pricing"] and not row["pricing"]["tiers"] and simple(known[row["id"]])]
    random.shuffle(rows)
    while compared < wanted and rows:
        row = random.choice(rows)
        pricing, entry = row["pricing"], known[row["id"]]
        entry = litellm.get_model_info(row["id"], custom_llm_provider=entry.get("litellm_provider"))
        same = all(pricing[ours] is not None and entry.get(theirs) is not None and abs(Decimal(str(pricing[ours])) - per_million(entry[theirs])) < Decimal("1e-9")
                   for ours, theirs in (("input", "input_cost_per_token"), ("output", "output_cost_per_token")))
        if not same:
            other_prices += 1
            rows.remove(row)
            continue
        read, write = random.randint(0, 2_000_000), random.randint(0, 200_000)
        target = f"/v1/cost?model={urllib.parse.quote(row['id'])}&input_tokens={read}&output_tokens={write}"
        own = next(seller for seller in json.loads(get(desk, target), parse_float=Decimal)["sellers"] if seller["first_party"])
        theirs = sum(litellm.cost_per_token(model=row["id"], prompt_tokens=read, completion_tokens=write, custom_llm_provider=known[row["id"]].get("litellm_provider")))
        if abs(float(own["total"]) - theirs) > 1e-12 * max(1, abs(theirs)):
            fail(f"{target}: {own['total']}, litellm says {theirs}")
        compared += 1
    return compared, other_prices


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--url", required=True)
    parser.add_argument("--queries", type=int, default=2000)
    parser.add_argument("--costs", type=int, default=500)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--collection", help="a collection of the desk, whose lists are asked in the same way")
    options = parser.parse_args()
    random.seed(options.seed)
    desk = Client(options.url)
    with tempfile.TemporaryDirectory() as folder:
        kinds = [Kind(desk, name, folder) for name in KINDS]
        # A stale value is unknown to filters and orders: the rows of `fresh_only` show it as null.
        kinds += [Kind(desk, name, folder, parameters="&fresh_only=true") for name in KINDS]
        if options.collection:
            kinds += [Kind(desk, name, folder, within=f"/c/{options.collection}") for name in KINDS]
        kinds = [kind for kind in kinds if kind.rows]
        for at in range(options.queries):
            # Models have the most fields.
            (kinds[0] if at % 2 else random.choice(kinds)).query()
        print(f"{options.queries} queries compared with SQL over {sum(len(kind.rows) for kind in kinds)} rows")
        exports(desk, [kind for kind in kinds if not kind.within and not kind.parameters], folder)
        print("exports read by polars")
        compared, other_prices = costs(desk, kinds[0], options.costs)
        print(f"{compared} costs compared with litellm; {other_prices} models have other prices there")
    end()


if __name__ == "__main__":
    main()
