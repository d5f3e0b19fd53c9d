"""The engines that scripts/cluster.py runs several nodes on: PostgreSQL with a synchronous standby, Redis, HAProxy, nginx, an S3 server, and a
TCP proxy with faults. Each listens on a free port of loopback, keeps its files in a folder of the run, and is ended by its own process id.
Standard library only; the programs come from the packages postgresql, redis-server, haproxy and nginx, and moto from PyPI.

    scripts/engines.py cargo test -p refdesk-serve shared_limits -- --include-ignored     runs a command with REFDESK_TEST_REDIS, the URL of a Redis of its own
"""
import asyncio, glob, http.client, json, os, re, shutil, signal, socket, subprocess, sys, tempfile, threading

import page
from desk import ROOT, Answer, ask, free_port, wait_for, write_file

DEPLOY = os.path.join(ROOT, "deploy")
PATH = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
PATIENCE = 30
COPIES_MAX = 3


def program(name):
    named = os.path.join(os.environ.get("REFDESK_POSTGRES_BIN", ""), name)
    return named if os.path.isabs(named) and os.path.exists(named) else shutil.which(name, path=PATH) or max(glob.glob(f"/usr/lib/postgresql/*/bin/{name}"), default=None)


def get(base, path, headers=(), timeout=10):
    """The answer to a request; its status is 0 when there was none."""
    try:
        return ask(base, path, headers=dict(headers), timeout=timeout)
    except (OSError, http.client.HTTPException) as error:
        return Answer(0, repr(error).encode(), {})


def answers(port):
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
        return True
    except OSError:
        return False


class Process:
    """A program of this run, with its output in a file."""

    def __init__(self, folder, name, command, environment=None):
        self.folder, self.name, self.command, self.environment, self.process = folder, name, command, environment, None
        os.makedirs(folder, exist_ok=True)

    def start(self):
        with open(os.path.join(self.folder, f"{self.name}.log"), "ab") as log:
            self.process = subprocess.Popen(self.command, stdout=log, stderr=log, env=self.environment, cwd=self.folder)
        return self

    def running(self):
        return self.process is not None and self.process.poll() is None

    def signal(self, number):
        if self.running():
            self.process.send_signal(number)

    def stop(self):
        self.signal(signal.SIGCONT)
        self.signal(signal.SIGTERM)
        if self.process is not None:
            try:
                self.process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                self.kill()

    def kill(self):
        self.signal(signal.SIGKILL)
        if self.process is not None:
            self.process.wait()


class Node(Process):
    """A `refdesk serve` with a port that stays over its restarts."""

    def __init__(self, folder, name):
        super().__init__(folder, name, None)
        self.port = free_port()
        self.base = f"http://127.0.0.1:{self.port}"

    def configure(self, program, environment, **settings):
        """What it runs: the words of a command before `serve`, and settings."""
        settings = {"listen": f"127.0.0.1:{self.port}", **settings}
        self.command, self.environment = [*program, "serve", *(part for key, value in settings.items() for part in ("--set", f"{key}={value}"))], environment
        return self

    def ready(self, secs_max=180):
        return wait_for(f"{self.name} ready", lambda: self.get("/readyz")[0] == 200, secs_max)

    def get(self, path, headers=(), timeout=10):
        return get(self.base, path, headers, timeout)

    def json(self, path, headers=(), timeout=10):
        return json.loads(self.get(path, headers, timeout).body)


class Engine(Process):
    """A program that has started once it takes connections."""

    def start(self):
        super().start()
        wait_for(self.name, lambda: answers(self.port))
        return self


class Redis(Engine):
    def __init__(self, folder):
        self.port = free_port()
        self.url = f"redis://127.0.0.1:{self.port}/0"
        super().__init__(folder, "redis", [program("redis-server"), "--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"])


class HAProxy(Engine):
    """deploy/haproxy.cfg as it is; `retries=False` is the negative control: the same file without what sends a request again."""

    def __init__(self, folder, nodes, retries=True):
        self.port = free_port()
        self.base = f"http://127.0.0.1:{self.port}"
        path = os.path.join(DEPLOY, "haproxy.cfg")
        if not retries:
            text = re.sub(r"^ *(retries|option redispatch|retry-on) .*$", "", page.read(path), flags=re.M)
            path = write_file(os.path.join(folder, "no-retries.cfg"), text.replace("defaults\n", "defaults\n    retries 0\n"))
        environment = {**os.environ, "REFDESK_PROXY_LISTEN": f"127.0.0.1:{self.port}", **{f"REFDESK_NODE_{i + 1}": f"127.0.0.1:{port}" for i, port in enumerate(nodes)}}
        super().__init__(folder, "haproxy", [program("haproxy"), "-db", "-f", path], environment)


