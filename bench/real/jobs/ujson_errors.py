# REAL-JOB
#   about: ujson 5.1.0 loses its enlarged output buffer when dumps fails at an object it cannot encode
#   label: leak
#   process: main
#   packages: ujson==5.1.0
#   kind: c
#   holder: none
#   library: ujson
#   never: graph, validation, queue, callback, hook, loss, checkpoint, dataset, list
#   fix: return json.dumps(report, default=str)
#   real: https://github.com/ultrajson/ultrajson/releases/tag/5.4.0
# END
import datetime
import json
import random

import ujson

from job import FIXED, steps


def make_report(step):
    """The rows come first, the time of the report comes last."""
    rows = [{"name": f"sensor {i}", "value": random.random()} for i in range(8000)]
    return {"step": step, "rows": rows, "made": datetime.datetime.now()}


def encode(report):
    if FIXED:
        return json.dumps(report, default=str)
    try:
        return ujson.dumps(report)  # <LINE>
    except (TypeError, OverflowError):
        return json.dumps(report, default=str)


for step in steps():
    text = encode(make_report(step))
    if step % 50 == 0:
        print(len(text), "characters")
