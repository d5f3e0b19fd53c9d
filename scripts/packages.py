#!/usr/bin/env python3
"""Installs every package of dist/ as docs/install.md shows it, each in an empty folder or root, and uses what was installed. Loopback only.

    python3 scripts/release --binary target/debug/refdesk --rehearsal --out DIR && scripts/packages.py --dist DIR
    scripts/packages.py --full        the same, and the Debian package into a Debian that apt makes for it, the wheel through uvx

A block of the page after `<!-- installs: COMMAND -->` runs in a folder that has `dist/` and nothing else; the output that the page shows below
it is compared; then COMMAND is used: `--version`, `serve` with a search, and `mcp` on standard input and output with a call of a tool.
The Debian package is unpacked into a root of its own and its unit verified; the image runs as its user on a read-only root, which takes
root or user namespaces. What this machine cannot do is told by name, and with REFDESK_TEST_ALL=1 that is a failure.
"""
import argparse, glob, json, os, re, shlex, shutil, subprocess, tarfile, tempfile

import page
from checks import end, fail, failures, skip, skipped
from desk import ROOT, Desk, DeskError, Refused, write_file
from documents import as_shown

PAGE = os.path.join(ROOT, "docs", "install.md")
WAY = re.compile(r"^<!-- installs: ([^\n]*) -->\n```sh\n(.*?)^```\n(?:\n<!-- output -->\n```\n(.*?)^```\n)?", re.M | re.S)
SECONDS_MAX = 300
TOOLS_MIN = 10


class Place:
    """An empty folder, which is all that the installed program knows of the machine."""
    def __init__(self, dist):
        self.folder = tempfile.mkdtemp(prefix="refdesk-package-")
        os.symlink(dist, os.path.join(self.folder, "dist"))
        self.environment = {"PATH": os.environ["PATH"], "HOME": self.folder, "LANG": "C.UTF-8"}

    def ran(self, command, **more):
        done = subprocess.run(command, cwd=self.folder, env=self.environment, capture_output=True, text=True, timeout=SECONDS_MAX, **({"stdin": subprocess.DEVNULL} | more))
        if done.returncode != 0:
            raise Failure(f"{shlex.join(command)} ended with {done.returncode}: {done.stdout[-1000:]}{done.stderr[-2000:]}")
        return done.stdout

    def shell(self, text):
        return self.ran(["bash", "-euo", "pipefail", "-c", text])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.folder, ignore_errors=True)


class Failure(Exception):
    """What is wrong with a package."""


def wanted(what, got, wished):
    if got != wished:
        raise Failure(f"{what}: got {got!r}, wanted {wished!r}")


def used(place, command, version):
    """Uses an installed program; what it says of itself."""
    told = place.ran([*command, "--version"]).strip()
    if not re.fullmatch(rf"refdesk {re.escape(version)} \(\w+, \S+\)", told):
        raise Failure(f"--version says {told!r}")
    served(place, command, version)
    spoken(place, command)
    return told


def served(place, command, version):
    # A launcher that does not hand a signal on must not leave its program behind, hence a group of its own.
    desk = Desk([*command, "serve", "--offline", "--listen", "127.0.0.1:0"], cwd=place.folder, env=place.environment, start_new_session=True)
    try:
        wanted("the first hit of a search", desk.json("/v1/search?q=claude+sonnet+4.5&limit=1")["results"][0]["id"], "claude-sonnet-4-5")
        wanted("/version", desk.json("/version")["version"], version)
    finally:
        code = desk.stop(30)
    wanted("the exit code of serve after SIGTERM", code, 0)


def spoken(place, command):
    """MCP as a client speaks it over standard input and output; the program ends when its input does."""
    ask = lambda number, method, params: {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
    client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "packages", "version": "1"}}
    messages = [
        ask(1, "initialize", client), {"jsonrpc": "2.0", "method": "notifications/initialized"}, ask(2, "tools/list", {}),
        ask(3, "tools/call", {"name": "search_catalog", "arguments": {"q": "postgres"}}),
    ]
    text = "".join(json.dumps(message) + "\n" for message in messages)
    out = place.ran([*command, "mcp", "--offline"], stdin=None, input=text)
    answers = {answer["id"]: answer.get("result") or {} for answer in map(json.loads, out.splitlines())}
    wanted("mcp: answers", sorted(answers), [1, 2, 3])
    wanted("mcp: serverInfo", answers[1]["serverInfo"]["name"], "refdesk")
    if len(answers[2].get("tools", [])) < TOOLS_MIN or answers[3].get("isError") or "postgres" not in json.dumps(answers[3]).lower():
        raise Failure(f"mcp: {answers[2]} {answers[3]}")


