#!/usr/bin/env python3
"""Makes the figures of docs/benchmarks.md again, and fails loudly when a ratio got worse than the committed one.

    scripts/bench.py --sizes 10000,100000,1000000 --write   measure and write docs/benchmarks.md and benches/baseline.json
    scripts/bench.py --instructions --write                 the instruction counts alone, on a machine that need not be quiet
    scripts/bench.py --check                                measure and compare with benches/baseline.json
    scripts/bench.py --short --check                        10,000 rows and loads of 2 s, for a nightly run

Standard library only. `wrk` is installed with apt-get when it is missing; `valgrind` is used when it is there. The server runs on
core 0 and the client on core 1; the server of a constant body and refdesk take turns in one run; each figure is the median of
three, of the turns of nine. Throughput and CPU are measured with 16 connections that never pause, latencies with one connection.
Absolute figures depend on the machine, ratios and instruction counts hardly do: only those are compared.
"""

import argparse, json, os, re, shutil, statistics, subprocess, sys, tempfile, time, urllib.parse
from pathlib import Path

import desk
from bench_load import LUA, PORT, QUESTIONS, SERVER_CORE, Sample, Server, get, search, tool_call

ROOT = Path(desk.ROOT)
BASELINE = ROOT / "benches" / "baseline.json"
REPORT = ROOT / "docs" / "benchmarks.md"
CLIENT_CORE, CONSTANT_PORT = "1", 18788
# Throughput and CPU are of a full server; the latency of one request is of a connection that has the server to itself.
CONNECTIONS = 16
LATENCY_SECS = 1
ROUNDS = 3
# The limit and refdesk take turns in short loads: a machine that is slower for some seconds slows both.
TURNS, TURN_SECS = 9, 1
TOLERANCE = 0.15
TOUCHED_ROWS, RESYNCED_ROWS = 100, 20_000
# Loads while a generation is made, at most.
BUSY_LOADS = 4
# The allocator gives freed pages back within ten seconds.
SETTLE_SECS = 15
VISIBLE_SECS_MAX = 120
IMAGE_SECS_MAX = 300
CALLGRIND_ROWS, CALLGRIND_ROUNDS = 2_000, 400
# What is measured beside a constant body of its own size, and how the page calls it.
BESIDE = {
    "detail_random": "details, 2,000 drawn from the whole catalog", "detail_of_document": "details of 500 documents with their text",
    "search_three_words": "search three words", "search_broad_word": "search broad word", "search_typo": "search for a name with a typing error",
    "search_beginning": "search for the beginning of a name", "search_again": "search three words, asked for before",
}
# Every search is made anew, and so is every page.
NOTHING_KEPT = ["--set", "encoded_cache_bytes=0"]
# The kind whose build is measured alone.
BUILT_KIND = "models"
# Functions of crates/lab/src/bin/hot_requests.rs: `words` is a search that is not understood.
HOT = ("list", "detail", "search", "words", "broad", "typo", "filters", "facets")
# How the line of the report begins that has the instruction counts.
INSTRUCTIONS = "Instructions of the core of a request"
# How the page begins. Its sections below `KEPT` are written by hand or by scripts/commands.py, and stay when the page is written again.
INTRODUCTION = (
    "What refdesk takes in time and memory, with the command that measures each figure: [one desk under load](#one-desk-under-load), the [goals](#goals) reached "
    "and missed, [look-ups from the command line](#commands), [lists and questions](#lists-and-questions), [a million rows](#a-million-rows), the "
    "[time of a build](#build-time), and [what single changes gave](#what-single-changes-gave). Seconds and microseconds depend on the machine; ratios and "
    "instruction counts hardly do."
)
KEPT = "## Goals"


def say(text):
    print(f"[{time.strftime('%H:%M:%S')}] {text}", file=sys.stderr, flush=True)


def run(*command, **options):
    return subprocess.run([str(part) for part in command], check=True, text=True, capture_output=True, **options).stdout


