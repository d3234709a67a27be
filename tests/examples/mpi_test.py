#!/usr/bin/env python3
"""Drives programs on two processes, and compares their results with those of one.

usage: mpi_test.py FOLDER-OF-PROGRAMS MPIEXEC [OPTION...]
"""

import array
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

PROGRAMS = pathlib.Path(sys.argv[1])
LAUNCHER = sys.argv[2:]
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                   OMPI_MCA_rmaps_base_oversubscribe="1")


def run(launcher, *arguments):
    program, *rest = arguments
    return subprocess.run([*launcher, PROGRAMS / program, *map(str, rest), "--threads", "1"],
                          capture_output=True, timeout=60, env=ENVIRONMENT)


class Ranks(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def together(self, *arguments):
        """The file that two processes write."""
        out = self.folder / "together"
        done = run(LAUNCHER, *arguments, "-o", out)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        return out.read_bytes()

    def alone(self, *arguments):
        out = self.folder / "alone"
        done = run([], *arguments, "-o", out)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        return out.read_bytes()

    def write(self, name, content):
        path = self.folder / name
        path.write_bytes(content)
        return path

    def refusal(self, *arguments):
        """What processes say that have no result, without what the launcher says."""
        done = run(LAUNCHER, *arguments)
        self.assertNotEqual(done.returncode, 0)
        return done.stderr.decode().split("\n---")[0].strip()


class Sort(Ranks):
    def test_text_is_sorted_as_on_one_process(self):
        draw = random.Random(1)
        words = [repr(draw.choice([0.0, -0.0, draw.gauss(0, 1), draw.randint(-9, 9)]))
                 for _ in range(3000)] + ["nan", "-inf", "-nan", "inf", "5e-324"]
        draw.shuffle(words)
        numbers = self.write("numbers", ("x\n" + "\n".join(words)).encode())
        for options in ["--header", 1], ["--header", 1, "--type", "f32", "--descending"]:
            self.assertEqual(self.together("ravel-sort", "--mpi", numbers, "--check", *options),
                             self.alone("ravel-sort", numbers, *options))

    def test_bytes_are_sorted_as_on_one_process(self):
        draw = random.Random(2)
        values = array.array("i", (draw.randint(-2**31, 2**31 - 1) for _ in range(1001)))
        numbers = self.write("numbers", values.tobytes())
        sorted_values = array.array("i", sorted(values, reverse=True))
        self.assertEqual(self.together("ravel-sort", "--mpi", numbers, "--binary", "--type", "i32",
                                       "--descending"), sorted_values.tobytes())

    def test_random_numbers_do_not_depend_on_the_number_of_processes(self):
        options = "--generate", "10k", "--type", "u64", "--binary"
        self.assertEqual(self.together("ravel-sort", "--mpi", *options),
                         self.alone("ravel-sort", *options))

    def test_the_first_error_of_all_processes_is_one_sentence(self):
        good = "\n".join(map(str, range(1000)))
        numbers = self.write("numbers", f"{good}\n2 x\n{good}\ny\n".encode())
        old = self.write("out", b"old")
        said = self.refusal("ravel-sort", "--mpi", numbers, "-o", old)
        self.assertEqual(said, f"{numbers}:1001: 'x' is not a number")
        late = self.write("late", f"{good}\ny\n".encode())
        said = self.refusal("ravel-sort", "--mpi", late, "-o", old)
        self.assertEqual(said, f"{late}:1001: 'y' is not a number")
        self.assertEqual(old.read_bytes(), b"old")
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["late", "numbers", "out"])

    def test_files_that_cannot_be_written_are_one_sentence(self):
        numbers = self.write("numbers", b"1\n")
        path = self.folder / "absent" / "out"
        self.assertEqual(self.refusal("ravel-sort", "--mpi", numbers, "-o", path),
                         f"{path}: cannot be written: No such file or directory")


class Spmv(Ranks):
    """Products of integers are exact, and then have the same bits on any number of processes."""

    def matrix(self, rows, cols, entries, kind="integer general"):
        lines = "".join(f"{i + 1} {j + 1} {v}\n" for i, j, v in entries)
        return self.write("a.mtx", f"%%MatrixMarket matrix coordinate {kind}\n"
                                   f"{rows} {cols} {len(entries)}\n{lines}".encode())

    def test_exact_products_are_those_of_one_process(self):
        draw = random.Random(3)
        for rows, cols in (1, 40), (301, 77):
            a = self.matrix(rows, cols, [(draw.randrange(rows), draw.randrange(cols), draw.randint(-9, 9))
                                         for _ in range(5 * max(rows, cols))])  # some are given twice
            x = self.write("x", "".join(f"{draw.randint(-99, 99)}\n" for _ in range(cols)).encode())
            self.assertEqual(self.together("ravel-spmv", "--mpi", a, "--x", x, "--check"),
                             self.alone("ravel-spmv", a, "--x", x))

    def test_a_file_of_y_may_be_matrix_market(self):
        a = self.matrix(3, 2, [(0, 0, 2), (2, 1, 7)])
        y = self.folder / "y.mtx"
        done = run(LAUNCHER, "ravel-spmv", "--mpi", a, "--x", "ones", "-o", y)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        self.assertEqual(y.read_text(), "%%MatrixMarket matrix array real general\n3 1\n2\n0\n7\n")

    def test_the_report_is_that_of_one_process(self):
        options = "--generate", "stencil27:9", "--x", "ones", "--check", "--json"
        reports = []
        for launcher, flags in ([], []), (LAUNCHER, ["--mpi"]):
            done = run(launcher, "ravel-spmv", *flags, *options)
            self.assertEqual(done.returncode, 0, done.stderr.decode())
            reports.append(json.loads(done.stdout))
        alone, together = reports
        self.assertEqual(together.pop("ranks"), 2)
        self.assertEqual(together.pop("algorithm"), "plan")
        for key in "algorithm", "seconds", "gflops", "gbytes_per_s":
            alone.pop(key), together.pop(key, None)
        self.assertEqual(together, alone)

    def test_errors_are_one_sentence(self):
        a = self.write("a.mtx", b"%%MatrixMarket matrix coordinate real general\n2 2 1\n1 3 5\n")
        said = f"{a}:3: the column is 3, and the matrix has 2"
        self.assertEqual(self.refusal("ravel-spmv", "--mpi", a), said)
        a = self.matrix(2, 2, [(0, 1, 5)])
        x = self.write("x", b"1\n")
        self.assertEqual(self.refusal("ravel-spmv", "--mpi", a, "--x", x),
                         f"{x}: x has 1 numbers, and the matrix 2 columns")
        a = self.matrix(1, 1, [(0, 0, "1 2")], "complex general")
        self.assertEqual(self.refusal("ravel-spmv", "--mpi", a), "ravel-spmv: --mpi multiplies real matrices")
        self.assertIn("no pipes", self.refusal("ravel-spmv", "--mpi"))
        self.assertIn("--mpi multiplies in f64", self.refusal("ravel-spmv", "--mpi", a, "--type", "f32"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
