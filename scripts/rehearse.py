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
import argparse, collections, hashlib, http.client, itertools, json, os, random, re, resource, shutil, signal, subprocess, sys, tempfile, threading, time, urllib.parse, urllib.request

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
REPLAY = os.path.join(ROOT, "..", "shared", "replay.py")
# Recordings whose name is not the id of the default source.
RECORDING = {"huggingface": "hf-models", "docker-mcp": "docker-mcp-registry", "mcp-servers-data": "awesome-mcp-servers-data", "mental-models": "hummbl-base120"}
# The recording's first page has another size than the default url asks for.
URL = {"huggingface": "https://huggingface.co/api/models?sort=downloads&direction=-1&limit=40&full=true"}
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
failures = []


def check(what, got, wanted):
    if got != wanted:
        failures.append(f"{what}: got {got!r}, wanted {wanted!r}")
        print("FAIL ", failures[-1])


class Replay:
    """replay.py on a free port."""
    def __init__(self, faults=()):
        args = [sys.executable, REPLAY, "--port", "0", "--quiet"] + [x for f in faults for x in ("--fault", f)]
        # Clients that give up in the middle of an answer are the point of a fault; the replay's complaints about them are not.
        self.process = subprocess.Popen(args, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.base = self.process.stdout.readline().strip()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()


class Desk:
    """A refdesk with its own data directory and configuration."""
    def __init__(self, binary, folder):
        self.binary, self.folder = os.path.abspath(binary), folder
        self.config = os.path.join(folder, "refdesk.toml")
        self.data = os.path.join(folder, "data")
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith("REFDESK_")}
        self.environment.update(COMPOSIO_API_KEY="rehearsal", XDG_DATA_HOME=folder)

    def command(self, *args):
        return [self.binary, "--config", self.config, "--data-dir", self.data, *args]

    def run(self, *args, json_answer=True, codes=(0,)):
        done = subprocess.run(self.command(*args, *(["--json"] if json_answer else [])), capture_output=True, env=self.environment, cwd=self.folder)
        if codes is not None and done.returncode not in codes:
            sys.exit(f"refdesk {' '.join(args)} ended with {done.returncode}: {done.stderr.decode(errors='replace')[:2000]}{done.stdout.decode(errors='replace')[:1000]}")
        return json.loads(done.stdout) if json_answer else done.stdout

    def default_sources(self):
        open(self.config, "w").close()
        return [s for s in self.run("config", "show")["sources"] if not s["url"].startswith("bundled:")]

    def configure(self, sources, base, settings=""):
        with open(self.config, "w") as f:
            f.write(settings + "\ndefault_sources = false\n")
            for source in sources:
                url = URL.get(source["id"], source["url"]).replace("https://", f"{base}/{RECORDING.get(source['id'], source['id'])}/", 1)
                f.write(f"[[sources]]\nid = {json.dumps(source['id'])}\nconnector = {json.dumps(source['connector'])}\nurl = {json.dumps(url)}\nenabled = true\n")
                f.write(f"interval = \"1d\"\nstale_after = \"30d\"\nrank = {source['rank']}\ntrust_tier = {json.dumps(source['trust_tier'])}\n")
                if source.get("options"):
                    f.write("[sources.options]\n" + "".join(f"{k} = {json.dumps(v)}\n" for k, v in source["options"].items()))

    def serve(self):
        return Service(self)


class Service:
    def __init__(self, desk):
        self.process = subprocess.Popen(desk.command("serve", "--listen", "127.0.0.1:0", "--rate-limit-anon", "0", "--set", "sync=false"), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=desk.environment)
        self.base = self.process.stdout.readline().strip().removeprefix("listening on ")

    def get(self, path, accept="application/json"):
        request = urllib.request.Request(self.base + path, headers={"Accept": accept})
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=30) as answer:
            return answer.read()

    def json(self, path):
        return json.loads(self.get(path))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()


