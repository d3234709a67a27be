#!/usr/bin/env python3
"""scripts/ravel-check: the solutions of the course are good, and faults are named.

usage: course_test.py SOURCE
"""

import pathlib
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv.pop(1))
CHECK = SOURCE / "scripts/ravel-check"
COURSE = SOURCE / "examples/course"

SCAN = "values inclusive_scan(values x) { for (index d = 1; d < x.size(); d *= 2) %s return x; }"
MISTAKES = {  # of the files of examples/course/mistakes
    "conga": ["right:", "race: with 2 elements, in step 3 of for_all processor 0 writes (at line 14)"],
    "folded": ["element 0 of the result is x0 * x2 * x1, and should be x0 * x1 * x2.", "no race:"],
    "heads": ["wrong: for 4 elements, heads = 0 0 1 0, in schedule 1, element 3 of the result is x0 * x1 * x2 * x3,", "no race:"],
    "in_place": ["race: with 3 elements, in step 1 of for_all processor", "(at line 14) what processor"],
    "own_prefix": ["right:", "no race:", "too slow: 19901 operations for 200 elements, of 404", "too slow: 199 steps"],
    "powers": ["wrong: for 3 elements, in schedule 1, element 2 of the result is x2, and should be x0 * x1 * x2.", "no race:"],
}  # fmt: skip
FAULTS = [
    (SCAN % "x = tabulate(x.size(), [&](index i) { return i < d ? x[i] : combine(x[i], x[i - d]); });",
     ["wrong: for 2 elements, in schedule 1, element 1 of the result is x1 * x0, and should be x0 * x1.", "no race:"]),
    ("value reduce(values x) { value sum; for (auto const& v : x) sum = combine(sum, v); return sum; }",
     ["right:", "not parallel: for_all is never called."]),
    # a sum on the stack of the caller
    ("value reduce(values x) { value sum; for_all(x.size(), [&](index i) { sum = combine(sum, x[i]); }); return sum; }",
     ["race: with 2 elements"]),
    ("values exclusive_scan(values x) { return tabulate(x.size(), [&](index i) { return x[i + 1]; }); }",
     ["wrong: with 1 element in step 1 of for_all an index is out of range", "(at line 3)."]),
    ("values compact(values x, flags) { return x; }", ["wrong: for 1 element, keep = 0, in schedule", "the result has 1 element, and should have 0."]),
    ("int nothing();", ["nothing to grade: exercise.hpp declares reduce inclusive_scan"]),
    ("no code;", ["does not compile:", "error"]),
    ("}\nint main() {}\nnamespace exercise {", ["it does not link: an exercise has no main,"]),
]  # fmt: skip
# Memory that each processor has for itself is used by the next one only after the step.
OWN_MEMORY = SCAN % ("x = tabulate(x.size(), [&](index i) { flags own(9); for (int& f : own) f = 1;"
                     " return i < d ? x[i] : combine(x[i - d], x[i]); });")  # fmt: skip


def check(path):
    done = subprocess.run([sys.executable, CHECK, path], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout


class Check(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        check(COURSE / "doubling.cpp")  # compiles the grader, and says so

    def check_text(self, code):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "own.cpp"
            path.write_text(f'#include "exercise.hpp"\nnamespace exercise {{\n{code}\n}}\n')
            return check(path)

    def test_solutions_are_good(self):
        solutions = sorted((COURSE / "solutions").glob("*.cpp"))
        self.assertEqual([s.name for s in solutions], sorted(p.name for p in COURSE.glob("*.cpp") if p.stem not in ("grade", "timed")))
        for path in solutions:
            status, said = check(path)
            self.assertEqual(status, 0, f"{path}: {said}")
            self.assertEqual([line.split(":")[0] for line in said.splitlines()], ["right", "no race", *["fast enough"] * 2, "time"])

    def test_mistakes_are_found(self):
        self.assertEqual(sorted(MISTAKES), sorted(p.stem for p in (COURSE / "mistakes").glob("*.cpp")))
        for name, sentences in MISTAKES.items():
            status, said = check(COURSE / f"mistakes/{name}.cpp")
            self.assertEqual(status, 1, said)
            for sentence in sentences:
                self.assertIn(sentence, said, name)

    def test_faults_are_named(self):
        for code, sentences in FAULTS:
            status, said = self.check_text(code)
            self.assertEqual(status, 1, said)
            for sentence in sentences:
                self.assertIn(sentence, said, code)

    def test_own_memory_is_no_race(self):
        self.assertIn("no race:", self.check_text(OWN_MEMORY)[1])

    def test_a_starting_point_is_not_good(self):
        status, said = check(COURSE / "ranking.cpp")
        self.assertEqual((status, said[:6]), (1, "wrong:"))


unittest.main(argv=sys.argv[:1])
