#!/usr/bin/env python3
"""ravel-spmv as its users meet it: products of real matrices against their references, bad
files, exit codes, and what it writes.

    spmv_test.py PROGRAM CSR_BYTES [DATA]

CSR_BYTES writes the rows of a matrix as they are in memory.  DATA is a folder with the
reference data; without it the tests that want it skip.
"""

import concurrent.futures
import csv
import hashlib
import itertools
import json
import math
import os
import subprocess
import sys
import tempfile
import unittest

PROGRAM, CSR_BYTES = sys.argv[1:3]
DATA = sys.argv[3] if len(sys.argv) > 3 else ""


def run(*arguments, given=None):
    return subprocess.run([PROGRAM, *arguments], input=given, capture_output=True, text=True, timeout=120)


def product(*arguments, given=None):
    done = run(*arguments, "--device", "cpu", "--check", "--json", given=given)
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return json.loads(done.stdout)


def at_once(f, cases):
    """Each case with f of it; several run in parallel, as a case waits for a program."""
    cases = list(cases)
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        yield from zip(cases, pool.map(f, cases))


def rows_of(*arguments):
    return subprocess.run([CSR_BYTES, *arguments], stdout=subprocess.PIPE, check=True, timeout=120).stdout


def md5(data):
    return hashlib.md5(data).hexdigest()


