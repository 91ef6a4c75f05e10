# REAL-JOB
#   about: each step makes a System V shared memory segment, writes it and detaches it, but never removes it
#   label: leak
#   process: main
#   packages: sysv-ipc numpy
#   kind: shared
#   holder: none
#   never: graph, validation, callback, hook, loss, checkpoint, list, closure
#   fix: segment.remove()
# END
import atexit
import os
import signal
import sys

import numpy
import sysv_ipc

from job import FIXED, steps


def publish(picture):
    """Writes the picture for the viewer and returns the number of its segment."""
    segment = sysv_ipc.SharedMemory(None, sysv_ipc.IPC_CREX, size=picture.nbytes)
    segment.write(picture.tobytes())  # <LINE>
    segment.detach()
    if FIXED:
        segment.remove()
    return segment.id


@atexit.register
def remove_segments():
    with open("/proc/sysvipc/shm") as table:
        rows = [line.split() for line in table][1:]
    for row in rows:
        if int(row[4]) == os.getpid():
            sysv_ipc.remove_shared_memory(int(row[1]))


signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
for step in steps():
    number = publish(numpy.random.randint(0, 255, (480, 1000), dtype=numpy.uint8))
