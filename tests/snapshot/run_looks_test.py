"""Looks at a job under `lowtide run`. Every function without an underscore is a test.

usage: run_looks_test.py --binary LOWTIDE [NAME...] | --list
"""

import json
import os
import pathlib
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
sys.dont_write_bytecode = True
from lab import PYTHON, Lab  # noqa: E402  (it makes the others known)
from functions import main  # noqa: E402

KEEPS_ALL = """
import time
history = []
for step in range(200):
    history.append({"step": step, "preview": bytes(range(256)) * 800})
    print("step", step, flush=True)
    time.sleep(0.1)
"""
FILLS_A_CACHE = """
import functools, time
@functools.lru_cache(maxsize=100_000)
def frame(number):
    return bytes(range(256)) * 800 + b"x" * number
for step in range(150):
    frame(step)
    print("step", step, flush=True)
    time.sleep(0.1)
"""


def _runs(lab, *jobs):
    """The reports of jobs that are watched side by side."""
    with tempfile.TemporaryDirectory() as folder:
        watched = []
        for at, (words, script) in enumerate(jobs):
            path = f"{folder}/{at}.py"
            pathlib.Path(path).write_text(script)
            with open(f"{folder}/{at}.log", "w") as log:
                watched.append(subprocess.Popen([lab.binary, "run", "--no-report", "--quiet", *words, "--output",
                                                 f"{folder}/{at}.lowtide", "--", PYTHON, path], stdout=log))
        for process in watched:
            assert process.wait(timeout=200) == 0
        return [json.loads(subprocess.run([lab.binary, "report", "--json", f"{folder}/{at}.lowtide"], capture_output=True,
                                          text=True).stdout) for at in range(len(jobs))]


def run_names_the_variable_that_leaks_and_the_cache_that_does_not(lab):
    in_function = "def main():" + KEEPS_ALL.replace("\n", "\n    ") + "\nmain()\n"
    leak, cache, blind, tight, local = _runs(lab, ((), KEEPS_ALL), ((), FILLS_A_CACHE), (("--no-snapshots",), KEEPS_ALL),
                                             (("--limit", "200M"), KEEPS_ALL), ((), in_function))
    assert leak["verdict"]["kind"] == "leak", leak["verdict"]
    holder = leak["holders"][0]
    assert holder["path"] == "__main__.history" and holder["type"] == "list", holder
    assert holder["growth_length"] > 50 and holder["share"] > 0.8, holder
    finding = leak["findings"][0]
    assert finding["id"] == "logger-history" and finding["hint"] and finding["watch"], finding  # by its name
    assert finding["where"]["holder"] == "__main__.history" and finding["severity"] == "high", finding
    held = next(finding for finding in local["findings"] if finding["where"] and finding["where"]["holder"])
    assert held["where"]["holder"] == "__main__.main.history" and held["hint"].startswith("history."), held
    assert cache["verdict"]["kind"] != "leak", cache["verdict"]
    assert "still filling" in cache["verdict"]["reason"], cache["verdict"]
    assert cache["holders"][0]["path"] == "__main__.frame" and cache["holders"][0]["bound"] == 100_000, cache["holders"][0]
    assert len(leak["processes"]) == 1, "the child that walks is no part of the job"
    assert not blind["holders"], blind["holders"]
    assert not tight["holders"], "a job near its limit is left alone"


FORKS_IDLERS = """
import os, time
kept = []
for _ in range(5):
    if os.fork() == 0:
        mine = bytes(range(256)) * 200_000  # enough to be looked at
        time.sleep(14)
        os._exit(0)
for step in range(120):
    kept.append(bytes(range(256)) * 8000)
    time.sleep(0.1)
"""


def process_that_does_not_answer_keeps_nobody_from_counting_shared_pages(lab):
    """Looks at children that sleep wait for them in vain, one after the other; pages shared with them are counted all the while."""
    with tempfile.TemporaryDirectory() as folder:
        recording = f"{folder}/idle.lowtide"
        subprocess.run([lab.binary, "run", "--no-report", "--quiet", "--output", recording, "--", PYTHON, "-c", FORKS_IDLERS], check=True,
                       timeout=120)
        seen, exact = sqlite3.connect(recording).execute("SELECT count(*), sum(exact) FROM target_memory WHERE at_s BETWEEN 5 AND 12").fetchone()
    assert seen >= 15 and exact >= 3, (seen, exact)


WAITS = """
import signal, sys, time
if len(sys.argv) > 1:
    signal.signal(signal.SIGUSR2, lambda *_: print("got it", flush=True))
kept = []
print("ready", flush=True)
until = time.monotonic() + 3.2
while time.monotonic() < until:
    kept.append(bytes(20_000))  # the agent comes with allocations
    time.sleep(0.001)
print("done", flush=True)
"""


def sigusr2_is_a_look_and_reaches_a_job_that_takes_it(lab):
    # Shorter than it takes to the first look by itself.
    with tempfile.TemporaryDirectory() as folder:
        for words, said in ((("takes it",), "ready\ngot it\ndone\n"), ((), "ready\ndone\n")):
            recording = f"{folder}/{len(words)}.lowtide"
            with open(f"{folder}/out", "w+") as out:
                run = subprocess.Popen([lab.binary, "run", "--no-report", "--quiet", "--output", recording, "--", PYTHON, "-c",
                                        WAITS, *words], stdout=out)
                try:
                    while not os.path.getsize(f"{folder}/out"):
                        time.sleep(0.05)
                    time.sleep(0.8)
                    run.send_signal(signal.SIGUSR2)
                    assert run.wait(timeout=60) == 0
                finally:
                    run.kill()
                assert pathlib.Path(f"{folder}/out").read_text() == said
            looks = sqlite3.connect(recording).execute("SELECT count(*) FROM snapshot WHERE flags & 16 = 0").fetchone()
            assert looks == (1,), (words, looks)


if __name__ == "__main__":
    main(globals(), lambda test, words: test(Lab(words.binary, words.rounds)), binary=str)