class Bench:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.secs = 2 if options.short else options.secs
        self.script = folder / "requests.lua"
        self.script.write_text(LUA)

    def wrk(self, server, paths, post, connections, secs):
        """One wrk run over the paths in turn: what it printed, the requests, and the server's CPU time in seconds."""
        listed = self.folder / "paths.txt"
        listed.write_text("\n".join(paths) + "\n")
        environment = os.environ | {"BENCH_PATHS": str(listed), "BENCH_POST": "1" if post else "0"}
        command = ["taskset", "-c", CLIENT_CORE, "wrk", "-t1", f"-c{connections}", f"-d{secs}s", "--latency"]
        command += ["-s", str(self.script), f"http://127.0.0.1:{server.port}"]
        before = server.cpu_secs()
        out = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True).stdout
        cpu = server.cpu_secs() - before
        requests = int(re.search(r"(\d+) requests in", out)[1])
        bad = re.search(r"Non-2xx or 3xx responses: (\d+)", out)
        if bad or requests == 0:
            raise SystemExit(f"{bad and bad[1]} bad answers to {paths[0]}:\n{out}")
        return out, requests, cpu

    def full(self, server, paths, post=False, secs=None):
        """Throughput: requests a second and CPU in microseconds a request, with many connections that never pause."""
        out, requests, cpu = self.wrk(server, paths, post, CONNECTIONS, secs or self.secs)
        return {"rps": float(re.search(r"Requests/sec:\s+([\d.]+)", out)[1]), "cpu_us": cpu * 1e6 / requests}

    def alone(self, server, paths, post=False):
        """Latency: milliseconds of a request, with one connection, so that no request waits for another."""
        out, _, _ = self.wrk(server, paths, post, 1, LATENCY_SECS)
        unit = {"us": 1e-3, "ms": 1.0, "s": 1e3}
        at = {mark: float(number) * unit[name] for mark, number, name in re.findall(r"(\d\d)%\s+([\d.]+)(us|ms|s)", out)}
        longest = re.search(r"Latency\s+\S+\s+\S+\s+([\d.]+)(us|ms|s)", out)
        return {"p50_ms": at["50"], "p99_ms": at["99"], "max_ms": float(longest[1]) * unit[longest[2]]}

    def load(self, server, paths, post=False):
        """Throughput of a full server, then latency of a request that is alone."""
        return self.full(server, paths, post) | self.alone(server, paths, post)

    def turns(self, server, paths_of, body_bytes):
        """refdesk with each of the named lists of paths, and the server of a constant body of that size, in turn."""
        constant = [self.options.lab, "--set", f"listen=127.0.0.1:{CONSTANT_PORT}", "constant-server", body_bytes]
        ours, limit = {name: [] for name in paths_of}, []
        with Server(constant, CONSTANT_PORT, "/", self.folder / "constant.log") as other:
            for _ in range(TURNS):
                limit.append(self.full(other, ["/"], secs=TURN_SECS))
                for name, paths in paths_of.items():
                    ours[name].append(self.full(server, paths, secs=TURN_SECS))
        result = {}
        for name, paths in paths_of.items():
            alone = middle([self.alone(server, paths) for _ in range(ROUNDS)])
            result[name] = middle(ours[name]) | alone | {
                "paths": len(paths), "limit_rps": middle(limit)["rps"], "limit_cpu_us": middle(limit)["cpu_us"], "body_bytes": body_bytes,
                "ratio": statistics.median(a["rps"] / b["rps"] for a, b in zip(ours[name], limit)),
                "of_constant": statistics.median(a["cpu_us"] / b["cpu_us"] for a, b in zip(ours[name], limit)),
            }
        return result

    def size(self, rows):
        say(f"{rows} rows: generate")
        data = self.folder / f"data-{rows}"
        refdesk = [self.options.binary, "--data-dir", data, "--offline"]
        lab = [self.options.lab, *refdesk[1:]]
        made = json.loads(run(*lab, "--json", "generate", "--rows", rows))
        store = sum(file.stat().st_size for file in data.iterdir())
        command = [*refdesk, "serve", "--config", made["config"], "--listen", f"127.0.0.1:{PORT}"]
        for setting in ("sync=false", "rate_limit_anon=0", "rate_limit_key=0", "requests_in_flight_max=4096"):
            command += ["--set", setting]
        log = self.folder / f"serve-{rows}.log"
        result = {"rows": rows, "import_rows_per_second": made["rows_per_second"], "store_bytes": store}
        both = f"{SERVER_CORE},{CLIENT_CORE}"
        # The first start builds the catalog and keeps it on disk; the others read that.
        with Server(command, PORT, "/readyz", log, both) as server:
            result["build_secs"] = server.ready_secs
            server.wait_for("the image is on disk", (data / "catalog" / "manifest.json").exists, IMAGE_SECS_MAX, 0.1)
            time.sleep(SETTLE_SECS)
            result |= {"memory_built": memory(server), "peak_bytes": server.resident_bytes("VmHWM")}
        result |= self.one_kind(rows)
        result["image_bytes"] = sum(file.stat().st_size for file in (data / "catalog").iterdir())
        with Server(command, PORT, "/readyz", log, both) as server:
            result["ready_secs"] = server.ready_secs
        with Server([*command, *NOTHING_KEPT], PORT, "/readyz", log) as server:
            time.sleep(SETTLE_SECS)
            result |= {"ready_one_core_secs": server.ready_secs, "memory": memory(server)}
            say(f"{rows} rows: ready in {result['ready_secs']:.2f} s; loads of {self.secs} s")
            shown = result["memory"]["items"]
            if shown < rows:
                raise SystemExit(f"the server shows {shown} items of {rows}")
            sample = Sample()
            listed = "/v1/models/list?limit=500"
            result |= self.turns(server, {"list": [listed]}, len(get(listed)[0]))
            body = statistics.median(len(get(path)[0]) for path in sample.details[:50])
            result |= self.turns(server, {"detail": sample.details, "detail_again": sample.details[:1]}, int(body))
            say(f"list {result['list']['ratio']:.2f}, detail {result['detail']['ratio']:.2f} of the limit")
            beside = {"detail_random": sample.random_details, "detail_of_document": sample.document_details}
            beside |= {name: [search(text) for text in texts] for name, texts in sample.searches.items()}
            for name, paths in beside.items():
                body = int(statistics.median(len(get(path)[0]) for path in paths[:50]))
                result |= self.turns(server, {name: paths}, body)
                say(f"{name}: {result[name]['cpu_us']:.0f} µs CPU, {result[name]['of_constant']:.1f} times a constant body of {body} bytes")
            asked = ["/v1/frameworks/route?q=" + urllib.parse.quote(text) for text in QUESTIONS]
            result["route"] = middle([self.load(server, asked) for _ in range(ROUNDS)])
            for name, paths in sample.pages.items():
                result[name] = middle([self.load(server, paths) for _ in range(ROUNDS)])
                say(f"{name}: {result[name]['cpu_us']:.0f} µs CPU")
            calls = [tool_call(text) for text in sample.searches["search_three_words"]]
            result["mcp_search"] = middle([self.load(server, calls, post=True) for _ in range(ROUNDS)])
            result |= self.changes(server, [*lab, "generate", "--rows", rows, "--touch"], sample, log)
        with Server(command, PORT, "/readyz", log) as server:
            paths = [search(text) for text in Sample().searches["search_three_words"]]
            body = int(statistics.median(len(get(path)[0]) for path in paths))
            result |= self.turns(server, {"search_again": paths}, body)
            say(f"searches that are kept: {result['search_again']['cpu_us']:.0f} µs CPU, {result['search_again']['of_constant']:.1f} times a constant body")
        shutil.rmtree(data)
        return result

    def one_kind(self, rows):
        """The first start over so many rows of one kind, on both cores: ready after, and memory."""
        data = self.folder / f"data-{rows}-{BUILT_KIND}"
        common = ["--data-dir", data, "--offline"]
        made = json.loads(run(self.options.lab, *common, "--json", "generate", "--rows", rows, "--kind", BUILT_KIND))
        command = [self.options.binary, *common, "serve", "--config", made["config"], "--listen", f"127.0.0.1:{PORT}", "--set", "sync=false"]
        with Server(command, PORT, "/readyz", self.folder / "one-kind.log", f"{SERVER_CORE},{CLIENT_CORE}") as server:
            secs = server.ready_secs
            time.sleep(SETTLE_SECS)
            built = {"secs": secs, "resident_bytes": server.resident_bytes(), "peak_bytes": server.resident_bytes("VmHWM")}
        shutil.rmtree(data)
        return {"one_kind": built}

    def changes(self, server, touch, sample, log):
        """Syncs by another process: how long until 100 changed rows show, and what reads notice while 20,000 are taken in."""
        visible, committed = [], []
        for _ in range(ROUNDS):
            # Times have whole seconds: two syncs in one second would be the same.
            time.sleep(1.1)
            old, begun = revision(), time.monotonic()
            run(*touch, TOUCHED_ROWS)
            committed.append(time.monotonic() - begun)
            server.wait_for("a sync shows", lambda: revision() != old, VISIBLE_SECS_MAX)
            visible.append(time.monotonic() - begun)
        took = [float(secs) for secs in re.findall(r"seconds=([\d.]+)", re.sub(r"\x1b\[[0-9;]*m", "", log.read_text()))]
        update = statistics.median(took) if took else None
        paths = [search(text) for text in sample.searches["search_three_words"]]
        quiet, busy = [], []
        for _ in range(ROUNDS):
            quiet += [self.alone(server, paths) for _ in range(BUSY_LOADS)]
            # The client shares its core with the process that syncs, so nothing is measured until that has ended.
            old = revision()
            run("taskset", "-c", CLIENT_CORE, *touch, RESYNCED_ROWS)
            busy += self.until_published(server, paths, old)
        return {
            "touch_commit_secs": statistics.median(committed), "touch_visible_secs": statistics.median(visible),
            "update_secs": update, "search_quiet": over(quiet), "search_while_updating": over(busy),
        }

    def until_published(self, server, paths, old):
        """Latencies in loads that end before the generation after `old` shows; at least one, at most `BUSY_LOADS`."""
        loads = []
        while len(loads) < BUSY_LOADS:
            load = self.alone(server, paths)
            if loads and revision() != old:
                break
            loads.append(load)
        server.wait_for("a sync shows", lambda: revision() != old, VISIBLE_SECS_MAX, 0.1)
        return loads

    def instructions(self):
        """Instructions of the core of the hot requests, under callgrind."""
        if not (shutil.which("valgrind") and self.options.hot.exists()):
            say("no valgrind or no hot_requests: instruction counts are skipped")
            return None
        data = self.folder / "data-callgrind"
        run(self.options.lab, "--data-dir", data, "--offline", "generate", "--rows", CALLGRIND_ROWS)
        out = self.folder / "callgrind.out"
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}"]
        command += [f"--toggle-collect=hot_requests::hot_{name}" for name in HOT]
        store = next(data.glob("*.sqlite3"))
        say("callgrind")
        subprocess.run([*command, str(self.options.hot), str(store), str(CALLGRIND_ROUNDS)], check=True, capture_output=True)
        told = run("callgrind_annotate", "--inclusive=yes", "--threshold=100", out)
        counts = {}
        for name in HOT:
            line = next(line for line in told.splitlines() if f"hot_requests::hot_{name}" in line)
            counts[name] = round(int(line.split()[0].replace(",", "")) / CALLGRIND_ROUNDS)
        return counts


