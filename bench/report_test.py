#!/usr/bin/env python3
"""Tests bench/report on a small record that was made up."""

import importlib.machinery
import importlib.util
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

REPORT = Path(__file__).resolve().parent / "report"
loader = importlib.machinery.SourceFileLoader("report", str(REPORT))
sys.dont_write_bytecode = True
report = importlib.util.module_from_spec(importlib.util.spec_from_loader("report", loader))
loader.exec_module(report)

TARGETS = """id\twork\tn\tpeer\tmetric\tcmp\tbound
gpu.scan.i32.2^28\tscan\t2^28\tcub\tof_copy\t>=\t0.95
gpu.scan.i32.2^10\tscan\t2^10\tcub\ttime_vs_peer\t<=\t0.55
cpu.scan.i32\tscan\t2^27\tbest\tof_copy\t>=\t1.0
cpu.scan.i32.peer\tscan\t2^27\tbest\tspeedup_vs_peer\t>=\t1.4
gpu.segmented_reduce.len1\tsum\t2^28\tcub\tof_read\t>=\t0.88
gpu.radix_sort.u32\tsort\t2^28\tcub\tgelem_per_s\t>=\t75
gpu.spmv.grid\tproduct\t1 M\tbest\tspeedup_vs_peer\t>=\t1.5
gpu.spmv.grid.blocks\tproduct\t1 M\tbest\tspeedup_vs_peer\t>=\t1.5
gpu.list_ranking\tranks\t2^28\t-\tgelem_per_s\t>=\t60
cpu.late.in_target\tlate\t64\tbest\ttime_vs_peer\t<=\t3
cpu.late.in_target.one_thread\tlate\t64\tbest\ttime_vs_peer\t<=\t5
cpu.late.in_one_of_two\tlate\t64\tbest\ttime_vs_peer\t<=\t3
cpu.late.in_one_of_two.one_thread\tlate\t64\tbest\ttime_vs_peer\t<=\t3
"""

BOUNDS = """row\tmachine\tpeer\tkind\treason
cpu.late.slow\t*\tother\tbound\treads no less
cpu.late.*\t*\tor?cle\tlimit\tknows the result
*\tsmall-*\tmine *\town form\tcalls it
gpu.segmented_reduce.*\tbig-*\t\tof target\treads offsets too
gpu.scan.i32.2^10\t*\t\tof target\tis met
"""

FRONT_PAGE = """id\twork
gpu.scan.i32.2^28\tscan of int
gpu.segmented_reduce.len1\tsums
gpu.list_ranking\tranks
gpu.radix_sort.u32\tsort
cpu.scan.i32\tscan on a host
"""


CACHES = [
    {"type": "Data", "level": 1, "size": 1000, "num_sharing": 1},
    {"type": "Instruction", "level": 1, "size": 64000, "num_sharing": 1},
    {"type": "Unified", "level": 2, "size": 100_000, "num_sharing": 2},
]


def context(machine):
    """Of two processors, or of as many threads as a suite says."""
    made = {"machine": machine, "commit": "abc1234", "date": "2026-01-02T03:04:05+00:00"}
    made |= {"num_cpus": 2, "caches": CACHES}
    return made | ({"threads": "4"} if machine == "wide-cpu" else {})


def runs(name, n, size, times, **others):
    """One run for each of our times, in ms; `others` holds a list of seconds for each name."""
    made = []
    for k, time in enumerate(times):
        run = {"name": name + "/iterations:1/repeats:3/manual_time", "run_type": "iteration"}
        run |= {"real_time": time, "time_unit": "ms", "n": n, "bytes": size, "label": "work"}
        run |= {key: values[k] for key, values in others.items() if k < len(values)}
        made.append(run)
    made.append(dict(made[0], run_type="aggregate", aggregate_name="median"))
    return made


