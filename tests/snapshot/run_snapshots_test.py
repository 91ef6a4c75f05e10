"""Snapshots of a job under `lowtide run`. Every function without an underscore is a test.

usage: run_snapshots_test.py --binary LOWTIDE [NAME...] | --list
"""

import json
import pathlib
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
sys.dont_write_bytecode = True
from lab import PYTHON, Lab, rows_of  # noqa: E402  (it makes the others known)
from functions import LIMIT_S, main, wait_until  # noqa: E402

FIRST_S = 4  # the age at which a process has its first snapshot by itself
AT_END = 16  # of a snapshot's flags

# Both go on until the file is there.
KEEPS_ALL = """
import itertools, os, sys, time
history = []
for step in itertools.count():
    if os.path.exists(sys.argv[1]): break
    history.append({"step": step, "preview": bytes(range(256)) * 800})
    print("step", step, flush=True)
    time.sleep(0.1)
"""
FILLS_A_CACHE = """
import functools, itertools, os, sys, time
@functools.lru_cache(maxsize=100_000)
def frame(number):
    return bytes(range(256)) * 800 + b"x" * number
for step in itertools.count():
    if os.path.exists(sys.argv[1]): break
    frame(step)
    print("step", step, flush=True)
    time.sleep(0.1)
"""


def _runs(lab, *jobs):
    """The reports of jobs that are watched side by side, until those that may be looked into have had four snapshots."""
    with tempfile.TemporaryDirectory() as folder:
        watched = []
        finish = pathlib.Path(folder, "finish")
        for at, (words, script) in enumerate(jobs):
            path = f"{folder}/{at}.py"
            pathlib.Path(path).write_text(script)
            with open(f"{folder}/{at}.log", "w") as log:
                watched.append(subprocess.Popen([lab.binary, "run", "--no-report", "--quiet", *words, "--output",
                                                 f"{folder}/{at}.lowtide", "--", PYTHON, path, str(finish)], stdout=log))
        try:
            for at, (words, _) in enumerate(jobs):
                if not words:
                    wait_until(lambda: len(rows_of(f"{folder}/{at}.lowtide", "SELECT 1 FROM snapshot")) >= 4, f"four snapshots of job {at}", 150)
            finish.touch()
            for process in watched:
                assert process.wait(LIMIT_S) == 0
        finally:
            finish.touch()
            for process in watched:
                process.kill()
        return [json.loads(subprocess.run([lab.binary, "report", "--json", f"{folder}/{at}.lowtide"], capture_output=True,
                                          text=True, timeout=LIMIT_S).stdout) for at in range(len(jobs))]


def run_names_the_variable_that_leaks_and_the_cache_that_does_not(lab):
    in_function = "def main():" + KEEPS_ALL.replace("\n", "\n    ") + "\nmain()\n"
    leak, cache, blind, tight, local = _runs(lab, ((), KEEPS_ALL), ((), FILLS_A_CACHE), (("--no-snapshots",), KEEPS_ALL),
                                             (("--limit", "200M"), KEEPS_ALL), ((), in_function))
    assert leak["verdict"]["kind"] == "leak", leak["verdict"]
    holder = leak["holders"][0]
    assert holder["path"] == "__main__.history" and holder["type"] == "list", holder
    assert holder["growth_length"] > 50 and holder["share"] > 0.8, holder
    finding = leak["findings"][0]
    assert finding["id"] == "holder" and finding["watch"], finding  # its name proves nothing
    assert finding["where"]["holder"] == "__main__.history" and finding["severity"] == "high", finding
    held = next(finding for finding in local["findings"] if finding["where"] and finding["where"]["holder"])
    assert held["where"]["holder"] == "__main__.main.history", held
    assert cache["verdict"]["kind"] != "leak", cache["verdict"]
    assert "still filling" in cache["verdict"]["reason"], cache["verdict"]
    assert cache["holders"][0]["path"] == "__main__.frame" and cache["holders"][0]["bound"] == 100_000, cache["holders"][0]
    assert len(leak["processes"]) == 1, f"the child that walks is no part of the job: {leak['processes']}"
    assert not blind["holders"], blind["holders"]
    assert not tight["holders"], "a job near its limit is left alone"


