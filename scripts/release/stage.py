"""The folder that a tarball is made of, and that every other package takes its files from."""
import os, shutil, sys

import archive, binary
from plan import ROOT, ran, written

sys.path.insert(0, os.path.join(ROOT, "scripts"))
import sbom

DOCUMENTS = ["README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE", "refdesk.example.toml"]
SHELLS = ["bash", "zsh", "fish"]
# How licences are called in the packages of crates, and in the C sources inside of them.
LICENCE_NAMES = ("license", "licence", "copying", "notice", "copyright", "unlicense")
LICENCE_DEPTH_MAX = 2


def staged(release, program):
    """Lays everything out in the folder of the release."""
    shutil.rmtree(release.folder, ignore_errors=True)
    os.makedirs(release.staged("completions"))
    binary.stripped(program, release.staged("refdesk"))
    binary.checked(release.staged("refdesk"), release)
    for name in DOCUMENTS:
        shutil.copyfile(os.path.join(ROOT, name), release.staged(name))
    for shell in SHELLS:
        written(release.staged("completions", f"refdesk.{shell}"), ran(release.staged("refdesk"), "completions", shell))
    ran(release.staged("refdesk"), "man", release.staged("man"))
    written(release.staged("refdesk.cdx.json"), ran(sys.executable, "scripts/sbom.py", env=os.environ | {"SOURCE_DATE_EPOCH": str(release.epoch)}))
    written(release.staged("THIRD-PARTY.txt"), third_party())


def tarball(release):
    name = os.path.basename(release.folder)
    return archive.tarball(release.made(f"{name}.tar.gz"), release.folder, name, release.epoch, 1 if release.is_rehearsal else 9)


def third_party():
    """The licences of all that is compiled into the binary, each text once: most of them ask for it."""
    texts = {}
    for package in sbom.built_from().packages:
        if package["source"] is None:
            continue
        name = f"{package['name']} {package['version']} ({package.get('license') or 'licence in its text'})"
        for text in licences(os.path.dirname(package["manifest_path"])) or [f"{package.get('license')}\n"]:
            texts.setdefault(text, []).append(name)
    parts = [f"{', '.join(sorted(set(names)))}\n\n{text.strip()}\n" for text, names in texts.items()]
    head = "refdesk is compiled from the packages below, under their licences. refdesk.cdx.json lists them with checksums.\n"
    return ("\n" + "-" * 80 + "\n\n").join([head, *sorted(parts)])


def licences(folder):
    """The texts of licences in a package."""
    found = []
    for where, folders, files in os.walk(folder):
        folders.sort()
        if os.path.relpath(where, folder).count(os.sep) >= LICENCE_DEPTH_MAX:
            folders.clear()
        for name in sorted(files):
            if name.lower().startswith(LICENCE_NAMES) and not name.endswith((".rs", ".py", ".sh", ".toml")):
                with open(os.path.join(where, name), encoding="utf-8", errors="replace") as f:
                    found.append("\n".join(line.rstrip() for line in f.read().splitlines()))
    return found
