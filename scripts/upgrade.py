#!/usr/bin/env python3
"""Rehearses backup, restore, upgrade and roll-back with the binary of an earlier release. Loopback only, standard library only.

    scripts/upgrade.py --new target/debug/refdesk                         backup and restore; old and new are the same
    scripts/upgrade.py --old OLD/refdesk --new target/release/refdesk     the way from one release to the next, and back

The old release fills a data directory from cards, makes an API key and answers. Then, step by step: backups are taken (a copy of the
directory, a copy of the store in use, an archive); the new release starts on the directory and answers the same of the same facts; the old one is
started on what the new one left and must work, or refuse it and change nothing; the copies bring the old state back; archives are
restored into empty directories by both.
"""
import argparse, datetime, hashlib, http.client, json, os, re, shutil, signal, sqlite3, subprocess, sys, tempfile, urllib.parse

CARDS = 40
KINDS = {"models": "models", "tools": "tools", "skills": "skills", "tutorials": "tutorials", "mcp-servers": "mcp_servers", "frameworks": "frameworks"}
SECONDS_MAX = 120
STORE = "refdesk.sqlite3"
failures, steps = [], []


def check(what, got, wanted):
    if got != wanted:
        failures.append(f"{what}: got {str(got)[:600]}, wanted {str(wanted)[:600]}")
        print("FAIL ", failures[-1], flush=True)


def done(step, what):
    steps.append(step)
    print(f"{step}: {what}", flush=True)


class Program:
    """A release, on a folder that holds its configuration."""
    def __init__(self, binary, folder):
        self.binary, self.folder = os.path.abspath(binary), folder
        self.environment = {"PATH": os.environ["PATH"], "HOME": folder, "LANG": "C.UTF-8"}
        self.version = self.run("--version").stdout.split()[1]

    def command(self, data, *args):
        return [self.binary, "--config", os.path.join(self.folder, "refdesk.toml"), "--data-dir", data, "--offline", *args]

    def run(self, *args):
        return subprocess.run([self.binary, *args], capture_output=True, text=True, cwd=self.folder, env=self.environment, timeout=SECONDS_MAX)

    def on(self, data, *args, codes=(0,)):
        """Runs a command on a data directory; it must end with one of the codes."""
        ended = subprocess.run(self.command(data, *args), capture_output=True, text=True, cwd=self.folder, env=self.environment, timeout=SECONDS_MAX)
        if ended.returncode not in codes:
            sys.exit(f"refdesk {self.version}: {' '.join(args)} ended with {ended.returncode}: {ended.stderr[-2000:]}")
        return ended

    def json(self, data, *args, codes=(0,)):
        return json.loads(self.on(data, "--json", *args, codes=codes).stdout)

    def serve(self, data):
        return Service(self, data)


class Service:
    """A running server that asks for keys."""
    def __init__(self, program, data):
        command = program.command(data, "serve", "--listen", "127.0.0.1:0", "--require-key", "--rate-limit-key", "0")
        self.log = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=self.log, text=True, cwd=program.folder, env=program.environment)
        self.base = self.process.stdout.readline().strip().removeprefix("listening on http://")

    def get(self, path, key):
        connection = http.client.HTTPConnection(self.base, timeout=30)
        connection.request("GET", path, headers={"Authorization": f"Bearer {key}"})
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        return answer.status, json.loads(body)

    def said(self):
        self.log.seek(0)
        return self.log.read()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        check("exit code of serve", self.process.wait(SECONDS_MAX), 0)


