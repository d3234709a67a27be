#!/usr/bin/env python3
"""Drives ravel-sort and ravel-words as their users do.

usage: sort_test.py FOLDER-OF-PROGRAMS FOLDER-OF-DATA

Where the data are absent, their cases are skipped.
"""

import array
import collections
import concurrent.futures
import csv
import functools
import gzip
import hashlib
import itertools
import json
import math
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import unittest

PROGRAMS = pathlib.Path(sys.argv[1])
DATA = pathlib.Path(sys.argv[2])
CODES = {"u32": "I", "u64": "Q", "i32": "i", "i64": "q", "f32": "f", "f64": "d"}


def run(program, *arguments, stdin=b""):
    return subprocess.run(
        [PROGRAMS / program, *map(str, arguments), "--device", "cpu"],
        input=stdin, capture_output=True, timeout=120)


def sort(*arguments, stdin=b""):
    """The standard output of a run that must succeed."""
    done = run("ravel-sort", *arguments, stdin=stdin)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


def lines(text, *arguments):
    """The lines of a text, sorted."""
    return sort("-", "--type", "text", "--check", *arguments, stdin=text)


def numbers(output, type="f64"):
    values = array.array(CODES[type])
    values.frombytes(output)
    return values.tolist()


def splitmix64(seed, i):
    mask = 2**64 - 1
    z = seed + (i + 1) * 0x9E3779B97F4A7C15 & mask
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & mask
    z = (z ^ z >> 27) * 0x94D049BB133111EB & mask
    return z ^ z >> 31


@functools.cache
def words_of(seed):
    return [splitmix64(seed, i) for i in range(20_000)]


def md5(data):
    return hashlib.md5(data).hexdigest()


def expected(table, name):
    with open(DATA / table, newline="") as file:
        return next(row for row in csv.DictReader(file, delimiter="\t") if row["file"] == name)


class Cases(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, content):
        path = self.folder / name
        path.write_bytes(content)
        return path

    def each(self, cases, check):
        """check(*case) for each case, several in parallel, as a case mostly waits for programs."""
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            for case, done in [(case, pool.submit(check, *case)) for case in cases]:
                with self.subTest(case=case):
                    done.result()


