# REAL-JOB
#   about: a list at module level keeps the arrays of every task, and each worker of the pool has its own growing copy of it
#   label: leak
#   process: worker
#   packages: numpy
#   kind: processes
#   holder: history
#   library: numpy
#   never: graph, validation, queue, callback, cache, hook, loss, checkpoint
#   fix: history.clear()
#   real: https://docs.python.org/3/library/multiprocessing.html#module-multiprocessing.pool
# END
import multiprocessing

import numpy

from job import FIXED, steps

history = []


def simulate(seed):
    """One random walk of many particles; returns how far they got."""
    generator = numpy.random.default_rng(seed)
    paths = generator.standard_normal((50, 1000)).cumsum(axis=1)  # <LINE>
    history.append(paths)  # <KEPT>
    distance = float(numpy.abs(paths[:, -1]).mean())
    if FIXED:
        history.clear()
    return distance


def main():
    with multiprocessing.Pool(2) as pool:
        for step in steps():
            seeds = [4 * step + part for part in range(4)]
            sum(pool.map(simulate, seeds, chunksize=1))


if __name__ == "__main__":
    main()
