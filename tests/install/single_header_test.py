#!/usr/bin/env python3
"""The first program of README.md, of scans, compiled from the single header, and run.

usage: single_header_test.py COMPILER
"""

import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]

with tempfile.TemporaryDirectory() as work:
    source = pathlib.Path(work, "program.cpp")
    subprocess.run([ROOT / "scripts/single_header", "-o", f"{work}/ravel.hpp"], check=True)
    subprocess.run([sys.executable, ROOT / "tests/pages/programs.py", "one", "cpp", source, "0", ROOT / "README.md"], check=True)
    source.write_text('#include "ravel.hpp"\n' + re.sub(r"#include <ravel/.*\n", "", source.read_text()))
    subprocess.run([sys.argv[1], "-std=c++20", "-O0", source, "-o", f"{work}/program", "-pthread"], check=True)
    said = subprocess.run([f"{work}/program"], check=True, stdout=subprocess.PIPE, encoding="utf-8").stdout
    if said != "16 0 5\n":
        sys.exit(f"the program prints {said}")