def coverage(desk, options):
    """All recordings into an empty store, then again, then by hand."""
    sources = desk.default_sources()
    with Replay() as replay:
        desk.configure(sources, replay.base)
        started = time.time()
        reports = [r for r in desk.run("sync", codes=(0, 2)) if r["source_id"] != "starter-catalog"]
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
        for report in desk.run("sync"):
            counts = report["counts"]
            if report["source_id"] != "starter-catalog":
                check(f"{report['source_id']} resync", (report["result"], counts["added"], counts["changed"], counts["removed"]), ("confirmed", 0, 0, 0))
                check(f"{report['source_id']} resync unmodified", report["not_modified"], report["requests"])
        verification = desk.run("verify")
        check("verify", verification["differences"], [])
        with desk.serve() as service:
            by_hand(service, desk)
            health = service.json("/health")
    check("health", (health["status"], health["reasons"]), ("ok", []))
    table = ["| source | items upstream | facts | earlier versions | rejects | left out by name | seconds | bytes |", "|---|---|---|---|---|---|---|---|"]
    table += ["| %s | %d | %d | %d | %d | %d | %.1f | %s |" % (*row[:7], f"{row[7]:,}") for row in rows]
    total = [sum(row[i] for row in rows) for i in range(1, 8)]
    table.append("| **all** | %d | %d | %d | %d | %d | %.1f | %s |" % (*total[:5], seconds, f"{total[6]:,}"))
    kinds = ", ".join(f"{v['total']:,} {k}" for k, v in health["data_freshness"]["by_type"].items())
    text = "\n".join(table) + f"\n\nItems after resolution, starter catalog included: {kinds}.\n\nAll recordings in one `refdesk sync`: {seconds:.1f} s, at most {megabytes:.0f} MB of memory. Verified afterwards: {verification['checked']:,} hashes, no difference.\n"
    print(text)
    if options.release:
        check("seconds for all recordings", seconds < SECONDS_MAX, True)
        check("megabytes", megabytes < MEGABYTES_MAX, True)
    if options.write:
        with open(options.write, "w") as f:
            build = "--release --refdesk target/release/refdesk" if options.release else "--refdesk target/debug/refdesk"
            f.write(f"# Coverage of the upstreams\n\nMade by `scripts/rehearse.py {build} --write docs/coverage.md` on recorded upstreams, replayed on loopback. "
                    "Items upstream = facts + earlier versions + rejects, checked for every source; with what was left out by name they are what an independent count of the answers finds. A fact of a model is the model or an offer of one.\n\n" + text)


def by_hand(service, desk):
    """Known values, read out of the recordings by a person."""
    model = service.json("/v1/models/gpt-4o-mini")["model"]
    check("gpt-4o-mini pricing.input", (model["pricing"]["input"], model["pricing"]["output"]), (0.15, 0.6))
    check("gpt-4o-mini is sold by others", len(model["offers"]) > 10, True)
    raw = service.get("/v1/models/gpt-4o-mini").decode()
    check("prices without float noise", re.findall(r'"(?:input|output|price)":\d+\.\d{13,}', raw), [])
    server = service.json("/v1/mcp-servers/" + urllib.parse.quote("ai.smithery/cuongpo-coti-mcp", safe=""))
    check("the server at a page boundary", server["mcp_server"]["name"], "ai.smithery/cuongpo-coti-mcp")
    documents = (service.json("/v1/documents/" + d["id"]) for d in pages(service, "documents") if d["id"].startswith("mcp-docs-"))
    detail = next(d for d in documents if d["document"].get("body_missing") is None)
    document = detail["document"]
    body = service.get("/v1/documents/" + document["id"], accept="text/markdown")
    check("SHA-256 of the raw bytes", "sha256:" + hashlib.sha256(body).hexdigest(), detail["evidence"]["content_hash"])
    tutorial = next(t for t in pages(service, "tutorials") if t["format"] == "notebook" and t["evidence_key"] and service.json("/v1/tutorials/" + t["id"])["tutorial"].get("body_markdown"))
    text = service.json("/v1/tutorials/" + tutorial["id"])["tutorial"]["body_markdown"]
    check("a notebook's body is Markdown with code", "```" in text and '"cells"' not in text, True)
    rejects = desk.run("sources", "show", "anthropic-skills", "--rejects")["rejects"]
    check("the template is a reject with a reason", any("template" in r["key"] and r["reason"] for r in rejects), True)


