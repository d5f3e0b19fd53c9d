"""What is released: version, moment, platform, names, and the files that every package carries. Standard library only.

The moment is that of SOURCE_DATE_EPOCH, else of the commit: the same sources give the same files, byte for byte.
"""
import dataclasses, os, re, subprocess, tomllib

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PACKAGING = os.path.join(ROOT, "packaging")


@dataclasses.dataclass(frozen=True)
class Platform:
    """What the target of a binary is called by each kind of package; None where there is no such package."""
    npm: str
    npm_os: str
    npm_cpu: str
    wheel: str
    deb: str | None = None
    oci: str | None = None


PLATFORMS = {
    "x86_64-unknown-linux-gnu": Platform("linux-x64", "linux", "x64", "manylinux_{glibc}_x86_64", "amd64", "amd64"),
    "aarch64-unknown-linux-gnu": Platform("linux-arm64", "linux", "arm64", "manylinux_{glibc}_aarch64", "arm64", "arm64"),
    # The oldest systems that Rust builds for.
    "x86_64-apple-darwin": Platform("darwin-x64", "darwin", "x64", "macosx_10_12_x86_64"),
    "aarch64-apple-darwin": Platform("darwin-arm64", "darwin", "arm64", "macosx_11_0_arm64"),
}


@dataclasses.dataclass(frozen=True)
class Release:
    """One release on one platform."""
    version: str
    epoch: int
    target: str
    out: str
    cargo: dict
    names: dict
    # A file that is not meant to be published is packed as fast as can be.
    is_rehearsal: bool

    @property
    def platform(self):
        return PLATFORMS[self.target]

    @property
    def folder(self):
        """The unpacked tarball, of which every other package is made."""
        return os.path.join(self.out, "stage", f"refdesk-{self.version}-{self.target}")

    def staged(self, *parts):
        return os.path.join(self.folder, *parts)

    def made(self, name):
        return os.path.join(self.out, name)

    @property
    def downloads(self):
        return self.names["downloads"].format(version=self.version)


def of_target(target, out, is_rehearsal=False):
    """The release of this tree for a target."""
    if target not in PLATFORMS:
        raise SystemExit(f"{target} is no platform of a release; there are {', '.join(PLATFORMS)}")
    with open(os.path.join(ROOT, "Cargo.toml"), "rb") as f:
        cargo = tomllib.load(f)["workspace"]["package"]
    with open(os.path.join(PACKAGING, "names.toml"), "rb") as f:
        names = tomllib.load(f)
    return Release(cargo["version"], moment(), target, os.path.abspath(out), cargo, names, is_rehearsal)


def host():
    """The target that rustc builds for when it is told nothing."""
    return re.search(r"^host: (.*)$", ran("rustc", "-vV"), re.M).group(1)


def moment():
    """Seconds since 1970 of everything that is packed."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "").strip() or ran("git", "log", "-1", "--format=%ct").strip()
    if not epoch.isdigit():
        raise SystemExit(f"SOURCE_DATE_EPOCH is {epoch!r}; write it as seconds since 1970, as `git log -1 --format=%ct` does")
    return int(epoch)


def ran(*command, **more):
    """What a command printed; it must succeed."""
    done = subprocess.run(command, cwd=more.pop("cwd", ROOT), stdout=subprocess.PIPE, text=True, **more)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)} ended with {done.returncode}")
    return done.stdout


def written(path, text, mode=0o644):
    """Writes a text file and its folders."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    os.chmod(path, mode)
    return path


def packaged(*parts):
    """A file of packaging/."""
    with open(os.path.join(PACKAGING, *parts), encoding="utf-8") as f:
        return f.read()