class Sort(Cases):
    def test_text(self):
        self.assertEqual(sort("-", stdin=b"3 -1,2\n10\n"), b"-1\n2\n3\n10\n")
        self.assertEqual(sort("-", "--descending", stdin=b"3 -1,2\n10\n"), b"10\n3\n2\n-1\n")
        self.assertEqual(sort("-", "--argsort", stdin=b"3 -1,2\n10\n"), b"1\n2\n0\n3\n")
        self.assertEqual(sort("-", "--argsort", "--descending", stdin=b"1 2 1 2"), b"1\n3\n0\n2\n")
        self.assertEqual(sort("-", stdin=b""), b"")
        self.assertEqual(sort("-", "--column", 2, stdin=b"a,3\nb,1\nc,2"), b"1\n2\n3\n")
        self.assertEqual(sort("-", "--type", "i64", stdin=b"9007199254740993 9007199254740992"),
                         b"9007199254740992\n9007199254740993\n")
        self.assertEqual(sort("-", "--type", "f32", stdin=b"0.1 1e20 0.30000001"),
                         b"0.1\n0.3\n1e+20\n")

    def test_order_of_zeros_and_nans(self):
        text = b"nan 0 -inf -0 -nan inf 1 -0 0 -1"
        self.assertEqual(sort("-", "--check", stdin=text).split(),
                         [b"-inf", b"-1", b"0", b"-0", b"-0", b"0", b"1", b"inf", b"nan", b"-nan"])
        self.assertEqual(sort("-", "--check", "--argsort", "--descending", stdin=text).split(),
                         b"0 4 5 6 1 3 7 8 9 2".split())

    def test_binary(self):
        def check(type, code):
            values = [3, 0, 7, 5, 2**31 - 256]
            if not type.startswith("u"):
                values += [-1, -2**31]
            path = self.write(type, array.array(code, values).tobytes())
            self.assertEqual(numbers(sort(path, "--binary", "--type", type), type), sorted(values))
            order = numbers(sort(path, "--binary", "--type", type, "--argsort"), "i64")
            self.assertEqual([values[i] for i in order], sorted(values))
            out = self.folder / f"sorted {type}"
            self.assertEqual(sort(path, "--binary", "--type", type, "-o", out), b"")
            self.assertEqual(numbers(out.read_bytes(), type), sorted(values))

        self.each(CODES.items(), check)

    def test_gzip(self):
        self.assertEqual(sort(self.write("a.gz", gzip.compress(b"2\n1\n"))), b"1\n2\n")

    def test_generated_numbers(self):
        def check(seed, type):
            words = words_of(seed)
            values = {
                "u64": lambda: words,
                "i64": lambda: [w - 2**64 if w >> 63 else w for w in words],
                "u32": lambda: [w >> 32 for w in words],
                "i32": lambda: [(w >> 32) - 2**32 if w >> 63 else w >> 32 for w in words],
                "f64": lambda: [math.ldexp(w >> 11, -53) for w in words],
                "f32": lambda: [math.ldexp(w >> 40, -24) for w in words],
            }[type]()
            options = ("--generate", len(words), "--seed", seed, "--type", type, "--check")
            self.assertEqual(numbers(sort(*options, "--binary"), type), sorted(values))
            order = sorted(range(len(values)), key=values.__getitem__)
            self.assertEqual([int(i) for i in sort(*options, "--argsort").split()], order)

        self.each(itertools.product((1, 42), CODES), check)

    def test_every_algorithm(self):
        text = b"nan 0 -inf -0 -nan inf 1 -0 0 -1"
        up = [b"-inf", b"-1", b"0", b"-0", b"-0", b"0", b"1", b"inf", b"nan", b"-nan"]
        values = [word >> 32 for word in words_of(3)]
        order = sorted(range(len(values)), key=values.__getitem__)

        def check(algorithm):
            options = ("--algorithm", algorithm, "--check")
            self.assertEqual(sort("-", *options, stdin=text).split(), up)
            self.assertEqual(sort("-", *options, "--argsort", "--descending", stdin=text).split(),
                             b"0 4 5 6 1 3 7 8 9 2".split())
            self.assertEqual(sort("-", *options, stdin=b""), b"")
            made = ("--generate", len(values), "--seed", 3, "--type", "u32", *options)
            self.assertEqual([int(i) for i in sort(*made, "--argsort").split()], order)
            self.assertEqual(numbers(sort(*made, "--binary"), "u32"), sorted(values))
            report = json.loads(sort("--generate", 100, "--json", *options))
            self.assertEqual(report["algorithm"], algorithm.replace("auto", "radix"))

        self.each([("auto",), ("radix",), ("merge",), ("sample",), ("quick",)], check)

    def test_sample_sort_of_whatever_a_sample_may_miss(self):
        n = 50_000
        cases = {
            "all equal": [7] * n,
            "few different": [splitmix64(1, i) % 3 for i in range(n)],
            "sorted": list(range(n)),
            "reversed": list(range(n, 0, -1)),
            "organ pipe": [min(i, n - i) for i in range(n)],
            "one smaller": [9] * (n - 1) + [1],
        }

        def check(name, algorithm):
            given = array.array("I", cases[name]).tobytes()
            done = sort("-", "--binary", "--type", "u32", "--algorithm", algorithm, "--argsort",
                        "--check", stdin=given)
            self.assertEqual(len(done), 8 * n)

        self.each(itertools.product(cases, ("sample", "quick")), check)

    def test_pairs(self):
        table = b"2 10\n1 11\n2,12\n-0.5 13\n1 -14\n"

        def check(algorithm):
            options = ("-", "--pairs", "--check", "--algorithm", algorithm)
            self.assertEqual(sort(*options, stdin=table),
                             b"-0.5 13\n1 11\n1 -14\n2 10\n2 12\n")
            self.assertEqual(sort(*options, "--descending", stdin=table),
                             b"2 10\n2 12\n1 11\n1 -14\n-0.5 13\n")

        self.each([("auto",), ("merge",), ("sample",), ("quick",)], check)
        self.assertEqual(sort("-", "--pairs", stdin=b""), b"")
        pairs = sort("--generate", 5000, "--pairs", "--type", "i32", "--check").split()
        places = sort("--generate", 5000, "--argsort", "--type", "i32").split()
        self.assertEqual(pairs[1::2], places)
        self.assertIs(json.loads(sort("--generate", 5, "--pairs", "--json"))["pairs"], True)

    def test_report(self):
        for arguments in (), ("--argsort",), ("--pairs",), ("--type", "f32", "--descending", "--threads", 2):
            with self.subTest(arguments=arguments):
                report = json.loads(sort("--generate", 5000, "--check", "--bench", "--json", *arguments))
                self.assertEqual(report["n"], 5000)
                self.assertEqual(report["type"], "f32" if "f32" in arguments else "f64")
                self.assertEqual(report["device"], "cpu")
                self.assertGreater(report["seconds"], 0)
                self.assertAlmostEqual(report["keys_per_s"] * report["seconds"] / 5000, 1)
                self.assertGreater(report["copy_fraction"], 0)
                self.assertIs(report["checked"], True)
        once = json.loads(sort("--generate", 5, "--json"))
        self.assertIs(once["checked"], False)
        self.assertIsNone(once["copy_fraction"])
        self.assertEqual(json.loads(sort("-", "--json", "--check"))["n"], 0)
        out = self.folder / "out"
        sort("--generate", 3, "--json", "-o", out)
        self.assertEqual(len(out.read_text().split()), 3)

    def test_refusals(self):
        path = self.write("bad.txt", b"1\n2\n3 4x\n")

        def check(arguments, sentence):
            done = run("ravel-sort", *arguments)
            self.assertEqual(done.returncode, 2)
            self.assertEqual(done.stdout, b"")
            self.assertIn(sentence, done.stderr.decode())

        self.each([
            ((path,), f"{path}:3: '4x' is not a number; --type text sorts words\n"),
            ((path, "--type", "u32", "--column", 2), f"{path}:1: there is no column 2"),
            ((path, "--binary"), f"{path}: 9 bytes are not a whole number"),
            ((self.folder / "absent",), f"{self.folder}/absent: cannot be opened"),
            ((self.folder,), f"{self.folder}: cannot be read: Is a directory"),
            ((path, "--json", "-o", "-"), "both want standard output"),
            ((path, "--generate", 3), "FILE excludes --generate"),
            (("--generate", -3), "--generate"),
            (("--generate", 3, "--type", "f16"), "--type"),
            (("--generate", 3, "--column", 0), "--column"),
            (("--generate", 3, "--binary", "--column", 1), "--column"),
            (("--generate", 3, "--json", "-o", "-"), "standard output"),
            (("--generate", 3, "-o", "/no/such/folder/f"), "/no/such/folder/f: cannot be written"),
            (("--generate", 3, "--no-such-option"), "no-such-option"),
            (("--generate", 3, "--algorithm", "bogo"), "--algorithm"),
            (("--generate", 3, "--pairs", "--argsort"), "--argsort"),
            (("--generate", 3, "--pairs", "--binary"), "--binary"),
            ((path, "--pairs"), f"{path}:1: there is no column 2"),
        ], check)

    def test_help(self):
        done = run("ravel-sort", "--help")
        self.assertEqual(done.returncode, 0)
        self.assertIn(b"--argsort", done.stdout)