class Nginx(Engine):
    """deploy/nginx/nginx.conf as it is; its two files of addresses are this run's."""

    def __init__(self, folder, nodes):
        self.port = free_port()
        self.base = f"http://127.0.0.1:{self.port}"
        os.makedirs(folder, exist_ok=True)
        shutil.copy(os.path.join(DEPLOY, "nginx", "nginx.conf"), folder)
        lines = page.read(os.path.join(DEPLOY, "nginx", "nodes.conf"))
        for i, port in enumerate(nodes):
            lines = lines.replace(f"node{i + 1}:8787", f"127.0.0.1:{port}")
        for name, text in (("nodes.conf", lines), ("listen.conf", f"listen 127.0.0.1:{self.port};\n")):
            page.write(os.path.join(folder, name), text)
        super().__init__(folder, "nginx", [program("nginx"), "-p", folder, "-c", os.path.join(folder, "nginx.conf"), "-g", "daemon off;"])


class S3(Engine):
    """moto's server, in a virtual environment of `tools`, with one bucket."""

    def __init__(self, folder, tools):
        venv = os.path.join(tools, "moto")
        if not os.path.exists(os.path.join(venv, "bin", "moto_server")):
            subprocess.run([sys.executable, "-m", "venv", venv], check=True)
            subprocess.run([os.path.join(venv, "bin", "pip"), "install", "-q", "moto[server]"], check=True)
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        # What the object_store crate reads.
        self.environment_of_nodes = {"AWS_ENDPOINT": self.url, "AWS_ALLOW_HTTP": "true", "AWS_ACCESS_KEY_ID": "rehearsal", "AWS_SECRET_ACCESS_KEY": "rehearsal", "AWS_REGION": "us-east-1"}
        super().__init__(folder, "moto", [os.path.join(venv, "bin", "moto_server"), "-H", "127.0.0.1", "-p", str(self.port)])

    def start(self):
        super().start()
        made = ask(self.url, "/segments", "PUT")
        if made.status != 200:
            raise RuntimeError(f"no bucket: {made}")
        return self


class Postgres:
    """A server with a cluster of its own, run by the user `postgres` where this is root."""

    def __init__(self, folder, name, user="postgres"):
        self.user, self.folder, self.name, self.port = user, os.path.join(folder, name), name, free_port()
        self.data = os.path.join(self.folder, "data")
        os.makedirs(self.folder, exist_ok=True)
        if os.geteuid() == 0:
            os.chmod(folder, 0o755)
            shutil.chown(self.folder, "postgres")

    def run(self, name, *args, check=True):
        # Out of reach of the user `postgres`, the folder of this process is no place to run in.
        before = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
        done = subprocess.run([*before, program(name), *args], capture_output=True, text=True, cwd=self.folder, timeout=120)
        if check and done.returncode != 0:
            raise RuntimeError(f"{name} ended with {done.returncode}: {done.stderr.strip() or done.stdout.strip()}")
        return done

    def initialize(self, *options, **settings):
        """Makes the cluster and starts it; settings are those of postgresql.conf."""
        self.run("initdb", "-D", self.data, "-U", self.user, "--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8", *options)
        with open(os.path.join(self.data, "postgresql.conf"), "a", encoding="utf-8") as f:
            f.writelines(f"{name} = '{value}'\n" for name, value in {"listen_addresses": "127.0.0.1", "shared_buffers": "64MB", **settings}.items())
        self.start()

    def create(self):
        """A cluster with an ICU locale, which can have a standby."""
        self.initialize("--locale-provider=icu", "--icu-locale=en-US", unix_socket_directories=self.folder, max_connections=100, wal_level="replica", hot_standby="on", wal_receiver_status_interval="1s")
        self.sql("CREATE DATABASE refdesk", database="postgres")
        return self

    def standby(self, folder, name):
        """A streaming standby that this cluster waits for in every commit."""
        standby = Postgres(folder, name)
        self.sql(f"SELECT pg_create_physical_replication_slot('{name}')", database="postgres")
        for left in reversed(range(COPIES_MAX)):
            try:
                standby.run("pg_basebackup", "-h", "127.0.0.1", "-p", str(self.port), "-U", self.user, "-D", standby.data, "-R", "-X", "stream", "-S", name, "--checkpoint=fast")
                break
            except RuntimeError as error:
                # The copy is no part of what is tested: on a machine that stands still for seconds, the engine may give its connection up.
                if not left:
                    raise
                print(f"a standby is copied once more: {error}", flush=True)
                shutil.rmtree(standby.data, ignore_errors=True)
        # The socket's folder came with the copy of the configuration.
        with open(os.path.join(standby.data, "postgresql.conf"), "a", encoding="utf-8") as f:
            f.write(f"unix_socket_directories = '{standby.folder}'\n")
        standby.start()
        self.sql("ALTER SYSTEM SET synchronous_standby_names = '*'", database="postgres")
        self.sql("SELECT pg_reload_conf()", database="postgres")
        wait_for("the synchronous standby", lambda: self.sql("SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'") == "1")
        return standby

    def start(self):
        self.run("pg_ctl", "-D", self.data, "-w", "-l", os.path.join(self.folder, "log"), "-o", f"-p {self.port}", "start")
        return self

    def promote(self):
        self.sql("ALTER SYSTEM SET synchronous_standby_names = ''", database="postgres", check=False)
        self.run("pg_ctl", "-D", self.data, "-w", "promote")
        self.sql("ALTER SYSTEM SET synchronous_standby_names = ''", database="postgres")
        self.sql("SELECT pg_reload_conf()", database="postgres")

    def pids(self):
        try:
            with open(os.path.join(self.data, "postmaster.pid"), encoding="utf-8") as f:
                postmaster = int(f.readline())
        except (OSError, ValueError):
            return []
        listed = subprocess.run(["ps", "-o", "pid=", "--ppid", str(postmaster)], capture_output=True, text=True).stdout.split()
        return [postmaster, *map(int, listed)]

    def signal(self, number):
        for pid in self.pids():
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                pass

    def kill(self):
        self.signal(signal.SIGKILL)

    def stop(self):
        self.signal(signal.SIGCONT)
        self.run("pg_ctl", "-D", self.data, "-m", "immediate", "-w", "stop", check=False)

    def sql(self, statement, database="refdesk", check=True):
        done = self.run("psql", "-X", "-A", "-t", "-q", "-h", "127.0.0.1", "-p", str(self.port), "-U", self.user, "-d", database, "-c", statement, check=check)
        return done.stdout.strip()


