# REAL-JOB
#   about: work is submitted to a thread pool faster than its two threads do it; the tasks wait in the pool with their arguments
#   label: leak
#   process: main
#   packages: numpy
#   kind: threads
#   holder: pool
#   never: validation, cache, hook, graph, dataset, closure
#   fix: future.cancel()
# END
import concurrent.futures
import time

import numpy as np

from job import FIXED, steps


def compress(image):
    time.sleep(0.5)
    return int(image.sum())


class Archiver:
    def __init__(self):
        self.pool = concurrent.futures.ThreadPoolExecutor(2)

    def submit(self, image):
        future = self.pool.submit(compress, image)  # <KEPT>
        if FIXED:
            future.cancel()


archiver = Archiver()
for step in steps():
    image = np.random.randint(0, 255, (400, 600), dtype=np.uint8)  # <LINE>
    archiver.submit(image)
archiver.pool.shutdown(wait=False, cancel_futures=True)
