#!/usr/bin/env python3
"""How fast several machines are: an import into PostgreSQL over a connection with a delay, the start of a reader that has nothing yet, and what an
idle reader asks the database.

    scripts/cluster_speed.py --refdesk target/release/refdesk --lab target/release/refdesk-lab --rows 100000
    scripts/cluster_speed.py … --write      the same, as the section "Speed" of docs/cluster.md

The rows are those of `refdesk-lab generate`. The delay is at least what is asked for, each way and for each piece of at most 64 KB. Engines are those of
engines.py; standard library only.
"""
import argparse, http.client, json, os, re, subprocess, tempfile, time

from engines import ROOT, Postgres, Process, Valve, free_port, wait_for

REPORT = os.path.join(ROOT, "docs", "cluster.md")
HEADING = "## Speed"
DELAY_SECS, IDLE_SECS = 0.0005, 20


def answer(port, path):
    """Status and body; status 0 when there was no answer."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request("GET", path)
        got = connection.getresponse()
        return got.status, got.read()
    except (OSError, http.client.HTTPException):
        return 0, b""
    finally:
        connection.close()


class Node(Process):
    def __init__(self, options, folder, name, config, environment, role):
        self.port, self.data = free_port(), os.path.join(folder, name, "data")
        settings = {"listen": f"127.0.0.1:{self.port}", "data_dir": self.data, "role": role, "rate_limit_anon": "0", "drain_delay": "0s"}
        command = [options.refdesk, "--config", config, "--offline", "serve", *(part for key, value in settings.items() for part in ("--set", f"{key}={value}"))]
        super().__init__(os.path.join(folder, name), name, command, environment)

    def ready(self, seconds=300):
        return wait_for(f"{self.name} ready", lambda: answer(self.port, "/readyz")[0] == 200, seconds)

    def items(self):
        return json.loads(answer(self.port, "/health")[1])["data_freshness"]["total_entities"]


def measure(options, folder, told):
    run = lambda *command, **variables: subprocess.run(command, check=True, capture_output=True, text=True, env={**os.environ, **variables}, cwd=folder).stdout
    source, archive = os.path.join(folder, "source"), os.path.join(folder, "archive")
    made = json.loads(run(options.lab, "--data-dir", source, "--offline", "--json", "generate", "--rows", str(options.rows)))
    run(options.refdesk, "--config", made["config"], "--data-dir", source, "export", archive)
    postgres = Postgres(folder, "postgres").create()
    valve = Valve(postgres.port)
    url = f"postgres://postgres@127.0.0.1:{valve.port}/refdesk"
    nodes = []
    try:
        valve.set("delay", DELAY_SECS)
        begun = time.monotonic()
        run(options.refdesk, "--config", made["config"], "--data-dir", os.path.join(folder, "operator"), "import", archive, REFDESK_DATABASE_URL=url)
        took = time.monotonic() - begun
        valve.set("pass")
        facts = int(postgres.sql("SELECT count(*) FROM facts"))
        told(f"import of {facts:,} facts into PostgreSQL, {DELAY_SECS * 1e3} ms away", f"{facts / took:,.0f} facts/s ({took:.0f} s)", "5,000 facts/s", facts / took >= 5000)
        segments = os.path.join(folder, "segments")
        environment = {**os.environ, "REFDESK_DATABASE_URL": url, "REFDESK_SEGMENT_STORE": segments}
        leader = Node(options, folder, "leader", made["config"], environment, "all")
        nodes.append(leader.start())
        leader.ready()
        wait_for("a generation with all rows", lambda: leader.items() >= options.rows and os.path.isdir(segments) and postgres.sql("SELECT count(*) FROM generations") != "0", 600)
        time.sleep(2)
        times = []
        for turn in range(3):
            reader = Node(options, folder, f"reader{turn}", made["config"], environment, "reader")
            nodes.append(reader.start())
            times.append(reader.ready())
            if reader.items() < options.rows:
                raise SystemExit("the reader does not show all rows")
            if turn < 2:
                reader.stop()
        goal = {100_000: 1.5, 1_000_000: 10}.get(options.rows)
        told(f"a reader with nothing yet is ready from a directory of segments, {options.rows:,} rows", f"{sorted(times)[1]:.2f} s, median of 3", f"{goal} s" if goal else "", goal is None or sorted(times)[1] <= goal)
        leader.stop()
        time.sleep(3)
        calls = lambda: int(postgres.sql("SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = 'refdesk'"))
        before, begun = calls(), time.monotonic()
        time.sleep(IDLE_SECS)
        # Each look of this script is a transaction of its own.
        asked = (calls() - before - 1) / (time.monotonic() - begun)
        told("transactions of an idle reader", f"{asked:.1f} a second", "3", asked <= 3)
    finally:
        for node in nodes:
            node.stop()
        valve.stop()
        postgres.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--refdesk", required=True, type=os.path.abspath, help="the binary")
    parser.add_argument("--lab", required=True, type=os.path.abspath, help="the binary of the developers' tools")
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--write", action="store_true", help=f"write the section of {os.path.relpath(REPORT, ROOT)}")
    options = parser.parse_args()
    rows, failed = [], []

    def told(what, figure, goal, is_so):
        rows.append(f"| {what} | {figure} | {goal} | {'yes' if is_so else '**no**'} |")
        failed.extend([] if is_so else [what])
        print(f"{'ok   ' if is_so else 'FAIL '} {what}: {figure} (goal: {goal})", flush=True)

    with tempfile.TemporaryDirectory(prefix="refdesk-speed-") as folder:
        measure(options, folder, told)
    if options.write:
        text = "\n".join([HEADING, "", f"Made by `scripts/cluster_speed.py --rows {options.rows} --write`, everything on one machine with {os.cpu_count()} cores.", "",
                          "| what | figure | goal | held |", "|---|---|---|---|", *rows, ""])
        with open(REPORT, encoding="utf-8") as f:
            page = f.read()
        before, heading, after = page.partition(HEADING)
        rest = re.split(r"(?m)^(?=## )", after, maxsplit=1)[1:] if heading else []
        with open(REPORT, "w", encoding="utf-8") as f:
            f.write(before.rstrip() + "\n\n" + text + ("\n" + rest[0] if rest else ""))
    raise SystemExit(1 if failed else 0)


if __name__ == "__main__":
    main()
