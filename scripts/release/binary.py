"""The binary: what it needs of the system, and that it says nothing of the machine that built it."""
import os, re, shutil, subprocess

from plan import ROOT, ran

# The newest C library that a published binary may need: that of Debian 12.
GLIBC_MAX = (2, 36)
# What a system has that has the C library.
LIBRARIES = {"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1", "libgcc_s.so.1"}


def glibc(path):
    """The version of the C library that a binary needs, by the newest of the symbols it is linked with."""
    versions = re.findall(r"\bGLIBC_(\d+)\.(\d+)", ran("objdump", "-T", path))
    return max((int(major), int(minor)) for major, minor in versions)


def libraries(path):
    """The shared libraries that a binary names."""
    return re.findall(r"NEEDED\s+(\S+)", ran("objdump", "-p", path))


def checked(path, release):
    """Refuses a binary that another machine could not run, or that names this one. A rehearsal's stays where it was built."""
    if release.is_rehearsal:
        return
    if "linux" in release.target:
        needed, foreign = glibc(path), [name for name in libraries(path) if name not in LIBRARIES and not name.startswith("ld-linux")]
        if needed > GLIBC_MAX:
            raise SystemExit(f"the binary needs glibc {needed[0]}.{needed[1]}; the oldest that is promised has {GLIBC_MAX[0]}.{GLIBC_MAX[1]}. Build with REFDESK_GLIBC=2.28 scripts/release.sh, or on an older system")
        if foreign:
            raise SystemExit(f"the binary needs {', '.join(foreign)}, which not every system has")
    says_nothing_of_this_machine(path)


def says_nothing_of_this_machine(path):
    """Neither where its sources were nor where the packages are kept."""
    home = os.path.expanduser("~")
    kept = [ROOT, home, os.environ.get("CARGO_HOME", f"{home}/.cargo"), os.environ.get("RUSTUP_HOME", f"{home}/.rustup"), os.environ.get("CARGO_TARGET_DIR", f"{ROOT}/target")]
    with open(path, "rb") as f:
        data = f.read()
    for folder in kept:
        at = data.find(os.fsencode(folder.rstrip("/")) + b"/") if folder != "/" else -1
        if at >= 0:
            raise SystemExit(f"the binary holds {data[at:at + 120]!r}; scripts/rustc-trimmed.sh should have taken it out")


def stripped(source, target):
    """A copy without debugging information; where there is no strip, the copy as it is."""
    shutil.copyfile(source, target)
    os.chmod(target, 0o755)
    if shutil.which("strip"):
        subprocess.run(["strip", "--strip-debug", target] if os.uname().sysname == "Linux" else ["strip", "-S", target], check=True)
