#!/usr/bin/env python3
"""Code for one width of vectors must not be called where another is in use.

    vectors_test.py NM LIBRARY

What the linker sees of each part of the library is in a namespace of that width, so that it
takes none of it for a function that other parts of a program have too.
"""

import re
import subprocess
import sys


def main():
    nm, library = sys.argv[1:]
    symbols = subprocess.run([nm, "--defined-only", "--extern-only", library],
                             check=True, capture_output=True, text=True).stdout
    seen, strangers, width = set(), [], None
    for line in symbols.splitlines():
        if part := re.match(r"(?:.*/)?(\S+)\.o(?:bj)?:$", line):
            found = re.search(r"of_\d+_bytes", part[1])
            width = found and found[0]
        elif width and line.strip():
            seen.add(width)
            if f"{len(width)}{width}" not in line:  # as names are mangled
                strangers.append(line)
    print(*strangers, sep="\n")
    sys.exit(bool(strangers) or seen != {"of_32_bytes", "of_64_bytes"})


if __name__ == "__main__":
    main()
