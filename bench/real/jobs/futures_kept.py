# REAL-JOB
#   about: every future of the thread pool is put in a list, and a done future keeps its result
#   label: leak
#   process: main
#   packages: numpy
#   kind: threads
#   holder: futures
#   library: numpy
#   never: graph, validation, dataset, cache, hook, loss, checkpoint
#   fix: self.futures = [future for future in self.futures if not future.done()]
# END
from concurrent.futures import ThreadPoolExecutor

import numpy

from job import FIXED, steps


def spectrum(seed):
    """Computes the power spectrum of one recording."""
    signal = numpy.random.default_rng(seed).standard_normal(160_000)
    return numpy.abs(numpy.fft.rfft(signal))  # <LINE>


class Analysis:
    def __init__(self, threads):
        self.executor = ThreadPoolExecutor(max_workers=threads)
        self.futures = []

    def submit(self, seed):
        self.futures.append(self.executor.submit(spectrum, seed))  # <KEPT>
        if FIXED:
            self.futures = [future for future in self.futures if not future.done()]

    def finished(self):
        return sum(future.done() for future in self.futures)


analysis = Analysis(threads=2)

for step in steps():
    analysis.submit(step)
    analysis.finished()