GPU = (
    runs("gpu.scan.i32.2^28", 2**28, 2e9, [2.0, 9.0, 1.0], **{
        "copy:memcpy": [1.2e-3, 1.2e-3, 1.2e-3],
        "copy:kernel": [1e-3, 1e-3, 1e-3],
        "peer:cub": [4e-3, 4e-3, 4e-3],
    })
    + runs("gpu.scan.i32.2^10", 2**10, 8e3, [0.004] * 3, **{
        "copy:memcpy": [4e-6] * 3, "peer:cub": [8e-6] * 3,
    })
    + runs("gpu.scan.i32.2^20", 2**20, 8e6, [0.01] * 3, **{
        "copy:memcpy": [8e-6] * 3, "peer:cub": [2e-5] * 3,
    })
    + runs("gpu.segmented_reduce.len1", 2**28, 3e9, [1.0] * 3, **{"read:cub": [0.5e-3] * 3})
    + runs("gpu.radix_sort.u32", 2**28, 2e9, [10.0] * 3)
    + runs("gpu.spmv.grid", 10**6, 1e8, [4.0] * 3, **{
        "named:with blocks": [2e-3] * 3, "peer:best": [4e-3] * 3,
    })
)  # fmt: skip
CPU = runs("cpu.scan.i32", 2**27, 1e9, [100.0] * 3, **{
    "copy:memcpy": [0.11] * 3,
    "peer:slow": [9.0],  # was too slow to be timed in every round
    "peer:fast": [0.13, 0.12, 0.2],
})  # fmt: skip
# Two threads have an L1 of 1000 bytes each, and an L2 of 100 kB together.
for size, copy in ((800, 1e-8), (3000, 1e-7), (50_000, 1e-6), (10**6, 1e-4)):
    CPU += runs(f"cpu.pack.50.2^{size}", size, size, [0.2] * 3, **{
        "copy:memcpy": [copy] * 3, "named:1 thread": [size * 1e-7] * 3,
    })  # fmt: skip
for log, time, loop in ((0, 3e-6, 2e-9), (3, 4e-6, 8e-9)):
    CPU += runs(f"cpu.small.scan.u32.2^{log}", 2**log, 8, [time] * 3, **{"peer:loop": [loop] * 3})
for name, n, peers in (
    ("slow", 64, {"oracle": 0.01, "other": 0.05, "good": 0.099}),
    ("by_loop", 64, {"loop": 0.05, "good": 0.099}),
    ("by_mine", 64, {"mine too": 0.05}),
    ("in_target", 64, {"good": 0.05}),
    ("in_one_of_two", 64, {"good": 0.05}),
):
    peers = {"peer:" + peer: [t] for peer, t in peers.items()}
    if name.startswith("in_"):
        peers["named:1 thread"] = [0.2]
    CPU += runs("cpu.late." + name, n, 8, [100.0], **peers)
CPU += runs("cpu.late.now_and_then", 64, 8, [100.0] * 3, **{"peer:other": [0.2, 0.05, 0.06]})  # in two rounds of three
WIDE = []  # measured on four threads, of which there are also rows of fewer bytes
for kind, size, one, two in (("u32", 2**22, 0.8, 0.4), ("u32.2^10", 2**12, 0.1, 0.1), ("f32", 2**22, 0.6, 0.4)):
    WIDE += runs(f"cpu.reduce.{kind}", size // 4, size, [200] * 3, **{
        "named:1 thread": [one] * 3, "named:2 threads": [two] * 3, "named:plainly": [9.0] * 3,
    })  # fmt: skip
STEPS = runs("gpu.ranks.splitters.random", 2**20, 2**23, [2.0], **{  # over parameters
    f"named:{s} splitters{how}": [s * 1e-6] for s, how in ((64, ""), (16, ""), (256, ""), (64, ", in turn"), (16, ", in turn"))
})  # fmt: skip
for stride, time in ((1, 2.0), (17, 3.0), (5, 4.0)):
    STEPS += runs(f"gpu.ranks.stride.{stride}", 2**20, 2**23, [time], **{"named:access": [time * 1e-3]})
FAILED = {"name": "gpu.list_ranking", "run_type": "iteration", "error_occurred": True}


