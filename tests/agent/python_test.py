"""The agent in several versions of Python: it reports the right line, and sees small objects."""

import os
import sys
import subprocess

from probing import (FRAMES_AND_OBJECTS, KNOWN_PYTHONS, PYTHON_OBJECT, UNKNOWN_VERSION, Skip, live_bytes_of, main, missed_bytes, pythons, sites_of)

KEEPS = """\
import os, threading
kept = []
def buffers():
    for i in range(400):
        kept.append(bytearray(100_000))  # line 5
class Thing:
    def fill(self):
        for i in range(200_000):
            kept.append((i, i + 0.5))  # line 9
def deep(n):
    return deep(n - 1) if n else [kept.append(b"x" * 3_000_000) for i in range(5)]  # line 11
def thread():
    kept.append(bytearray(  # line 13
        20_000_000))
def churn():
    for i in range(300):
        x = list(range(20_000))  # line 17
buffers()
Thing().fill()
deep(150)
t = threading.Thread(target=thread); t.start(); t.join()
churn()
os._exit(0)
"""

SMALL_ONLY = """\
import os
def work():
    for i in range(300):
        x = tuple((j, j + 0.5) for j in range(3000))  # line 4
work()
os._exit(0)
"""

SHORT_THREADS = """\
import os, threading
def work():
    x = [(i, str(i)) for i in range(20)]
for _ in range(2000):
    t = threading.Thread(target=work); t.start(); t.join()
os._exit(0)
"""

KEPT_BYTES = 100_000 * (56 + 24)  # a tuple, and a float
DROPPED_BYTES = 3 * 5 * 6000 * 1000  # a list, a text, a dict and a bytearray, about
COMES_AND_GOES = """\
import os, threading
kept = []
def keep():
    for i in range(100_000):
        kept.append((i, i + 0.5))  # line 5
def drop():
    for _ in range(5):
        x = [[j, str(j), {j: j}, bytearray(j % 700)] for j in range(6000)]  # line 8
        for y in x: y.extend(range(40)); del y[3:]; y[3:] = y[:2]
def whole():
    threads = [threading.Thread(target=drop) for _ in range(3)]
    for t in threads: t.start()
    keep()
    for t in threads: t.join()
pid = os.fork()
whole()
if pid: assert os.waitpid(pid, 0)[1] == 0
os._exit(0)
"""

FORKS = """\
import os, sys
kept = []
def work(megabytes):
    for i in range(megabytes):
        kept.append(bytearray(1_000_000))  # line 5
work(10)
pids = []
for n in (20, 30):
    pid = os.fork()
    if not pid:
        work(n)
        os._exit(0)
    os.waitpid(pid, 0)
os._exit(0)
"""

POOLS = """\
import multiprocessing, os, time
kept = []
def work(n):
    for i in range(n):
        kept.append(bytearray(1_000_000))  # line 5
    return os.getpid()
if __name__ == "__main__":
    for method in ("fork", "spawn", "forkserver"):
        with multiprocessing.get_context(method).Pool(2) as pool:
            pool.map(work, [15] * 4)
"""

NAMES = """\
import os
kept = []
def \u0444\u0443\u043d\u043a\u0446\u0438\u044f():
    kept.append(bytearray(30_000_000))
\u0444\u0443\u043d\u043a\u0446\u0438\u044f()
exec(compile("def \u00e9t\u00e9():\\n kept.append(bytearray(30_000_000))\\n\u00e9t\u00e9()", "caf\u00e9 \U0001f30a.py", "exec"))
os._exit(0)
"""

TRACED = """\
import os, tracemalloc
tracemalloc.start()
kept = []
def work():
    for i in range(200_000):
        kept.append((i, str(i)))
work()
tracemalloc.stop()
kept.clear()
for i in range(1000):
    b = bytearray(1_000_000)
os._exit(0)
"""


