# REAL-JOB
#   about: the recorder adds the samples of each step to one bytearray that is never emptied
#   label: leak
#   process: main
#   packages:
#   kind: python
#   holder: buffer
#   never: graph, validation, queue, callback, hook, loss, checkpoint, list, cache
#   fix: self.buffer.clear()
# END
import os
import zlib

from job import FIXED, steps


class Recorder:
    """Collects the bytes of a sensor and makes a check sum of each part."""

    def __init__(self):
        self.buffer = bytearray()
        self.checks = 0

    def record(self, samples):
        self.buffer.extend(samples)  # <LINE>
        self.checks = zlib.crc32(samples, self.checks)

    def flush(self):
        with open(os.devnull, "wb") as file:
            file.write(self.buffer)
        if FIXED:
            self.buffer.clear()


recorder = Recorder()
for step in steps():
    recorder.record(os.urandom(400_000))
    if step % 10 == 9:
        recorder.flush()
