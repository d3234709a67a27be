#!/usr/bin/env python3
"""Guarantees of all programs: output is complete or the exit status is nonzero, files are
replaced atomically, numbers on the command line are checked for their range, and malformed files
are read correctly or refused with a sentence.

usage: output_test.py FOLDER-OF-PROGRAMS FOLDER-OF-TUNINGS
"""

import json
import os
import pathlib
import re
import resource
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import time
import unittest

PROGRAMS, TUNINGS = map(pathlib.Path, sys.argv[1:3])

# A call of each program that prints to standard output, and what it reads.
PRINTING = {
    "spmv": (["ravel-spmv", "--generate", "arrow:10"], b""),
    "spmv --json=FILE": (["ravel-spmv", "--generate", "arrow:10", "--json=/dev/null"], b""),
    "spmv --json": (["ravel-spmv", "--generate", "arrow:10", "--json"], b""),
    "spmv -o -": (["ravel-spmv", "--generate", "arrow:10000", "-o", "-"], b""),
    "sort": (["ravel-sort"], b"2 1"),
    "sort --json": (["ravel-sort", "-", "--json"], b"2 1"),
    "sort --binary": (["ravel-sort", "--generate", "100000", "--binary"], b""),
    "sort --type text": (["ravel-sort", "-", "--type", "text"], b"b\na\n"),
    "rank": (["ravel-rank"], b"-1"),
    "rank --json": (["ravel-rank", "-", "--json"], b"-1"),
    "scan": (["ravel-scan"], b"1 2"),
    "scan --json": (["ravel-scan", "-", "--json"], b"1 2"),
    "words": (["ravel-words"], b"a b"),
    "words --json": (["ravel-words", "--json"], b"a b"),
    "delta": (["ravel-delta", "--generate", "1"], b""),
    "delta --json": (["ravel-delta", "--generate", "1", "--json"], b""),
    "nested": (["ravel-nested"], b""),
    "nested --json": (["ravel-nested", "--json"], b""),
    "tune": (["ravel-tune", str(TUNINGS / "sm_90.json")], b""),
    "tour": (["ravel-tour-01-map"], b""),
    "trace": (["ravel-trace", "step_doubling"], b""),
    "help": (["ravel-sort", "--help"], b""),
    "version": (["ravel-sort", "--version"], b""),
    "completion": (["ravel-sort", "--completion"], b""),
    "manual": (["ravel-sort", "--man"], b""),
}

# A call of each program that writes a file of some megabytes.
WRITING = {
    "sort": ["ravel-sort", "--generate", "1000000", "-o"],
    "sort --binary": ["ravel-sort", "--generate", "4000000", "--binary", "-o"],
    "sort --pairs": ["ravel-sort", "--generate", "1000000", "--pairs", "-o"],
    "scan": ["ravel-scan", "--generate", "1M", "-o"],
    "rank": ["ravel-rank", "--generate", "ordered", "--n", "2000000", "-o"],
    "spmv": ["ravel-spmv", "--generate", "arrow:1M", "-o"],
}


def command(arguments):
    return [str(PROGRAMS / arguments[0]), *map(str, arguments[1:])]


def run(*arguments, stdin=b"", **options):
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "timeout": 120} | options
    return subprocess.run(command(arguments), input=stdin, **options)


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, content):
        path = self.folder / name
        path.write_bytes(content)
        return path

    def refused(self, sentence, *arguments, **options):
        done = run(*arguments, **options)
        self.assertEqual(done.returncode, 2, (arguments, done.stdout, done.stderr))
        self.assertIn(sentence.encode(), done.stderr)
        return done


