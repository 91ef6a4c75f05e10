"""How a load reports what it took: RESULT gets {"cpu_ns", "cpu_least_ns", "wall_ns", "instructions"} of a unit.

Into a file, because the tools that start a load write to its standard output. The work is
done in blocks, and the middle one counts: a burst of something else on the machine spoils
a block, not the figure. CPU time is that of the process and of the children that it has
waited for.
"""
import json
import os
import resource
import statistics
import subprocess
import sys
import time

from instructions import instructions


def cpu_now_ns():
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time_ns() + int((children.ru_utime + children.ru_stime) * 1e9)


def wait_for_agent():
    """Until it is at work, and has run its script in this interpreter. It comes with a sample, for which there must be blocks."""
    until = time.monotonic() + 60
    while not hasattr(sys, "_lowtide") and time.monotonic() < until:
        bytes(100_000_000)
        time.sleep(0.05)


def count(is_on):
    """Under callgrind (counted.py): only the work is counted, not the imports, nor what the agent does once."""
    if "vgpreload" in os.environ.get("LD_PRELOAD", ""):
        if is_on and "liblowtide_agent" in os.environ["LD_PRELOAD"]:
            wait_for_agent()
        subprocess.run(["callgrind_control", "-i", "on" if is_on else "off", str(os.getpid())], stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, check=True)


def report_units(result, units, work, blocks=5):
    """Does work(UNITS) once for each block, UNITS in all."""
    each = units // blocks
    took = []
    before = instructions()
    count(True)
    for _ in range(blocks):
        cpu_ns, wall_ns = cpu_now_ns(), time.perf_counter_ns()
        work(each)
        took.append(((cpu_now_ns() - cpu_ns) / each, (time.perf_counter_ns() - wall_ns) / each))
    count(False)
    executed = None if before is None else (instructions() - before) / (each * blocks)
    with open(result, "w") as file:
        json.dump({"instructions": executed, "cpu_ns": statistics.median(block[0] for block in took),
                   "cpu_least_ns": min(block[0] for block in took),
                   "wall_ns": statistics.median(block[1] for block in took)}, file)
