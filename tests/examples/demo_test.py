#!/usr/bin/env python3
"""Tests scripts/demo with fake programs instead of those that it builds.  usage: demo_test.py SCRIPTS"""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SCRIPTS = pathlib.Path(sys.argv[1])

# A fake ravel-spmv and ravel-sort: reports SECONDS per call, or as the name of the file specifies.
PROGRAM = """#!/bin/sh
case "$*" in
  *ill-formed*) echo "ill-formed.mtx:3: the column is 9, and the matrix has 2" >&2; exit 2 ;;
  *wrong*) echo "ravel-spmv: the check fails: row 0" >&2; fails=1 ;;
esac
echo '{"seconds":%s,"gflops":1.5,"keys_per_s":2e6,"gbytes_per_s":3.25,"copy_fraction":0.5,"checked":true}'
exit ${fails:-0}
"""


class Demo(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        scripts, programs = self.folder / "scripts", self.folder / "build/host/bin"
        (scripts / "support").mkdir(parents=True)
        programs.mkdir(parents=True)
        shutil.copy(SCRIPTS / "demo", scripts)
        shutil.copy(SCRIPTS / "support/steps.sh", scripts / "support")
        (scripts / "support/packages.sh").write_text("readme_packages=()\nneed_packages() { :; }\n")
        (scripts / "support/device.sh").write_text("configure() { preset=host; }\n")
        cmake = self.folder / "cmake"
        cmake.write_text("#!/bin/sh\n")
        cmake.chmod(0o755)

    def demo(self, *arguments, seconds="0.0123"):
        for name in "ravel-spmv", "ravel-sort":
            program = self.folder / "build/host/bin" / name
            program.write_text(PROGRAM % seconds)
            program.chmod(0o755)
        return subprocess.run(
            ["env", f"PATH={self.folder}:/usr/bin:/bin", self.folder / "scripts/demo", *arguments],
            cwd=self.folder, capture_output=True, text=True, timeout=60)

    def row(self, done, what):
        table = done.stdout[done.stdout.index("== results") :].splitlines()
        return next(line for line in table if line.startswith(what))

    def test_help(self):
        for option in "--help", "-h":
            done = self.demo(option)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertTrue(done.stdout.startswith("usage: scripts/demo"), done.stdout)

    def test_help_of_the_tests(self):
        script = SCRIPTS / "test"
        done = subprocess.run([script, "--help"], capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertTrue(done.stdout.startswith("usage: scripts/test"), done.stdout)
        done = subprocess.run([script, "scan"], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 2)
        self.assertIn("scan is not an option of cmake", done.stderr)

    def test_arguments_that_cannot_be(self):
        done = self.demo("--fast")
        self.assertEqual(done.returncode, 2)
        self.assertIn("there is no option --fast", done.stderr)
        done = self.demo("no/such.mtx")
        self.assertEqual((done.returncode, done.stderr), (2, "no/such.mtx: cannot be read\n"))
        self.assertEqual(self.demo("a", "b").returncode, 2)

    def test_units_of_time(self):
        for seconds, shown in (("0.0000004567", "457 ns"), ("4.2e-06", "4.20 us"), ("0.0123", "12.3 ms"),
                               ("0.9999", "1.00 s"), ("9.9996", "10.0 s"), ("123.4", "123 s")):
            with self.subTest(seconds):
                done = self.demo(seconds=seconds)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertRegex(self.row(done, "sort, 10 million"), rf"cpu +{shown} +2\.00 Mkey/s +3\.2 +0\.50 +yes$")

    def test_a_matrix_without_a_product(self):
        matrix = self.folder / "ill-formed.mtx"
        matrix.touch()
        done = self.demo(matrix)
        self.assertEqual(done.returncode, 2)
        self.assertIn("ill-formed.mtx:3: the column is 9, and the matrix has 2", done.stderr)
        self.assertRegex(self.row(done, "spmv, ill-formed.mtx"), r"cpu +- +- +- +- +no result$")
        self.assertRegex(self.row(done, "sort, 10 million"), r"yes$")

    def test_a_product_that_is_wrong(self):
        matrix = self.folder / "wrong.mtx"
        matrix.touch()
        done = self.demo(matrix)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(self.row(done, "spmv, wrong.mtx"), r"12\.3 ms +1\.50 Gflop/s +3\.2 +0\.50 +NO$")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
