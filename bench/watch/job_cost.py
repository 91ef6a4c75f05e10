"""A training loop with and without lowtide.

An effect of a hundredth of a percent is smaller than the noise of a machine: temperature, other load, and the memory
layout of each process. So A and B alternate as A B B A, which cancels a steady drift. Each such group gives one ratio. The
result is the median of the ratios with a bootstrap interval. There are three parts:

run     whole jobs, with and without `lowtide run`: what a user would see.
attach  one long job, with and without `lowtide attach`: A and B are the same process, so there is much less noise.
often   the same with a tick every 10 ms: the ticks cost 25 times as much as with the default of 250 ms, more than the noise.

No process is pinned to a core, and no priority is changed.
"""
import os
import signal
import subprocess
import sys
import time

from common import LOWTIDE
from interval import median_interval

LOOP = """
import sys, time
try:
    import torch
    torch.manual_seed(0)
    if int(sys.argv[2]): torch.set_num_threads(int(sys.argv[2]))
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
def block():
    began = time.process_time(), time.perf_counter()
    for _ in range(int(sys.argv[1])): step()
    print(time.process_time() - began[0], time.perf_counter() - began[1], flush=True)
for _ in range(100): step()
if len(sys.argv) > 3:
    print("ready", flush=True)
    for _ in sys.stdin: block()
else:
    block()
"""

ORDER = ("without", "with", "with", "without")
OFTEN = ["--interval", "10ms"]
TIMES_AS_OFTEN = 25


def numbers(line):
    return [float(word) for word in line.split()]


def group_of(measure):
    """CPU and wall time with, over those without, of one A B B A."""
    sums = {"with": [0.0, 0.0], "without": [0.0, 0.0]}
    for how in ORDER:
        for at, value in enumerate(measure(how == "with")):
            sums[how][at] += value
    ratios = [sums["with"][at] / sums["without"][at] for at in (0, 1)]
    print(f"  a group: CPU {ratios[0]:.4f}, wall {ratios[1]:.4f}", file=sys.stderr, flush=True)
    return ratios, sums["without"][1] / 2


def by_run(arguments, folder):
    job = [sys.executable, "-c", LOOP, str(arguments.steps), str(arguments.threads)]
    count = 0

    def measure(watched):
        nonlocal count
        count += 1
        watch = [LOWTIDE, "run", "--no-report", "--output", os.path.join(folder, f"job{count}.lowtide"), "--"]
        command = watch + job if watched else job
        return numbers(subprocess.run(command, check=True, capture_output=True, text=True).stdout)

    return [group_of(measure) for _ in range(arguments.groups)]


def by_attach(arguments, folder, words=()):
    job = subprocess.Popen([sys.executable, "-c", LOOP, str(arguments.steps), str(arguments.threads), "on request"],
                           stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    job.stdout.readline()
    count = 0

    def measure(watched):
        nonlocal count
        count += 1
        watch = None
        if watched:
            watch = subprocess.Popen([LOWTIDE, "attach", *words, "--quiet", "--no-report", "--output",
                                      os.path.join(folder, f"block{count}.lowtide"), str(job.pid)],
                                     stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(0.5)  # until it has begun; and as long without
        job.stdin.write("go\n")
        job.stdin.flush()
        took = numbers(job.stdout.readline())
        if watch:
            if watch.poll() is not None:
                sys.exit("lowtide attach ended before the job")
            watch.send_signal(signal.SIGINT)
            watch.wait()
        return took

    groups = [group_of(measure) for _ in range(arguments.groups)]
    job.stdin.close()
    job.wait()
    return groups


def by_attach_often(arguments, folder):
    return by_attach(arguments, folder, OFTEN)


def bench_job(arguments, folder):
    within = True
    for name, measure_all, times in (("run", by_run, 1), ("attach", by_attach, 1),
                                     ("attach " + " ".join(OFTEN), by_attach_often, TIMES_AS_OFTEN)):
        groups = measure_all(arguments, folder)
        took_s = groups[0][1]
        print(f"\na training loop of {arguments.steps} steps ({took_s:.1f} s) with `lowtide {name}` / without, "
              f"{len(groups)} groups of A B B A: median (95% interval; least to most)")
        for at, quantity in enumerate(("CPU time", "wall time")):
            ratios = [ratio[at] for ratio, _ in groups]
            middle, low, high = median_interval(ratios)
            usual_low, usual_high = 1 + (low - 1) / times, 1 + (high - 1) / times
            verdict = ("too few groups to say" if len(ratios) < 6 else "within 1.005" if usual_high <= 1.005 else
                       "above 1.005" if usual_low > 1.005 else "too noisy to say whether within 1.005")
            usual = f"at the usual pace {usual_low:.4f} to {usual_high:.4f}: " if times > 1 else ""
            print(f"  {quantity:10} {middle:.4f} ({low:.4f} to {high:.4f}; {min(ratios):.4f} to {max(ratios):.4f})  "
                  f"{usual}{verdict}", flush=True)
            within = within and (usual_low <= 1.005 or len(ratios) < 6)
    return within
