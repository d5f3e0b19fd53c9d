"""Pages made of several runs: each script owns one section, or what stands between two marks, and leaves the rest as it is. Standard library only."""
import os, re


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def write(path, text):
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)


def write_section(path, title, text):
    """Puts `text` below `## title`, in place of what stood there, or at the end."""
    page = read(path) if os.path.exists(path) else "# Reliability\n"
    section = f"## {title}\n\n{text.strip()}\n"
    pattern = re.compile(rf"^## {re.escape(title)}\n.*?(?=^## |\Z)", re.M | re.S)
    if pattern.search(page):
        page = pattern.sub(lambda _: section + "\n", page)
    else:
        page = page.rstrip() + "\n\n" + section
    write(path, page.rstrip() + "\n")


def write_between(path, marks, text):
    """Puts `text` between two marks."""
    page = read(path)
    start, end = page.index(marks[0]) + len(marks[0]), page.index(marks[1])
    write(path, page[:start] + text + page[end:])


def table(head, rows):
    """A table in Markdown."""
    line = lambda cells: f"| {' | '.join(map(str, cells))} |\n"
    return line(head) + "|---" * len(head) + "|\n" + "".join(map(line, rows))
