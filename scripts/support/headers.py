#!/usr/bin/env python3
"""Writes the tables of headers in the README of each layer.

A row is the path of a header, the first sentence of its file comment, and, where the table has a
column for it, its cost, which is the one cell that is written by hand and kept.

    headers.py            rewrites the tables
    headers.py --check    prints how they differ from the headers, and fails if they do
"""

import difflib
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
LAYERS = ("core", "primitives", "algorithms", "flatten", "pipelines", "distributed", "device", "software_device")
ROW = re.compile(r"\| `([^`]+)` \|.*\n")


def sentence(header):
    """The first sentence of a file comment, on one line and without its full stop."""
    comment = re.match(r"#pragma once\n\n/// @file\n((?:/// .+\n)+)", header.read_text())
    if not comment:
        sys.exit(f"{header.relative_to(ROOT)} does not begin with #pragma once and a comment `/// @file`")
    text = " ".join(line[4:] for line in comment[1].splitlines())
    return re.split(r"\.(?= +[A-Z0-9]|$)", text)[0].replace("|", "\\|")


def order(path):
    """Facades first, then the folders: those of calls, of the host, of a device, of named forms."""
    *folders, name = path.split("/")
    return [f in folders for f in ("named", "cuda", "cpu")], "/".join([*folders, name.split(".")[0]]), name


def table(layer, page):
    """The rows of a layer, with the costs that its page states."""
    root = ROOT / layer / "include/ravel" / layer
    has_cost = "| cost |" in page
    costs = {m[1]: m[0].split(" | ")[2][:-2].strip() for m in ROW.finditer(page)} if has_cost else {}
    rows = []
    for path in sorted((str(h.relative_to(root)) for h in root.rglob("*.[hc][pu][ph]")), key=order):
        cells = [f"`{path}`", sentence(root / path)]
        if has_cost:
            cells.append(costs.get(path, ""))
        rows.append(("| " + " | ".join(cells)).rstrip() + " |\n")
    return "".join(rows)


def main():
    check = sys.argv[1:] == ["--check"]
    status = 0
    for layer in LAYERS:
        readme = ROOT / layer / "README.md"
        page = readme.read_text()
        begin = re.search(r"\|---.*\n", page).end()
        end = begin + len(re.match(f"(?:{ROW.pattern})*", page[begin:])[0])
        written = page[:begin] + table(layer, page) + page[end:]
        if written == page:
            continue
        if not check:
            readme.write_text(written)
            continue
        status = 1
        print(f"{layer}/README.md is not what scripts/support/headers.py writes:")
        print("\n".join(difflib.unified_diff(page.splitlines(), written.splitlines(), "is", "should be", n=0, lineterm="")))
    return status


if __name__ == "__main__":
    sys.exit(main())