class StandardOutput(Folder):
    def test_full(self):
        for name, (arguments, given) in PRINTING.items():
            with self.subTest(name), open("/dev/full", "w") as full:
                done = run(*arguments, stdin=given, stdout=full)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(b"standard output: cannot be written", done.stderr)
                self.assertEqual(done.stderr.count(b"cannot be written"), 1, done.stderr)
                if name != "tour":
                    self.assertIn(b": No space left on device\n", done.stderr)

    def test_closed(self):
        for name, (arguments, given) in PRINTING.items():
            with self.subTest(name):
                done = run(*arguments, stdin=given, preexec_fn=lambda: os.close(1))
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(b"standard output: cannot be written", done.stderr)

    def test_closed_and_a_file_does_not_take_its_place(self):
        out = self.folder / "sorted"
        done = run("ravel-sort", "-", "--json", "-o", out, stdin=b"2 1", preexec_fn=lambda: os.close(1))
        self.assertEqual(done.returncode, 2)
        self.assertEqual(out.read_bytes(), b"1\n2\n")

    def test_closed_where_nothing_is_printed(self):
        for out in self.folder / "sorted", "/dev/null":
            done = run("ravel-sort", "-", "-o", out, stdin=b"2 1", preexec_fn=lambda: os.close(1))
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_closed_input(self):
        self.refused("standard input: cannot be read: Bad file descriptor", "ravel-sort", "-", stdin=None,
                     preexec_fn=lambda: os.close(0))

    def test_standard_error_is_full(self):
        for arguments in ("ravel-sort", "--generate", "10"), ("ravel-rank", "--generate", "random", "-o", "/dev/null"), ("ravel-sort", "no/such"):
            with self.subTest(arguments), open("/dev/full", "w") as full:
                self.assertEqual(run(*arguments, stderr=full).returncode, 2)

    def test_two_things_for_it_are_refused(self):
        for arguments in (("ravel-sort", "-", "-o", "-"), ("ravel-rank", "-", "-o", "-"),
                          ("ravel-words", "-", "-o", "-"), ("ravel-spmv", "-", "-o", "-"),
                          ("ravel-delta", "-", "-o", "-"), ("ravel-nested", "-o", "-")):
            with self.subTest(arguments):
                self.refused("both want standard output", *arguments, "--json")