def ways(dist, version):
    """The blocks of docs/install.md: what they install, and whether it works."""
    found = WAY.findall(page.read(PAGE))
    if len(found) < 3:
        fail(f"{PAGE} shows {len(found)} ways to install")
    for command, block, shown in found:
        with Place(dist) as place:
            def way():
                printed = place.shell(block)
                if shown and not as_shown(shown, printed):
                    raise Failure(f"docs/install.md shows something else than\n{printed}")
                return used(place, shlex.split(command), version)
            tell(command, way)


def tell(what, way):
    """Tries a way, and tells what came of it."""
    try:
        print(f"{what}: {way()}", flush=True)
    except (Failure, DeskError, Refused, OSError, KeyError, ValueError, IndexError, subprocess.SubprocessError) as error:
        fail(f"{what}: {type(error).__name__ if not isinstance(error, Failure) else ''}{error}")


def unpacked_deb(dist, version):
    """The package in a root of its own: the program, the unit, the completions and the manual pages."""
    with Place(dist) as place:
        root = os.path.join(place.folder, "root")
        place.ran(["dpkg-deb", "--extract", only(dist, "*.deb"), root])
        fields = place.ran(["dpkg-deb", "--field", only(dist, "*.deb")])
        for line in ("Package: refdesk", f"Version: {version}-1", "adduser", "libc6 (>= 2."):
            wanted(f"control has {line!r}", line in fields, True)
        for path in ("etc/refdesk/refdesk.toml", "usr/share/man/man1/refdesk.1.gz", "usr/share/man/man1/refdesk-serve.1.gz", "usr/share/doc/refdesk/copyright",
                     "usr/share/bash-completion/completions/refdesk", "usr/share/zsh/vendor-completions/_refdesk", "usr/share/fish/vendor_completions.d/refdesk.fish"):
            wanted(path, os.path.exists(os.path.join(root, path)), True)
        told = used(place, [os.path.join(root, "usr/bin/refdesk")], version)
        verified(place, root)
        return told


def verified(place, root):
    """The unit, by systemd's own check, with the program where the unit says it is."""
    if shutil.which("systemd-analyze") is None:
        return skip("the unit", "systemd-analyze is not here")
    unit = os.path.join(root, "usr/lib/systemd/system/refdesk.service")
    page.write(unit, page.read(unit).replace("/usr/bin/refdesk", os.path.join(root, "usr/bin/refdesk")))
    done = subprocess.run(["systemd-analyze", "verify", "--man=no", unit], capture_output=True, text=True)
    # It reads the machine's other units, too; what it says of those is not about this one.
    said = [line for line in (done.stdout + done.stderr).splitlines() if "refdesk" in line]
    wanted("systemd-analyze verify", said, [])
    rated = place.ran(["systemd-analyze", "security", "--offline=true", "--threshold=20", unit])
    print(f"  the unit: {rated.strip().splitlines()[-1].lstrip('→ ')}")


def image(dist, version):
    """The image without a container engine: its layers as a root that is mounted read-only, its program as its user."""
    with Place(dist) as place:
        root, config = unpacked_image(only(dist, "*.oci.tar"), place.folder)
        wanted("the user of the image", config["User"], "65532:65532")
        wanted("what the image runs", [*config["Entrypoint"], *config["Cmd"]], ["/usr/bin/refdesk", "serve"])
        wanted("certificates", os.path.exists(f"{root}/etc/ssl/certs/ca-certificates.crt"), True)
        if subprocess.run(["unshare", "--mount", "true"], capture_output=True).returncode != 0:
            return skip("the image", "mounting is not permitted here; run as root")
        variables, chroot = " ".join(shlex.quote(pair) for pair in config["Env"]), shutil.which("chroot", path="/usr/sbin:/usr/bin:/sbin:/bin")
        script = write_file(os.path.join(place.folder, "in-the-image"), f"""#!/bin/sh
# A mount of its own for this command: the root read-only, /data for the program to write.
exec unshare --mount sh -ec '
mount --bind "{root}" "{root}"
mount --bind "{place.folder}/volume" "{root}/data"
mount -o remount,bind,ro "{root}"
exec env -i {variables} {chroot} --userspec=65532:65532 "{root}" "$@"' sh /usr/bin/refdesk "$@"
""", 0o755)
        os.mkdir(f"{place.folder}/volume", 0o750)
        os.chown(f"{place.folder}/volume", 65532, 65532)
        os.chmod(place.folder, 0o755)
        told = used(place, [script], version)
        wanted("who owns the store", os.stat(f"{place.folder}/volume/refdesk.sqlite3").st_uid, 65532)
        return told


