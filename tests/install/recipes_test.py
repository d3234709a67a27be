#!/usr/bin/env python3
"""The recipes of packaging/ as far as they can be read without what reads them: their form, files, options and version.
That of vcpkg runs on an installed prefix, and that of Spack on its variants, with stand-ins for what they call.

usage: recipes_test.py VERSION PREFIX LIBDIR CMAKE
"""

import ast
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import types

ROOT = pathlib.Path(__file__).resolve().parents[2]
VERSION, PREFIX, LIBDIR, CMAKE = sys.argv[1:]

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

# vcpkg: what its port calls, of a package that is installed already.
STAND_INS = """
cmake_minimum_required(VERSION 3.25)
function(expect path)
  if(NOT EXISTS "${path}")
    message(FATAL_ERROR "vcpkg: there is no ${path}")
  endif()
endfunction()
function(vcpkg_cmake_configure)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "SOURCE_PATH" "OPTIONS")
  expect("${arg_SOURCE_PATH}/core/include/ravel/core/config.hpp")
endfunction()
function(vcpkg_cmake_install)
endfunction()
function(vcpkg_cmake_config_fixup)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "CONFIG_PATH" "")
  string(REGEX REPLACE "^lib/" "${LIBDIR}/" path "${arg_CONFIG_PATH}")
  expect("${PREFIX}/${path}/ravelConfig.cmake")
endfunction()
function(vcpkg_fixup_pkgconfig)
  expect("${PREFIX}/${LIBDIR}/pkgconfig/ravel.pc")
endfunction()
function(vcpkg_install_copyright)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "" "FILE_LIST")
  expect("${arg_FILE_LIST}")
endfunction()
include("${PORT}")
"""
with tempfile.TemporaryDirectory() as folder:
    script = pathlib.Path(folder) / "port.cmake"
    script.write_text(STAND_INS)
    subprocess.run([CMAKE, f"-DPREFIX={PREFIX}", f"-DLIBDIR={LIBDIR}", f"-DCURRENT_PACKAGES_DIR={folder}/packages",
                    f"-DPORT={ROOT}/packaging/vcpkg/ravel/portfile.cmake", "-P", script], check=True)

# Spack: its directives as lists, and the arguments of CMake with and without each variant.
directives = {name: [] for name in ("conflicts", "depends_on", "license", "variant", "version")}


class Package:
    def __init__(self, on):
        self.on = on
        self.spec = self

    def satisfies(self, spec):
        return (spec[0] == "+") == (spec[1:] in self.on)

    def define(self, name, value):
        return f"-D{name}={value}"

    def define_from_variant(self, name, variant):
        return self.define(name, variant in self.on)


module = types.ModuleType("spack.package")
module.CMakePackage = Package
for name, calls in directives.items():
    setattr(module, name, lambda *words, calls=calls, **_: calls.append(words[0]))
sys.modules |= {"spack": types.ModuleType("spack"), "spack.package": module}
recipe = {}
exec((ROOT / "packaging/spack/package.py").read_text(), recipe)
if VERSION not in directives["version"]:
    sys.exit(f"spack/package.py has the versions {directives['version']}, and not {VERSION}")
for on in ((), directives["variant"]):
    for option, value in re.findall(r"-D(RAVEL_\w+)=(\S+)", " ".join(recipe["Ravel"](on).cmake_args())):
        if not re.search(rf"(option|set|cmake_dependent_option)\({option} ", options):
            sys.exit(f"spack/package.py: CMakeLists.txt has no option {option}")
    if value != ("tbb" if on else "std"):
        sys.exit(f"spack/package.py: the threads are of {value} with the variants {on}")
oldest = dict(re.findall(r'COMPILER_ID STREQUAL "(\w+)" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS (\d+)', options))
for spec, name in (("gcc", "GNU"), ("clang", "Clang")):
    if f"%{spec}@:{int(oldest[name]) - 1}" not in directives["conflicts"]:
        sys.exit(f"spack/package.py: {spec} before {oldest[name]} is no conflict, but {directives['conflicts']}")
