#!/usr/bin/env python3
"""Tells real MCP clients of a desk with the lines of our pages, and looks whether they connect. Everything stays on loopback; clients come
from npm and PyPI, into a folder of their own.

    scripts/clients.py                                     are the pages what clients.toml says? (needs nothing)
    scripts/clients.py --write                             write them: docs/manual/clients.md and the table of README.md
    scripts/clients.py --refdesk BIN [--tools DIR]         connect every client that can be had; `--only NAME` one of them
    scripts/clients.py --refdesk BIN --short               those that take seconds; what scripts/test.sh runs
    scripts/clients.py --fetch [--short] [--tools DIR]     only install the clients
    scripts/clients.py --refdesk BIN --write               the same as the first, and the table of docs/clients.md

Each client gets a home and a project folder of its own, a `refdesk` on its path, an open desk and a private one. The lines are those of
crates/serve/src/pages/desk/connect/clients.toml, with nothing changed but the addresses and the key. client_drivers.py drives the clients.
"""
import argparse, os, shutil, subprocess, sys, tempfile

import client_drivers, client_pages, page
from desk import ROOT, Program, write_file

MARKS = ("<!-- clients -->\n", "<!-- /clients -->\n")
WAYS = (("http", "open"), ("http", "keyed"), ("stdio", "open"), ("stdio", "keyed"))


class Served:
    """A desk on the starter catalog; a private one has a key."""
    def __init__(self, binary, folder, private):
        program = Program(binary, os.path.join(folder, "private" if private else "open"), "--offline")
        program.configure("")
        self.data, self.key = program.data, program.json("keys", "create", "--name", "clients")["key"] if private else None
        self.desk = program.serve("--rate-limit-anon", "0", "--rate-limit-key", "0", *(["--require-key"] if private else []))
        self.url = self.desk.base


def path_with_program(binary, folder, data):
    """A folder with a `refdesk` that answers from a filled store, whatever environment a client leaves it."""
    script = f'#!/bin/sh\nREFDESK_OFFLINE=true REFDESK_DATA_DIR="{data}" exec "{binary}" "$@"\n'
    return os.path.dirname(write_file(os.path.join(folder, "bin", "refdesk"), script, 0o755))


def tried(client, driver, tools, folder, desks, path):
    """One row: the ways that work, what was seen, and what went wrong."""
    works, seen, failures = {}, "", []
    for way, variant in WAYS:
        shown = client.get(way, {}).get(variant)
        if shown is None:
            continue
        desk = desks[variant]
        home = tempfile.mkdtemp(dir=folder)
        lines = shown.replace(client_pages.ADDRESS, desk.url)
        if desk.key:
            lines = lines.replace(client_pages.KEY, desk.key)
        case = client_drivers.Case(tools, home, path, desk, client, way, lines)
        try:
            seen = driver.connect(case)
            works.setdefault(way, []).append(variant)
        except (client_drivers.NotConnected, subprocess.TimeoutExpired) as error:
            failures.append(f"{client['name']}, {way}, {variant}: {error}")
        shutil.rmtree(home, ignore_errors=True)
    return works, seen, failures


def cell(client, works, way):
    """How a way went: `with and without key`, or that the client has none."""
    if way not in client:
        return "–"
    variants = works.get(way, [])
    return {("open", "keyed"): "without and with a key", ("open",): "without a key", ("keyed",): "with a key"}.get(tuple(variants), "**failed**")


def chosen(options):
    """The clients that are asked for, each with its driver; `None` where nothing drives it."""
    for client in client_pages.clients():
        driver = client_drivers.DRIVERS.get(client["name"])
        if options.only in (None, client["name"]) and (not options.short or (driver and driver.short)):
            yield client, driver


def connect(options, tools):
    binary = os.path.abspath(options.refdesk)
    folder = tempfile.mkdtemp(prefix="refdesk-clients-")
    desks = {"open": Served(binary, folder, False), "keyed": Served(binary, folder, True)}
    rows, failures = [], []
    try:
        path = path_with_program(binary, folder, desks["open"].data)
        for client, driver in chosen(options):
            if driver is None:
                rows.append([client["name"], "no", "–", "–", client_drivers.UNTRIED[client["name"]]])
                continue
            version = driver.install(tools)
            works, seen, wrong = tried(client, driver, tools, folder, desks, path)
            rows.append([client["name"], version, cell(client, works, "http"), cell(client, works, "stdio"), seen])
            print(f"{client['name']}: {'; '.join(wrong) or 'ok'}", file=sys.stderr, flush=True)
            failures += wrong
    finally:
        for served in desks.values():
            served.desk.stop()
        shutil.rmtree(folder, ignore_errors=True)
    return page.table(("client", "tried", "HTTP", "stdio", "what was seen"), rows), failures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--refdesk", help="the binary; without it only the pages are compared")
    parser.add_argument("--tools", default=os.path.join(ROOT, "target", "test-tools", "clients"), help="where clients are installed")
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--only", metavar="NAME")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--fetch", action="store_true", help="install the clients and leave it at that")
    options = parser.parse_args()
    if options.write and (options.short or options.only):
        parser.error("--write writes the whole table: leave --short and --only out")
    tools = client_drivers.Tools(os.path.abspath(options.tools))
    if options.fetch:
        for driver in filter(None, (driver for _, driver in chosen(options))):
            driver.install(tools)
        return
    failures = client_pages.written(ROOT) if options.write else client_pages.outdated(ROOT)
    if options.refdesk:
        shown, wrong = connect(options, tools)
        failures += wrong
        print(shown, end="")
        if options.write and not wrong:
            page.write_between(os.path.join(ROOT, "docs", "clients.md"), MARKS, shown)
    print("\n".join(failures), file=sys.stderr, end="\n" if failures else "")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
