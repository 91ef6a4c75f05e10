#!/usr/bin/env python3
"""Kills, deep attaches and snapshots by the thousand: ./dev bench storm

usage: storm [--rounds N] [kills] [attaches] [snapshots]

kills      ends the monitor or the job of `lowtide run` at random moments; a job whose monitor was killed must end as
           it does alone, and every recording must open with all that was committed
attaches   `lowtide attach --deep` to one job with eight threads that allocate, children and signals, again and again
snapshots  `lowtide snapshot` of the same job

The output and the exit status of the job are compared with those of a job that was left alone. Exit status 1: a job
was harmed, or a recording was lost.
"""

import argparse
import collections
import pathlib
import re
import subprocess
import sys
import tempfile

BUILD = pathlib.Path(__file__).resolve().parents[2]
TESTS = BUILD.parents[1] / "tests"
LOWTIDE = str(BUILD / "src/cli/lowtide")
BUSY = ["/usr/bin/python3", str(TESTS / "attach/busy.py"), "3000"]


def start():
    job = subprocess.Popen(BUSY, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    job.stderr.readline()  # "ready"
    return job


def kills(rounds, _folder):
    storm = [sys.executable, TESTS / "watch/kill_storm.py", "--binary", LOWTIDE, str(rounds)]
    return subprocess.run(storm, check=False).returncode == 0


def one_attach(pid, folder, number):
    path = folder / f"{number}.lowtide"
    done = subprocess.run([LOWTIDE, "attach", "--deep", "--duration", "0.2s", "--quiet", "--no-status", "--output", path, str(pid)],
                          capture_output=True, text=True, check=False)
    is_kept = path.exists()
    path.unlink(missing_ok=True)
    return done, is_kept


def one_snapshot(pid, _folder, _number):
    done = subprocess.run([LOWTIDE, "snapshot", "--json", str(pid)], capture_output=True, text=True, check=False)
    return done, True


def repeat(what, one, rounds, folder):
    """Calls one(pid, folder, number) on a busy job. False: the job was harmed, or a recording is missing."""
    alone = start().communicate("")[0]
    job = start()
    lost, refused = 0, collections.Counter()
    for number in range(rounds):
        if job.poll() is not None:
            print(f"{what}: the job ended with {job.returncode} in round {number}")
            break
        done, is_kept = one(job.pid, folder, number)
        lost += not is_kept
        if done.returncode not in (0, 1, 4):  # 1 and 4 are verdicts
            refused[re.sub(r"\d+", "N", done.stderr.strip().partition("\n")[0])] += 1
    output, complaints = job.communicate("")
    is_same = job.returncode == 0 and output == alone
    print(f"{what}: {rounds} rounds, {sum(refused.values())} not done, {lost} recordings lost; the job ended with {job.returncode}, "
          f"its output is {'the same' if is_same else 'DIFFERENT'}", flush=True)
    for words, count in refused.items():
        print(f"  {count} times: {words}")
    if not is_same:
        print(complaints)
    return is_same and lost == 0


PARTS = {
    "kills": kills,
    "attaches": lambda rounds, folder: repeat("deep attaches", one_attach, rounds, folder),
    "snapshots": lambda rounds, folder: repeat("snapshots", one_snapshot, rounds, folder),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []])
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        results = [PARTS[name](arguments.rounds, pathlib.Path(folder)) for name in arguments.parts or PARTS]
    sys.exit(0 if all(results) else 1)


main()
