"""Says what a linked Mach-O file is: its kind, the libraries it names, how many symbols each gives, and whether it is signed.

A symbol that no library gives, or a file that is not a whole program, ends it with 1. Not a parser for every Mach-O: 64 bits, little-endian.
"""

import collections
import pathlib
import struct
import sys

MAGIC = 0xFEEDFACF
KINDS = {2: "program", 6: "library"}
MACHINES = {0x0100000C: "arm64", 0x01000007: "x86_64"}
LIBRARY_COMMANDS = {0xC, 0x80000018, 0x8000001F}
SYMBOLS, SIGNATURE = 0x2, 0x1D
# The places of a library in a symbol's description that name none: found at run time by whoever has it, or in the program itself.
FOUND_ANYWHERE, IN_PROGRAM = 0xFE, 0xFF


def load_commands(file):
    (count,) = struct.unpack_from("<I", file, 16)
    at = 32
    for _ in range(count):
        command, size = struct.unpack_from("<II", file, at)
        yield command, at, size
        at += size


def text_at(file, at):
    return file[at : file.index(b"\0", at)].decode()


def undefined_symbols(file, at):
    """Returns the name of each symbol that is not in the file, with the number of the library that has it."""
    symbols, count, names, _ = struct.unpack_from("<IIII", file, at + 8)
    for index in range(count):
        name, kind, _, described, _ = struct.unpack_from("<IBBHQ", file, symbols + 16 * index)
        is_debug, is_external, is_undefined = kind & 0xE0, kind & 0x01, (kind & 0x0E) == 0
        if not is_debug and is_external and is_undefined:
            yield text_at(file, names + name), described >> 8


def main(path):
    file = pathlib.Path(path).read_bytes()
    magic, machine, _, kind = struct.unpack_from("<IIII", file, 0)
    if magic != MAGIC:
        sys.exit(f"{path} is no Mach-O file of 64 bits")
    libraries, wanted, is_signed = [], [], False
    for command, at, _ in load_commands(file):
        if command in LIBRARY_COMMANDS:
            libraries.append(text_at(file, at + struct.unpack_from("<I", file, at + 8)[0]))
        elif command == SYMBOLS:
            wanted = list(undefined_symbols(file, at))
        elif command == SIGNATURE:
            is_signed = True
    by_library = collections.Counter(library for _, library in wanted)
    print(f"{path}: {MACHINES.get(machine, hex(machine))} {KINDS.get(kind, kind)}, {len(file)} bytes")
    for number, library in enumerate(libraries, 1):
        print(f"  {library}: {by_library[number]} symbols")
    lost = [name for name, library in wanted if library in (0, FOUND_ANYWHERE) or library > len(libraries) and library != IN_PROGRAM]
    print(f"  undefined symbols without a library: {len(lost)} {' '.join(lost[:10])}")
    print(f"  signature: {'present' if is_signed else 'none'}")
    if lost or KINDS.get(kind) != "program":
        sys.exit(1)


if __name__ == "__main__":
    main(sys.argv[1])
