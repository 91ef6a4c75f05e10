"""The cost of the hooks within one process: with and without them, by turns of milliseconds.

Two processes differ by a few percent because of their memory layout and of other load on the machine. Within one
process neither matters. Samples are taken as usual, and their cost is included.
"""
import json
import os
import subprocess

from interval import median_interval
from tools import LOWTIDE
from twins import EIGHT_THREADS, LIBRARY, LOADS, ONE_THREAD

PARTS = (("Python objects", ["objects"], 1.03), (ONE_THREAD, ["pairs", "1", LIBRARY], 1.05),
         (EIGHT_THREADS, ["pairs", "8", LIBRARY], 1.05))


def ratios_of(words, python, folder):
    result = os.path.join(folder, "turns")
    subprocess.run([LOWTIDE, "run", "--quiet", "--no-report", "--no-recording", "--", python,
                    os.path.join(LOADS, "by_turns.py"), result, *words], check=True, stdin=subprocess.DEVNULL)
    with open(result) as file:
        return json.load(file)


def bench_turns(python, wanted, folder, aims):
    print("\nwith the hooks / without, in one process by turns of milliseconds: median (95%)")
    medians = {}
    for name, words, aim in PARTS:
        if wanted and not any(word in name for word in wanted):
            continue
        ratios = ratios_of(words, python, folder)
        medians[name], low, high = median_interval(ratios)
        aims.report(f"  {name:26}{medians[name]:.3f} ({low:.3f} to {high:.3f}) of {len(ratios)}, aim <= {aim:.2f}",
                  medians[name] <= aim)
    if {ONE_THREAD, EIGHT_THREADS} <= medians.keys():
        beside = medians[EIGHT_THREADS] / medians[ONE_THREAD]
        aims.report(f"  8 threads beside 1: {beside:.3f}, aim <= 1.05", beside <= 1.05)
    return medians
