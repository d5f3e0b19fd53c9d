#!/usr/bin/env python3
"""Holds the shape of the code: no cycle between the modules of a crate, and at most FILES_MAX files in a folder of code or tests. Standard library only.

    scripts/rooms.py                 fails with each cycle and each folder that holds too much
    scripts/rooms.py --edges CRATE   prints who uses whom in a crate

An edge is a path in the code (`crate::a::b`, `super::c`, `self::d`), in `use` or not, outside of comments and tests. A parent and its
children are one room: edges between them do not count. A cycle through several modules is told by its shortest form.
"""
import argparse, collections, os, re, sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CRATES = os.path.join(ROOT, "crates")
FILES_MAX = 12


def modules(crate):
    """Path of each module as a tuple of names, with its text without comments and test modules."""
    source = os.path.join(CRATES, crate, "src")
    found = {}
    for folder, _, names in os.walk(source):
        for name in names:
            if not name.endswith(".rs") or name in ("tests.rs",) or os.path.basename(folder) == "tests":
                continue
            parts = os.path.relpath(os.path.join(folder, name), source)[:-3].split(os.sep)
            if parts[-1] in ("mod", "lib", "main"):
                parts.pop()
            with open(os.path.join(folder, name), encoding="utf-8") as f:
                text = re.sub(r"//[^\n]*", "", f.read())
            found[tuple(parts)] = re.split(r"#\[cfg\(test\)\]\s*mod ", text)[0]
    return found


def paths(text):
    """All module paths that the text names, those in braces one by one."""
    for start in re.finditer(r"\b(crate|super|self)((?:::\w+)+)?(::\{)?", text):
        head = [start[1], *(start[2] or "").split("::")[1:]]
        if not start[3]:
            yield head
            continue
        depth, at, begin = 1, start.end(), start.end()
        while depth and at < len(text):
            if depth == 1 and text[at] in ",}":
                first = re.match(r"\s*(\w+(?:::\w+)*)", text[begin:at])
                if first:
                    yield head + first[1].split("::")
                begin = at + 1
            depth += {"{": 1, "}": -1}.get(text[at], 0)
            at += 1


def edges(crate):
    known = modules(crate)
    found = collections.defaultdict(set)
    for module, text in known.items():
        for head, *rest in paths(text):
            base = list(module)
            if head == "crate":
                base = []
            while head == "super" and base:
                base.pop()
                if rest and rest[0] == "super":
                    rest.pop(0)
                    continue
                break
            target = base + rest
            while tuple(target) not in known and target:
                target.pop()
            target = tuple(target)
            is_family = target[:len(module)] == module or module[:len(target)] == target
            if target in known and not is_family:
                found[module].add(target)
    return found


def rooms(found):
    """The edges between siblings: each module stands for what it is below the first place where both paths differ."""
    between = collections.defaultdict(set)
    for source, targets in found.items():
        for target in targets:
            same = next(at for at in range(min(len(source), len(target)) + 1) if source[:at + 1] != target[:at + 1])
            between[source[:same + 1]].add(target[:same + 1])
    return between


def cycles(between):
    """The shortest cycle through each module that is in one, each cycle once."""
    seen = set()
    for start in sorted(between):
        queue, before = collections.deque([start]), {start: None}
        while queue:
            at = queue.popleft()
            for after in sorted(between.get(at, ())):
                if after == start:
                    ring = []
                    while at is not None:
                        ring.append(at)
                        at = before[at]
                    if frozenset(ring) not in seen:
                        seen.add(frozenset(ring))
                        yield ring[::-1]
                    queue.clear()
                    break
                if after not in before:
                    before[after] = at
                    queue.append(after)


def crowded(crate):
    for part in ("src", "tests"):
        for folder, _, names in os.walk(os.path.join(CRATES, crate, part)):
            files = [name for name in names if name.endswith(".rs")]
            if len(files) > FILES_MAX:
                yield os.path.relpath(folder, ROOT), len(files)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--edges", metavar="CRATE")
    options = parser.parse_args()
    if options.edges:
        for source, targets in sorted(rooms(edges(options.edges)).items()):
            print("::".join(source), "->", ", ".join("::".join(target) for target in sorted(targets)))
        return
    failures = []
    for crate in sorted(os.listdir(CRATES)):
        found = [f"{crate}: a cycle: {' -> '.join('::'.join(module) for module in [*ring, ring[0]])}" for ring in cycles(rooms(edges(crate)))]
        found += [f"{folder} holds {count} files, more than {FILES_MAX}" for folder, count in crowded(crate)]
        failures += found
    print("\n".join(failures) or "no cycle between modules, no crowded folder")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