def facts(service, key):
    """What a desk says, apart from what an upgrade may add: of each item its id, name, evidence and content hash; what a search finds."""
    said = {}
    for path, field in KINDS.items():
        offset = 0
        while offset is not None:
            status, page = service.get(f"/v1/{path}/list?limit=100&offset={offset}", key)
            check(f"list of {path}", status, 200)
            for row in page[field]:
                said[f"{path}/{row['id']}"] = (row.get("display_name") or row["title"], row["evidence_key"])
            offset = page["next_offset"]
    for number in range(0, CARDS, 7):
        status, detail = service.get(f"/v1/tools/rehearsed-{number}", key)
        check(f"detail of rehearsed-{number}", status, 200)
        evidence = detail["evidence"]
        said[f"evidence of {number}"] = (evidence["content_hash"], evidence["source_id"])
        said[f"synced {number}"] = evidence["last_synced_at"]
        _, found = service.get(f"/v1/search?q={urllib.parse.quote(name(number))}&limit=1", key)
        said[f"search for {number}"] = found["results"][0]["id"]
    return said


def own(said, synced_again):
    """Of the cards of this rehearsal only: a release brings another starter catalog. A sync moves times and nothing else."""
    of_ours = ("tools/rehearsed", "evidence", "search") if synced_again else ("tools/rehearsed", "evidence", "search", "synced")
    return {name: value for name, value in said.items() if name.startswith(of_ours)}


def name(number):
    return f"Quillstone {chr(97 + number % 26)}{chr(97 + number // 26)}{number} Planer"


def write_cards(folder):
    os.makedirs(folder)
    for number in range(CARDS):
        with open(os.path.join(folder, f"rehearsed-{number}.yaml"), "w", encoding="utf-8") as f:
            f.write(f"kind: tool\nid: rehearsed-{number}\ndisplay_name: {name(number)}\nsource_url: https://example.org/{number}\nchecked_on: {datetime.date.today()}\ncategory: test\ndescription: Card number {number} of the rehearsal.\n")


def digest(data):
    """A sum over the store."""
    with open(os.path.join(data, STORE), "rb") as f:
        return hashlib.file_digest(f, "sha256").hexdigest()


def configured(folder, default_sources):
    """A configuration with one source: as 0.1 writes it, or with what later releases ask for."""
    with open(os.path.join(folder, "refdesk.toml"), "w", encoding="utf-8") as f:
        f.write(("" if default_sources is None else f"default_sources = {default_sources}\n")
                + '[[sources]]\nid = "team-cards"\nconnector = "cards"\nurl = "cards"\ninterval = "1d"\nstale_after = "30d"\n')


def filled(old, data):
    """A data directory of the old release: cards, an API key, what it says."""
    old.on(data, "sync", "team-cards")
    key = old.json(data, "keys", "create", "--name", "rehearsal")["key"]
    with old.serve(data) as service:
        said = facts(service, key)
        # A backup of a store in use, as docs/manual/operations.md shows it.
        in_use = os.path.join(old.folder, "in-use")
        os.mkdir(in_use)
        with sqlite3.connect(os.path.join(data, STORE)) as source, sqlite3.connect(os.path.join(in_use, STORE)) as copy:
            source.backup(copy)
    check("cards of the old release", sum(entry.startswith("tools/rehearsed-") for entry in said), CARDS)
    check("differences of verify", old.json(data, "verify")["differences"], [])
    archive = os.path.join(old.folder, "old.tar.zst")
    old.on(data, "export", archive)
    shutil.copytree(data, os.path.join(old.folder, "stopped"))
    done("backup", f"refdesk {old.version}: {len(said)} answers kept; the directory copied, the store copied in use, an archive of {os.path.getsize(archive):,} bytes")
    return key, said


def answers(program, data, key, said, what, compared):
    """Whether a release says of a directory what was said before, as far as it is compared."""
    with program.serve(data) as service:
        now = facts(service, key)
        status, health = service.get("/health", key)
        check(f"{what}: /health", (status, health["status"] in ("ok", "degraded")), (200, True))
        check(f"{what}: without a key", service.get("/v1/tools/list", "rdk_wrong")[0], 401)
    now, said = compared(now), compared(said)
    check(f"{what}: answers that differ", [(name, now.get(name), said.get(name)) for name in sorted({*now, *said}) if now.get(name) != said.get(name)], [])
    check(f"{what}: differences of verify", program.json(data, "verify")["differences"], [])
    return service.said()


