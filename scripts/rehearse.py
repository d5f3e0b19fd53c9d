#!/usr/bin/env python3
"""Rehearses syncs on recorded upstreams, replayed on loopback by ../shared/replay.py. Standard library only.

    scripts/rehearse.py --refdesk target/debug/refdesk            every recording into an empty store; counts, values, resync, verify
    scripts/rehearse.py --refdesk … --write docs/coverage.md      the same, and the table as a page
    scripts/rehearse.py --refdesk … --faults [--kinds a,b]        every fault on every connector: nothing lost, then recovery
    scripts/rehearse.py --refdesk … --kills 10                    kill -9 at random moments: the catalog before or the one after
    scripts/rehearse.py --refdesk … --cost-against OTHER          what syncs cost over those of another binary
    scripts/rehearse.py --refdesk … --reads                       what readers notice while every recording is synced: no failure, times

Where ../shared is absent it says so and skips; with REFDESK_TEST_ALL=1 that is a failure.
"""
import collections, hashlib, itertools, json, os, random, re, resource, shutil, subprocess, tempfile, threading, time, urllib.parse

import page, recordings
from checks import check, end, needed
from desk import Client, command_line
from recordings import Program, Replay

# Items upstream, as the recordings' notes count them; each must become a fact, an earlier version or a reject.
EXPECTED = {
    "litellm": dict(facts=2984, rejects=0), "mcp-registry": dict(facts=1055, versions=2628 - 1055, rejects=0),
    "models-dev": dict(facts=5258, rejects=0), "openrouter": dict(facts=414, rejects=0), "huggingface": dict(facts=100),
    "anthropic-skills": dict(facts=13), "openai-skills": dict(facts=10), "vercel-agent-skills": dict(facts=7), "wshobson-skills": dict(facts=115),
    # The replay serves the index only: each of the seven listed files answers 404 and is a reject.
    "skills-wellknown": dict(facts=0, rejects=7), "mcp-docs": dict(facts=413, rejects=0), "vercel-ai-docs": dict(facts=514), "langchain-docs": dict(facts=1224),
    "hf-hub-docs": dict(facts=360), "prompt-engineering-guide": dict(facts=983), "tldr-pages": dict(facts=1685),
    "claude-cookbooks": dict(facts=76), "openai-cookbook": dict(facts=216), "mcp-servers-data": dict(facts=3273, rejects=1),
    "mental-models": dict(facts=120, rejects=0), "fabric": dict(facts=162, rejects=73), "composio-toolkits": dict(facts=530, rejects=0), "composio-tools": dict(facts=607, rejects=0),
}
SECONDS_MAX, MEGABYTES_MAX = 60, 1024
FAULTS = ["status500", "status404", "status429", "garbage", "truncate", "slow", "empty", "redirect", "html", "flaky"]


def coverage(program, options):
    """All recordings into an empty store, then again, then by hand."""
    sources = program.default_sources()
    with Replay() as replay:
        program.read_from(replay.base, sources)
        started = time.time()
        reports = [r for r in program.json("sync", codes=(0, 2)) if r["source_id"] != "starter-catalog"]
        seconds = time.time() - started
        megabytes = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        rows = []
        for report in reports:
            counts = report["counts"]
            check(f"{report['source_id']} result", (report["result"], report.get("error")), ("updated", None))
            total = counts["facts"] + counts["versions"] + counts["rejects"]
            check(f"{report['source_id']}: facts + versions + rejects", total, counts["items_upstream"])
            check(f"{report['source_id']}: uncounted", counts["uncounted"], 0)
            for name, wanted in EXPECTED.get(report["source_id"], {}).items():
                check(f"{report['source_id']} {name}", counts[name], wanted)
            rows.append((report["source_id"], counts["items_upstream"], counts["facts"], counts["versions"], counts["rejects"], counts["ignored"], report["duration_ms"] / 1000, report["bytes"]))
        # The second sync transfers nothing new and changes nothing but times.
        for report in program.json("sync"):
            counts = report["counts"]
            if report["source_id"] != "starter-catalog":
                check(f"{report['source_id']} resync", (report["result"], counts["added"], counts["changed"], counts["removed"]), ("confirmed", 0, 0, 0))
                check(f"{report['source_id']} resync unmodified", report["not_modified"], report["requests"])
        verification = program.json("verify")
        check("verify", verification["differences"], [])
        with program.serve() as desk:
            by_hand(desk, program)
            health = desk.json("/health")
    check("health", (health["status"], health["reasons"]), ("ok", []))
    total = ("**all**", *(sum(row[i] for row in rows) for i in range(1, 6)), seconds, sum(row[7] for row in rows))
    table = page.table(("source", "items upstream", "facts", "earlier versions", "rejects", "left out by name", "seconds", "bytes"), [(*row[:6], f"{row[6]:.1f}", f"{row[7]:,}") for row in [*rows, total]])
    kinds = ", ".join(f"{v['total']:,} {k}" for k, v in health["data_freshness"]["by_type"].items())
    text = f"{table}\nItems after resolution, starter catalog included: {kinds}.\n\nAll recordings in one `refdesk sync`: {seconds:.1f} s, at most {megabytes:.0f} MB of memory. Verified afterwards: {verification['checked']:,} hashes, no difference.\n"
    print(text)
    if options.release:
        check("seconds for all recordings", seconds < SECONDS_MAX, True)
        check("megabytes", megabytes < MEGABYTES_MAX, True)
    if options.write:
        with open(options.write, "w") as f:
            build = "--release --refdesk target/release/refdesk" if options.release else "--refdesk target/debug/refdesk"
            f.write(f"# Coverage of the upstreams\n\nMade by `scripts/rehearse.py {build} --write docs/coverage.md` on recorded upstreams, replayed on loopback. "
                    "Items upstream = facts + earlier versions + rejects, checked for every source; with what was left out by name they are what an independent count of the answers finds. A fact of a model is the model or an offer of one.\n\n" + text)


