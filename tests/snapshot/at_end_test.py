"""The look at a Python under `run` that is about to end. Every function without an underscore is a test.

usage: at_end_test.py --binary LOWTIDE [NAME...] | --list
"""

import concurrent.futures
import contextlib
import json
import pathlib
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
sys.dont_write_bytecode = True
from lab import PYTHON  # noqa: E402  (it makes the others known)
from probing import pythons  # noqa: E402
from functions import main  # noqa: E402

AT_END = 16  # of a snapshot's flags

# Keeps 250 kB a step until it is told to finish.
KEEPS = """
import os, sys, time
def work(kept):
    while not os.path.exists(sys.argv[1]):
        kept.append(bytes(range(250)) * 1000)
        print("step", len(kept), flush=True)
        time.sleep(0.05)
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
LARGE = "many = [[n] for n in range(1_500_000)]\n" + GLOBAL


class _Job:
    """One that is watched until it has been looked at so often, and more than a second longer."""

    def __init__(self, binary, folder, name, script, python=PYTHON, often=2):
        path = pathlib.Path(folder, f"{name}.py")
        path.write_text(script)
        self.recording = f"{folder}/{name}.lowtide"
        self.finish = pathlib.Path(folder, f"{name}.finish")
        self.binary, self.often = binary, often
        self.process = subprocess.Popen([binary, "run", "--no-report", "--quiet", "--output", self.recording, "--", python,
                                         str(path), str(self.finish)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def end(self):
        """Its exit status; what it said and complained of last is kept."""
        threading.Thread(target=self._tell_to_finish, daemon=True).start()
        out, errors = self.process.communicate(timeout=120)
        self.said = out.splitlines()[-1:]
        self.complained = errors.splitlines()[-1:]
        return self.process.returncode

    def _tell_to_finish(self):
        seen, since = 0, time.monotonic()
        while self.process.poll() is None and (seen < self.often or time.monotonic() - since < 1.4):
            time.sleep(0.1)
            with contextlib.suppress(sqlite3.Error):  # not there yet
                if len(self.looks()) != seen:
                    seen, since = len(self.looks()), time.monotonic()
        self.finish.touch()

    def _rows(self, sql, *values):
        # To be read alone: else it would be made, where lowtide has not made it yet.
        with contextlib.closing(sqlite3.connect(f"file:{self.recording}?mode=ro", uri=True)) as database:
            return database.execute(sql, values).fetchall()

    def looks(self):
        return self._rows("SELECT flags & ?, object_bytes FROM snapshot ORDER BY id", AT_END)

    def pauses(self):
        return [pause_s for pause_s, in self._rows("SELECT pause_s FROM snapshot")]

    def story(self):
        """When it was looked at, for how long it was paused, and when it ended."""
        return (self._rows("SELECT at_s, pause_s, flags FROM snapshot"), self._rows("SELECT ended_s FROM process"))

    def was_looked_at_just_before_its_end(self):
        """By chance, where the machine is slow: then it is not looked at once more."""
        looks, ended = self.story()
        return any(not flags & AT_END and ended[0][0] and ended[0][0] - at_s < 1.1 for at_s, _, flags in looks)

    def report(self):
        told = subprocess.run([self.binary, "report", "--json", self.recording], capture_output=True, text=True, timeout=60)
        return json.loads(told.stdout)


def _run_all(binary, folder, scripts, python=PYTHON):
    """What became of jobs, two or three at a time: pauses are longer where processors are wanted, and long ones not made."""
    def run(item):
        name, script = item
        for attempt in range(4):
            job = _Job(binary, folder, f"{name}.{attempt}", script, python.get(name) if isinstance(python, dict) else python)
            status = job.end()
            if not job.was_looked_at_just_before_its_end():
                break
        return name, job, status
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        ended = list(pool.map(run, scripts.items()))
    return {name: job for name, job, _ in ended}, {name: status for name, _, status in ended}


def last_look_shows_what_is_kept_to_the_end(binary):
    with tempfile.TemporaryDirectory() as folder:
        jobs, status = _run_all(binary, folder, {"everywhere": GLOBAL, "inside": LOCAL, "raises": RAISES})
        assert status == {"everywhere": 0, "inside": 0, "raises": 1}, status
        assert jobs["raises"].complained == ["MemoryError: no more"], jobs["raises"].complained
        for name, job in jobs.items():
            looks = job.looks()
            assert [at_end for at_end, _ in looks][-2:] == [0, AT_END], (name, job.story())
            assert sum(1 for at_end, _ in looks if at_end) == 1, (name, looks)
            assert job.report()["overhead"]["looks"] == len(looks) and all(job.pauses()), (name, job.pauses())
        last = {name: job.looks()[-1][1] - job.looks()[-2][1] for name, job in jobs.items()}
        assert last["everywhere"] > 5e6 and last["raises"] > 5e6, last  # of the second, its traceback keeps it
        assert last["inside"] < -10e6, "its variable is gone"
        paths = {name: job.report()["holders"][0]["path"] for name, job in jobs.items()}
        assert paths["everywhere"] == "__main__.history", paths
        # What is gone at the end has lost nothing: it is named by the looks before.
        assert paths["inside"] == paths["raises"] == "__main__.main.history", paths


def job_ends_as_it_would(binary):
    with tempfile.TemporaryDirectory() as folder:
        jobs, status = _run_all(binary, folder, {"late": IMPORTS_LATE, "forgets": FORGETS, "at_once": EXITS_AT_ONCE, "forks": FORKS})
        assert status == {"late": 0, "forgets": 0, "at_once": 3, "forks": 0}, status
        assert jobs["late"].said == jobs["forgets"].said == ["bye"]
        assert jobs["at_once"].said == ["done"] and jobs["forks"].said == ["5"]
        assert not any(job.complained for job in jobs.values()), [job.complained for job in jobs.values()]
        at_end = {name: sum(1 for flag, _ in job.looks() if flag) for name, job in jobs.items()}
        assert at_end["late"] == 1 and at_end["at_once"] == 0, (at_end, jobs["late"].story())
        before, after = [job_bytes for _, job_bytes in jobs["forks"].looks()][-2:]
        assert at_end["forks"] == 1 and after > before, "the parent's, and not that of its child"


def every_python_tells_its_end(binary):
    """And its own handlers are called, also where the module is no longer known, of which 3.9 can have but one."""
    with tempfile.TemporaryDirectory() as folder:
        found = pythons(range(9, 15))
        scripts = {version: "import atexit\n" + IMPORTS_LATE if version == "3.9" else FORGETS for version in found}
        if "3.9" in found:
            scripts["3.9 that forgets"], found["3.9 that forgets"] = FORGETS, found["3.9"]
        jobs, status = _run_all(binary, folder, scripts, found)
        for name, job in jobs.items():
            assert status[name] == 0 and job.said == ["bye"], (name, job.said, job.complained)
            assert job.looks()[-1][0] == (AT_END if "forgets" not in name else 0), (name, job.story())


def we_end_after_the_look_and_not_before(binary):
    with tempfile.TemporaryDirectory() as folder:
        job = _Job(binary, folder, "large", LARGE, often=1)
        assert job.end() == 0
        assert job.looks()[-1][0] == AT_END and job.looks()[-1][1] > 100e6, job.looks()
        walkers = [path for path in pathlib.Path("/proc").glob("[0-9]*/comm") if _text(path) == "lowtide-walk\n"]
        mine = [path for path in walkers if f"{folder}/large.py" in _text(path.with_name("cmdline"))]
        assert not mine, mine


def _text(path):
    try:
        return path.read_text()
    except OSError:  # gone meanwhile
        return ""


if __name__ == "__main__":
    main(globals(), lambda test, words: test(words.binary), binary=str)
