#!/usr/bin/env python3
"""The files for builds without CMake, in an installed prefix: ravel.pc, by which a program is built, and ravel.cps.

usage: descriptions_test.py PREFIX LIBDIR VERSION COMPILER
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

PREFIX, LIBDIR, VERSION, COMPILER = pathlib.Path(sys.argv[1]), *sys.argv[2:]
STRANGER = pathlib.Path(__file__).with_name("stranger.cpp")


class Descriptions(unittest.TestCase):
    @unittest.skipUnless(shutil.which("pkg-config"), "pkg-config is not installed")
    def test_a_program_is_built_by_pkg_config(self):
        folder = PREFIX / LIBDIR / "pkgconfig"
        environment = {**os.environ, "PKG_CONFIG_PATH": str(folder)}

        def flags(*options):
            return subprocess.run(["pkg-config", *options, "ravel"], env=environment, check=True,
                                  stdout=subprocess.PIPE, encoding="utf-8").stdout.split()

        self.assertEqual(flags("--modversion"), [VERSION])
        with tempfile.TemporaryDirectory() as work:
            program = f"{work}/stranger"
            subprocess.run([COMPILER, "-std=c++20", "-O1", *flags("--cflags"), str(STRANGER), "-o", program, *flags("--libs")],
                           check=True)
            subprocess.run([program], check=True)

    def test_the_package_specification_is_complete(self):
        package = json.loads((PREFIX / LIBDIR / "cps/ravel.cps").read_text())
        self.assertEqual((package["name"], package["version"]), ("ravel", VERSION))
        self.assertEqual(package["cps_path"], f"@prefix@/{LIBDIR}/cps")
        components = package["components"]
        for name, component in components.items():
            self.assertIn(component["type"], ("interface", "archive"))
            for place in [*component.get("includes", []), *filter(None, [component.get("location")])]:
                self.assertTrue(pathlib.Path(place.replace("@prefix@", str(PREFIX))).exists(), place)
            for needed in component.get("requires", []):
                of, _, other = needed.partition(":")
                self.assertIn(other if not of else of, package["requires"] if of else components, name)
        nested = "RAVEL_COMPILED_NESTED" in components["flatten"].get("definitions", {}).get("*", {})
        self.assertEqual(nested, "nested" in components)
        self.assertNotIn("RAVEL_COMPILED_NESTED", components["core"]["definitions"]["*"])
        for name in package["default_components"]:
            self.assertIn(name, components)


unittest.main(argv=sys.argv[:1])