class Files(Folder):
    def listing(self):
        return sorted(path.name for path in self.folder.iterdir())

    def test_stay_as_they_were_where_the_new_one_does_not_fit(self):
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
        old = self.write("old", b"as it was\n")
        for name, arguments in WRITING.items():
            with self.subTest(name):
                self.refused("old: cannot be written: File too large", *arguments, old, preexec_fn=limit)
                self.assertEqual(old.read_bytes(), b"as it was\n")
                self.refused("new: cannot be written: File too large", *arguments, self.folder / "new", preexec_fn=limit)
                self.assertEqual(self.listing(), ["old"])

    def test_stay_as_they_were_where_a_signal_ends_the_program(self):
        old = self.write("old", b"as it was\n")
        for end in signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT:
            with self.subTest(end):
                program = subprocess.Popen(
                    command(["ravel-sort", "--generate", 20_000_000, "--type", "u32", "-o", old]), stderr=subprocess.PIPE)
                give_up = time.monotonic() + 100
                while len(self.listing()) < 2 and program.poll() is None and time.monotonic() < give_up:
                    time.sleep(0.001)
                self.assertIsNone(program.poll(), "it ends before it can be interrupted")
                program.send_signal(end)
                program.communicate(timeout=60)
                self.assertEqual(program.returncode, -end)
                self.assertEqual(self.listing(), ["old"])
                self.assertEqual(old.read_bytes(), b"as it was\n")

    def test_keep_their_permissions(self):
        for mode in 0o600, 0o640, 0o755:
            old = self.write("old", b"")
            old.chmod(mode)
            self.assertEqual(run("ravel-words", "-o", old, stdin=b"a").returncode, 0)
            self.assertEqual(old.read_bytes(), b"1 a\n")
            self.assertEqual(stat.S_IMODE(old.stat().st_mode), mode)
        new = self.folder / "new"
        self.assertEqual(run("ravel-words", "-o", new, stdin=b"a", preexec_fn=lambda: os.umask(0o027)).returncode, 0)
        self.assertEqual(stat.S_IMODE(new.stat().st_mode), 0o640)

    def test_through_links(self):
        (self.folder / "below").mkdir()
        target, link, further = self.write("below/target", b"old"), self.folder / "link", self.folder / "further"
        link.symlink_to("below/target")
        further.symlink_to(link)
        self.assertEqual(run("ravel-words", "-o", further, stdin=b"a").returncode, 0)
        self.assertEqual(target.read_bytes(), b"1 a\n")
        self.assertTrue(link.is_symlink() and further.is_symlink())
        target.unlink()
        self.assertEqual(run("ravel-words", "-o", further, stdin=b"b").returncode, 0)
        self.assertEqual(target.read_bytes(), b"1 b\n")
        self.assertEqual(self.listing(), ["below", "further", "link"])

    def test_that_are_not_regular(self):
        self.assertEqual(run("ravel-words", "-o", "/dev/null", stdin=b"a").returncode, 0)
        self.assertTrue(stat.S_ISCHR(os.stat("/dev/null").st_mode))
        self.refused("/dev/full: cannot be written: No space left on device", "ravel-words", "-o", "/dev/full", stdin=b"a")
        pipe, got = self.folder / "pipe", []
        os.mkfifo(pipe)
        reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()))
        reader.start()
        self.assertEqual(run("ravel-words", "-o", pipe, stdin=b"a").returncode, 0)
        reader.join(60)
        self.assertEqual(got, [b"1 a\n"])
        self.assertTrue(pipe.is_fifo())
        with open(self.folder / "log", "wb") as log:
            log.write(b"before\n")
            log.flush()
            self.assertEqual(run("ravel-words", "-o", "/dev/stdout", stdin=b"a", stdout=log).returncode, 0)
        self.assertEqual((self.folder / "log").read_bytes(), b"before\n1 a\n")

    def test_that_cannot_be(self):
        self.refused(f"{self.folder}: cannot be written: Is a directory", "ravel-words", "-o", self.folder, stdin=b"a")
        self.refused("/no/such/file: cannot be written: No such file", "ravel-words", "-o", "/no/such/file", stdin=b"a")

    @unittest.skipIf(os.geteuid() == 0, "root may write everything")
    def test_that_may_not_be_written(self):
        old = self.write("old", b"old")
        old.chmod(0o400)
        self.refused("old: cannot be written: Permission denied", "ravel-words", "-o", old, stdin=b"a")
        old.chmod(0o600)
        self.folder.chmod(0o500)  # no file can be written beside it, so it is written directly
        self.assertEqual(run("ravel-words", "-o", old, stdin=b"a").returncode, 0)
        self.folder.chmod(0o700)
        self.assertEqual(old.read_bytes(), b"1 a\n")


