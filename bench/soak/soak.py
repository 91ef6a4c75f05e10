#!/usr/bin/env python3
"""What the monitor takes in a long run: ./dev bench soak

usage: soak [--minutes N] [--python PROGRAM]
       soak --week [--days N] [--speed N]

A training loop with torch that allocates ten times as fast as usual, with workers that are started again every epoch,
under `lowtide run` with everything on. The table has the first and the last quarter of an hour (of a short run: the
first and the last eighth). Run it for two hours with `--minutes 120`.

--week runs the same program with a clock that runs fast (libfaketime): a week takes ten minutes at the default speed.
Snapshots and samples of allocations are off there, because they would take a thousand times as long by that clock.
"""

import argparse
import glob
import os
import pathlib
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
LOWTIDE = os.environ.get("LOWTIDE", str(HERE.parents[1] / "src/cli/lowtide"))
QUARTER_S = 900
EVERY_S = 5
DAY_S = 86_400


class Reading:
    """What the monitor has taken by now."""

    def __init__(self, pid, began, recording):
        self.at_s = time.monotonic() - began
        status = dict(line.split(":", 1) for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines())
        self.rss_mb = int(status["VmRSS"].split()[0]) / 1e3
        self.descriptors = len(os.listdir(f"/proc/{pid}/fd"))
        self.cpu_s = sum(int(pathlib.Path(f"/proc/{pid}/task/{thread}/schedstat").read_text().split()[0])
                         for thread in os.listdir(f"/proc/{pid}/task")) / 1e9
        self.file_mb = sum(part.stat().st_size for part in recording.parent.glob(recording.name + "*")) / 1e6


def watch(command, recording, environment):
    """The readings of a monitor until it ends."""
    began = time.monotonic()
    monitor = subprocess.Popen(command, stdout=subprocess.DEVNULL, env=environment)
    readings = []
    while monitor.poll() is None:
        try:
            readings.append(Reading(monitor.pid, began, recording))
        except (OSError, KeyError):  # it has just ended
            break
        time.sleep(EVERY_S)
    if monitor.wait() != 0:
        sys.exit(f"lowtide run ended with {monitor.returncode}")
    return readings


def rows(readings, begin_s, end_s):
    return [one for one in readings if begin_s <= one.at_s <= end_s]


def table(readings, columns, clock, cost_of=None):
    """Prints what was taken between the times in `columns`. `clock` is how many seconds the job sees in one."""
    print(f"{'':34}" + "".join(f"{name:>20}" for name, _begin, _end in columns))
    spans = [rows(readings, begin, end) for _name, begin, end in columns]
    lines = [
        ("memory of the monitor, most", [f"{max(one.rss_mb for one in span):.1f} MB" for span in spans]),
        ("open files, most", [f"{max(one.descriptors for one in span)}" for span in spans]),
        ("recording, at the end of it", [f"{span[-1].file_mb:.2f} MB" for span in spans]),
        ("recording, growth in an hour",
         [f"{(s[-1].file_mb - s[0].file_mb) / (s[-1].at_s - s[0].at_s) / clock * 3600:.3f} MB" for s in spans]),
        ("share of one core", [f"{(s[-1].cpu_s - s[0].cpu_s) / (s[-1].at_s - s[0].at_s) / clock:.3%}" for s in spans]),
    ]
    if cost_of:
        lines.append(("CPU time of the job for a step", [f"{cost_of(begin, end) * 1e3:.2f} ms" for _name, begin, end in columns]))
    for name, values in lines:
        print(f"{name:34}" + "".join(f"{value:>20}" for value in values))


def costs(progress):
    """A function: CPU seconds of the job for a step between two times."""
    steps = [tuple(map(float, line.split())) for line in progress.read_text().splitlines()]

    def cost_of(begin_s, end_s):
        span = [one for one in steps if begin_s <= one[0] <= end_s]
        return (span[-1][2] - span[0][2]) / (span[-1][1] - span[0][1])

    return cost_of


def soak(arguments, folder):
    seconds = arguments.minutes * 60
    recording, progress = folder / "soak.lowtide", folder / "progress"
    print(f"{arguments.minutes:g} minutes of a training loop with workers that respawn", flush=True)
    readings = watch([LOWTIDE, "run", "--no-status", "--output", recording, "--", arguments.python,
                      HERE / "loads/respawning_training.py", str(seconds), progress], recording, None)
    part = min(QUARTER_S, seconds / 8)
    table(readings, [(f"first {part / 60:.3g} minutes", 0, part), (f"last {part / 60:.3g} minutes", seconds - part, seconds)], 1,
          costs(progress))


def week(arguments, folder):
    libraries = glob.glob("/usr/lib/*/faketime/libfaketime.so.1")
    if not libraries:
        sys.exit("soak: --week needs libfaketime\n  why:  it makes the clock run fast\n  try:  apt-get install faketime")
    recording = folder / "week.lowtide"
    print(f"{arguments.days:g} days by a clock that runs {arguments.speed:g} times as fast", flush=True)
    readings = watch([LOWTIDE, "run", "--no-status", "--no-agent", "--output", recording, "--", "/usr/bin/python3",
                      HERE / "loads/slow_week.py", str(arguments.days)], recording,
                     {**os.environ, "LD_PRELOAD": libraries[0], "FAKETIME": f"+0 x{arguments.speed:g}"})
    day, end = DAY_S / arguments.speed, readings[-1].at_s
    table(readings, [("first day", 0, day), ("last day", end - day, end)], arguments.speed)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--python", default="/usr/bin/python3", help="a Python with torch")
    parser.add_argument("--week", action="store_true")
    parser.add_argument("--days", type=float, default=7)
    parser.add_argument("--speed", type=float, default=1000)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        (week if arguments.week else soak)(arguments, pathlib.Path(folder))


main()