class Valve:
    """A TCP proxy before one engine. `set` takes pass, refuse (nobody listens), drop (connections are reset), black_hole (bytes stay where they
    are, nothing is closed), half_open (the engine's end is closed, the client's is not told) or delay (each piece waits `seconds`)."""

    def __init__(self, target):
        self.target, self.port, self.mode, self.seconds = target, free_port(), "pass", 0.0
        self.loop, self.pairs, self.server = asyncio.new_event_loop(), set(), None
        threading.Thread(target=self.loop.run_forever, daemon=True).start()
        self._call(self._listen())

    def _call(self, work):
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(PATIENCE)

    def set(self, mode, seconds=0.0):
        self._call(self._set(mode, seconds))

    def switch(self, target):
        """Another engine takes over: old connections are reset."""
        self.target = target
        self._call(self._reset())

    def stop(self):
        self._call(self._set("refuse", 0.0))
        self.loop.call_soon_threadsafe(self.loop.stop)

    async def _listen(self):
        self.clear = asyncio.Event()
        self.clear.set()
        self.server = await asyncio.start_server(self._accept, "127.0.0.1", self.port)

    async def _set(self, mode, seconds):
        self.mode, self.seconds = mode, seconds
        self.clear.clear() if mode in ("black_hole", "half_open") else self.clear.set()
        if mode == "refuse" and self.server:
            self.server.close()
            self.server = None
        elif mode != "refuse" and not self.server:
            self.server = await asyncio.start_server(self._accept, "127.0.0.1", self.port)
        if mode in ("refuse", "drop"):
            await self._reset()
        if mode == "half_open":
            for _, engine in list(self.pairs):
                engine.transport.abort()

    async def _reset(self):
        for client, engine in list(self.pairs):
            client.transport.abort()
            engine.transport.abort()

    async def _accept(self, reader, client):
        if self.mode == "drop":
            client.transport.abort()
            return
        await self.clear.wait()
        try:
            from_engine, engine = await asyncio.open_connection("127.0.0.1", self.target)
        except OSError:
            client.transport.abort()
            return
        pair = (client, engine)
        self.pairs.add(pair)
        await asyncio.gather(self._pump(reader, engine), self._pump(from_engine, client), return_exceptions=True)
        self.pairs.discard(pair)
        for end in pair:
            end.transport.abort()

    async def _pump(self, reader, writer):
        try:
            while piece := await reader.read(65536):
                await self.clear.wait()
                if self.mode == "delay":
                    await asyncio.sleep(self.seconds)
                writer.write(piece)
                await writer.drain()
        finally:
            # Also after a reset, of which the other end hears, too.
            await self.clear.wait()
            writer.close()


def main():
    if not program("redis-server"):
        sys.exit("redis-server is missing: install the package redis-server")
    with tempfile.TemporaryDirectory(prefix="refdesk-redis-") as folder:
        redis = Redis(folder).start()
        try:
            code = subprocess.run(sys.argv[1:], env={**os.environ, "REFDESK_TEST_REDIS": redis.url}).returncode
        finally:
            redis.stop()
    sys.exit(code)


if __name__ == "__main__":
    main()