@unittest.skipUnless((DATA / "expected_keys.tsv").exists(), f"no reference data in {DATA}")
class Reference(Cases):
    def test_keys(self):
        name = "susy_1000x8.csv"
        path = DATA / "keys" / name
        row = expected("expected_keys.tsv", name)
        values = [float(x) for x in sort(path).split()]
        self.assertEqual(len(values), int(row["values"]))
        self.assertEqual(md5(array.array("d", values).tobytes()), row["sorted_md5"])
        order = [int(i) for i in sort(path, "--argsort", "--check").split()]
        self.assertEqual(md5(array.array("q", order).tobytes()), row["stable_argsort_md5"])

        # The same numbers as bytes, and their columns one by one.
        with open(path, newline="") as file:
            rows = [[float(x) for x in line] for line in csv.reader(file)]
        raw = array.array("d", sum(rows, [])).tobytes()
        self.assertEqual(md5(sort("-", "--binary", stdin=raw)), row["sorted_md5"])
        self.assertEqual(md5(sort("-", "--binary", "--argsort", stdin=raw)),
                         row["stable_argsort_md5"])

        def check(k):
            column = [float(x) for x in sort(path, "--column", k + 1).split()]
            self.assertEqual(column, sorted(line[k] for line in rows))

        self.each([(k,) for k in range(len(rows[0]))], check)

    def test_lines(self):
        for name in "american-english.txt", "alice29.txt":
            with self.subTest(name=name):
                text = (DATA / "text" / name).read_bytes().replace(b"\r\n", b"\n")
                row = expected("expected_text.tsv", name)
                self.assertEqual(md5(lines(text)), row["sorted_lines_md5"])
                words = b"\n".join(text.split())
                self.assertEqual(md5(lines(words)), row["sorted_words_md5"])

    def test_words(self):
        for name in "american-english.txt", "alice29.txt":
            with self.subTest(name=name):
                row = expected("expected_text.tsv", name)
                done = run("ravel-words", DATA / "text" / name, "--check", "--top", 1)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(done.stdout.decode(),
                                 f"{row['its_count']} {row['most_frequent_word']}\n")
                report = json.loads(run("ravel-words", DATA / "text" / name, "--json").stdout)
                self.assertEqual(report["words"], int(row["words"]))
                self.assertEqual(report["distinct"], int(row["distinct_words"]))


