#!/usr/bin/env python3
"""./dev bench agent [ROUNDS]: what the agent costs, as twins.

Bare and under the agent by turns, on the same machine in the same run. The figure is
the CPU time that a job itself measures, the least of all rounds (what disturbs a round
only ever adds), and their ratio. The reader runs beside, as the monitor would.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
BUILD = HERE.parent.parent
PROBE = BUILD / "tests/agent/agent_probe"
AGENT = BUILD / "src/agent/liblowtide_agent.so"
PYTHON = "/usr/bin/python3" if os.path.exists("/usr/bin/python3") else sys.executable

CHURN = """
import time
class Node:
    def __init__(self, i): self.i = i; self.name = str(i); self.pair = (i, i + 1)
def work():
    for r in range(20):
        kept = [Node(i) for i in range(20_000)]
        d = {n.name: n for n in kept}
work()
t = time.thread_time_ns(); work(); work()
print((time.thread_time_ns() - t) / 800_000)
"""

NUMPY = """
import time, numpy as np
def work():
    for r in range(3000):
        a = np.ones(40_000); b = a * 2.0 + r; c = np.concatenate([a, b])
work()
t = time.thread_time_ns(); work(); work()
print((time.thread_time_ns() - t) / 6000)
"""

TORCH = """
import time, torch
torch.manual_seed(0); torch.set_num_threads(1)
net = torch.nn.Sequential(torch.nn.Linear(256, 512), torch.nn.ReLU(), torch.nn.Linear(512, 512), torch.nn.ReLU(),
                          torch.nn.Linear(512, 10))
opt = torch.optim.Adam(net.parameters()); loss_of = torch.nn.CrossEntropyLoss()
x = torch.randn(128, 256); y = torch.randint(0, 10, (128,))
def work(n):
    for i in range(n):
        opt.zero_grad(); loss = loss_of(net(x), y); loss.backward(); opt.step()
work(30)
t = time.process_time_ns(); work(120)
print((time.process_time_ns() - t) / 120)
"""


def jobs():
    pairs = str(HERE / "pairs")
    yield "malloc + free, 1 thread", "ns", [pairs, "1", "20000000"]
    yield "malloc + free, 8 threads", "ns", [pairs, "8", "4000000"]
    yield "Python objects", "ns", [PYTHON, "-c", CHURN]
    for module, title, text in (("numpy", "numpy step", NUMPY), ("torch", "torch CPU training step", TORCH)):
        if subprocess.run([PYTHON, "-c", f"import {module}"], capture_output=True).returncode == 0:
            yield title, "ns", [PYTHON, "-c", text]
        else:
            print(f"SKIPPED {title}: no {module}")


def bare(command):
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout), None


def observed(command):
    with tempfile.NamedTemporaryFile() as out:
        done = subprocess.run([PROBE, AGENT, *command], capture_output=True, text=True, check=True,
                              env={**os.environ, "PROBE_OUT": out.name})
        said = json.load(open(out.name))
    processes = [process for process in said["processes"] if process.get("samples")]
    return float(done.stdout), processes[0] if processes else None


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    print(f"{'':26}{'bare':>12}{'agent':>12}{'ratio':>8}{'samples':>9}{'lost':>6}{'us each':>9}")
    for title, unit, command in jobs():
        twins = [(bare(command), observed(command)) for _ in range(rounds)]
        without = min(twin[0][0] for twin in twins)
        best = min((twin[1] for twin in twins), key=lambda twin: twin[0])
        process = best[1] or {"samples": 0, "drops": [0], "sampling_ns": 0}
        each = process["sampling_ns"] / max(process["samples"], 1) / 1000
        print(f"{title:26}{without:9.1f} {unit}{best[0]:9.1f} {unit}{best[0] / without:8.3f}{process['samples']:9}"
              f"{sum(process['drops']):6}{each:9.1f}", flush=True)


main()