def by_hand(desk, program):
    """Known values, read out of the recordings by a person."""
    model = desk.json("/v1/models/gpt-4o-mini")["model"]
    check("gpt-4o-mini pricing.input", (model["pricing"]["input"], model["pricing"]["output"]), (0.15, 0.6))
    check("gpt-4o-mini is sold by others", len(model["offers"]) > 10, True)
    raw = desk.get("/v1/models/gpt-4o-mini").decode()
    check("prices without float noise", re.findall(r'"(?:input|output|price)":\d+\.\d{13,}', raw), [])
    server = desk.json("/v1/mcp-servers/" + urllib.parse.quote("ai.smithery/cuongpo-coti-mcp", safe=""))
    check("the server at a page boundary", server["mcp_server"]["name"], "ai.smithery/cuongpo-coti-mcp")
    documents = (desk.json("/v1/documents/" + d["id"]) for d in desk.pages("documents") if d["id"].startswith("mcp-docs-"))
    detail = next(d for d in documents if d["document"].get("body_missing") is None)
    document = detail["document"]
    body = desk.get("/v1/documents/" + document["id"], accept="text/markdown")
    check("SHA-256 of the raw bytes", "sha256:" + hashlib.sha256(body).hexdigest(), detail["evidence"]["content_hash"])
    tutorial = next(t for t in desk.pages("tutorials") if t["format"] == "notebook" and t["evidence_key"] and desk.json("/v1/tutorials/" + t["id"])["tutorial"].get("body_markdown"))
    text = desk.json("/v1/tutorials/" + tutorial["id"])["tutorial"]["body_markdown"]
    check("a notebook's body is Markdown with code", "```" in text and '"cells"' not in text, True)
    rejects = program.json("sources", "show", "anthropic-skills", "--rejects")["rejects"]
    check("the template is a reject with a reason", any("template" in r["key"] and r["reason"] for r in rejects), True)


def statements(program):
    """What the desk says, without times: revision-independent fingerprint of every fact."""
    with program.serve() as desk:
        out = {}
        for kind in ("models", "tools", "skills", "tutorials", "mcp-servers", "documents", "frameworks"):
            for row in desk.pages(kind, "&include_candidates=true" if kind == "frameworks" else ""):
                told = {k: v for k, v in row.items() if not k.endswith("_at") and k not in ("stale", "stale_fields", "offers")}
                out[kind, row["id"]] = (row["status"], row["evidence_key"], json.dumps(told, sort_keys=True), row["stale"] or "stale_fields" in row)
        return out, desk.json("/health"), desk.json("/v1/sources/status")


FAST = 'connect_timeout = "2s"\nread_timeout = "2s"\ntotal_timeout = "3s"\nretries_max = 2\nretry_base = "20ms"\nretry_wait_max = "200ms"\nretry_after_max = "1500ms"\n'
# Where nothing hangs, a machine that is full with other work needs more time to read an archive.
PATIENT = FAST.replace('total_timeout = "3s"', 'total_timeout = "30s"').replace('read_timeout = "2s"', 'read_timeout = "20s"')


# The source whose recording is the smallest of its connector's.
SMALL = {"skills-repo": "vercel-agent-skills", "markdown-docs": "agentskills-spec", "composio": "composio-toolkits", "cookbook": "claude-cookbooks"}


def one_per_connector(sources):
    chosen = {}
    for source in sources:
        if SMALL.get(source["connector"], source["id"]) == source["id"]:
            chosen.setdefault(source["connector"], source)
    return list(chosen.values())


