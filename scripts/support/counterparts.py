#!/usr/bin/env python3
"""The page of other libraries' words, from docs/counterparts.tsv and docs/counterparts_calls.tsv.

    scripts/support/counterparts.py write      writes docs/counterparts.md
    scripts/support/counterparts.py check      fails if the page is not what write writes
    scripts/support/counterparts.py cpp        prints a source with each call of the table by name, and each expression
"""

import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TABLE = ROOT / "docs/counterparts.tsv"
CALLS = ROOT / "docs/counterparts_calls.tsv"
PAGE = ROOT / "docs/counterparts.md"
HEADERS = """core/cpu/executor core/parallel core/segments algorithms/comparison_sort algorithms/duplicates
    algorithms/group_by_hash algorithms/partial_sort algorithms/radix_sort algorithms/segmented_sort
    algorithms/selection algorithms/transpose
    pipelines/pipelines primitives/distribute primitives/expand primitives/find_first primitives/gather
    primitives/histogram primitives/merge primitives/reduce_by_key primitives/run_length
    primitives/scatter primitives/search primitives/searches primitives/segmented_reduce primitives/segmented_scan
    primitives/split primitives/unique""".split()


# What expressions may name.
OPERANDS = """void calls(ravel::cpu::threads const& ex, std::vector<int>& in, std::vector<int>& other,
           std::vector<int>& out) {
  using namespace ravel;
  index_t const n = size_of(in);
  auto &keys = in, &values = other, &sorted = in, &also_sorted = other, &needles = in, &digits = in, &flags = in;
  auto &merged = out, &out_keys = out, &counts = out;
  std::vector<int> index(in), out_values(out);
  auto const f = [](auto x) { return static_cast<int>(x + 1); };
  auto const keep = [](int x) { return x % 2 != 0; };
  auto const before = [](int x, int y) { return x % 10 < y % 10; };
  auto const m = [](int x, int y) { return x * y; };
  auto const use = [](index_t) {};
"""


def rows(table=TABLE):
    lines = table.read_text().splitlines()[1:]
    return [tuple(line.split("\t")) for line in lines]


def calls(cell):
    return [] if cell == "none" else cell.split(", ")


def page():
    text = ["<!-- Written by scripts/support/counterparts.py from counterparts.tsv. -->", "",
            "# Words of other libraries, and ravel's", "",
            "Several calls in a row are stages of one pipeline, or alternatives; the remark says which where it is not",
            "obvious. `none`: there is no such call; the remark says why, or what to write."]
    peer = None
    for whose, word, cell, note in rows():
        if whose != peer:
            peer = whose
            text += ["", f"## {peer}", "", "| word | ravel | remark |", "|---|---|---|"]
        ours = ", ".join(f"`{c}`" for c in calls(cell)) or "none"
        text.append(f"| `{word}` | {ours} | {note} |")
    text += ["", "## Calls", "",
             "Of sequences in the memory of `ex`. `f`, `keep`, `before`, `m` and `use` are functions of elements. Each is compiled",
             "in the tests.", "", "| call | for instance |", "|---|---|"]
    for name, expression in rows(CALLS):
        text.append(f"| `{name}` | `" + expression.replace("|", "\\|") + "` |")
    return "\n".join(text) + "\n"


def cpp():
    names = sorted({c for row in rows() for c in calls(row[2])})
    includes = [f"#include <ravel/{h}.hpp>" for h in HEADERS]
    text = includes + ["namespace check {"] + [f"using ravel::{n};" for n in names] + ["}"]
    text += ["#ifdef RAVEL_TEST_THOROUGH", OPERANDS.rstrip()]
    text += [f"  (void)({expression});" for _, expression in rows(CALLS)] + ["}", "#endif"]
    return "\n".join(text) + "\n"


def main():
    what = sys.argv[1] if len(sys.argv) > 1 else ""
    if what == "write":
        PAGE.write_text(page())
    elif what == "cpp":
        print(cpp(), end="")
    elif what == "check":
        if PAGE.read_text() != page():
            sys.exit("docs/counterparts.md is not what scripts/support/counterparts.py write writes")
    else:
        sys.exit(__doc__)


main()