MARKS = r"""
import gc, os, sys, threading, warnings
warnings.simplefilter("ignore")  # of a fork in threads
if os.environ["COLLECTOR"] == "eager":
    gc.set_threshold(1, 1, 1)  # the collector runs in the middle of everything
kept = []

def allocate():
    for _ in range(300):
        kept.append(bytearray(100_000))
        del kept[:-20]

def fork():
    for _ in range(20):
        pid = os.fork()
        if pid == 0:
            allocate()
            os._exit(0)
        os.waitpid(pid, 0)

def report():
    word = getattr(sys, "_lowtide", None)
    for number in range(2000):
        bytes(50_000)
        if word is None:
            word = getattr(sys, "_lowtide", None)
            continue
        word["step"](number)
        with word["phase"]("outer"), word["phase"]("\u044d" * 40), word["phase"]("x\0y"):
            pass

threads = [threading.Thread(target=work) for work in (allocate, report, fork, allocate)]
for thread in threads:
    thread.start()
report()
for thread in threads:
    thread.join()
print(sorted(set(sys.modules) & {"lowtide", "_lowtide"}))
"""


ALARMS = r"""
import os, signal, time

class Alarm(Exception if os.environ["ALARM"] == "usual" else BaseException):
    pass

raised = caught = 0

def ring(number, frame):
    global raised
    raised += 1
    raise Alarm

signal.signal(signal.SIGALRM, ring)
end = time.monotonic() + 30
while raised <= 300 and time.monotonic() < end:
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.0005)
        for _ in range(1_000_000):
            bytes(100_000)
    except Alarm:
        caught += 1
print(raised > 300, raised - caught)
"""


def _each_python():
    found = pythons()
    if not found:
        raise Skip("no CPython that is known")
    missing = [f"3.{minor}" for minor in KNOWN_PYTHONS if f"3.{minor}" not in found]
    if missing:
        print("not here, not tested: " + " ".join(missing))
    return found.items()


# For what depends on the allocator and not on the version: the layouts of objects are checked in every version.
def _oldest_and_newest():
    found = list(_each_python())
    return found if len(found) < 3 else [found[0], found[-1]]


SETTINGS = {"LOWTIDE_AGENT_RATE": "50000", "LOWTIDE_AGENT_MEAN": "65536", "PROBE_PAUSE_US": "500", "PYTHONDONTWRITEBYTECODE": "1"}


def _run(bench, python, text, **more):
    return bench.run_read(python, bench.script("job.py", text), environment={**SETTINGS, **more})


def the_line_that_allocates_is_named(bench):
    for version, python in _each_python():
        process = _run(bench, python, KEEPS).only()

        assert process["python_state"] == FRAMES_AND_OBJECTS, version
        name = "fill" if version in ("3.9", "3.10") else "Thing.fill"
        truth = {":5 buffers": 40e6, ":11 ": 15e6, ":13 thread": 20e6, f":9 {name}": 200_000 * (56 + 24)}
        for place, kept_bytes in truth.items():
            seen = live_bytes_of(process, "job.py" + place)
            assert 0.6 * kept_bytes - missed_bytes(process) < seen < 1.5 * kept_bytes, (version, place, seen, kept_bytes, process["sites"])
        assert live_bytes_of(process, ":17 churn") < 3e6
        assert sites_of(process, ":17 churn")
        assert process["deepest"] > 90


def small_objects_are_seen_where_they_are_made(bench):
    for version, python in _each_python():
        process = _run(bench, python, KEEPS).only()

        assert dict(process["by_source"]).get(PYTHON_OBJECT, 0) > 50, version


def objects_of_a_program_that_needs_no_malloc_are_seen(bench):
    # Its only samples are of the arenas that pymalloc maps.
    for version, python in _each_python():
        process = _run(bench, python, SMALL_ONLY, LOWTIDE_AGENT_MEAN="524288").only()

        assert dict(process["by_source"]).get(PYTHON_OBJECT, 0) > 50, (version, process["by_source"])
        assert live_bytes_of(process, ":4 ") < 5e6, (version, process["sites"])


