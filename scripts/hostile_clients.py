#!/usr/bin/env python3
"""Attacks a refdesk of its own as hostile clients do, while a bystander looks things up and probes it. Standard library only.

    scripts/hostile_clients.py --refdesk target/release/refdesk                               each attack for 20 seconds
    scripts/hostile_clients.py --refdesk … --short                                            2 seconds each, for CI
    scripts/hostile_clients.py --refdesk … --only pages,"long questions"                      these attacks only
    scripts/hostile_clients.py --refdesk … --write docs/reliability.md                        the figures as a section of the page

Asserts, during every attack: no probe of the bystander (/livez, /readyz, /health, /metrics) fails, none of its look-ups fails, and 99 of
100 look-ups take at most 50 ms. In the short form, which runs on machines that do other things too, that bound is SHORT_P99_MS.
Besides: what each attack has to be answered with, and that keep-alive clients lose no request at SIGTERM.
"""
import argparse, http.client, json, os, random, re, resource, socket, subprocess, sys, tempfile, threading, time, urllib.parse

import page
from checks import end, fail
from desk import Program, ask, command_line, memory_mib, source, write_file

P99_MS = 50
SHORT_P99_MS = 1000
UNFINISHED = 530          # more than the requests that may run at once
IDLE = 4300               # more than the connections that may be open at once
NEVER_READING = 150
THREADS = 4
PROBES = ("/livez", "/readyz", "/health", "/metrics")
LOOKUPS = ("/v1/models/claude-sonnet-4-5", "/v1/search?q=postgres", "/v1/models/list?limit=20", "/v1/frameworks/premortem")
JSON = {"content-type": "application/json", "accept": "application/json, text/event-stream"}


# The bystander: a process of its own, so that the attackers do not slow its clock.

def bystander(address, seconds):
    took, lookups_failed, probes_failed, what = [], 0, 0, []
    end, turn = time.time() + seconds, 0
    while time.time() < end:
        for target, probe in ((LOOKUPS[turn % len(LOOKUPS)], False), (PROBES[turn % len(PROBES)], True)):
            begun = time.perf_counter()
            try:
                status = ask(address, target, timeout=10).status
            except (OSError, http.client.HTTPException) as error:
                status = repr(error)
            if not probe:
                took.append((time.perf_counter() - begun) * 1000)
            if status != 200:
                what.append(f"{target}: {status}")
                probes_failed += probe
                lookups_failed += not probe
        turn += 1
        time.sleep(0.005)
    took.sort()
    print(json.dumps({"lookups": len(took), "median": took[len(took) // 2], "p99": took[len(took) * 99 // 100], "longest": took[-1],
                      "lookups_failed": lookups_failed, "probes_failed": probes_failed, "what": what[:5]}))


# What hostile documents hold: texts that cost a parser time by the square of their length.

def documents():
    deep = 60_000
    yield "quotes", ">" * deep + "x\n" + "y\n" * deep
    yield "lists", "- " * deep + "x\n" + "\n" * deep
    yield "elements", "<div>" * deep
    yield "misnested", "<b><div></b>" * (deep // 2)
    yield "repeated", "".join(f"<font color=a{n}>" for n in range(90)) + "<p>x" * deep
    yield "attributes", "<a " + " ".join(f"a{n}" for n in range(deep)) + ">x</a>"
    yield "tables", "<table><tr><td>" * deep
    yield "links", "[a](" * deep
    yield "emphasis", "*a _b " * deep
    yield "comments", "<!--" * deep
    for n in range(12):
        yield f"long-{n}", (f"# Part {n}\n\n" + "Some *words* with `code` and [links](https://a.example/b).\n\n- one\n- two\n\n") * 4000


class Hostile(Program):
    """A folder whose cards are hostile documents."""
    def __init__(self, binary, folder):
        super().__init__(binary, folder)
        for name, text in documents():
            write_file(os.path.join(folder, "cards", f"hostile-{name}.md"), f"---\nkind: skill\nid: hostile-{name}\ndisplay_name: Hostile {name}\nsource_url: https://hostile.example/{name}\n"
                       f"name: hostile-{name}\ndescription: A hostile text.\n---\n\n# Hostile\n\n{text}\n")
        self.configure("default_sources = false\n" + source("hostile", "cards", "cards", interval="1h"))
        self.run("sync", "hostile")


class Target:
    """A desk that is attacked."""
    def __init__(self, program, limit="0"):
        self.desk = program.serve("--offline", "--rate-limit-anon", limit)
        self.address, self.process = self.desk.address, self.desk.process

    def connect(self, timeout=10):
        host, port = self.address.rsplit(":", 1)
        return socket.create_connection((host, int(port)), timeout=timeout)

    def ask(self, method, target, body=None, headers=None):
        return ask(self.address, target, method, body, headers)

    def call(self, method, params):
        return self.ask("POST", "/mcp", json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}), JSON)

    def stop(self):
        if (code := self.desk.stop()) != 0:
            fail(f"exit code {code}")


