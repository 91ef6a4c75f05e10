# REAL-JOB
#   about: each step saves its batch to a new file in a folder of /dev/shm and no file is ever removed
#   label: leak
#   process: main
#   packages: numpy
#   kind: shared
#   holder: none
#   never: graph, validation, queue, callback, hook, loss, list, closure
#   fix: path.unlink()
# END
import atexit
import os
import shutil
import signal
import sys
from pathlib import Path

import numpy

from job import FIXED, steps

FOLDER = Path(f"/dev/shm/batches-{os.getpid()}")
FOLDER.mkdir()
atexit.register(shutil.rmtree, FOLDER)
signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))


def prepare(step):
    batch = numpy.random.rand(64, 1000)
    path = FOLDER / f"batch{step:06}.npy"
    numpy.save(path, batch)  # <LINE>
    return path


def train(path):
    batch = numpy.load(path)
    if FIXED:
        path.unlink()
    return batch.mean()


for step in steps():
    train(prepare(step))
