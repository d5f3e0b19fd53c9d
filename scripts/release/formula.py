"""The Homebrew formula: the tarballs that lie in dist/, with their checksums."""
import hashlib, os

from plan import PLATFORMS, packaged, written

SYSTEMS = {"linux": "on_linux", "darwin": "on_macos"}
PROCESSORS = {"x64": "on_intel", "arm64": "on_arm"}


def formula(release):
    """Writes refdesk.rb for the platforms whose tarballs are there."""
    blocks = []
    for npm_os, system in SYSTEMS.items():
        inner = []
        for target, platform in PLATFORMS.items():
            name = f"refdesk-{release.version}-{target}.tar.gz"
            if platform.npm_os == npm_os and os.path.exists(release.made(name)):
                inner.append(f'    {PROCESSORS[platform.npm_cpu]} do\n      url "{release.downloads}/{name}"\n      sha256 "{sha256(release.made(name))}"\n    end\n')
        if inner:
            blocks.append(f"  {system} do\n{''.join(inner)}  end\n")
    # The template is Ruby, whose braces and interpolations are its own.
    text = packaged("homebrew", "refdesk.rb.in")
    named = {"description": release.names["summary"].capitalize(), "repository": release.cargo["repository"], "version": release.version, "platforms": "\n".join(blocks)}
    for name, value in named.items():
        text = text.replace("{" + name + "}", value)
    return written(release.made("refdesk.rb"), text)


def sha256(path):
    with open(path, "rb") as f:
        return hashlib.file_digest(f, "sha256").hexdigest()
