# ZOO-CASE
#   label: overhead
#   process: worker
#   metric: none
#   shape: flat
#   alloc: 52_forked_children.py:31 60 MiB built before the fork, and 8 MiB in each child
#   retain: 52_forked_children.py:31 SHARED; the children only read it (RSS counts it 21 times, PSS once)
#   rate_kib_per_step: 0
#   signature: constant; the sum of RSS is more than a GiB above the sum of PSS
#   fix: none needed
#   real: preprocessing pools, many DataLoader workers on a big dataset
# END
import argparse
import os
import time

ap = argparse.ArgumentParser()
ap.add_argument("--steps", type=int, default=300)
ap.add_argument("--seconds", type=float, default=70)
ap.add_argument("--children", type=int, default=20)
ap.add_argument("--shared-mib", type=int, default=60)
ap.add_argument("--own-mib", type=int, default=8)
a = ap.parse_args()


def pace(step):  # keep a steady step rate, as a GPU-bound trainer has
    time.sleep(max(0.0, T0 + (step + 1) * a.seconds / a.steps - time.time()))


# A bytes object is not written to by reading it, so its pages stay shared.
SHARED = b"s" * (a.shared_mib << 20)  # <ALLOC> <RETAIN>


def child(end_of_job):
    own = bytearray(b"o" * (a.own_mib << 20))
    while not os.read(end_of_job, 1):
        own[0] = SHARED[len(own) % len(SHARED)]
    os._exit(0)


hold, let_go = os.pipe()
children = []
for _ in range(a.children):
    pid = os.fork()
    if pid == 0:
        os.close(let_go)
        child(hold)
    children.append(pid)
T0 = time.time()
for step in range(a.steps):
    print(f"step {step} loss {sum(SHARED[step::1 << 20]) / (step + 1):.4f}", flush=True)
    pace(step)
os.write(let_go, b"." * a.children)
for pid in children:
    os.waitpid(pid, 0)
