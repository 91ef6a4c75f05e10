# REAL-JOB
#   about: a function has an lru_cache of 180 arrays, which is full after 180 steps and then replaces old entries
#   label: warmup
#   process: main
#   packages: numpy
#   kind: python
#   holder: none
#   library: numpy
#   never: graph, queue, callback, hook, loss, log
# END
import functools

import numpy

from job import steps

SIZE = 280


@functools.lru_cache(maxsize=180)
def elevation(tile):
    """Heights of one tile of the map: some random hills."""
    generator = numpy.random.default_rng(tile)
    heights = numpy.zeros((SIZE, SIZE))  # <LINE>
    rows, columns = numpy.mgrid[0:SIZE, 0:SIZE]
    for _ in range(3):
        row, column = generator.integers(0, SIZE, 2)
        heights += numpy.exp(-((rows - row) ** 2 + (columns - column) ** 2) / 2000)
    return heights


def slope(tile):
    here, before = elevation(tile), elevation(max(0, tile - 1))
    return float(here.mean() - before.mean())


for step in steps():
    slope(step)