def pages(service, kind):
    offset = 0
    while offset is not None:
        page = service.json(f"/v1/{kind}/list?limit=500&offset={offset}")
        yield from page[kind.replace("-", "_")]
        offset = page["next_offset"]


def statements(desk):
    """What the desk says, without times: revision-independent fingerprint of every fact."""
    with desk.serve() as service:
        out = {}
        for kind, path in (("models", "models"), ("tools", "tools"), ("skills", "skills"), ("tutorials", "tutorials"), ("mcp_servers", "mcp-servers"), ("documents", "documents"), ("frameworks", "frameworks")):
            offset = 0
            while offset is not None:
                page = service.json(f"/v1/{path}/list?limit=500&offset={offset}" + ("&include_candidates=true" if kind == "frameworks" else ""))
                for row in page[kind]:
                    out[kind, row["id"]] = (row["status"], row["evidence_key"], json.dumps({k: v for k, v in row.items() if not k.endswith("_at") and k not in ("stale", "stale_fields", "offers")}, sort_keys=True), row["stale"] or "stale_fields" in row)
                offset = page["next_offset"]
        return out, service.json("/health"), service.json("/v1/sources/status")


FAST = 'connect_timeout = "2s"\nread_timeout = "2s"\ntotal_timeout = "3s"\nretries_max = 2\nretry_base = "20ms"\nretry_wait_max = "200ms"\nretry_after_max = "1500ms"\n'


# The source whose recording is the smallest of its connector's.
SMALL = {"skills-repo": "vercel-agent-skills", "markdown-docs": "agentskills-spec", "composio": "composio-toolkits", "cookbook": "claude-cookbooks"}


def one_per_connector(sources):
    chosen = {}
    for source in sources:
        if SMALL.get(source["connector"], source["id"]) == source["id"]:
            chosen.setdefault(source["connector"], source)
    return list(chosen.values())


def faults(desk, options):
    """Every fault on every connector at once: no fact lost, the reason told, recovery by the next good sync."""
    sources = one_per_connector(desk.default_sources())
    ids = [s["id"] for s in sources]
    with Replay() as good:
        desk.configure(sources, good.base, FAST)
        desk.run("sync")
        before, _, _ = statements(desk)
        for kind in options.kinds.split(",") if options.kinds else FAULTS:
            started = time.time()
            with Replay([f"{RECORDING.get(i, i)}={kind}" for i in ids]) as bad:
                desk.configure(sources, bad.base, FAST)
                reports = {r["source_id"]: r for r in desk.run("sync", codes=(0, 2))}
                after, health, status = statements(desk)
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
            desk.configure(sources, good.base, FAST)
            recovered = {r["result"] for r in desk.run("sync") if r["source_id"] in ids}
            check(f"{kind}: recovery", recovered <= {"updated", "confirmed"}, True)
            after, health, _ = statements(desk)
            check(f"{kind}: as before", (sum(after.get(k, ("",) * 4)[2] != v[2] for k, v in before.items()), health["status"]), (0, "ok"))
            print(f"ok    fault {kind}: {len(ids)} connectors, {len(before)} items, none lost ({time.time() - started:.0f} s)")


