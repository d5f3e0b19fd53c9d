"""What scripts/bench.py asks, and whom: a server on a core of its own, and requests that are equal for equal catalogs. Standard library only."""
import json, random, re, subprocess, urllib.parse
from collections import Counter
from pathlib import Path

import desk

SERVER_CORE, PORT = "0", 18787
READY_SECS_MAX = 1200
KINDS = ["models", "tools", "skills", "tutorials", "mcp-servers", "documents", "frameworks"]
QUESTIONS = [
    "we keep missing deadlines and do not know why",
    "how do I choose between two job offers",
    "customers leave after the first month and nobody can say what is wrong",
    "split a large project into tasks that can be estimated",
    "find the root cause of an outage",
    "decide under uncertainty with little data",
    "give feedback to a colleague who does not listen",
    "plan a product launch with a small team",
]
LUA = """
local paths, at = {}, 0
for line in io.lines(os.getenv("BENCH_PATHS")) do paths[#paths + 1] = line end
local post = os.getenv("BENCH_POST") == "1"
request = function()
  at = at % #paths + 1
  if post then
    return wrk.format("POST", "/mcp", {["Content-Type"] = "application/json", ["Accept"] = "application/json, text/event-stream",
      ["MCP-Protocol-Version"] = "2025-06-18"}, paths[at])
  end
  return wrk.format("GET", paths[at])
end
"""


def get(path, port=PORT):
    answer = desk.ask(f"127.0.0.1:{port}", path, timeout=120)
    if answer.status != 200:
        raise desk.Refused(path, answer)
    return answer.body, answer.headers


class Server:
    """A server process on its own core, until the end of the block."""

    def __init__(self, command, port, ready, log, cores=SERVER_CORE):
        self.port, self.ready, self.log = port, ready, open(log, "w")
        pinned = ["taskset", "-c", cores, *[str(part) for part in command]]
        self.process = subprocess.Popen(pinned, stdout=self.log, stderr=subprocess.STDOUT)
        self.ready_secs = self.wait_for("the server is ready", self.answers, READY_SECS_MAX, 0.01)

    def answers(self):
        try:
            return desk.ask(f"127.0.0.1:{self.port}", self.ready, timeout=120).status == 200
        except OSError:
            return False

    def wait_for(self, what, condition, secs_max, every=0.02):
        """Seconds until a condition holds; with the end of the log when it does not, or the server ends."""
        def holds():
            if self.process.poll() is not None:
                raise TimeoutError("the server ended")
            return condition()
        try:
            return desk.wait_for(what, holds, secs_max, every)
        except TimeoutError as error:
            raise SystemExit(f"{error}: {Path(self.log.name).read_text()[-desk.LOG_TAIL_CHARS:]}") from None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(30)
        self.log.close()

    def cpu_secs(self):
        return desk.cpu_secs(self.process.pid)

    def resident_bytes(self, name="VmRSS"):
        return int(desk.memory_mib(self.process.pid, name) * (1 << 20))


class Sample:
    """Requests made of what the catalog holds: ids, and words of descriptions and names. Equal for equal catalogs."""

    def __init__(self):
        rows = []
        for kind, name in (("models", "models"), ("mcp-servers", "mcp_servers"), ("documents", "documents")):
            rows += json.loads(get(f"/v1/{kind}/list?limit=500")[0])[name]
        models = [row for row in rows if row["id"] and "limits" in row]
        self.random_details, self.document_details = uniform(KINDS, 2_000), uniform(["documents"], 500)
        self.details = ["/v1/models/" + row["id"] for row in models]
        texts = [row.get("description") or row.get("summary") or "" for row in rows]
        words = [re.findall(r"[a-z]{4,}", text.lower()) for text in texts]
        frequent = [word for word, _ in Counter(word for text in words for word in set(text)).most_common(60)]
        three = [" ".join(text[2:7:2]) for text in words if len(text) > 8]
        names = [(row.get("display_name") or row.get("title")).split()[:2] for row in rows]
        # One letter left out of the middle of the longer word.
        typos = [" ".join([a, b[: len(b) // 2] + b[len(b) // 2 + 1 :]]) for a, b in (n for n in names if len(n) == 2 and len(n[1]) > 5)]
        self.pages = {
            "page_list": ["/models", "/models?sort=-name", "/models?offset=100"],
            "page_item": [path.removeprefix("/v1") for path in self.details],
            "page_search": ["/search?q=" + urllib.parse.quote(text) for text in three],
        }
        beginnings = [" ".join([a, b[: max(3, len(b) // 2)]]) for a, b in (n for n in names if len(n) == 2 and len(n[1]) > 5)]
        self.searches = {
            "search_three_words": three, "search_broad_word": frequent, "search_typo": typos, "search_beginning": beginnings,
        }


def uniform(kinds, count):
    """Details of `count` items, drawn uniformly from all of these kinds. Equal for equal catalogs."""
    totals = [json.loads(get(f"/v1/{kind}/list?limit=1")[0])["total"] for kind in kinds]
    dice, paths = random.Random(1), []
    for kind in dice.choices(kinds, weights=totals, k=count):
        at = dice.randrange(totals[kinds.index(kind)])
        answer = json.loads(get(f"/v1/{kind}/list?limit=1&offset={at}")[0])
        rows = next(value for value in answer.values() if isinstance(value, list))
        paths.append(f"/v1/{kind}/" + urllib.parse.quote(rows[0]["id"]))
    return paths


def search(text):
    return "/v1/search?q=" + urllib.parse.quote(text)


def tool_call(text):
    params = {"name": "search_catalog", "arguments": {"query": text}}
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
