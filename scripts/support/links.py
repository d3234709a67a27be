#!/usr/bin/env python3
"""Whether every relative link of a page leads to a file, and to a heading of it.

usage: links.py PAGE...
"""

import pathlib
import re
import sys


def prose_of(page):
    return re.sub(r"^ *```.*?^ *```$", "", page.read_text(encoding="utf-8"), flags=re.S | re.M)


def anchors_of(page):
    headings = re.findall(r"^#+ +(.*?) *$", prose_of(page), flags=re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


failed = False
for page in map(pathlib.Path, sys.argv[1:]):
    for link in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`\n]*`", "", prose_of(page))):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = page.parent / path if path else page
        if not target.exists():
            print(f"{page}: {link} leads to no file")
        elif anchor and target.suffix == ".md" and anchor not in anchors_of(target):
            print(f"{page}: {link} leads to no heading")
        else:
            continue
        failed = True
sys.exit(failed)
