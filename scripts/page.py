"""Pages made of several runs: each script owns one section and leaves the others as they are. Standard library only."""
import os, re


def write_section(path, title, text):
    """Puts `text` below `## title`, in place of what stood there, or at the end."""
    page = open(path).read() if os.path.exists(path) else "# Reliability\n"
    section = f"## {title}\n\n{text.strip()}\n"
    pattern = re.compile(rf"^## {re.escape(title)}\n.*?(?=^## |\Z)", re.M | re.S)
    if pattern.search(page):
        page = pattern.sub(lambda _: section + "\n", page)
    else:
        page = page.rstrip() + "\n\n" + section
    with open(path, "w") as f:
        f.write(page.rstrip() + "\n")