class Convention(Folder):
    """What all programs have in common."""

    MATRIX = b"%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 2\n"
    CALLS = {
        "ravel-spmv": ((), MATRIX, b"2\n"),
        "ravel-sort": ((), b"2 1", b"1\n2\n"),
        "ravel-rank": ((), b"-1\n0\n", b"1\n0\n"),
        "ravel-scan": ((), b"1 2", b"1\n3\n"),
        "ravel-words": ((), b"a b a", b"2 a\n1 b\n"),
        "ravel-delta": (("--generate", 1), b"", None),
        "ravel-nested": ((), b"", None),
    }

    def test_results_go_to_standard_output_or_a_file_and_the_report_to_standard_error(self):
        for program, (arguments, given, expected) in self.CALLS.items():
            with self.subTest(program):
                done = run(program, *arguments, stdin=given)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(done.stdout, expected or done.stdout)
                self.assertNotEqual(done.stdout, b"")
                if program != "ravel-nested":
                    self.assertRegex(done.stderr, rb"(thread|threads)\b")
                result = done.stdout
                out = self.folder / "out"
                done = run(program, *arguments, "-o", out, "--quiet", stdin=given)
                self.assertEqual((done.returncode, done.stdout, done.stderr), (0, b"", b""))
                self.assertEqual(out.read_bytes(), result)

    def test_json_is_alone_on_standard_output_or_in_a_file(self):
        for program, (arguments, given, _) in self.CALLS.items():
            with self.subTest(program):
                out, report = self.folder / "out", self.folder / "report"
                result = run(program, *arguments, stdin=given).stdout
                done = run(program, *arguments, "--json", "-o", out, stdin=given)
                self.assertEqual(done.stderr, b"")
                keys = json.loads(done.stdout).keys()
                self.assertEqual(out.read_bytes(), result)
                self.assertEqual(json.loads(run(program, *arguments, "--json", stdin=given).stdout).keys(), keys)
                done = run(program, *arguments, f"--json={report}", stdin=given)
                self.assertEqual((done.stdout, done.stderr), (result, b""))
                self.assertEqual(json.loads(report.read_bytes()).keys(), keys)

    def test_work_is_repeated_only_for_benchmarks(self):
        for program, (arguments, given, expected) in self.CALLS.items():
            if expected is None:
                continue
            with self.subTest(program):
                for option in ("--bench",), ("--repeat", 2), ("--bench", "--repeat", 2), ("--repeat=2", "--bench"):
                    done = run(program, *arguments, *option, stdin=given)
                    self.assertEqual((done.returncode, done.stdout), (0, b""), done.stderr)
                    self.assertNotEqual(done.stderr, b"")
                    self.assertEqual(run(program, *arguments, *option, "-o", "-", stdin=given).stdout, expected)

    def test_version_completion_and_manual(self):
        for program in *self.CALLS, "ravel-tune":
            with self.subTest(program):
                self.assertRegex(run(program, "--version").stdout.decode(), rf"^{program} of ravel \d+\.\d+\.\d+\n$")
                script = run(program, "--completion").stdout.decode()
                function = "_" + program.replace("-", "_")
                typed = f'{script}\nCOMP_WORDS=({program} --qu) COMP_CWORD=1; {function}; echo "${{COMPREPLY[@]}}"'
                shown = subprocess.run(["bash", "-c", typed], capture_output=True, text=True, timeout=60)
                self.assertEqual((shown.stdout, shown.stderr), ("--quiet\n", ""))
                page = run(program, "--man").stdout.decode()
                self.assertTrue(page.startswith(f".TH {program} 1 "), page)
                for option in re.findall(r"^ +(?:-., ?)?(--[a-z0-9-]+)", run(program, "--help").stdout.decode(), re.MULTILINE):
                    self.assertIn(option.replace("-", "\\-"), page)
                    self.assertIn(option, script)

    def test_completion_of_values(self):
        script = run("ravel-sort", "--completion").stdout.decode()
        typed = f'{script}\nCOMP_WORDS=(ravel-sort --type f) COMP_CWORD=2; _ravel_sort; echo "${{COMPREPLY[@]}}"'
        shown = subprocess.run(["bash", "-c", typed], capture_output=True, text=True, timeout=60)
        self.assertEqual((shown.stdout, shown.stderr), ("f32 f64\n", ""))


