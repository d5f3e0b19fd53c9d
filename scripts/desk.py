"""A refdesk under test: `Program`, the binary on a folder of its own, and `Desk`, a server that runs. Standard library only.

A desk listens on a free port of loopback, knows none of the caller's REFDESK_* variables, and is ended by its own process id. What the
scripts count is in checks.py, the desks of recorded upstreams are in recordings.py, the engines beside several nodes in engines.py.
"""
import argparse, collections, decimal, http.client, json, os, re, select, shlex, signal, socket, subprocess, tempfile, time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# Debug builds on machines that do other things, too: a desk takes a second or a few.
START_SECS_MAX, STOP_SECS_MAX, COMMAND_SECS_MAX = 180, 60, 900
LOG_TAIL_CHARS = 3000
Answer = collections.namedtuple("Answer", "status body headers")


class DeskError(RuntimeError):
    """A command or a server that did not do what every check rests on; it says what the program said."""


class Refused(Exception):
    """An answer other than 200 where 200 was needed."""
    def __init__(self, path, answer):
        super().__init__(f"{answer.status} on {path}: {answer.body[:500]!r}")
        self.status = answer.status


def command_line(doc, needs_binary=True):
    """The options of a script, which its own head describes; the binary is one of them."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--refdesk", required=needs_binary, help="the binary")
    return parser


def environment(**variables):
    """The caller's environment without settings of a desk, and these variables."""
    return {name: value for name, value in os.environ.items() if not name.startswith("REFDESK_")} | variables


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(what, condition, secs_max=30, every=0.02):
    """Seconds until a condition holds; ends the run when it does not."""
    begun = time.monotonic()
    while not condition():
        if time.monotonic() - begun > secs_max:
            raise TimeoutError(f"{what} did not happen in {secs_max} s")
        time.sleep(every)
    return time.monotonic() - begun


def ask(base, path, method="GET", body=None, headers=None, timeout=30):
    """The answer to one request on a connection of its own, without a proxy and without going where it redirects."""
    connection = http.client.HTTPConnection(base.removeprefix("http://"), timeout=timeout)
    try:
        connection.request(method, path, body, headers or {})
        answer = connection.getresponse()
        return Answer(answer.status, answer.read(), answer.headers)
    finally:
        connection.close()


def exact(text):
    """A JSON text with decimals instead of floats."""
    return json.loads(text, parse_float=decimal.Decimal)


def memory_mib(pid, name="VmRSS"):
    """Memory of a process as the kernel counts it (`VmHWM` is the highest so far); 0 when it has ended."""
    try:
        with open(f"/proc/{pid}/status") as f:
            return int((re.search(rf"{name}:\s+(\d+)", f.read()) or [0, 0])[1]) / 1024
    except OSError:
        return 0