# The attacks. Each runs until `until()` is false, and gives a word on what it did.

def hold(desk, until, wanted, send, trickle):
    """Keeps `wanted` sockets open on which `send` was sent; opens new ones for those that were closed."""
    held, opened = [], 0
    while until():
        while len(held) < wanted and until():
            try:
                one = desk.connect(2)
                one.sendall(send)
                one.setblocking(False)
                held.append(one)
                opened += 1
            except OSError:
                break
        for one in list(held):
            try:
                if trickle:
                    one.send(trickle)
                if not one.recv(4096):
                    raise OSError
            except BlockingIOError:
                continue
            except OSError:
                held.remove(one)
                one.close()
        time.sleep(0.2)
    for one in held:
        one.close()
    return f"{opened:,} sockets opened"


def slow_bodies(desk, until):
    head = b"POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\naccept: application/json\r\ncontent-length: 100000\r\n\r\n{"
    return hold(desk, until, UNFINISHED, head, b" ")


def slow_headers(desk, until):
    return hold(desk, until, UNFINISHED, b"GET /v1/models/list HTTP/1.1\r\nhost: localhost\r\nx-slow: ", b"a")


def large_bodies(desk, until):
    head = b"POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\naccept: application/json\r\ncontent-length: 1000000\r\n\r\n"
    return hold(desk, until, UNFINISHED, head + b" " * 900_000, b"")


def idle_sockets(desk, until):
    return hold(desk, until, IDLE, b"", b"")


def never_readers(desk, until):
    ask = b"GET /openapi.json HTTP/1.1\r\nhost: localhost\r\n\r\n" * 200
    return hold_unread(desk, until, ask)


def hold_unread(desk, until, ask):
    held = []
    while until():
        if len(held) < NEVER_READING:
            try:
                one = desk.connect(2)
                one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                one.setblocking(False)
                one.send(ask)
                held.append(one)
            except OSError:
                pass
        else:
            time.sleep(0.1)
    for one in held:
        one.close()
    return f"{len(held)} sockets that were never read"