class Arguments(Folder):
    def test_numbers_out_of_range(self):
        options = {
            ("ravel-spmv", "--generate", "arrow:3"): ("--threads", "--repeat"),
            ("ravel-sort", "-"): ("--threads", "--repeat", "--column"),
            ("ravel-sort",): ("--generate",),
            ("ravel-sort", "--generate", "3"): ("--seed",),
            ("ravel-rank", "--generate", "random"): ("--threads", "--repeat", "--n"),
            ("ravel-words", "-"): ("--threads", "--repeat", "--top"),
            ("ravel-delta",): ("--threads", "--generate"),
            ("ravel-tune",): ("--repeat",),
        }
        for call, names in options.items():
            for name in names:
                for word in "99999999999999999999", "-1", "1e99", "0x10", "1.5", "1.0005k", " 1", "3x", "1kx":
                    with self.subTest(call=call, option=name, word=word):
                        done = self.refused(f"{name}: '{word}' is not an integer from ", *call, f"{name}={word}")
                        self.assertEqual(done.stdout, b"")

    def test_numbers_are_decimal(self):
        self.assertEqual(run("ravel-words", "--top", "010", stdin=b" ".join(b"%d" % i for i in range(20))).stdout.count(b"\n"), 10)

    def test_greatest_numbers(self):
        self.assertEqual(run("ravel-words", "--top", 2**63 - 1, stdin=b"a").stdout, b"1 a\n")
        self.assertEqual(run("ravel-sort", "--generate", 1, "--seed", 2**64 - 1).returncode, 0)

    def test_counts_have_units(self):
        for word, count in ("1k", 1000), ("1e3", 1000), ("1.5k", 1500), ("0.001M", 1000), ("1Ki", 1024), ("1.5E3", 1500):
            with self.subTest(word):
                made = run("ravel-rank", "--generate", "ordered", "--n", word)
                self.assertEqual((made.returncode, made.stdout.count(b"\n")), (0, count), made.stderr)
        self.assertEqual(run("ravel-spmv", "--generate", "arrow:1k").stdout.count(b"\n"), 1000)
        self.assertEqual(run("ravel-words", "--top", "18446744073709551.615k", stdin=b"a").returncode, 2)

    def test_what_would_be_ignored_is_refused(self):
        for arguments in (
            ("ravel-nested", "foo"),
            ("ravel-delta", "a.wav", "b.wav"),
            ("ravel-rank", "-", "--op", "sum", "--tree"),
            ("ravel-rank", "-", "--n", "5"),
            ("ravel-rank", "-", "--generate", "random"),
            ("ravel-spmv", "a.mtx", "--generate", "arrow:3"),
            ("ravel-delta", "a.wav", "--generate", "3"),
            ("ravel-sort", "-", "--seed", "5"),
            ("ravel-sort", "--generate", "5", "--column", "1"),
            ("ravel-tune", TUNINGS / "sm_90.json", "-o", "other.json"),
            ("ravel-tune", TUNINGS / "sm_90.json", "--repeat", "3"),
        ):
            with self.subTest(arguments):
                self.assertEqual(self.refused("", *arguments).stdout, b"")


class Reports(Folder):
    def test_names_that_are_not_utf8(self):
        name = os.fsencode(self.folder) + b"/\xff\xc3\xa9\xed\xa0\x80"
        shown = str(self.folder) + "/\\xff\u00e9\\xed\\xa0\\x80"
        pathlib.Path(os.fsdecode(name)).write_bytes(b"%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 2\n")
        program = os.fsencode(PROGRAMS / "ravel-spmv")
        done = subprocess.run([program, name, "--json", "--device", "cpu"], capture_output=True, timeout=60)
        self.assertEqual(json.loads(done.stdout)["file"], shown, done.stderr)
        pathlib.Path(os.fsdecode(name)).write_bytes(b"-1\n")
        program = os.fsencode(PROGRAMS / "ravel-rank")
        done = subprocess.run([program, name, "--json", "--device", "cpu"], capture_output=True, timeout=60)
        self.assertEqual(json.loads(done.stdout)["file"], shown, done.stderr)


