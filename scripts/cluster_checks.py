"""The checks of scripts/cluster.py: each makes something happen to three running nodes and tells a figure, its goal, and whether it held."""
import itertools, json, os, re, signal, subprocess, tempfile, threading, time
from collections import Counter, namedtuple

import recordings
from desk import Client, ask, wait_for
from engines import HAProxy, Nginx, get, program

Check = namedtuple("Check", "run needs_shared_store")
CHECKS = {}
LIMIT = 600
# Nothing that a reader asks for is over this limit, and each request costs Redis one call.
READERS_LIMIT = "10000000"


def check(name, needs_shared_store=False):
    def put(run):
        CHECKS[name] = Check(run, needs_shared_store)
        return run
    return put


def metric(node, name):
    found = re.search(rf"^{name}(?:\{{[^}}]*\}})? (\S+)$", node.get("/metrics")[1].decode(), re.M)
    return float(found.group(1)) if found else None


def wrk(base, paths, connections):
    """Starts a crowd over all paths; what it gives stops it and tells requests and failures."""
    if not program("wrk"):
        return lambda: (0, [])
    script = tempfile.NamedTemporaryFile("w", suffix=".lua", delete=False)
    with script:
        script.write("local paths, at = {" + ", ".join(json.dumps(path) for path in paths) + "}, 0\nfunction request() at = at + 1 return wrk.format('GET', paths[at % #paths + 1]) end\n")
    crowd = subprocess.Popen([program("wrk"), "-t2", f"-c{connections}", "-d3600s", "--timeout", "25s", "-s", script.name, base], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def end():
        crowd.send_signal(signal.SIGINT)
        out = crowd.communicate(timeout=60)[0]
        os.unlink(script.name)
        requests = int(re.search(r"(\d+) requests in", out).group(1))
        bad = [int(n) for line in re.findall(r"Socket errors: (.*)|Non-2xx or 3xx responses: (.*)", out) for part in line for n in re.findall(r"\d+", part)]
        return requests, [("the crowd", out.strip())] * sum(bad)
    return end


def paths_of(cluster):
    """What readers ask for: details, lists, searches, a route."""
    node = cluster.nodes[0]
    ids = [(path, row["id"]) for path, key in (("models", "models"), ("tools", "tools"), ("frameworks", "frameworks")) for row in node.json(f"/v1/{path}/list?limit=12")[key]]
    return [f"/v1/{path}/{one}" for path, one in ids] + ["/v1/models/list?limit=50", "/v1/tools/list", "/v1/search?q=postgres", "/v1/search?q=claude+opus&limit=5", "/v1/frameworks/route?q=we+keep+missing+deadlines"]


def takes_part(node):
    """Whether requests of readers come to a node again."""
    return any(float(n) > 0 for n in re.findall(r'refdesk_requests_total\{route="/v1/[^"]*",status="2xx"\} (\S+)', node.get("/metrics")[1].decode()))


# ---- limits


def flat_out(cluster, caller, seconds, meanwhile=None):
    """Six clients of one address ask all nodes without a pause: status and seconds of each answer, and seconds from the first to the last."""
    answers, lock = [], threading.Lock()
    begun = time.monotonic()

    def ask(node):
        client = Client(node.base, timeout=10)
        while time.monotonic() - begun < seconds:
            asked = time.monotonic()
            status = client.tried("/v1/tools/list?limit=1", {"X-Forwarded-For": caller}).status
            with lock:
                answers.append((status, time.monotonic() - asked, time.monotonic()))

    threads = [threading.Thread(target=ask, args=(node,), daemon=True) for node in cluster.nodes * 2]
    for thread in threads:
        thread.start()
    if meanwhile:
        meanwhile()
    for thread in threads:
        thread.join()
    return answers, max(at for *_, at in answers) - begun


def exact(cluster, name, caller, seconds):
    alone = lambda: sum(int(metric(node, "refdesk_rate_limit_fallbacks_total")) for node in cluster.nodes)
    before = alone()
    answers, took = flat_out(cluster, caller, seconds)
    statuses = Counter(status for status, *_ in answers)
    # On a machine that is full with other work a count may take longer than redis_timeout; those decisions are no part of the promise.
    wanted, late = int(LIMIT + LIMIT * took / 60), alone() - before
    is_so = abs(statuses[200] - wanted) <= 1 + late and set(statuses) <= {200, 429}
    cluster.told(name, f"{statuses[200]} let through, {statuses[429]:,} refused{f', {late} decided without Redis' if late else ''}", f"{wanted} ± 1", is_so)


def all_count(cluster, is_up=1.0):
    return all(metric(node, "refdesk_rate_limit_backend_up") == is_up for node in cluster.nodes)


def without_redis(cluster, name, caller, take, give):
    seconds = 6 if cluster.options.short else 20
    back = []

    def fault():
        time.sleep(1)
        take()
        wait_for("the nodes notice", lambda: all_count(cluster, 0.0))
        reasons = cluster.nodes[0].json("/health")["reasons"]
        cluster.told(f"{name}: /health tells it", "; ".join(r for r in reasons if r.startswith("rate_limit")) or "nothing", "a reason", any(r.startswith("rate_limit: ") for r in reasons))
        time.sleep(seconds / 2)
        give()
        back.append(wait_for("the nodes count together again", lambda: all_count(cluster)))

    answers, took = flat_out(cluster, caller, seconds, fault)
    statuses = Counter(status for status, *_ in answers)
    most = 3 * int(LIMIT + LIMIT * took / 60) + 3
    slowest = 1000 * max(took for _, took, _ in answers)
    cluster.told(f"{name}: calls let through", f"{statuses[200]:,} of {len(answers):,}, slowest {slowest:.0f} ms", f"at most {most:,}, no 5xx", statuses[200] <= most and set(statuses) <= {200, 429})
    cluster.told(f"{name}: counted together again after", f"{back[0]:.2f} s", "2 s", back[0] <= 2)
    exact(cluster, f"{name}: exact afterwards", caller + "9", 3 if cluster.options.short else 10)


@check("limits")
def limits(cluster, _):
    cluster.restart_all(rate_limit_anon=str(LIMIT))
    exact(cluster, f"one limit of {LIMIT} a minute over three nodes", "198.51.100.1", 4 if cluster.options.short else 30)
    without_redis(cluster, "Redis killed", "198.51.100.2", cluster.redis.kill, cluster.redis.start)
    without_redis(cluster, "Redis black-holed", "198.51.100.3", lambda: cluster.redis_valve.set("black_hole"), lambda: cluster.redis_valve.set("pass"))
    without_redis(cluster, "Redis half-open", "198.51.100.4", lambda: cluster.redis_valve.set("half_open"), lambda: cluster.redis_valve.set("pass"))
    cluster.restart_all(rate_limit_anon=READERS_LIMIT)


# ---- reads


def roll(cluster, binary=None):
    for node in cluster.nodes:
        node.stop()
        node.binary = binary or node.binary
        node.start(rate_limit_anon=READERS_LIMIT)
        node.ready()
        wait_for(f"requests come to node {node.number}", lambda: takes_part(node), 60)


def hold(cluster, begin, end):
    def fault():
        begin()
        time.sleep(4 if cluster.options.short else 20)
        end()
    return fault


def kill_one(cluster):
    node = cluster.leader() or cluster.nodes[0]
    node.kill()
    time.sleep(1)
    node.start(rate_limit_anon=READERS_LIMIT)
    node.ready()
    wait_for("requests come to it again", lambda: takes_part(node), 60)


def stop_one(cluster):
    node = cluster.leader() or cluster.nodes[0]
    hold(cluster, lambda: node.signal(signal.SIGSTOP), lambda: node.signal(signal.SIGCONT))()
    node.ready()


def read(cluster, reads, name, fault, base=None):
    done = reads(base or cluster.haproxy.base, paths_of(cluster)).during(fault, 6 if cluster.options.short else 45)
    kinds = Counter(str(wrong)[-160:] for _, wrong in done.failed).most_common(2)
    least = 1 if cluster.options.short else 50_000
    cluster.told(f"reads during: {name}", f"{len(done.failed)} failed of {done.requests:,}{f' ({kinds})' if kinds else ''}", "0 failed" if least == 1 else f"0 failed of at least {least:,}", not done.failed and done.requests >= least)


@check("reads")
def reads_go_on(cluster, reads):
    if cluster.nodes[0].json("/health")["runtime"]["rate_limit"]["limit_per_minute"] != int(READERS_LIMIT):
        cluster.restart_all(rate_limit_anon=READERS_LIMIT)
    read(cluster, reads, "nothing", lambda: None)
    read(cluster, reads, "Redis killed", hold(cluster, cluster.redis.kill, cluster.redis.start))
    read(cluster, reads, "Redis black-holed", hold(cluster, lambda: cluster.redis_valve.set("black_hole"), lambda: cluster.redis_valve.set("pass")))
    read(cluster, reads, "a node killed" if not cluster.shared_store else "the leader killed", lambda: kill_one(cluster))
    read(cluster, reads, "a node stopped" if not cluster.shared_store else "the leader stopped", lambda: stop_one(cluster))
    read(cluster, reads, "rolling restart", lambda: roll(cluster))
    if cluster.options.old:
        for node in cluster.nodes:
            node.binary = os.path.abspath(cluster.options.old)
        cluster.restart_all(rate_limit_anon=READERS_LIMIT)
        read(cluster, reads, "rolling upgrade", lambda: roll(cluster, cluster.binary))


@check("nginx")
def through_nginx(cluster, reads):
    if not program("nginx"):
        return cluster.without("reads through nginx", "nginx is missing")
    nginx = cluster.engine(Nginx(os.path.join(cluster.folder, "nginx"), [node.port for node in cluster.nodes]).start())
    read(cluster, reads, "rolling restart, through nginx", lambda: roll(cluster), nginx.base)
    nginx.stop()


@check("controls")
def controls(cluster, reads):
    """What must fail without its remedy: else the check of it proves nothing."""
    proxy = cluster.engine(HAProxy(os.path.join(cluster.folder, "control"), [node.port for node in cluster.nodes], retries=False).start())

    def kills():
        for _ in range(3):
            kill_one(cluster)
    done = reads(proxy.base, paths_of(cluster)).during(kills, 3)
    cluster.told("control: nodes killed behind HAProxy without retries", f"{len(done.failed)} failed of {done.requests:,}", "more than 0", bool(done.failed))
    proxy.stop()


@check("store-faults", needs_shared_store=True)
def store_faults(cluster, reads):
    read(cluster, reads, "PostgreSQL black-holed", hold(cluster, lambda: cluster.database.set("black_hole"), lambda: cluster.database.set("pass")))
    read(cluster, reads, "PostgreSQL half-open", hold(cluster, lambda: cluster.database.set("half_open"), lambda: cluster.database.set("pass")))
    read(cluster, reads, "PostgreSQL wholly gone", hold(cluster, lambda: cluster.database.set("refuse"), lambda: cluster.database.set("pass")))
    read(cluster, reads, "primary killed, standby promoted", lambda: fail_over(cluster))
    if cluster.segments:
        read(cluster, reads, "segment store off", hold(cluster, lambda: cluster.segments.set("refuse"), lambda: cluster.segments.set("pass")))


@check("lost-segments", needs_shared_store=True)
def lost_segments(cluster, _):
    """Every segment file is gone from where nodes share them, as after a mistake of an operator, and a reader comes that has none of its own."""
    if cluster.s3:
        listed = get(cluster.s3.url, "/segments?list-type=2")[1].decode()
        for name in re.findall(r"<Key>([^<]+\.segment)</Key>", listed):
            ask(cluster.s3.url, f"/segments/{name}", "DELETE")
    else:
        cluster.primary.sql("DELETE FROM segment_chunks")
    reader = cluster.engine(type(cluster.nodes[0])(cluster, len(cluster.nodes) + 1, "reader")).start(rate_limit_anon=READERS_LIMIT)
    try:
        secs = reader.ready(60)
    except TimeoutError:
        secs = None
    cluster.told("all segment files deleted: a new reader is ready after", "it never was" if secs is None else f"{secs:.1f} s", "20 s", secs is not None and secs <= 20)
    reader.stop()


# ---- the shared store


def fail_over(cluster):
    """The primary dies, its standby takes over, and a new standby is made of it."""
    cluster.primary.kill()
    cluster.standby.promote()
    cluster.database.switch(cluster.standby.port)
    cluster.primary, cluster.failovers = cluster.standby, getattr(cluster, "failovers", 0) + 1
    cluster.standby = cluster.engine(cluster.primary.standby(cluster.folder, f"standby{cluster.failovers}"))


def in_time(command, until):
    """Repeats a command of an operator until it is acknowledged."""
    while time.monotonic() < until:
        try:
            code, told = command()
        except subprocess.TimeoutExpired:
            continue
        if code == 0:
            return told
    return None


def answers_to_compare(cluster):
    """Paths of all lists, and of some details and searches."""
    first, lists, details = cluster.nodes[0], [], []
    for path in ("models", "tools", "skills", "tutorials", "mcp-servers", "documents", "frameworks"):
        offset = 0
        while offset is not None:
            lists.append(f"/v1/{path}/list?limit=500&offset={offset}")
            listed = first.json(lists[-1])
            details += [f"/v1/{path}/{row['id']}" for row in listed[path.replace("-", "_")]]
            offset = listed["next_offset"]
    names = [detail.rsplit("/", 1)[1].replace("-", "+") for detail in details]
    some = lambda of, count: cluster.random.sample(of, min(len(of), count))
    detailed, searched = (200, 40) if cluster.options.short else (1000, 200)
    return lists + some(details, detailed) + [f"/v1/search?q={q}" for q in some(names, searched)]


@check("convergence", needs_shared_store=True)
def convergence(cluster, _):
    revisions = lambda: {node.json("/version")["catalog_revision"] for node in cluster.nodes}
    wait_for("all nodes show one revision", lambda: len(revisions()) == 1, 120)
    first, others = cluster.nodes[0], cluster.nodes[1:]
    paths = answers_to_compare(cluster)
    answers = {path: first.get(path)[:2] for path in paths}
    differ = [path for path, answer in answers.items() if answer[0] not in (200, 404) or any(node.get(path)[:2] != answer for node in others)]
    cluster.told("answers that differ between nodes", f"{len(differ)} of {len(paths):,}{f' ({differ[:3]})' if differ else ''}", "0", not differ)
    built, differ = fresh_build(cluster, answers)
    is_same = {built} == revisions()
    cluster.told("answers that differ from a desk with a store of its own, built of an export", f"{len(differ)} of {len(paths):,}{f' ({differ[:3]})' if differ else ''}{'' if is_same else ', another revision'}", "0", is_same and not differ)


def fresh_build(cluster, answers):
    """The revision of a desk that takes an export of the nodes into a SQLite store of its own, and what it answers otherwise."""
    with tempfile.TemporaryDirectory(prefix="refdesk-fresh-") as folder:
        archive, alone = os.path.join(folder, "archive"), recordings.Program(cluster.binary, folder)
        cluster.command("export", archive)
        alone.config = cluster.config
        alone.run("import", archive)
        with alone.serve() as desk:
            revision = desk.json("/version")["catalog_revision"]
            return revision, [path for path, answer in answers.items() if get(desk.base, path)[:2] != answer]


@check("revocation", needs_shared_store=True)
def revocation(cluster, _):
    worst = 0.0
    for turn in range(3 if cluster.options.short else 20):
        _, made = cluster.command("keys", "create", "--name", f"rehearsal-{turn}")
        headers = {"Authorization": f"Bearer {made['key']}"}
        all_say = lambda status: all(node.get("/v1/tools/list?limit=1", headers)[0] == status for node in cluster.nodes)
        wait_for("the key is known everywhere", lambda: all_say(200))
        cluster.command("keys", "revoke", made["record"]["id"])
        worst = max(worst, wait_for("the key is refused everywhere", lambda: all_say(401)))
    cluster.told("a revoked key is refused by all nodes after", f"{worst:.2f} s", "1.5 s", worst <= 1.5)


@check("lost-commits", needs_shared_store=True)
def lost_commits(cluster, _):
    """Keys are made without a pause while primaries are killed; every one that was acknowledged must be there afterwards."""
    acknowledged, stopped, tries = [], threading.Event(), itertools.count()

    def write():
        while not stopped.is_set():
            try:
                # A name of its own each time: one whose commit was not acknowledged may be taken all the same.
                code, made = cluster.command("keys", "create", "--name", f"commit-{next(tries)}")
            except subprocess.TimeoutExpired:
                continue
            if code == 0:
                acknowledged.append(made["record"]["id"])

    # A daemon, as all threads of checks are: one that fails must not leave its writer running for ever.
    writer = threading.Thread(target=write, daemon=True)
    writer.start()
    kills = cluster.options.faults or (2 if cluster.options.short else 100)
    for _ in range(kills):
        before = len(acknowledged)
        wait_for("writes go on", lambda: len(acknowledged) > before + 2, 120)
        fail_over(cluster)
    stopped.set()
    writer.join()
    listed = in_time(lambda: cluster.command("keys", "list"), time.monotonic() + 60)
    there = {key["id"] for key in (listed["keys"] if isinstance(listed, dict) else listed)}
    lost = [one for one in acknowledged if one not in there]
    cluster.told(f"acknowledged commits lost in {kills} failovers", f"{len(lost)} of {len(acknowledged):,}", "0", bool(acknowledged) and not lost)


@check("double-sync", needs_shared_store=True)
def double_sync(cluster, _):
    """Leaders are killed, stopped for longer than their lease, and lose their connections, while operators ask for syncs."""
    faults, times = cluster.options.faults or (4 if cluster.options.short else 200), {"TERM": [], "kill -9": [], "stopped": []}
    lease = 5 if cluster.options.short else 15
    for turn in range(faults):
        leader = wait_for("a leader", cluster.leader, 60) and cluster.leader()
        if leader is None:
            continue
        try:
            cluster.command("sync")
        except subprocess.TimeoutExpired:
            pass
        kind = ("stopped", "kill -9", "TERM", "connections")[turn % 4] if turn < 4 else cluster.random.choice(("stopped", "kill -9", "TERM", "connections"))
        if kind == "connections":
            cluster.primary.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'refdesk' AND pid <> pg_backend_pid()")
            continue
        {"TERM": lambda: leader.signal(signal.SIGTERM), "kill -9": leader.kill, "stopped": lambda: leader.signal(signal.SIGSTOP)}[kind]()
        others = [node for node in cluster.nodes if node is not leader]
        times[kind].append(wait_for("another leader", lambda: any(node.json("/health")["runtime"].get("leader") for node in others), 60))
        if kind == "stopped":
            leader.signal(signal.SIGCONT)
        else:
            leader.stop()
            leader.start(rate_limit_anon=READERS_LIMIT)
        leader.ready()
    back = cluster.primary.sql("SELECT count(*) FROM (SELECT epoch, max(epoch) OVER (ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before FROM generations) AS g WHERE epoch < before")
    epochs = cluster.primary.sql("SELECT count(DISTINCT epoch) || ' epochs, ' || count(*) || ' generations' FROM generations")
    deposed = 0
    for node in cluster.nodes:
        with open(os.path.join(node.folder, "refdesk.log"), encoding="utf-8", errors="replace") as f:
            deposed += f.read().count("deposed")
    cluster.told(f"generations of a deposed syncer, {faults} faults", f"{back} ({epochs}; {deposed} times deposed)", "0, with some deposed", back == "0" and (deposed > 0 or cluster.options.short))
    for kind, goal in (("TERM", 1.5), ("kill -9", lease + 1), ("stopped", lease + 11)):
        if times[kind]:
            cluster.told(f"another syncer after {kind}, lease {lease} s", f"{max(times[kind]):.1f} s at most, of {len(times[kind])}", f"{goal} s", max(times[kind]) <= goal)
