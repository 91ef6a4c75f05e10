"""Trains on a GPU as far as lowtide can see, and keeps 4 MiB of it at every step.

usage: keeps_blocks.py LIBCUDA DEVICE STOP     it ends when the file STOP is there
"""

import ctypes
import os
import sys
import time

import torch
from torch import _C

driver = ctypes.CDLL(sys.argv[1])
opened = open(sys.argv[2])
grown = bytearray(64 << 20)  # lowtide looks again at a process that has grown
optimizer = torch.optim.optimizer.Optimizer()


def keep():
    _C.allocate(4 << 20)


until = time.monotonic() + 120  # a test that was killed makes no file
while not torch.optim.optimizer.hooks and time.monotonic() < until:  # no step is to be missed
    bytearray(2 << 20)
    time.sleep(0.01)
while not os.path.exists(sys.argv[3]) and time.monotonic() < until:
    keep()
    optimizer.step()
    bytearray(2 << 20)  # the agent answers where the job allocates
    time.sleep(0.02)
