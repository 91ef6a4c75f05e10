# REAL-JOB
#   about: a table that is no dataset keeps a copy of each row that is read by its name
#   label: leak
#   process: main
#   packages: numpy
#   kind: python, lookalike
#   holder: queries
#   never: dataset, sample, epoch, worker, validation, graph
#   fix: self.queries = self.queries[-20:]
# END
import numpy

from job import FIXED, steps


class FeatureTable:
    """Rows by name."""

    def __init__(self):
        self.queries = []

    def __getitem__(self, name):
        row = numpy.full(60_000, float(len(name)))
        self.queries.append((name, row.copy()))  # <LINE>
        if FIXED:
            self.queries = self.queries[-20:]
        return float(row.mean())


table = FeatureTable()
total = 0.0
for step in steps():
    total += table[f"user/{step}"]
