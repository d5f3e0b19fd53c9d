"""A wheel that carries the binary as a script (https://packaging.python.org/specifications/binary-distribution-format/): `pip install`
puts it on the path, `uvx refdesk mcp` runs it. Such a wheel is a zip with three files of metadata, which no build system is needed for."""
import base64, csv, hashlib, io

import archive, binary


def wheel(release):
    """Builds refdesk-VERSION-py3-none-PLATFORM.whl."""
    name = release.names["wheel"].replace("-", "_")
    info = f"{name}-{release.version}.dist-info"
    entries = [
        (f"{name}-{release.version}.data/scripts/refdesk", read(release.staged("refdesk")), 0o755),
        (f"{info}/METADATA", metadata(release).encode(), 0o644),
        (f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: refdesk {release.version}\nRoot-Is-Purelib: false\nTag: py3-none-{tag(release)}\n".encode(), 0o644),
        # https://peps.python.org/pep-0770
        (f"{info}/sboms/refdesk.cdx.json", read(release.staged("refdesk.cdx.json")), 0o644),
    ]
    entries += [(f"{info}/licenses/{file}", read(release.staged(file)), 0o644) for file in ("LICENSE-MIT", "LICENSE-APACHE", "THIRD-PARTY.txt")]
    entries.append((f"{info}/RECORD", record(entries, f"{info}/RECORD").encode(), 0o644))
    out = release.made(f"{name}-{release.version}-py3-none-{tag(release)}.whl")
    return archive.zipped(out, entries, release.epoch, 1 if release.is_rehearsal else 9)


def tag(release):
    """The platform, by what the binary needs: pip takes it where the C library is as new."""
    if "{glibc}" not in release.platform.wheel:
        return release.platform.wheel
    major, minor = binary.glibc(release.staged("refdesk"))
    # PEP 600 begins with 2.5; what pip knows of x86-64 and aarch64 begins with 2.17.
    return release.platform.wheel.format(glibc=f"{major}_{max(minor, 17)}")


def metadata(release):
    with open(release.staged("README.md"), encoding="utf-8") as f:
        readme = f.read()
    return f"""Metadata-Version: 2.4
Name: {release.names['wheel']}
Version: {release.version}
Summary: {release.cargo['description']}
License-Expression: {release.cargo['license']}
License-File: LICENSE-MIT
License-File: LICENSE-APACHE
License-File: THIRD-PARTY.txt
Project-URL: Repository, {release.cargo['repository']}
Classifier: Programming Language :: Rust
Requires-Python: >=3.8
Description-Content-Type: text/markdown

{readme}"""


def record(entries, own):
    """A line for each file with its digest; its own has none."""
    out = io.StringIO()
    lines = csv.writer(out, lineterminator="\n")
    for name, data, _ in entries:
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        lines.writerow([name, f"sha256={digest}", len(data)])
    lines.writerow([own, "", ""])
    return out.getvalue()


def read(path):
    with open(path, "rb") as f:
        return f.read()