def cpu_secs(pid):
    """Processor time that a process has taken."""
    with open(f"/proc/{pid}/stat") as f:
        fields = f.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def write_file(path, text, mode=0o644):
    """Writes a file, and the folders on the way to it."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    os.chmod(path, mode)
    return path


def source(identity, connector, url, options=None, **settings):
    """One source of a configuration file."""
    pairs = lambda values: "".join(f"{name} = {json.dumps(value)}\n" for name, value in values.items())
    return "[[sources]]\n" + pairs(dict(id=identity, connector=connector, url=url, **settings)) + (f"[sources.options]\n{pairs(options)}" if options else "")


class Client:
    """Whoever asks one desk: over one connection that is kept, because some scripts ask tens of thousands of questions. Not for several threads."""
    def __init__(self, base, timeout=60):
        self.base = base.rstrip("/")
        self.address = self.base.removeprefix("http://")
        self.kept = http.client.HTTPConnection(self.address, timeout=timeout)

    def ask(self, path, **more):
        return ask(self.base, path, **more)

    def asked(self, path, headers):
        self.kept.request("GET", path, headers=headers)
        answer = self.kept.getresponse()
        return Answer(answer.status, answer.read(), answer.headers)

    def tried(self, path, headers=None):
        """An answer over the kept connection. Where there is none its status is 0, its body says why, and the next goes over a new connection."""
        try:
            return self.asked(path, headers or {})
        except (OSError, http.client.HTTPException) as error:
            self.kept.close()
            return Answer(0, repr(error), {})

    def get(self, path, accept="application/json"):
        """A body; anything but a 200 is `Refused`."""
        try:
            answer = self.asked(path, {"Accept": accept})
        except ConnectionError:
            # The desk may have closed what was idle; a new connection then has to do.
            self.kept.close()
            answer = self.asked(path, {"Accept": accept})
        if answer.status != 200:
            raise Refused(path, answer)
        return answer.body

    def json(self, path):
        return json.loads(self.get(path))

    def pages(self, kind, parameters=""):
        """All rows of the list of a kind."""
        offset = 0
        while offset is not None:
            page = self.json(f"/v1/{kind}/list?limit=500&offset={offset}{parameters}")
            yield from page[kind.replace("-", "_")]
            offset = page["next_offset"]


class Program:
    """The binary on a folder with `refdesk.toml` and `data`; `options` stand before every command, `variables` in its environment."""
    def __init__(self, binary, folder, *options, **variables):
        self.binary, self.folder, self.options, self.environment = os.path.abspath(binary), folder, options, environment(**variables)
        self.config, self.data, self.log = (os.path.join(folder, name) for name in ("refdesk.toml", "data", "log"))

    def configure(self, text):
        write_file(self.config, text)

    def command(self, *args):
        return [self.binary, "--config", self.config, "--data-dir", self.data, *self.options, *args]

    def run(self, *args, codes=(0,), secs_max=COMMAND_SECS_MAX):
        """Runs a command, which has to end with one of the codes; any will do where `codes` is None."""
        done = subprocess.run(self.command(*args), capture_output=True, env=self.environment, cwd=self.folder, text=True, errors="replace", timeout=secs_max)
        if codes is not None and done.returncode not in codes:
            raise DeskError(f"refdesk {' '.join(args)} ended with {done.returncode}: {done.stderr[-2000:]}{done.stdout[-1000:]}")
        return done

    def json(self, *args, **more):
        return json.loads(self.run(*args, "--json", **more).stdout)

    def serve(self, *args, **more):
        return Desk(self.command("serve", "--listen", "127.0.0.1:0", *args), self.log, env=self.environment, cwd=self.folder, **more)

    def is_without_panic(self):
        with open(self.log, "rb") as f:
            return b"panicked" not in f.read()


class Desk(Client):
    """A running server, until the end of the block or `stop`. Its log goes to the end of the file `log`, or to one without a name."""
    def __init__(self, command, log=None, **more):
        self.log, self.leads_group = open(log, "ab+") if log else tempfile.TemporaryFile(), more.get("start_new_session", False)
        self.log_begins = os.fstat(self.log.fileno()).st_size
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self.log, text=True, **more)
        told = select.select([self.process.stdout], [], [], START_SECS_MAX)[0]
        line = self.process.stdout.readline().strip() if told else f"nothing for {START_SECS_MAX} s"
        if not line.startswith("listening on http://"):
            self.kill()
            raise DeskError(f"{shlex.join(command)} says {line!r} instead of where it listens; the end of its log:\n{self.said()[-LOG_TAIL_CHARS:]}")
        super().__init__(line.removeprefix("listening on "))

    def said(self):
        """Its log so far. Read without moving the place where it writes."""
        return os.pread(self.log.fileno(), 1 << 26, self.log_begins).decode(errors="replace")

    def stop(self, secs_max=STOP_SECS_MAX):
        """Ends it in order and gives its exit code; one that does not end in time is killed, and its code says so."""
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(secs_max)
        except subprocess.TimeoutExpired:
            self.kill()
        return self.process.returncode

    def kill(self):
        """Ends it at once, with all that it started where it leads a group of its own."""
        if self.leads_group:
            try:
                os.killpg(self.process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.process.kill()
        self.process.wait()

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        code = self.stop()
        if code != 0 and kind is None:
            raise DeskError(f"serve ended with {code}; the end of its log:\n{self.said()[-LOG_TAIL_CHARS:]}")
