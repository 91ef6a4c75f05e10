"""Asks for more memory of a GPU than there is, once lowtide observes the allocator."""

import time

import torch


def wait_for_observer():
    until = time.monotonic() + 60
    while torch._C.observer is None and time.monotonic() < until:
        bytearray(2 << 20)  # the agent answers where the job allocates
        time.sleep(0.05)


def train_step():
    time.sleep(1)
    torch.empty(640)


wait_for_observer()
train_step()
