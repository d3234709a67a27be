#!/usr/bin/env python3
"""Every kernel must be in some test program of the host compiler's, which runs it in software.

    kernels_in_software_test.py NM SOURCE TESTS

SOURCE is the root of the project, TESTS the folder of the programs.  A test that forgets to
include a form of the device's tests the steps that all executors take, and passes.
"""

import os
import pathlib
import re
import subprocess
import sys


def main():
    nm, source, tests = sys.argv[1], *map(pathlib.Path, sys.argv[2:])
    kernels = set()
    for header in source.glob("*/include/ravel/**/*.cuh"):
        kernels.update(re.findall(r"__global__[^{;]*?\b(\w+_kernel)\(", header.read_text()))
    programs = [p for p in tests.iterdir() if p.is_file() and os.access(p, os.X_OK)]
    symbols = subprocess.run([nm, "--defined-only", *programs],
                             check=True, capture_output=True, text=True).stdout
    run = set(re.findall(r"\d([a-z_]+_kernel)", symbols))
    missing = sorted(kernels - run)
    print(f"{len(kernels)} kernels, {len(programs)} programs")
    for name in missing:
        print(f"no test runs {name} in software")
    sys.exit(bool(missing) or not kernels)


if __name__ == "__main__":
    main()
