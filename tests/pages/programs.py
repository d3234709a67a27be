#!/usr/bin/env python3
"""The C++ of the pages, compiled and run.

usage: programs.py write LANGUAGE FILE PAGE...    one source file with all code of the pages
       programs.py run LANGUAGE PROGRAM PAGE...   runs it, and compares its output with the pages
       programs.py one LANGUAGE FILE NUMBER PAGE  one source file with the block NUMBER, a whole program

LANGUAGE is cpp, or cuda for what nvcc compiles: the info string of the fenced blocks.  On a page

  - a block with `int main()` is a whole program, and the next fenced block, ```text, is its output;
  - any other block is a fragment, the body of a function that is run.  What fragments use is declared in
    a comment before them that begins with `<!-- cpp` (or `<!-- cuda`), includes first.  If the next
    fenced block is ```text, it is the output of the fragment, which otherwise prints nothing;
  - ```cpp of FILE is an excerpt: FILE, relative to the root, must contain it to the letter.
"""

import difflib
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
MARK = "\x1e"  # before the output of each block: "record separator", which no page prints


class Block:
    def __init__(self, page, number, line, code, shared):
        self.page, self.line, self.code, self.shared = page, line, code, shared
        self.name = f"page_{re.sub('[^a-z0-9]', '_', page.stem.lower())}_{number}"
        self.is_program = "int main()" in code
        self.output = ""

    def where(self):
        return f"{os.path.relpath(self.page, ROOT)}:{self.line}"


def blocks_of(page, language):
    """The blocks of a page in this language; ends the process where one breaks the rules above."""
    found, shared, waiting = [], None, None
    lines = page.read_text(encoding="utf-8").splitlines()
    at = 0
    while at < len(lines):
        opening = re.fullmatch(r"(?:```|<!-- )(\w+)(?: of (\S+))?", lines[at])
        if not opening:
            at += 1
            continue
        closing = "-->" if lines[at].startswith("<!--") else "```"
        end = lines.index(closing, at)
        code, line = "\n".join(lines[at + 1:end]) + "\n", at + 2
        if closing == "-->":
            shared = (code, line) if opening[1] == language else shared
        elif opening[1] == "text":
            if waiting:
                waiting.output = code
            waiting = None
        else:
            waiting = None
            block = Block(page, len(found), line, code, shared)
            if opening[1] == language and not opening[2]:
                if not block.is_program and not shared:
                    sys.exit(f"{block.where()}: a fragment, and no <!-- {language} comment before it")
                found.append(block)
                waiting = block
            elif opening[2] and code not in (ROOT / opening[2]).read_text(encoding="utf-8"):
                sys.exit(f"{block.where()}: {opening[2]} has no such lines")
        at = end + 1
    for block in found:
        if block.is_program and not block.output:
            sys.exit(f"{block.where()}: a program, and no ```text block with its output follows")
    return found


def without_includes(code, includes):
    """The code with its #include lines moved to `includes`, and its lines where they were."""
    lines = code.splitlines()
    includes.update({l: None for l in lines if l.startswith("#include")})
    return "\n".join("" if l.startswith("#include") else l for l in lines)


def source_of(blocks):
    includes, body, calls = {}, [], []
    for block in blocks:
        body.append(f"namespace {block.name} {{")
        if block.is_program:
            code = without_includes(block.code, includes).replace("int main()", "static void run()")
            body += [f'#line {block.line} "{block.where().rsplit(":", 1)[0]}"', code]
        else:
            shared, line = block.shared
            page = block.where().rsplit(":", 1)[0]
            body += ["static void run() {", f'#line {line} "{page}"', without_includes(shared, includes),
                     "{", f'#line {block.line} "{page}"', without_includes(block.code, includes), "}}"]
        body.append(f"}}  // namespace {block.name}")
        calls.append(f'  std::cout << "{MARK}{block.where()}\\n";\n  {block.name}::run();')
    return "\n".join([
        *includes, "#include <exception>", "#include <iostream>", "",
        "// What a fragment makes, it need not use.",
        '#pragma GCC diagnostic ignored "-Wunused-variable"',
        '#pragma GCC diagnostic ignored "-Wunused-but-set-variable"',
        "#ifdef __CUDACC__", "#pragma nv_diag_suppress 177, 550", "#endif", "", *body,
        "int main() try {", *calls, "} catch (std::exception const& e) {",
        r"  std::cerr << e.what() << '\n';", "  return 1;", "}", ""])


def check(blocks, program):
    done = subprocess.run([program], stdout=subprocess.PIPE, encoding="utf-8")
    if done.returncode != 0:
        sys.exit(f"{program} exits with {done.returncode}, after\n{done.stdout}")
    printed = dict(part.split("\n", 1) for part in done.stdout.split(MARK)[1:])
    failed = False
    for block in blocks:
        said = printed[block.where()]
        if said != block.output:
            failed = True
            print(f"{block.where()}: the page shows (-) what the program does not print (+)")
            print("\n".join(difflib.unified_diff(block.output.splitlines(), said.splitlines(),
                                                 n=100, lineterm="")))
    print(f"{len(blocks)} blocks ran")
    return failed


def main():
    what, language, path, *pages = sys.argv[1:]
    number = int(pages.pop(0)) if what == "one" else None
    blocks = [block for page in pages for block in blocks_of(pathlib.Path(page), language)]
    if what == "write":
        pathlib.Path(path).write_text(source_of(blocks), encoding="utf-8")
    elif what == "one":
        if not blocks[number].is_program:
            sys.exit(f"{blocks[number].where()}: a fragment, and no program")
        pathlib.Path(path).write_text(blocks[number].code, encoding="utf-8")
    else:
        sys.exit(check(blocks, path))


main()
