#!/usr/bin/env python3
"""Runs three nodes of refdesk on real engines on loopback, makes each part fail, and checks what must hold. Every check prints its figure.

    scripts/cluster.py --refdesk target/debug/refdesk --short            every check for a few seconds
    scripts/cluster.py --refdesk target/release/refdesk --write docs/cluster.md   the long form, and its table as a page
    scripts/cluster.py --refdesk … --only limits,reads --keep            some checks; the folder with all logs stays

With a binary that knows `database_url` the nodes share PostgreSQL (a primary and a synchronous standby, behind a TCP proxy with faults), and one
of them syncs replayed upstreams (../shared/replay.py; without it the bundled cards are the catalog). `--store sqlite` gives each node a copy of
one store instead: limits, proxies and restarts are the same, and what needs the shared store is told as left out. Engines and the proxy with
faults are in engines.py, checks in cluster_checks.py. What is missing is named; with REFDESK_TEST_ALL=1 that is a failure.
"""
import json, os, random, shutil, signal, subprocess, sys, tempfile, threading, time

import cluster_checks, engines, page, recordings
from checks import all_asked_for, end, failures, figure
from desk import ROOT, Client, command_line, wait_for
from engines import HAProxy, Postgres, Redis, S3, Valve, get, program

# From here on docs/cluster.md is written by hand.
KEPT = "## The lease and the fence alone"
# What is synced in the short form: every kind of source, and starts that take a second.
SHORT_SOURCES = ("openrouter", "mental-models", "anthropic-skills", "openai-cookbook", "composio-toolkits", "hf-hub-docs", "mcp-docs")


class Node(engines.Node):
    """One node of the cluster, with a data directory that stays over its restarts."""

    def __init__(self, cluster, number, role="all"):
        super().__init__(os.path.join(cluster.folder, f"node{number}"), "refdesk")
        self.cluster, self.number, self.role, self.binary = cluster, number, role, cluster.binary

    def start(self, **settings):
        own = {"data_dir": os.path.join(self.folder, "data"), "trusted_proxies": "127.0.0.1/32", "rate_limit_anon": cluster_checks.READERS_LIMIT, "drain": "1s"}
        self.configure([self.binary, "--config", self.cluster.config], self.cluster.environment(), **{**own, **self.cluster.node_settings(self), **settings})
        return super().start()


