#!/usr/bin/env python3
"""What the Python package costs a training script: ./dev bench package

usage: package [--rounds N] [--steps N]

`import`: the time of `import lowtide` in a fresh interpreter, beside that of modules that every script has.
`callback`: what the callbacks do at every step with every=10, as a share of a step of 100 ms; the monitor runs beside.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

build = pathlib.Path(__file__).resolve().parents[2]
sources = build.parents[1]
PYTHON = "/usr/bin/python3" if os.path.exists("/usr/bin/python3") else sys.executable
MOST_IMPORT_S = 0.05
STEP_S, MOST_SHARE = 0.1, 0.001

IMPORT = "import sys, time; began = time.perf_counter(); __import__(sys.argv[1]); print(time.perf_counter() - began)"
STEPS = """
import json, sys, time
from lowtide._training import TrainingMemory
memory = TrainingMemory(10, recording="job.lowtide", quiet=True)
memory.begin()
time.sleep(2)
times = []
for number in range(int(sys.argv[1])):
    began = time.perf_counter()
    memory.step(number)
    times.append(time.perf_counter() - began)
    time.sleep(0.002)
memory.end()
print(json.dumps(times))
"""


def run(*command, cwd=None):
    settings = {**os.environ, "PYTHONPATH": str(sources / "python"), "LOWTIDE_COMMAND": str(build / "src/cli/lowtide")}
    return subprocess.run([PYTHON, "-c", *map(str, command)], env=settings, cwd=cwd, capture_output=True, text=True, check=True).stdout


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--steps", type=int, default=5000)
    words = parser.parse_args()
    took = {name: statistics.median(float(run(IMPORT, name)) for _ in range(words.rounds))
            for name in ("lowtide", "subprocess", "logging", "typing", "argparse")}
    print(f"import, median of {words.rounds}: " + ", ".join(f"{name} {seconds * 1e3:.1f} ms" for name, seconds in took.items()))
    with tempfile.TemporaryDirectory() as place:
        times = json.loads(run(STEPS, words.steps, cwd=place))
    mean, share = statistics.mean(times), statistics.mean(times) / STEP_S
    print(f"callback, every=10, {words.steps} steps: {mean * 1e6:.1f} us a step on average, median "
          f"{statistics.median(times) * 1e6:.1f}, most {max(times) * 1e3:.2f} ms: {share:.3%} of a step of 100 ms")
    kept = took["lowtide"] <= MOST_IMPORT_S and share <= MOST_SHARE
    print(f"aims {'kept' if kept else 'MISSED'}: import <= {MOST_IMPORT_S * 1e3:.0f} ms, callback <= {MOST_SHARE:.1%} of a step")
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
