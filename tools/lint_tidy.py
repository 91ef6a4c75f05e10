"""Runs clang-tidy over the sources that changed, or over all of them.

usage: lint_tidy.py BUILD_DIR [--all] [--base REVISION] [--minutes N]

BUILD_DIR is configured with clang and holds compile_commands.json.

clang-tidy takes seconds per file, so by default it checks what changed since the base: changed sources, and for each
changed header one source that includes it. A file that only moved did not change. The base is where this branch left its
upstream; on the upstream branch itself it is the newest commit that is six hours older than the last one. The sources
with most changed lines come first. After --minutes (4) the rest is left out, and the last line counts it: a slow
machine must not use up the time of the tests. With --all it checks every source, however long that takes.

A source is checked again only when it, a header of the project that it includes, the rules, the command or clang-tidy
itself has changed: the key is a hash of all of these. Only clean results are kept, so a finding is shown until it is gone.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import time
from collections.abc import Iterable

ROOT = pathlib.Path(__file__).resolve().parent.parent
TIDY = "clang-tidy-14"
INCLUDE = re.compile(rb'^\s*#\s*include\s+"([^"]+)"', re.M)
SESSION_S = 6 * 3600
Entry = dict[str, str]


def git(*words: str) -> str:
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""


def find_base() -> str:
    head = git("rev-parse", "HEAD")
    upstream = git("merge-base", "HEAD", "@{upstream}") or git("merge-base", "HEAD", "origin/main")
    if upstream and upstream != head:
        return upstream
    last_s = int(git("log", "-1", "--format=%ct") or 0)
    return git("log", "-1", "--format=%H", f"--before={last_s - SESSION_S}")


def changed_since(base: str) -> set[pathlib.Path] | None:
    """Files that differ from the base, uncommitted ones included; None where there is no base."""
    if not base:
        return None
    rows = git("diff", "--name-status", "--diff-filter=d", "-M85%", "-l4000", base).splitlines()
    names = [row.split("\t")[-1] for row in rows if not row.startswith("R")]  # what only moved is not checked again
    names += git("ls-files", "--others", "--exclude-standard").splitlines()
    return {ROOT / name for name in names}


def lines_changed(base: str) -> dict[pathlib.Path, int]:
    rows = (row.split("\t") for row in git("diff", "--numstat", "--no-renames", base).splitlines())
    return {ROOT / name: int(added) + int(removed) for added, removed, name in rows if added != "-"}


def closure(source: pathlib.Path, folders: Iterable[pathlib.Path]) -> list[pathlib.Path]:
    """The source and all headers of the project that it reaches, by reading the includes."""
    seen, waiting = set(), [source]
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


def reached_by(entry: Entry) -> list[pathlib.Path]:
    source = pathlib.Path(entry["directory"], entry["file"]).resolve()
    folders = [pathlib.Path(entry["directory"], name) for name in re.findall(r"-I\s*(\S+)", entry["command"])]
    return closure(source, folders)


def key_of(entry: Entry, rules: bytes, reached: Iterable[pathlib.Path]) -> str:
    digest = hashlib.sha256(rules)
    digest.update(entry["command"].replace(str(ROOT), "").encode())
    for path in reached:
        digest.update(str(path.relative_to(ROOT) if path.is_relative_to(ROOT) else path).encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def choose(reached: dict[pathlib.Path, list[pathlib.Path]], changed: set[pathlib.Path]) -> set[pathlib.Path]:
    """The changed sources, and for each changed header the source of its name, or one that includes it."""
    chosen = {source for source in reached if source in changed}
    covered = {path for source in chosen for path in reached[source]}
    for header in sorted(path for path in changed if path.suffix == ".h" and path not in covered):
        users = [source for source in sorted(reached) if header in reached[source]]
        twin = header.with_suffix(".cpp")
        if users:
            chosen.add(twin if twin in users else users[0])
    return chosen


def tidy(source: pathlib.Path, build: pathlib.Path) -> tuple[int, str]:
    result = subprocess.run(
        [TIDY, "--quiet", "-p", str(build), str(source)], capture_output=True, text=True, check=False
    )
    # "N warnings generated." counts what was suppressed in system headers: noise.
    errors = "" if result.returncode == 0 else result.stderr
    return result.returncode, result.stdout + errors


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--base", default=os.environ.get("LOWTIDE_LINT_BASE", ""))
    parser.add_argument("--minutes", type=float, default=4)
    words = parser.parse_args()
    build = words.build.resolve()
    entries: dict[pathlib.Path, Entry] = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        source = pathlib.Path(entry["directory"], entry["file"]).resolve()
        if source.is_relative_to(ROOT) and not source.is_relative_to(ROOT / "build"):
            entries.setdefault(source, entry)
    if not entries:
        print(f"{build}/compile_commands.json names no source of the project")
        return 1

    reached = {source: reached_by(entry) for source, entry in entries.items()}
    base = words.base or find_base()
    changed = None if words.all else changed_since(base)
    chosen = set(entries) if changed is None else choose(reached, changed)

    version = subprocess.run([TIDY, "--version"], capture_output=True, check=True).stdout
    rules = version + b"".join(path.read_bytes() for path in sorted(ROOT.glob("**/.clang-tidy")))
    cache = ROOT / "build" / "tidy"
    cache.mkdir(parents=True, exist_ok=True)
    keys = {source: key_of(entry, rules, reached[source]) for source, entry in entries.items()}
    stale = [source for source in sorted(chosen) if not (cache / keys[source]).exists()]
    for known in cache.iterdir():
        if known.name not in keys.values():
            known.unlink()

    bad = 0
    left_out = 0
    ends_s = float("inf") if changed is None else time.monotonic() + 60 * words.minutes
    weights = lines_changed(base) if changed is not None else {}
    stale.sort(key=lambda source: -weights.get(source, 0))

    def tidy_in_time(source: pathlib.Path) -> tuple[int | None, str]:
        return tidy(source, build) if time.monotonic() < ends_s else (None, "")

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for source, (status, output) in zip(stale, pool.map(tidy_in_time, stale)):
            if status is None:
                left_out += 1
            elif status == 0:
                (cache / keys[source]).touch()
            else:
                bad += 1
                print(f"== {source.relative_to(ROOT)}\n{output}")
    print(f"{len(entries)} sources, {len(chosen)} changed, {len(stale) - left_out} checked, {bad} with findings")
    if left_out:
        print(f"{left_out} changed sources were not checked in {words.minutes:g} minutes; try: ./dev lint --all")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