class Cluster:
    """The engines, the proxies with faults before them, and the nodes."""

    def __init__(self, options, folder):
        self.options, self.folder, self.binary = options, folder, os.path.abspath(options.refdesk)
        self.random, self.started = random.Random(options.seed), []
        self.rows, self.left_out = [], []
        self.primary = self.standby = self.database = self.s3 = self.segments = self.replay = None
        self.desk = recordings.Program(self.binary, folder)
        self.config, sources = self.desk.config, self.desk.default_sources()
        self.known_settings = set(self.desk.json("config", "show")["settings"])
        self.shared_store = options.store == "postgres" or options.store is None and {"database_url", "segment_store", "role"} <= self.known_settings
        if os.path.isfile(recordings.REPLAY):
            self.replay = recordings.Replay()
            self.desk.read_from(self.replay.base, [source for source in sources if not options.short or source["id"] in SHORT_SOURCES])
        else:
            self.left_out.append("synced upstreams: ../shared/replay.py is not here; the bundled cards are the catalog")
            self.desk.configure("default_sources = false\n")

    def environment(self):
        variables = dict(self.desk.environment, REFDESK_REDIS_URL=f"redis://127.0.0.1:{self.redis_valve.port}/0", REFDESK_DEPLOYMENT="rehearsal")
        if self.shared_store:
            variables.update(REFDESK_DATABASE_URL=f"postgres://postgres@127.0.0.1:{self.database.port}/refdesk",
                             REFDESK_SEGMENT_STORE="s3://segments/desk" if self.s3 else "postgres", REFDESK_LEASE_TTL="5s" if self.options.short else "15s", REFDESK_DRAIN_DELAY="2s")
            variables.update(self.s3.environment_of_nodes if self.s3 else {})
        return variables

    def node_settings(self, node):
        return {"role": node.role} if self.shared_store else {"sync": "false"}

    def engine(self, engine):
        self.started.append(engine)
        return engine

    def start(self):
        self.redis = self.engine(Redis(os.path.join(self.folder, "redis")).start())
        self.redis_valve = self.engine(Valve(self.redis.port))
        if self.shared_store:
            self.primary = self.engine(Postgres(self.folder, "primary"))
            self.primary.create()
            self.standby = self.engine(self.primary.standby(self.folder, "standby"))
            self.database = self.engine(Valve(self.primary.port))
            if not self.options.short:
                self.s3 = self.engine(S3(os.path.join(self.folder, "s3"), self.options.tools).start())
                self.segments = self.engine(Valve(self.s3.port))
                self.s3.environment_of_nodes["AWS_ENDPOINT"] = f"http://127.0.0.1:{self.segments.port}"
        else:
            # One store, synced and built once; each node gets a copy of it.
            self.desk.json("sync", codes=(0, 2))
            self.desk.build_catalog()
        self.nodes = [self.engine(Node(self, number)) for number in (1, 2, 3)]
        for node in self.nodes:
            if not self.shared_store:
                shutil.copytree(self.desk.data, os.path.join(node.folder, "data"))
            node.start()
        for node in self.nodes:
            node.ready()
        if self.shared_store:
            wait_for("all nodes show one revision", lambda: len({node.json("/version")["catalog_revision"] for node in self.nodes}) == 1 and not self.syncing(), 600)
        self.haproxy = self.engine(HAProxy(os.path.join(self.folder, "haproxy"), [node.port for node in self.nodes]).start())
        self.taken_in()

    def taken_in(self):
        """Waits until HAProxy sends requests to every node: it had marked those down that were restarted."""
        asked = lambda: get(self.haproxy.base, "/v1/tools/list?limit=1")[0] == 200
        wait_for("HAProxy has all nodes", lambda: asked() and all(cluster_checks.takes_part(node) for node in self.nodes), 60)

    def syncing(self):
        summary = self.nodes[0].json("/v1/sources/status")["summary"]
        return summary["syncing"] + summary["never"] > 0

    def stop(self):
        for engine in reversed(self.started):
            try:
                engine.stop()
            except Exception as error:  # One that does not end must not keep the others.
                print(f"could not end {engine}: {error}")
        if self.replay:
            self.replay.stop()

    def restart_all(self, **settings):
        for node in self.nodes:
            node.stop()
        for node in self.nodes:
            node.start(**settings)
        for node in self.nodes:
            node.ready()
        self.taken_in()

    def command(self, *args):
        """A command of an operator on the shared store, or on the first node's."""
        done = subprocess.run([self.binary, "--config", self.config, "--data-dir", os.path.join(self.nodes[0].folder, "data"), *args, "--json"], capture_output=True, env=self.environment(), timeout=60)
        return done.returncode, json.loads(done.stdout or b"null")

    def leader(self):
        """The node that holds the lease, as each says of itself in /health."""
        for node in self.nodes:
            status, body, _ = node.get("/health", timeout=2)
            if status == 200 and json.loads(body)["runtime"].get("leader"):
                return node
        return None

    def told(self, check, value, goal, is_so):
        self.rows.append(figure(check, value, goal, is_so))

    def without(self, check, why):
        self.left_out.append(f"{check}: {why}")
        print(f"skip  {check}: {why}", flush=True)


