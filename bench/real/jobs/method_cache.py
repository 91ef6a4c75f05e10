# REAL-JOB
#   about: a method that returns arrays has an lru_cache without a limit, so the result for every clip stays
#   label: leak
#   process: main
#   packages: numpy
#   kind: python
#   holder: features
#   library: numpy
#   never: graph, validation, queue, callback, dataset, worker, hook, loss, checkpoint
#   fix: functools.lru_cache(maxsize=16)
#   real: https://docs.python.org/3/faq/programming.html#how-do-i-cache-method-calls
# END
import functools

import numpy

from job import FIXED, steps


class ClipReader:
    def __init__(self, rate):
        self.rate = rate
        self.window = numpy.hanning(256)

    def samples(self, clip):
        return numpy.random.default_rng(clip).standard_normal(self.rate * 8)

    @functools.lru_cache(maxsize=16 if FIXED else None)  # <KEPT>
    def features(self, clip):
        parts = self.samples(clip).reshape(-1, 256) * self.window
        return numpy.abs(numpy.fft.rfft(parts, axis=1))  # <LINE>

    def loudness(self, clip):
        return float(self.features(clip).mean())


reader = ClipReader(rate=16_000)

for step in steps():
    reader.loudness(step)
    reader.loudness(max(0, step - 1))
