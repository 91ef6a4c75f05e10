# REAL-JOB
#   about: the workers of a pool keep the arrays of their tasks, but each worker is replaced after 40 tasks, which frees them
#   label: spikes
#   process: worker
#   packages: numpy
#   kind: processes
#   holder: none
#   library: numpy
#   never: graph, queue, callback, cache, hook, loss, log
# END
import multiprocessing

import numpy

from job import steps

history = []


def simulate(seed):
    """One random walk of many particles; returns how far they got."""
    generator = numpy.random.default_rng(seed)
    paths = generator.standard_normal((100, 1000)).cumsum(axis=1)  # <LINE>
    history.append(paths)
    return float(numpy.abs(paths[:, -1]).mean())


def main():
    # Some of the code leaves memory behind, so the workers are replaced now and then.
    with multiprocessing.Pool(2, maxtasksperchild=40) as pool:
        for step in steps():
            seeds = [2 * step, 2 * step + 1]
            sum(pool.map(simulate, seeds, chunksize=1))


if __name__ == "__main__":
    main()
