# REAL-JOB
#   about: each step saves a batch in /dev/shm and the oldest file is removed when there are more than ten
#   label: stable
#   process: main
#   packages: numpy
#   kind: shared
#   holder: none
#   never: graph, validation, queue, callback, hook, loss, closure
# END
import atexit
import os
import shutil
import signal
import sys
from pathlib import Path

import numpy

from job import steps

FOLDER = Path(f"/dev/shm/rotated-{os.getpid()}")
FOLDER.mkdir()
atexit.register(shutil.rmtree, FOLDER)
signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))


def save(step, batch):
    numpy.save(FOLDER / f"batch{step:06}.npy", batch)


def rotate(keep=10):
    files = sorted(FOLDER.iterdir())
    for path in files[:-keep]:
        path.unlink()


for step in steps():
    save(step, numpy.random.rand(100, 1000))
    rotate()
