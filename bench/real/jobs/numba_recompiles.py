# REAL-JOB
#   about: a new function is compiled with numba for each threshold; the machine code of old functions stays in memory
#   label: leak
#   process: main
#   packages: numba numpy
#   kind: jit
#   holder: none
#   library: llvmlite
#   never: graph, validation, queue, callback, hook, loss, checkpoint, dataset, list
#   fix: result = count_above(values, threshold)
#   real: https://github.com/numba/numba/issues/5976
# END
import numba
import numpy

from job import FIXED, steps


def make_counter(threshold):
    @numba.njit
    def count_above(values):
        above = (values - threshold) * (values > threshold)
        bins = numpy.zeros(20)
        for value in above:
            bins[int(value * 20)] += 1
        return bins / bins.sum(), above.mean()

    return count_above


@numba.njit
def count_above(values, threshold):
    above = (values - threshold) * (values > threshold)
    bins = numpy.zeros(20)
    for value in above:
        bins[int(value * 20)] += 1
    return bins / bins.sum(), above.mean()


for step in steps():
    values = numpy.random.rand(10_000)
    threshold = 0.5 + step / 100_000
    if step % 5:
        continue
    if FIXED:
        result = count_above(values, threshold)
    else:
        result = make_counter(threshold)(values)  # <LINE>
