#!/usr/bin/python3
"""What watching costs: the monitor, and the job that is watched.

  watch.py [--seconds 60] [--processes 50] [--pairs 7] [--gigabytes 12] [PART...]

Parts: tree (the monitor at 1 Hz on a tree of processes, beside psutil and beside
bare reads), job (a training loop with and without lowtide), large (one process
with much memory: how long its memory map is held). Default: all.
"""
import argparse
import importlib.util
import os
import resource
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
LOWTIDE = os.path.join(HERE, "..", "..", "src", "cli", "lowtide")
BARE = os.path.join(HERE, "bare_reads")

CHILDREN = """
import subprocess, sys, time
code = "import time; x = bytearray(4 << 20)\\nwhile True: time.sleep(0.5); x[0] = 1"
children = [subprocess.Popen([sys.executable, "-c", code]) for _ in range(int(sys.argv[1]))]
print(*[c.pid for c in children], flush=True)
time.sleep(100000)
"""

PSUTIL = """
import sys, time, psutil
root, ticks, full = psutil.Process(int(sys.argv[1])), int(sys.argv[2]), sys.argv[3] == "pss"
for _ in range(ticks):
    for process in [root] + root.children(recursive=True):
        try:
            process.memory_full_info() if full else process.memory_info()
        except psutil.Error:
            pass
    time.sleep(1)
"""

LOOP = """
import time
try:
    import torch
    torch.manual_seed(0)
    torch.set_num_threads(1)
    model = torch.nn.Sequential(torch.nn.Linear(256, 512), torch.nn.ReLU(), torch.nn.Linear(512, 256))
    optimizer = torch.optim.AdamW(model.parameters())
    x = torch.randn(64, 256)
    def step():
        optimizer.zero_grad()
        loss = (model(x) - x).pow(2).mean()
        loss.backward()
        optimizer.step()
except ImportError:
    def step():
        sum(i * i for i in range(20000))
for _ in range(50): step()
began = time.process_time(), time.perf_counter()
for number in range(%d):
    step()
print(time.process_time() - began[0], time.perf_counter() - began[1])
"""

LARGE = """
import ctypes, mmap, sys, time
size = int(float(sys.argv[1]) * 2**30)
memory = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
memory.madvise(mmap.MADV_NOHUGEPAGE)
page = b"x" * (1 << 20)
for at in range(0, size, 1 << 20): memory[at:at + (1 << 20)] = page
print("ready", flush=True)
time.sleep(100000)
"""


def cpu_of(command):
    """CPU seconds, wall seconds and peak RSS of a command."""
    began = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    errors = child.stderr.read()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit(f"{command[0]} failed: {errors.decode(errors='replace')}")
    return usage.ru_utime + usage.ru_stime, time.perf_counter() - began, usage.ru_maxrss * 1024


def attach(pid, seconds, recording):
    return [LOWTIDE, "attach", "--quiet", "--no-report", "--interval", "1s", "--duration", f"{seconds}s",
            "--output", recording, str(pid)]


def meta(recording):
    with sqlite3.connect(recording) as database:
        return dict(database.execute("select key, value from meta"))


def bench_tree(arguments, folder):
    tree = subprocess.Popen([sys.executable, "-c", CHILDREN, str(arguments.processes)], stdout=subprocess.PIPE, text=True)
    pids = tree.stdout.readline().split()
    time.sleep(2)
    seconds = arguments.seconds
    print(f"\na tree of {len(pids) + 1} processes, {seconds} s at 1 Hz")
    print(f"{'':34}{'share of a core':>16}{'us/tick/process':>17}{'peak RSS':>11}")

    def line(name, cpu, wall, rss):
        per = cpu / seconds / (len(pids) + 1) * 1e6
        print(f"{name:34}{100 * cpu / wall:15.3f}%{per:17.1f}{rss / 1e6:8.1f} MB", flush=True)
        return per

    bare = float(subprocess.run([BARE, str(seconds), "1000", str(tree.pid), *pids], check=True, capture_output=True,
                                text=True).stdout)
    print(f"{'bare reads of statm + status':34}{'':16}{bare:17.1f}")
    recording = os.path.join(folder, "tree.lowtide")
    cpu, wall, _ = cpu_of(attach(tree.pid, seconds, recording))
    ours = line("lowtide attach", cpu, wall, int(meta(recording)["monitor_rss_bytes"]))
    if importlib.util.find_spec("psutil"):
        for kind in ("rss", "pss"):
            # ru_maxrss begins with what we had at the fork, and a Python has that much anyway.
            line(f"psutil loop, {kind}", *cpu_of([sys.executable, "-c", PSUTIL, str(tree.pid), str(seconds), kind]))
    else:
        print("psutil is not installed: no twin")
    print(f"lowtide / bare reads: {ours / bare:.2f}, start, end and recording included")
    tree.kill()
    for pid in pids:
        os.kill(int(pid), 9)
    tree.wait()


def bench_job(arguments, folder):
    code = LOOP % arguments.steps
    ratios, cpu_ratios = [], []
    for pair in range(arguments.pairs):
        took = {}
        order = ("with", "without") if pair % 2 else ("without", "with")
        for how in order:
            command = [sys.executable, "-c", code]
            if how == "with":
                command = [LOWTIDE, "run", "--no-report", "--output", os.path.join(folder, f"job{pair}.lowtide"), "--", *command]
            took[how] = [float(word) for word in
                         subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()]
        ratios.append(took["with"][1] / took["without"][1])
        cpu_ratios.append(took["with"][0] / took["without"][0])
    print(f"\na training loop of {arguments.steps} steps ({took['without'][1]:.1f} s), {arguments.pairs} pairs: "
          f"with lowtide / without, median (least to most)")
    for name, values in (("wall time", ratios), ("CPU time", cpu_ratios)):
        print(f"  {name:10} {statistics.median(values):.4f} ({min(values):.4f} to {max(values):.4f})")


def bench_large(arguments, folder):
    large = subprocess.Popen([sys.executable, "-c", LARGE, str(arguments.gigabytes)], stdout=subprocess.PIPE, text=True)
    large.stdout.readline()
    recording = os.path.join(folder, "large.lowtide")
    _, wall, _ = cpu_of(attach(large.pid, arguments.seconds, recording))
    read = meta(recording)
    held = float(read["pss_seconds"])
    print(f"\none process of {arguments.gigabytes:g} GiB in 4K pages, {arguments.seconds} s at 1 Hz: smaps_rollup took "
          f"{1e3 * float(read['pss_longest_seconds']):.1f} ms at a time, {1e3 * held:.1f} ms in all = "
          f"{100 * held / wall:.2f} % of the time under its mmap_lock")
    large.kill()
    large.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--processes", type=int, default=50)
    parser.add_argument("--pairs", type=int, default=7)
    parser.add_argument("--steps", type=int, default=3000)
    parser.add_argument("--gigabytes", type=float, default=12)
    parser.add_argument("parts", nargs="*", choices=["tree", "job", "large", []])
    arguments = parser.parse_args()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(4096, hard), hard))
    with tempfile.TemporaryDirectory() as folder:
        for part in arguments.parts or ["tree", "job", "large"]:
            globals()[f"bench_{part}"](arguments, folder)


if __name__ == "__main__":
    main()
