# REAL-JOB
#   about: a numba function is compiled at its first call and then used in every step with new data
#   label: stable
#   process: main
#   packages: numba numpy
#   kind: jit
#   holder: none
#   library: llvmlite
#   never: graph, validation, queue, callback, hook, loss, checkpoint, list
# END
import numba
import numpy

from job import steps


@numba.njit
def smooth(values, weight):
    result = numpy.empty_like(values)
    mean = values[0]
    for i in range(len(values)):
        mean += weight * (values[i] - mean)
        result[i] = mean
    return result


def measure(count):
    return numpy.random.rand(count)


for step in steps():
    values = measure(100_000)
    smoothed = smooth(values, 0.1 + step % 10 / 20)
    difference = numpy.abs(values - smoothed).max()
