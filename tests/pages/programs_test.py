#!/usr/bin/env python3
"""What programs.py refuses of pages, with programs that are scripts.

usage: programs_test.py
"""

import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAMS = pathlib.Path(__file__).with_name("programs.py")
WHOLE = "```cpp\nint main() {}\n```\n```text\n3 4\n```\n"
FRAGMENT = "<!-- cpp\nint const x = 3;\n-->\n\n```cpp\nint const y = x;\n```\n"


class Pages(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def call(self, what, page, output=""):
        (self.folder / "page.md").write_text(page)
        program = self.folder / "program"
        program.write_text(f"#!/bin/sh\ncat <<'end'\n{output}end\n")
        program.chmod(0o755)
        path = program if what == "run" else self.folder / "source.cpp"
        done = subprocess.run([sys.executable, PROGRAMS, what, "cpp", path, self.folder / "page.md"],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8")
        return done.returncode, done.stdout

    def test_output_is_compared(self):
        self.assertEqual(self.call("write", WHOLE)[0], 0)
        source = (self.folder / "source.cpp").read_text()
        mark = source[source.index("\x1e"):].split("\\n")[0] + "\n"
        self.assertEqual(self.call("run", WHOLE, mark + "3 4\n")[0], 0)
        status, said = self.call("run", WHOLE, mark + "3 5\n")
        self.assertEqual(status, 1)
        self.assertIn("-3 4\n+3 5\n", said)

    def test_a_program_needs_its_output(self):
        status, said = self.call("write", "```cpp\nint main() {}\n```\n")
        self.assertEqual(status, 1)
        self.assertIn("page.md:2: a program, and no ```text block", said)

    def test_a_fragment_needs_declarations(self):
        self.assertEqual(self.call("write", FRAGMENT)[0], 0)
        status, said = self.call("write", FRAGMENT[FRAGMENT.index("```"):])
        self.assertEqual(status, 1)
        self.assertIn("page.md:2: a fragment, and no <!-- cpp comment", said)

    def test_an_excerpt_is_of_its_file(self):
        excerpt = "```cpp of tests/support/counting.hpp\n{}\n```\n"
        self.assertEqual(self.call("write", excerpt.format("namespace ravel::testing::counting {"))[0], 0)
        status, said = self.call("write", excerpt.format("namespace of_nothing {"))
        self.assertEqual(status, 1)
        self.assertIn("tests/support/counting.hpp has no such lines", said)


unittest.main(argv=sys.argv[:1])
