# REAL-JOB
#   about: the last 200 frames are kept in a deque with maxlen, which is full after 200 steps
#   label: warmup
#   process: main
#   packages: numpy
#   kind: python
#   holder: none
#   library: numpy
#   never: graph, queue, callback, cache, hook, loss, log
# END
import collections

import numpy

from job import steps


class Recorder:
    """Keeps the last frames, so that an alarm can save what was before it."""

    def __init__(self, frames):
        self.frames = collections.deque(maxlen=frames)

    def add(self, frame):
        self.frames.append(frame)

    def brightness(self):
        return float(self.frames[-1].mean())


def read_camera(generator):
    return generator.integers(0, 255, (400, 640, 3), dtype=numpy.uint8)  # <LINE>


generator = numpy.random.default_rng(7)
recorder = Recorder(frames=200)

for step in steps():
    recorder.add(read_camera(generator))
    recorder.brightness()
