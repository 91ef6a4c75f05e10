# REAL-JOB
#   about: each step fills a new shared memory block and closes it, but never unlinks it; the file stays in /dev/shm
#   label: leak
#   process: main
#   packages: numpy
#   kind: shared
#   holder: none
#   never: graph, validation, callback, hook, loss, checkpoint, list, closure
#   fix: block.unlink()
#   real: https://docs.python.org/3/library/multiprocessing.shared_memory.html
# END
import atexit
import os
from multiprocessing.shared_memory import SharedMemory
from pathlib import Path

import numpy

from job import FIXED, steps

PREFIX = f"frames-{os.getpid()}-"


def share(step, frame):
    """Puts a frame where another program can read it."""
    block = SharedMemory(PREFIX + str(step), create=True, size=frame.nbytes)
    view = numpy.ndarray(frame.shape, frame.dtype, buffer=block.buf)
    view[:] = frame  # <LINE>
    del view
    block.close()
    if FIXED:
        block.unlink()


@atexit.register
def remove_blocks():
    for path in Path("/dev/shm").glob(PREFIX + "*"):
        block = SharedMemory(path.name)
        block.close()
        block.unlink()


for step in steps():
    share(step, numpy.random.rand(300, 240))
