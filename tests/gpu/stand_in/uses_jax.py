"""Uses a GPU by JAX as far as lowtide can see: most of it is taken at once, and the arrays need ever more of that.

usage: uses_jax.py LIBCUDA DEVICE STOP     it ends when the file STOP is there
"""

import ctypes
import os
import sys
import time

from jax._src import xla_bridge

driver = ctypes.CDLL(sys.argv[1])
opened = open(sys.argv[2])
grown = bytearray(64 << 20)  # lowtide looks again at a process that has grown
device = xla_bridge._backends["cuda"].local_devices()[0]
until = time.monotonic() + 120  # a test that was killed makes no file
while not os.path.exists(sys.argv[3]) and time.monotonic() < until:
    device.used += 1 << 20
    bytearray(2 << 20)  # the agent answers where the job allocates
    time.sleep(0.02)

