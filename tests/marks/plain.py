"""Steps and phases by the package alone: a `train` that gives everything back, an `eval` that keeps 8 MB a time.

usage: plain.py PACKAGE FINISH     it ends when the file FINISH is there
"""
import os
import sys
import time

sys.path.insert(0, sys.argv[1])
import lowtide  # noqa: E402

kept = []
until = time.monotonic() + 60
while not hasattr(sys, "_lowtide"):  # the agent comes with allocations, and puts it there
    assert time.monotonic() < until, "nobody listens"
    bytearray(1_000_000)
    time.sleep(0.01)
for step in range(60):
    with lowtide.phase("train"):
        bytearray(30_000_000)
    if step % 10 == 9:
        with lowtide.phase("eval"):
            kept.append(bytearray(8_000_000))
            kept[-1][::4096] = bytes(len(kept[-1][::4096]))
    lowtide.step()
    lowtide.step("no number")  # is no step, and no error
until = time.monotonic() + 120  # a test that was killed makes no file
while not os.path.exists(sys.argv[2]) and time.monotonic() < until:
    time.sleep(0.02)
