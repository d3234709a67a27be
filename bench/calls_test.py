#!/usr/bin/env python3
"""Every public call has a row of a benchmark in calls.tsv, beside a peer, or a reason for having none.

A call is a function of primitives or algorithms that takes an executor, or a name of pipelines in verbs.hpp;
x_sync and x_on are forms of x.  A row counts if a record has it with a peer, or, until it is recorded, if a
benchmark that has peers names it.
"""

import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
BENCH = ROOT / "bench"


def without_detail(text):
    """A header without comments and what is in namespace detail."""
    text = re.sub(r"//.*", "", text)
    begins = re.compile(r"namespace [\w: ]*\bdetail(::\w+)? \{")
    while found := begins.search(text):
        depth, end = 1, found.end()
        while depth > 0:
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        text = text[:found.start()] + text[end:]
    return text


def public_calls():
    """The calls of a user, each with where it is declared."""
    calls = {}
    for layer in ("primitives", "algorithms"):
        for header in sorted((ROOT / layer / "include/ravel" / layer).glob("*.hpp")):
            text = without_detail(header.read_text(encoding="utf-8"))
            for name in re.findall(r"^\S.*?\b(\w+)\(\s*Ex const& ex\b", text, re.MULTILINE):
                calls.setdefault(re.sub(r"_(sync|on)$", "", name), header.name)
    verbs = (ROOT / "pipelines/include/ravel/pipelines/verbs.hpp").read_text(encoding="utf-8")
    for name in re.findall(r"ravel::(\w+)[,;]", verbs):
        calls.setdefault(name, "pipelines/verbs.hpp")
    return calls


def rows_beside_peers():
    """The ids of recorded rows that have a peer."""
    ids = set()
    for record in sorted((BENCH / "record").glob("*.json")):
        for row in json.loads(record.read_text(encoding="utf-8"))["benchmarks"]:
            if any(counter.startswith("peer:") for counter in row):
                ids.add(row["name"].split("/")[0])
    return ids


def main():
    recorded = rows_beside_peers()
    programs = [path.read_text(encoding="utf-8") for folder in ("cpu", "gpu", "distributed")
                for path in sorted((BENCH / folder).glob("*.c*"))]
    programs = [text for text in programs if '"peer:' in text]

    def is_row(name):
        return (any(id == name or id.startswith(name + ".") for id in recorded)
                or any(f'"{name}"' in text or f'"{name}.' in text for text in programs))

    header, *lines = (BENCH / "calls.tsv").read_text(encoding="utf-8").splitlines()
    table = dict.fromkeys(public_calls())
    errors = [] if header == "call\trow\treason" else [f"the first line is {header}"]
    previous = ""
    for call, row, reason in (line.split("\t") for line in lines):
        if call <= previous:
            errors.append(f"{call}: lines are in alphabetical order, one for each call")
        if call not in table:
            errors.append(f"{call}: no public call")
        if bool(row) == bool(reason):
            errors.append(f"{call}: has a row, or a reason, and not both")
        if row and not is_row(row):
            errors.append(f"{call}: no benchmark has a row {row} beside a peer")
        previous = call
        table[call] = True
    errors += [f"{call}, of {where}: has no line" for call, where in public_calls().items() if not table[call]]
    print("\n".join(f"bench/calls.tsv: {e}" for e in errors) or f"{len(table)} calls")
    return bool(errors)


if __name__ == "__main__":
    sys.exit(main())
