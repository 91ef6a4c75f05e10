# REAL-JOB
#   about: msgpack 1.1.0 never releases the values it has decoded when a message turns out to be cut off
#   label: leak
#   process: main
#   packages: msgpack==1.1.0
#   kind: c++
#   holder: none
#   library: msgpack
#   never: graph, validation, queue, hook, loss, checkpoint, dataset
#   fix: return json.loads(data)
#   real: https://github.com/msgpack/msgpack-python/releases/tag/v1.2.3
# END
import json
import os

import msgpack

from job import FIXED, steps


def receive(step):
    """A message of a client. The connection of this client breaks before the end of each message."""
    samples = [os.urandom(500).hex() for _ in range(500)]
    message = {"client": 7, "step": step, "samples": samples, "end": True}
    data = json.dumps(message).encode() if FIXED else msgpack.packb(message)
    return data[:-2000]


def decode(data):
    try:
        if FIXED:
            return json.loads(data)
        return msgpack.unpackb(data)  # <LINE>
    except ValueError:
        return None


broken = 0
for step in steps():
    if decode(receive(step)) is None:
        broken += 1
    if step % 50 == 0:
        print(broken, "broken messages")
