# REAL-JOB
#   about: frames are written to a ring of sixteen shared memory blocks that are used again and again
#   label: stable
#   process: main
#   packages: numpy
#   kind: shared
#   holder: blocks
#   never: graph, validation, queue, callback, hook, loss, checkpoint
# END
import atexit
from multiprocessing.shared_memory import SharedMemory

import numpy

from job import steps

SHAPE = (512, 512)


class Ring:
    def __init__(self, count=16):
        self.blocks = [SharedMemory(create=True, size=SHAPE[0] * SHAPE[1] * 8) for _ in range(count)]

    def write(self, step, frame):
        block = self.blocks[step % len(self.blocks)]
        numpy.ndarray(SHAPE, frame.dtype, buffer=block.buf)[:] = frame

    def remove(self):
        for block in self.blocks:
            block.close()
            block.unlink()


ring = Ring()
atexit.register(ring.remove)
for step in steps():
    ring.write(step, numpy.random.rand(*SHAPE))