class Generations(threading.Thread):
    """Looks at every node twenty times a second: its generation never falls, and a new revision is soon on all of them."""

    def __init__(self, nodes):
        super().__init__(daemon=True)
        self.nodes, self.looks, self.fell, self.last, self.seen, self.stopped = nodes, 0, [], {}, {}, threading.Event()

    def run(self):
        while not self.stopped.wait(0.05):
            for node in self.nodes:
                status, body, _ = node.get("/version", timeout=1)
                if status != 200:
                    continue
                version = json.loads(body)
                self.looks += 1
                if version["generation"] < self.last.get(node.number, 0):
                    self.fell.append((node.number, self.last[node.number], version["generation"]))
                self.last[node.number] = version["generation"]
                self.seen.setdefault(version["catalog_revision"], {}).setdefault(node.number, time.monotonic())

    def tell(self, cluster):
        self.stopped.set()
        self.join()
        cluster.told("generations that fell on a node", f"{len(self.fell)} in {self.looks:,} looks{f' ({self.fell[:3]})' if self.fell else ''}", "0", not self.fell)
        late = sorted(max(at.values()) - min(at.values()) for at in self.seen.values() if len(at) == len(self.nodes))
        if late:
            middle = late[len(late) // 2]
            cluster.told("a new revision is on all nodes after", f"{middle:.2f} s in the middle, {late[-1]:.1f} s at most, of {len(late)} (faults among them)", "1.5 s in the middle", middle <= 1.5)


class Reads:
    """A crowd that reads through a proxy, and a few that look at every answer: status, JSON, and the same bytes under the same entity tag."""

    def __init__(self, base, paths, crowd=24, checking=3):
        self.base, self.paths, self.checking, self.crowd = base, paths, checking, crowd
        self.requests, self.failed, self.seen, self.stopped = 0, [], {}, threading.Event()
        self.lock = threading.Lock()

    def _look(self, first):
        client, at = Client(self.base, timeout=25), first
        while not self.stopped.is_set():
            path = self.paths[at % len(self.paths)]
            at += 1
            answer = client.tried(path, {"Accept": "application/json"})
            wrong = None if answer.status == 200 else answer.status or answer.body
            try:
                json.loads(answer.body)
            except ValueError as error:
                wrong = wrong or repr(error)
            with self.lock:
                self.requests += 1
                if not wrong and self.seen.setdefault((path, answer.headers.get("ETag")), answer.body) != answer.body:
                    wrong = "other bytes under the same entity tag"
                if wrong:
                    self.failed.append((path, wrong))

    def during(self, meanwhile, seconds):
        """Reads while `meanwhile` runs, and at least so many seconds."""
        threads = [threading.Thread(target=self._look, args=(7 * i,), daemon=True) for i in range(self.checking)]
        crowd = cluster_checks.wrk(self.base, self.paths, self.crowd)
        begun = time.monotonic()
        for thread in threads:
            thread.start()
        try:
            # Readers are there before the fault and after it.
            time.sleep(1)
            meanwhile()
            time.sleep(max(1.0, seconds - (time.monotonic() - begun)))
        finally:
            self.stopped.set()
            for thread in threads:
                thread.join(60)
            requests, failed = crowd()
            self.requests += requests
            self.failed += failed
        return self


def report(cluster, options):
    text = (f"# Several nodes, rehearsed\n\nMade by `scripts/cluster.py {'--short ' if options.short else ''}--refdesk BINARY{f' --faults {options.faults}' if options.faults else ''} --write docs/cluster.md` with seed {options.seed}: three nodes on "
            + ("PostgreSQL (a primary and a synchronous standby)" if cluster.shared_store else "a copy of one SQLite store each") + f", Redis and HAProxy with `deploy/haproxy.cfg`, on one machine with {os.cpu_count()} cores that readers, engines and nodes share.\n\n"
            + page.table(("check", "figure", "goal", "held"), cluster.rows))
    if cluster.left_out:
        text += "\nLeft out in this run:\n\n" + "".join(f"- {what}\n" for what in cluster.left_out)
    # What other commands measure stays.
    kept = page.read(options.write).partition(KEPT) if os.path.exists(options.write) else ("", "", "")
    return text + (f"\n{KEPT}{kept[2]}" if kept[1] else "")


def main():
    parser = command_line(__doc__)
    parser.add_argument("--old", help="an older binary, for the rolling upgrade")
    parser.add_argument("--short", action="store_true", help="a few seconds for each check")
    parser.add_argument("--store", choices=("postgres", "sqlite"), help="default: postgres where the binary knows it")
    parser.add_argument("--only", help=f"only these checks, comma-separated: {', '.join(cluster_checks.CHECKS)}")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--faults", type=int, help="faults of a random history")
    parser.add_argument("--tools", default=os.path.join(ROOT, "target", "test-tools"), help="a folder for what is installed")
    parser.add_argument("--write", help="write the table to this file")
    parser.add_argument("--keep", action="store_true", help="keep the folder of the run")
    options = parser.parse_args()
    needed = ["redis-server", "haproxy", *(["pg_ctl", "initdb"] if options.store != "sqlite" else [])]
    missing = [name for name in needed if not program(name)]
    if missing:
        print(f"several nodes skipped: {', '.join(missing)} missing; install redis-server, haproxy, nginx and postgresql")
        sys.exit(1 if all_asked_for() else 0)
    folder = tempfile.mkdtemp(prefix="refdesk-cluster-")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    begun = time.monotonic()
    cluster = Cluster(options, folder)
    try:
        cluster.start()
        print(f"three nodes, {cluster.nodes[0].json('/health')['data_freshness']['total_entities']:,} items, after {time.monotonic() - begun:.0f} s", flush=True)
        generations = Generations(cluster.nodes)
        if cluster.shared_store:
            generations.start()
        for name in options.only.split(",") if options.only else cluster_checks.CHECKS:
            check = cluster_checks.CHECKS[name]
            if check.needs_shared_store and not cluster.shared_store:
                cluster.without(name, "it needs nodes on PostgreSQL")
            else:
                check.run(cluster, Reads)
        if cluster.shared_store:
            generations.tell(cluster)
    finally:
        cluster.stop()
        if options.keep:
            print(f"kept: {folder}")
        else:
            shutil.rmtree(folder, ignore_errors=True)
    if options.write:
        page.write(options.write, report(cluster, options))
    end(f"{len(failures)} failures in {time.monotonic() - begun:.0f} s")


if __name__ == "__main__":
    main()