# The children sleep in one call, and take no snapshot. The parent touches new pages, so that at every tick there are
# shared pages to count; it stays small, so that counting is cheap and may be done often.
FORKS_IDLERS = """
import mmap, os, sys, time
children = []
for _ in range(5):
    child = os.fork()
    if child == 0:
        mine = bytes(range(256)) * 20_000  # enough for a snapshot
        time.sleep(600)
    children.append(child)
while not os.path.exists(sys.argv[1]):
    with mmap.mmap(-1, 4 << 20) as pages:
        pages.write(bytes(4 << 20))
    time.sleep(0.1)
for child in children:
    os.kill(child, 9)
"""


def _counted_beside_a_snapshot_that_waits(recording):
    """Pairs of times at which shared pages were counted, less than two seconds apart and with no snapshot taken about them.

    A snapshot waits three seconds for a child that sleeps, and the next one is asked for at once. So without a snapshot
    taken between them, the two were counted while one waited."""
    taken = [at_s for at_s, in rows_of(recording, "SELECT at_s FROM snapshot")]
    times = [at_s for at_s, in rows_of(recording, "SELECT at_s FROM target_memory WHERE exact AND at_s > ? ORDER BY at_s", FIRST_S + 1)]
    return [(first, second) for first, second in zip(times, times[1:])
            if second - first < 2 and not any(first - 1 < at_s < second + 1 for at_s in taken)]


def process_that_does_not_answer_keeps_nobody_from_counting_shared_pages(lab):
    with tempfile.TemporaryDirectory() as folder:
        recording, finish = f"{folder}/idle.lowtide", pathlib.Path(folder, "finish")
        run = subprocess.Popen([lab.binary, "run", "--no-report", "--quiet", "--output", recording, "--", PYTHON, "-c", FORKS_IDLERS,
                                str(finish)])

        def is_counted():
            assert run.poll() is None, run.returncode
            return _counted_beside_a_snapshot_that_waits(recording)
        try:
            wait_until(is_counted, lambda: f"shared pages to be counted: {rows_of(recording, 'SELECT at_s, exact FROM target_memory')}")
            finish.touch()
            assert run.wait(LIMIT_S) == 0
        finally:
            finish.touch()
            run.kill()
        (uncounted, processes), = rows_of(recording, "SELECT sum(NOT exact), max(processes) FROM target_memory")
    assert uncounted >= 4 and processes == 6, (uncounted, processes)  # a snapshot that may begin keeps from counting


WAITS = """
import os, signal, sys, time
if len(sys.argv) > 2:
    signal.signal(signal.SIGUSR2, lambda *_: print("got it", flush=True))
kept = []
print("ready", flush=True)
while not os.path.exists(sys.argv[1]):
    kept.append(bytes(20_000))  # the agent comes with allocations
    time.sleep(0.001)
print("done", flush=True)
"""


def sigusr2_takes_a_snapshot_and_reaches_a_job_that_handles_it(lab):
    for words, said in ((("takes it",), "ready\ngot it\ndone\n"), ((), "ready\ndone\n")):
        with tempfile.TemporaryDirectory() as folder:
            recording, finish = f"{folder}/run.lowtide", pathlib.Path(folder, "finish")
            with open(f"{folder}/out", "w+") as out:
                run = subprocess.Popen([lab.binary, "run", "--no-report", "--quiet", "--output", recording, "--", PYTHON, "-c",
                                        WAITS, str(finish), *words], stdout=out)
            try:
                wait_until(lambda: rows_of(recording, "SELECT 1 FROM heap_memory"), "the agent")
                wait_until(lambda: "ready" in pathlib.Path(f"{folder}/out").read_text(), "the job")
                run.send_signal(signal.SIGUSR2)
                wait_until(lambda: rows_of(recording, "SELECT 1 FROM snapshot"), "the snapshot")
                finish.touch()
                assert run.wait(LIMIT_S) == 0
            finally:
                finish.touch()
                run.kill()
            assert pathlib.Path(f"{folder}/out").read_text() == said
            ages_s = [age_s for age_s, in rows_of(
                recording, "SELECT snapshot.at_s - started_s FROM snapshot JOIN process ON process.id = process WHERE flags & ? = 0", AT_END)]
        # On a slow machine the first one that comes by itself may follow.
        asked_for = [age_s for age_s in ages_s if age_s < FIRST_S]
        assert len(ages_s) >= 1 and len(asked_for) <= 1, (words, ages_s)
        assert len(ages_s) == 1 or max(ages_s) >= FIRST_S, (words, ages_s)


if __name__ == "__main__":
    main(globals(), lambda test, words: test(Lab(words.binary, words.rounds)), binary=str)
