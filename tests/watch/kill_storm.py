"""Kills the monitor or the job at a random moment, many times: every recording opens, none loses a committed tick,
and a job whose monitor was killed ends as it does alone.

    kill_storm.py --binary build/dev/src/cli/lowtide [--seed N] ROUNDS

Which is killed, what the job is and when differ from round to round. Beforehand
a reader counts what is committed, so that a monitor which had no turn on a busy
processor is not mistaken for one that lost something.
"""

import argparse
import concurrent.futures
import contextlib
import os
import pathlib
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

from box import LIMIT_S, Recording, children_of, jobs_of, text_of, wait_until

INTERVAL_S = 0.05
BUSY = pathlib.Path(__file__).resolve().parents[1] / "attach/busy.py"  # eight threads that allocate
BUSY_TURNS = 2000
JOBS = (
    ("sleep", "60"),
    ("sh", "-c", "while :; do sleep 0.03; done"),
    ("sh", "-c", "sleep 60 & sleep 60 & sleep 60 & wait"),
)


def samples_of(path):
    with contextlib.suppress(sqlite3.Error):
        return Recording(path).samples
    return 0


def kill_tree(pid):
    for child in children_of(pid):
        kill_tree(child)
    with contextlib.suppress(OSError):
        os.kill(pid, signal.SIGKILL)


def busy_job(number):
    """Writes its output and its status to files, because its parent is killed."""
    return ("sh", "-c", f"/usr/bin/python3 {BUSY} {BUSY_TURNS} >{number}.out 2>&1; echo $? >{number}.status")


def check_busy(folder, number, expected):
    status = wait_until(lambda: text_of(folder / f"{number}.status").strip(), "the end of the job")
    output = text_of(folder / f"{number}.out")
    if status != "0" or output != expected:
        raise AssertionError(f"the job was harmed: status {status}, output {output[-300:]!r}")


def storm_round(binary, folder, number, seed, expected):
    """Returns (who was killed, lag in seconds or None where nothing was recorded yet); raises where it went wrong."""
    chance = random.Random(seed * 1_000_003 + number)
    path = folder / f"{number}.lowtide"
    is_busy = chance.random() < 0.25
    process = subprocess.Popen([binary, "run", "--no-status", "--interval", f"{INTERVAL_S}s", "--output", path, "--",
                                *(busy_job(number) if is_busy else chance.choice(JOBS))], cwd=folder,
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               start_new_session=True)
    # Half of them early, when the file is being made; half while it is in full swing.
    time.sleep(chance.uniform(0, 0.15) if chance.random() < 0.5 else chance.uniform(0.15, 1.5))
    job = jobs_of(process.pid)[:1]
    victim = "job" if job and not is_busy and chance.random() < 0.4 else "monitor"
    before = samples_of(path) if chance.random() < 0.5 else 0
    killed_at = time.time()
    os.kill(job[0] if victim == "job" else process.pid, signal.SIGKILL)
    status = process.wait(LIMIT_S)
    if is_busy and job:
        check_busy(folder, number, expected)
    for pid in job:
        kill_tree(pid)
    # A job that started after `job` was read, just before its monitor was killed.
    with contextlib.suppress(OSError):
        os.killpg(process.pid, signal.SIGKILL)
    if victim == "job" and status != 137:
        raise AssertionError(f"the job was killed and the status is {status}")
    if not path.exists():
        if before:
            raise AssertionError("no recording")
        return victim, None
    recording = Recording(path)
    if recording.one("PRAGMA integrity_check") != "ok":
        raise AssertionError(f"{path} is damaged")
    if recording.samples < before:
        raise AssertionError(f"{before} samples were committed, {recording.samples} are there")
    if victim == "job" and recording.meta("closed") != "1":
        raise AssertionError("the job was killed and the recording is not closed")
    if recording.samples == 0:
        return victim, None
    return victim, killed_at - float(recording.meta("started_unix_s")) - recording.last_s


def read_with_lowtide(binary, folder):
    """How many the program's own reader opens, where it has the verb; None where not."""
    if subprocess.run([binary, "help", "report"], capture_output=True, timeout=LIMIT_S).returncode != 0:
        return None
    opened = 0
    for path in sorted(folder.glob("*.lowtide")):
        ended = subprocess.run([binary, "report", path], capture_output=True, timeout=LIMIT_S)
        if ended.returncode in (0, 1, 4):
            opened += 1
        elif Recording(path).samples > 0:
            raise AssertionError(f"lowtide report {path}: {ended}")
    return opened


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", type=pathlib.Path, required=True)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("rounds", type=int, nargs="?", default=30)
    options = parser.parse_args()
    binary = str(options.binary.resolve())
    lags, none, failed, killed = [], 0, 0, {"job": 0, "monitor": 0}
    alone = subprocess.run(["/usr/bin/python3", BUSY, str(BUSY_TURNS)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, text=True, check=True, timeout=LIMIT_S).stdout
    with tempfile.TemporaryDirectory(prefix="lowtide-storm-") as name, \
            concurrent.futures.ThreadPoolExecutor(4) as pool:
        folder = pathlib.Path(name)
        print(f"seed {options.seed}", flush=True)
        rounds = [pool.submit(storm_round, binary, folder, number, options.seed, alone)
                  for number in range(options.rounds)]
        for number, one in enumerate(rounds):
            if error := one.exception():
                print(f"round {number}: {error!r}", flush=True)
                failed += 1
                continue
            victim, lag_s = one.result()
            killed[victim] += 1
            if lag_s is None:
                none += 1
            else:
                lags.append(lag_s)
        opened = read_with_lowtide(binary, folder)
    lags.sort()
    print(f"{options.rounds} kills ({killed['monitor']} of the monitor, {killed['job']} of the job): {failed} failed, "
          f"{none} had no sample yet")
    if lags:
        print(f"from the last sample to the kill: median {lags[len(lags) // 2] * 1e3:.0f} ms, "
              f"99% {lags[int(len(lags) * 0.99) - 1] * 1e3:.0f} ms, most {lags[-1] * 1e3:.0f} ms "
              f"(a tick every {INTERVAL_S * 1e3:.0f} ms)")
    if opened is not None:
        print(f"lowtide report reads {opened} of them")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
