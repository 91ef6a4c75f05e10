"""The monitor beside the libraries that people install: its memory, and its time in the first minute and later.

Wheels of torch and jax have ten times the symbols of Debian's packages. They are installed into build/bench-venv, or
LOWTIDE_TEST_VENV names an environment that has them.
"""
import os
import pathlib
import subprocess
import sys
import time

from common import HERE, LOWTIDE, cpu_so_far_s, meta

ROOT = pathlib.Path(HERE).parents[3]
LOADS = pathlib.Path(HERE) / "loads"
FIRST_S = 60
LEAST_S = 30  # for what comes after the first minute
MOST_MB = 48
MOST_FIRST = 0.03
MOST_STEADY = 0.01


def _python():
    """A Python with torch, transformers, jax and numpy from PyPI."""
    named = os.environ.get("LOWTIDE_TEST_VENV")
    place = pathlib.Path(named) if named else ROOT / "build" / "bench-venv"
    if not (place / "bin" / "python").exists():
        print(f"  installing torch, transformers, jax and numpy into {place} (some gigabytes)", file=sys.stderr, flush=True)
        subprocess.run([sys.executable, "-m", "venv", place], check=True)
        subprocess.run([place / "bin" / "pip", "install", "-q", "torch", "transformers[torch]", "jax", "numpy"], check=True)
    return place / "bin" / "python"


def _measure(python, load, seconds, recording):
    """Peak memory in MB, share of a core in the first minute, and after it."""
    watch = subprocess.Popen([LOWTIDE, "run", "--no-status", "--no-report", "--output", recording, "--",
                              python, LOADS / load, str(seconds)])
    began, marks = time.monotonic(), []
    for at_s in (FIRST_S, seconds):
        time.sleep(max(0.0, began + at_s - time.monotonic()))
        marks.append((time.monotonic() - began, cpu_so_far_s(watch.pid)))
    if watch.wait() != 0:
        sys.exit(f"{load} failed")
    (first_s, first_cpu_s), (last_s, last_cpu_s) = marks
    return (int(meta(recording)["monitor_rss_bytes"]) / 1e6, first_cpu_s / first_s,
            (last_cpu_s - first_cpu_s) / (last_s - first_s))


def bench_monitor(arguments, folder):
    python = _python()
    seconds = max(arguments.seconds, FIRST_S + LEAST_S)
    print(f"\nthe monitor beside PyPI's wheels, runs of {seconds} s: peak memory, share of one core in the first minute and "
          f"after it (goals: {MOST_MB} MB, {MOST_FIRST:.0%}, {MOST_STEADY:.0%})")
    within = True
    for load, module in (("torch_loop.py", "torch"), ("transformers_loop.py", "transformers"), ("jax_loop.py", "jax"),
                         ("many_processes.py", "torch")):
        if subprocess.run([python, "-c", f"import {module}"], capture_output=True).returncode:
            print(f"  {load:20} SKIPPED: {python} has no {module}")
            continue
        megabytes, first, steady = _measure(python, load, seconds, os.path.join(folder, load + ".lowtide"))
        print(f"  {load:20} {megabytes:5.1f} MB  {first:6.2%}  {steady:6.2%}", flush=True)
        within = within and megabytes <= MOST_MB and first <= MOST_FIRST and steady <= MOST_STEADY
    return within
