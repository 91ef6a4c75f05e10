#!/usr/bin/python3
"""What watching costs: the monitor, and the job that is watched.

  watch.py [--seconds 60] [--rounds 5] [--processes 50] [--groups 12] [--gigabytes 12] [--check] [PART...]

Parts: tree (the monitor at 1 Hz on a tree of processes, beside psutil and beside
bare reads), job (a training loop with and without lowtide), large (one process
with much memory: how long its memory map is held), monitor (memory and time of the
monitor with agent and snapshots, beside torch and jax from PyPI). Default: all.
--check: exit 1 if the monitor needed more than 0.2% of a core, 16 MB or three times the
bare reads, if a job is slower by more than 0.5% (the whole interval is above), or if the
monitor misses a goal that its part prints.
"""
import argparse
import os
import resource
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
from common import LOWTIDE, meta  # noqa: E402
from job_cost import bench_job  # noqa: E402
from monitor_cost import bench_monitor  # noqa: E402
from tree_cost import bench_tree  # noqa: E402

LARGE = """
import mmap, sys, time
size = int(float(sys.argv[1]) * 2**30)
memory = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
memory.madvise(mmap.MADV_NOHUGEPAGE)
page = b"x" * (1 << 20)
for at in range(0, size, 1 << 20): memory[at:at + (1 << 20)] = page
print("ready", flush=True)
time.sleep(100000)
"""


def bench_large(arguments, folder):
    large = subprocess.Popen([sys.executable, "-c", LARGE, str(arguments.gigabytes)], stdout=subprocess.PIPE, text=True)
    large.stdout.readline()
    recording = os.path.join(folder, "large.lowtide")
    subprocess.run([LOWTIDE, "attach", "--quiet", "--no-report", "--interval", "1s", "--duration",
                    f"{arguments.seconds}s", "--output", recording, str(large.pid)], check=True,
                   stdout=subprocess.DEVNULL)
    large.kill()
    large.wait()
    read = meta(recording)
    held_s = float(read["pss_seconds"])
    print(f"\none process of {arguments.gigabytes:g} GiB in 4K pages, {arguments.seconds} s at 1 Hz: smaps_rollup took "
          f"{1e3 * float(read['pss_longest_seconds']):.1f} ms at a time, {1e3 * held_s:.1f} ms in all = "
          f"{100 * held_s / arguments.seconds:.2f}% of the time under its mmap_lock")
    return held_s / arguments.seconds <= 0.005


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--processes", type=int, default=50)
    parser.add_argument("--groups", type=int, default=12)
    parser.add_argument("--steps", type=int, default=3000)
    parser.add_argument("--threads", type=int, default=1, help="of torch; 0: as many as it takes by itself")
    parser.add_argument("--gigabytes", type=float, default=12)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("parts", nargs="*", choices=["tree", "job", "large", "monitor", []])
    arguments = parser.parse_args()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(4096, hard), hard))
    benches = {"tree": bench_tree, "job": bench_job, "large": bench_large, "monitor": bench_monitor}
    within = True
    with tempfile.TemporaryDirectory() as folder:
        for part in arguments.parts or benches:
            within = benches[part](arguments, folder) and within
    if arguments.check and not within:
        sys.exit(1)


if __name__ == "__main__":
    main()
