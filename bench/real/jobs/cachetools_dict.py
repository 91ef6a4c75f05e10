# REAL-JOB
#   about: a function is cached with cachetools in a plain dict, which has no limit; each step asks for a new key
#   label: leak
#   process: main
#   packages: cachetools numpy
#   kind: python
#   holder: cache
#   library: numpy
#   never: graph, validation, queue, callback, dataset, worker, hook, loss, checkpoint
#   fix: cachetools.cached(cache=cachetools.LRUCache(maxsize=16))
#   real: https://cachetools.readthedocs.io/en/stable/
# END
import cachetools
import numpy

from job import FIXED, steps

STATIONS = 300


@cachetools.cached(cache=cachetools.LRUCache(maxsize=16) if FIXED else {})  # <KEPT>
def distances(hour):
    """Distances between all stations with the positions of this hour."""
    positions = numpy.random.default_rng(hour).random((STATIONS, 2))
    between = positions[:, None, :] - positions[None, :, :]
    return numpy.sqrt((between**2).sum(axis=2))  # <LINE>


def nearest(hour, station):
    row = distances(hour)[station].copy()
    row[station] = numpy.inf
    return int(row.argmin())


for step in steps():
    for station in range(10):
        nearest(step, station)
