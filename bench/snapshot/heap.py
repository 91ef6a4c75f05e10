"""A process that holds many objects, and counts them with the method that its input names.

  heap.py OBJECTS     then reads lines: "fork", or the name of a method; prints seconds and objects for each
"""
import os
import sys
import time


class Point:
    __slots__ = ("x", "y")

    def __init__(self, x, y):
        self.x = x
        self.y = y


class Record:
    def __init__(self, number):
        self.number = number


def fork():
    """As long as the caller of fork waits: the median of seven."""
    took = []
    for _ in range(7):
        began = time.perf_counter()
        pid = os.fork()
        if pid == 0:
            os._exit(0)
        took.append(time.perf_counter() - began)
        os.waitpid(pid, 0)
    return sorted(took)[3], 0


def collector():
    import collections
    import gc
    began = time.perf_counter()
    counts = collections.Counter(type(item).__name__ for item in gc.get_objects())
    return time.perf_counter() - began, sum(counts.values())


def objgraph():
    import objgraph as tool
    began = time.perf_counter()
    counts = tool.typestats()
    return time.perf_counter() - began, sum(counts.values())


def guppy():
    import guppy as tool
    began = time.perf_counter()
    heap = tool.hpy().heap()
    return time.perf_counter() - began, heap.count


def pympler():
    from pympler import muppy, summary
    began = time.perf_counter()
    rows = summary.summarize(muppy.get_objects())
    return time.perf_counter() - began, sum(row[1] for row in rows)


def main():
    kept = []
    for number in range(0, int(float(sys.argv[1])), 12):  # each of these is twelve objects
        kept.append({"k%d" % number: number + 1000, "v": [number + 0.5, str(number)],
                     "t": (number, Point(number + 7000, None)), "d": Record(number + 9000)})
    print("ready", flush=True)
    for line in sys.stdin:
        try:
            print(*globals()[line.strip()](), flush=True)
        except ImportError as error:
            print("missing", error, flush=True)


if __name__ == "__main__":
    main()
