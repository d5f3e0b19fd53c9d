"""Upstreams on loopback that are good, or crafted to do harm: one of each connector, small and of our own making. Standard library only.

`SOURCES` says what each connector's upstream looks like when it is good. `Upstream` serves them, each below its own prefix, host and path as
the real one; `Upstream.attacks` names the sources that are answered by an attack instead.
"""
import gzip, hashlib, io, json, socket, socketserver, tarfile, threading, time, zlib

ITEMS = 24


def tarball(files, links=()):
    """A repository's archive as GitHub sends it."""
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w") as archive:
        for path, content in files.items():
            entry = tarfile.TarInfo(f"repo-main/{path}")
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
        for path, target in links:
            entry = tarfile.TarInfo(f"repo-main/{path}")
            entry.type, entry.linkname = tarfile.SYMTYPE, target
            archive.addfile(entry)
    return gzip.compress(raw.getvalue(), 1)


class Source:
    """What one connector reads: `record(n)` is an item, `wrap` puts items together, `path` is where the first request goes."""
    form = "json"

    def __init__(self, connector, path, record, wrap, options=None, pages=None, named=None, form="json"):
        self.connector, self.path, self.record, self.wrap = connector, path, record, wrap
        self.options, self.pages, self.form = options or {}, pages or (lambda path: None), form
        self.named = named

    def items(self, count=ITEMS, start=0):
        return [self.record(n) for n in range(start, start + count)]

    def good(self):
        return self.wrap(self.items())


def listed(key=None, **more):
    """A JSON list of items, bare or under a key."""
    def wrap(items):
        body = b"[" + b",\n".join(items) + b"]"
        rest = "".join(f', "{k}": {json.dumps(v)}' for k, v in more.items()).encode()
        return body if key is None else b'{"' + key.encode() + b'": ' + body + rest + b"}"
    return wrap


def text(value):
    return json.dumps(value, ensure_ascii=False).encode()


def member(key, value):
    return text(key) + b": " + text(value)


def files(more=None):
    """Items that are files of a repository, `path NUL content`, beside `more`, which may depend on them."""
    def wrap(items):
        found = dict(item.split(b"\0", 1) for item in items)
        found = {path.decode(): content for path, content in found.items()}
        return tarball({**found, **(more(found) if more else {})})
    return wrap


def file(path, content):
    return path.encode() + b"\0" + content.encode()


