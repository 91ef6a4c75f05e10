"""The cost of the agent for a step of torch, by turns: a job without lowtide and one with it, both running, of which
only one works at a time. The machine is the same for both, but not the memory layout; so there are several pairs.
"""
import os
import statistics
import subprocess

from interval import median_interval
from tools import LOWTIDE, import_error
from twins import LOADS

PAIRS = 5
ROUNDS = 20
PARTS = (("torch training step", ["training", "150"], 1.01), ("DataLoader, 4 workers", ["loader", "40"], 1.02))


class _Job:
    def __init__(self, words, python, arguments):
        self.process = subprocess.Popen([*words, python, os.path.join(LOADS, "in_turn.py"), *arguments], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        self.process.stdout.readline()

    def turn(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return int(self.process.stdout.readline())

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def _ratios(python, arguments):
    """Of each round, with its pair."""
    bare = _Job([], python, arguments)
    watched = _Job([LOWTIDE, "run", "--quiet", "--no-report", "--no-recording", "--"], python, arguments)
    for _ in range(ROUNDS):
        took = [job.turn() for job in (bare, watched, watched, bare)]
        yield (took[1] + took[2]) / (took[0] + took[3])
    bare.end()
    watched.end()


def bench_side_by_side(python, wanted, aims):
    parts = [part for part in PARTS if not wanted or any(word in part[0] for word in wanted)]
    why = import_error(python, "torch") if parts else None
    if why:
        print(f"SKIPPED torch by turns: {why}")
        return
    for name, arguments, aim in parts:
        pairs = [list(_ratios(python, arguments)) for _ in range(PAIRS)]
        middle, low, high = median_interval([ratio for pair in pairs for ratio in pair])
        each = ", ".join(f"{statistics.median(pair):.3f}" for pair in pairs)
        doubt = ", but the interval holds it" if low <= aim < high else ""
        aims.report(f"  {name:26}{middle:.3f} ({low:.3f} to {high:.3f}), {PAIRS} pairs of processes: {each}, aim <= {aim:.2f}",
                    middle <= aim, doubt)
