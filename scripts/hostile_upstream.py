#!/usr/bin/env python3
"""Attacks refdesk with crafted upstreams: every connector, on loopback. Standard library only; the upstreams are in crafted.py.

    scripts/hostile_upstream.py --refdesk target/release/refdesk                         every case on every connector
    scripts/hostile_upstream.py --refdesk target/debug/refdesk --short                   smaller, with a quarter of the memory
    scripts/hostile_upstream.py --refdesk … --cases growth,zeros                         some cases
    scripts/hostile_upstream.py --refdesk … --write docs/reliability.md                  the figures as a section of the page

In each case all connectors that it fits are attacked in one `refdesk sync`, beside one source that is good. Held to: the process ends by itself
with exit code 0 or 2 and without a panic; its highest memory (VmHWM) stays under sync_memory_max and what a process needs anyway; no fact of
a good day is lost and nothing that the attack brought is shown in its place; the good source syncs; the status tells what is wrong, in
text without control characters, and is due again within a day; with the good upstream back, the next sync recovers by itself. A record that
takes the id and name of an item of the good source does not take its place.
"""
import gzip, json, os, re, sqlite3, subprocess, sys, tempfile, threading, time

import crafted, page
from checks import end, fail, failures
from desk import Program, command_line, memory_mib, source, write_file

MIB = 1 << 20
MEMORY = {False: 1024, True: 256}      # sync_memory_max in MiB, long and short form
PROCESS = 96                            # MiB that a syncing process needs without any upstream: binary, store, starter catalog
ASKED_WAIT_MAX = 86_400
SECONDS_MAX = {False: 600, True: 240}   # for one sync of all connectors
HIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
GOOD = "bystander"
# Items of the good source, which crafted records try to take over: kind, the rest of the card, and the value that must stay.
OWNED = {"tool": ("category: lamps\n", "category"), "model": ("vendor: Lamp\npricing: {input: 3, output: 9}\n", "pricing"),
         "mcp_server": ("name: io.lamp/bystander\nrepository: {url: https://github.com/lamp/bystander}\n", "repository")}


def say(body, status="200 OK", headers=(), length=None):
    """An attack that always answers so; a `body` made from the source stands in place of its first answer only."""
    made = {}

    def attack(handler, source, rest):
        handler.respond(attack.make(source), status, headers, length)

    def make(source):
        if source.connector not in made:
            made[source.connector] = body(source) if callable(body) else body
        return made[source.connector]
    attack.make, attack.first_only = make, callable(body)
    return attack


def more(extra):
    """The good items and more of them."""
    return say(lambda source: source.wrap(source.items() + extra(source)))


def inside(written):
    """A record more, with something in it that no record should have."""
    return more(lambda source: [source.record(9000)[:-1] + b', "zz": ' + written + b"}"])


def wrapped(content):
    """A repository's archive whose unpacked bytes are these."""
    return say(lambda source: gzip.compress(content(source), 1))


SQUAT = "names that squat"
FRONT = "---\nname: x\ndescription: y\ntitle: z\nzz: {}\n---\n# T\n"
# Where each connector of a repository reads one item more, and what stands around its YAML.
READ = {"cards": ("tools/x.yaml", "{}"), "markdown-docs": ("docs/x.md", FRONT), "skills-repo": ("skills/x/SKILL.md", FRONT), "cookbook": ("registry.yaml", "{}"), "hf-cookbook": ("notebooks/en/x.md", FRONT),
        "docker-mcp": ("servers/x/server.yaml", "{}"), "mcp-servers-data": ("data/x/x.yml", "{}"), "methods-csv": ("src/other.csv", "method_name,description\n{}"), "patterns-repo": ("data/patterns/x/system.md", "{}")}


def with_file(content, path=None):
    """The good archive and one file more, which the connector reads."""
    def body(source):
        at, frame = READ[source.connector]
        head, tail = frame.encode().split(b"{}")
        data = head + content + tail if path is None else content
        raw = gzip.decompress(source.good())
        raw = raw[:len(raw.rstrip(b"\0"))]
        raw += b"\0" * (-len(raw) % 512)
        return gzip.compress(raw + crafted.header(f"repo-main/{path or at}", len(data)) + data + b"\0" * (-len(data) % 512) + bytes(1024), 1)
    return say(body)


def drip(handler, source, rest):
    handler.endless(b" ", 0.5)


def circle(handler, source, rest):
    handler.respond(b"", "302 Found", [f"Location: http://127.0.0.1:{handler.server.server_address[1]}/{source.connector}/{rest}x"])