SKILL = "---\nname: glow-{0}\ndescription: Lights lamp {0}.\n---\n# Glow\n\nLight it.\n"
SHA = "sha256:" + hashlib.sha256(SKILL.format(0).encode()).hexdigest()
REPO = "codeload.github.com/lamp/{}/tar.gz/main"
SOURCES = [
    Source("litellm", "raw.githubusercontent.com/l/prices.json", lambda n: member(f"lamp/oil-{n}", {"litellm_provider": "lamp", "mode": "chat", "input_cost_per_token": 1e-6, "max_input_tokens": 1000 + n}),
           lambda items: b"{" + b",\n".join(items) + b"}"),
    Source("models-dev", "models.dev/api.json", lambda n: member(f"oil-{n}", {"id": f"oil-{n}", "name": f"Oil {n}", "limit": {"context": 1000}, "cost": {"input": 1, "output": 2}}),
           lambda items: b'{"lamp": {"id": "lamp", "doc": "https://lamp.example/", "models": {' + b",\n".join(items) + b"}}}"),
    Source("openrouter", "openrouter.ai/api/v1/models", lambda n: text({"id": f"lamp/oil-{n}", "name": f"Lamp: Oil {n}", "context_length": 1000, "pricing": {"prompt": "0.000001"}}), listed("data")),
    Source("llm-prices", "www.llm-prices.com/current-v1.json", lambda n: text({"id": f"oil-{n}", "vendor": "lamp", "name": f"Oil {n}", "input": 1, "output": 2, "input_cached": None}), listed("prices", updated_at="2026-08-05")),
    Source("huggingface", "huggingface.co/api/models", lambda n: text({"id": f"Lamp/Oil-{n}", "private": False, "tags": ["license:mit"], "pipeline_tag": "text-generation"}), listed()),
    Source("composio", "backend.composio.dev/api/v3/toolkits", lambda n: text({"name": f"Lamp {n}", "slug": f"lamp_{n}", "meta": {"description": "Lights.", "categories": []}}), listed("items", next_cursor=None)),
    Source("mcp-registry", "registry.example.com/v0.1/servers", lambda n: text({"server": {"name": f"io.lamp/oil-{n}", "description": "Lights.", "version": "1.0.0"}, "_meta": {}}), listed("servers", metadata={"count": 1})),
    Source("mental-models", "raw.githubusercontent.com/l/s/main/models.json", lambda n: text({"code": f"P{n}", "name": f"Lamp thinking {n}", "definition": "Think of lamps.", "transformation": "P"}), listed("models")),
    Source("skills-wellknown", "lamp.example/.well-known/agent-skills/index.json", lambda n: text({"name": f"glow-{n}", "type": "skill-md", "description": "Lights.", "url": f"/s/{n}.md", "digest": SHA}), listed("skills"),
           pages=lambda path: SKILL.format(0).encode() if "/s/" in path else None),
    Source("awesome-list", "raw.githubusercontent.com/l/a/main/README.md", lambda n: f"- [Lamp {n}](https://github.com/lamp/oil-{n}) - Lights lamps.".encode(), lambda items: b"# Lamps\n\n## Servers\n\n" + b"\n".join(items) + b"\n", form="lines"),
    Source("llms-txt", "lamp.example/llms.txt", lambda n: f"- [Page {n}](https://lamp.example/p{n}.md): About lamp {n}.".encode(), lambda items: b"# Lamps\n\n> All.\n\n## Docs\n\n" + b"\n".join(items) + b"\n",
           pages=lambda path: b"# A page\n\nWords.\n" if "/p" in path.split("lamp.example")[-1] else None, form="lines"),
    Source("cards", REPO.format("cards"), lambda n: file(f"tools/lamp-{n}.yaml", f"kind: tool\nid: lamp-{n}\ndisplay_name: Lamp {n}\nsource_url: https://lamp.example/{n}\nchecked_on: 2026-01-01\ndescription: Lights.\n"), files(), form="tar"),
    Source("markdown-docs", REPO.format("docs"), lambda n: file(f"docs/p{n}.md", f"---\ntitle: Lamp {n}\n---\n# Lamp {n}\n\nWords.\n"), files(), form="tar"),
    Source("skills-repo", REPO.format("skills"), lambda n: file(f"skills/glow-{n}/SKILL.md", SKILL.format(n)), files(), form="tar"),
    Source("cookbook", REPO.format("cookbook"), lambda n: file(f"examples/lamp-{n}.ipynb", '{"nbformat": 4, "metadata": {}, "cells": [{"cell_type": "markdown", "source": ["# Lamp"]}]}'),
           files(lambda found: {"registry.yaml": "".join(f"- title: {p}\n  path: {p}\n" for p in found).encode()}), form="tar"),
    Source("hf-cookbook", REPO.format("hf"), lambda n: file(f"notebooks/en/lamp_{n}.md", f"# Lamp {n}\n\nWords.\n"),
           files(lambda found: {"notebooks/en/_toctree.yml": ("- title: All\n  sections:\n" + "".join(f"    - local: {p[13:-3]}\n      title: {p[13:-3]}\n" for p in found)).encode()}), form="tar"),
    Source("docker-mcp", REPO.format("docker"), lambda n: file(f"servers/lamp-{n}/server.yaml", f"name: lamp-{n}\nimage: mcp/lamp-{n}\ntype: server\nabout:\n  title: Lamp {n}\n  description: Lights.\n"), files(), form="tar"),
    Source("mcp-servers-data", REPO.format("data"), lambda n: file(f"data/lamp-{n}/lamp-{n}.yml", f"name: Lamp {n}\ndescription: Lights.\nsource_url: https://github.com/lamp/oil-{n}\ncategory: lamps\n"), files(), form="tar"),
    Source("methods-csv", REPO.format("csv"), lambda n: f"{n},Lamps,Lamp watching {n},Watch a lamp,Look -> Note".encode(),
           lambda items: tarball({"src/methods.csv": b"num,category,method_name,description,output_pattern\n" + b"\n".join(items) + b"\n"}), form="tar"),
    Source("patterns-repo", REPO.format("patterns"), lambda n: file(f"data/patterns/light_lamp_{n}/system.md", f"# IDENTITY and PURPOSE\n\nYou light lamp {n}.\n\n# STEPS\n\n- Light it.\n"), files(), form="tar"),
]