def upgraded(old, new, data, key, said):
    """The new release on the directory of the old one."""
    log = answers(new, data, key, said, "upgrade", lambda all: own(all, synced_again=False))
    if old.version == "0.1.0" != new.version:
        check("upgrade: the warning names both choices", bool(re.search("default_sources = true.*default_sources = false", log, re.S)), True)
    configured(new.folder, "false")
    answers(new, data, key, said, "upgrade, with default_sources = false", lambda all: own(all, synced_again=False))
    new.on(data, "sync", "team-cards")
    doctor = new.json(data, "doctor", codes=(0, 1))
    check("upgrade: doctor", doctor["ok"], True)
    done("upgrade", f"refdesk {new.version} answers the same of the cards, accepts the key, verifies, syncs; doctor finds nothing")


def rolled_back(old, new, data, key, said):
    """The old release on what the new one left: it works, or says no and touches nothing; the copies bring its state back."""
    configured(old.folder, None)
    before = digest(data)
    tried = old.on(data, "verify", codes=(0, 1, 2))
    if tried.returncode == 2:
        check("roll back in place: the store is untouched", digest(data), before)
        check("roll back in place: the reason", "newer" in tried.stderr, True)
        done("roll back in place", f"refdesk {old.version} refuses the store and leaves it: {tried.stderr.strip().splitlines()[-1][:160]}")
    else:
        answers(old, data, key, said, "roll back in place", lambda all: own(all, synced_again=True))
        done("roll back in place", f"refdesk {old.version} answers from the store that {new.version} left")
    for backup in ("stopped", "in-use"):
        answers(old, os.path.join(old.folder, backup), key, said, f"roll back to the copy {backup}", dict)
    done("roll back to a copy", f"refdesk {old.version} says of both copies what it said before, keys included")


def restored(old, new, data):
    """Archives into empty directories: of the old release by the new one, and of the new one by itself."""
    for maker, file in ((old, "old.tar.zst"), (new, "new.tar.zst")):
        archive = os.path.join(new.folder, file)
        if maker is new:
            new.on(data, "export", archive)
        empty = os.path.join(new.folder, f"restored-{file}")
        new.on(empty, "import", archive)
        check(f"restore {file}: differences of verify", new.json(empty, "verify")["differences"], [])
        shown = new.json(empty, "get", "tool", "rehearsed-7")
        kept = new.json(data, "get", "tool", "rehearsed-7")
        check(f"restore {file}: content hash", shown["evidence"]["content_hash"], kept["evidence"]["content_hash"])
        with open(archive, "r+b") as f:
            f.seek(os.path.getsize(archive) // 2)
            byte = f.read(1)
            f.seek(-1, os.SEEK_CUR)
            f.write(bytes([byte[0] ^ 1]))
        check(f"restore {file}: a damaged archive", new.on(empty, "import", archive, codes=(2,)).returncode, 2)
        check(f"restore {file}: after a damaged archive", new.json(empty, "verify")["differences"], [])
    done("restore", "the archives of both releases are restored into empty directories; a flipped bit is refused and changes nothing")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--old", help="binary of the release before; --new when it is left out")
    parser.add_argument("--new", required=True)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="refdesk-upgrade-") as folder:
        old, new = Program(options.old or options.new, folder), Program(options.new, folder)
        data = os.path.join(folder, "data")
        write_cards(os.path.join(folder, "cards"))
        configured(folder, None)
        key, said = filled(old, data)
        upgraded(old, new, data, key, said)
        rolled_back(old, new, data, key, said)
        configured(folder, "false")
        restored(old, new, data)
    print(f"{len(steps)} steps from refdesk {old.version} to {new.version}, failed: {len(failures)}")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
