#!/usr/bin/env python3
"""What a compiler does for a program, beside its row in a table, and fails where it is more.

    budget.py TABLE PROGRAM SOURCE CLANG COMPILER|- OPTION...

Lines are those left by the preprocessor that are not blank.  Instantiations are the classes and functions
that clang++ makes of templates of ravel, as its -ftime-trace lists them.  Both are the same in every run, on
any machine; lines depend on the standard library, and are only shown where it is not that of the table.  The
seconds that COMPILER takes, if one is named, are shown, and bound nothing.
"""

import json
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

TABLE, PROGRAM, SOURCE, CLANG, COMPILER, *OPTIONS = sys.argv[1:]
ENVIRONMENT = dict(os.environ, CCACHE_DISABLE="1")


def call(*command):
    return subprocess.run(command, env=ENVIRONMENT, check=True, stdout=subprocess.PIPE, encoding="utf-8").stdout


def counts(work):
    """The lines of the program, and its instantiations."""
    text = call(CLANG, *OPTIONS, "-E", "-P", SOURCE)
    trace = f"{work}/trace.json"
    call(CLANG, *OPTIONS, "-O0", "-emit-llvm", "-Xclang", "-disable-llvm-passes", f"-ftime-trace={trace}",
         "-ftime-trace-granularity=0", "-c", SOURCE, "-o", f"{work}/program.bc")
    events = json.loads(pathlib.Path(trace).read_text(encoding="utf-8"))["traceEvents"]
    made = sum(e["name"] in ("InstantiateClass", "InstantiateFunction") and e["args"]["detail"].startswith("ravel::")
               for e in events)
    return {"lines": sum(map(bool, map(str.strip, text.splitlines()))), "instantiations": made}


def seconds():
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    call(COMPILER, *OPTIONS, "-O2", "-c", SOURCE, "-o", os.devnull)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    lines = pathlib.Path(TABLE).read_text(encoding="utf-8").splitlines()
    library, header, *rows = [line for line in lines if not line.startswith("#")]
    row = next(dict(zip(header.split("\t"), row.split("\t"))) for row in rows if row.split("\t")[0] == PROGRAM)
    macros = call(CLANG, *OPTIONS, "-E", "-dM", "-x", "c++", "-include", "version", os.devnull)
    release = re.search(r"#define _GLIBCXX_RELEASE (\d+)", macros)
    same_library = bool(release) and library == f"libstdc++\t{release[1]}"
    too_many = False
    with tempfile.TemporaryDirectory() as work:
        for name, count in counts(work).items():
            held = name != "lines" or same_library
            too_many |= held and count > int(row[name])
            print(f'<CTestMeasurement type="numeric/integer" name="{name}">{count}</CTestMeasurement>')
            print(f"{count} {name}, and {'at most' if held else 'with another standard library'} {row[name]}")
    if COMPILER != "-":
        print(f"{seconds():.1f} s of the processor by {COMPILER}")
    sys.exit(too_many)


main()