def many(until, work):
    """Runs `work(n)` on some threads over and over; gives how often, by what it gave."""
    counts, lock = {}, threading.Lock()

    def run(at):
        n = at
        while until():
            try:
                word = work(n)
            except (OSError, http.client.HTTPException) as error:
                word = type(error).__name__
            n += THREADS
            with lock:
                counts[word] = counts.get(word, 0) + 1
    threads = [threading.Thread(target=run, args=(at,), daemon=True) for at in range(THREADS)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    return ", ".join(f"{count:,} × {word}" for word, count in sorted(counts.items(), key=str))


def connection_flood(desk, until):
    def one(_):
        desk.connect(5).close()
        return "connection"
    return many(until, one)


# Bytes, and the statuses that they may get; a connection that is closed without an answer is 0. Those of 400 and above have a problem
# document and a request id.
SHAPES = [
    (b"GET\r\n\r\n", {400}), (b"\0\0\0\0\r\n\r\n", {400}), (b"GET / HTTP/9.9\r\n\r\n", {400}), (b"GET / HTTP/1.1\r\nconnection: close\r\n\r\n", {400}),
    (b"GET / HTTP/1.1\r\nhost: a\r\nhost: b\r\nconnection: close\r\n\r\n", {400}), (b"GET / HTTP/1.1\r\nhost: [::1].evil.example\r\nconnection: close\r\n\r\n", {400}),
    (b"GET / HTTP/1.1\r\nhost: localhost:80:80\r\nconnection: close\r\n\r\n", {400}), (b"GET / HTTP/1.1\r\nhost: evil.example\r\nconnection: close\r\n\r\n", {403}),
    (b"GET / HTTP/1.1\r\nhost: localhost\r\nx: a\0b\r\n\r\n", {400}), (b"GET / HTTP/1.1\r\nno colon\r\n\r\n", {400}),
    (b"POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n", {400}),
    (b"POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-length: -1\r\n\r\n", {400}),
    (b"POST /mcp HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked, gzip\r\n\r\n", {400}),
    (b"GET /" + b"x" * 40_000 + b" HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n", {414}),
    (b"GET /" + b"x" * 300_000 + b" HTTP/1.1\r\nhost: localhost\r\n\r\n", {414}),
    (b"GET / HTTP/1.1\r\nhost: localhost\r\n" + b"a: b\r\n" * 3_000 + b"\r\n", {431}),
    (b"GET / HTTP/1.1\r\nhost: localhost\r\na: " + b"x" * 500_000 + b"\r\n\r\n", {431}),
    (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", {400}),
]


def shapes(desk, until):
    def one(n):
        sent, wanted = SHAPES[n % len(SHAPES)]
        with desk.connect() as stream:
            try:
                stream.sendall(sent)
            except OSError:
                pass
            answer = b""
            while chunk := stream.recv(65536):
                answer += chunk
        head, _, body = answer.partition(b"\r\n\r\n")
        status = int(head.split(b" ")[1]) if head.startswith(b"HTTP/1.1 ") else 0
        if status not in wanted:
            fail(f"shapes: {sent[:50]!r} got {status}, not {sorted(wanted)}")
        identity = re.search(rb"(?i)x-request-id: (\S+)", head)
        problem = json.loads(body) if b"application/problem+json" in head else {}
        if not identity or problem.get("request_id") != identity[1].decode() or not problem.get("code"):
            fail(f"shapes: {sent[:50]!r} got {status} without a problem document and its request id")
        return status
    return many(until, one)


def mcp_methods(desk, until):
    asked = [("resources/list", {}), ("resources/read", {"uri": "refdesk://skill/hostile-long-0"}), ("prompts/list", {}),
             ("prompts/get", {"name": "premortem"}), ("completion/complete", {"ref": {"type": "ref/resource", "uri": "refdesk://{kind}/{id}"},
                                                                              "argument": {"name": "id", "value": "a"}}),
             ("tools/call", {"name": "search_catalog", "arguments": {"q": " ".join(WORDS[:200]), "limit": 50}}),
             ("ping", {"long": [0] * 400_000}), ("tools/call", {"name": "search_catalog", "arguments": {str(n): 0 for n in range(50_000)}})]
    return many(until, lambda n: desk.call(*asked[n % len(asked)])[0])


WORDS = "agent model price token context search postgres server tool skill card launch risk plan review data test cloud vector graph".split() * 20


def long_questions(desk, until):
    def one(n):
        words = random.Random(n)
        q = " ".join("".join(words.choice("abcdefghijklmnopqrstuvwxyz") for _ in range(3)) for _ in range(480))
        path = ("/v1/search?limit=50&q=", "/v1/frameworks/route?q=", "/v1/frameworks/search?q=")[n % 3]
        return desk.ask("GET", path + urllib.parse.quote(q))[0]
    return many(until, one)


def pages(desk, until):
    names = [name for name, _ in documents()]

    def one(n):
        target = f"/v1/skills/hostile-{names[n % len(names)]}?x={n}"
        status, *_ = desk.ask("GET", target, headers={"accept": "text/html", "accept-encoding": ("br", "gzip", "zstd", "identity")[n % 4]})
        if status not in (200, 503):
            fail(f"pages: {target} got {status}")
        return status
    return many(until, one)


def texts(desk, until):
    accepts = ("application/json", "text/markdown")

    def one(n):
        target = f"/v1/skills/hostile-long-{n % 12}?x={n}"
        return desk.ask("GET", target, headers={"accept": accepts[n % 2], "accept-encoding": ("br", "gzip", "zstd")[n % 3]})[0]
    return many(until, one)


def lists(desk, until):
    return many(until, lambda n: desk.ask("GET", f"/v1/models/list?limit=1000&offset={n % 50}&x={n}", headers={"accept-encoding": "br"})[0])


ATTACKS = [("slow bodies", slow_bodies), ("slow headers", slow_headers), ("large bodies", large_bodies), ("idle sockets", idle_sockets),
           ("connection flood", connection_flood), ("never readers", never_readers), ("shapes", shapes), ("mcp methods", mcp_methods),
           ("long questions", long_questions), ("pages", pages), ("texts", texts), ("lists", lists)]


def attack(desk, name, run, seconds, p99_ms):
    desk.ask("GET", "/v1/models/list?limit=20")
    end = time.time() + seconds + 1
    watching = subprocess.Popen([sys.executable, os.path.abspath(__file__), "--bystander", desk.address, "--seconds", str(seconds)],
                                stdout=subprocess.PIPE, text=True)
    did = run(desk, lambda: time.time() < end and watching.poll() is None)
    seen = json.loads(watching.communicate(timeout=120)[0])
    if seen["probes_failed"] or seen["lookups_failed"]:
        fail(f"{name}: {seen['probes_failed']} probes and {seen['lookups_failed']} look-ups of the bystander failed: {seen['what']}")
    if seen["p99"] > p99_ms:
        fail(f"{name}: 99 of 100 look-ups of the bystander take up to {seen['p99']:.1f} ms, more than {p99_ms}")
    if desk.process.poll() is not None:
        sys.exit(f"{name}: the desk has ended")
    row = (name, did, f"{seen['lookups']:,}", f"{seen['median']:.1f}", f"{seen['p99']:.1f}", f"{seen['longest']:.1f}", str(seen["probes_failed"]), f"{memory_mib(desk.process.pid):.0f}")
    print("  ".join(row), flush=True)
    return row


def limited_methods(program):
    """Every MCP method that looks something up is within the limit of anonymous calls."""
    desk = Target(program, "5")
    try:
        for method, params in [("tools/call", {"name": "source_status"}), ("resources/list", {}), ("resources/read", {"uri": "refdesk://skill/hostile-links"}),
                               ("prompts/list", {}), ("prompts/get", {"name": "premortem"}), ("completion/complete", {}), ("unknown/method", {})]:
            statuses = [desk.call(method, params)[0] for _ in range(7)]
            if statuses[-1] != 429:
                fail(f"limits: {method} got {statuses}, and no 429 beyond the limit")
    finally:
        desk.stop()


def drain(program):
    """At SIGTERM, clients that keep their connections lose no request: each is answered whole, and told which answer is the last."""
    desk = Target(program)
    answered, lost, ended = [0], [], threading.Event()

    def client():
        connection = None
        while not ended.is_set():
            if connection is None:
                try:
                    connection = http.client.HTTPConnection(desk.address, timeout=10)
                    connection.connect()
                except OSError:
                    return  # Nobody is taken any more: no request was sent.
            try:
                connection.request("GET", "/v1/models/list?limit=20")
                answer = connection.getresponse()
                answer.read()
                answered[0] += 1
                if answer.will_close:
                    connection.close()
                    connection = None
            except (OSError, http.client.HTTPException) as error:
                lost.append(repr(error))
                return
            time.sleep(0.01)
    clients = [threading.Thread(target=client, daemon=True) for _ in range(16)]
    [t.start() for t in clients]
    time.sleep(1)
    begun = time.time()
    desk.stop()
    took = time.time() - begun
    ended.set()
    [t.join() for t in clients]
    if lost:
        fail(f"drain: {len(lost)} of {answered[0]} requests were lost: {lost[:3]}")
    return ("SIGTERM", f"{answered[0]:,} answers, {len(lost)} lost, ended after {took:.1f} s", "", "", "", "", "", "")


def main():
    parser = command_line(__doc__, needs_binary=False)
    parser.add_argument("--short", action="store_true", help="2 seconds an attack, and a generous bound on the time of look-ups")
    parser.add_argument("--seconds", type=int, help="seconds an attack")
    parser.add_argument("--only", help="these attacks, comma-separated")
    parser.add_argument("--write", help="write the figures to this page")
    parser.add_argument("--bystander", help=argparse.SUPPRESS)
    options = parser.parse_args()
    seconds = options.seconds or (2 if options.short else 20)
    if options.bystander:
        return bystander(options.bystander, seconds)
    if not options.refdesk:
        parser.error("--refdesk is required")
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    p99_ms = SHORT_P99_MS if options.short else P99_MS
    rows, wanted = [], options.only and options.only.split(",")
    with tempfile.TemporaryDirectory(prefix="refdesk-hostile-", ignore_cleanup_errors=True) as folder:
        program = Hostile(options.refdesk, folder)
        desk = Target(program)
        for name, run in [("nothing", lambda desk, until: "the bystander alone")] + ATTACKS:
            if not wanted or name in wanted:
                rows.append(attack(desk, name, run, seconds, p99_ms))
        desk.stop()
        if not wanted:
            limited_methods(program)
            rows.append(drain(program))
        if not program.is_without_panic():
            fail("a panic stands in the log")
    table = page.table(("attack", "what it did", "look-ups", "median ms", "99 % ms", "longest ms", "failed probes", "MiB after it"), rows)
    print(table)
    if options.write:
        page.write_section(options.write, "Hostile clients", f"Made by `scripts/hostile_clients.py --refdesk target/release/refdesk --write docs/reliability.md`: {seconds} "
                           "seconds of each attack from this machine's own address, without a limit a minute, while a bystander looks things up and probes the desk, each "
                           f"time on a new connection. No probe and no look-up may fail, and 99 of 100 look-ups take at most {p99_ms} ms. "
                           "Its docstring tells what else it asserts.\n\n" + table)
    end()


if __name__ == "__main__":
    main()
