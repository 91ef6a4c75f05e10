"""The snapshot of a Python process under `run` that is about to end. Every function without an underscore is a test.

usage: at_end_test.py --binary LOWTIDE [NAME...] | --list
"""

import concurrent.futures
import json
import pathlib
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
sys.dont_write_bytecode = True
from lab import PYTHON, rows_of  # noqa: E402  (it makes the others known)
from probing import pythons  # noqa: E402
from functions import LIMIT_S, main, wait_until  # noqa: E402

AT_END = 16  # of a snapshot's flags
LEAST_AGE_S = 4  # a process that is younger has no snapshot at its end

# Keeps 250 kB per step until the file is there, and 10 MB more. The agent takes no snapshot at the end within a second of
# another one. It takes that other one when the job allocates: a job that sleeps for longer than a second, and ends
# then, has its snapshot for certain.
KEEPS = """
import os, sys, time
def step(kept):
    kept.append(bytes(range(250)) * 1000)
    print("step", len(kept), flush=True)
def work(kept):
    open(sys.argv[1] + ".begun", "w").close()
    while not os.path.exists(sys.argv[1]):
        step(kept)
        time.sleep(0.05)
    for _ in range(40):
        step(kept)
    time.sleep(1.2)
"""
GLOBAL = KEEPS + "history = []\nwork(history)\nprint('done')\n"
LOCAL = KEEPS + "def main():\n    history = []\n    work(history)\nmain()\nprint('done')\n"
RAISES = KEEPS + "def main():\n    history = []\n    work(history)\n    raise MemoryError('no more')\nmain()\n"
IMPORTS_LATE = GLOBAL + "import atexit\natexit.register(print, 'bye')\n"
FORGETS = """
import atexit, sys
atexit.register(print, 'bye')
del sys.modules['atexit']
""" + GLOBAL
EXITS_AT_ONCE = GLOBAL + "sys.stdout.flush()\nos._exit(3)\n"
FORKS = GLOBAL + """
sys.stdout.flush()
child = os.fork()
if child == 0:
    history.clear()
    sys.exit(5)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
# Enough for a walk of a twentieth of a second where nothing else runs: it yields to all that runs, and has 10 s.
LARGE = "many = [[n] for n in range(100_000)]\n" + GLOBAL


class _Job:
    """A job under `run` that ends when it has had two snapshots and is old enough for one at its end."""

    def __init__(self, binary, folder, name, script, python=PYTHON):
        path = pathlib.Path(folder, f"{name}.py")
        path.write_text(script)
        self.recording = f"{folder}/{name}.lowtide"
        self.finish = pathlib.Path(folder, f"{name}.finish")
        self.binary, self.name = binary, name
        self.process = subprocess.Popen([binary, "run", "--no-report", "--quiet", "--output", self.recording, "--", python,
                                         str(path), str(self.finish)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def end(self):
        """Its exit status; the last lines that it wrote are kept."""
        try:
            self._wait_for_snapshots()
            self.finish.touch()
            out, errors = self.process.communicate(timeout=LIMIT_S)
        finally:
            self.finish.touch()
            self.process.kill()
        self.said = out.splitlines()[-1:]
        self.complained = errors.splitlines()[-1:]
        return self.process.returncode

    def _wait_for_snapshots(self):
        self._wait(pathlib.Path(f"{self.finish}.begun").exists, "the first step")
        self._wait(lambda: rows_of(self.recording, "SELECT 1 FROM heap_memory"), "the agent")
        self._ask_for_snapshot()
        self._wait(lambda: self._age_s() > LEAST_AGE_S, f"an age of {LEAST_AGE_S} s")
        # After this one nobody asks for another within three seconds, unless one was under way already.
        self._ask_for_snapshot()
        seen, until = len(self.snapshots()), self._ticks() + 3

        def is_quiet():
            nonlocal seen, until
            if len(self.snapshots()) != seen:
                seen, until = len(self.snapshots()), self._ticks() + 3
            return self._ticks() >= until
        self._wait(is_quiet, "three ticks without a snapshot")

    def _ask_for_snapshot(self):
        before = len(self.snapshots())
        self.process.send_signal(signal.SIGUSR2)  # at once, and not when its turn comes
        self._wait(lambda: len(self.snapshots()) > before, f"snapshot {before + 1}")

    def _age_s(self):
        (age_s,), = rows_of(self.recording, "SELECT max(at_s) - (SELECT min(started_s) FROM process) FROM target_memory")
        return age_s

    def _ticks(self):
        return rows_of(self.recording, "SELECT count(*) FROM target_memory")[0][0]

    def _wait(self, condition, what):
        def holds():
            assert self.process.poll() is None, f"{self.name} ended before {what}: {self.process.returncode}"
            return condition()
        wait_until(holds, f"{what} of {self.name}")

    def snapshots(self):
        return rows_of(self.recording, "SELECT flags & ?, object_bytes FROM snapshot ORDER BY id", AT_END)

    def pauses(self):
        return [pause_s for pause_s, in rows_of(self.recording, "SELECT pause_s FROM snapshot")]

    def story(self):
        """The times and pauses of its snapshots, and the time at which it ended."""
        return (rows_of(self.recording, "SELECT at_s, pause_s, flags FROM snapshot"),
                rows_of(self.recording, "SELECT ended_s FROM process"))

    def report(self):
        told = subprocess.run([self.binary, "report", "--json", self.recording], capture_output=True, text=True, timeout=60)
        return json.loads(told.stdout)


def _run_all(binary, folder, scripts, python=PYTHON):
    """The jobs, which run side by side, and their exit statuses."""
    jobs = {name: _Job(binary, folder, name, script, python.get(name) if isinstance(python, dict) else python)
            for name, script in scripts.items()}
    with concurrent.futures.ThreadPoolExecutor(len(jobs)) as pool:
        return jobs, dict(zip(jobs, pool.map(_Job.end, jobs.values())))


def last_snapshot_shows_what_is_kept_to_the_end(binary):
    with tempfile.TemporaryDirectory() as folder:
        jobs, status = _run_all(binary, folder, {"everywhere": GLOBAL, "inside": LOCAL, "raises": RAISES})
        assert status == {"everywhere": 0, "inside": 0, "raises": 1}, status
        assert jobs["raises"].complained == ["MemoryError: no more"], jobs["raises"].complained
        for name, job in jobs.items():
            snapshots = job.snapshots()
            assert [at_end for at_end, _ in snapshots][-2:] == [0, AT_END], (name, job.story())
            assert sum(1 for at_end, _ in snapshots if at_end) == 1, (name, snapshots)
            assert job.report()["overhead"]["looks"] == len(snapshots) and all(job.pauses()), (name, job.pauses())
        last = {name: job.snapshots()[-1][1] - job.snapshots()[-2][1] for name, job in jobs.items()}
        assert last["everywhere"] > 5e6 and last["raises"] > 5e6, last  # of the second, its traceback keeps it
        assert last["inside"] < -2e6, ("its variable is gone", last)  # on a slow machine it held little
        paths = {name: job.report()["holders"][0]["path"] for name, job in jobs.items()}
        assert paths["everywhere"] == "__main__.history", paths
        # A variable that is gone at the end is not a loss: the snapshots before the end name it.
        assert paths["inside"] == paths["raises"] == "__main__.main.history", paths


def job_ends_as_it_would(binary):
    with tempfile.TemporaryDirectory() as folder:
        jobs, status = _run_all(binary, folder, {"late": IMPORTS_LATE, "forgets": FORGETS, "at_once": EXITS_AT_ONCE, "forks": FORKS})
        assert status == {"late": 0, "forgets": 0, "at_once": 3, "forks": 0}, status
        assert jobs["late"].said == jobs["forgets"].said == ["bye"]
        assert jobs["at_once"].said == ["done"] and jobs["forks"].said == ["5"]
        assert not any(job.complained for job in jobs.values()), [job.complained for job in jobs.values()]
        at_end = {name: sum(1 for flag, _ in job.snapshots() if flag) for name, job in jobs.items()}
        assert at_end["late"] == 1 and at_end["at_once"] == 0, (at_end, jobs["late"].story())
        before, after = [job_bytes for _, job_bytes in jobs["forks"].snapshots()][-2:]
        assert at_end["forks"] == 1 and after > before, "the parent's, and not that of its child"


def every_version_of_python_has_a_snapshot_at_its_end(binary):
    """The handlers of the job are called too, also if the job removed the module atexit. In 3.9 there is no snapshot then."""
    with tempfile.TemporaryDirectory() as folder:
        found = pythons()
        assert found, "this test runs in a Python that should be among them"
        scripts = {version: "import atexit\n" + IMPORTS_LATE if version == "3.9" else FORGETS for version in found}
        if "3.9" in found:
            scripts["3.9 that forgets"], found["3.9 that forgets"] = FORGETS, found["3.9"]
        jobs, status = _run_all(binary, folder, scripts, found)
        for name, job in jobs.items():
            assert status[name] == 0 and job.said == ["bye"], (name, job.said, job.complained)
            assert job.snapshots()[-1][0] == (AT_END if "forgets" not in name else 0), (name, job.story())


def run_ends_after_the_last_snapshot(binary):
    with tempfile.TemporaryDirectory() as folder:
        job = _Job(binary, folder, "large", LARGE)
        assert job.end() == 0
        walkers = [path for path in pathlib.Path("/proc").glob("[0-9]*/comm") if _text(path) == "lowtide-walk\n"]
        mine = [path for path in walkers if f"{folder}/large.py" in _text(path.with_name("cmdline"))]
        assert not mine, mine
        # One that was under way may be recorded after it.
        assert [object_bytes > 19e6 for at_end, object_bytes in job.snapshots() if at_end] == [True], job.snapshots()


def _text(path):
    try:
        return path.read_text()
    except OSError:  # gone meanwhile
        return ""


if __name__ == "__main__":
    main(globals(), lambda test, words: test(words.binary), binary=str)
