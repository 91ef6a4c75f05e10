# REAL-JOB
#   about: small and large Arrow tables are made and dropped in turns; the pool of Arrow keeps freed memory for a while
#   label: spikes
#   process: main
#   packages: pyarrow
#   kind: c++
#   holder: none
#   library: pyarrow
#   never: graph, validation, queue, callback, hook, loss, checkpoint, list
# END
import random

import pyarrow as pa
import pyarrow.compute as pc

from job import steps


def make_table(rows):
    numbers = pc.random(rows)
    return pa.table({"number": numbers, "double": pc.multiply(numbers, 2.0)})


def report(table):
    table = table.filter(pc.greater(table["number"], 0.2))
    return pc.mean(table["double"]).as_py()


random.seed(1)
for step in steps():
    largest = 1_000_000 if step // 40 % 2 else 50_000
    table = make_table(random.randint(largest // 2, largest))
    mean = report(table)
    if step % 50 == 0:
        print(f"mean {mean:.3f}, Arrow uses {pa.total_allocated_bytes()} bytes")
