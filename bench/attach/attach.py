#!/usr/bin/env python3
"""How long a process waits when the agent is put into it and taken out: ./dev bench attach

usage: attach [--rounds N]

Each round enters and leaves. `stop` is how long ptrace held a thread (the longest of a
round, also of the tries that found no safe place); `pause` is the whole time that the
borrowed thread lost; `work` is dlopen and the hooks, in a thread of their own where the
process has several. The output of the Python job is held against that of one left alone.
"""

import argparse
import json
import pathlib
import subprocess
import sys

build = pathlib.Path(__file__).resolve().parents[2]
sources = build.parents[1]
PROBE, AGENT = build / "tests/attach/attach_probe", build / "src/agent/liblowtide_agent.so"
LIMITS_US = {"median": 1000, "p99": 10000}


def start(command, ready):
    job = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    getattr(job, ready).readline()
    return job


def quantile(values, share):
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def measure(name, command, ready, rounds):
    """The job's output; prints a table. False: a limit was broken."""
    alone = start(command, ready).communicate()[0]
    job = start(command, ready)
    probe = subprocess.run([PROBE, AGENT, str(job.pid), "--rounds", str(rounds), "--read-ms", "2"], stdout=subprocess.PIPE, check=False)
    output, complaints = job.communicate()
    told = json.loads(probe.stdout)
    print(f"\n{name}: {len(told['stop_us'])} calls, {told['hellos']} hellos, {told['samples']} samples")
    for what in ("stop_us", "pause_us", "work_us"):
        values = told[what]
        print(f"  {what:9}  median {quantile(values, 0.5):8.0f}   p99 {quantile(values, 0.99):8.0f}   most {max(values):8.0f}")
    if job.returncode != 0:
        print(complaints.decode())
    print(f"  ended with {job.returncode}, output {'the same' if output == alone else 'DIFFERENT'}, not done: {told['failed'] or 'none'}")
    return (job.returncode == 0 and output == alone and not told["failed"]
            and quantile(told["pause_us"], 0.5) <= LIMITS_US["median"] and quantile(told["pause_us"], 0.99) <= LIMITS_US["p99"])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=1000)
    rounds = parser.parse_args().rounds
    target = str(build / "tests/attach/attach_target")
    python = ["/usr/bin/python3", str(sources / "tests/attach/busy.py"), "3000"]
    ok = measure("busy Python, 8 threads, children, signals", python, "stderr", rounds)
    ok = measure("malloc storm, 8 threads", [target, "storm"], "stdout", rounds) and ok
    measure("one thread, waiting (it does the work itself)", [target, "blocks"], "stdout", rounds)
    sys.exit(0 if ok else 1)


main()