def revision():
    return get("/v1/models/list?limit=1")[1]["ETag"].strip('"').split("-")[0]


def memory(server):
    metrics = get("/metrics")[0].decode()
    rows = int(float(re.search(r"^refdesk_snapshot_row_bytes ([\d.e+]+)", metrics, re.M)[1]))
    index = int(float(re.search(r"^refdesk_snapshot_index_bytes ([\d.e+]+)", metrics, re.M)[1]))
    items = sum(float(n) for n in re.findall(r"^refdesk_items\{[^}]*\} ([\d.e+]+)", metrics, re.M))
    resident = server.resident_bytes()
    return {"resident_bytes": resident, "row_bytes": rows, "index_bytes": index, "items": int(items), "beyond_rows_per_row": (resident - rows) / items}


def middle(runs):
    return {name: statistics.median(run[name] for run in runs) for name in runs[0]}


def over(loads):
    """Of loads one after the other: the usual p50 and p99, and the longest of all."""
    return middle(loads) | {"max_ms": max(load["max_ms"] for load in loads)}


def ratios(results, counts):
    """What is compared between runs; `up` is better when larger, `down` when smaller."""
    up, down = {}, {}
    for size in results:
        at = f"{size['rows']}"
        up[f"{at} list of limit"] = size["list"]["ratio"]
        up[f"{at} detail of limit"] = size["detail"]["ratio"]
        for name in BESIDE:
            down[f"{at} {name} CPU of a constant body's"] = size[name]["of_constant"]
        for name in ("mcp_search", "page_list", "page_item", "page_search"):
            down[f"{at} {name} CPU of search CPU"] = size[name]["cpu_us"] / size["search_three_words"]["cpu_us"]
        down[f"{at} memory beyond rows, bytes a row"] = size["memory"]["beyond_rows_per_row"]
    for name, count in (counts or {}).items():
        down[f"callgrind {name}"] = count
    return {"up": {k: round(v, 3) for k, v in up.items()}, "down": {k: round(v, 3) for k, v in down.items()}}


