"""Uses a GPU as far as lowtide can see: opens the driver's device, and has torch count a tensor that grows.

usage: uses_gpu.py LIBCUDA DEVICE STOP     it ends when the file STOP is there
"""

import ctypes
import os
import sys
import time

import torch

driver = ctypes.CDLL(sys.argv[1])
opened = open(sys.argv[2])
grown = bytearray(64 << 20)  # lowtide looks again at a process that has grown
torch._C.allocated[0] = 3 << 30
until = time.monotonic() + 120  # a test that was killed makes no file
while not os.path.exists(sys.argv[3]) and time.monotonic() < until:
    bytearray(2 << 20)  # the agent answers where the job allocates
    time.sleep(0.02)