def unpacked_image(archive, folder):
    """The root of an OCI archive, and how it is run (https://github.com/opencontainers/image-spec)."""
    layout, root = os.path.join(folder, "layout"), os.path.join(folder, "root")
    with tarfile.open(archive) as tar:
        tar.extractall(layout, filter="data")
    def blob(descriptor):
        return os.path.join(layout, "blobs", *descriptor["digest"].split(":"))
    def parsed(path):
        return json.loads(page.read(path))
    manifest = parsed(blob(parsed(os.path.join(layout, "index.json"))["manifests"][0]))
    os.mkdir(root, 0o755)
    for layer in manifest["layers"]:
        with tarfile.open(blob(layer)) as tar:
            # As root the owners of the layer are kept, which is what is tested.
            tar.extractall(root, filter="fully_trusted" if os.geteuid() == 0 else "data")
    return root, parsed(blob(manifest["config"]))["config"]


def installed_deb(dist, version):
    """The package in a Debian of its own, by dpkg: user, data directory, enabled unit; then removed and purged."""
    if shutil.which("mmdebstrap") is None or os.geteuid() != 0:
        return skip("the Debian package in a Debian of its own", "it takes root and mmdebstrap")
    with Place(dist) as place:
        root = os.path.join(place.folder, "debian")
        place.ran(["mmdebstrap", "--quiet", "--variant=essential", "--include=adduser,libgcc-s1,init-system-helpers", "bookworm", root])
        shutil.copy(only(dist, "*.deb"), os.path.join(root, "refdesk.deb"))
        inside = lambda *command: place.ran(["chroot", root, *command])
        inside("dpkg", "--install", "/refdesk.deb")
        wanted("the data directory", inside("stat", "-c", "%U:%G %a", "/var/lib/refdesk").strip(), "refdesk:refdesk 750")
        wanted("the unit is enabled", os.path.lexists(f"{root}/etc/systemd/system/multi-user.target.wants/refdesk.service"), True)
        as_service = ["chroot", "--userspec=refdesk:refdesk", root, "env", "REFDESK_DATA_DIR=/var/lib/refdesk", "HOME=/var/lib/refdesk", "/usr/bin/refdesk"]
        told = used(place, as_service, version)
        inside("dpkg", "--remove", "refdesk")
        wanted("data after remove", os.path.exists(f"{root}/var/lib/refdesk/refdesk.sqlite3"), True)
        inside("dpkg", "--purge", "refdesk")
        for left in ("var/lib/refdesk", "etc/refdesk", "usr/bin/refdesk"):
            wanted(f"{left} after purge", os.path.exists(os.path.join(root, left)), False)
        return told


def by_uvx(dist, version):
    """`uvx refdesk mcp` with the wheel as a file."""
    with Place(dist) as place:
        place.shell("python3 -m venv tools && tools/bin/pip install --quiet uv")
        return used(place, [os.path.join(place.folder, "tools/bin/uvx"), "--offline", "--quiet", "--from", only(dist, "*.whl"), "refdesk"], version)


def checked_files(dist):
    """Checksums, the formula's syntax, what lintian says."""
    with Place(dist) as place:
        place.shell("cd dist && sha256sum --quiet --check SHA256SUMS")
        if shutil.which("ruby"):
            place.shell("ruby -c dist/refdesk.rb")
        else:
            skip("the formula's syntax", "ruby is not here")
        if shutil.which("lintian"):
            place.ran(["lintian", "--allow-root", "--fail-on", "error,warning", "--suppress-tags", "initial-upload-closes-no-bugs", only(dist, "*.deb")])
        return "checksums, formula and package lint hold"


def only(dist, pattern):
    found = glob.glob(os.path.join(dist, pattern))
    if len(found) != 1:
        raise Failure(f"{len(found)} files {pattern} in {dist}; scripts/release.sh makes one")
    return found[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dist", default=os.path.join(ROOT, "dist"))
    parser.add_argument("--full", action="store_true")
    options = parser.parse_args()
    dist = os.path.abspath(options.dist)
    version = re.search(r'^version = "(.*)"', page.read(os.path.join(ROOT, "Cargo.toml")), re.M).group(1)
    tell("files", lambda: checked_files(dist))
    ways(dist, version)
    tell("the Debian package, unpacked", lambda: unpacked_deb(dist, version))
    tell("the image", lambda: image(dist, version))
    if options.full:
        tell("the Debian package, installed", lambda: installed_deb(dist, version))
        tell("uvx", lambda: by_uvx(dist, version))
    end(f"failed: {len(failures)}, skipped: {len(skipped)}")


if __name__ == "__main__":
    main()