def worse(old, new):
    found = []
    for way, sign in (("up", -1), ("down", 1)):
        for name, was in old[way].items():
            now = new[way].get(name)
            if now is not None and sign * (now - was) / was > TOLERANCE:
                found.append(f"{name}: {was} committed, {now} now")
    return found


def more_a_row(less, more):
    beyond = [size["resident_bytes"] - size["row_bytes"] for size in (less, more)]
    return f"{(beyond[1] - beyond[0]) / (more['items'] - less['items']) / 1000:.2f} KB"


def cell(load):
    return f"{load['cpu_us']:.1f} µs / {latency(load)}"


def latency(load):
    return f"{load['p50_ms']:.2f} / {load['p99_ms']:.2f} / {load['max_ms']:.1f} ms"


def report(results, counts, options):
    lines = [
        "# Benchmarks", "", INTRODUCTION, "", "## One desk under load", "",
        "Written by `" + " ".join(["scripts/bench.py", *sys.argv[1:]]) + f"` on {time.strftime('%Y-%m-%d')}, on a machine of "
        f"{os.cpu_count()} cores: the server on one, `wrk` on the other, {ROUNDS} loads of "
        f"{2 if options.short else options.secs} s each, medians (the limit and what is compared with it: {TURNS} turns of {TURN_SECS} s). `scripts/bench.py --check` measures again and fails when a ratio of "
        "`benches/baseline.json` got worse by more than 15 %.", "",
        "The limit is `refdesk-lab constant-server`: the same accept loop and axum, with one route that returns a constant "
        "body of the same size. The rows come from `refdesk-lab generate --rows N` (seed 1; a tenth are documents of 200 to 1,500 words).",
    ]

    def table(title):
        lines.extend(["", f"### {title}", "", "| figure | " + " | ".join(f"{size['rows']:,} rows" for size in results) + " |", "|---|" + "---:|" * len(results)])

    def row(name, value):
        lines.append(f"| {name} | " + " | ".join(value(size) for size in results) + " |")

    table("Starts, syncs and memory")
    row("import, rows a second", lambda s: f"{s['import_rows_per_second']:,.0f}")
    row("store on disk", lambda s: f"{s['store_bytes'] / 1e6:,.0f} MB")
    row("first start: catalog built, ready after (two cores)", lambda s: f"{s['build_secs']:.2f} s")
    row(f"the same with all rows {BUILT_KIND}: ready after / memory afterwards / most in the build", lambda s: f"{s['one_kind']['secs']:.2f} s / {s['one_kind']['resident_bytes'] / 1e6:,.0f} / {s['one_kind']['peak_bytes'] / 1e6:,.0f} MB")
    row("image of the catalog on disk", lambda s: f"{s['image_bytes'] / 1e6:,.0f} MB")
    row("ready from a warm store and the catalog on disk: two cores / one core", lambda s: f"{s['ready_secs']:.2f} / {s['ready_one_core_secs']:.2f} s")
    row(f"sync of {TOUCHED_ROWS} rows by another process: next generation made in", lambda s: f"{s['update_secs']:.2f} s" if s["update_secs"] else "–")
    row(f"sync of {TOUCHED_ROWS} rows by another process: committed / visible after", lambda s: f"{s['touch_commit_secs']:.2f} / {s['touch_visible_secs']:.2f} s")
    row("rows in memory", lambda s: f"{s['memory']['row_bytes'] / 1e6:,.0f} MB")
    row("search index", lambda s: f"{s['memory']['index_bytes'] / 1e6:,.0f} MB")
    row("resident memory: from the image / after a build / most in a build", lambda s: " / ".join(f"{bytes / 1e6:,.0f}" for bytes in (s["memory"]["resident_bytes"], s["memory_built"]["resident_bytes"], s["peak_bytes"])) + " MB")
    row("memory beyond the rows, a row", lambda s: f"{s['memory']['beyond_rows_per_row'] / 1000:.2f} KB")
    before = dict(zip([size["rows"] for size in results[1:]], results))
    row("the same, for each row more than in the column before", lambda s: more_a_row(before[s["rows"]]["memory"], s["memory"]) if s["rows"] in before else "–")
    table("Requests")
    for name, shown in (("list", "list of 500"), ("detail", f"details, {results[0]['detail']['paths']} in turn"), ("detail_again", "the same detail again")):
        row(f"{shown}: requests a second / limit", lambda s: f"{s[name]['rps']:,.0f} / {s[name]['limit_rps']:,.0f}")
        row(f"{shown}: **share of the limit**", lambda s: f"**{s[name]['ratio']:.2f}**")
        row(f"{shown}: CPU a request, full / p50 / p99 / longest, alone", lambda s: cell(s[name]))
    for name, shown in BESIDE.items():
        row(f"{shown}: CPU / that of a constant body of its size", lambda s: f"{s[name]['cpu_us']:.1f} / {s[name]['limit_cpu_us']:.1f} µs, **{s[name]['of_constant']:.1f} times**")
        row(f"{shown}: share of the limit / p50 / p99 / longest, alone", lambda s: f"{s[name]['ratio']:.2f} / {latency(s[name])}")
    for name in ("mcp_search", "route", "page_list", "page_item", "page_search"):
        row(f"{name.replace('_', ' ')}: CPU a request, full / p50 / p99 / longest, alone", lambda s: cell(s[name]))
    table("Searches while a generation is made")
    row("search p50 / p99 / longest, alone, quiet", lambda s: latency(s["search_quiet"]))
    row(f"the same while the generation after a sync of {RESYNCED_ROWS:,} rows is made on the same core", lambda s: latency(s["search_while_updating"]))
    lines += ["", f"Full: {CONNECTIONS} connections, each of which sends its next request at once; requests a second and CPU are of these loads. "
              f"Alone: one connection, so that a request waits for no other; p50, p99 and longest are of these, of {LATENCY_SECS} s each, "
              f"medians (the last two rows: of up to {ROUNDS * BUSY_LOADS} loads, the longest of all). The generation after a sync has new segments of the kinds that changed."]
    if counts:
        lines += ["", told(counts)]
    before = REPORT.read_text() if REPORT.exists() else ""
    kept = [KEPT + before.split(KEPT, 1)[1].rstrip()] if KEPT in before else []
    return "\n".join([*lines, "", *kept] if kept else lines) + "\n"