def threads_that_come_and_go_are_not_overrated(bench):
    # The first block of a thread is no more likely to be sampled than any other.
    for version, python in _each_python():
        process = _run(bench, python, SHORT_THREADS, LOWTIDE_AGENT_MEAN="524288").only()

        allocated = sum(site["allocated_bytes"] for site in process["sites"])
        assert allocated < 200e6, (version, allocated, process["sites"])  # half a megabyte each would be 1 GB


def _small_blocks_come_and_go(bench, allocator, versions):
    # With a sample every 32 kB, each way through the allocator is sampled hundreds of times: made, made of
    # zeros, grown, shrunk and dropped, by threads, and again in a forked child. Whatever serves Python, little
    # that was dropped may still count, and what is kept must.
    for version, python in versions:
        said = _run(bench, python, COMES_AND_GOES, PYTHONMALLOC=allocator, LOWTIDE_AGENT_MEAN="32768")
        assert len(said.processes) == 2, version
        for process in said.processes:
            which = (version, process["sites"])
            assert process["python_state"] == FRAMES_AND_OBJECTS, which
            assert 0.6 * KEPT_BYTES - missed_bytes(process) < live_bytes_of(process, ":5 keep") < 1.6 * KEPT_BYTES, which
            assert live_bytes_of(process, ":8 ") < 0.05 * DROPPED_BYTES, which


# One test each: the run of all versions of Python with all allocators took five minutes on a busy machine.
def small_blocks_of_every_kind_come_and_go_with_pymalloc(bench):
    _small_blocks_come_and_go(bench, "pymalloc", _each_python())


def small_blocks_of_every_kind_come_and_go_with_malloc(bench):
    _small_blocks_come_and_go(bench, "malloc", _oldest_and_newest())


def small_blocks_of_every_kind_come_and_go_with_pymalloc_debug(bench):
    _small_blocks_come_and_go(bench, "pymalloc_debug", _oldest_and_newest())


def small_blocks_of_every_kind_come_and_go_with_malloc_debug(bench):
    _small_blocks_come_and_go(bench, "malloc_debug", _oldest_and_newest())


def forked_workers_report_their_own_memory(bench):
    for version, python in _each_python():
        said = _run(bench, python, FORKS)

        kept = sorted((live_bytes_of(process, ":5 work"), missed_bytes(process)) for process in said.processes)
        assert len(kept) == 3, version
        for (seen, missed), megabytes in zip(kept, (10, 20, 30)):
            assert -1e6 - missed < seen - megabytes * 1e6 < 1e6, (version, kept)


def pools_of_every_kind_are_followed(bench):
    for version, python in _each_python():
        said = _run(bench, python, POOLS)

        workers = [process for process in said.with_samples() if sites_of(process, ":5 work")]
        assert len(workers) >= 4, (version, len(workers))


def names_of_any_alphabet_arrive(bench):
    for version, python in _each_python():
        process = _run(bench, python, NAMES).only()

        sites = [site["site"] for site in process["sites"]]
        assert any(site.endswith(":4 \u0444\u0443\u043d\u043a\u0446\u0438\u044f") for site in sites), (version, sites)
        assert "caf\u00e9 \U0001f30a.py:2 \u00e9t\u00e9" in sites, (version, sites)


def tracemalloc_that_ends_does_not_make_leaks(bench):
    for version, python in _each_python():
        process = _run(bench, python, TRACED).only()

        # In samples, not in bytes: on a busy machine the last block, which is alive, may stand for hundreds of megabytes.
        assert sum(site["live"] for site in sites_of(process, "job.py")) < 80, (version, process["python_state"], process["sites"])


