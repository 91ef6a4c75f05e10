# ZOO-CASE
#   label: leak
#   process: main
#   metric: anon
#   cause: holder
#   shape: linear
#   command: sh -c "{python} {file} {args}; exit $?"
#   alloc: 51_sh_child_leaks.py:31 the words of one record
#   retain: 51_sh_child_leaks.py:33 SEEN, a dict by step that nothing ever reads again
#   rate_kib_per_step: 480
#   signature: the launched pid is sh and stays at ~1 MiB; its child leaks
#   fix: keep the last record only
#   real: run.sh, make train, container entry points
# END
import argparse
import time

ap = argparse.ArgumentParser()
ap.add_argument("--steps", type=int, default=300)
ap.add_argument("--seconds", type=float, default=70)
ap.add_argument("--fix", action="store_true", help="run the corrected version (control)")
a = ap.parse_args()


def pace(step):  # keep a steady step rate, as a GPU-bound trainer has
    time.sleep(max(0.0, T0 + (step + 1) * a.seconds / a.steps - time.time()))


SEEN = {}
T0 = time.time()
for step in range(a.steps):
    record = [f"{step:06d}-{k:06d}" for k in range(7000)]  # <ALLOC> strings of 62 B and their list
    if not a.fix:
        SEEN[step] = record  # <RETAIN>
    print(f"step {step} loss {len(record[0]) / (step + 1):.4f}", flush=True)
    pace(step)