def kills(desk, options):
    """kill -9 at random moments of a sync: the store opens, and the catalog is the one before or the one after."""
    sources = [s for s in desk.default_sources() if s["id"] in ("litellm", "llm-prices", "mcp-docs", "anthropic-skills", "mcp-registry")]
    rng = random.Random(7)
    with Replay() as replay:
        desk.configure(sources, replay.base, FAST)
        data = desk.data
        desk.run("sources")
        shutil.copytree(data, data + ".before")
        started = time.time()
        desk.run("sync")
        whole = time.time() - started
        full, _, _ = statements(desk)
        totals = {s["id"]: s["counts"]["total"] for s in desk.run("sources")["sources"]}
        seen = collections.Counter()
        for n in range(options.kills):
            shutil.rmtree(data)
            shutil.copytree(data + ".before", data)
            process = subprocess.Popen(desk.command("sync", "--json"), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=desk.environment, cwd=desk.folder)
            time.sleep(rng.uniform(0.02, whole))
            process.send_signal(signal.SIGKILL)
            process.wait()
            reports = desk.run("sources")["sources"]
            for source in reports:
                if source["id"] in [s["id"] for s in sources]:
                    check(f"kill {n}: {source['id']} is whole or absent", source["counts"]["total"] in (0, totals[source["id"]]), True)
                    seen["after" if source["counts"]["total"] else "before"] += 1
            check(f"kill {n}: verify", desk.run("verify")["differences"], [])
            desk.run("sync")
            after, _, _ = statements(desk)
            check(f"kill {n}: the next sync completes", len(after), len(full))
        print(f"ok    {options.kills} kills: sources found before {seen['before']}, after {seen['after']}, never in between")


class Reader(threading.Thread):
    """One client that asks a mix of questions over one connection without a pause, and keeps how long each answer took."""

    def __init__(self, base, paths):
        super().__init__(daemon=True)
        self.paths, self.times, self.failed, self.stopped = paths, [], [], threading.Event()
        self.connection = http.client.HTTPConnection(base.removeprefix("http://"), timeout=30)

    def run(self):
        for path in itertools.cycle(self.paths):
            if self.stopped.is_set():
                return
            begun = time.perf_counter()
            try:
                self.connection.request("GET", path)
                answer = self.connection.getresponse()
                answer.read()
                status = answer.status
            except (OSError, http.client.HTTPException) as error:
                self.connection.close()
                status = repr(error)
            self.times.append(time.perf_counter() - begun)
            if status != 200:
                self.failed.append((path, status))

    def measure(self, meanwhile):
        self.start()
        meanwhile()
        self.stopped.set()
        self.join()
        times = sorted(self.times)
        return {"requests": len(times), "failed": self.failed, **{name: 1000 * times[int(len(times) * share)] for name, share in (("p50", 0.5), ("p99", 0.99))}, "longest": 1000 * times[-1]}


def reads(desk, options):
    """What a reader notices while every recording is synced into an empty store, and again into the full one."""
    table = ["| meanwhile | requests | failed | p50 | p99 | longest | p99 / quiet |", "|---|---|---|---|---|---|---|"]

    def row(name, got, quiet):
        check(f"{name}: failed requests", got["failed"][:3], [])
        table.append(f"| {name} | {got['requests']:,} | {len(got['failed'])} | {got['p50']:.2f} ms | {got['p99']:.2f} ms | {got['longest']:.1f} ms | {got['p99'] / quiet['p99']:.1f} |")

    with Replay() as replay:
        desk.configure(desk.default_sources(), replay.base)
        with desk.serve() as service:
            known = [f"/v1/models/{m['id']}" for m in service.json("/v1/models/list?limit=20")["models"]]
            paths = known + [f"/v1/search?q={q}" for q in ("convert+speech+to+text", "postgres", "claude+opus", "resume+a+stream", "pdf")]
            paths += ["/v1/models/list?limit=100", "/v1/tools/list", "/v1/frameworks/route?q=we+keep+missing+deadlines", "/v1/sources/status"]

            def sync():
                desk.run("sync")
                before, generation = None, service.json("/version")["generation"]
                while before != generation:
                    time.sleep(4)
                    before, generation = generation, service.json("/version")["generation"]

            for name in ("every recording comes into an empty store", "every recording is synced again"):
                quiet = Reader(service.base, paths).measure(lambda: time.sleep(15))
                row("nothing", quiet, quiet)
                busy = Reader(service.base, paths).measure(sync)
                row(name, busy, quiet)
            if options.release:
                check("p99 during the resync under three times the quiet one", busy["p99"] < 3 * quiet["p99"], True)
    text = "\n".join(table) + "\n"
    print(text)
    if options.write:
        head, _, rest = open(options.write).read().partition("## Reads during a sync\n")
        _, mark, rest = rest.partition("\n## ")
        told = ("Made by `scripts/rehearse.py --refdesk target/release/refdesk --reads --write docs/reliability.md` on recorded upstreams, replayed on loopback: one client asks details, "
                "searches, lists and routes over one connection without a pause, while another process runs `refdesk sync` over all sources and the server takes in what it brings. "
                "Server, sync, replay and client share the machine's two cores. The quiet time before each sync is that of the catalog at that moment.\n\n")
        open(options.write, "w").write(f"{head.rstrip()}\n\n## Reads during a sync\n\n{told}{text}{mark}{rest}")


