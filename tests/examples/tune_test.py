#!/usr/bin/env python3
"""Drives ravel-tune as its users do.  usage: tune_test.py PROGRAM FOLDER_OF_TUNINGS"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM, TUNINGS = sys.argv[1], pathlib.Path(sys.argv[2])


def run(*arguments):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=60)


class Tune(unittest.TestCase):
    def refused(self, sentence, text):
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            file.write(text)
            file.flush()
            done = run(file.name)
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn(file.name, done.stderr)
        self.assertIn(sentence, done.stderr)

    def changed(self, **what):
        contents = json.loads((TUNINGS / "sm_90.json").read_text())
        contents["sizes"].update(what)
        return json.dumps(contents)

    def test_what_is_measured_is_built_in(self):
        done = run(TUNINGS / "sm_90.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("NVIDIA H200, compute capability 9.0, measured", done.stdout)
        self.assertNotIn("is built in", done.stdout)

    def test_files_name_devices_without_measurements(self):
        for name in "sm_80", "sm_100":
            done = run(TUNINGS / f"{name}.json")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(", not measured", done.stdout)
            self.assertIn("Not measured on such a device", done.stdout)
            sizes = json.loads((TUNINGS / f"{name}.json").read_text())["sizes"]
            self.assertEqual(sizes, json.loads((TUNINGS / "sm_90.json").read_text())["sizes"])

    def test_what_differs_is_shown(self):
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            file.write(self.changed(bucketed=17))
            file.flush()
            done = run(file.name)
        self.assertRegex(done.stdout, r"bucketed +17 +\d+ is built in")

    def test_files_that_cannot_be_used(self):
        self.refused(".json:3: syntax error", '{\n"device": 3\n,,')
        self.refused(".json: key 'device' not found", "{}")
        self.refused("there is no size speed", self.changed(speed=1))
        self.refused("split_bytes is 0 and must be at least 1", self.changed(split_bytes=0))
        self.refused("bucketed is no whole number", self.changed(bucketed="many"))
        rows = json.loads(self.changed()) | {"local_sums_us": {"some": 1.0}}
        self.refused("local_sums_us: some is no number of elements", json.dumps(rows))

    def test_the_best_number_of_elements_is_named(self):
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            rows = {"7": 90.5, "15": 61.5, "23": 61.75}
            file.write(json.dumps(json.loads(self.changed()) | {"local_sums_us": rows}))
            file.flush()
            done = run(file.name)
        self.assertIn("local_sums      of_rows<15>, 61.5 us", done.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
