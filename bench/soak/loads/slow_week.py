"""A job of one week by a clock that runs fast: slow_week.py DAYS

Its memory grows until the second day and then stays. It starts a short-lived child every hour.
"""
import subprocess
import sys
import time

HOUR_S = 3600
began = time.monotonic()
kept = []
hours = 0
while hours < 24 * float(sys.argv[1]):
    if hours < 24:
        kept.append(bytearray(1_000_000))
    subprocess.run(["true"], check=True)
    hours += 1
    print(f"step {hours}", flush=True)
    time.sleep(max(0.0, began + hours * HOUR_S - time.monotonic()))
