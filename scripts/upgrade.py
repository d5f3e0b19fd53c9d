#!/usr/bin/env python3
"""Rehearses backup, restore, upgrade and roll-back with the binary of an earlier release. Loopback only, standard library only.

    scripts/upgrade.py --new target/debug/refdesk                         backup and restore; old and new are the same
    scripts/upgrade.py --old OLD/refdesk --new target/release/refdesk     the way from one release to the next, and back

The old release fills a data directory from cards, makes an API key and answers. Then, step by step: backups are taken (a copy of the
directory, a copy of the store in use, an archive); the new release starts on the directory and answers the same of the same facts; the old one is
started on what the new one left and must work, or refuse it and change nothing; the copies bring the old state back; archives are
restored into empty directories by both.
"""
import argparse, copy, datetime, hashlib, json, os, re, shutil, sqlite3, tempfile, urllib.parse

from checks import check, end, failures
from desk import Program, source, write_file

CARDS = 40
KINDS = {"models": "models", "tools": "tools", "skills": "skills", "tutorials": "tutorials", "mcp-servers": "mcp_servers", "frameworks": "frameworks"}
STORE = "refdesk.sqlite3"
steps = []


def done(step, what):
    steps.append(step)
    print(f"{step}: {what}", flush=True)


class Release(Program):
    """A release, on a folder that holds its configuration, and without anything else of the machine."""
    def __init__(self, binary, folder):
        super().__init__(binary, folder, "--offline")
        self.environment = {"PATH": os.environ["PATH"], "HOME": folder, "LANG": "C.UTF-8"}
        self.version = self.run("--version").stdout.split()[1]

    def on(self, data):
        """The same release on another data directory."""
        other = copy.copy(self)
        other.data = data
        return other

    def serve(self):
        return super().serve("--require-key", "--rate-limit-key", "0")


def asked(desk, path, key):
    answer = desk.ask(path, headers={"Authorization": f"Bearer {key}"})
    return answer.status, json.loads(answer.body)


def facts(desk, key):
    """What a desk says, apart from what an upgrade may add: of each item its id, name, evidence and content hash; what a search finds."""
    said = {}
    for path, field in KINDS.items():
        offset = 0
        while offset is not None:
            status, page = asked(desk, f"/v1/{path}/list?limit=100&offset={offset}", key)
            check(f"list of {path}", status, 200)
            for row in page[field]:
                said[f"{path}/{row['id']}"] = (row.get("display_name") or row["title"], row["evidence_key"])
            offset = page["next_offset"]
    for number in range(0, CARDS, 7):
        status, detail = asked(desk, f"/v1/tools/rehearsed-{number}", key)
        check(f"detail of rehearsed-{number}", status, 200)
        evidence = detail["evidence"]
        said[f"evidence of {number}"] = (evidence["content_hash"], evidence["source_id"])
        said[f"synced {number}"] = evidence["last_synced_at"]
        _, found = asked(desk, f"/v1/search?q={urllib.parse.quote(name(number))}&limit=1", key)
        said[f"search for {number}"] = found["results"][0]["id"]
    return said


def own(said, synced_again):
    """Of the cards of this rehearsal only: a release brings another starter catalog. A sync moves times and nothing else."""
    of_ours = ("tools/rehearsed", "evidence", "search") if synced_again else ("tools/rehearsed", "evidence", "search", "synced")
    return {name: value for name, value in said.items() if name.startswith(of_ours)}


def name(number):
    return f"Quillstone {chr(97 + number % 26)}{chr(97 + number // 26)}{number} Planer"


def write_cards(folder):
    for number in range(CARDS):
        write_file(os.path.join(folder, f"rehearsed-{number}.yaml"), f"kind: tool\nid: rehearsed-{number}\ndisplay_name: {name(number)}\nsource_url: https://example.org/{number}\n"
                   f"checked_on: {datetime.date.today()}\ncategory: test\ndescription: Card number {number} of the rehearsal.\n")


def digest(data):
    """A sum over the store."""
    with open(os.path.join(data, STORE), "rb") as f:
        return hashlib.file_digest(f, "sha256").hexdigest()


def configure(program, default_sources):
    """A configuration with one source: as 0.1 writes it, or with what later releases ask for."""
    program.configure(("" if default_sources is None else f"default_sources = {default_sources}\n") + source("team-cards", "cards", "cards", interval="1d", stale_after="30d"))


