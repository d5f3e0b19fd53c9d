#!/usr/bin/env python3
"""How fast several machines are: an import into PostgreSQL over a connection with a delay, the start of a reader that has nothing yet, how soon all
nodes show a new revision, what an idle reader asks the database, and what a request costs a node beside a desk with a store of its own.

    scripts/cluster_speed.py --refdesk target/release/refdesk --lab target/release/refdesk-lab --rows 100000
    scripts/cluster_speed.py … --write      the same, as the section "Speed" of docs/cluster.md, beside the tables of other numbers of rows

The rows are those of `refdesk-lab generate`. The delay is at least what is asked for, each way and for each piece of at most 64 KB. Instructions are
those of callgrind, processor time is the node's own, as the system counts it. Engines are those of engines.py; standard library only.
"""
import argparse, json, os, random, re, statistics, subprocess, tempfile, time

import engines, page
from checks import end, figure
from desk import ROOT, Client, cpu_secs, wait_for
from engines import Postgres, Redis, Valve, program

REPORT = os.path.join(ROOT, "docs", "cluster.md")
HEADING = "## Speed"
DELAY_SECS, IDLE_SECS = 0.0005, 20
# Rows that another process changes, and how often.
TOUCHED_ROWS, TOUCHES = 100, 5
# What a node is asked for under callgrind, and how many requests each turn of a processor's time has.
COUNTED_DETAILS, COUNTED_SEARCHES, TIMED_REQUESTS, TURNS = 400, 60, 20_000, 5
# Above so many rows a start under callgrind is not waited for.
ROWS_OF_REQUESTS_MAX = 200_000
# Goals by rows, as cluster.md has them, in seconds.
START_GOALS = {100_000: 1.5, 1_000_000: 10}
SPREAD_GOALS = {16_000: 1.5, 100_000: 3}


class Node(engines.Node):
    """A `refdesk serve`, perhaps under a tool that counts."""

    def __init__(self, options, folder, name, config, environment, role="all", data=None, under=()):
        super().__init__(os.path.join(folder, name), name)
        self.data = data or os.path.join(folder, name, "data")
        self.configure([*under, options.refdesk, "--config", config, "--offline"], environment, data_dir=self.data, role=role, rate_limit_anon="1000000000", drain_delay="0s", database_timeout="60s" if under else "5s")

    def json(self, path):
        return super().json(path, timeout=60)

    def items(self):
        return self.json("/health")["data_freshness"]["total_entities"]

    def revision(self):
        return self.json("/version")["catalog_revision"]

    def ask(self, paths):
        """Asks for each path, one after the other over one connection."""
        client = Client(self.base)
        for path in paths:
            if (answer := client.asked(path, {})).status != 200:
                raise SystemExit(f"{self.name}: {path}: {answer.status}")
        client.kept.close()


