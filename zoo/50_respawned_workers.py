# ZOO-CASE
#   label: stable
#   process: worker
#   metric: none
#   cause: respawned-workers
#   shape: flat
#   alloc: 50_respawned_workers.py:34 each worker fills a buffer of 24 MiB when it starts
#   retain: nobody: the pool of an epoch ends with it, and so do its workers
#   rate_kib_per_step: 0
#   signature: pids change every epoch; two workers at any time, always of the same size
#   fix: none needed (persistent_workers=True spares the restarts)
#   real: DataLoader without persistent_workers, multiprocessing.Pool in a loop over epochs
# END
import argparse
import multiprocessing
import time

ap = argparse.ArgumentParser()
ap.add_argument("--steps", type=int, default=300)
ap.add_argument("--seconds", type=float, default=70)
a = ap.parse_args()

EPOCHS = 10
WORKERS = 2
BUFFER = None
DATA = b"d" * (2 << 20)  # the main process keeps it, every worker reads it


def pace(step):  # keep a steady step rate, as a GPU-bound trainer has
    time.sleep(max(0.0, T0 + (step + 1) * a.seconds / a.steps - time.time()))


def start():
    global BUFFER
    BUFFER = bytearray(b"x" * (24 << 20))  # <ALLOC>


def work(step):
    BUFFER[step % len(BUFFER)] = step % 256
    return sum(DATA[::65536]) + BUFFER[0]


if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    T0 = time.time()
    per_epoch = max(1, a.steps // EPOCHS)
    step = 0
    while step < a.steps:
        with context.Pool(WORKERS, initializer=start) as pool:
            for _ in range(min(per_epoch, a.steps - step)):
                print(f"step {step} loss {pool.apply(work, (step,)) % 97:.4f}", flush=True)
                pace(step)
                step += 1
