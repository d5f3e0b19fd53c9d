"""The Debian package, by dpkg-deb: a unit, a user, one configuration file, manual pages, completions. cargo-deb would take a minute to
compile and needs the same files beside it."""
import email.utils, gzip, hashlib, os, shutil, tempfile

import archive, binary
from plan import PACKAGING, ran, written, packaged

SCRIPTS = ["postinst", "prerm", "postrm"]


def debian_package(release):
    """Builds refdesk_VERSION-1_ARCH.deb."""
    version, arch = f"{release.version}-1", release.platform.deb
    with tempfile.TemporaryDirectory() as root:
        os.chmod(root, 0o755)
        put = lambda source, *path: copied(source, os.path.join(root, *path))
        put(release.staged("refdesk"), "usr/bin/refdesk")
        put(os.path.join(PACKAGING, "deb", "refdesk.service"), "usr/lib/systemd/system/refdesk.service")
        put(os.path.join(PACKAGING, "deb", "refdesk.toml"), "etc/refdesk/refdesk.toml")
        put(os.path.join(PACKAGING, "deb", "lintian-overrides"), "usr/share/lintian/overrides/refdesk")
        put(release.staged("completions", "refdesk.bash"), "usr/share/bash-completion/completions/refdesk")
        put(release.staged("completions", "refdesk.zsh"), "usr/share/zsh/vendor-completions/_refdesk")
        put(release.staged("completions", "refdesk.fish"), "usr/share/fish/vendor_completions.d/refdesk.fish")
        doc = os.path.join(root, "usr/share/doc/refdesk")
        for name in ("README.md", "refdesk.example.toml", "refdesk.cdx.json"):
            put(release.staged(name), doc, name)
        put(release.staged("THIRD-PARTY.txt"), doc, "THIRD-PARTY.txt")
        written(os.path.join(doc, "copyright"), copyright_file(release))
        packed(os.path.join(doc, "changelog.gz"), release.staged("CHANGELOG.md"), release.epoch)
        changelog = written(os.path.join(root, "changelog"), debian_changelog(release, version))
        packed(os.path.join(doc, "changelog.Debian.gz"), changelog, release.epoch)
        os.remove(changelog)
        for path, name in archive.files_below(release.staged("man")):
            packed(os.path.join(root, "usr/share/man/man1", f"{name}.gz"), path, release.epoch)
        control(root, release, version, arch)
        return built(root, release, f"refdesk_{version}_{arch}.deb")


def built(root, release, name):
    for path, _ in archive.files_below(root):
        os.utime(path, (release.epoch, release.epoch), follow_symlinks=False)
        # Whatever the umask is here.
        if os.path.isdir(path):
            os.chmod(path, 0o755)
    out = release.made(name)
    compression = ["-Zgzip", "-z1"] if release.is_rehearsal else ["-Zxz"]
    ran("dpkg-deb", "--root-owner-group", *compression, "--build", root, out, env=os.environ | {"SOURCE_DATE_EPOCH": str(release.epoch)})
    return out


def copied(source, target):
    os.makedirs(os.path.dirname(target), exist_ok=True)
    shutil.copyfile(source, target)
    os.chmod(target, 0o755 if os.access(source, os.X_OK) else 0o644)


def packed(target, source, epoch):
    os.makedirs(os.path.dirname(target), exist_ok=True)
    with open(source, "rb") as f, open(target, "wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=epoch) as out:
        shutil.copyfileobj(f, out)
    os.chmod(target, 0o644)


def control(root, release, version, arch):
    folder = os.path.join(root, "DEBIAN")
    major, minor = binary.glibc(release.staged("refdesk"))
    files = [(path, name) for path, name in archive.files_below(root) if os.path.isfile(path)]
    sums = "".join(f"{digest(path)}  {name}\n" for path, name in files if not name.startswith("etc/"))
    size = sum(os.path.getsize(path) for path, _ in files) // 1024
    written(os.path.join(folder, "control"), f"""Package: refdesk
Version: {version}
Architecture: {arch}
Maintainer: {release.names['maintainer']}
Installed-Size: {size}
Depends: libc6 (>= {major}.{minor}), libgcc-s1, adduser, init-system-helpers (>= 1.54)
Recommends: ca-certificates
Section: web
Priority: optional
Homepage: {release.cargo['repository']}
Description: {release.names['summary']}
 Answers questions about models, tools, documents, skills, tutorials, MCP
 servers and working frameworks over REST, MCP, the command line and a web
 page. Every answer carries its evidence: where it came from, when it was
 last checked, and whether it is stale.
 .
 The service listens on loopback until it is configured otherwise.
""")
    written(os.path.join(folder, "md5sums"), sums)
    written(os.path.join(folder, "conffiles"), "/etc/refdesk/refdesk.toml\n")
    for name in SCRIPTS:
        written(os.path.join(folder, name), packaged("deb", name), 0o755)


def digest(path):
    with open(path, "rb") as f:
        return hashlib.file_digest(f, lambda: hashlib.md5(usedforsecurity=False)).hexdigest()


def debian_changelog(release, version):
    date = email.utils.formatdate(release.epoch)
    return f"refdesk ({version}) unstable; urgency=medium\n\n  * Version {release.version}; see changelog.gz.\n\n -- {release.names['maintainer']}  {date}\n"


def copyright_file(release):
    with open(release.staged("LICENSE-MIT"), encoding="utf-8") as f:
        mit = f.read().strip().splitlines()
    holder = next(line for line in mit if line.startswith("Copyright")).removeprefix("Copyright").replace("(c)", "").strip()
    text = "\n".join(" " + (line or ".") for line in mit if not line.startswith(("Copyright", "MIT License")))
    return f"""Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: refdesk
Source: {release.cargo['repository']}
Comment: What the program is compiled from stands in THIRD-PARTY.txt with its licences.

Files: *
Copyright: {holder}
License: Expat or Apache-2.0

License: Expat
{text}

License: Apache-2.0
 The full text is in /usr/share/common-licenses/Apache-2.0.
"""
