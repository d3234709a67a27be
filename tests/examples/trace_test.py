"""ravel-trace: every format of every algorithm can be read, and the committed pictures are up to date.

    trace_test.py RAVEL_TRACE SOURCE
"""

import json
import pathlib
import subprocess
import sys
import xml.etree.ElementTree

TRACE, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2])
sys.path.insert(0, str(SOURCE / "scripts/support"))
import pictures  # noqa: E402


def check(holds, what):
    if not holds:
        sys.exit(what)


def trace(*arguments, status=0):
    done = subprocess.run([TRACE, *arguments], capture_output=True, text=True)
    check(done.returncode == status, f"{arguments} returned {done.returncode}: {done.stderr}")
    return done.stdout if status == 0 else done.stderr


def main():
    names = [line.split()[0] for line in trace("--help").split("ALGORITHM:")[1].split("Usage:")[0].splitlines() if line]
    check(len(names) >= 9 and "work_efficient" in names, f"--help lists {names}")
    for name in names:
        xml.etree.ElementTree.fromstring(trace(name, "--format", "svg"))
        recorded = json.loads(trace(name, "--format", "json"))
        check(all(a["from"][0] < a["to"][0] for s in recorded["steps"] for a in s["arrows"]), f"{name}: arrows go up")
        page = trace(name, "--format", "html")
        check("/*TRACES*/" not in page and "http" not in page.replace("http://www.w3.org/2000/svg", ""),
              f"{name}: the page is not self-contained")  # fmt: skip
    check("there are 8 values, and the segments have 6" in trace("mindex", "--segments", "3,3", status=2), "too few")
    check("cannot show an empty row" in trace("spmv", "1", "2", "--segments", "0,2", status=2), "an empty row")
    check("a segment has -1 values" in trace("mindex", "--segments", "9,-1", status=2), "a negative length")
    check("\nout         65536   131072        0" in trace("naive", "65536", "2", "32768", "--op", "times"), "wraps around")
    check("excludes --" in trace("mindex", "--segments", "8", "--flags", "1,0,0,0,0,0,0,0", status=2), "both")
    check("\nlaunches        2\n" in trace("brent_kung", "--counts"), "--counts: brent_kung has two launches")
    both = ("work_efficient", "--beside", "brent_kung")
    check("brent_kung" in trace(*both) and '"title":"brent_kung"' in trace(*both, "--format", "html"), "--beside")
    check("has one algorithm" in trace(*both, "--format", "svg", status=2), "--beside of one picture")
    stale = pictures.stale(TRACE)
    check(not stale, f"out of date: {', '.join(stale)}; scripts/pictures writes them")


if __name__ == "__main__":
    main()