class Sounds(Folder):
    def test_differences_of_a_chord(self):
        done = run("ravel-delta", "--generate", 1, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads(done.stdout)
        self.assertEqual((report["channels"], report["samples"]), (2, 88200))
        bits = report["bits_a_sample"]
        self.assertEqual(len(bits), 5)
        self.assertEqual(min(bits), bits[3])
        self.assertLess(bits[2], bits[1] / 2)

    def test_what_is_no_sound(self):
        self.refused("-: this is no WAV file", "ravel-delta", stdin=b"# ravel-delta\n")


class OddFiles(Folder):
    CALLS = {
        "matrix": ("ravel-spmv",),
        "numbers": ("ravel-sort",),
        "column": ("ravel-sort", "--column", "1"),
        "pairs": ("ravel-sort", "--pairs"),
        "lines": ("ravel-sort", "--type", "text"),
        "links": ("ravel-rank",),
        "words": ("ravel-words",),
        "sound": ("ravel-delta",),
        "tuning": ("ravel-tune",),
    }
    BANNER = b"%%MatrixMarket matrix coordinate real general\n"

    def test_are_read_or_refused_with_a_sentence(self):
        """No file crashes a program, or makes it fail without naming the file."""
        wav = b"RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\1\0\1\0\x44\xac\0\0\x88\x58\1\0\2\0\x10\0data"
        files = {
            "empty": b"",
            "newline": b"\n",
            "crlf": b"\r\n\r\n",
            "no newline at the end": b"1 2\n3 4",
            "NUL": b"\0",
            "NULs": b"1\0\n2\n" + b"\0" * 1000,
            "byte order mark": b"\xef\xbb\xbf1\n2\n",
            "UTF-16": "1\n2\n".encode("utf-16"),
            "long line": b"1 " * 300_000,
            "long word": b"1" * 300_000,
            "long line of commas": b"," * 300_000,
            "bytes": bytes(range(256)) * 20,
            "gzip of nothing": b"\x1f\x8b",
            "banner alone": self.BANNER,
            "banner without end": self.BANNER[:-1],
            "matrix with a byte order mark": b"\xef\xbb\xbf" + self.BANNER + b"1 1 1\n1 1 1\n",
            "matrix with NUL": self.BANNER + b"1 1 1\n1 1 1\0\n",
            "matrix of a long line": self.BANNER + b"1 1 1\n1 1 " + b"1" * 300_000 + b"\n",
            "matrix after a long comment": self.BANNER + b"%" * 300_000 + b"\n1 1 1\n1 1 1",
            "sound of nothing": wav + b"\0\0\0\0",
            "sound of half a sample": wav + b"\1\0\0\0x",
            "sound cut": wav + b"\xff\xff\xff\xff" + b"ab" * 1001,
            "sound without a length": wav,
            "riff alone": b"RIFF\x24\0\0\0WAVE",
            "sound of a chunk of 4 GiB": b"RIFF\x24\0\0\0WAVEfmt \xff\xff\xff\xff",
            "tuning of null": b"null",
            "tuning of a list": b"[1]",
            "tuning with a huge number": b'{"device":"","compute_capability":"","measured":true,"sizes":{"bucketed":1e400}}',
            "tuning with a long integer": b'{"device":"","compute_capability":"","measured":true,"sizes":{"bucketed":99999999999999999999}}',
            "deep brackets": b"[" * 100_000,
        }
        for what, content in files.items():
            path = self.write("odd file", content)
            for name, call in self.CALLS.items():
                with self.subTest(file=what, reader=name):
                    done = run(call[0], path, *call[1:])
                    if done.returncode != 0:
                        self.assertEqual(done.returncode, 2, done.stderr)
                        self.assertTrue(done.stderr.startswith(os.fsencode(path)), done.stderr[:200])
                        self.assertLess(len(done.stderr), 1000)
                        self.assertEqual(done.stdout, b"")

    def test_byte_order_mark(self):
        mark = b"\xef\xbb\xbf"
        self.assertEqual(run("ravel-sort", "-", stdin=mark + b"2\n1\n").stdout, b"1\n2\n")
        self.assertEqual(run("ravel-sort", "-", "--column", 1, stdin=mark + b"2,3\n1,4\n").stdout, b"1\n2\n")
        self.assertEqual(run("ravel-rank", stdin=mark + b"-1\n").stdout, b"0\n")
        self.refused("-:3: 'x' is not a number", "ravel-sort", "-", stdin=mark + b"2\n1\nx")
        self.assertEqual(run("ravel-spmv", stdin=mark + self.BANNER + b"1 1 1\n1 1 3\n").stdout[:2], b"3\n")
        self.assertEqual(run("ravel-sort", "-", "--type", "text", stdin=mark + b"b\na").stdout, b"a\n" + mark + b"b\n")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
