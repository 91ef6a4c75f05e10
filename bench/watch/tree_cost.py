"""The monitor at 1 Hz on a tree of processes, beside bare reads and psutil on the same tree at the same time.

All of them run side by side, each in a quarter of the second of its own, so that a busy machine is busy for all and
none measures the other. CPU time is the scheduler's. What a tick costs is taken from the middle of the run; what is
left of the whole is the start and the end.
"""
import importlib.util
import os
import statistics
import subprocess
import sys
import tempfile
import time

from common import BARE, LOWTIDE, cpu_so_far_s, meta, spread

WARM_S = 5

CHILDREN = """
import subprocess, sys, time
quiet = "import time; x = bytearray(4 << 20)\\nwhile True: time.sleep(0.5); x[0] = 1"
busy = "import time; x = [bytearray(4 << 20)]\\nwhile True: time.sleep(0.5); x.append(bytearray(65536))"
code = {"quiet": quiet, "busy": busy}[sys.argv[2]]
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


class Contender:
    """One of those that run side by side."""

    def __init__(self, name, command):
        self.name = name
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self.marks = []

    def mark(self):
        self.marks.append((time.perf_counter(), cpu_so_far_s(self.process.pid)))

    def finish(self, seconds):
        errors = self.process.stderr.read()
        _, status, usage = os.wait4(self.process.pid, 0)
        self.process.returncode = os.waitstatus_to_exitcode(status)
        if self.process.returncode != 0:
            sys.exit(f"{self.name} failed: {errors.decode(errors='replace')}")
        (from_s, cpu_from_s), (to_s, cpu_to_s) = self.marks
        whole_s = usage.ru_utime + usage.ru_stime
        tick_s = (cpu_to_s - cpu_from_s) / (to_s - from_s)  # a tick a second
        return {"whole": whole_s, "tick": tick_s, "ends": max(0.0, whole_s - tick_s * seconds),
                "rss": usage.ru_maxrss * 1024}


def contenders(tree_pid, pids, seconds, recording):
    attach = [LOWTIDE, "attach", "--quiet", "--no-report", "--interval", "1s", "--duration", f"{seconds}s", "--output",
              recording, str(tree_pid)]
    yield "bare reads of statm + status", [BARE, str(seconds), "1000", str(tree_pid), *pids]
    yield "lowtide attach", attach
    if importlib.util.find_spec("psutil"):
        for kind in ("rss", "pss"):
            yield f"psutil loop, {kind}", [sys.executable, "-c", PSUTIL, str(tree_pid), str(seconds), kind]


def one_round(tree_pid, pids, seconds, folder):
    recording = os.path.join(tempfile.mkdtemp(dir=folder), "tree.lowtide")
    began_s = time.perf_counter()
    running = []
    for place, (name, command) in enumerate(contenders(tree_pid, pids, seconds, recording)):
        time.sleep(max(0.0, began_s + place * 0.25 - time.perf_counter()))
        running.append(Contender(name, command))
    # Between two ticks of each, so that none is caught in the middle of one.
    for moment_s in (WARM_S, seconds - 1):
        for place, each in enumerate(running):
            time.sleep(max(0.0, began_s + moment_s + 0.65 + place * 0.25 - time.perf_counter()))
            each.mark()
    figures = {each.name: each.finish(seconds) for each in running}
    # ru_maxrss begins with what this Python had at the fork.
    figures["lowtide attach"]["rss"] = int(meta(recording)["monitor_rss_bytes"])
    return figures


def show(rounds, processes, seconds):
    print(f"  {'':30}{'a core, %':>26}{'us/tick/process':>26}{'start + end, ms':>26}{'peak RSS':>10}")
    for name in rounds[0]:
        of = [each[name] for each in rounds]
        print(f"  {name:30}{spread([100 * f['whole'] / seconds for f in of], '{:.3f}'):>26}"
              f"{spread([1e6 * f['tick'] / processes for f in of], '{:.1f}'):>26}"
              f"{spread([1e3 * f['ends'] for f in of], '{:.0f}'):>26}"
              f"{max(f['rss'] for f in of) / 1e6:7.1f} MB")


def bench_tree(arguments, folder):
    within = True
    for kind in ("quiet", "busy"):
        tree = subprocess.Popen([sys.executable, "-c", CHILDREN, str(arguments.processes), kind],
                                stdout=subprocess.PIPE, text=True)
        pids = tree.stdout.readline().split()
        time.sleep(3)
        processes = len(pids) + 1
        rounds = [one_round(tree.pid, pids, arguments.seconds, folder) for _ in range(arguments.rounds)]
        tree.kill()
        for pid in pids:
            os.kill(int(pid), 9)
        tree.wait()

        print(f"\na tree of {processes} processes whose memory "
              f"{'stands still' if kind == 'quiet' else 'moves at every tick'}, {arguments.seconds} s at 1 Hz, "
              f"{arguments.rounds} rounds: median (least to most)")
        show(rounds, processes, arguments.seconds)
        bare = [each["bare reads of statm + status"] for each in rounds]
        ours = [each["lowtide attach"] for each in rounds]
        steady = [o["tick"] / b["tick"] for o, b in zip(ours, bare)]
        whole = [o["whole"] / arguments.seconds / b["tick"] for o, b in zip(ours, bare)]
        print(f"  lowtide / bare reads: {spread(steady, '{:.2f}')} a tick, {spread(whole, '{:.2f}')} with start and end",
              flush=True)
        within = (within and statistics.median(steady) <= 3 and max(o["rss"] for o in ours) <= 16e6 and
                  statistics.median(o["whole"] for o in ours) / arguments.seconds <= 0.002)
    return within
