# REAL-JOB
#   about: the thread that writes the frames is slower than the camera, and the queue between them has no limit
#   label: leak
#   process: main
#   packages: numpy
#   kind: threads
#   holder: pending
#   library: numpy
#   never: graph, validation, callback, dataset, cache, hook, closure, loss, checkpoint
#   fix: self.pending = queue.Queue(maxsize=8)
# END
import queue
import threading
import time

import numpy

from job import FIXED, steps


class FrameWriter:
    """Writes frames in a thread, so that the camera need not wait."""

    def __init__(self):
        self.pending = queue.Queue(maxsize=8 if FIXED else 0)
        self.dropped = 0
        threading.Thread(target=self.write_all, daemon=True).start()

    def add(self, frame):
        try:
            self.pending.put_nowait(frame)  # <KEPT>
        except queue.Full:
            self.dropped += 1

    def write_all(self):
        while True:
            frame = self.pending.get()
            self.write(frame)
            self.pending.task_done()

    def write(self, frame):
        """Stands for a slow disk."""
        time.sleep(0.3)
        return frame.sum()


def read_camera(generator):
    return generator.integers(0, 255, (480, 640, 3), dtype=numpy.uint8)  # <LINE>


generator = numpy.random.default_rng(3)
writer = FrameWriter()

for step in steps():
    writer.add(read_camera(generator))
