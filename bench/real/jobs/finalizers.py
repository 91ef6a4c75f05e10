# REAL-JOB
#   about: weakref.finalize is called for the same long-lived session at each step, with the buffer to be released; the registry of finalize keeps all buffers
#   label: leak
#   process: main
#   packages: numpy
#   kind: python
#   holder: _registry
#   never: queue, validation, cache, hook, graph, dataset
#   fix: finalizer()
# END
import weakref

import numpy as np

from job import FIXED, steps


class Session:
    def __init__(self):
        self.sent = 0

    def send(self, buffer):
        self.sent += buffer.nbytes


def release(buffer):
    buffer.fill(0)


session = Session()
for step in steps():
    buffer = np.random.rand(40_000)  # <LINE>
    session.send(buffer)
    finalizer = weakref.finalize(session, release, buffer)  # <KEPT>
    if FIXED:
        finalizer()