def references(name):
    with open(os.path.join(DATA, name), newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


SMALL = "%%MatrixMarket matrix coordinate real general\n2 3 3\n1 1 2\n1 3 3\n2 2 4\n"


@unittest.skipUnless(os.path.isdir(os.path.join(DATA, "matrices")), "no reference data")
class RealMatrices(unittest.TestCase):
    def test_every_matrix_has_its_reference_product(self):
        multiplied = lambda row: product(os.path.join(DATA, "matrices", row["file"]))
        for row, got in at_once(multiplied, references("expected.tsv")):
            with self.subTest(row["file"]):
                for key in ("rows", "cols", "stored", "nnz", "explicit_zeros", "empty_rows", "longest_row"):
                    self.assertEqual(got[key], int(row[key]), key)
                allowed = 2.0**-52 * (int(row["rows"]) + int(row["longest_row"])) * float(row["abs_sum"])
                for key in ("sum_y", "sum_y_imag", "norm2_y", "maxabs_y"):
                    self.assertLessEqual(abs(got[key] - float(row[key])), allowed, key)

    def test_every_matrix_has_its_reference_rows(self):
        read = lambda row: rows_of(os.path.join(DATA, "matrices", row["file"]))
        for row, got in at_once(read, references("expected.tsv")):
            columns = 8 * (int(row["rows"]) + 1)
            values = columns + 8 * int(row["nnz"])
            for name, part in ("rowptr", got[:columns]), ("colidx", got[columns:values]), ("values", got[values:]):
                with self.subTest(row["file"], part=name):
                    self.assertEqual(md5(part), row[name + "_md5"])

    def test_every_awkward_file_is_taken_or_refused(self):
        read = lambda row: run(os.path.join(DATA, "parser", row["file"]), "--device", "cpu", "--json")
        for row, done in at_once(read, references("expected_parser.tsv")):
            with self.subTest(row["file"]):
                if row["verdict"] == "reject" or done.returncode != 0 and row["verdict"] == "choice":
                    self.assertEqual(done.returncode, 2)
                    self.assertRegex(done.stderr, rf"{row['file']}:\d+: .+")
                    self.assertEqual(done.stdout, "")
                else:
                    self.assertEqual(done.returncode, 0, done.stderr)
                    got = json.loads(done.stdout)
                    for key in ("rows", "cols", "nnz"):
                        self.assertEqual(got[key], int(row[key]), key)


class Products(unittest.TestCase):
    def test_the_rows_of_generated_matrices(self):
        cases = (
            ("stencil27:16", 4096, "6b3ba79dfaccd69950329730f7dfdb08"),
            ("stencil5:100", 10000, "c0121a9420902f9cff827dbafdc2a354"),
            ("rmat:10,16", 1024, "b43adbf6a6d62230dcdbd9d403414362"),
            ("rmat:14,16", 16384, "c9267afb8373fdcbf7c0ae16e94a17df"),
            ("arrow:10000", 10000, "a48d83b5ee07d4f7796f3d7b56ab015c"),
        )
        for (what, rows, expected), got in at_once(lambda case: rows_of("--generate", case[0]), cases):
            with self.subTest(what):
                offsets = 8 * (rows + 1)
                self.assertEqual(md5(got[: offsets + (len(got) - offsets) // 2]), expected)

    def test_of_generated_matrices(self):
        cases = (
            ("stencil27:16", 4096, 97336, 27, 0, 88.8303563872),
            ("stencil5:100", 10000, 49600, 5, 0, 6.30091260171),
            ("rmat:10,16", 1024, 12168, 349, 207, 723.842417483),
            ("arrow:10000", 10000, 29998, 10000, 0, -9988.21239396),
            ("arrow:1", 1, 1, 1, 0, 2.0),
        )
        for (what, rows, nnz, longest, empty, total), got in at_once(lambda case: product("--generate", case[0]), cases):
            with self.subTest(what):
                self.assertEqual(
                    [got[key] for key in ("rows", "nnz", "longest_row", "empty_rows")], [rows, nnz, longest, empty])
                self.assertAlmostEqual(got["sum_y"], total, delta=1e-7 * abs(total))
                self.assertTrue(got["checked"])

    def test_each_algorithm(self):
        cases = itertools.product(("stencil27:16", "rmat:10,16", "arrow:10000", "arrow:1"), ("auto", "merge", "plan", "blocks", "scan", "rows"))
        for (what, how), got in at_once(lambda case: product("--generate", case[0], "--algorithm", case[1]), cases):
            with self.subTest(what, algorithm=how):
                self.assertEqual(got["algorithm"], "merge" if how == "auto" else how)
                self.assertTrue(got["checked"])
        got = product("-", "--algorithm", "scan", given="%%MatrixMarket matrix coordinate real general\n3 3 0\n")
        self.assertEqual((got["nnz"], got["maxabs_y"]), (0, 0.0))

    def test_preparation_is_reported_with_its_cost(self):
        for how in "plan", "blocks":
            with self.subTest(how):
                call = ("--generate", "rmat:10,16", "--algorithm", how)
                got = product(*call, "--type", "f32", "--bench")
                self.assertGreater(got["seconds_to_prepare"], 0)
                gained = got["seconds_without"] - got["seconds"]
                if gained > 0:
                    self.assertEqual(got["pays_after"], math.ceil(got["seconds_to_prepare"] / gained))
                else:
                    self.assertIsNone(got["pays_after"])
                self.assertGreater(got["copy_fraction"], 0)
                done = run(*call, "--device", "cpu", "--repeat", "1")
                self.assertRegex(done.stderr, r"prepared in .* ms, which .*products.*: one without takes .* ms")
                self.assertEqual(done.stdout, "")
                once = product(*call)
                self.assertGreater(once["seconds_to_prepare"], 0)
                self.assertNotIn("seconds_without", once)
                self.assertIsNone(once["copy_fraction"])
        self.assertNotIn("pays_after", product("--generate", "rmat:10,16"))

    def test_in_single_precision(self):
        got = product("--generate", "stencil27:16", "--type", "f32")
        self.assertAlmostEqual(got["sum_y"], 88.83, delta=0.1)
        self.assertEqual(got["type"], "f32")

    def test_of_standard_input_with_x_and_y_in_files(self):
        with tempfile.TemporaryDirectory() as folder:
            x, y = os.path.join(folder, "x"), os.path.join(folder, "y")
            with open(x, "w") as file:
                file.write("1 10\n100\n")
            done = run("--x", x, "-o", y, "--check", "--device", "cpu", given=SMALL)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(y) as file:
                self.assertEqual([float(word) for word in file.read().split()], [302.0, 40.0])

    def test_x_and_y_are_matrix_market_files_too(self):
        complex_matrix = "%%MatrixMarket matrix coordinate complex general\n2 2 2\n1 1 2 1\n2 2 0 4\n"
        cases = (
            ("real", SMALL.replace("2 3 3", "3 3 3"), "1\n-2\n0.5\n", "3.5\n-8\n0\n"),
            ("complex", complex_matrix, "1 0\n0 1\n", "2 1\n-4 0\n"),
        )
        for field, matrix, x, y in cases:
            with self.subTest(field), tempfile.TemporaryDirectory() as folder:
                heading = f"%%MatrixMarket matrix array {field} general\n{x.count(chr(10))} 1\n"
                given, out = os.path.join(folder, "x.mtx"), os.path.join(folder, "y.mtx")
                with open(given, "w") as file:
                    file.write(heading + x)
                done = run("--x", given, "-o", out, "--check", "--device", "cpu", given=matrix)
                self.assertEqual(done.returncode, 0, done.stderr)
                with open(out) as file:
                    self.assertEqual(file.read(), heading + y)
                done = run("--x", out, "--device", "cpu", given=matrix)  # y is read as x
                self.assertEqual(done.returncode, 0, done.stderr)

    def test_writes_y_alone_to_standard_output(self):
        done = run("--x", "ones", "--device", "cpu", given=SMALL)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len([float(line) for line in done.stdout.splitlines()]), 2)
        self.assertIn("sum of y", done.stderr)

    def test_adds_up_what_is_given_twice(self):
        got = product("-", given=SMALL.replace("2 3 3", "2 3 4") + "1 1 5\n")
        self.assertEqual((got["stored"], got["nnz"]), (4, 3))
        self.assertEqual(got["maxabs_y"], 8.0)

    def test_integers_that_coincide_are_added_exactly(self):
        def of(field, values, *arguments):
            body = "".join(f"1 1 {value}\n" for value in values)
            return product("-", *arguments, given=f"%%MatrixMarket matrix coordinate {field} general\n1 1 {len(values)}\n{body}")

        big = 2**53
        self.assertEqual(of("integer", [big, 1, 1])["sum_y"], big + 2)  # in doubles, 2^53 + 1 is 2^53
        self.assertEqual(of("integer", [2**63 - 1, 2**63 - 1, -(2**63), -(2**63), 5])["sum_y"], 3)
        self.assertEqual(of("unsigned", [2**64 - 1, 2**64 - 1, 1, 1])["sum_y"], 2.0**65)
        self.assertEqual(of("integer", [2**24, 1, 1], "--type", "f32")["sum_y"], 2**24 + 2)
        self.assertEqual(of("pattern", [""] * 3)["sum_y"], 3)
        self.assertEqual(of("integer", [2**24] + [1] * 4, "--type", "f32")["sum_y"], 2**24 + 4)
        self.assertEqual(of("real", [0.5, 0.25])["sum_y"], 0.75)

    def test_what_is_not_finite_is_a_string_in_json(self):
        of = lambda value: product("-", given=f"%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 {value}\n2 2 5\n")
        got = of("nan")
        self.assertEqual([got[key] for key in ("sum_y", "norm2_y", "maxabs_y")], ["nan"] * 3)
        got = of("-inf")
        self.assertEqual([got[key] for key in ("sum_y", "norm2_y", "maxabs_y")], ["-inf", "inf", "inf"])
        self.assertEqual(of("-7")["maxabs_y"], 7)
        done = run("-", "--device", "cpu", given="%%MatrixMarket matrix array real general\n1 2\nnan\n1\n")
        self.assertIn("largest nan", done.stderr)


class OtherReaders(unittest.TestCase):
    """What scipy and CHOLMOD read too, and --strict refuses."""

    def expect(self, matrix, y, strict, warning=None, arguments=()):
        done = run("--x", "ones", "--check", *arguments, "--device", "cpu", given=matrix)
        self.assertEqual((done.returncode, done.stdout.split()), (0, y.split()), done.stderr)
        self.assertEqual(done.stderr.splitlines()[0] == warning, warning is not None, done.stderr)
        done = run("--strict", *arguments, "--device", "cpu", given=matrix)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertEqual(done.stderr, strict + "\n")

    def test_the_upper_triangle(self):
        above = "-:3: an entry above the diagonal, where symmetry already gives one"
        for what, y in ("real symmetric", "5 3 1"), ("real skew-symmetric", "5 -3 -2"):
            entries = "1 2 3\n1 3 2\n" if "skew" in what else "1 2 3\n1 3 1\n1 1 1\n"
            count = entries.count("\n")
            self.expect(f"%%MatrixMarket matrix coordinate {what}\n3 3 {count}\n{entries}", y, above)
        self.expect("%%MatrixMarket matrix coordinate complex hermitian\n2 2 1\n1 2 1 2\n", "1 2 1 -2", above)

        done = run("--device", "cpu", given="%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n2 1 1\n1 2 1\n")
        self.assertEqual((done.returncode, done.stderr), (2, above.replace(":3", ":4") + "\n"))

    def test_comments_after_an_entry(self):
        self.expect(SMALL.replace("1 3 3", "1 3 3 % three"), "5 4", "-:4: '%' is too much on the line of an entry")
        self.expect(SMALL.replace("1 3 3", "1 3 3 %three"), "5 4", "-:4: '%three' is too much on the line of an entry")
        self.expect(SMALL.replace("2 3 3", "2 3 3 % sizes"), "5 4", "-:2: '%' is too much in the size line")

    def test_values_out_of_range(self):
        reason = "-:4: the value '1e400' is too large"
        self.expect(SMALL.replace("1 3 3", "1 3 1e400"), "inf 4", reason, reason + ", and becomes infinite")
        reason = "-:4: the value '-1e39' is out of range for f32"
        self.expect(SMALL.replace("1 3 3", "1 3 -1e39"), "-inf 4", reason, reason + ", and becomes infinite", ("--type", "f32"))
        done = run("--quiet", "--device", "cpu", given=SMALL.replace("1 3 3", "1 3 1e400"))
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_a_byte_order_mark(self):
        done = run("--x", "ones", "--strict", "--device", "cpu", given="\ufeff" + SMALL)
        self.assertEqual((done.returncode, done.stdout), (0, "5\n4\n"), done.stderr)


class Refusals(unittest.TestCase):
    def expect_refused(self, sentence, *arguments, given=None):
        done = run(*arguments, given=given)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertRegex(done.stderr, sentence)
        self.assertEqual(done.stdout, "")

    def test_name_file_and_line(self):
        self.expect_refused(r"-:4: ", "-", given=SMALL.replace("1 3 3", "1 4 3"))

    def test_of_arguments(self):
        self.expect_refused("-:1: the file is empty", given="")
        self.expect_refused("FILE excludes --generate", "a.mtx", "--generate", "arrow:3")
        self.expect_refused("--generate takes", "--generate", "circle:3")
        for what in "stencil27:x", "stencil5", "stencil5:", "stencil5:5,", "rmat:4", "rmat:4,,4", "arrow:99999999999999999999", "arrow:-1", "arrow:0":
            self.expect_refused("--generate takes", "--generate", what)
        self.expect_refused("no/such/file", "no/such/file")
        self.expect_refused("--type", "--type", "f16", "--generate", "arrow:3")
        self.expect_refused("--algorithm", "--algorithm", "fast", "--generate", "arrow:3")

    def test_of_numbers_out_of_range(self):
        with_value = SMALL.replace("1 3 3", "1 3 1e39")
        self.expect_refused(r"-:4: the value '1e39' is out of range for f32", "--strict", "--type", "f32", given=with_value)
        for field, value in ("integer", 2**63), ("unsigned", 2**64):
            self.expect_refused(f"-:3: the value '{value}' is too large", given=f"%%MatrixMarket matrix coordinate {field} general\n1 1 1\n1 1 {value}\n")
        self.assertEqual(product("-", given=with_value)["type"], "f64")
        self.assertEqual(product("-", "--type", "f32", given=SMALL.replace("1 3 3", "1 3 3.4028235e38"))["type"], "f32")
        self.assertEqual(product("-", "--type", "f32", given=SMALL.replace("1 3 3", "1 3 1e-99"))["type"], "f32")
        self.assertEqual(product("-", "--type", "f32", given=SMALL.replace("1 3 3", "1 3 inf"))["maxabs_y"], "inf")
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as x:
            x.write("1 2\n1e39")
            x.flush()
            self.expect_refused(r"\.txt:2: '1e39' does not fit a number of 32 bits", "-", "--type", "f32", "--x", x.name, given=SMALL)

    def test_of_sizes_that_cannot_be(self):
        for rows, columns in (2**63 - 1, 0), (0, 2**63 - 1), (2**60, 1), (2**63, 1), (10**30, 1), (-1, 1), (2**40, 2**40), (2**59, 1):
            given = f"%%MatrixMarket matrix coordinate real general\n%\n{rows} {columns} 0\n"
            self.expect_refused(r"^-:3: [^\n]+\n$", "-", given=given)
        for rows, columns in (2**40, 2**40), (2**62, 2):
            given = f"%%MatrixMarket matrix array real general\n{rows} {columns}\n"
            self.expect_refused(r"^-:2: [^\n]+\n$", "-", given=given)

    def test_of_an_x_that_does_not_fit(self):
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as x:
            x.write("1 2")
            x.flush()
            self.expect_refused("x has 2 numbers", "-", "--x", x.name, given=SMALL)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
