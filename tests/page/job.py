"""A job that leaks, with a worker, phases, and names that attack the page that shows them.

usage: job.py ATTACK FINISH     it ends when the file FINISH is there
"""
import itertools
import multiprocessing
import os
import sys
import time

STEP_S = 0.03
LONGEST_S = 120  # a test that was killed makes no file
ATTACK = "</script><img src=x onerror=\"window.attacked=1\">"

# Text of the target that reaches the page: the name of a file, of a function and of a key.
SOURCE = """
def keep(losses, step):
    losses.append(bytearray(b"x") * 300_000)
"""
space = {}
exec(compile(SOURCE, f"/job/{ATTACK}.py", "exec"), space)
names = [name for name in ("co_name", "co_qualname") if hasattr(space["keep"].__code__, name)]
space["keep"].__code__ = space["keep"].__code__.replace(**{name: f"keep_{ATTACK}" for name in names})

kept = {ATTACK: []}


def work(is_over):
    block = bytearray(b"x") * 40_000_000
    is_over.wait()
    return block


def main():
    is_over = multiprocessing.Event()  # a worker that outlives the steps would leave a flat end, like that of a warm-up
    worker = multiprocessing.Process(target=work, args=(is_over,))
    worker.start()
    began = time.monotonic()
    for step in itertools.count():
        if os.path.exists(sys.argv[2]) or time.monotonic() > began + LONGEST_S:
            break
        space["keep"](kept[ATTACK], step)
        spike = bytearray(b"x") * 30_000_000 if step % 60 == 30 else None
        print(f"step {step} loss 0.5", flush=True)
        time.sleep(max(0.0, began + (step + 1) * STEP_S - time.monotonic()))
        del spike
    is_over.set()
    worker.join()


if __name__ == "__main__":
    main()
