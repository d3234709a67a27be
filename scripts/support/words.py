#!/usr/bin/env python3
"""Refuses home-made words where the field has a term.

    scripts/support/words.py [FILE...]      all tracked sources and pages if no file is named

Each use is printed as FILE:LINE: WORDS: say TERM.  In headers, variables whose names are function words
alone are refused too: `auto const there = ...`.  words_allowed.txt, beside this script, lists the
places where a word is right; an entry that no use needs fails too.  A phrase may go over lines of a
comment, and a word may be part of an identifier.
"""

import bisect
import fnmatch
import pathlib
import re
import subprocess
import sys

# A space stands for the white space, and what begins a line of a comment, between two words.
DENIED = {
    r"ask(s|ed|ing)?": "evaluate, test, call, query, read, request, prefetch",
    r"tell(s|ing)?|told": "publish, pass, report, specify, set",
    r"(no|some)body('s)?|whoever|whomever": "the actor: the caller, the kernel, the reducer warp",
    r"(those )?of whom|of whose": "two sentences",
    r"ahead of": "before, preceding",
    r"behind": "after, following",
    r"(first|second|third) caches?": "L1, L2, last-level cache",
    r"past the( (first|second|last|third))? caches?": "non-temporal, streaming",
    r"leaves? the caches? first": "evict-first",
    r"(bring(s|ing)?|brought|come|comes) near": "prefetch",
    r"say(s|ing)? (yes|no)|said (yes|no)": "return true, return false",
    r"(un)?foresee(s|n|ing)?|foresaw": "predict",
    r"(met|meets?|meeting) in (no|a|one) bank": "bank conflict",
    r"side by side": "contiguous, adjacent",
    r"relay(s|ed|ing)?|batons?": "chained scan, pass the prefix",
    r"journeys?": "passes, ping-pong buffers",
    r"rid(e|es|ing)|rode": "copied to the stage",
}
# A local variable of a header that is a function word alone.
NAME = re.compile(r"\bauto(?: const)?[ &*]+(?:const )?(?:of|to|there|most|is|by|from)(?=\s*(?:=[^=]|\{))")
SUFFIXES = {".hpp", ".cuh", ".cpp", ".cu", ".h", ".in", ".md", ".py", ".sh", ".txt", ".cmake", ".tex", ".ipynb", ""}
HERE = pathlib.Path(__file__).resolve()
ROOT = HERE.parent.parent.parent
ALLOWED = HERE.with_name("words_allowed.txt")


def compiled(words):
    """A pattern that finds the words in text, in parts of identifiers, and over lines of a comment."""
    gap = r"(?:[ ]|[ \t]*\n[ \t]*(?://+!?|#|\*)?[ \t]*)"
    return re.compile(rf"(?<![A-Za-z])(?:{words.replace(' ', gap)})(?![A-Za-z])", re.IGNORECASE)


def entries():
    """The allow-list: (line, glob of files, pattern of the line, reason)."""
    found = []
    for number, line in enumerate(ALLOWED.read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        fields = [field.strip() for field in line.split(" : ")]
        if len(fields) != 3 or not all(fields):
            sys.exit(f"{ALLOWED.name}:{number}: write FILES : PATTERN : REASON")
        found.append((number, fields[0], re.compile(fields[1], re.IGNORECASE)))
    return found


def tracked(names):
    listed = subprocess.run(["git", "ls-files", "-z", "--", *names], cwd=ROOT, check=True, capture_output=True, text=True)
    for name in filter(None, listed.stdout.split("\0")):
        path = ROOT / name
        if path.suffix in SUFFIXES and path.is_file() and not path.is_symlink() and path not in (HERE, ALLOWED):
            yield name


def uses(text, patterns):
    """Every use of a denied word: (line number, the line where it begins, the words, what to say)."""
    starts = [0] + [at.end() for at in re.finditer("\n", text)]
    for pattern, term in patterns:
        for match in pattern.finditer(text):
            number = bisect.bisect_right(starts, match.start())
            end = text.find("\n", match.end())
            yield number, text[starts[number - 1] : end if end >= 0 else None], match.group(), term


def main(names):
    patterns = [(compiled(words), term) for words, term in DENIED.items()]
    allowed = entries()
    needed = set()
    failed = 0
    for name in tracked(names):
        here = [entry for entry in allowed if fnmatch.fnmatchcase(name, entry[1])]
        text = (ROOT / name).read_text(errors="replace")
        names = [(NAME, "what it holds")] if "/include/" in name else []
        for number, line, words, term in sorted(uses(text, patterns + names)):
            reason = next((entry for entry in here if entry[2].search(line)), None)
            if reason:
                needed.add(reason[0])
            else:
                failed += 1
                print(f"{name}:{number}: '{' '.join(words.split())}': say {term}")
    if not names:
        for number, glob, pattern in allowed:
            if number not in needed:
                failed += 1
                print(f"{ALLOWED.name}:{number}: nothing needs '{glob} : {pattern.pattern}'")
    if failed:
        print(f"{failed} to reword; a place where the word is right goes to {ALLOWED.relative_to(ROOT)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
