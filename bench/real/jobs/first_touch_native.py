# REAL-JOB
#   about: an array of 200 MB is reserved at the start and filled part by part during the first 60% of the run
#   label: warmup
#   process: main
#   packages: numpy
#   kind: c
#   holder: table
#   library: numpy
#   never: graph, validation, queue, callback, hook, loss, checkpoint, list
# END
import numpy

from job import _options, steps

COLUMNS = 1000
ROWS = 25_000


class FeatureTable:
    """A table with room for all rows. A row is computed when it is first needed."""

    def __init__(self):
        self.table = numpy.empty((ROWS, COLUMNS))
        self.ready = 0

    def fill(self, count):
        end = min(self.ready + count, ROWS)
        self.table[self.ready:end] = numpy.random.rand(end - self.ready, COLUMNS)
        self.ready = end

    def sample(self, count=20):
        rows = numpy.random.randint(0, self.ready, count)
        return self.table[rows].mean()


features = FeatureTable()
per_step = int(ROWS / (0.6 * _options.seconds * _options.per_second)) + 1
for step in steps():
    features.fill(per_step)
    features.sample()
