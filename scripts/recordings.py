"""Desks of recorded upstreams: ../shared/replay.py serves the recordings on loopback, and a program is configured to sync from there.
Used by rehearse.py and by what compares a whole desk with something else. Standard library only.
"""
import os, subprocess, sys

import desk

SHARED = os.path.join(desk.ROOT, "..", "shared")
REPLAY = os.path.join(SHARED, "replay.py")
# Recordings whose name is not the id of the default source.
RECORDING = {"huggingface": "hf-models", "docker-mcp": "docker-mcp-registry", "mcp-servers-data": "awesome-mcp-servers-data", "mental-models": "hummbl-base120"}
# The recording's first page has another size than the default url asks for.
URL = {"huggingface": "https://huggingface.co/api/models?sort=downloads&direction=-1&limit=40&full=true"}


class Replay:
    """replay.py on a free port."""
    def __init__(self, faults=()):
        args = [sys.executable, REPLAY, "--port", "0", "--quiet"] + [x for f in faults for x in ("--fault", f)]
        # Clients that give up in the middle of an answer are the point of a fault; the replay's complaints about them are not.
        self.process = subprocess.Popen(args, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.base = self.process.stdout.readline().strip()

    def stop(self):
        self.process.terminate()
        self.process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()


class Program(desk.Program):
    """The binary, whose sources are the recordings."""
    def __init__(self, binary, folder):
        super().__init__(binary, folder, COMPOSIO_API_KEY="rehearsal", XDG_DATA_HOME=folder)

    def default_sources(self):
        self.configure("")
        return [s for s in self.json("config", "show")["sources"] if not s["url"].startswith("bundled:")]

    def read_from(self, base, sources=None, settings=""):
        """Takes the sources, or all default ones, from a replay."""
        sources = self.default_sources() if sources is None else sources
        self.configure(settings + "\ndefault_sources = false\n" + "".join(
            desk.source(s["id"], s["connector"], URL.get(s["id"], s["url"]).replace("https://", f"{base}/{RECORDING.get(s['id'], s['id'])}/", 1), s.get("options"),
                        enabled=True, interval="1d", stale_after="30d", rank=s["rank"], trust_tier=s["trust_tier"]) for s in sources))

    def serve(self, *args, **more):
        """Serves what was synced, and syncs nothing itself."""
        return super().serve("--rate-limit-anon", "0", "--set", "sync=false", *args, **more)

    def build_catalog(self, *args):
        """Serves once until the catalog is on disk: a start that reads it takes a second, one that builds it more than ten. It is that of
        the configuration with which it was built."""
        with self.serve(*args):
            desk.wait_for("the catalog is on disk", lambda: os.path.exists(os.path.join(self.data, "catalog", "manifest.json")), desk.START_SECS_MAX)
