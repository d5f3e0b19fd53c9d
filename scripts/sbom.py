#!/usr/bin/env python3
"""Writes a software bill of materials (CycloneDX 1.6, JSON) of what the release binary is built from. Standard library only.

    scripts/sbom.py > refdesk.cdx.json

Packages, versions, licences and checksums come from `cargo metadata` and Cargo.lock; only packages that the binary `refdesk` is built
from on this platform are listed, not those of tests. The serial number follows from what is listed and the time; the time is that of
SOURCE_DATE_EPOCH where it is set (https://reproducible-builds.org/specs/source-date-epoch), so that the same sources give the same file.
"""
import datetime, json, os, subprocess, sys, time, tomllib, typing, uuid

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def cargo(*args):
    return subprocess.run(["cargo", *args], cwd=ROOT, check=True, capture_output=True, text=True).stdout


class BuiltFrom(typing.NamedTuple):
    """The packages that the binary is built from, sorted, its own first; `needs` has the identities of what each needs."""
    root: dict
    packages: list
    needs: dict


def built_from():
    """Reads off `cargo metadata` what is compiled into the binary on this platform, or runs while it is compiled."""
    host = next(line.split()[1] for line in subprocess.run(["rustc", "-vV"], capture_output=True, text=True, check=True).stdout.splitlines() if line.startswith("host:"))
    metadata = json.loads(cargo("metadata", "--format-version", "1", "--locked", "--filter-platform", host))
    packages = {p["id"]: p for p in metadata["packages"]}
    nodes = {n["id"]: n for n in metadata["resolve"]["nodes"]}
    root = next(i for i, p in packages.items() if p["name"] == "refdesk")
    seen, todo = set(), [root]
    while todo:
        node = todo.pop()
        if node not in seen:
            seen.add(node)
            todo += [d["pkg"] for d in nodes[node]["deps"] if any(k["kind"] != "dev" for k in d["dep_kinds"])]
    listed = sorted((packages[i] for i in seen if i != root), key=lambda p: (p["name"], p["version"]))
    needs = {i: [packages[d["pkg"]] for d in nodes[i]["deps"] if d["pkg"] in seen] for i in seen}
    return BuiltFrom(packages[root], listed, needs)


def main():
    built = built_from()
    with open(os.path.join(ROOT, "Cargo.lock"), "rb") as f:
        checksums = {(p["name"], p["version"]): p.get("checksum") for p in tomllib.load(f)["package"]}

    def purl(package):
        return f"pkg:cargo/{package['name']}@{package['version']}"

    def component(package, kind="library"):
        out = {"type": kind, "bom-ref": purl(package), "name": package["name"], "version": package["version"], "purl": purl(package)}
        if package.get("license"):
            out["licenses"] = [{"expression": package["license"].replace("/", " OR ")}]
        checksum = checksums.get((package["name"], package["version"]))
        if checksum:
            out["hashes"] = [{"alg": "SHA-256", "content": checksum}]
        return out

    bom = {
        "bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
        "metadata": {"component": component(built.root, "application")},
        "components": [component(p) for p in built.packages],
        "dependencies": [{"ref": purl(p), "dependsOn": sorted({purl(d) for d in built.needs[p["id"]]})} for p in sorted([built.root, *built.packages], key=lambda p: p["id"])],
    }
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "").strip()
    if epoch and not epoch.isdigit():
        sys.exit(f"SOURCE_DATE_EPOCH is {epoch!r}; write it as seconds since 1970, as `git log -1 --format=%ct` does")
    moment = datetime.datetime.fromtimestamp(int(epoch) if epoch else int(time.time()), datetime.timezone.utc)
    bom["metadata"] = {"timestamp": moment.strftime("%Y-%m-%dT%H:%M:%SZ"), **bom["metadata"]}
    serial = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(bom, sort_keys=True))
    bom = {"bomFormat": bom.pop("bomFormat"), "specVersion": bom.pop("specVersion"), "serialNumber": f"urn:uuid:{serial}", **bom}
    json.dump(bom, sys.stdout, indent=1)
    sys.stdout.write("\n")


if __name__ == "__main__":
    main()
