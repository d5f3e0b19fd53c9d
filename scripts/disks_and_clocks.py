#!/usr/bin/env python3
"""Takes the disk from a running refdesk and sets its clock wrong, and watches it tell and recover. Standard library only.

    scripts/disks_and_clocks.py --refdesk target/release/refdesk                          some minutes
    scripts/disks_and_clocks.py --refdesk … --short                                       the form of the test script
    scripts/disks_and_clocks.py --refdesk … --write docs/reliability.md                   the figures as a section of the page

Disks that are full (a small file system where mounting is permitted, and a limit of the size of files anywhere), read-only, lost and
returned, locked for long, slow, hanging (a shim around the C library's calls, where a C compiler is found); clocks forward and back by minutes to years, while it runs and between runs. Asserts of each: answers go on
meanwhile, /health says what is wrong within 60 seconds where something is, and within 60 seconds after the end of it a new card is synced,
/health is as before, and no time of the source lies ahead of the clock, all without a restart. The log tells a fault once and not at every
try.
"""
import contextlib, datetime, http.client, json, os, re, resource, shutil, subprocess, sys, tempfile, time

import page
from checks import end, fail, failures
from desk import Program, ask, command_line, source, write_file

SECONDS_MAX = 60          # to tell, and to recover
INTERVAL_SECONDS = 2      # of the source
ANSWER_SECONDS_MAX = 2.0  # a look-up while the disk is away; it comes from memory
DISK_MIB = 48
SLOW_MS, HANGING_MS = 50, 3_600_000
# Makes each access to the store's files take as many milliseconds as the file $SLOW_DISK says, looking again every 10 ms whether it still does.
SLOW_DISK = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>
static void wait_for_the_disk(int fd) {
  char link[32], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length <= 0) return;
  path[length] = 0;
  if (!strstr(path, "refdesk.sqlite3")) return;
  for (int waited = 0;; waited += 10) {
    int milliseconds = 0;
    FILE *file = fopen(getenv("SLOW_DISK"), "r");
    if (!file) return;
    if (fscanf(file, "%d", &milliseconds) != 1) milliseconds = 0;
    fclose(file);
    if (waited >= milliseconds) return;
    usleep(10000);
  }
}
#define SLOWED(type, name, parameters, arguments) \
  type name parameters { \
    static type(*real) parameters; \
    if (!real) real = (type(*) parameters)dlsym(RTLD_NEXT, #name); \
    wait_for_the_disk(fd); \
    return real arguments; \
  }
SLOWED(ssize_t, read, (int fd, void *to, size_t count), (fd, to, count))
SLOWED(ssize_t, write, (int fd, const void *from, size_t count), (fd, from, count))
SLOWED(ssize_t, pread64, (int fd, void *to, size_t count, off_t at), (fd, to, count, at))
SLOWED(ssize_t, pwrite64, (int fd, const void *from, size_t count, off_t at), (fd, from, count, at))
SLOWED(int, fsync, (int fd), (fd))
SLOWED(int, fdatasync, (int fd), (fd))
"""
HOUR, DAY, YEAR = 3_600, 86_400, 31_557_600


def utc(text):
    return datetime.datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=datetime.timezone.utc).timestamp()


class Desk(Program):
    """A desk that is stopped and started again, with a folder of cards and a clock of its own."""
    def __init__(self, binary, folder):
        super().__init__(binary, folder)
        self.number, self.server, self.offset_file = 0, None, os.path.join(folder, "offset")
        self.set_offset(0)
        self.card("lamp")
        self.configure(f'clock_offset_file = "{self.offset_file}"\nrate_limit_anon = 0\ndefault_sources = false\nsync_interval_min = "1s"\n' + source("mine", "cards", "cards", interval=f"{INTERVAL_SECONDS}s"))

    def card(self, name, text="A card."):
        # A document is its own source: a sync verifies it, unlike a card about another page.
        write_file(os.path.join(self.folder, "cards", f"{name}.md"), f"---\nkind: document\nid: {name}\ntitle: {name}\n---\n{text}\n")

    def new_card(self, text="A card."):
        self.number += 1
        self.card(f"new-{self.number}", text)
        return f"/v1/documents/new-{self.number}"

    def set_offset(self, seconds):
        write_file(self.offset_file + ".new", str(seconds))
        os.replace(self.offset_file + ".new", self.offset_file)
        self.offset = seconds

    def now(self):
        return time.time() + self.offset

    def start(self):
        # Without restoring signals the one for files that grow too large stays ignored, as a shell's `trap '' XFSZ` would have it.
        self.server = self.serve("--offline", restore_signals=False)

    def stop(self):
        if (code := self.server.stop(30)) != 0:
            fail(f"exit code {code}")
        self.server = None

    def get(self, path):
        began = time.time()
        answer = ask(self.server.base, path)
        return answer.status, answer.body, time.time() - began

    def answer(self, path):
        return json.loads(self.get(path)[1])

    def reasons(self):
        # That every fact is stale is right under a clock that is years ahead.
        return [reason for reason in self.answer("/health")["reasons"] if "every fact is stale" not in reason]

    def source(self):
        return next(source for source in self.answer("/v1/sources/status")["sources"] if source["id"] == "mine")

    def answers_go_on(self, case):
        for path in ("/v1/documents/lamp", "/v1/search?q=lamp", "/v1/documents/list", "/livez", "/metrics", "/v1/sources/status"):
            status, _, seconds = self.get(path)
            if status != 200:
                fail(f"{case}: {status} on {path}")
            if seconds > ANSWER_SECONDS_MAX:
                fail(f"{case}: {path} took {seconds:.1f} s")

    def until(self, case, what, wanted, seconds=SECONDS_MAX):
        """Seconds until it is as wanted, or None after a failure."""
        began = time.time()
        while time.time() - began < seconds:
            try:
                if wanted():
                    return time.time() - began
            except (OSError, http.client.HTTPException) as error:
                fail(f"{case}: no answer: {error!r}")
                return None
            time.sleep(0.25)
        fail(f"{case}: not within {seconds} s: {what}; health {self.reasons()}, source {json.dumps(self.source())[:600]}")
        return None

    def no_time_is_ahead(self):
        source = self.source()
        past = [source[name] for name in ("last_attempt_at", "last_synced_at", "last_verified_at")]
        if None in past or source["next_due_at"] is None:
            return False
        return all(utc(at) <= self.now() + 5 for at in past) and utc(source["next_due_at"]) <= self.now() + INTERVAL_SECONDS + 5


def seconds(value):
    return "-" if value is None else f"{value:.0f} s"


def disk_case(desk, rows, case, begin, end, told, large=False):
    """A fault of the disk: `begin` makes it, `end` takes it away, and /health shows a reason with `told` meanwhile; without `told` it goes on working."""
    print("==", case, flush=True)
    before = desk.reasons()
    # A full text that nobody asked for since the newest generation is in the store alone.
    desk.answers_go_on(case)
    begin()
    # Many texts as long as a card may hold, of which nothing can be compressed.
    for _ in range(40 if large else 0):
        desk.new_card(os.urandom(15_000).hex())
    path = desk.new_card("A card.")
    after = desk.until(case, f"health tells {told!r}", lambda: any(told in reason for reason in desk.reasons())) if told else None
    desk.answers_go_on(case)
    if not told:
        desk.until(case, "a new card is synced meanwhile", lambda: desk.get(path)[0] == 200)
    if told and 'refdesk_fault{part="store"} 1' not in desk.get("/metrics")[1].decode() and not any(r.startswith("source") for r in desk.reasons()):
        fail(f"{case}: neither the metric nor a source tells")
    end()
    synced = desk.until(case, "a new card is synced", lambda: desk.get(path)[0] == 200)
    well = desk.until(case, "health is as before", lambda: desk.reasons() == before)
    rows.append((case, seconds(after), seconds(max(synced, (synced or 0) + (well or 0)) if synced is not None else None)))


def mount(folder):
    os.makedirs(folder, exist_ok=True)
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK_MIB}m,mode=0700", "tmpfs", folder], capture_output=True, text=True)
    return done.returncode == 0


def fill(folder):
    with open(os.path.join(folder, "filler"), "wb", buffering=0) as f:
        block = b"\0" * (1 << 16)
        while block:
            try:
                f.write(block)
            except OSError:
                block = block[: len(block) // 2]


def full_disk(binary, rows):
    """On a small file system of its own, where mounting is permitted."""
    case = f"a disk of {DISK_MIB} MiB is full"
    with tempfile.TemporaryDirectory(prefix="refdesk-full-", ignore_cleanup_errors=True) as folder:
        data = os.path.join(folder, "data")
        if not mount(data):
            rows.append((case, "skipped: mounting is not permitted", "-"))
            return
        desk = Desk(binary, folder)
        with running(desk):
            disk_case(desk, rows, case, lambda: fill(data), lambda: os.remove(os.path.join(data, "filler")), "store", large=True)
            judge_log(desk, 1)
        subprocess.run(["umount", data])


def slow_disk(binary, rows, short):
    cases = [("every access to the store takes an hour", HANGING_MS, "store")]
    if not short:
        # Last: what a slow store still writes makes a generation later, whose full texts nobody asked for yet.
        cases.append((f"every access to the store takes {SLOW_MS} ms", SLOW_MS, None))
    with tempfile.TemporaryDirectory(prefix="refdesk-slow-", ignore_cleanup_errors=True) as folder:
        shim, slow = os.path.join(folder, "slow_disk.so"), os.path.join(folder, "slow")
        if not shutil.which("cc") or subprocess.run(["cc", "-shared", "-fPIC", "-o", shim, "-xc", "-", "-ldl"], input=SLOW_DISK, text=True).returncode != 0:
            rows.extend((case, "skipped: no C compiler", "-") for case, _, _ in cases)
            return
        desk = Desk(binary, folder)
        desk.environment |= {"LD_PRELOAD": shim, "SLOW_DISK": slow}
        with running(desk):
            for case, milliseconds, told in cases:
                disk_case(desk, rows, case, lambda: write_file(slow, str(milliseconds)), lambda: write_file(slow, "0"), told)
            judge_log(desk, len(cases))


@contextlib.contextmanager
def running(desk):
    """A desk that runs, and at the end one that stops in order and whose store is whole."""
    try:
        desk.start()
        desk.until("start", "the first card is synced", lambda: desk.get("/v1/documents/lamp")[0] == 200)
        desk.until("start", "the desk is well", lambda: not desk.reasons())
        yield
        desk.stop()
        verified = desk.run("verify", codes=None)
        if verified.returncode != 0:
            fail(f"verify: {verified.stdout[-500:]} {verified.stderr[-500:]}")
    finally:
        if desk.server is not None:
            desk.server.kill()
        if failures and os.path.exists(desk.log):
            print("the end of the log:\n" + open(desk.log, errors="replace").read()[-3000:])


def disks(desk, rows, short):
    hard = resource.prlimit(desk.server.process.pid, resource.RLIMIT_FSIZE)[1]
    # Of the process that runs by then: a case starts the desk anew.
    limit = lambda soft: resource.prlimit(desk.server.process.pid, resource.RLIMIT_FSIZE, (soft, hard))
    disk_case(desk, rows, "no file may grow (RLIMIT_FSIZE)", lambda: limit(0), lambda: limit(hard), "store: the disk of the store")
    away = desk.data + ".away"
    disk_case(desk, rows, "the store is lost and returns", lambda: os.rename(desk.data, away), lambda: os.rename(away, desk.data), "store file is gone")
    read_only(desk, rows)
    holder = []

    def hold():
        code = "import sqlite3,sys,time\ns=sqlite3.connect(sys.argv[1],isolation_level=None,timeout=20)\ns.execute('BEGIN IMMEDIATE')\nprint('held',flush=True)\ntime.sleep(600)"
        holder.append(subprocess.Popen([sys.executable, "-c", code, os.path.join(desk.data, "refdesk.sqlite3")], stdout=subprocess.PIPE, text=True))
        holder[0].stdout.readline()

    def release():
        holder[0].kill()
        holder[0].wait()
    disk_case(desk, rows, "every write waits for another process", hold, release, "store")
    if not short:
        for turn in range(5):
            disk_case(desk, rows, f"no file may grow, {turn + 2} times in a row", lambda: limit(0), lambda: limit(hard), "store: the disk of the store")


def read_only(desk, rows):
    case = "the store may only be read"
    names = [os.path.join(desk.data, name) for name in os.listdir(desk.data) if name.startswith("refdesk.sqlite3")]
    if os.geteuid() == 0:
        # Permissions do not hold root; the attribute does, where the file system has it. A program that writes to a mapped file with the
        # attribute is ended by the kernel (SIGBUS), and SQLite maps its -shm. Such a desk is started again: the next case is about that.
        unmapped = [name for name in names if not name.endswith("-shm")]

        def attribute(flag, names):
            return shutil.which("chattr") and all(subprocess.run(["chattr", flag, name], capture_output=True).returncode == 0 for name in names)
        protect, protect_all, free = lambda: attribute("+i", unmapped), lambda: attribute("+i", names), lambda: attribute("-i", names)
        if not protect():
            free()
            rows.append((case, "skipped: for root it takes a file system with attributes", "-"))
            return
    else:
        def permit(of_folder, of_file):
            os.chmod(desk.data, of_folder)
            for name in names:
                os.chmod(name, of_file)
        protect = protect_all = lambda: permit(0o500, 0o400)
        free = lambda: permit(0o700, 0o600)
    disk_case(desk, rows, case, protect, free, "store")

    def start_protected():
        # Not in order: who closes a store in order takes its -wal and -shm away.
        desk.server.kill()
        protect_all()
        desk.start()
    disk_case(desk, rows, "started on a store that may only be read", start_protected, free, "store")


def clock_case(desk, rows, name, offset, between):
    case = f"{name}, {'between runs' if between else 'while it runs'}"
    print("==", case, flush=True)

    def set_clock(seconds):
        if between:
            desk.stop()
        desk.set_offset(seconds)
        if between:
            desk.start()
    before = desk.reasons()
    set_clock(offset)
    # Under the wrong clock it works as under any other.
    desk.until(case, "it syncs under the wrong clock", lambda: desk.no_time_is_ahead() and utc(desk.source()["last_verified_at"]) > desk.now() - SECONDS_MAX)
    desk.answers_go_on(case)
    set_clock(0)
    path = desk.new_card()
    synced = desk.until(case, "a new card is synced", lambda: desk.get(path)[0] == 200)
    right = desk.until(case, "no time is ahead, and the source is verified now",
                       lambda: desk.no_time_is_ahead() and utc(desk.source()["last_verified_at"]) > desk.now() - SECONDS_MAX)
    evidence = lambda: desk.answer("/v1/documents/lamp")["evidence"]
    fresh = desk.until(case, "an old fact is fresh", lambda: evidence()["stale"] is False and utc(evidence()["last_verified_at"]) <= desk.now() + 5)
    well = desk.until(case, "health is as before", lambda: desk.reasons() == before)
    took = [synced, right, fresh, well]
    rows.append((case, "-", seconds(None if None in took else sum(took))))


def clocks(desk, rows, short):
    steps = [("an hour ahead", HOUR), ("ten years ahead", 10 * YEAR), ("an hour back", -HOUR)]
    if not short:
        steps = [("ten minutes ahead", 600), *steps, ("a day ahead", DAY), ("seventy years ahead", 70 * YEAR), ("a day back", -DAY), ("a month back", -30 * DAY), ("five years back", -5 * YEAR)]
    for name, offset in steps:
        clock_case(desk, rows, name, offset, between=False)
    for name, offset in steps[1:2] if short else steps:
        clock_case(desk, rows, name, offset, between=True)


def judge_log(desk, cases):
    log = re.sub(r"\x1b\[[0-9;]*m", "", open(desk.log, errors="replace").read())
    if "panicked" in log:
        fail("a panic stands in the log")
    told = log.count("the store has a fault")
    # A fault may be told twice: what a sync could not write, and what a look found.
    if told > 3 * cases:
        fail(f"{cases} cases, and faults of the store stand in the log {told} times")


def main():
    parser = command_line(__doc__)
    parser.add_argument("--short", action="store_true", help="fewer clocks and disks")
    parser.add_argument("--write", help="write the figures to this page")
    options = parser.parse_args()
    rows, began = [], time.time()
    with tempfile.TemporaryDirectory(prefix="refdesk-disks-", ignore_cleanup_errors=True) as folder:
        full_disk(options.refdesk, rows)
        slow_disk(options.refdesk, rows, options.short)
        desk = Desk(options.refdesk, folder)
        with running(desk):
            disks(desk, rows, options.short)
            clocks(desk, rows, options.short)
            judge_log(desk, len(rows))
    table = page.table(("what happens", "told after", "well again after"), rows)
    print(table)
    if options.write:
        form = " --short" if options.short else ""
        page.write_section(options.write, "Disks and clocks", f"Made by `scripts/disks_and_clocks.py --refdesk {options.refdesk}{form} --write {options.write}` in "
                           f"{(time.time() - began) / 60:.0f} minutes; {len(failures)} failures. One server without a restart (but for clocks that change between runs, and for the store that may only be read from the start), a folder of cards that is synced every "
                           f"{INTERVAL_SECONDS} seconds. Told: `/health` gives the reason. Well again: a new card is synced and shown, `/health` is as before, and no time lies ahead of the clock. "
                           "Meanwhile look-ups are answered.\n\n" + table)
    end(f"{len(rows)} cases, {len(failures)} failures, {time.time() - began:.0f} s")


if __name__ == "__main__":
    main()
