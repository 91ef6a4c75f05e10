"""What the agent adds to a step of torch, counted instead of timed: valgrind's callgrind counts the instructions of the
job with and without the agent. Other work on the machine does not change them.

Under Valgrind the hooks are called but take no samples, so the time of the samples comes from a run without Valgrind: the
agent measures it itself.
"""
import glob
import os
import resource
import shutil
import subprocess
import time

import recording
from tools import LOWTIDE, import_error
from twins import LOADS

PARTS = (("torch training step", "training.py", 100, 1.01), ("DataLoader, 4 workers", "loader.py", 16, 1.02))
SAMPLED_S = 20


def _count(words, python, script, units, folder):
    out = os.path.join(folder, "callgrind.out")
    subprocess.run([*words, "valgrind", "-q", "--tool=callgrind", "--instr-atstart=no", f"--callgrind-out-file={out}.%p", python,
                    os.path.join(LOADS, script), os.path.join(folder, "result"), str(units)], check=True, stdin=subprocess.DEVNULL)
    total = 0
    for path in glob.glob(out + ".*"):
        with open(path) as file:
            total += sum(int(line.split()[1]) for line in file if line.startswith("totals:"))
        os.remove(path)
    return total


def _children_cpu_s():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _sampling_share(python, script, units, folder):
    """Of the CPU time of the job and its workers, from its start: a job has most samples in its first seconds. The agent
    takes the time by a clock that runs on while it waits for a CPU, so this is too much where other work runs."""
    took_s = used_s = 0.0
    while took_s < SAMPLED_S:  # a run of a fixed number of steps is short on a fast machine
        file = os.path.join(folder, f"sampled-{units}.lowtide")
        began, before_s = time.monotonic(), _children_cpu_s()
        subprocess.run([LOWTIDE, "run", "--quiet", "--no-report", "--output", file, "--", python,
                        os.path.join(LOADS, script), os.path.join(folder, "result"), str(units)], check=True)
        took_s, used_s = time.monotonic() - began, _children_cpu_s() - before_s
        units = int(units * max(2.0, 1.2 * SAMPLED_S / took_s))
    return recording.agents(file)["sampling_ns"] * 1e-9 / used_s


def bench_counted(python, folder, aims):
    if shutil.which("valgrind") is None:
        print("SKIPPED counted: there is no valgrind (apt-get install valgrind)")
        return
    why = import_error(python, "torch")
    if why:
        print(f"SKIPPED counted: {why}")
        return
    watch = [LOWTIDE, "run", "--quiet", "--no-report", "--no-recording", "--"]
    print("\ninstructions with the agent / without (callgrind), and the share of the time that samples take")
    for name, script, units, aim in PARTS:
        bare, again = (_count([], python, script, units, folder) for _ in range(2))
        hooked = _count(watch, python, script, units, folder)
        samples = _sampling_share(python, script, units, folder)
        ratio = 2 * hooked / (bare + again) + samples
        aims.report(f"  {name:26}{2 * hooked / (bare + again):.4f} + {samples:.4f} = {ratio:.4f} (bare twice: {again / bare:.4f}), "
                    f"aim <= {aim:.2f}", ratio <= aim)