def pages(cursor):
    """A list of pages without an end."""
    def attack(handler, source, rest):
        count = handler.server.upstream.asked[source.connector]
        body = source.good()
        if source.connector == "composio":
            body = body.replace(b'"next_cursor": null', b'"next_cursor": ' + json.dumps(cursor(count)).encode())
        elif source.connector == "mcp-registry":
            body = body.replace(b'"count": 1', b'"nextCursor": ' + json.dumps(cursor(count)).encode())
        host, _, path = rest.partition("/")
        link = [f"Link: <https://{host}/{path.split('?')[0]}?cursor={cursor(count)}>; rel=\"next\""]
        handler.respond(body, headers=link if source.connector == "huggingface" else [])
    return attack


JSON = lambda s: s.form == "json"
TAR = lambda s: s.form == "tar"
CURSORS = lambda s: s.connector in ("composio", "mcp-registry")
ANY = lambda s: True
CONTROLS = "N\u202egnp\u2066\x1b]0;x\x07\x9b31m\u200b\x00\x7f"


def bomb(gigabytes):
    return lambda handler, source, rest: handler.respond(crafted.zeros(gigabytes), headers=["Content-Encoding: gzip"])


def lines(source, count, start=100):
    return source.items(count, start)


def cases(short):
    """Name, whom it fits, the attack, and what must come of it: `told` (failed or quarantined), `kept` (taken, the bad one a reject), `either`."""
    flood, tiny, fat = (2_000, 40_000, 4) if short else (5_000, 150_000, 4)
    yield "retry-after seconds", ANY, say(b"", "429 Too Many Requests", ["Retry-After: 99999999999999"]), "told"
    yield "retry-after date", ANY, say(b"", "503 Busy", ["Date: Thu, 01 Jan 1970 00:00:00 GMT", "Retry-After: Fri, 31 Dec 9999 23:59:59 GMT"]), "told"
    yield "rate-limit headers", ANY, say(b"", "403 Forbidden", ["X-RateLimit-Remaining: 0", "X-RateLimit-Reset: 99999999999", "RateLimit: \"d\";r=0;t=99999999999"]), "told"
    yield "endless body", ANY, lambda h, s, r: h.endless(b"[" * 65536), "told"
    yield "endless zeros, gzip", ANY, bomb(0.5 if short else 3), "told"
    yield "drip", (lambda s: s.connector in ("litellm", "mcp-registry", "llms-txt", "cards")) if short else ANY, drip, "told"
    yield "huge headers", ANY, say(b"", "200 OK", ["X: " + "a" * 4_000_000]), "told"
    yield "very many headers", ANY, say(b"", "200 OK", [f"X-{n}: a" for n in range(20_000)]), "told"
    yield "body shorter than its length", ANY, say(lambda s: s.good()[:-9], length=1 << 20), "told"
    yield "length of an exabyte", ANY, say(lambda s: s.good(), length=1 << 60), "told"
    yield "body cut by its length", ANY, say(lambda s: s.good(), length=60), "told"
    yield "redirects in a circle", ANY, circle, "told"
    yield "redirect to the inside", ANY, say(b"", "302 Found", ["Location: http://169.254.169.254/latest/meta-data/"]), "told"
    yield "redirect to a file", ANY, say(b"", "302 Found", ["Location: file:///etc/passwd"]), "told"
    yield "200 with an error page", ANY, say(b"<!doctype html><title>Just a moment...</title>" + b"<div>" * 50_000), "told"
    yield "always 304", ANY, say(b"", "304 Not Modified", ['ETag: "other"']), "either"
    yield "unknown coding", ANY, say(lambda s: s.good(), headers=["Content-Encoding: gzip"]), "told"
    yield "utf-16", lambda s: not TAR(s), say(lambda s: s.good().decode().encode("utf-16")), "told"
    yield "empty list", ANY, say(lambda s: s.wrap([])), "told"
    yield "endless cursors", CURSORS, pages(lambda n: f"c{n}"), "told"
    yield "cursors in a circle", CURSORS, pages(lambda n: f"c{n % 3}"), "told"
    yield "hidden characters in cursors", CURSORS, pages(lambda n: "c\u202e\x1b[31m\x9b\u200b"), "told"
    yield "cursor of a megabyte", CURSORS, pages(lambda n: "c" * MIB), "told"
    # Equal bytes confirm what is stored, whatever header they come with.
    yield "endless links", lambda s: s.connector == "huggingface", pages(lambda n: f"c{n}"), "either"
    yield "growth", ANY, more(lambda s: lines(s, flood)), "told"
    yield "items without end", (lambda s: s.connector in ("litellm", "composio", "awesome-list", "cards")) if short else (lambda s: s.connector not in ("skills-wellknown", "llms-txt")), more(lambda s: lines(s, tiny)), "told"
    yield "record nested 100,000 deep", JSON, inside(b"[" * 100_000 + b"]" * 100_000), "kept"
    yield "record with 1e400", JSON, inside(b"1e400"), "kept"
    yield "record with NaN", JSON, inside(b"NaN"), "kept"
    yield "record with a key twice", JSON, inside(b'1, "zz": 2'), "kept"
    yield "record with half a character", JSON, inside(b'"\\ud800"'), "kept"
    yield "record that is no UTF-8", JSON, inside(b'"\xff\xfe"'), "kept"
    yield "record of 20 MB", JSON, inside(b'"' + b"n" * (20 * MIB) + b'"'), "kept"
    yield "key of 40 MB", JSON, inside(b'{"' + b"k" * (40 * MIB) + b'": 1}'), "kept"
    yield "records of a million nodes", JSON, more(lambda s: [s.record(n)[:-1] + b', "zz": [' + b"0," * 500_000 + b"0]}" for n in range(100, 100 + fat)]), "either"
    yield "list of 13 million zeros", JSON, say(lambda s: s.wrap([b"0," * ((3 if short else 13) * MIB) + b"0"]) if s.connector not in ("litellm", "models-dev") else b"[" + b"0," * (13 * MIB) + b"0]"), "told"
    yield "brackets", JSON, say(b"[" * (20 * MIB)), "told"
    yield "the same record twice", JSON, more(lambda s: s.items(1) + [s.record(0).replace(b"Lamp", b"Other").replace(b"1000", b"2000")]), "either"
    yield "escapes and bidirectional marks", JSON, more(lambda s: [re.sub(rb'"(name|display_name|vendor|description)": "', lambda m: m[0] + json.dumps(CONTROLS)[1:-1].encode(), s.record(9000))]), "either"
    yield "name of 20 KB", JSON, more(lambda s: [re.sub(rb'"(name|id|slug|code)": "', lambda m: m[0] + b"n" * 20_000, s.record(9000))]), "either"
    yield SQUAT, ANY, more(lambda s: [re.sub(rb"[A-Za-z_ -]*9000", b"bystander", s.record(9000))]), "either"
    yield "lines of 5 MB", lambda s: s.form == "lines", more(lambda s: [b"- [" + b"n" * (5 * MIB) + b"](https://lamp.example/x)", b"[" * (2 * MIB)]), "either"
    yield "archive of zeros", TAR, lambda h, s, r: h.respond(crafted.zeros(3 if not short else 0.6, crafted.header("repo-main/a/SKILL.md", 8 << 30))), "told"
    yield "name of a gigabyte", TAR, lambda h, s, r: h.respond(crafted.zeros(1.5 if not short else 0.5, crafted.header("././@LongLink", 1 << 30, b"L"))), "told"
    yield "attributes of a gigabyte", TAR, lambda h, s, r: h.respond(crafted.zeros(1.5 if not short else 0.5, crafted.header("pax", 1 << 30, b"x"))), "told"
    yield "very many entries", (lambda s: s.connector in ("cards", "hf-cookbook")) if short else TAR, wrapped(lambda s: crafted.header("repo-main/" + "d/" * 40 + "f.md", 0) * 250_000 + bytes(1024)), "told"
    yield "cut archive", TAR, say(lambda s: s.good()[:-20]), "told"
    yield "file of 20 MB", TAR, with_file(b"words " * (20 * MIB // 6)), "either"
    yield "file of 15 MB in one line", TAR, with_file(b"words " * (15 * MIB // 6)), "either"
    yield "paths out of the archive", TAR, with_file(b"# x\n", "../../../../etc/cron.d/lamp.md"), "either"
    yield "nested YAML", TAR, with_file(b"[" * 200_000), "either"
    yield "YAML of laughs", TAR, with_file(b"\na: &a [x,x,x,x,x,x,x,x,x]\n" + b"".join(b"%c: &%c [%s]\n" % (98 + n, 98 + n, b",".join([b"*%c" % (97 + n)] * 9)) for n in range(12))), "either"
    yield "nested Markdown", TAR, with_file(b"x\n---\n" + b"> " * 60_000 + b"x\n" + b"[" * 60_000 + b"*_" * 60_000), "either"
    yield "nested TOML", TAR, with_file(b"+++\na = " + b"[" * 200_000 + b"\n+++\n# T\n", "docs/toml.md"), "either"
    yield "notebook of empty cells", lambda s: s.connector == "cookbook", more(lambda s: [crafted.file("examples/x.ipynb", '{"cells": [' + "{}," * (5 * MIB) + "{}]}")]), "either"
    yield "registry of a million entries", lambda s: s.connector == "cookbook", with_file(b"- {}\n" * 1_000_000, "registry.yaml"), "told"
    yield "tools without end", lambda s: s.connector == "docker-mcp", with_file(b"[" + b",".join(b'{"name": "t%d"}' % n for n in range(100_000)) + b"]", "servers/lamp-0/tools.json"), "either"
    yield "rows without end", lambda s: s.connector == "methods-csv", with_file(b"method_name,description\n" + b"a,b\n" * (3 * MIB), "src/other-methods.csv"), "either"
    yield "card checked in 2999", lambda s: s.connector == "cards", more(lambda s: [crafted.file("tools/late.yaml", "kind: tool\nid: late\ndisplay_name: Late\nsource_url: https://lamp.example/\nchecked_on: 2999-01-01\ndescription: Late.\n")]), "kept"


class Desk(Program):
    def __init__(self, binary, folder, short):
        super().__init__(binary, folder, COMPOSIO_API_KEY="crafted", XDG_DATA_HOME=folder)
        self.short, self.turn, self.upstream = short, 0, crafted.Upstream()
        self.names = [source.connector for source in crafted.SOURCES]

    def read_from(self, *extra):
        """Takes the good source, all crafted ones, and these."""
        crafted_ones = [(name, name, self.upstream.url(name), one.options) for name, one in self.upstream.sources.items()]
        # All of one rank, and on: some ids are those of default sources, which state their own.
        self.configure(f'connect_timeout = "2s"\nread_timeout = "3s"\ntotal_timeout = "4s"\npass_timeout = "60s"\nretries_max = 1\nretry_base = "20ms"\nretry_after_max = "1s"\n'
                       f'sync_memory_max = {MEMORY[self.short] * MIB}\nlog = "warn"\ndefault_sources = false\n'
                       + "".join(source(*one, interval="6h", stale_after="30d", enabled=True, rank=100, trust_tier="official" if one[0] == GOOD else "community")
                                 for one in [*crafted_ones, (GOOD, "cards", "cards", {}), *extra]))

    def bystander(self):
        """The good source says something new each time."""
        self.turn += 1
        for kind, (more, _) in OWNED.items():
            write_file(os.path.join(self.folder, "cards", f"{kind}.yaml"), f"kind: {kind}\nid: bystander\ndisplay_name: Bystander\nsource_url: https://lamp.example/\ndescription: Turn {self.turn}.\n{more}")

    def owned(self):
        """What is shown under the name of the good source's items: name, source, and the field of OWNED, by kind."""
        found = {}
        for kind, (_, field) in OWNED.items():
            done = self.run("get", kind.replace("_", "-"), "bystander", "--json", codes=None)
            shown = json.loads(done.stdout) if done.returncode == 0 else {kind: {}, "evidence": {}}
            found[kind] = (shown[kind].get("display_name"), shown["evidence"].get("source_id"), shown[kind].get(field))
        return found

    def sync(self, *names):
        """Reports by source, the highest memory in MiB, seconds."""
        started = time.time()
        out, err = (tempfile.TemporaryFile(dir=self.folder) for _ in range(2))
        process = subprocess.Popen(self.command("sync", *names, "--json"), stdout=out, stderr=err, env=self.environment, cwd=self.folder)
        watchdog = threading.Timer(SECONDS_MAX[self.short], process.kill)
        watchdog.start()
        highest = 0
        while process.poll() is None:
            # ru_maxrss would hold the memory of this script, from before the binary ran.
            highest = max(highest, memory_mib(process.pid, "VmHWM"))
            time.sleep(0.01)
        watchdog.cancel()
        texts = [(f.seek(0), f.read().decode(errors="replace"))[1] for f in (out, err)]
        if process.returncode not in (0, 2):
            fail(f"a sync ended with {process.returncode}: {texts[1][-600:]}")
        if "panicked" in texts[1]:
            fail(f"a panic: {texts[1][-600:]}")
        for text in texts:
            hidden = HIDDEN.search(text.replace("\x1b[", "") if text is texts[1] else text)
            if hidden:
                fail(f"a control character on the way out: {text[max(0, hidden.start() - 80):hidden.end() + 20]!r}")
        try:
            reports = {report["source_id"]: report for report in json.loads(texts[0])}
        except ValueError:
            reports = {}
        return reports, highest, time.time() - started

    def statuses(self):
        done = self.run("sources", "--json", codes=None)
        if HIDDEN.search(re.sub(r"\\u00(0[0-8bcef]|1.|[89].)|\\u20[26]", lambda m: "\x01", done.stdout)):
            fail("a control character in the sources' status")
        return {source["id"]: source for source in json.loads(done.stdout)["sources"]}

    def facts(self):
        """What is shown of each source: fact -> its name."""
        store = sqlite3.connect(f"file:{os.path.join(self.folder, 'data', 'refdesk.sqlite3')}?mode=ro", uri=True)
        rows = store.execute("SELECT f.source_id, f.kind, f.key, f.content_hash, length(f.head) + length(f.fields) FROM facts f JOIN standings s ON s.fact_id = f.id WHERE s.removed_at IS NULL").fetchall()
        store.close()
        found = {}
        for origin, kind, key, content_hash, size in rows:
            found.setdefault(origin, {})[kind, key] = (content_hash, size)
        return found


def judge(name, wanted, hit, before, reports, status, facts):
    """What one attack left of one source."""
    result = reports.get(hit, {}).get("result")
    # The index of a site is a document itself, and may rightly say something else.
    lost = [key for key, (content_hash, _) in before[hit].items() if facts.get(hit, {}).get(key, ("",))[0] != content_hash and not key[1].endswith("/llms.txt")]
    if lost:
        fail(f"{name}, {hit}: {len(lost)} facts of a good day are lost or other: {lost[:2]}")
    told = result in ("failed", "quarantined")
    if wanted == "told" and not told:
        fail(f"{name}, {hit}: {result}, wanted failed or quarantined")
    if wanted == "kept" and (result != "updated" or reports[hit]["counts"]["rejects"] < 1):
        fail(f"{name}, {hit}: {result} {reports.get(hit)}, wanted updated with a reject")
    if told and not (status["error"] or {}).get("code"):
        fail(f"{name}, {hit}: the status tells nothing")
    if told and status["status"] not in ("failed", "quarantined"):
        fail(f"{name}, {hit}: the status is {status['status']}")
    for (kind, key), (_, size) in facts.get(hit, {}).items():
        if size > 3 * MIB or len(key) > 2048:
            fail(f"{name}, {hit}: a fact of {size} bytes is shown, its key has {len(key)} characters")
    due = status["next_due_at"]
    if due and time.mktime(time.strptime(due, "%Y-%m-%dT%H:%M:%SZ")) - time.timezone - time.time() > ASKED_WAIT_MAX + 60:
        fail(f"{name}, {hit}: due only at {due}")
    return reports.get(hit, {}).get("error", {}).get("code", result) if told else result


def health(desk):
    """Status and reasons, as a service over the store tells them."""
    with desk.serve("--set", "sync=false") as service:
        told = service.json("/health")
    return told["status"], told["reasons"]


def run_case(desk, name, fits, attack, wanted, before):
    hits = [source.connector for source in crafted.SOURCES if fits(source)]
    desk.upstream.attacks, desk.upstream.asked = {hit: attack for hit in hits}, {}
    if getattr(attack, "first_only", False):
        # Made before it is asked for, so that the time is that of the desk.
        for hit in hits:
            attack.make(desk.upstream.sources[hit])
    desk.bystander()
    owned = desk.owned() if name == SQUAT else None
    reports, mebibytes, seconds = desk.sync(*hits, GOOD)
    facts, statuses = desk.facts(), desk.statuses()
    if reports.get(GOOD, {}).get("result") != "updated":
        fail(f"{name}: the good source beside it: {reports.get(GOOD)}")
    ends = {}
    for hit in hits:
        end = judge(name, wanted, hit, before, reports, statuses[hit], facts)
        ends[end] = ends.get(end, 0) + 1
    if mebibytes > MEMORY[desk.short] + PROCESS:
        fail(f"{name}: {mebibytes:.0f} MiB of memory, more than sync_memory_max = {MEMORY[desk.short]} MiB and {PROCESS}")
    if name == SQUAT and desk.owned() != owned:
        fail(f"{name}: {desk.owned()} in place of {owned}")
    desk.upstream.attacks = {}
    reports, _, _ = desk.sync(*hits)
    sick = [f"{hit} {report['result']} {(report.get('error') or {}).get('message', '')[:200]}" for hit, report in reports.items() if report["result"] not in ("updated", "confirmed")]
    if sick or set(reports) != set(hits):
        fail(f"{name}: no recovery: {sick[:3]}")
    facts = desk.facts()
    other = [hit for hit in hits if {k: v[0] for k, v in facts.get(hit, {}).items()} != {k: v[0] for k, v in before[hit].items()}]
    if other:
        fail(f"{name}: not as before: {other}")
    shown = ", ".join(f"{n}× {end}" for end, n in sorted(ends.items(), key=lambda item: str(item[0])))
    print(f"{name:34} {len(hits):2} connectors  {mebibytes:6.0f} MiB  {seconds:5.1f} s  {shown}", flush=True)
    return name, len(hits), mebibytes, seconds, shown


def tls(desk):
    """TLS failures have their own code and are not tried again."""
    rows = []
    for how in ("plain", "hangup"):
        listener, seen = crafted.dead_tls(how)
        desk.read_from(("tls", "litellm", f"https://127.0.0.1:{listener.getsockname()[1]}/prices.json", {}))
        reports, mebibytes, seconds = desk.sync("tls")
        report = reports.get("tls", {})
        if (report.get("error") or {}).get("code") != "tls" or len(seen) != 1:
            fail(f"TLS that is {how}: {report.get('error')}, {len(seen)} connections; wanted the code `tls` and one")
        listener.close()
        rows.append((f"TLS: {'an upstream that speaks plain HTTP' if how == 'plain' else 'an upstream that hangs up'}", 1, mebibytes, seconds, "tls"))
    desk.read_from()
    return rows


def main():
    parser = command_line(__doc__)
    parser.add_argument("--short", action="store_true", help="smaller attacks, with a quarter of the memory")
    parser.add_argument("--cases", help="only cases whose names hold one of these, comma-separated")
    parser.add_argument("--write", help="write the figures to this page")
    options = parser.parse_args()
    started, rows = time.time(), []
    with tempfile.TemporaryDirectory(prefix="refdesk-crafted-", ignore_cleanup_errors=True) as folder:
        desk = Desk(options.refdesk, folder, options.short)
        desk.read_from()
        desk.bystander()
        reports, idle, _ = desk.sync()
        bad = [report for report in reports.values() if report["result"] not in ("updated", "confirmed")]
        if bad or len(reports) < len(crafted.SOURCES):
            sys.exit(f"the good upstreams do not sync: {bad}")
        before = desk.facts()
        empty = [name for name in desk.names if not before.get(name)]
        if empty:
            sys.exit(f"the good upstreams give no facts: {empty}")
        chosen = [case for case in cases(options.short) if not options.cases or any(part in case[0] for part in options.cases.split(","))]
        for case in chosen:
            rows.append(run_case(desk, *case, before))
        if not options.cases:
            rows += tls(desk)
            desk.upstream.attacks = {name: say(b"", "500 No") for name in desk.names}
            desk.sync()
            told = health(desk)
            if told[0] != "degraded" or len(told[1]) < len(desk.names):
                fail(f"health says {told} with every upstream down")
            desk.upstream.attacks = {}
            desk.sync()
            if health(desk)[0] != "ok":
                fail(f"health at the end: {health(desk)}")
    told = f"{len(rows)} cases on {len(crafted.SOURCES)} connectors in {time.time() - started:.0f} s, {len(failures)} failures; memory of a good sync {idle:.0f} MiB"
    if options.write and rows:
        table = page.table(("case", "connectors", "highest memory", "time", "came of it"), [(n, c, f"{m:.0f} MiB", f"{s:.1f} s", e) for n, c, m, s, e in rows])
        page.write_section(options.write, "Crafted upstreams", f"Made by `scripts/hostile_upstream.py --refdesk {options.refdesk}{' --short' if options.short else ''} --write {options.write}`: in each case all connectors that it fits "
                           f"are attacked in one `refdesk sync` beside a good source, and the good upstreams come back afterwards. sync_memory_max is {MEMORY[options.short]} MiB; a sync of good upstreams takes {idle:.0f} MiB. "
                           f"The script's docstring tells what is held; there were {len(failures)} failures.\n\n" + table)
    end(told)


if __name__ == "__main__":
    main()
