# REAL-JOB
#   about: each frame is written to a new memory file, and the descriptors of all frames are kept open
#   label: leak
#   process: main
#   packages:
#   kind: shared
#   holder: descriptors
#   never: graph, validation, callback, hook, loss, checkpoint, closure
#   fix: os.close(self.descriptors.pop(0))
# END
import os

from job import FIXED, steps


class FrameExport:
    """Gives frames to other programs as memory files. They open /proc/PID/fd/NUMBER."""

    def __init__(self):
        self.descriptors = []

    def export(self, step, frame):
        descriptor = os.memfd_create(f"frame{step}")
        os.write(descriptor, frame)  # <LINE>
        self.descriptors.append(descriptor)  # <KEPT>
        if FIXED and len(self.descriptors) > 5:
            os.close(self.descriptors.pop(0))
        return descriptor


exporter = FrameExport()
for step in steps():
    exporter.export(step, os.urandom(600_000))
