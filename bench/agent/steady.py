"""A job that stands still, for a while: how large the agent is, and how fast the files grow.

The same paced training loop under lowtide, heaptrack and memray, side by side for the same
seconds. The growth is taken between two moments after the start; a recording of lowtide that
is being written is asked for its pages, because the size of its log says little.
"""
import os
import signal
import subprocess
import sys
import tempfile
import time

import recording
from tools import import_error
from twins import LOADS

WARM_S = 20
STEPS_PER_S = 20
AGENT = ("lowtide-agent", "liblowtide_agent.so")


def agent_bytes(pid):
    """Resident bytes of the agent's mappings: its memory file, its library, and the zeroed data that follows that."""
    total, ours, last_end = 0, False, None
    with open(f"/proc/{pid}/smaps") as file:
        for line in file:
            words = line.split()
            if "-" in words[0] and not words[0].endswith(":"):
                begin, end = words[0].split("-")
                name = words[5] if len(words) > 5 else ""
                ours = any(each in name for each in AGENT) or (not name and begin == last_end)
                last_end = end if "liblowtide_agent.so" in name else None
            elif ours and words[0] == "Rss:":
                total += int(words[1]) * 1024
    return total


def children_of(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        return [int(word) for word in file.read().split()]


class Watched:
    def __init__(self, tool, python, folder):
        self.tool = tool
        self.ready = os.path.join(folder, f"{tool.name} is ready")
        self.path = os.path.join(tempfile.mkdtemp(dir=folder), "left")
        command = tool.command(python, os.path.join(LOADS, "training.py"), [self.ready, "0", str(STEPS_PER_S)], self.path)
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL, start_new_session=True)
        self.marks = []

    def wait_until_ready(self):
        while not os.path.exists(self.ready) and self.process.poll() is None:
            time.sleep(0.2)

    def mark(self):
        if self.process.poll() is not None:
            return
        used = recording.used_bytes(self.path) if self.tool.name == "lowtide" else recording.file_bytes(self.path)
        self.marks.append((time.monotonic(), used))

    def growth(self):
        """Bytes a minute; None where it did not last so long."""
        if len(self.marks) < 2:
            return None
        (from_s, from_bytes), (to_s, to_bytes) = self.marks
        return (to_bytes - from_bytes) * 60 / (to_s - from_s)

    def end(self):
        if self.process.poll() is not None:
            return
        os.killpg(self.process.pid, signal.SIGTERM)
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()


def show_agent(watched, aims):
    live = recording.live_samples(watched.path)
    used, aim = agent_bytes(children_of(watched.process.pid)[0]), 4e6 + 200 * live
    aims.report(f"  memory of the agent: {used / 1e6:.2f} MB with {live} live samples, aim <= {aim / 1e6:.2f} MB", used <= aim)


def bench_steady(tools, python, arguments, folder, aims):
    why = import_error(python, "torch")
    if why:
        print(f"\nSKIPPED the job that stands still: {why}")
        return
    names = ("lowtide", "heaptrack", "memray", "memray --native")
    all_watched = [Watched(tool, python, folder) for tool in tools if tool.name in names]
    ours = all_watched[0]
    try:
        for watched in all_watched:
            watched.wait_until_ready()
        print(f"\na job that stands still ({STEPS_PER_S} training steps a second), from {WARM_S} s after all have begun, "
              f"for {arguments.seconds} s", flush=True)
        for wait_s in (WARM_S, arguments.seconds):
            time.sleep(wait_s)
            for watched in all_watched:
                watched.mark()
        if ours.growth() is None:
            sys.exit("lowtide run ended before its time")
        show_agent(ours, aims)
    finally:
        for watched in all_watched:
            watched.end()
    for watched in all_watched:
        grown = watched.growth()
        rate = "ended by itself" if grown is None else f"{grown / 1e6:8.3f} MB/min"
        print(f"  {watched.tool.name:21}{rate}{recording.file_bytes(watched.path) / 1e6:10.2f} MB in all")
    aims.report(f"  growth of the recording: {ours.growth() / 1e6:.3f} MB/min, aim <= 1", ours.growth() <= 1e6)
