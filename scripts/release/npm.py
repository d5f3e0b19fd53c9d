"""npm packages: one with the binary for each platform, and the main one, which names them as optional dependencies: npm installs the one
whose `os` and `cpu` fit, and a launcher runs it."""
import json, os, shutil, tempfile

import archive
from plan import PACKAGING, ROOT, written


def platform_package(release):
    """Builds refdesk-linux-x64-VERSION.tgz, which holds the binary."""
    platform = release.platform
    about = manifest(release, f"{release.names['npm_scope']}/{platform.npm}", f"The binary of refdesk for {platform.npm}")
    about |= {"os": [platform.npm_os], "cpu": [platform.npm_cpu], "preferUnplugged": True}
    if platform.npm_os == "linux":
        about["libc"] = ["glibc"]
    files = ["refdesk", "LICENSE-MIT", "LICENSE-APACHE", "THIRD-PARTY.txt"]
    readme = f"The binary of refdesk for {platform.npm}. Install `{release.names['npm']}`, which takes the one that fits.\n"
    return packed(release, about, [release.staged(file) for file in files], readme, platform_file(release, platform.npm))


def main_package(release):
    """Builds refdesk-VERSION.tgz for the platforms whose packages lie beside it."""
    scope = release.names["npm_scope"]
    before, after = os.path.basename(platform_file(release, "\0")).split("\0")
    found = sorted(name[len(before):-len(after)] for name in os.listdir(release.out) if name.startswith(before) and name.endswith(after) and len(name) > len(before + after))
    about = manifest(release, release.names["npm"], release.cargo["description"])
    about |= {"bin": {"refdesk": "launcher.js"}, "engines": {"node": ">=18"}, "optionalDependencies": {f"{scope}/{platform}": release.version for platform in found}}
    if not found:
        raise SystemExit(f"{release.out} has no package with a binary, which the main npm package would name")
    files = [os.path.join(PACKAGING, "npm", "launcher.js"), *(os.path.join(ROOT, file) for file in ("README.md", "LICENSE-MIT", "LICENSE-APACHE"))]
    return packed(release, about, files, None, release.made(f"{release.names['npm']}-{release.version}.tgz"))


def platform_file(release, npm):
    return release.made(f"{release.names['npm_scope'].lstrip('@')}-{npm}-{release.version}.tgz")


def manifest(release, name, description):
    return {
        "name": name, "version": release.version, "description": description, "license": f"({release.cargo['license']})",
        "repository": {"type": "git", "url": f"git+{release.cargo['repository']}.git"},
    }


def packed(release, about, files, readme, out):
    """A package as `npm pack` writes it: everything below package/."""
    with tempfile.TemporaryDirectory() as folder:
        written(os.path.join(folder, "package.json"), json.dumps(about, indent=2) + "\n")
        if readme:
            written(os.path.join(folder, "README.md"), readme)
        for file in files:
            shutil.copy(file, folder)
        return archive.tarball(out, folder, "package", release.epoch, 1 if release.is_rehearsal else 9)
