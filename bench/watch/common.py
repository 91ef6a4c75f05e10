"""What the parts of the bench share: where the programs are, CPU time, and spread."""
import os
import sqlite3
import statistics

HERE = os.path.dirname(os.path.abspath(__file__))
LOWTIDE = os.environ.get("LOWTIDE", os.path.join(HERE, "..", "..", "src", "cli", "lowtide"))
BARE = os.path.join(HERE, "bare_reads")


def meta(recording):
    with sqlite3.connect(recording) as database:
        return dict(database.execute("select key, value from meta"))


def cpu_so_far_s(pid):
    """CPU seconds of all threads of a process that runs, to the nanosecond; ticks of 10 ms would be too coarse."""
    total_ns = 0
    for thread in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{thread}/schedstat") as file:
            total_ns += int(file.read().split()[0])
    return total_ns / 1e9


def spread(values, form):
    """The median, and the least and the most."""
    if len(values) == 1:
        return form.format(values[0])
    return f"{form.format(statistics.median(values))} ({form.format(min(values))} to {form.format(max(values))})"
