#!/usr/bin/env python3
"""Whether every relative link of a page leads to a file, and to a heading of it.

usage: links.py PAGE...
"""

import pathlib
import re
import sys


def prose_of(page):
    return re.sub(r"^ *```.*?^ *```$", "", page.read_text(encoding="utf-8"), flags=re.S | re.M)


def slug(heading):
    """The anchor that GitHub gives to a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def anchor(heading, before):
    """The same, where the second of a name ends in -1; `before` are the slugs of the headings before."""
    name = slug(heading)
    times = before.count(name)
    before.append(name)
    return f"{name}-{times}" if times else name


def anchors_of(page):
    before = []
    return {anchor(heading, before) for heading in re.findall(r"^#+ +(.*?) *$", prose_of(page), flags=re.M)}


def broken_links(page):
    for link in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`\n]*`", "", prose_of(page))):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, fragment = link.partition("#")
        target = page.parent / path if path else page
        if not target.exists():
            yield f"{page}: {link} leads to no file"
        elif fragment and target.suffix == ".md" and fragment not in anchors_of(target):
            yield f"{page}: {link} leads to no heading"


def main():
    broken = [line for page in map(pathlib.Path, sys.argv[1:]) for line in broken_links(page)]
    print("".join(f"{line}\n" for line in broken), end="")
    sys.exit(bool(broken))


if __name__ == "__main__":
    main()
