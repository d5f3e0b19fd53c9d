#!/usr/bin/env python3
"""Holds documents to the code: every test that they name is there, every attack of SECURITY.md has one, and docs/errors.md lists the codes
that a sync and the store can give. The module map of ARCHITECTURE.md has every crate and module, and no other, and what
code cites of docs/api.md is there. A file that a page or the head of a module names in backticks is one of the repository, and so is each file
and heading that a link of a page leads to. Standard library only. `docs/limits.md` is held to its constants by scripts/limits.py.
"""
import os, re, sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGES = ("SECURITY.md", "ARCHITECTURE.md", "docs/errors.md", "docs/limits.md", "docs/truth.md")
TEST = re.compile(r"#\[(?:\w+::)?test\b[^\n]*\n(?:[ \t]*(?:#\[|//)[^\n]*\n)*[ \t]*(?:async )?fn (\w+)\(")
NAME = re.compile(r"`([a-z0-9]+(?:_[a-z0-9]+){3,})`")  # tests are sentences; settings and metrics of four words are told apart below
SETTING = re.compile(r"^\| `([a-z_]+)` \|", re.M)
# Where the codes of a sync and of the store are written down, and how.
CODES_IN = re.compile(r"ingest/src/(fetch/error|store/error|schedule|sync/\w+)\.rs$|background/store_watch\.rs$")
CODE = re.compile(r'(?:\b(?:code|name): |Failure::unparsed\(|Self::unparsed\(|Self::new\(|note_unrecorded\([^,()]+, |MASS_ADDITION: &str = |\b[A-Z]\w+(?: \{ \.\. \})? => [{(\s]*)"([a-z_]+)"')

# Names of files in this repository: Rust, Python and shell sources, and anything in one of its top folders. Other names belong to users,
# upstreams and other programs. A part in capitals (`KIND.rs`) stands for many names.
OUR_FOLDERS = ("benches", "crates", "deploy", "docs", "eval", "packaging", "scripts")
OUR_FILE = re.compile(rf"`((?:[\w.-]+/)*[\w.-]+\.(?:rs|py|sh)|(?:{'|'.join(OUR_FOLDERS)})/[\w./-]*(?:/|\.(?:md|toml|yml|yaml|json|sql|txt)))`")
PLACEHOLDER = re.compile(r"(?:^|[/.])[A-Z]{2,}(?=[/.]|$)")

CODE_SPAN = re.compile(r"^```.*?^```$|`[^`\n]*`", re.M | re.S)
LINK = re.compile(r"\]\(([^()\s]+)\)")
# Pages of the manual are read in the catalog, too: beside it they have only the repository's address.
OUR_PAGES = "https://github.com/refdesk/refdesk/blob/main/"


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as f:
        return f.read()


def sources():
    for folder, _, names in os.walk(os.path.join(ROOT, "crates")):
        for name in names:
            if name.endswith(".rs"):
                path = os.path.relpath(os.path.join(folder, name), ROOT).replace(os.sep, "/")
                yield path, read(path)


def pages():
    """The documents that people read, by path."""
    names = ["README.md", "CONTRIBUTING.md", "SECURITY.md", "ARCHITECTURE.md"]
    for folder in ("docs", "docs/adr", "docs/manual"):
        names += [f"{folder}/{name}" for name in os.listdir(os.path.join(ROOT, folder)) if name.endswith(".md")]
    return {name: read(name) for name in names}


