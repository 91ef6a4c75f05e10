"""What all jobs of bench/real share: their steps, their pace and the choice of the fixed program."""
import argparse
import time

_parser = argparse.ArgumentParser()
_parser.add_argument("--seconds", type=float, default=60)
_parser.add_argument("--per-second", type=float, default=10, help="steps per second")
_parser.add_argument("--fix", action="store_true", help="run the corrected program")
_options = _parser.parse_known_args()[0]

FIXED = _options.fix


def steps():
    """Yields the numbers of the steps, prints each, and keeps the pace of a job that waits for a GPU."""
    began = time.monotonic()
    count = int(_options.seconds * _options.per_second)
    for step in range(count):
        yield step
        print(f"step {step}", flush=True)
        time.sleep(max(0.0, began + (step + 1) / _options.per_second - time.monotonic()))
