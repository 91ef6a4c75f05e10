# REAL-JOB
#   about: two forked children run different code, and one of them leaks
#   label: leak
#   process: worker
#   packages:
#   kind: child processes, lookalike
#   holder: rows
#   never: equal processes, same code, rank, numbers, validation, dataset
#   fix: rows = rows[-20:]
# END
import os
import time

from job import FIXED, steps


def collect():
    rows = []
    for step in steps():
        rows.append(bytearray(b"y") * 300_000)  # <LINE>
        if FIXED:
            rows = rows[-20:]


def wait(pid):
    while os.waitpid(pid, os.WNOHANG) == (0, 0):
        time.sleep(0.1)


collector = os.fork()
if collector == 0:
    collect()
    os._exit(0)
sleeper = os.fork()
if sleeper == 0:
    time.sleep(3600)
wait(collector)
os.kill(sleeper, 9)
os.waitpid(sleeper, 0)