def faults(program, options):
    """Every fault on every connector at once: no fact lost, the reason told, recovery by the next good sync."""
    sources = one_per_connector(program.default_sources())
    ids = [s["id"] for s in sources]
    with Replay() as good:
        program.read_from(good.base, sources, PATIENT)
        program.json("sync")
        before, _, _ = statements(program)
        for kind in options.kinds.split(",") if options.kinds else FAULTS:
            started = time.time()
            with Replay([f"{recordings.RECORDING.get(i, i)}={kind}" for i in ids]) as bad:
                program.read_from(bad.base, sources, FAST if kind == "slow" else PATIENT)
                reports = {r["source_id"]: r for r in program.json("sync", codes=(0, 2))}
                after, health, status = statements(program)
            # Who is heard may change where everything is stale, and then the row says so.
            lost = [key for key in before if key not in after or (after[key][2] != before[key][2] and not after[key][3])]
            check(f"{kind}: facts lost or changed", lost[:3], [])
            for source in status["sources"]:
                if source["id"] not in ids:
                    continue
                bad_result = reports[source["id"]]["result"]
                if kind == "flaky":
                    check(f"{kind} {source['id']}", bad_result in ("updated", "confirmed"), True)
                else:
                    check(f"{kind} {source['id']} is told", (source["status"] in ("failed", "quarantined"), bool(source["error"] and source["error"]["code"])), (True, True))
            if kind != "flaky":
                check(f"{kind}: health", (health["status"], bool(health["reasons"])), ("degraded", True))
            program.read_from(good.base, sources, PATIENT)
            recovered = {r["result"] for r in program.json("sync") if r["source_id"] in ids}
            check(f"{kind}: recovery", recovered <= {"updated", "confirmed"}, True)
            after, health, _ = statements(program)
            check(f"{kind}: as before", (sum(after.get(k, ("",) * 4)[2] != v[2] for k, v in before.items()), health["status"]), (0, "ok"))
            print(f"ok    fault {kind}: {len(ids)} connectors, {len(before)} items, none lost ({time.time() - started:.0f} s)")


def kills(program, options):
    """kill -9 at random moments of a sync: the store opens, and the catalog is the one before or the one after."""
    sources = [s for s in program.default_sources() if s["id"] in ("litellm", "llm-prices", "mcp-docs", "anthropic-skills", "mcp-registry")]
    rng = random.Random(7)
    with Replay() as replay:
        program.read_from(replay.base, sources, PATIENT)
        data = program.data
        program.json("sources")
        shutil.copytree(data, data + ".before")
        started = time.time()
        program.json("sync")
        whole = time.time() - started
        full, _, _ = statements(program)
        totals = {s["id"]: s["counts"]["total"] for s in program.json("sources")["sources"]}
        seen = collections.Counter()
        for n in range(options.kills):
            shutil.rmtree(data)
            shutil.copytree(data + ".before", data)
            process = subprocess.Popen(program.command("sync", "--json"), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=program.environment, cwd=program.folder)
            time.sleep(rng.uniform(0.02, whole))
            process.kill()
            process.wait()
            reports = program.json("sources")["sources"]
            for source in reports:
                if source["id"] in [s["id"] for s in sources]:
                    check(f"kill {n}: {source['id']} is whole or absent", source["counts"]["total"] in (0, totals[source["id"]]), True)
                    seen["after" if source["counts"]["total"] else "before"] += 1
            check(f"kill {n}: verify", program.json("verify")["differences"], [])
            program.json("sync")
            after, _, _ = statements(program)
            check(f"kill {n}: the next sync completes", len(after), len(full))
        print(f"ok    {options.kills} kills: sources found before {seen['before']}, after {seen['after']}, never in between")


class Reader(threading.Thread):
    """One client that asks a mix of questions over one connection without a pause, and keeps how long each answer took."""

    def __init__(self, base, paths):
        super().__init__(daemon=True)
        self.paths, self.times, self.failed, self.stopped = paths, [], [], threading.Event()
        self.client = Client(base, timeout=30)

    def run(self):
        for path in itertools.cycle(self.paths):
            if self.stopped.is_set():
                return
            begun = time.perf_counter()
            answer = self.client.tried(path)
            self.times.append(time.perf_counter() - begun)
            if answer.status != 200:
                self.failed.append((path, answer.status or answer.body))

    def measure(self, meanwhile):
        self.start()
        meanwhile()
        self.stopped.set()
        self.join()
        times = sorted(self.times)
        return {"requests": len(times), "failed": self.failed, **{name: 1000 * times[int(len(times) * share)] for name, share in (("p50", 0.5), ("p99", 0.99))}, "longest": 1000 * times[-1]}


