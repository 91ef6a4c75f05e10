# REAL-JOB
#   about: resized frames of a camera are put in a deque that has no limit, although only the last frames are used
#   label: leak
#   process: main
#   packages: opencv-python-headless numpy
#   kind: c++
#   holder: recent
#   library: cv2
#   never: graph, validation, queue, callback, dataset, worker, hook, loss, checkpoint
#   fix: self.recent = collections.deque(maxlen=32)
# END
import collections
import itertools

import cv2
import numpy

from job import FIXED, steps


def read_camera(generator):
    return generator.integers(0, 255, (240, 320, 3), dtype=numpy.uint8)


class MotionDetector:
    def __init__(self):
        if FIXED:
            self.recent = collections.deque(maxlen=32)
        else:
            self.recent = collections.deque()

    def add(self, frame):
        frame = cv2.resize(frame, (640, 480))  # <LINE>
        self.recent.appendleft(frame)  # <KEPT>

    def motion(self):
        if len(self.recent) < 2:
            return 0.0
        newest, before = itertools.islice(self.recent, 2)
        return float(cv2.absdiff(newest, before).mean())


generator = numpy.random.default_rng(2)
detector = MotionDetector()

for step in steps():
    detector.add(read_camera(generator))
    detector.motion()
