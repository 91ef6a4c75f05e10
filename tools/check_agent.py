"""Checks the built agent library: what it needs, what it shows, what it calls.

usage: check_agent.py LIBRARY FOLDER      FOLDER holds exports.txt and imports.txt

The lists are complete: a symbol that appears or vanishes is a change to be looked at.
What must never be in them is refused even if somebody lists it.
"""

from __future__ import annotations

import pathlib
import re
import subprocess
import sys
from collections.abc import Iterator

# May allocate, lock, end the process, or print; or needs a newer glibc than our users have.
BANNED = re.compile(
    r"^(abort|exit|_exit|_Exit|quick_exit|atexit|__cxa_.*(throw|atexit).*|__assert.*|.*printf.*|puts|fputs|fopen|"
    r"malloc|calloc|realloc|free|posix_memalign|aligned_alloc|strdup|strndup|_Zn.*|_Zd.*|"
    r"pthread_mutex.*|pthread_create|pthread_atfork|dlsym|dlvsym|dlopen|__tls_get_addr|"
    r"localtime.*|getenv|setenv|unsetenv|sem_.*|syscall|__stack_chk_fail|__.*_chk)$")
NEWEST_GLIBC = (2, 17)


def read(*command: str | pathlib.Path) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def symbols(library: pathlib.Path, is_defined: bool) -> Iterator[tuple[str, str]]:
    """Names and versions, for any architecture."""
    for line in read("readelf", "--dyn-syms", "-W", library).splitlines():
        words = line.split()
        if len(words) < 8 or not words[0].rstrip(":").isdigit() or words[4] == "LOCAL" or (words[6] == "UND") == is_defined:
            continue
        name, _, version = words[7].partition("@")
        yield name, version.lstrip("@")


def listed(path: pathlib.Path) -> set[str]:
    return {line.strip() for line in path.read_text().splitlines() if line.strip() and not line.startswith("#")}


def complaints(library: pathlib.Path, folder: pathlib.Path) -> Iterator[str]:
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", read("readelf", "-dW", library))
    if needed != ["libc.so.6"]:
        yield f"needs {' '.join(needed)}, and may need libc.so.6 only"
    exported = {name for name, _ in symbols(library, True)}
    imported = dict(symbols(library, False))
    for what, found, path in (("exports", exported, folder / "exports.txt"), ("imports", set(imported), folder / "imports.txt")):
        for name in sorted(found - listed(path)):
            yield f"{what} {name}, which is not in {path.name}"
    for name in sorted(listed(folder / "exports.txt") - exported):
        yield f"does not export {name}, which is in exports.txt"
    for name, version in sorted(imported.items()):
        if BANNED.match(name):
            yield f"calls {name}: banned in the target"
        if (hit := re.match(r"GLIBC_(\d+)\.(\d+)", version)) and (int(hit[1]), int(hit[2])) > NEWEST_GLIBC:
            yield f"needs {name} of {version}; older systems have at most {NEWEST_GLIBC}"
    flags = read("readelf", "-dW", library)
    # The linker reports this on x86_64 only; the relocations below show it on all architectures.
    is_x86 = "X86-64" in read("readelf", "-h", library)
    for flag in ("SYMBOLIC", "NODELETE") + (("STATIC_TLS",) if is_x86 else ()):
        if flag not in flags:
            yield f"is not linked as {flag}"
    # A relocation of these kinds means a TLS access through a call.
    if re.search(r"R_(X86_64_DTPMOD64|X86_64_TLSDESC|AARCH64_TLSDESC|AARCH64_TLS_DTPMOD)", read("readelf", "-rW", library)):
        yield "reaches its thread-local memory by a call"
    sections = read("readelf", "-SW", library)
    if ".eh_frame" not in sections:
        yield "has no unwind tables: stacks that begin in it could not be unwound"
    if hit := re.search(r"\bTLS\b\s+\S+\s+\S+\s+\S+\s+\S+\s+(0x[0-9a-f]+)", read("readelf", "-lW", library)):
        if int(hit[1], 16) > 64:
            yield f"takes {int(hit[1], 16)} bytes of every thread, and may take 64"


def main() -> None:
    library, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    found = list(complaints(library, folder))
    for complaint in found:
        print(f"{library.name} {complaint}")
    sys.exit(1 if found else 0)


main()
