# REAL-JOB
#   about: the recorder puts the samples of each step into a buffer that doubles when it is full, and never empties it
#   label: leak
#   process: main
#   packages:
#   kind: python
#   holder: buffer
#   never: graph, validation, queue, callback, hook, loss, checkpoint, cache
#   fix: self.used = 0
# END
import os
import zlib

from job import FIXED, steps


class Recorder:
    """Collects the bytes of a sensor and makes a check sum of each part."""

    def __init__(self):
        self.buffer = bytearray(1 << 20)
        self.used = 0
        self.checks = 0

    def record(self, samples):
        while self.used + len(samples) > len(self.buffer):
            self.buffer = self.buffer + bytes(len(self.buffer))  # <LINE>
        self.buffer[self.used : self.used + len(samples)] = samples  # <KEPT>
        self.used += len(samples)
        self.checks = zlib.crc32(samples, self.checks)

    def flush(self):
        with open(os.devnull, "wb") as file:
            file.write(memoryview(self.buffer)[: self.used])
        if FIXED:
            self.used = 0


recorder = Recorder()
for step in steps():
    recorder.record(os.urandom(400_000))
    if step % 10 == 9:
        recorder.flush()
