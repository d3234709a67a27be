#!/usr/bin/env python3
"""Fails on a compiled kernel that does nothing.

usage: kernels.py [--all] PROGRAM-OR-FOLDER...

nvcc may turn device code that reaches a host function into an empty kernel, at
times with no more than a warning.  So this reads the kernels out of compiled
programs, and fails on one of two instructions or fewer, or without any
instruction that changes memory outside the block, in the kernel or in what it
calls.  Kernels of CUB and Thrust are not ours to judge.  With --all every kernel
is listed, not only the bad.

A program keeps its device code in section .nv_fatbin: containers, each a header
and entries, an entry a header and a cubin, which is an ELF file and may be
compressed with Zstandard.  From sm_70 on an instruction has 16 bytes, and its
low 9 bits say what it does.  No tool of CUDA's is needed.
"""

import collections
import ctypes
import pathlib
import struct
import subprocess
import sys

STORES = {
    0x185: "ST", 0x186: "STG", 0x18A: "ATOM", 0x18B: "ATOM.CAS", 0x18E: "RED", 0x1A6: "REDG",
    0x1A8: "ATOMG", 0x1A9: "ATOMG.CAS", 0x1B5: "UTMASTG", 0x1B6: "UTMAREDG", 0x1BB: "UBLKRED",
}  # fmt: skip
BULK_COPY = 0x1BA  # UBLKCP, which stores where bits 9 and 10 of its upper half say so
NOP, BRANCH = 0x118, 0x147

FATBIN_MAGIC = 0xBA55ED50
CUBIN = 2
FUNCTION, KERNEL = 2, 0x10  # a symbol's type, and the mark of a kernel in its st_other
RELOCATIONS = (4, 9)  # the types of their sections, with and without addends
NOT_OURS = ("_ZN3cub", "_ZN6thrust")


class Elf:
    """The sections and symbols of a 64-bit little-endian ELF file."""

    def __init__(self, data):
        self.data = data
        (table,) = struct.unpack_from("<Q", data, 0x28)
        size, count, names = struct.unpack_from("<HHH", data, 0x3A)
        self.headers = [struct.unpack_from("<IIQQQQIIQQ", data, table + i * size) for i in range(count)]
        self.names = [self.string(names, header[0]) for header in self.headers]

    def string(self, section, offset):
        start = self.headers[section][4] + offset
        return self.data[start : self.data.index(b"\0", start)].decode()

    def section(self, index):
        offset, size = self.headers[index][4:6]
        return self.data[offset : offset + size]

    def symbols(self):
        """(name, type, st_other, section) of each symbol."""
        table = self.names.index(".symtab")
        return [
            (self.string(self.headers[table][6], entry[0]), entry[1] & 15, entry[2], entry[3])
            for entry in struct.iter_unpack("<IBBHQQ", self.section(table))
        ]

    def named_from(self):
        """Yields (section, symbol) for each symbol that a section's code names."""
        for i, header in enumerate(self.headers):
            if header[1] in RELOCATIONS:
                data = self.section(i)
                for at in range(0, len(data), header[9]):
                    yield header[7], struct.unpack_from("<Q", data, at + 8)[0] >> 32


def inflated(payload):
    """The bytes that a Zstandard frame holds."""
    try:
        zstd = ctypes.CDLL("libzstd.so.1")
    except OSError:
        sys.exit("kernels: libzstd.so.1 is needed to read compressed device code (package libzstd1)")
    zstd.ZSTD_getFrameContentSize.restype = ctypes.c_ulonglong
    zstd.ZSTD_decompress.restype = ctypes.c_size_t
    size = zstd.ZSTD_getFrameContentSize(payload, ctypes.c_size_t(len(payload)))
    out = ctypes.create_string_buffer(size)
    got = zstd.ZSTD_decompress(out, ctypes.c_size_t(size), payload, ctypes.c_size_t(len(payload)))
    if got != size:
        sys.exit("kernels: a compressed cubin does not decompress")
    return out.raw


def cubins(program):
    """Yields each cubin in the .nv_fatbin section of an ELF file."""
    elf = Elf(program)
    for i, name in enumerate(elf.names):
        if name != ".nv_fatbin":
            continue
        section = elf.section(i)
        at = 0
        while at + 16 <= len(section):
            magic, _, header, size = struct.unpack_from("<IHHQ", section, at)
            if magic != FATBIN_MAGIC:
                at += 8  # containers are aligned to 8 bytes
                continue
            entry, end = at + header, at + header + size
            while entry < end:
                kind, _, header, size, compressed = struct.unpack_from("<HHIQI", section, entry)
                payload = section[entry + header : entry + header + (compressed or size)]
                if kind == CUBIN:
                    yield inflated(payload) if compressed else payload
                entry += header + size
            at = end


def measure(code):
    """(instructions without the padding, stores) of a function's code."""
    words = list(struct.iter_unpack("<QQ", code))
    while words and words[-1][0] & 0x1FF == NOP:
        words.pop()
    if words and words[-1][0] & 0x1FF == BRANCH:  # to itself, after the last exit
        words.pop()
    stores = sum(
        low & 0x1FF in STORES or (low & 0x1FF == BULK_COPY and high >> 9 & 3 == 2)
        for low, high in words
    )
    return len(words), stores


def reached(section, called):
    """The sections that one leads to, itself among them."""
    found, left = set(), [section]
    while left:
        at = left.pop()
        if at not in found:
            found.add(at)
            left += called[at]
    return found


def kernels(program):
    """Yields (name, instructions, stores) for each kernel of ours in an ELF file."""
    for cubin in cubins(program):
        if cubin[:4] != b"\x7fELF":
            sys.exit("kernels: a cubin is neither an ELF file nor one compressed with Zstandard")
        elf = Elf(cubin)
        symbols = elf.symbols()
        called = collections.defaultdict(set)  # of each section of code: those that it names
        for section, symbol in elf.named_from():
            if symbols[symbol][1] == FUNCTION:
                called[section].add(symbols[symbol][3])
        for name, kind, other, section in symbols:
            if kind == FUNCTION and other & KERNEL and not name.startswith(NOT_OURS):
                parts = [measure(elf.section(part)) for part in reached(section, called)]
                yield name, *map(sum, zip(*parts))


def readable(names):
    """The names as C++ spells them, where c++filt is there to say."""
    try:
        run = subprocess.run(["c++filt"], input="\n".join(names), capture_output=True, text=True)
        return run.stdout.split("\n")
    except OSError:
        return names


def programs(paths):
    for path in map(pathlib.Path, paths):
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.is_file() and file.open("rb").read(4) == b"\x7fELF":
                yield file


def main():
    paths = [a for a in sys.argv[1:] if a != "--all"]
    if not paths:
        sys.exit(__doc__)
    rows = [
        (instructions, stores, name, file.name)
        for file in programs(paths)
        for name, instructions, stores in kernels(file.read_bytes())
    ]
    if not rows:
        sys.exit(f"kernels: no kernel in {' '.join(paths)}")
    bad = [row for row in rows if row[0] <= 2 or row[1] == 0]
    listed = sorted(rows if "--all" in sys.argv else bad)
    if listed:
        print("instructions  stores  kernel")
        for row, name in zip(listed, readable([row[2] for row in listed])):
            print(f"{row[0]:12}  {row[1]:6}  {name}  [{row[3]}]")
    least = min(rows)[0]
    print(f"kernels: {len(rows)} compiled, the shortest of {least} instructions, {len(bad)} that do nothing")
    sys.exit(1 if bad else 0)


main()