class Report(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.front_page = Path(self.folder.name) / "README.md"
        self.bench = Path(self.folder.name) / "bench"
        record = self.bench / "record"
        record.mkdir(parents=True)
        (self.bench / "targets.tsv").write_text(TARGETS)
        (self.bench / "README.md").write_text(
            "before\n<!-- written by bench/report: begin -->\nold\n"
            "<!-- written by bench/report: end -->\nafter\n"
        )
        (self.bench / "front_page.tsv").write_text(FRONT_PAGE)
        (self.bench / "bounds.tsv").write_text(BOUNDS)
        (self.bench / "gpus_model.tsv").write_text("call\tseconds\tbecause\n")
        (self.bench / "gpus_constants.tsv").write_text("name\tvalue\twhat\n")
        (self.bench / "front_plots.tsv").write_text("plot\nbig-gpu-gpu-scan-i32\nno-such-plot\n")
        (self.bench / "gallery").mkdir()
        (self.bench / "gallery" / "gone-gpu.md").write_text("a machine without a record\n")
        self.front_page.write_text(
            "".join(
                f"<!-- written by bench/report, {device}: begin -->\nold\n"
                f"<!-- written by bench/report, {device}: end -->\nafter {device}\n"
                for device in ("gpu", "cpu")
            )
        )
        (self.bench / "papers.tsv").write_text(
            "paper\tid\tforms\twork\tsays\nfirst\tcpu.reduce.u32\t1 thread\tby one\t1 G/s\n"
            "first\tcpu.scan.of_nothing\t1 thread\tnot measured\t\n"
            "first\tcpu.reduce.u32\tnew\tnot measured\t\n"
            "second\tcpu.pack.50.2^800\t1 thread\ta pack\t\n"
        )
        self.papers = Path(self.folder.name) / "docs/papers.md"
        self.papers.parent.mkdir()
        self.papers.write_text(
            "".join(
                f"<!-- written by bench/report, {paper}: begin -->\nold\n"
                f"<!-- written by bench/report, {paper}: end -->\nafter {paper}\n"
                for paper in ("first", "second")
            )
        )
        for name, rows in (("big-gpu", GPU + [FAILED]), ("new-gpu", STEPS), ("small-cpu", CPU), ("wide-cpu", WIDE)):
            text = json.dumps({"context": context(name), "benchmarks": rows})
            (record / f"{name}-scan.json").write_text(text)
        self.report()

    def report(self):
        subprocess.run([sys.executable, REPORT, "--bench", self.bench], check=True)

    def read(self):
        root = self.front_page.parent
        return {path: path.read_text() for path in root.rglob("*") if path.is_file()}

    def test_takes_medians_and_the_fastest_of_the_others(self):
        lines = (self.bench / "record" / "targets.tsv").read_text().splitlines()
        head = "id value seconds peer_seconds machine date commit".split()
        self.assertEqual(lines[0].split("\t"), head)
        where = ["2026-01-02", "abc1234"]
        self.assertEqual(
            [line.split("\t") for line in lines[1:]],
            [
                ["gpu.scan.i32.2^28", "0.5", "0.002", "0.004", "big-gpu"] + where,
                ["gpu.scan.i32.2^10", "0.5", "4e-06", "8e-06", "big-gpu"] + where,
                ["cpu.scan.i32", "1.1", "0.1", "0.13", "small-cpu"] + where,
                ["cpu.scan.i32.peer", "1.3", "0.1", "0.13", "small-cpu"] + where,
                ["gpu.segmented_reduce.len1", "0.5", "0.001", "", "big-gpu"] + where,
                ["gpu.radix_sort.u32", "26.84", "0.01", "", "big-gpu"] + where,
                ["gpu.spmv.grid", "1", "0.004", "0.004", "big-gpu"] + where,
                ["gpu.spmv.grid.blocks", "2", "0.002", "0.004", "big-gpu"] + where,
                ["cpu.late.in_target", "2", "0.1", "0.05", "small-cpu"] + where,
                ["cpu.late.in_target.one_thread", "4", "0.2", "0.05", "small-cpu"] + where,
                ["cpu.late.in_one_of_two", "2", "0.1", "0.05", "small-cpu"] + where,
                ["cpu.late.in_one_of_two.one_thread", "4", "0.2", "0.05", "small-cpu"] + where,
            ],
        )

    def test_lists_the_rows_slower_than_a_peer(self):
        lines = (self.bench / "losses.tsv").read_text().splitlines()
        self.assertEqual(
            [line.split("\t") for line in lines],
            [
                "kind row machine ratio peer reason".split(),
                ["open", "cpu.late.by_loop", "small-cpu", "2.00", "loop", ""],
                ["open", "cpu.late.in_one_of_two", "small-cpu", "2.00", "good", ""],
                ["target", "cpu.late.in_target", "small-cpu", "2.00", "good", "cpu.late.in_target.one_thread <= 5"],
                ["bound", "cpu.late.slow", "small-cpu", "2.00", "other", "reads no less"],
                ["own form", "cpu.late.by_mine", "small-cpu", "2.00", "mine too", "calls it"],
                ["limit", "cpu.late.slow", "small-cpu", "10.00", "oracle", "knows the result"],
                ["few", "1 rows of fewer than 64 elements", "small-cpu", "1.50", "a loop",
                 "counts from so many elements on"],
            ],
        )  # fmt: skip

    def test_marks_the_targets_that_are_met(self):
        text = "".join(
            (self.bench / "gallery" / f"{name}.md").read_text() for name in ("big-gpu", "small-cpu")
        )
        cells = {
            line.split(" | ")[0][2:]: line.removesuffix(" |").split(" | ")
            for line in text.splitlines()
            if line.startswith(("| gpu.", "| cpu."))
        }
        self.assertEqual(cells["gpu.scan.i32.2^28"][-1], "")
        self.assertEqual(cells["gpu.scan.i32.2^10"][-1], "yes")
        self.assertEqual(cells["cpu.scan.i32"][-1], "yes")
        self.assertEqual(cells["cpu.scan.i32.peer"][-1], "")
        self.assertEqual(cells["cpu.scan.i32.peer"][4:6], ["fast", "130 ms"])
        self.assertEqual(cells["gpu.segmented_reduce.len1"][-1], "reads offsets too")
        self.assertIn("Measured 2026-01-02, medians of 3 rounds; 2 of 6 targets are met, 1 out of reach.", text)

    def test_writes_one_table_and_links_to_the_galleries(self):
        text = (self.bench / "README.md").read_text()
        self.assertTrue(text.startswith("before\n") and text.endswith("\nafter\n"))
        self.assertNotIn("old", text)
        self.assertIn("| gpu.scan.i32.2^28 | scan of int | big-gpu | 2 ms | 1000 | 0.50 | cub | 4 ms |", text)
        self.assertIn("| cpu.scan.i32 | scan on a host | small-cpu | 100 ms | 10 | 1.10 | fast | 130 ms |", text)
        self.assertIn(
            "- [big-gpu](gallery/big-gpu.md). Measured 2026-01-02, medians of 3 rounds; 2 of 6 targets are met, 1 out of reach;", text
        )
        self.assertIn("- [wide-cpu](gallery/wide-cpu.md). No target is of this machine;", text)
        self.assertIn("### Not measured yet\n\n`gpu.list_ranking`", text)

    def test_writes_a_gallery_for_each_machine_that_has_a_record(self):
        pages = sorted(path.name for path in (self.bench / "gallery").iterdir())
        self.assertEqual(pages, ["big-gpu.md", "new-gpu.md", "small-cpu.md", "wide-cpu.md"])

    def test_captions_every_plot(self):
        rows = report.read_records(self.bench / "record")
        plots = {machine: {plot.stem for plot in made} for machine, made in report.plots_of(rows).items()}
        self.assertEqual(plots["wide-cpu"], {"wide-cpu-cpu-scaling"})
        self.assertIn("big-gpu-gpu-scan-i32", plots["big-gpu"])
        try:
            import matplotlib  # noqa: F401
        except ImportError:
            self.skipTest("matplotlib is not installed")
        drawn = {path.stem for path in (self.bench / "record").glob("*.svg")}
        self.assertEqual(drawn, set().union(*plots.values()))

    def test_puts_chosen_rows_on_the_front_page(self):
        text = self.front_page.read_text()
        self.assertNotIn("old", text)
        gpu, cpu = text.split("after gpu")
        self.assertIn("| scan of int | 2 ms | 0.50 | cub | 4 ms |", gpu)
        self.assertIn("| sums | 1 ms | 0.50 of read |  |  |", gpu)
        self.assertIn("| sort | 10 ms |  |  |  |", gpu)  # beside nothing
        self.assertNotIn("ranks", gpu)  # for it failed
        self.assertIn("| small-cpu | time |", cpu)
        self.assertIn("| scan on a host | 100 ms | 1.10 | fast | 130 ms |", cpu)
        self.assertTrue(cpu.endswith("\nafter cpu\n"))

    def test_puts_the_named_forms_of_each_paper_on_its_page(self):
        first, second = self.papers.read_text().split("after first")
        self.assertNotIn("old", first + second)
        self.assertIn("| wide-cpu | 1 thread | without a name | the paper |\n|---|--:|--:|---|\n", first)
        self.assertIn("| by one | 800 ms | 200 ms | 1 G/s; here 0.00131 |", first)
        self.assertNotIn("not measured", first)
        self.assertIn("| a pack | 80 us (0.00013) | 200 us (5e-05) |", second)

    def test_draws_no_set_over_a_series(self):
        series = {("big-gpu", "gpu.split2"): []}
        self.assertEqual(report.name_of_set("big-gpu", "gpu.split2", series), "gpu.split2-set")
        self.assertEqual(report.name_of_set("other-gpu", "gpu.split2", series), "gpu.split2")

    def test_draws_what_was_measured_at_several_sizes(self):
        try:
            import matplotlib  # noqa: F401
        except ImportError:
            self.skipTest("matplotlib is not installed")
        plot = (self.bench / "record" / "big-gpu-gpu-scan-i32.svg").read_text()
        self.assertIn("gpu.scan.i32 on big-gpu", plot)
        self.assertIn(">cub<", plot)
        shown = (self.bench / "README.md").read_text()
        self.assertIn("(record/big-gpu-gpu-scan-i32.svg)\n\n*big-gpu. gpu.scan.i32: work.", shown)
        self.assertEqual(shown.count("!["), 1)

    def test_knows_what_copies_reach_in_caches_and_memory(self):
        rows = report.read_records(self.bench / "record")
        copies = report.copies_of(rows, "small-cpu", "cpu")
        self.assertEqual(
            [(name, begin, end, round(rate / 1e9, 6)) for name, begin, end, rate
             in report.ceilings(copies, "cpu")],
            # 3000 bytes are between one and two caches long, so of neither.
            [("L1", 800, 2000, 80), ("L2", 4000, 100_000, 50), ("memory", 200_000, 1e9, 10)],
        )  # fmt: skip
        self.assertEqual(
            [(size, round(rate / 1e9, 6)) for size, rate in report.roof(copies)],
            [(800, 80), (3000, 30), (50_000, 50), (10**6, 10), (1e9, 9.090909)],
        )
        on_device = report.ceilings(report.copies_of(rows, "big-gpu", "gpu"), "gpu")
        self.assertEqual([(name, rate / 1e12) for name, _, _, rate in on_device], [("memory", 2)])

    def test_computes_the_speed_up_of_all_threads(self):
        rows = report.read_records(self.bench / "record")
        gains = report.threads_of(rows)
        self.assertEqual(list(gains), ["small-cpu"])
        self.assertEqual(list(gains["small-cpu"]), ["cpu.pack.50"])
        self.assertEqual(
            [(n, round(ratio, 6)) for n, ratio in gains["small-cpu"]["cpu.pack.50"]],
            [(800, 0.4), (3000, 1.5), (50_000, 25), (10**6, 500)],
        )
        try:
            import matplotlib  # noqa: F401
        except ImportError:
            self.skipTest("matplotlib is not installed")
        plot = (self.bench / "record" / "small-cpu-cpu-threads.svg").read_text()
        self.assertIn(">cpu.pack.50<", plot)

    def test_computes_the_speed_up_of_each_number_of_threads_at_the_largest_size(self):
        rows = report.read_records(self.bench / "record")
        gains = report.scaling_of(rows)
        self.assertEqual(list(gains), ["wide-cpu"])  # two threads are in the other plot
        self.assertEqual(list(gains["wide-cpu"]), ["cpu.reduce"])
        rounded = {
            kind: [(threads, round(ratio, 6)) for threads, ratio in points]
            for kind, points in gains["wide-cpu"]["cpu.reduce"].items()
        }
        self.assertEqual(
            rounded, {"f32": [(1, 1), (2, 1.5), (4, 3)], "u32": [(1, 1), (2, 2), (4, 4)]}
        )
        try:
            import matplotlib  # noqa: F401
        except ImportError:
            self.skipTest("matplotlib is not installed")
        plot = (self.bench / "record" / "wide-cpu-cpu-scaling.svg").read_text()
        for label in ("cpu.reduce", "u32", "f32", "threads", "4"):
            self.assertIn(f">{label}<", plot)

    def test_compares_short_inputs_with_a_loop(self):
        few = report.few_of(report.read_records(self.bench / "record"))
        self.assertEqual(list(few), ["small-cpu"])
        ratios = {n: round(ratio, 6) for n, ratio in few["small-cpu"]["scan.u32"].items()}
        self.assertEqual(ratios, {1: 1.5, 8: 0.5})
        try:
            import matplotlib  # noqa: F401
        except ImportError:
            self.skipTest("matplotlib is not installed")
        plot = (self.bench / "record" / "small-cpu-cpu-small.svg").read_text()
        for label in ("scan.u32", "1.50", "0.50"):
            self.assertIn(f">{label}<", plot)

    def test_draws_a_roofline_of_what_was_measured_at_several_sizes(self):
        rows = report.read_records(self.bench / "record")
        self.assertEqual(
            sorted(report.primitives_of(rows)), [("big-gpu", "gpu.scan"), ("small-cpu", "cpu.pack")]
        )
        try:
            import matplotlib  # noqa: F401
        except ImportError:
            self.skipTest("matplotlib is not installed")
        plot = (self.bench / "record" / "small-cpu-cpu-pack-roofline.svg").read_text()
        for label in ("L1", "L2", "memory", "50", "best copy of its size"):
            self.assertIn(f">{label}<", plot)
        text = (self.bench / "gallery" / "small-cpu.md").read_text()
        self.assertIn(
            "## Rooflines\n\n"
            "![small-cpu-cpu-pack-roofline](../record/small-cpu-cpu-pack-roofline.svg)",
            text,
        )

    def test_draws_times_over_a_parameter_that_took_more_than_two_values(self):
        found = report.sweeps_of(report.read_records(self.bench / "record"))
        times = lambda line: [(x, round(seconds * 1e3, 6)) for x, seconds in line]
        parameter, lines = found["new-gpu", "gpu.ranks.splitters"]
        self.assertEqual(parameter, "splitters")
        self.assertEqual({label: times(line) for label, line in lines.items()},
                         {"random": [(16, 0.016), (64, 0.064), (256, 0.256)]})  # fmt: skip
        parameter, lines = found["new-gpu", "gpu.ranks.stride"]
        self.assertEqual(parameter, "stride")
        self.assertEqual({label: times(line) for label, line in lines.items()},
                         dict.fromkeys(("ravel", "access"), [(1, 2), (5, 4), (17, 3)]))  # fmt: skip
        try:
            import matplotlib  # noqa: F401
        except ImportError:
            self.skipTest("matplotlib is not installed")
        plot = (self.bench / "record" / "new-gpu-gpu-ranks-splitters.svg").read_text()
        for label in ("random", "number of splitters", "256"):
            self.assertIn(f">{label}<", plot)

    def test_predicts_the_time_of_calls_on_several_gpus(self):
        of = context("two") | {"gpus": "2", "device": "NVIDIA H100 80GB HBM3", "ranks": "threads"}
        model = [{"call": "sort u64", "seconds": "t + e + log2(p) * g"}, {"call": ".*", "seconds": "n * b / B"}]
        constants = {"B": "2e12", "g": "5e-4"}

        def of_row(id, work):
            row = report.Row(of, runs(id, 2**28, 1, [2.0], **{"peer:one GPU": [1.5e-3]}))
            row.work = work
            return report.predicted(row, model, constants)

        self.assertAlmostEqual(of_row("gpus.sort.2^28", "sort u64"), 1.5e-3 + 2**30 / 2e12 + 5e-4)
        self.assertAlmostEqual(of_row("gpus.all.sort.2^28", "sort u64"), 0.75e-3 + 2**29 / 2e12 + 5e-4)
        self.assertAlmostEqual(of_row("gpus.sort.2^28", "sort of pairs u32 u32"), 2**31 / 2e12)

    def test_writes_the_fraction_of_linear_scaling_on_several_gpus(self):
        of = context("two") | {"gpus": "2", "device": "NVIDIA H100 80GB HBM3", "ranks": "threads"}
        each = report.Row(of, runs("gpus.sort.2^28", 2**28, 1, [2.0], **{"peer:one GPU": [1.5e-3]})[:1])
        of_all = report.Row(of, runs("gpus.all.sort.2^30", 2**30, 1, [2.0], **{"peer:one GPU": [3e-3]})[:1])
        exchange = report.Row(of, runs("gpus.move.2^28", 2**28, 1, [2.0], **{"peer:ncclAlltoAll": [1e-3]})[:1])
        self.assertEqual(
            list(report.of_gpus([each, of_all, exchange], [], {"B": "1e12"}))[2:],
            [
                "| `work` | 2 H100 | threads | 28 | 2.000 |  |  |  | 1.000 |",
                "| `work` | 2 H100 | threads | 28 | 2.000 |  | 1.500 | 0.75 |  |",
                "| `work` | 2 H100 | threads | 30 in all | 2.000 |  | 3.000 | 0.75 |  |",
            ],
        )

    def test_writes_the_same_again(self):
        first = self.read()
        self.report()
        self.assertEqual(self.read(), first)


if __name__ == "__main__":
    unittest.main()