def an_interpreter_that_ends_in_order_leaves_little(bench):
    for version, python in _each_python():
        process = _run(bench, python, KEEPS.replace("os._exit(0)", "")).only()

        assert live_bytes_of(process, "job.py") < 2e6, version


def an_interpreter_that_is_asked_all_the_time_goes_on(bench):
    for version, python in _each_python():
        for collector in ("usual", "eager"):
            said = _run(bench, python, MARKS, PROBE_MARKS="1", COLLECTOR=collector)
            assert said.output == "[]\n" and not said.errors, (version, said.output, said.errors)
            marks = said.with_samples()[0]["marks"]
            assert marks["state"] == 1 and marks["steps"] == 1999, (version, marks)  # 1: no torch to hook into
            assert marks["phases"]["outer"] > 100 and len(marks["phases"]) == 3, (version, marks)


def exceptions_of_signal_handlers_reach_the_job(bench):
    for version, python in _each_python():
        for alarm in ("usual", "grave"):
            said = _run(bench, python, ALARMS, PROBE_MARKS="1", PROBE_PAUSE_US="100", ALARM=alarm)
            assert said.output == "True 0\n" and not said.errors, (version, alarm, said.output, said.errors)
            assert said.only()["marks"]["state"] == 1, (version, said.only()["marks"])


# As collections.namedtuple() and templates do: what is evaluated has no builtins, and is interrupted for us.
WORLD_OF_ITS_OWN = """
exec("for _ in numbers:\\n  piece(3000)\\n", {"__builtins__": {}, "numbers": range(600_000), "piece": bytes})
print("done")
"""


def code_without_builtins_is_not_disturbed(bench):
    for version, python in _each_python():
        # The reader is slow, and misses samples: it is there to interrupt.
        said = bench.run(python, bench.script("job.py", WORLD_OF_ITS_OWN), environment={
            **SETTINGS, "PROBE_MARKS": "1", "PROBE_PAUSE_US": "50000"})
        assert said.output == "done\n" and not said.errors, (version, said.output, said.errors)
        assert said.only()["marks"]["state"] == 1, (version, said.only()["marks"])


def an_unknown_version_gives_native_stacks(bench):
    unknown = pythons(range(3, 9))
    if not unknown:
        raise Skip("no CPython before 3.9")
    for version, python in unknown.items():
        process = _run(bench, python, KEEPS).only()

        assert process["python_state"] == UNKNOWN_VERSION, version
        assert [site["site"] for site in process["sites"]] == ["native"]


def numpy_arrays_are_named_by_their_line(bench):
    python = sys.executable
    if subprocess.run([python, "-c", "import numpy"], capture_output=True).returncode:
        raise Skip("no numpy")
    process = _run(bench, python, "import os, numpy\nkept = []\ndef work():\n for i in range(50):\n"
                                  "  kept.append(numpy.ones(100_000))\nwork()\nos._exit(0)\n",
                   OPENBLAS_NUM_THREADS="1").only()

    assert abs(live_bytes_of(process, ":5 work") + live_bytes_of(process, "in ones") + live_bytes_of(
        process, "numeric.py") - 40e6) < 4e6 + missed_bytes(process), process["sites"]


def a_thread_that_let_the_gil_go_is_still_read(bench):
    text = ("import os, hashlib, zlib, threading\nkept = []\ndef work():\n for i in range(20):\n"
            "  kept.append(zlib.decompress(data))\ndata = zlib.compress(bytes(2_000_000))\n"
            "ts = [threading.Thread(target=work) for i in range(4)]\n[t.start() for t in ts]; [t.join() for t in ts]\n"
            "os._exit(0)\n")
    for version, python in _each_python():
        process = _run(bench, python, text).only()

        assert abs(live_bytes_of(process, ":5 work") - 160e6) < 20e6 + missed_bytes(process), (version, process["sites"])


if __name__ == "__main__":
    if "PYTHONPATH" in os.environ:
        del os.environ["PYTHONPATH"]
    main(globals())
