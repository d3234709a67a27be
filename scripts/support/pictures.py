"""The pictures of the guide that ravel-trace draws: scripts/pictures writes them, and the test examples.trace
compares them."""

import pathlib
import subprocess

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "docs/guide/pictures"
EIGHT = "3 1 2 4 1 5 2 3".split()
PICTURES = {
    "step_doubling": ["step_doubling", *EIGHT],
    "work_efficient": ["work_efficient", *EIGHT],
    "brent_kung": ["brent_kung", *EIGHT],
    "warp_hierarchical": ["warp_hierarchical", *EIGHT],
    "decoupled_look_back": ["decoupled_look_back", *EIGHT, *"1 1 1 1 2 2 2 2".split()],
    "compaction": ["compaction", *"3 1 2 4 1 5".split()],
    "spmv": ["spmv", *EIGHT, "--segments", "3,3,2"],
    "split_radix_sort": ["split_radix_sort", *"5 7 3 1 4 2".split()],
    "quicksort_levels": ["quicksort_levels", *"3 1 5 4 1 6 2".split()],
    "list_ranking": ["list_ranking", *"4 2 2 0 1".split()],
    "pipeline": ["pipeline", *EIGHT],
    "nested_filter": ["nested_filter", *EIGHT, "--segments", "3,0,3,2"],
    "nested_choice": ["nested_choice", *EIGHT, "--segments", "3,0,3,2"],
    "mindex": ["mindex", *EIGHT, "--segments", "3,3,2"],
}

SCHEDULED = "decoupled_look_back"  # how its blocks meet depends on which loads a compiler keeps


def drawn(program):
    """(file, text) of each picture."""
    for name, arguments in PICTURES.items():
        text = subprocess.run([program, *arguments, "--format", "svg"], check=True, capture_output=True, text=True).stdout
        yield FOLDER / f"{name}.svg", text


def stale(program):
    def is_stale(file, text):
        return not file.exists() or (file.stem != SCHEDULED and file.read_text() != text)

    return [file.name for file, text in drawn(program) if is_stale(file, text)]