class Run:
    """One run over a number of rows: its folder, its engines, and what it tells."""

    def __init__(self, options, folder, told):
        self.options, self.folder, self.told, self.started = options, folder, told, []

    def started_here(self, process):
        self.started.append(process)
        return process

    def run(self, *command, **variables):
        return subprocess.run(command, check=True, capture_output=True, text=True, env={**os.environ, **variables}, cwd=self.folder).stdout

    def node(self, name, environment, **more):
        return self.started_here(Node(self.options, self.folder, name, self.config, environment, **more))

    def measure(self):
        options, rows = self.options, self.options.rows
        self.source, archive = os.path.join(self.folder, "source"), os.path.join(self.folder, "archive")
        made = json.loads(self.run(options.lab, "--data-dir", self.source, "--offline", "--json", "generate", "--rows", str(rows)))
        self.config = made["config"]
        self.run(options.refdesk, "--config", self.config, "--data-dir", self.source, "export", archive)
        self.postgres = Postgres(self.folder, "postgres").create()
        self.started_here(self.postgres)
        valve = self.started_here(Valve(self.postgres.port))
        self.url = f"postgres://postgres@127.0.0.1:{valve.port}/refdesk"
        self.import_over(valve, archive)
        segments = os.path.join(self.folder, "segments")
        self.shared = {**os.environ, "REFDESK_DATABASE_URL": self.url, "REFDESK_SEGMENT_STORE": segments}
        leader = self.node("leader", self.shared).start()
        leader.ready(300)
        generations = lambda: int(self.postgres.sql("SELECT count(*) FROM generations"))
        wait_for("a generation with all rows", lambda: leader.items() >= rows and os.path.isdir(segments) and generations(), 1200)
        time.sleep(2)
        readers = self.reader_starts()
        self.spread(leader, readers)
        for reader in readers[1:]:
            reader.stop()
        leader.stop()
        self.idle()
        readers[0].stop()
        if rows <= ROWS_OF_REQUESTS_MAX:
            self.requests()

    def import_over(self, valve, archive):
        valve.set("delay", DELAY_SECS)
        begun = time.monotonic()
        self.run(self.options.refdesk, "--config", self.config, "--data-dir", os.path.join(self.folder, "operator"), "import", archive, REFDESK_DATABASE_URL=self.url)
        took = time.monotonic() - begun
        valve.set("pass")
        facts = int(self.postgres.sql("SELECT count(*) FROM facts"))
        self.told(f"import of {facts:,} facts into PostgreSQL, {DELAY_SECS * 1e3} ms away", f"{facts / took:,.0f} facts/s ({took:.0f} s)", "5,000 facts/s", facts / took >= 5000)

    def reader_starts(self):
        """Starts readers that have nothing; those that are left running."""
        times, running = [], []
        for turn in range(3):
            reader = self.node(f"reader{turn}", self.shared, role="reader").start()
            times.append(reader.ready(300))
            if reader.items() < self.options.rows:
                raise SystemExit("the reader does not show all rows")
            running.append(reader)
            if turn == 0:
                running.pop().stop()
        goal = START_GOALS.get(self.options.rows)
        self.told("a reader with nothing yet is ready from a directory of segments", f"{sorted(times)[1]:.2f} s, median of 3", f"{goal} s" if goal else "", goal is None or sorted(times)[1] <= goal)
        return running

    def spread(self, leader, readers):
        """How long after the leader the last reader shows a revision."""
        late, nodes = [], [leader, *readers]
        for _ in range(TOUCHES):
            # Times have whole seconds: two changes in one second would be the same.
            time.sleep(1.1)
            old, seen = leader.revision(), {}
            self.run(self.options.lab, "--data-dir", self.source, "--offline", "generate", "--rows", str(self.options.rows), "--touch", str(TOUCHED_ROWS), REFDESK_DATABASE_URL=self.url)

            def look():
                for node in nodes:
                    if node not in seen and node.revision() != old:
                        seen[node] = time.monotonic()
                return len(seen) == len(nodes)
            wait_for("all nodes show the change", look, 600)
            late.append(max(seen.values()) - seen[leader])
        goal = SPREAD_GOALS.get(self.options.rows)
        middle = statistics.median(late)
        self.told(f"a revision with {TOUCHED_ROWS} changed rows is on two readers, after the leader shows it", f"{middle:.2f} s, median of {TOUCHES}", f"{goal} s" if goal else "", goal is None or middle <= goal)

    def idle(self):
        # Its transactions would be counted, too.
        self.postgres.sql("ALTER SYSTEM SET autovacuum = off")
        self.postgres.sql("SELECT pg_reload_conf()")
        time.sleep(3)
        calls = lambda: int(self.postgres.sql("SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = 'refdesk'"))
        before, begun = calls(), time.monotonic()
        time.sleep(IDLE_SECS)
        # Each look of this script is a transaction of its own.
        asked = (calls() - before - 1) / (time.monotonic() - begun)
        self.told("transactions of an idle reader", f"{asked:.1f} a second", "3", asked <= 3)

    def requests(self):
        """What a request costs: a desk with a store of its own, a node, and a node that counts in Redis."""
        own = {key: value for key, value in os.environ.items() if key != "REFDESK_DATABASE_URL"}
        paths = self.paths(own)
        alone, node = (self.instructions(name, environment, paths, **more) for name, environment, more in (("own-store", own, {"data": self.source}), ("counted-node", self.shared, {"role": "reader"})))
        if alone and node:
            more = 100 * (node / alone - 1)
            self.told("instructions of a request on a node without shared limits, beside a desk with a store of its own", f"{node:,.0f} and {alone:,.0f}, {more:+.1f} %", "within 3 %", more <= 3)
        redis = self.started_here(Redis(os.path.join(self.folder, "redis"))).start()
        with_redis = {**self.shared, "REFDESK_REDIS_URL": redis.url, "REFDESK_DEPLOYMENT": "speed"}
        nodes = [self.node("without-redis", self.shared, role="reader"), self.node("with-redis", with_redis, role="reader")]
        for one in nodes:
            one.start()
            one.ready(300)
            one.ask(paths[:100])
        times = {one: [] for one in nodes}
        for _ in range(TURNS):
            for one in nodes:
                before = cpu_secs(one.process.pid)
                one.ask(paths[at % 100] for at in range(TIMED_REQUESTS))
                times[one].append((cpu_secs(one.process.pid) - before) / TIMED_REQUESTS * 1e6)
        without, counted = (statistics.median(times[one]) for one in nodes)
        self.told("processor time of a node for a request that Redis counts", f"{counted:.0f} µs, {without:.0f} µs without Redis (medians of {TURNS} turns of {TIMED_REQUESTS:,})", "25 µs more", counted - without <= 25)

    def paths(self, environment):
        """Details that no answer is kept of, and searches."""
        desk = self.node("paths", environment, data=self.source).start()
        desk.ready(300)
        wait_for("all rows", lambda: desk.items() >= self.options.rows, 300)
        listed = [f"/v1/tools/{row['id']}" for offset in range(0, 5000, 500) for row in desk.json(f"/v1/tools/list?limit=500&offset={offset}")["tools"]]
        # Once it is on disk, whoever is counted afterwards builds nothing.
        wait_for("the catalog is on disk", lambda: os.path.exists(os.path.join(self.source, "catalog", "manifest.json")), 120)
        time.sleep(2)
        desk.stop()
        chosen = random.Random(1).sample(listed, COUNTED_DETAILS + COUNTED_SEARCHES)
        return chosen[:COUNTED_DETAILS] + [f"/v1/search?q={path.rsplit('/', 1)[1].replace('-', '+')}" for path in chosen[COUNTED_DETAILS:]]

    def instructions(self, name, environment, paths, **more):
        """Instructions that a node takes for a request, as callgrind counts them between two of its commands."""
        if not program("valgrind"):
            print("skip  instructions of a request: valgrind is missing")
            return None
        out = os.path.join(self.folder, f"{name}.callgrind")
        node = self.node(name, environment, under=["valgrind", "--tool=callgrind", "--instr-atstart=no", f"--callgrind-out-file={out}"], **more).start()
        node.ready(600)
        wait_for("all rows", lambda: node.items() >= self.options.rows, 600)
        node.ask(paths[-3:])
        control = lambda switch: self.run("callgrind_control", "-i", switch, str(node.process.pid))
        control("on")
        node.ask(paths)
        control("off")
        node.stop()
        with open(out, encoding="utf-8", errors="replace") as f:
            return int(re.search(r"^totals: (\d+)", f.read(), re.M).group(1)) / len(paths)

    def stop(self):
        for process in reversed(self.started):
            process.stop()


