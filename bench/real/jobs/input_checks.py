# REAL-JOB
#   about: rows of an input file are checked by validate(), which makes arrays of them; the accepted rows are kept for a report
#   label: leak
#   process: main
#   packages: numpy
#   kind: python, lookalike
#   holder: accepted
#   never: validation ends, evaluation, cache, hook, graph, dataset, closure, queue
#   fix: self.accepted.clear()
# END
import numpy as np

from job import FIXED, steps


class Reader:
    def __init__(self):
        self.accepted = []

    def validate(self, row):
        values = np.array(row.split(","), dtype=float)  # <LINE>
        if not np.isfinite(values).all():
            raise ValueError("not a number")
        return values

    def feed(self, rows):
        for row in rows:
            self.accepted.append(self.validate(row))  # <KEPT>
        if FIXED:
            self.accepted.clear()


reader = Reader()
for step in steps():
    reader.feed(",".join(map(str, range(number, number + 4_000))) for number in range(8))
