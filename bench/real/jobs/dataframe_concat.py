# REAL-JOB
#   about: the recorder adds the rows of each step to one table and never drops old rows
#   label: leak
#   process: main
#   packages: pandas numpy
#   kind: python
#   holder: table
#   library: pandas
#   never: graph, validation, queue, callback, worker, cache, hook, loss, checkpoint
#   fix: self.table = self.table.tail(9000)
# END
import numpy
import pandas

from job import FIXED, steps

ROWS = 3000


def measure(step):
    values = numpy.random.rand(ROWS, 3)
    return pandas.DataFrame(
        {
            "sensor": [f"site-{step % 7}/sensor-{number:05d}" for number in range(ROWS)],  # <LINE>
            "temperature": 15 + 10 * values[:, 0],
            "humidity": values[:, 1],
            "pressure": 1000 + 20 * values[:, 2],
        }
    )


class Recorder:
    def __init__(self):
        self.table = measure(0)

    def record(self, rows):
        self.table = pandas.concat([self.table, rows], ignore_index=True)  # <LINE>
        if FIXED:
            self.table = self.table.tail(9000)

    def latest(self):
        return self.table["temperature"].tail(ROWS).mean()


recorder = Recorder()

for step in steps():
    recorder.record(measure(step))
    recorder.latest()
