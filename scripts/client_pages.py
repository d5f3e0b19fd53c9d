"""The pages on MCP clients, made of clients.toml: docs/manual/clients.md and the table of README.md. Used by clients.py."""
import json, os, re, tomllib

import page
from desk import ROOT

DATA = os.path.join(ROOT, "crates", "serve", "src", "pages", "desk", "connect", "clients.toml")
MANUAL = os.path.join("docs", "manual", "clients.md")
# What stands in the data for a desk's address, and for a key.
ADDRESS, KEY = "http://127.0.0.1:8787", "rdk_…"
PROGRAMS = ("python", "javascript")
MARKS = ("<!-- clients -->\n", "<!-- /clients -->\n")
HEAD = """---
title: MCP clients
section: Use
summary: Connect {names}, over HTTP or as a program, with and without an API key, and see that it works.
---
# MCP clients

Find your client below, copy its lines, and check that it connects. There are two ways to connect; each client supports one or both:

- **HTTP**: the client asks a running desk (`refdesk serve`) at its address followed by `/mcp`. Replace
  `http://127.0.0.1:8787` with your desk's address. Use it for a desk that others share, and to start quickly.
- **stdio**: the client starts `refdesk mcp` itself, which answers from the store on this machine, or, with `--url` and an address, from a running desk.
  If a client does not find the program, write its full path (`command -v refdesk` prints it).

A private desk (`require_key`) needs a key: its operator makes one with `refdesk keys create --name yours`; put it in place of `rdk_…` below. The page
`/connect` of a desk shows these lines with the desk's own address. If a client does not connect, see [When it does not connect](mcp.md#when-it-does-not-connect).
"""


def clients():
    with open(DATA, "rb") as f:
        return tomllib.load(f)["client"]


def fenced(language, lines):
    mark = {"sh": "<!-- not run: it needs the client; scripts/clients.py runs it -->\n", "toml": "<!-- not run: the file is the client's own -->\n"}.get(language, "")
    return f"{mark}```{language}\n{lines.strip()}\n```\n"


def section(client):
    parts = [f"## {client['name']}\n"]
    for name, way in (("HTTP", client.get("http")), ("stdio", client.get("stdio"))):
        if way is None:
            continue
        parts.append(f"**{name}.** {way['place']}\n")
        parts.append(fenced(way["language"], way["open"]))
        if "keyed" in way:
            parts += ["With a key:\n", fenced(way["language"], way["keyed"])]
    parts.append(f"**Does it work?** {client['check']}\n")
    parts += [f"{client[name]}\n" for name in ("note", "note_keyed") if name in client]
    return "\n".join(parts)


def manual():
    names = [client["name"] for client in clients()]
    return "\n".join([HEAD.format(names=f"{', '.join(names[:-1])} and {names[-1]}"), *map(section, clients())])


def in_a_line(way):
    """Where the lines belong, and the lines as one."""
    lines = way["open"].strip()
    if way["language"] == "json":
        lines = json.dumps({name: value for name, value in json.loads(lines).items() if name != "$schema"})
    elif way["language"] == "toml":
        lines = "`, `".join(lines.splitlines())
    place = "" if way["language"] == "sh" else way["place"].split(", or ")[0].rstrip(":")
    place = re.sub(r" \([^)]*\)$", "", place)
    return f"{place[:1].lower()}{place[1:]}{': ' if place else ''}`{lines}`"


def readme_table():
    rows, programs = [], []
    for client in clients():
        link = f"[{client['name']}]({MANUAL}#{client['name'].lower().replace(' ', '-')})"
        way = client.get("http", client["stdio"])
        if way["language"] in PROGRAMS:
            programs.append(link)
        else:
            rows.append((link, in_a_line(way)))
    rows.append((", ".join(programs), "a program of ten lines each"))
    return page.table(("client", "over HTTP, or what it starts"), rows)


def written(root):
    page.write(os.path.join(root, MANUAL), manual())
    page.write_between(os.path.join(root, "README.md"), MARKS, readme_table())
    return []


def outdated(root):
    failures = []
    for path, wanted in ((MANUAL, manual()), ("README.md", readme_table())):
        text = page.read(os.path.join(root, path))
        is_right = text == wanted if path == MANUAL else MARKS[0] + wanted + MARKS[1] in text
        if not is_right:
            failures.append(f"{path} is not what clients.toml says: run scripts/clients.py --write")
    return failures
