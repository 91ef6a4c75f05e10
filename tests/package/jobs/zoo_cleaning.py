"""A job of the zoo, cleaned once a step: all of them sleep once a step, to keep their pace.

usage: zoo_cleaning.py none|fixed|learned FILE [ARGUMENTS...]
"""

import json
import runpy
import sys
import time

import lowtide
from lowtide._readings import own_bytes

how, sys.argv = sys.argv[1], sys.argv[2:]
cleanup = None if how == "none" else lowtide.Cleanup(every=1 if how == "fixed" else None)
readings = []
sleep = time.sleep


def pace(seconds):
    sleep(seconds)
    readings.append(own_bytes())  # what the step came to: right after a cleanup everything looks small
    if cleanup is not None:
        cleanup.step()


time.sleep = pace
runpy.run_path(sys.argv[0], run_name="__main__")
readings = readings or [0]
print(json.dumps({"mean": sum(readings) / len(readings), "settled": min(readings[-len(readings) // 4:]), "steps": len(readings),
                  "elapsed_s": cleanup.elapsed_s if cleanup else 0, "share": cleanup.spent_share if cleanup else 0,
                  "longest_s": max(action.longest_s for action in cleanup.actions) if cleanup else 0,
                  "table": cleanup.table() if cleanup else "", "needed": cleanup.was_needed if cleanup else False}))