class Words(unittest.TestCase):
    def test_many(self):
        """Words that occur about once, which are sorted, and more often, which are hashed."""
        for often in 1, 3:
            with self.subTest(often=often):
                words = [b"%017x" % (splitmix64(5, i) // (i % 1000 != 0 or 2**64)) for i in range(80_000)] * often
                done = run("ravel-words", stdin=b" \n".join(words))
                self.assertEqual(done.returncode, 0, done.stderr)
                counts = sorted(collections.Counter(words).items(), key=lambda pair: (-pair[1], pair[0]))
                self.assertEqual(done.stdout, b"".join(b"%d %s\n" % (count, word) for word, count in counts))


class Lines(unittest.TestCase):
    def agrees(self, text):
        by_sort = subprocess.run(["sort"], input=text, capture_output=True, check=True,
                                 env={**os.environ, "LC_ALL": "C"})
        self.assertEqual(lines(text), by_sort.stdout)
        by_sort = subprocess.run(["sort", "--reverse"], input=text, capture_output=True, check=True,
                                 env={**os.environ, "LC_ALL": "C"})
        self.assertEqual(lines(text, "--descending"), by_sort.stdout)

    def test_as_sort_does(self):
        self.agrees(b"")
        self.agrees(b"\n")
        self.agrees(b"\n\nb\na")
        self.agrees(b"b\r\na\nb\nab\n\xff\n\x7f\n\x80\na\tb\na b\n")
        self.agrees(b"a\0\na\na\0b\n\0\n\n\0\0\na\0\0\nabcdefg\0\nabcdefg\n")
        self.agrees(b"\n".join(b"%x" % (splitmix64(7, i) >> i % 61) for i in range(20000)))

    def test_long_lines(self):
        self.agrees(b"\n".join(b"x" * (i * 37 % 200) + b"%d" % (i % 7) for i in range(3000)))

    def test_places(self):
        self.assertEqual(lines(b"b\na\n\nb", "--argsort"), b"2\n1\n0\n3\n")
        self.assertEqual(lines(b"b\na\n\nb", "--argsort", "--descending"), b"0\n3\n1\n2\n")

    def test_report(self):
        report = json.loads(lines(b"b\na\n", "--json"))
        self.assertEqual((report["n"], report["type"]), (2, "text"))

    def test_what_is_for_numbers(self):
        for option in ("--binary",), ("--column", 1), ("--generate", 3), ("--algorithm", "merge"):
            done = run("ravel-sort", "-", "--type", "text", *option)
            self.assertEqual(done.returncode, 2)

    @unittest.skipUnless(os.path.exists("/usr/share/dict/words"), "no word list")
    def test_word_list(self):
        self.agrees(pathlib.Path("/usr/share/dict/words").read_bytes())

    @unittest.skipUnless((DATA / "text").exists(), f"no reference data in {DATA}")
    def test_reference_texts(self):
        for path in sorted((DATA / "text").iterdir()):
            with self.subTest(path=path):
                self.agrees(path.read_bytes())


class LikeSort(Cases):
    """What sort(1) does too."""

    def by_sort(self, *arguments):
        return subprocess.run(["sort", *map(str, arguments)], capture_output=True, check=True,
                              env={**os.environ, "LC_ALL": "C"}).stdout

    def test_several_files(self):
        a, b = self.write("a", b"b\na"), self.write("b.gz", gzip.compress(b"c\n\nab"))
        self.assertEqual(sort("--type", "text", a, b), b"\na\nab\nb\nc\n")
        self.assertEqual(sort("--type", "text", a, "-", stdin=b"aa"), b"a\naa\nb\n")
        c, d = self.write("c", b"3 1"), self.write("d", b"2")
        self.assertEqual(sort(c, d, "--argsort"), b"1\n2\n0\n")
        self.assertEqual(sort(c, d, c), b"1\n1\n2\n3\n3\n")
        wrong = self.write("wrong", b"\n5\nx")
        self.assertIn(f"{wrong}:3: 'x' is not a number".encode(), run("ravel-sort", c, wrong).stderr)
        raw = self.write("raw", array.array("I", [2, 1]).tobytes())
        cut = self.write("cut", b"12345")
        self.assertEqual(numbers(sort(raw, raw, "--binary", "--type", "u32"), "u32"), [1, 1, 2, 2])
        self.assertIn(f"{cut}: 5 bytes are not".encode(),
                      run("ravel-sort", cut, raw, "--binary", "--type", "u32").stderr)

    def test_unique(self):
        self.assertEqual(lines(b"b\na\nb\na\0\na\n", "-u"), b"a\na\0\nb\n")
        self.assertEqual(lines(b"b\na\nb\n", "-u", "-r"), b"b\na\n")
        self.assertEqual(sort("-u", stdin=b"2 -0 1 0 2 nan -nan"), b"-0\n1\n2\nnan\n")
        self.assertEqual(sort("-u", "--key", 1, stdin=b"2 x\n1 y\n2.0 z\n1 w\n"), b"1 y\n2 x\n")
        self.assertEqual(sort("-u", stdin=b""), b"")

    def test_lines_by_a_column(self):
        table = b'name,mass\n"b, c",10\n a ,9\n\n"b, c",-1\nz,1e1\n'
        by_mass = b'name,mass\n"b, c",-1\n a ,9\n"b, c",10\nz,1e1\n'
        self.assertEqual(sort("--header", 1, "-k", 2, "--check", stdin=table), by_mass)
        self.assertEqual(sort("--header", 1, "-k", 2, "--type", "text", "--check", stdin=table),
                         b'name,mass\n"b, c",-1\n"b, c",10\nz,1e1\n a ,9\n')
        self.assertEqual(sort("--header", 1, "-k", 1, "--type", "text", "-r", "--check", stdin=table),
                         b'name,mass\nz,1e1\n"b, c",10\n"b, c",-1\n a ,9\n')
        self.assertEqual(sort("-k", 2, "--type", "i32", "-r", stdin=b"a  1\nb\t-3\n"), b"a  1\nb\t-3\n")
        self.assertEqual(sort("-k", 1, stdin=b"\xef\xbb\xbf2\r\n1\r\n"), b"1\r\n\xef\xbb\xbf2\r\n")
        self.assertEqual(sort("-k", 1, "--argsort", stdin=b"nan\n\n-0\n0"), b"1\n2\n0\n")
        self.assertEqual(sort("--column", 2, "--header", 1, stdin=table), b"-1\n9\n10\n10\n")
        self.assertEqual(sort("-k", 1, "--type", "text", "--check", stdin=b"b,1\n,2\n\"\",3\na,4\n"),
                         b",2\n\"\",3\na,4\nb,1\n")
        for arguments, sentence in (
            (("-k", 2), b"-:1: 'mass' is not a number; --type text sorts words\n"),
            (("-k", 3, "--header", 1), b"-:2: there is no column 3, for the line has 2"),
            (("-k", 2, "--type", "i32", "--header", 1), b"-:6: '1e1' is not an integer"),
            (("-k", 2, "--column", 1), b"excludes"),
            (("-k", 2, "--pairs"), b"--pairs"),
        ):
            done = run("ravel-sort", *arguments, stdin=table)
            self.assertEqual((done.returncode, done.stdout), (2, b""))
            self.assertIn(sentence, done.stderr)

    def test_separators_of_columns(self):
        table = b'1;"a;b";2,5\n2; ;1\n'
        self.assertEqual(sort("-t", ";", "-k", 1, "-r", "--check", stdin=table), b'2; ;1\n1;"a;b";2,5\n')
        self.assertEqual(sort("-t;", "-k", 2, "--type", "text", stdin=table), b'2; ;1\n1;"a;b";2,5\n')
        self.assertEqual(sort("--separator", ";", "--column", 1, "-r", stdin=table), b"2\n1\n")
        self.assertEqual(sort("-t", "|", "--pairs", stdin=b"2|1\n1|2\n"), b"1 2\n2 1\n")
        for tab in "\t", "\\t":
            self.assertEqual(sort("-t", tab, "-k", 3, stdin=b"a\tb c\t2\n\t\t1\n"), b"\t\t1\na\tb c\t2\n")
        for arguments, sentence in (
            (("-t", ";", "-k", 3), b"-:1: '2,5' is not a number"),
            (("-t", ";", "-k", 2), b"-:1: 'a;b' is not a number"),
            (("-t", ";", "-k", 2, "--header", 1), b"-:2: column 2 is empty"),
            (("-t", ";;", "-k", 2), b"';;' is not one character"),
            (("-t", "", "-k", 2), b"'' is not one character"),
            (("-t", ";"), b"--separator is of the columns"),
        ):
            done = run("ravel-sort", *arguments, stdin=table)
            self.assertEqual((done.returncode, done.stdout), (2, b""), arguments)
            self.assertIn(sentence, done.stderr)

    def test_header_of_several_files(self):
        a, b = self.write("a", b"x\n2\n"), self.write("b", b"x\n1\n")
        for option in (), ("-m",), ("--memory", 1):
            self.assertEqual(sort("--type", "text", "--header", 1, a, b, *option), b"x\n1\n2\n")
        self.assertEqual(sort("--type", "text", "--header", 9, a, b), b"x\n2\n")
        for first in self.write("empty", b""), self.write("unended", b"x"):
            for option in (), ("-m",):
                self.assertEqual(sort("--type", "text", "--header", 1, first, b, *option), b"x\n1\n")

    def test_is_sorted(self):
        cases = (
            (("--type", "text"), b"a\nb\nb\n", None, b":3: disorder: 'b'"),
            (("--type", "text"), b"b\na\nb\n", b":2: disorder: 'a'", b":2: disorder: 'a'"),
            (("--type", "text", "-r"), b"b\na\n", None, None),
            (("-k", "2"), b"x 9\nx 10\n", None, None),
            (("-k", "2", "--type", "text"), b"x 9\n\nx 10\n", b":3: disorder: 'x 10'", b":3: disorder"),
            ((), b"1 2\n2 3", None, b": disorder: number 3 is 2"),
            (("--type", "i32"), b"1 3 2", b": disorder: number 3 is 2", b": disorder: number 3 is 2"),
            (("--type", "text"), b"", None, None),
            (("--type", "text"), b"\n\na\n", None, b":2: disorder: ''"),
            # lines that are longer than what is read at a time, and blank ones between that are skipped
            (("--type", "text"), 3 * (b"x" * 300000 + b"\n") + b"b\n", b":4: disorder: 'b'", b":2: disorder"),
            (("-k", "1"), b"1\n" + b"\n" * 600000 + b"2\n" + b"\n" * 600000 + b"1\n", b":1200003: disorder", b":1200003: disorder"),
        )
        for arguments, text, any, unique in cases:
            for option, disorder in (("-c",), any), (("-c", "-u"), unique):
                with self.subTest(arguments=arguments, text=text, option=option):
                    done = run("ravel-sort", *arguments, *option, stdin=text)
                    self.assertEqual((done.returncode, done.stdout), (1 if disorder else 0, b""))
                    self.assertIn(disorder or b"", done.stderr)
                    self.assertEqual(run("ravel-sort", *arguments, *option, "-q", stdin=text).stderr, b"")
        self.assertEqual(run("ravel-sort", "-c", "--type", "text", "a", "b").returncode, 2)

    def test_merge(self):
        parts = [self.write(str(k), b"".join(b"%d\n" % i for i in sorted(range(k, 500 * (k + 1), 7), key=str)))
                 for k in range(5)]
        self.assertEqual(sort("--type", "text", "-m", *parts), self.by_sort("-m", *parts))
        self.assertEqual(sort("--type", "text", "-m", "-u", *parts), self.by_sort("-m", "-u", *parts))
        a, b = self.write("a", b"1 a\n2 a"), self.write("b", b"1 b\n1.5 b\n")
        self.assertEqual(sort("-k", 1, "-m", b, a), b"1 b\n1 a\n1.5 b\n2 a\n")
        self.assertEqual(sort("-m", self.write("n", b"1 3"), self.write("m", b"2 4")), b"1\n2\n3\n4\n")
        a.write_bytes(b"1 a\n2 x\n")
        sort("--type", "text", "-m", a, b, "-o", a)  # over an input
        self.assertEqual(a.read_bytes(), b"1 a\n1 b\n1.5 b\n2 x\n")

    def test_beyond_memory(self):
        text = b"".join(b"%x %d\n" % (splitmix64(9, i) >> i % 61, splitmix64(9, i) % 1000) for i in range(20_000))
        text += (b"x" * 50_000 + b" 7\n\n") * 3
        path = self.write("text", text)
        packed = self.write("packed", gzip.compress(text))
        table = self.write("table", text.replace(b"\n\n", b"\n"))
        binary = self.write("binary", array.array("I", [w >> 50 for w in words_of(4)]).tobytes())
        cases = [
            (path, "--type", "text"), (packed, path, "--type", "text"), (path, "--type", "text", "-r"),
            (path, "--type", "text", "-u"), (table, "-k", 2), (table, "-k", 2, "-r"), (table, "-k", 2, "-u"),
            (table, "-k", 2, "--type", "u32"), (table, "-k", 2, "--type", "text"), (table, "--column", 2),
            (table, "--column", 2, "-r"), (table, table, "--column", 2, "-u"), (binary, "--binary", "--type", "u32"),
            (binary, binary, "--binary", "--type", "u32", "-u"),
        ]

        def check(*arguments):
            expected = sort(*arguments)
            for memory in "20k", "300k":
                out = self.folder / f"out {' '.join(map(str, arguments)).replace('/', '_')} {memory}"
                report = json.loads(sort(*arguments, "-o", out, "--json", "--memory", memory, "-T", self.folder))
                self.assertGreater(report["runs"], 1)
                self.assertEqual(out.read_bytes(), expected)

        self.each(cases, check)
        self.assertFalse([path for path in self.folder.iterdir() if path.name.startswith("ravel-sort")])
        for option in "--argsort", "--check", "--bench":
            done = run("ravel-sort", path, "--type", "text", option, "--memory", 1000)
            self.assertEqual(done.returncode, 2)
            self.assertIn(option.encode(), done.stderr)
        done = run("ravel-sort", path, "--type", "text", "--memory", 1000, "-T", "/no/such")
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"/no/such: a temporary file cannot be created", done.stderr)
        wrong = self.write("wrong", b"1\n" * 5000 + b"x\n")
        self.assertIn(b"wrong:5001: 'x' is not a number", run("ravel-sort", wrong, "--memory", 600).stderr)
        self.assertIn(b"wrong:5001: 'x' is not a number", run("ravel-sort", wrong, "-k", 1, "--memory", 600).stderr)

    def test_a_full_disk(self):
        path = self.write("text", b"line\n" * 5000)
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (16384, 16384))
        done = subprocess.run([PROGRAMS / "ravel-sort", "--type", "text", path, "-S", "60000", "-T", self.folder],
                              capture_output=True, preexec_fn=limit)
        self.assertEqual((done.returncode, done.stdout), (2, b""))
        self.assertIn(f"{self.folder}: a temporary file cannot be written: File too large".encode(), done.stderr)

    def test_other_compressions(self):
        for program, begin in (("bzip2", b"BZh9\x31\x41\x59\x26\x53\x59"), ("xz", b"\xfd7zXZ\0"), ("zstd", b"\x28\xb5\x2f\xfd")):
            for call in ("ravel-sort", "--type", "text"), ("ravel-words",):
                done = run(*call, stdin=begin + b"rest")
                self.assertEqual(done.returncode, 2)
                self.assertIn(f"is compressed: gzip alone is read; decompress it by {program} -dc".encode(), done.stderr)


class Words(unittest.TestCase):
    def count(self, text, *arguments):
        done = run("ravel-words", "-", "--check", *arguments, stdin=text)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_frequent_ones_first(self):
        self.assertEqual(self.count(b"b a\tb\n\r\v\f a c\xff c b"),
                         b"3 b\n2 a\n1 c\n1 c\xff\n")
        self.assertEqual(self.count(b"b a b a", "--top", 1), b"2 a\n")
        self.assertEqual(self.count(b"b", "--top", 0), b"")

    def test_nothing(self):
        for text in b"", b" ", b"\n\n \t":
            self.assertEqual(self.count(text), b"")

    def test_what_is_not_there(self):
        done = run("ravel-words", "no/such/file")
        self.assertEqual(done.returncode, 2)
        self.assertTrue(done.stderr.startswith(b"no/such/file: "), done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
