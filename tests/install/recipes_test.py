#!/usr/bin/env python3
"""The recipes of packaging/ as far as they can be read without what reads them: their form, files and version.

usage: recipes_test.py VERSION
"""

import ast
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
VERSION = sys.argv[1]

port = json.loads((ROOT / "packaging/vcpkg/ravel/vcpkg.json").read_text())
if (port["name"], port["version-semver"], port["license"]) != ("ravel", VERSION, "Apache-2.0"):
    sys.exit(f"vcpkg.json is not of ravel {VERSION}: {port}")
options = (ROOT / "CMakeLists.txt").read_text()
recipe = (ROOT / "packaging/conan/conanfile.py").read_text()
for name in ("vcpkg/ravel/portfile.cmake", "debian/rules"):
    for option in re.findall(r"RAVEL_\w+(?==)", (ROOT / "packaging" / name).read_text()):
        if not re.search(rf"(option|set)\({option} ", options):
            sys.exit(f"{name}: CMakeLists.txt has no option {option}")
for statement in ast.parse(recipe).body:
    if isinstance(statement, ast.Assign) and statement.targets[0].id == "SOURCES":
        for pattern in ast.literal_eval(statement.value):
            if not list(ROOT.glob(pattern)):
                sys.exit(f"conanfile.py: nothing matches {pattern}")

if not (ROOT / "packaging/debian/changelog").read_text().startswith(f"ravel ({VERSION}) "):
    sys.exit(f"debian/changelog does not begin with ravel {VERSION}")
spack = (ROOT / "packaging/spack/package.py").read_text()
versions = [call.args[0].value for call in ast.walk(ast.parse(spack))
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "version"]
if VERSION not in versions:
    sys.exit(f"spack/package.py has the versions {versions}, and not {VERSION}")
