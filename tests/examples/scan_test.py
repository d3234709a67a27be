#!/usr/bin/env python3
"""Drives ravel-scan as its users do.  usage: scan_test.py PROGRAM"""

import itertools
import json
import subprocess
import sys
import unittest

PROGRAM = sys.argv[1]


def run(*arguments, stdin=""):
    return subprocess.run([PROGRAM, *map(str, arguments)], input=stdin, capture_output=True, text=True, timeout=60)


NAMES = [line.split()[0] for line in run("--help").stdout.split("ALGORITHM:")[1].split("Usage:")[0].splitlines() if line]
ON_DEVICES = ["chained_cyclic", "lightscan", "decoupled_look_back", "local_sums", "look_ahead"]
NUMBERS = [3, 1, 2, 4, 1, 5, -2, 3, 10**15] * 5
HAS_SOFTWARE = "without a device in software" not in run("--device", "software", stdin="1\n").stderr


class Scan(unittest.TestCase):
    def sums(self, *arguments):
        done = run(*arguments, "--check", stdin="\n".join(map(str, NUMBERS)))
        self.assertEqual(done.returncode, 0, done.stderr)
        return [int(word) for word in done.stdout.split()]

    def refused(self, sentence, *arguments, stdin=""):
        done = run(*arguments, stdin=stdin)
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn(sentence, done.stderr)

    def test_every_algorithm_gives_the_sums(self):
        expected = list(itertools.accumulate(NUMBERS))
        self.assertTrue(set(ON_DEVICES) < set(NAMES))
        for name in NAMES:
            by = ("--algorithm", name)
            if name not in ON_DEVICES:
                self.assertEqual(self.sums(*by, "--device", "cpu"), expected)
            else:
                self.refused(f"{name} needs a device", *by, "--device", "cpu", stdin="1\n")
            if HAS_SOFTWARE:
                self.assertEqual(self.sums(*by, "--device", "software"), expected)
                self.assertEqual(self.sums(*by, "--device", "software", "--exclusive"), [0, *expected[:-1]])
        self.assertEqual(self.sums("--exclusive", "--device", "cpu"), [0, *expected[:-1]])

    def test_the_paper_stands_beside_the_time(self):
        done = run("--generate", 1000, "--algorithm", "step_doubling", "--bench", "--device", "cpu", "--json")
        report = json.loads(done.stdout)
        self.assertEqual((report["source"], report["numbers"]), ("Hillis and Steele 1986", 1000))
        self.assertGreater(report["of_copy"], 0)
        self.assertIn("n log2 n operations", report["paper"])
        self.assertNotIn("of_copy", json.loads(run("--device", "cpu", "--json", stdin="1\n").stdout))

    @unittest.skipUnless(HAS_SOFTWARE, "built with a device")
    def test_counts(self):
        said = run("--generate", 512, "--algorithm", "brent_kung", "--count").stdout
        self.assertRegex(said, r"global memory +\d+ reads, \d+ writes")
        self.assertRegex(said, r"\nwork +\d+, span \d+\n")

    def test_traces(self):
        self.refused("--algorithm says which", "--trace", stdin="1 2\n")
        by = ("--algorithm", "brent_kung", "--trace")
        self.refused("no numbers to trace", *by, stdin="\n")
        self.refused("--trace draws numbers of 32 bits, and 5000000000 is none", *by, stdin="5000000000\n")
        self.refused("--exclusive excludes --trace", *by, "--exclusive", stdin="1\n")
        said = run("--algorithm", "brent_kung", "--trace", stdin="3 1 2 4").stdout
        if said:  # ravel-trace is built where the compiler can insert calls
            self.assertIn("work", said)

    def test_wrong_numbers_are_named(self):
        self.refused("-:2: ", stdin="1\nx\n")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