def anchors(text):
    """The anchors of the headings of a page, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S), re.M)
    return {re.sub(r"[^\w -]", "", LINK.sub("", heading).lower()).replace(" ", "-") for heading in headings}


def links():
    """Links of pages that lead to no file or heading of the repository; and links of the manual that its readers in the catalog cannot follow."""
    for path, text in sorted(pages().items()):
        for target in sorted(set(LINK.findall(CODE_SPAN.sub("", text)))):
            if target.startswith(OUR_PAGES):
                file, _, anchor = target.removeprefix(OUR_PAGES).partition("#")
            elif re.match(r"[a-z]+:", target):
                continue
            else:
                file, _, anchor = target.partition("#")
                file = os.path.normpath(os.path.join(os.path.dirname(path), file)) if file else path
                if path.startswith("docs/manual/") and not file.startswith("docs/manual/"):
                    yield f"{path}: {target} leads out of the manual; write {OUR_PAGES}{file}"
            if not os.path.exists(os.path.join(ROOT, file)):
                yield f"{path}: {target} leads to no file"
            elif anchor and anchor not in anchors(read(file)):
                yield f"{path}: {target} leads to no heading"


def named_files(code):
    """Files in backticks, in pages and in the heads of modules, that are not in the repository. Any end of a path names it."""
    ends = set()
    for folder, folders, names in os.walk(ROOT):
        folders[:] = [name for name in folders if name not in ("target", ".git")]
        for name in names + [f"{folder}/" for folder in folders]:
            parts = os.path.relpath(os.path.join(folder, name), ROOT).split(os.sep)
            ends.update("/".join(parts[at:]) + "/" * name.endswith("/") for at in range(len(parts)))
    texts = pages()
    texts |= {path: "\n".join(re.findall(r"^//!.*", text, re.M)) for path, text in code.items()}
    for path, text in sorted(texts.items()):
        named = (name for name in OUR_FILE.findall(text) if not PLACEHOLDER.search(name))
        yield from (f"{path}: names a file that does not exist: {name}" for name in sorted(set(named) - ends))


def module_map():
    """Differences between the module map of ARCHITECTURE.md and the crates: modules that a crate declares, and paths that are named."""
    text = read("ARCHITECTURE.md")
    crates = set(os.listdir(os.path.join(ROOT, "crates")))
    mapped = set(re.findall(r"^\| `crates/(\w+)` \|", text, re.M))
    yield from (f"ARCHITECTURE.md: crates/{name} stands only on one side of the map" for name in sorted(crates ^ mapped))
    for name, allowed in re.findall(r"^\| `crates/(\w+)` \|[^|]*\| ([^|]*) \|$", text, re.M):
        if not allowed.startswith("all") and name in crates:
            imports = set(re.findall(r"^refdesk-(\w+)", read(f"crates/{name}/Cargo.toml").split("[dev-dependencies]")[0], re.M))
            allowed = set() if allowed == "nothing of ours" else set(allowed.split(", "))
            yield from (f"ARCHITECTURE.md and crates/{name}/Cargo.toml differ about {other}" for other in sorted(imports ^ allowed))
    for name, section in re.findall(r"^### (\w+)\n\n(\| module .*?\n)\n", text, re.M | re.S):
        folder = f"crates/{name}/src"
        root = next((f"{folder}/{file}" for file in ("lib.rs", "main.rs") if os.path.exists(os.path.join(ROOT, folder, file))), None)
        declared = set(re.findall(r"^(?:pub(?:\(\w+\))? )?mod (\w+);", read(root), re.M)) if root else set()
        named = {cell.rstrip("/") for row in section.splitlines()[2:] for cell in re.findall(r"`([^`]+)`", row.split("|")[1])}
        yield from (f"ARCHITECTURE.md: {name} has no module {module}" for module in sorted(named - declared))
        yield from (f"ARCHITECTURE.md does not say what {name}'s module {module} is" for module in sorted(declared - named))
        for path in re.findall(r"`((?:\w+/)+(?:\w+\.rs)?)`", section):
            if not os.path.exists(os.path.join(ROOT, folder, path)):
                yield f"ARCHITECTURE.md: {folder}/{path} is not there"
        crates.discard(name)
    yield from (f"ARCHITECTURE.md has no table of the modules of {name}" for name in sorted(crates - {"lab"}))


def citations(code):
    """Sections of docs/api.md that code cites and that are not there."""
    sections = {re.sub(r"[^a-z0-9 -]", "", title.lower()).replace(" ", "-") for title in re.findall(r"^## (.+)$", read("docs/api.md"), re.M)}
    for path, text in sorted(code.items()):
        yield from (f"{path}: docs/api.md has no section {name}" for name in sorted(set(re.findall(r"docs/api\.md#([\w-]+)", text)) - sections))
        yield from (f"{path}: cite docs/api.md#… instead of a contract's section" for _ in re.findall(r"[Cc]ontract section", text))


def main():
    code = dict(sources())
    tests = {name for text in code.values() for name in TEST.findall(text)}
    other = set(SETTING.findall(read("docs/settings.md"))) | set(re.findall(r"`(\w+)", read("docs/metrics.md")))
    failures = []
    for page in PAGES:
        named = set(NAME.findall(read(page))) - other
        failures += [f"{page}: no test is called {name}" for name in sorted(named - tests)]
    for line in read("SECURITY.md").split("## Threat model")[1].split("\n### ", 1)[1].split("\n## ")[0].splitlines():
        cells = line.strip().strip("|").split("|")
        if line.startswith("|") and len(cells) == 3 and cells[2].strip() not in ("held by", "---"):
            if not set(NAME.findall(cells[2])) & tests:
                failures.append(f"SECURITY.md: no test holds: {cells[0].strip()}")
    page = read("docs/errors.md")
    listed = set(re.findall(r"`([a-z_]+)`", page.split("## Sources")[1].split("Of a local file")[0]))
    store = {name for row in re.findall(r"^\| (`(?:store|source)_[^|]+)\|", page, re.M) for name in re.findall(r"`(\w+)`", row)}
    listed |= store
    said = {name for path, text in code.items() if CODES_IN.search(path) for name in CODE.findall(text)}
    manual = set(re.findall(r"`([a-z_]+)`", read("docs/manual/troubleshooting.md")))
    failures += [f"docs/manual/troubleshooting.md does not say what to do about {name}" for name in sorted(listed - manual - store - other)]
    failures += [f"docs/errors.md does not list {name}" for name in sorted(said - listed)]
    failures += [f"docs/errors.md lists {name}, which nothing gives" for name in sorted(listed - said - other)]
    failures += module_map()
    failures += citations(code)
    failures += named_files(code)
    failures += links()
    print("\n".join(failures) or f"every test that the documents name is there ({len(tests)} tests), and so is every code, file and link")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
