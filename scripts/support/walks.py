#!/usr/bin/env python3
"""The walks of docs/architecture.md: the files from a call to the instruction that touches memory.

usage: walks.py PROGRAM           fails where the page does not match the program
       walks.py PROGRAM --write   corrects files and lines of the page

PROGRAM is of tests/pages/walks.cpp: it prints the stack where a call reads its first element, and where
it writes its first result.  A walk is the project's files of the functions on these stacks, and that
where the call is described, which has returned by then.  A row of the page has a file, its lines and what
it does; lines may be off by 3 % in all before a walk is refused.  Of a walk that no program on a host can
take, between <!-- counted: NAME --> and <!-- end -->, the files are written by hand, and only counted here.
A walk that is longer than its bound fails.
"""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/architecture.md"
DESCRIBED_IN = {
    "scan": ["primitives/scan/call.hpp"],
    "segmented scan": ["primitives/segmented_scan/call.hpp"],
    "nested sum": ["primitives/segmented_reduce/call.hpp"],
}
MOST = {  # files and lines of a walk
    "scan": (7, 1300),
    "device scan": (9, 1700),
    "segmented scan": (10, 2000),
    "radix sort": (12, 2200),
    "nested sum": (12, 2200),
}


def path_of(header):
    return ROOT / header.split("/")[0] / "include/ravel" / header


def lines_of(header):
    return path_of(header).read_text(encoding="utf-8").count("\n")


def walks_of(program):
    """For each walk its headers, from the call inwards."""
    found, stacks = {}, None
    said = subprocess.run([program], stdout=subprocess.PIPE, encoding="utf-8", check=True).stdout
    for line in said.splitlines():
        if not line.startswith(" "):
            found[line] = stacks = []
        else:
            addresses = [int(word, 16) for word in line.split()]
            # Return addresses follow the call; the first address is that of the fault.
            stacks.append([hex(a - (i > 0)) for i, a in enumerate(addresses)])
    for walk, stacks in found.items():
        headers = []
        for stack in stacks:
            places = subprocess.run(["addr2line", "-i", "-e", program, *stack], stdout=subprocess.PIPE,
                                    encoding="utf-8", check=True).stdout.splitlines()
            for place in reversed(places):
                header = re.search(r"/include/ravel/([\w/]+\.hpp):", place)
                if header and header[1] not in headers:
                    headers.append(header[1])
        at = headers.index("core/run_call.hpp") if "core/run_call.hpp" in headers else 1
        headers[at:at] = [h for h in DESCRIBED_IN.get(walk, []) if h not in headers]
        found[walk] = headers
    return found


def headers_of(section):
    return re.findall(r"^\| `([\w/.]+)` \| \d+ \|", section, flags=re.M)


def main():
    page, failed = PAGE.read_text(encoding="utf-8"), False
    walks = {("walk", name): headers for name, headers in walks_of(sys.argv[1]).items()}
    for name, section in re.findall(r"^<!-- counted: (.*?) -->\n(.*?)^<!-- end -->$", page, flags=re.S | re.M):
        walks["counted", name] = headers_of(section)
    for (kind, walk), headers in walks.items():
        section = re.search(rf"^<!-- {kind}: {walk} -->\n(.*?)^<!-- end -->$", page, flags=re.S | re.M)
        if not section:
            sys.exit(f"{PAGE} has no <!-- {kind}: {walk} -->")
        counts = {header: lines_of(header) for header in headers}
        total = f"{len(headers)} files, {sum(counts.values())} lines"
        rows = dict(re.findall(r"^\| `([\w/.]+)` \| \d+ \| (.*) \|$", section[1], flags=re.M))
        shown = sum(map(int, re.findall(r"^\| `[\w/.]+` \| (\d+) \|", section[1], flags=re.M)))
        if list(rows) != headers or abs(shown - sum(counts.values())) > 0.03 * shown:
            failed = True
            print(f"{walk}: {PAGE.name} shows {len(rows)} files, {shown} lines; there are {total}:")
            print("\n".join(f"  {'' if h in rows else '+ '}{h} {counts[h]}" for h in headers))
            print("\n".join(f"  - {h}" for h in rows if h not in headers))
        most_files, most_lines = MOST[walk]
        if len(headers) > most_files or sum(counts.values()) > most_lines:
            failed = True
            print(f"{walk}: {total}, where {most_files} files and {most_lines} lines are the most")
        for header, what in rows.items():
            if what == "?":
                failed = True
                print(f"{walk}: say what {header} does")
            for name in re.findall(r"`(\w+)`", what):
                if header in counts and not re.search(rf"\b{name}\b", path_of(header).read_text(encoding="utf-8")):
                    failed = True
                    print(f"{walk}: {header} has no {name}")
        table = "".join(f"| `{h}` | {counts[h]} | {rows.get(h, '?')} |\n" for h in headers)
        page = page.replace(section[0], f"<!-- {kind}: {walk} -->\n{total}.\n\n"
                            f"| file | lines | what it does |\n|---|--:|---|\n{table}<!-- end -->")
    if sys.argv[2:] == ["--write"]:
        PAGE.write_text(page, encoding="utf-8")
    elif failed:
        sys.exit(f"correct {PAGE.name} with {sys.argv[0]} {sys.argv[1]} --write, and say what new files do")


main()