def filled(old, data):
    """A data directory of the old release: cards, an API key, what it says."""
    old.on(data).run("sync", "team-cards")
    key = old.on(data).json("keys", "create", "--name", "rehearsal")["key"]
    with old.on(data).serve() as desk:
        said = facts(desk, key)
        # A backup of a store in use, as docs/manual/operations.md shows it.
        in_use = os.path.join(old.folder, "in-use")
        os.mkdir(in_use)
        with sqlite3.connect(os.path.join(data, STORE)) as source, sqlite3.connect(os.path.join(in_use, STORE)) as copy:
            source.backup(copy)
    check("cards of the old release", sum(entry.startswith("tools/rehearsed-") for entry in said), CARDS)
    check("differences of verify", old.on(data).json("verify")["differences"], [])
    archive = os.path.join(old.folder, "old.tar.zst")
    old.on(data).run("export", archive)
    shutil.copytree(data, os.path.join(old.folder, "stopped"))
    done("backup", f"refdesk {old.version}: {len(said)} answers kept; the directory copied, the store copied in use, an archive of {os.path.getsize(archive):,} bytes")
    return key, said


def answers(program, data, key, said, what, compared):
    """Whether a release says of a directory what was said before, as far as it is compared."""
    with program.on(data).serve() as desk:
        now = facts(desk, key)
        status, health = asked(desk, "/health", key)
        check(f"{what}: /health", (status, health["status"] in ("ok", "degraded")), (200, True))
        check(f"{what}: without a key", asked(desk, "/v1/tools/list", "rdk_wrong")[0], 401)
    now, said = compared(now), compared(said)
    check(f"{what}: answers that differ", [(name, now.get(name), said.get(name)) for name in sorted({*now, *said}) if now.get(name) != said.get(name)], [])
    check(f"{what}: differences of verify", program.on(data).json("verify")["differences"], [])
    return desk.said()


def upgraded(old, new, data, key, said):
    """The new release on the directory of the old one."""
    log = answers(new, data, key, said, "upgrade", lambda all: own(all, synced_again=False))
    if old.version == "0.1.0" != new.version:
        check("upgrade: the warning names both choices", bool(re.search("default_sources = true.*default_sources = false", log, re.S)), True)
    configure(new, "false")
    answers(new, data, key, said, "upgrade, with default_sources = false", lambda all: own(all, synced_again=False))
    new.on(data).run("sync", "team-cards")
    doctor = new.on(data).json("doctor", codes=(0, 1))
    check("upgrade: doctor", doctor["ok"], True)
    done("upgrade", f"refdesk {new.version} answers the same of the cards, accepts the key, verifies, syncs; doctor finds nothing")


def rolled_back(old, new, data, key, said):
    """The old release on what the new one left: it works, or says no and touches nothing; the copies bring its state back."""
    configure(old, None)
    before = digest(data)
    tried = old.on(data).run("verify", codes=(0, 1, 2))
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
            new.on(data).run("export", archive)
        empty = os.path.join(new.folder, f"restored-{file}")
        new.on(empty).run("import", archive)
        check(f"restore {file}: differences of verify", new.on(empty).json("verify")["differences"], [])
        shown = new.on(empty).json("get", "tool", "rehearsed-7")
        kept = new.on(data).json("get", "tool", "rehearsed-7")
        check(f"restore {file}: content hash", shown["evidence"]["content_hash"], kept["evidence"]["content_hash"])
        with open(archive, "r+b") as f:
            f.seek(os.path.getsize(archive) // 2)
            byte = f.read(1)
            f.seek(-1, os.SEEK_CUR)
            f.write(bytes([byte[0] ^ 1]))
        check(f"restore {file}: a damaged archive", new.on(empty).run("import", archive, codes=(2,)).returncode, 2)
        check(f"restore {file}: after a damaged archive", new.on(empty).json("verify")["differences"], [])
    done("restore", "the archives of both releases are restored into empty directories; a flipped bit is refused and changes nothing")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--old", help="binary of the release before; --new when it is left out")
    parser.add_argument("--new", required=True)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="refdesk-upgrade-") as folder:
        old, new = Release(options.old or options.new, folder), Release(options.new, folder)
        write_cards(os.path.join(folder, "cards"))
        configure(old, None)
        key, said = filled(old, old.data)
        upgraded(old, new, old.data, key, said)
        rolled_back(old, new, old.data, key, said)
        configure(new, "false")
        restored(old, new, old.data)
    end(f"{len(steps)} steps from refdesk {old.version} to {new.version}, failed: {len(failures)}")


if __name__ == "__main__":
    main()
