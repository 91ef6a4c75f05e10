#!/usr/bin/env python3
"""lowtide.Cleanup on the jobs of the zoo: ./dev bench cleanup

usage: cleanup [--steps N] [--seconds N] [-j N] [NUMBER...]

Every job runs three times: without cleanup, with every cleanup call after every step (as scripts often do), and with
Cleanup. Aims: memory is not higher than with the calls after every step (within 2% at the end and 5% on average, because
Cleanup reads memory a few times per second), the cost is within the budget of 1% except for one call of unknown cost, and
jobs that only warm up get "no action was needed". Memory is that of the process that trains.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys

sources = pathlib.Path(__file__).resolve().parents[4]
PYTHON = "/usr/bin/python3" if os.path.exists("/usr/bin/python3") else sys.executable
JOB = sources / "tests/package/jobs/zoo_cleaning.py"
WAYS = ("none", "fixed", "learned")
WARM_UPS = ("30",)
MOST_MEAN, MOST_SETTLED, MOST_COST = 1.05, 1.02, 0.01


def run(path, how, words):
    settings = {**os.environ, "PYTHONPATH": str(sources / "python"), "OMP_NUM_THREADS": "1"}
    done = subprocess.run([PYTHON, "-B", JOB, how, path, "--steps", str(words.steps), "--seconds", str(words.seconds)],
                          env=settings, capture_output=True, text=True)
    lines = done.stdout.splitlines()
    return json.loads(lines[-1]) if done.returncode == 0 and lines else {"error": done.stderr.strip()[-200:]}


def misses(name, none, fixed, learned):
    """What of the aims was not kept."""
    if learned["mean"] > MOST_MEAN * fixed["mean"] or learned["settled"] > MOST_SETTLED * fixed["settled"]:
        yield f"memory {learned['mean'] / fixed['mean']:.2f} of that by hand, at the end {learned['settled'] / fixed['settled']:.2f}"
    if learned["share"] > MOST_COST + learned["longest_s"] / learned["elapsed_s"]:
        yield f"cost {learned['share']:.2%}"
    if name[:2] in WARM_UPS and learned["needed"]:
        yield "a warm-up is said to need it"


def row(name, none, fixed, learned):
    memory = "  ".join(f"{job['mean'] / 1e6:5.0f} {job['settled'] / 1e6:5.0f}" for job in (none, fixed, learned))
    said = "needed" if learned["needed"] else "not needed"
    return f"{name:24} {memory}   {fixed['share']:6.1%} {learned['share']:7.2%}  {said:10} {'; '.join(misses(name, none, fixed, learned))}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--seconds", type=float, default=18)
    parser.add_argument("-j", type=int, default=1, help="jobs at once")
    parser.add_argument("numbers", nargs="*")
    words = parser.parse_args()
    paths = [path for path in sorted((sources / "zoo").glob("[0-9]*.py")) if not words.numbers or path.name[:2] in words.numbers]
    print("MB on average and at the end: without, by hand, Cleanup; then what by hand and Cleanup took of the time", flush=True)
    missed = 0
    with concurrent.futures.ThreadPoolExecutor(words.j) as pool:
        runs = {(path, how): pool.submit(run, path, how, words) for path in paths for how in WAYS}
        for path in paths:
            jobs = [runs[path, how].result() for how in WAYS]
            wrong = next((job["error"] for job in jobs if "error" in job), None)
            if wrong or jobs[-1]["steps"] < words.steps:
                print(f"{path.stem:24} SKIPPED: {wrong or 'the process that is started makes no steps'}", flush=True)
                continue
            print(row(path.stem[:24], *jobs), flush=True)
            missed += any(misses(path.stem, *jobs))
    print(f"aims {'kept' if not missed else f'MISSED by {missed} jobs'}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