def zeros(gigabytes, head=b""):
    """A gzip stream of very many zeros, made without having them: one flushed block, again and again."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    start = packer.compress(head) + packer.flush(zlib.Z_FULL_FLUSH)
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    block = packer.compress(bytes(1 << 20)) + packer.flush(zlib.Z_FULL_FLUSH)
    return b"\x1f\x8b\x08\0\0\0\0\0\0\xff" + start + block * int(gigabytes * 1024)


def header(name, size, kind=b"0"):
    entry = tarfile.TarInfo(name)
    entry.size, entry.type = size, kind
    return entry.tobuf(tarfile.GNU_FORMAT)


class Handler(socketserver.BaseRequestHandler):
    """One connection, one request: the answers are raw, so that their framing can be wrong."""
    def handle(self):
        self.request.settimeout(30)
        try:
            head = b""
            while b"\r\n\r\n" not in head:
                more = self.request.recv(65536)
                if not more:
                    return
                head += more
            path = head.split(b" ", 2)[1].decode("latin1")
            self.server.upstream.answer(self, path, head.lower())
        except OSError:
            pass   # who hangs up has refused the rest

    def send(self, data):
        self.request.sendall(data)

    def respond(self, body, status="200 OK", headers=(), length=None):
        lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body) if length is None else length}", "Connection: close", *headers]
        self.send("\r\n".join(lines).encode("latin1") + b"\r\n\r\n" + body)

    def endless(self, chunk=b"a" * 65536, pause=0.0, headers=()):
        self.send("\r\n".join(["HTTP/1.1 200 OK", "Connection: close", *headers]).encode() + b"\r\n\r\n")
        while True:
            self.send(chunk)
            time.sleep(pause)


class Server(socketserver.ThreadingTCPServer):
    daemon_threads, allow_reuse_address, request_queue_size = True, True, 128

    def handle_error(self, *_):
        pass


class Upstream:
    """All sources on one port."""
    def __init__(self):
        self.server = Server(("127.0.0.1", 0), Handler)
        self.server.upstream = self
        self.port = self.server.server_address[1]
        self.sources = {source.connector: source for source in SOURCES}
        self.bodies = {name: source.good() for name, source in self.sources.items()}
        self.attacks, self.asked = {}, {}
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def url(self, name):
        return f"http://127.0.0.1:{self.port}/{name}/{self.sources[name].path}"

    def answer(self, handler, path, head):
        name, _, rest = path.lstrip("/").partition("/")
        self.asked[name] = self.asked.get(name, 0) + 1
        source = self.sources.get(name)
        if source is None:
            return handler.respond(b"", "404 Not Found")
        is_first = rest.split("?")[0] == source.path
        attack = self.attacks.get(name)
        if attack is not None and (is_first or not getattr(attack, "first_only", False)):
            return attack(handler, source, rest)
        body = self.bodies[name] if is_first else source.pages(rest)
        if body is None:
            return handler.respond(b"", "404 Not Found")
        tag = f'"{hashlib.sha256(body).hexdigest()[:16]}"'
        if tag.encode() in head:
            return handler.respond(b"", "304 Not Modified", [f"ETag: {tag}"])
        handler.respond(body, headers=[f"ETag: {tag}"])

    def close(self):
        self.server.shutdown()
        self.server.server_close()


def dead_tls(how):
    """A port where TLS fails: `plain` answers HTTP, `hangup` closes in the middle of the handshake."""
    listener = socket.create_server(("127.0.0.1", 0))
    seen = []

    def run():
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            seen.append(1)
            with connection:
                connection.recv(4096)
                if how == "plain":
                    connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
    threading.Thread(target=run, daemon=True).start()
    return listener, seen
