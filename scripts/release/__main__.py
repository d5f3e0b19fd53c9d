"""Makes the packages of a release out of a binary; `scripts/release.sh` builds one and calls this.

    python3 scripts/release --binary target/release/refdesk             every package of this platform, into dist/
    python3 scripts/release --binary target/debug/refdesk --rehearsal   the same, packed fast; not meant to be published
    python3 scripts/release --join                                      what names all platforms, over the packages that lie in dist/

`--only deb,wheel` makes some. What this machine lacks a program for (dpkg-deb, buildah) is left out by name, and fails with REFDESK_TEST_ALL=1.
"""
import argparse, os, shutil, sys

import deb, formula, image, npm, plan, stage, wheel

# Made for each platform; what it takes, a program of this machine and a name of the platform.
PACKAGES = {
    "tarball": (stage.tarball, None, None),
    "deb": (deb.debian_package, "dpkg-deb", "deb"),
    "wheel": (wheel.wheel, None, None),
    "npm": (npm.platform_package, None, None),
    "oci": (image.image, "buildah", "oci"),
}
# Made once, of what all platforms made.
JOINED = {"npm": npm.main_package, "formula": formula.formula}


def main():
    options = read_options()
    release = plan.of_target(options.target or plan.host(), options.out, options.rehearsal)
    chosen = options.only.split(",") if options.only else [*PACKAGES, *JOINED]
    os.makedirs(release.out, exist_ok=True)
    made, missing = [], []
    if options.binary:
        stage.staged(release, options.binary)
        for name, (make, program, key) in PACKAGES.items():
            if name not in chosen or (key and getattr(release.platform, key) is None):
                continue
            if program and shutil.which(program) is None:
                missing.append(f"{name} ({program} is not installed)")
            else:
                made.append(make(release))
    if options.binary or options.join:
        made += [make(release) for name, make in JOINED.items() if name in chosen]
    checksums(release)
    for path in made:
        print(f"{os.path.getsize(path):>12,} {os.path.relpath(path)}")
    if missing:
        print("not made: " + ", ".join(missing))
        sys.exit(1 if os.environ.get("REFDESK_TEST_ALL") == "1" else 0)


def read_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", help="the program to pack")
    parser.add_argument("--target", help="what it was built for; this machine when it is left out")
    parser.add_argument("--out", default=os.path.join(plan.ROOT, "dist"))
    parser.add_argument("--only", help=f"of {', '.join([*PACKAGES, 'formula'])}")
    parser.add_argument("--rehearsal", action="store_true")
    parser.add_argument("--join", action="store_true")
    options = parser.parse_args()
    if not options.binary and not options.join:
        parser.error("give --binary FILE, or --join")
    return options


def checksums(release):
    """SHA256SUMS of all files of the release, and the bill of materials as a file of its own."""
    if os.path.exists(release.staged("refdesk.cdx.json")):
        shutil.copy(release.staged("refdesk.cdx.json"), release.made(f"refdesk-{release.version}-{release.target}.cdx.json"))
    names = [name for name in sorted(os.listdir(release.out)) if name != "SHA256SUMS" and os.path.isfile(release.made(name))]
    plan.written(release.made("SHA256SUMS"), "".join(f"{formula.sha256(release.made(name))}  {name}\n" for name in names))


main()
