#!/usr/bin/env python3
"""Writes the tables of headers in the README of each layer, and the README of each folder of a family of calls; and
drops what headers need not include.

A row is the path of a header, the first sentence of its file comment, and, where the table has a
column for it, its cost, which is the one cell that is written by hand and kept.

A header includes what it names, but for the vocabulary that almost all name: a header of that is included only where no
other header that is included brings it.

    headers.py            rewrites the tables and pages, and drops includes
    headers.py --check    prints how they differ from the headers, and what would be dropped, and fails if any is
"""

import difflib
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
LAYERS = ("core", "primitives", "algorithms", "flatten", "pipelines", "distributed", "device", "software_device")
VOCABULARY = [f"ravel/core/{name}.hpp" for name in (
    "vocabulary", "tile", "view", "monoid", "concepts", "config", "error", "std_algorithm", "segments", "flags",
    "derived_monoids", "structure", "operands", "table", "run_call", "checked", "readable")]
ROW = re.compile(r"\| `([^`]+)` \|.*\n")


def sentence(header):
    """The first sentence of a file comment, on one line and without its full stop."""
    comment = re.match(r"#pragma once\n\n((?:/// .+\n)+)", header.read_text())
    if not comment:
        sys.exit(f"{header.relative_to(ROOT)} does not begin with #pragma once and a comment ///")
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


def included(header, below):
    """The headers of folder `below` that a header includes."""
    names = re.findall(r"#\s*include <ravel/([\w/.]+)>", header.read_text())
    return [below / name.split("/", 1)[1] for name in names if name.startswith(below.name + "/")]


def families():
    """The README of each folder that has the steps of a family: its facades, its headers, and what they include of
    cpu/ and cuda/."""
    for steps in sorted(ROOT.glob("*/include/ravel/*/*/steps.hpp")):
        folder, root = steps.parent, steps.parent.parent
        facades = sorted(h for h in root.glob("*.hpp") if any(i.parent == folder for i in included(h, root)))
        own = sorted(folder.glob("*.hpp"))
        longer = {i for h in own + facades for i in included(h, root) if i.parent.name in ("cpu", "cuda")}
        rows = [(f"../{h.name}", h) for h in facades] + [(h.name, h) for h in own]
        rows += [(f"../{h.parent.name}/{h.name}", h) for h in sorted(longer)]
        yield folder / "README.md", (
            "<!-- Written by scripts/support/headers.py -->\n\n"
            f"# {folder.name.replace('_', ' ').capitalize()}\n\n"
            "The facades, the headers of the family, and those with longer forms. "
            "[Architecture](../../../../../docs/architecture.md#files-of-a-primitive) says what each kind of file holds,\n"
            "[forms](../../../../../docs/forms.md) which form runs a call.\n\n"
            "| header | one line |\n|---|---|\n"
            + "".join(f"| [`{name}`]({name}) | {sentence(header)} |\n" for name, header in rows))


def without_brought():
    """Each header that includes vocabulary which another include brings, and its text without."""
    paths = {str(h.relative_to(root)): h for layer in LAYERS for root in [ROOT / layer / "include"]
             for h in root.rglob("*.[hc][pu][ph]")}
    direct = {name: re.findall(r"^#include <(ravel/.+)>$", h.read_text(), re.M) for name, h in paths.items()}
    brought = {}

    def brings(name):
        if name not in brought:
            brought[name] = set()
            brought[name] = {i for other in direct.get(name, ()) for i in {other} | brings(other)}
        return brought[name]

    for name, header in paths.items():
        text = header.read_text()
        for common in VOCABULARY:
            others = [i for i in direct[name] if i != common]
            if common in direct[name] and any(common in brings(i) for i in others):
                direct[name] = others
                text = text.replace(f"#include <{common}>\n", "")
        if text != header.read_text():
            yield header, re.sub(r"\n{3,}", "\n\n", text)


def main():
    check = sys.argv[1:] == ["--check"]
    status = 0
    for header, written in list(without_brought()):
        if check:
            status = 1
            print(f"{header.relative_to(ROOT)} includes vocabulary that another include brings: run headers.py")
        else:
            header.write_text(written)
    for readme, written in families():
        if readme.exists() and readme.read_text() == written:
            continue
        if check:
            status = 1
            print(f"{readme.relative_to(ROOT)} is not what scripts/support/headers.py writes")
        else:
            readme.write_text(written)
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
