"""One load under all tools by turns, and their ratio to the bare one.

A round goes bare, ours, the peers, ours, bare, as A B C B A does, so that a steady drift of the
machine cancels for those whose cost is small; the peers' is not, and they have one turn. Ratios
are made within a round. The figure is their median; what the machine did is in the spread.
`least` is the least block of all turns over the least bare one: what disturbs only ever adds.
"""
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile

import recording
from interval import median_interval
from tools import import_error

LOADS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "loads")
LIBRARY = os.path.join(os.path.dirname(LOADS), "pairs.so")
LIMIT_S = 100  # bare they take 3 s
ONE_THREAD, EIGHT_THREADS = "malloc + free, 1 thread", "malloc + free, 8 threads"


class Load:
    def __init__(self, name, unit, script, units, aim=None, slow_units=None, arguments=(), needs=None, children=False):
        self.name = name
        self.unit = unit
        self.script = os.path.join(LOADS, script)
        self.units = units
        self.aim = aim
        self.slow_units = slow_units or units  # what a tool that slows down tenfold gets
        self.arguments = list(arguments)
        self.needs = needs
        self.children = children


def all_loads():
    return [
        Load("torch training step", "us", "training.py", 3000, aim=1.01, needs="torch"),
        Load("Python objects", "ns", "objects.py", 1_000_000, aim=1.03),
        Load(ONE_THREAD, "ns", "pairs.py", 40_000_000, aim=1.05, slow_units=800_000, arguments=["1", LIBRARY]),
        Load(EIGHT_THREADS, "ns", "pairs.py", 40_000_000, aim=1.05, slow_units=800_000, arguments=["8", LIBRARY]),
        Load("DataLoader, 4 workers", "us", "loader.py", 900, aim=1.02, needs="torch", children=True),
    ]


def find_loads(python, wanted):
    for load in all_loads():
        if wanted and not any(word in load.name for word in wanted):
            continue
        why = import_error(python, load.needs) if load.needs else None
        if why:
            print(f"SKIPPED {load.name}: {why}")
        else:
            yield load


def run_once(tool, load, python, folder):
    """What the load took under the tool, and what the tool left; text where it failed."""
    with tempfile.TemporaryDirectory(dir=folder) as here:
        result, left = os.path.join(here, "result"), os.path.join(here, "tool", "left")
        os.mkdir(os.path.dirname(left))
        units = load.slow_units if tool.slow else load.units
        command = tool.command(python, load.script, [result, str(units), *load.arguments], left, load.children)
        job = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               text=True, errors="replace", start_new_session=True)
        try:
            said = job.communicate(timeout=LIMIT_S)[0]
        except subprocess.TimeoutExpired:
            os.killpg(job.pid, signal.SIGKILL)
            job.communicate()
            return f"not done after {LIMIT_S} s"
        if job.returncode or not os.path.exists(result):
            return (said.strip().splitlines() or [f"status {job.returncode}"])[-1]
        with open(result) as file:
            took = json.load(file)
        took["bytes"] = recording.file_bytes(left)
        if tool.name == "lowtide":
            took.update(recording.agents(left))
            if not took["samples"]:
                return "no sample was taken: is the agent's library of the same build?"
        return took


def one_round(load, tools, python, folder, failed_before):
    """Per tool the means of its turns; a tool that fails has its last words instead, and no further turn."""
    near, far = tools[:3], [tool for tool in tools[3:] if tool.only is None or load.name in tool.only]
    turns = {}
    for tool in near + far + near[::-1]:
        took = failed_before.get(tool.name) or run_once(tool, load, python, folder)
        if isinstance(took, str) and tool in near:
            sys.exit(f"{load.name} under {tool.name}: {took}")
        turns.setdefault(tool.name, []).append(took)
    means = {}
    for name, each in turns.items():
        failed = [took for took in each if isinstance(took, str)]
        failed_before.update({name: failed[0]} if failed else {})
        means[name] = failed[0] if failed else {key: statistics.mean(took[key] for took in each)
                                                for key in each[0] if each[0][key] is not None}
        if not failed:
            means[name]["cpu_least_ns"] = min(took["cpu_least_ns"] for took in each)
    return means


def spread(values):
    middle, low, high = median_interval(values)
    return f"{middle:7.3f} ({low:.3f} to {high:.3f})"


def ratios_of(rounds, name, quantity):
    return [each[name][quantity] / each["bare"][quantity] for each in rounds]


def show_tool(name, rounds):
    failed = [each[name] for each in rounds if isinstance(each[name], str)]
    if failed:
        print(f"  {name:21} FAILED: {failed[0]}", flush=True)
        return None
    cpu, wall = ratios_of(rounds, name, "cpu_ns"), ratios_of(rounds, name, "wall_ns")
    least = min(each[name]["cpu_least_ns"] for each in rounds) / min(each["bare"]["cpu_least_ns"] for each in rounds)
    line = f"  {name:21}{spread(cpu):28}{least:8.3f}{statistics.median(wall):8.3f}"
    executed = ratios_of(rounds, name, "instructions") if "instructions" in rounds[0][name] else None
    line += f"{statistics.median(executed):13.4f}" if executed else f"{'-':>13}"
    line += f"{statistics.median(each[name]['bytes'] for each in rounds) / 1e6:10.2f} MB"
    if name == "lowtide":
        took = [each[name] for each in rounds]
        samples = sum(each["samples"] for each in took)
        line += (f"   {samples / len(took):.0f} samples of {sum(each['sampling_ns'] for each in took) / max(samples, 1) / 1e3:.1f} us, "
                 f"{sum(each['lost'] for each in took) / max(samples, 1):.2%} lost")
    print(line, flush=True)
    return cpu


def bench_load(load, tools, python, arguments, folder, aims, by_turns):
    """Prints the table of a load. `by_turns` is a more exact ratio of lowtide; if it is known, memray is compared with it."""
    failed = {}
    rounds = [one_round(load, tools, python, folder, failed) for _ in range(arguments.rounds)]
    per = {"us": 1e3, "ns": 1}[load.unit]
    bare = statistics.median(each["bare"]["cpu_ns"] for each in rounds) / per
    print(f"\n{load.name}: {bare:.1f} {load.unit} bare")
    print(f"  {'':21}{'CPU / bare (95%)':28}{'least':>8}{'wall':>8}{'instructions':>13}{'left behind':>13}")
    shown = {name: show_tool(name, rounds) for name in rounds[0] if name != "bare"}
    ratios = {name: cpu for name, cpu in shown.items() if cpu}
    if load.aim:
        ours = ratios["lowtide"]
        middle, low, high = median_interval(ours)
        doubt = ", but the interval holds it" if low <= load.aim < high else ""
        aims.report(f"  ratio {middle:.3f}, aim <= {load.aim:.2f}", middle <= load.aim, doubt)
    show_tenth(ratios, (by_turns or statistics.median(ratios["lowtide"])) - 1, aims)


def show_tenth(ratios, ours, aims):
    """If memray costs more than 5%, lowtide must cost less than a tenth of that."""
    for name in ("memray", "memray --native"):
        theirs = statistics.median(ratios[name]) - 1 if name in ratios else 0
        if theirs > 0.05:
            share = f"{ours / theirs:.0%}" if ours > 0 else "nothing"
            aims.report(f"  {ours:+.1%} beside {theirs:+.1%} of {name}: {share} of it, aim < a tenth", ours < theirs / 10)
