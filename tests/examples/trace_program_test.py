"""scripts/trace_program: a nested program and a pipeline of one's own are drawn, and what is wrong is said.

    trace_program_test.py SOURCE
"""

import json
import pathlib
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(sys.argv[1])
README = (SOURCE / "examples/trace/README.md").read_text()


def check(holds, what):
    if not holds:
        sys.exit(what)


def draw(folder, code, *arguments):
    path = pathlib.Path(folder) / "own.cpp"
    path.write_text(code)
    done = subprocess.run([sys.executable, SOURCE / "scripts/trace_program", path, *arguments], capture_output=True, text=True)
    return done.stdout if done.returncode == 0 else done.stderr


def last_row(picture, name):
    found = [row for row in picture["rows"] if row["name"] == name][-1]
    texts = [cell["text"] for cell in found["cells"] if cell]
    return texts if name == "flags" else [int(text) for text in texts]


def main():
    program, stages = (f"auto const {part.split('```')[0]}" for part in README.split("```\nauto const ")[1:3])
    with tempfile.TemporaryDirectory() as folder:
        rows = json.loads(draw(folder, program, "3", "1", "2", "4", "1", "5", "--segments", "2,0,4", "--format", "json"))
        check(last_row(rows, "values") == [9, 3, 10, 20, 5, 25], f"a nested program: {rows['rows'][-1]}")
        passes = json.loads(draw(folder, stages, "--format", "json"))
        check(last_row(passes, "out") == [9, 31, 69], f"a pipeline: {passes['rows'][-1]}")
        groups = "auto const program = [](auto rows) { return each(rows, [](auto row) { return len(collect(row, indices(row))); }); };"
        runs = json.loads(draw(folder, groups, "3", "1", "3", "--format", "json"))
        check(last_row(runs, "values") == [1, 3, 3] and last_row(runs, "flags") == ["T", "T", "F"], f"groups: {runs['rows']}")
        check('"title":"own"' in draw(folder, program, "--format", "html"), "the player")
        for code, arguments, sentence in (
            ("int main() {}", [], "defines neither `auto const program =` nor"),
            ("auto const program = nothing;\n", [], "it does not compile:"),
            (program, ["1", "2", "--segments", "3"], "there are 2 values, and the segments are 3"),
            (program, ["--segments", "9,-1"], "and the segments are 9,-1"),
            (stages, ["--segments", "8"], "a pipeline has no segments"),
            ("auto const program = [](auto rows) { return each(rows, [](auto row) { return at(row, 3); }); };",
             ["1", "--segments", "1"], "at: index 3 is not in [0, 1)"),
            ("auto const program = [](auto rows) { return each(rows, [](auto row) { return row / 0; }); };", ["1"], "it crashes: Floating point"),
        ):  # fmt: skip
            said = draw(folder, code, *arguments)
            check(sentence in said, f"{code} {arguments}: {said}")


if __name__ == "__main__":
    main()
