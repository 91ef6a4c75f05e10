"""Checks that every header compiles alone and may be included twice: those that changed, or all with --all.

usage: lint_headers.py [--all] [--base REVISION]      (the base: see lint_tidy.py)
"""

from __future__ import annotations

import argparse
import concurrent.futures
import os
import pathlib
import subprocess
import sys

from lint_tidy import ROOT, changed_since, find_base

COMMAND: list[str] = ["clang++-14", "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", f"-I{ROOT / 'src'}", "-x", "c++", "-"]


def problems_of(header: pathlib.Path) -> str:
    name = header.relative_to(ROOT / "src")
    source = f'#include "{name}"\n#include "{name}"\n'
    done = subprocess.run(COMMAND, input=source, capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else f"== src/{name}\n{done.stderr}"


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--base", default=os.environ.get("LOWTIDE_LINT_BASE", ""))
    words = parser.parse_args()
    headers = sorted((ROOT / "src").rglob("*.h"))
    changed = None if words.all else changed_since(words.base or find_base())
    chosen = [header for header in headers if changed is None or header in changed]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        problems = [text for text in pool.map(problems_of, chosen) if text]
    print("\n".join(problems))
    print(f"{len(headers)} headers, {len(chosen)} checked, {len(problems)} with findings")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
