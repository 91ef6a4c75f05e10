# REAL-JOB
#   about: the monitor appends the samples of each step to one array that is never cut
#   label: leak
#   process: main
#   packages: numpy
#   kind: python
#   holder: samples
#   library: numpy
#   never: graph, validation, queue, callback, hook, loss, checkpoint, list, cache
#   fix: self.samples = self.samples[-200_000:]
# END
import numpy

from job import FIXED, steps


class Monitor:
    """Shows the mean and the spread of the samples of a sensor."""

    def __init__(self):
        self.samples = numpy.zeros(0)

    def add(self, batch):
        self.samples = numpy.append(self.samples, batch)  # <LINE>
        if FIXED:
            self.samples = self.samples[-200_000:]

    def summary(self):
        recent = self.samples[-200_000:]
        return recent.mean(), recent.std()


monitor = Monitor()
for step in steps():
    monitor.add(numpy.random.rand(32_000))
    mean, spread = monitor.summary()
    if step % 50 == 0:
        print(f"mean {mean:.3f} spread {spread:.3f}")