def write(rows, table):
    """Puts the table of a number of rows into its place of the report."""
    before, _, after = page.read(REPORT).partition(HEADING)
    section, *rest = re.split(r"(?m)^(?=## )", after, maxsplit=1)
    tables = {int(number.replace(",", "")): text for number, text in re.findall(r"(?ms)^### ([\d,]+) rows\n(.*?)(?=^### |\Z)", section)}
    tables[rows] = "\n" + page.table(("what", "figure", "goal", "held"), table)
    text = f"{HEADING}\n\nMade by `scripts/cluster_speed.py --rows ROWS --write`, everything on one machine with {os.cpu_count()} cores.\n\n"
    text += "\n".join(f"### {number:,} rows\n{tables[number].rstrip()}\n" for number in sorted(tables))
    page.write(REPORT, before.rstrip() + "\n\n" + text + "".join("\n" + more for more in rest))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--refdesk", required=True, type=os.path.abspath, help="the binary")
    parser.add_argument("--lab", required=True, type=os.path.abspath, help="the binary of the developers' tools")
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--write", action="store_true", help=f"write the section of {os.path.relpath(REPORT, ROOT)}")
    options = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory(prefix="refdesk-speed-") as folder:
        run = Run(options, folder, lambda *told: rows.append(figure(*told)))
        try:
            run.measure()
        finally:
            run.stop()
    if options.write:
        write(options.rows, rows)
    end()


if __name__ == "__main__":
    main()
