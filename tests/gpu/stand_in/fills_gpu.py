"""Asks for more memory of a GPU than there is, once lowtide observes the allocator.

usage: fills_gpu.py forward|backward|other
"""

import sys
import threading
import time

import torch
import torch.autograd


def wait_for_observer():
    until = time.monotonic() + 60
    while torch._C.observer is None and time.monotonic() < until:
        bytearray(2 << 20)  # the agent answers where the job allocates
        time.sleep(0.05)


def train_step(failing):
    if failing == "forward":
        torch.empty(640)
    elif failing == "backward":
        torch.autograd.backward(640)
    else:
        torch.autograd.ask_in_a_thread_without_frames(640)


wait_for_observer()
step = threading.Thread(target=train_step, args=sys.argv[1:])
step.start()
step.join()
sys.exit(1)
