# REAL-JOB
#   about: each step reads a CSV text into an Arrow table, and the history keeps every table
#   label: leak
#   process: main
#   packages: pyarrow
#   kind: c++
#   holder: tables
#   library: pyarrow
#   never: graph, validation, queue, callback, hook, loss, checkpoint, cache
#   fix: del self.tables[:-5]
# END
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

from job import FIXED, steps


class History:
    def __init__(self):
        self.tables = []

    def read(self, text):
        table = csv.read_csv(pa.py_buffer(text))  # <LINE>
        self.tables.append(table)  # <KEPT>
        if FIXED:
            del self.tables[:-5]
        return table


def measure(step):
    """The text that a measuring device sends."""
    rows = "".join(f"{i},{(i * step) % 997 / 10},{i % 13}\n" for i in range(25_000))
    return ("time,value,channel\n" + rows).encode()


pa.set_cpu_count(1)
history = History()
for step in steps():
    table = history.read(measure(step))
    mean = pc.mean(table["value"])
