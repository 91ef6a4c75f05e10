# REAL-JOB
#   about: an object whose class is called a queue keeps results in a list; nothing waits in it
#   label: leak
#   process: main
#   packages: numpy
#   kind: python, lookalike
#   holder: done
#   never: queue, maxsize, producer, validation, dataset, graph
#   fix: self.done = self.done[-20:]
# END
import numpy

from job import FIXED, steps


class WorkQueue:
    """Work that was done, with its results."""

    def __init__(self):
        self.done = []

    def finish(self, result):
        self.done.append(result)  # <KEPT>
        if FIXED:
            self.done = self.done[-20:]


def solve(step):
    return numpy.full(50_000, float(step))  # <LINE>


work = WorkQueue()
for step in steps():
    work.finish(solve(step))
