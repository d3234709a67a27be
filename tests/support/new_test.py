"""scripts/new: what it writes compiles, passes all tests but the first, and says there what is left.

    new_test.py COMPILER SOURCE BUILD LIBRARY...
"""

import pathlib
import shutil
import subprocess
import sys

COMPILER, SOURCE, BUILD, *LIBRARIES = sys.argv[1:]
LAYERS = ("core", "primitives", "algorithms", "flatten", "pipelines", "distributed")
COPY = pathlib.Path(BUILD) / "new"


def run(*command, status=0):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    if done.returncode != status:
        sys.exit(f"{' '.join(map(str, command))} returned {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def check(holds, what):
    if not holds:
        sys.exit(what)


def compiles(source, *options):
    includes = ["software_device/runtime", "software_device/include", "tests", "bench",
                *(f"{layer}/include" for layer in LAYERS)]
    run(COMPILER, "-std=c++20", "-O0", "-Wall", "-Wextra", "-Wno-unknown-pragmas", "-DRAVEL_CPU_STD_THREADS=1",
        *(f"-I{COPY / i}" for i in includes), source, *options)


def main():
    shutil.rmtree(COPY, ignore_errors=True)
    for folder in (*LAYERS, "device", "software_device", "scripts", "tests", "bench", "docs"):
        shutil.copytree(pathlib.Path(SOURCE) / folder, COPY / folder, ignore=shutil.ignore_patterns("record", "gallery"))
    shutil.copy(pathlib.Path(SOURCE) / ".clang-format", COPY)
    new = COPY / "scripts/new"
    for name, layer in (("running_median", "primitives"), ("sort_of_sorts", "algorithms")):
        said = run(new, name, layer)
        check("What is left" in said, f"scripts/new does not say what is left:\n{said}")
        run(sys.executable, COPY / "scripts/support/headers.py", "--check")
        check(f"`{name}/steps.hpp`" in (COPY / layer / "README.md").read_text(), "no row in the README")
        check(f"ravel_test({layer}/{name})" in (COPY / "tests/CMakeLists.txt").read_text(), "the test is not listed")
        compiles(COPY / "bench/cpu" / f"{name}.cpp", "-fsyntax-only")
        check(f"\n{name}\tcpu.{name}\t\n" in (COPY / "bench/calls.tsv").read_text(), "no line in bench/calls.tsv")

    compiles(COPY / "tests/primitives/forms_test.cpp", "-fsyntax-only", '-DRAVEL_FORMS_PAGE=""')
    run(new, "running_median", "primitives", status=1)  # is there already
    run(new, "Median", "primitives", status=1)
    run(new, "median", "core", status=1)

    program = COPY / "running_median"
    compiles(COPY / "tests/primitives/running_median_test.cpp", "-o", program, *LIBRARIES, "-pthread")
    said = run(program, status=1)
    check("running_median has no meaning yet: write its equation" in said, f"no sentence in\n{said}")
    passed = run(program, "--gtest_filter=-*example_in_the_header*")
    check("refuses_sizes_that_differ" in passed, f"tests are missing in\n{passed}")


if __name__ == "__main__":
    main()
