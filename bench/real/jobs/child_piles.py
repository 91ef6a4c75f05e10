# REAL-JOB
#   about: a helper program is started for every tenth step and never ended; each holds a table of a few MB
#   label: leak
#   process: worker
#   packages:
#   kind: processes
#   holder: helpers
#   never: graph, validation, queue, callback, hook, loss, checkpoint, cache
#   fix: helper.communicate()
# END
import atexit
import subprocess
import sys

from job import FIXED, steps

HELPER = """
import random, sys
table = [random.random() for _ in range(150_000)]
for line in sys.stdin:
    print(sum(table) * float(line), flush=True)
"""


class Scorer:
    def __init__(self):
        self.helpers = []

    def score(self, value):
        helper = subprocess.Popen(  # <LINE>
            [sys.executable, "-c", HELPER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.helpers.append(helper)  # <KEPT>
        helper.stdin.write(f"{value}\n")
        helper.stdin.flush()
        result = float(helper.stdout.readline())
        if FIXED:
            helper.communicate()
        return result

    def stop(self):
        for helper in self.helpers:
            helper.kill()
            helper.wait()


scorer = Scorer()
atexit.register(scorer.stop)
for step in steps():
    if step % 10 == 0:
        scorer.score(step)