def told(counts):
    return (f"{INSTRUCTIONS} (callgrind, {CALLGRIND_ROWS:,} rows, {time.strftime('%Y-%m-%d')}; no dependence on the machine's speed): "
            + ", ".join(f"{name} {count:,}" for name, count in counts.items()) + ".")


def write_instructions(counts):
    """Puts new counts in place of those in the report and the baseline, and keeps the rest of both."""
    baseline = json.loads(BASELINE.read_text())
    baseline["down"] |= {f"callgrind {name}": count for name, count in counts.items()}
    BASELINE.write_text(json.dumps(baseline, indent=1) + "\n")
    REPORT.write_text(re.sub(rf"(?m)^{INSTRUCTIONS}.*$", lambda _: told(counts), REPORT.read_text()))


def build(options):
    if not options.no_build:
        for command in (["-p", "refdesk"], ["-p", "refdesk-lab", "--bin", "refdesk-lab", "--bin", "hot_requests"]):
            subprocess.run(["cargo", "build", "--release", *command], cwd=ROOT, check=True)
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release"
    options.binary = target / "refdesk"
    options.lab = target / "refdesk-lab"
    options.hot = target / "hot_requests"
    if not shutil.which("wrk"):
        subprocess.run(["apt-get", "install", "-y", "wrk"], check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sizes", default="10000,100000", help="rows, comma-separated")
    parser.add_argument("--secs", type=int, default=5, help="length of a load in seconds")
    parser.add_argument("--short", action="store_true", help="10,000 rows and loads of 2 s")
    parser.add_argument("--check", action="store_true", help="fail when a ratio got worse")
    parser.add_argument("--write", action="store_true", help="write docs/benchmarks.md and benches/baseline.json")
    parser.add_argument("--instructions", action="store_true", help="count instructions and measure nothing else")
    parser.add_argument("--no-build", action="store_true", help="take the binaries as they are")
    options = parser.parse_args()
    build(options)
    sizes = [10_000] if options.short else [int(rows) for rows in options.sizes.split(",")]
    with tempfile.TemporaryDirectory(prefix="refdesk-bench-") as folder:
        bench = Bench(options, Path(folder))
        counts = bench.instructions()
        if options.instructions:
            print(json.dumps(counts, indent=1))
            if options.write and counts:
                write_instructions(counts)
            return
        results = [bench.size(rows) for rows in sizes]
    found = ratios(results, counts)
    print(json.dumps({"sizes": results, "callgrind": counts, "ratios": found}, indent=1))
    if options.write:
        BASELINE.parent.mkdir(exist_ok=True)
        BASELINE.write_text(json.dumps(found, indent=1) + "\n")
        REPORT.write_text(report(results, counts, options))
    if options.check:
        if not BASELINE.exists():
            raise SystemExit(f"{BASELINE} is missing: make it with scripts/bench.py --write on a quiet machine")
        fallen = worse(json.loads(BASELINE.read_text()), found)
        if fallen:
            raise SystemExit("WORSE THAN COMMITTED by more than 15 %:\n" + "\n".join(fallen))
        say("no ratio got worse by more than 15 %")


if __name__ == "__main__":
    main()
