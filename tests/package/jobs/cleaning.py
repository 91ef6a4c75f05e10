"""A loop that is cleaned, in one of four ways.

usage: cleaning.py warmup|retention|short learned|ample|fixed|none     ample: learned, with ten times the budget
"""

import json
import sys
import time

import lowtide
from lowtide._readings import own_bytes

STEPS, SHORT_STEPS, STEP_S = 400, 100, 0.02


def warm_up(number, held):
    """Grows for 60 steps, then stands: nothing to free."""
    if number < 60:
        held.append(bytearray(b"x" * (1 << 20)))


def retain(number, held):
    """Many small blocks that are freed again, but for a few between them: the allocator keeps the pages."""
    if number % 150 == 149:
        blocks = [bytearray(b"x") * 900 for _ in range(60_000)]  # no constants
        held.append(blocks[::2000])


def grow_objects(number, held):
    """So many objects that one collection takes longer than the budget of the whole run."""
    if number == 0:
        held.append([[] for _ in range(2_000_000)])


def main():
    kind, how = sys.argv[1:3]
    work = {"warmup": warm_up, "retention": retain, "short": grow_objects}[kind]
    steps = SHORT_STEPS if kind == "short" else STEPS
    cleanup = None if how == "none" else lowtide.Cleanup(budget=0.1 if how == "ample" else 0.01, every=1 if how == "fixed" else None)
    held, readings, longest_s, began = [], [], 0.0, time.perf_counter()
    for number in range(steps):
        work(number, held)
        end = began + (number + 1) * STEP_S
        time.sleep(max(0.0, end - time.perf_counter()))
        if cleanup is not None:
            spent_s = cleanup.spent_share * cleanup.elapsed_s
            cleanup.step()
            longest_s = max(longest_s, cleanup.spent_share * cleanup.elapsed_s - spent_s)
        readings.append(own_bytes())
    told = {"last": readings[-1], "mean": sum(readings[50:]) / len(readings[50:]), "took_s": time.perf_counter() - began}
    if cleanup is not None:
        told |= {"share": cleanup.spent_share, "elapsed_s": cleanup.elapsed_s, "longest_s": longest_s,
                 "needed": cleanup.was_needed, "table": cleanup.table(),
                 "calls": {action.name: action.calls for action in cleanup.actions},
                 "freed": {action.name: action.freed_bytes for action in cleanup.actions},
                 "dropped": [action.name for action in cleanup.actions if action.is_dropped]}
        print(cleanup.table(), file=sys.stderr)
    print(json.dumps(told))


if __name__ == "__main__":
    main()
