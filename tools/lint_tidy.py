"""Runs clang-tidy over all sources, in parallel, and remembers what was clean.

usage: lint_tidy.py BUILD_DIR      (one configured with clang: it holds compile_commands.json)

clang-tidy takes seconds per file, and most files have not changed. A file is
looked at again only when it, a header of ours that it includes, the rules, the
command or clang-tidy itself has changed: the key is a hash of all of these.
Only clean results are kept, so a finding is shown until it is gone.
"""

import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
from collections.abc import Iterable

ROOT = pathlib.Path(__file__).resolve().parent.parent
TIDY = "clang-tidy-14"
INCLUDE = re.compile(rb'^\s*#\s*include\s+"([^"]+)"', re.M)


def closure(source: pathlib.Path, folders: Iterable[pathlib.Path]) -> list[pathlib.Path]:
    """The source and all headers of ours that it reaches, by reading the includes."""
    seen: set[pathlib.Path] = set()
    waiting = [source]
    while waiting:
        path = waiting.pop()
        if path in seen:
            continue
        seen.add(path)
        for name in INCLUDE.findall(path.read_bytes()):
            for folder in (path.parent, *folders):
                candidate = (folder / name.decode(errors="replace")).resolve()
                if candidate.is_file():
                    waiting.append(candidate)
                    break
    return sorted(seen)


def key_of(entry: dict[str, str], rules: bytes) -> str:
    source = pathlib.Path(entry["directory"], entry["file"]).resolve()
    command = entry["command"]
    folders = [pathlib.Path(entry["directory"], name) for name in re.findall(r"-I\s*(\S+)", command)]
    digest = hashlib.sha256(rules)
    digest.update(command.encode())
    for path in closure(source, folders):
        digest.update(str(path.relative_to(ROOT) if path.is_relative_to(ROOT) else path).encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def tidy(source: pathlib.Path, build: pathlib.Path) -> tuple[int, str]:
    result = subprocess.run(
        [TIDY, "--quiet", "-p", str(build), str(source)], capture_output=True, text=True, check=False
    )
    # "N warnings generated." counts what was suppressed in system headers: noise.
    errors = "" if result.returncode == 0 else result.stderr
    return result.returncode, result.stdout + errors


def main() -> int:
    build = pathlib.Path(sys.argv[1]).resolve()
    entries: dict[pathlib.Path, dict[str, str]] = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        source = pathlib.Path(entry["directory"], entry["file"]).resolve()
        if source.is_relative_to(ROOT) and not source.is_relative_to(ROOT / "build"):
            entries.setdefault(source, entry)
    if not entries:
        print(f"{build}/compile_commands.json names no source of ours")
        return 1

    version = subprocess.run([TIDY, "--version"], capture_output=True, check=True).stdout
    rules = version + b"".join(path.read_bytes() for path in sorted(ROOT.glob("**/.clang-tidy")))
    cache = ROOT / "build" / "tidy"
    cache.mkdir(parents=True, exist_ok=True)
    keys = {source: key_of(entry, rules) for source, entry in entries.items()}
    stale = [source for source in sorted(entries) if not (cache / keys[source]).exists()]
    for known in cache.iterdir():
        if known.name not in keys.values():
            known.unlink()

    bad = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for source, (status, output) in zip(stale, pool.map(lambda path: tidy(path, build), stale)):
            if status == 0:
                (cache / keys[source]).touch()
            else:
                bad += 1
                print(f"== {source.relative_to(ROOT)}\n{output}")
    print(f"{len(entries)} sources, {len(stale)} looked at, {bad} with findings")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