def cost_against(options):
    """What syncs of every recording cost over those of another binary: CPU time into an empty store, both taking turns; and instructions of
    a sync that finds everything unchanged, which takes too little time to be measured (valgrind counts them)."""
    def cpu_secs(desk):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        desk.run("sync", codes=(0, 2))
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def instructions(desk):
        counted = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *desk.command("sync")], capture_output=True, text=True, env=desk.environment, cwd=desk.folder)
        return int(re.search(r"Collected : (\d+)", counted.stderr).group(1))

    def turn(binary, last):
        with tempfile.TemporaryDirectory(prefix="refdesk-rehearsal-") as folder, Replay() as replay:
            desk = Desk(binary, folder)
            desk.configure(desk.default_sources(), replay.base)
            return cpu_secs(desk), instructions(desk) if last else 0

    turns = [(turn(options.cost_against, last), turn(options.refdesk, last)) for last in (False, False, False, False, False, True)]
    other, ours = (sum(turn[side][0] for turn in turns) / len(turns) for side in (0, 1))
    print("| sync of every recording | other | this | ratio |\n|---|---|---|---|")
    print(f"| into an empty store, CPU seconds | {other:.2f} | {ours:.2f} | {ours / other:.2f} |")
    other, ours = (turns[-1][side][1] / 1e6 for side in (0, 1))
    print(f"| unchanged, million instructions | {other:.0f} | {ours:.0f} | {ours / other:.2f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--refdesk", required=True, help="the binary")
    parser.add_argument("--release", action="store_true", help="also hold times and memory to their limits (a release build)")
    parser.add_argument("--write", help="write the table to this file")
    parser.add_argument("--fill", metavar="DIR", help="only sync every recording into this data directory")
    parser.add_argument("--faults", action="store_true")
    parser.add_argument("--kinds", help="only these faults, comma-separated")
    parser.add_argument("--kills", type=int, default=0)
    parser.add_argument("--reads", action="store_true")
    parser.add_argument("--cost-against", metavar="BINARY")
    options = parser.parse_args()
    if not os.path.isfile(REPLAY):
        print("rehearsal skipped: ../shared/replay.py is not here")
        sys.exit(1 if os.environ.get("REFDESK_TEST_ALL") == "1" else 0)
    folder = tempfile.mkdtemp(prefix="refdesk-rehearsal-")
    try:
        desk = Desk(options.refdesk, folder)
        if options.fill:
            with Replay() as replay:
                desk.configure(desk.default_sources(), replay.base)
                desk.data = options.fill
                desk.run("sync", codes=(0, 2))
        elif options.faults:
            faults(desk, options)
        elif options.kills:
            kills(desk, options)
        elif options.cost_against:
            cost_against(options)
        elif options.reads:
            reads(desk, options)
        else:
            coverage(desk, options)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(f"{len(failures)} failures")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