def reads(program, options):
    """What a reader notices while every recording is synced into an empty store, and again into the full one."""
    rows = []

    def row(name, got, quiet):
        check(f"{name}: failed requests", got["failed"][:3], [])
        rows.append((name, f"{got['requests']:,}", len(got["failed"]), f"{got['p50']:.2f} ms", f"{got['p99']:.2f} ms", f"{got['longest']:.1f} ms", f"{got['p99'] / quiet['p99']:.1f}"))

    with Replay() as replay:
        program.read_from(replay.base)
        with program.serve() as desk:
            known = [f"/v1/models/{m['id']}" for m in desk.json("/v1/models/list?limit=20")["models"]]
            paths = known + [f"/v1/search?q={q}" for q in ("convert+speech+to+text", "postgres", "claude+opus", "resume+a+stream", "pdf")]
            paths += ["/v1/models/list?limit=100", "/v1/tools/list", "/v1/frameworks/route?q=we+keep+missing+deadlines", "/v1/sources/status"]

            def sync():
                program.json("sync")
                before, generation = None, desk.json("/version")["generation"]
                while before != generation:
                    time.sleep(4)
                    before, generation = generation, desk.json("/version")["generation"]

            for name in ("every recording comes into an empty store", "every recording is synced again"):
                quiet = Reader(desk.base, paths).measure(lambda: time.sleep(15))
                row("nothing", quiet, quiet)
                busy = Reader(desk.base, paths).measure(sync)
                row(name, busy, quiet)
            if options.release:
                check("p99 during the resync under three times the quiet one", busy["p99"] < 3 * quiet["p99"], True)
    text = page.table(("meanwhile", "requests", "failed", "p50", "p99", "longest", "p99 / quiet"), rows)
    print(text)
    if options.write:
        page.write_section(options.write, "Reads during a sync", "Made by `scripts/rehearse.py --refdesk target/release/refdesk --reads --write docs/reliability.md` on recorded upstreams, replayed on loopback: one client asks details, "
                           "searches, lists and routes over one connection without a pause, while another process runs `refdesk sync` over all sources and the server takes in what it brings. "
                           "Server, sync, replay and client share the machine's two cores. The quiet time before each sync is that of the catalog at that moment.\n\n" + text)


def cost_against(options):
    """What syncs of every recording cost over those of another binary: CPU time into an empty store, both taking turns; and instructions of
    a sync that finds everything unchanged, which takes too little time to be measured (valgrind counts them)."""
    def cpu_secs(program):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        program.json("sync", codes=(0, 2))
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def instructions(program):
        counted = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *program.command("sync")], capture_output=True, text=True, env=program.environment, cwd=program.folder)
        return int(re.search(r"Collected : (\d+)", counted.stderr).group(1))

    def turn(binary, last):
        with tempfile.TemporaryDirectory(prefix="refdesk-rehearsal-") as folder, Replay() as replay:
            program = Program(binary, folder)
            program.read_from(replay.base)
            return cpu_secs(program), instructions(program) if last else 0

    turns = [(turn(options.cost_against, last), turn(options.refdesk, last)) for last in (False, False, False, False, False, True)]
    other, ours = (sum(turn[side][0] for turn in turns) / len(turns) for side in (0, 1))
    rows = [("into an empty store, CPU seconds", f"{other:.2f}", f"{ours:.2f}", f"{ours / other:.2f}")]
    other, ours = (turns[-1][side][1] / 1e6 for side in (0, 1))
    rows.append(("unchanged, million instructions", f"{other:.0f}", f"{ours:.0f}", f"{ours / other:.2f}"))
    print(page.table(("sync of every recording", "other", "this", "ratio"), rows), end="")


def main():
    parser = command_line(__doc__)
    parser.add_argument("--release", action="store_true", help="also hold times and memory to their limits (a release build)")
    parser.add_argument("--write", help="write the table to this file")
    parser.add_argument("--fill", metavar="DIR", help="only sync every recording into this data directory, and build its catalog")
    parser.add_argument("--faults", action="store_true")
    parser.add_argument("--kinds", help="only these faults, comma-separated")
    parser.add_argument("--kills", type=int, default=0)
    parser.add_argument("--reads", action="store_true")
    parser.add_argument("--cost-against", metavar="BINARY")
    options = parser.parse_args()
    needed(recordings.REPLAY, "rehearsal skipped: ../shared/replay.py is not here")
    with tempfile.TemporaryDirectory(prefix="refdesk-rehearsal-", ignore_cleanup_errors=True) as folder:
        program = Program(options.refdesk, folder)
        if options.fill:
            with Replay() as replay:
                program.read_from(replay.base)
                program.data = os.path.abspath(options.fill)
                program.json("sync", codes=(0, 2))
            # Whoever serves it names none of the sources here.
            program.configure("")
            program.build_catalog("--offline")
        elif options.faults:
            faults(program, options)
        elif options.kills:
            kills(program, options)
        elif options.cost_against:
            cost_against(options)
        elif options.reads:
            reads(program, options)
        else:
            coverage(program, options)
    end()


if __name__ == "__main__":
    main()
