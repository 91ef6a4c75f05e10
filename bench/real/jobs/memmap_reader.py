# REAL-JOB
#   about: a file of 300 MB is mapped with numpy.memmap and read in parts; the pages belong to the file and can be dropped at any time
#   label: stable
#   process: main
#   packages: numpy
#   kind: python
#   holder: none
#   library: numpy
#   never: graph, queue, callback, dataset, cache, hook, loss, log
# END
import os
import tempfile

import numpy

from job import steps

ROWS, COLUMNS = 75_000, 1000


def write_file(path):
    generator = numpy.random.default_rng(6)
    with open(path, "wb") as file:
        for _ in range(ROWS // 1000):
            generator.random((1000, COLUMNS), dtype=numpy.float32).tofile(file)


def mean_of_part(table, part, rows):
    begin = part * rows % ROWS
    return float(table[begin : begin + rows].mean())


# /var/tmp is on disk also where /tmp is not.
with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
    path = os.path.join(folder, "measurements.bin")
    write_file(path)
    table = numpy.memmap(path, dtype=numpy.float32, mode="r", shape=(ROWS, COLUMNS))
    for step in steps():
        mean_of_part(table, step, rows=250)
    del table
