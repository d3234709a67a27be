#!/usr/bin/env python3
"""Drives ravel-rank as its users do.  usage: rank_test.py PROGRAM"""

import json
import random
import subprocess
import sys
import unittest

PROGRAM = sys.argv[1]


def run(*arguments, stdin=""):
    return subprocess.run(
        [PROGRAM, *map(str, arguments), "--device", "cpu"],
        input=stdin, capture_output=True, text=True, timeout=60)


def lines(numbers):
    return "".join(f"{n}\n" for n in numbers)


class Rank(unittest.TestCase):
    def output(self, *arguments, stdin=""):
        done = run(*arguments, "--check", stdin=stdin)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [int(word) for word in done.stdout.split()]

    def refused(self, sentence, *arguments, stdin=""):
        done = run(*arguments, stdin=stdin)
        self.assertEqual(done.returncode, 2)
        self.assertIn(sentence, done.stderr)

    def test_the_examples_of_the_readme(self):
        self.assertEqual(self.output("-", stdin="4\n2\n-1\n0\n-1\n"), [1, 0, 1, 0, 2])
        self.assertEqual(self.output("--tree", "-", stdin="3\n0\n0\n-1\n3\n"), [1, 2, 2, 0, 1])
        self.refused("-: node 0 is on a cycle", "-", stdin="1\n2\n0\n")

    def test_sums_and_greatest_along_lists(self):
        table = "1 5\n2 7\n2 -3\n-1 9\n"
        self.assertEqual(self.output("-", "--op", "sum", stdin=table), [5, 12, 9, 9])
        self.assertEqual(self.output("-", "--op", "max", stdin=table), [5, 7, 7, 9])
        self.assertEqual(self.output("-", "--op", "sum", stdin="1 9223372036854775807\n-1 1\n"),
                         [2**63 - 1, -(2**63)], "sums wrap around")

    def test_generated_lists(self):
        for order in "ordered", "stride:3", "stride:1000", f"stride:{2**63 - 1}", "random":
            done = run("--generate", order, "--n", 50_000, "--check", "--json")
            report = json.loads(done.stdout)
            self.assertTrue(report["checked"])
            self.assertEqual((report["nodes"], report["lists"], report["greatest"]),
                             (50_000, 1, 49_999))

    def test_depths_of_a_random_tree(self):
        generator = random.Random(4)
        n = 20_000
        parents, depths = [-1], [0]
        for node in range(1, n):
            parent = generator.randrange(max(0, node - 50), node)
            parents.append(parent)
            depths.append(depths[parent] + 1)
        self.assertEqual(self.output("--tree", "-", stdin=lines(parents)), depths)

    def test_what_makes_no_lists_is_refused(self):
        self.refused("node 1 links to 7, and there are 3 nodes", "-", stdin="1\n7\n0\n")
        self.refused("two nodes link to node 1", "-", stdin="1\n-1\n1\n")
        self.refused("the parent of node 1 is 5", "--tree", "-", stdin="-1\n5\n")
        self.refused("node 0 is above itself", "--tree", "-", stdin="1\n0\n")
        self.refused("stride:D", "--generate", "stride:0")
        self.refused("FILE excludes --generate", "-", "--generate", "random")

    def test_nothing(self):
        self.assertEqual(self.output("-"), [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
