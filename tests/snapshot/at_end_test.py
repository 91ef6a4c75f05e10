"""The look at a Python under `run` that is about to end. Every function without an underscore is a test.

usage: at_end_test.py --binary LOWTIDE [NAME...] | --list
"""

import json
import pathlib
import sqlite3
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
sys.dont_write_bytecode = True
from snapshot_test import PYTHON  # noqa: E402  (it makes the others known)
from probing import pythons  # noqa: E402
from functions import main  # noqa: E402

AT_END = 16  # of a snapshot's flags

KEEPS = """
import time
def work(kept):
    for step in range(90):
        kept.append(bytes(range(250)) * 1600)
        print("step", step, flush=True)
        time.sleep(0.1)  # the end lies between the second look and the third
"""
GLOBAL = KEEPS + "history = []\nwork(history)\nprint('done')\n"
LOCAL = KEEPS + "def main():\n    history = []\n    work(history)\nmain()\nprint('done')\n"
RAISES = KEEPS + "def main():\n    history = []\n    work(history)\n    raise MemoryError('no more')\nmain()\n"
IMPORTS_LATE = GLOBAL + "import atexit\natexit.register(print, 'bye')\n"
EXITS_AT_ONCE = GLOBAL + "import os, sys\nsys.stdout.flush()\nos._exit(3)\n"
FORKS = GLOBAL + """
import os, sys
sys.stdout.flush()
child = os.fork()
if child == 0:
    history.clear()
    sys.exit(5)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
LARGE = KEEPS.replace("range(90)", "range(80)") + "work([])\nmany = [[n] for n in range(3_000_000)]\n"


class _Job:
    def __init__(self, binary, folder, name, script, python=PYTHON):
        path = pathlib.Path(folder, f"{name}.py")
        path.write_text(script)
        self.recording = f"{folder}/{name}.lowtide"
        self.binary = binary
        self.process = subprocess.Popen([binary, "run", "--no-report", "--quiet", "--output", self.recording, "--", python,
                                         str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def end(self):
        """Exit status, the last line of output, and the last line of errors."""
        out, errors = self.process.communicate(timeout=120)
        self.said = out.splitlines()[-1:]
        self.complained = errors.splitlines()[-1:]
        return self.process.returncode

    def looks(self):
        return sqlite3.connect(self.recording).execute("SELECT flags & ?, object_bytes FROM snapshot ORDER BY id",
                                                       (AT_END,)).fetchall()

    def pauses(self):
        return [pause_s for pause_s, in sqlite3.connect(self.recording).execute("SELECT pause_s FROM snapshot")]

    def report(self):
        told = subprocess.run([self.binary, "report", "--json", self.recording], capture_output=True, text=True, timeout=60)
        return json.loads(told.stdout)


def _run_all(binary, folder, **scripts):
    jobs = {name: _Job(binary, folder, name, script) for name, script in scripts.items()}
    return jobs, {name: job.end() for name, job in jobs.items()}


def last_look_shows_what_is_kept_to_the_end(binary):
    with tempfile.TemporaryDirectory() as folder:
        jobs, status = _run_all(binary, folder, everywhere=GLOBAL, inside=LOCAL, raises=RAISES)
        assert status == {"everywhere": 0, "inside": 0, "raises": 1}, status
        assert jobs["raises"].complained == ["MemoryError: no more"], jobs["raises"].complained
        for name, job in jobs.items():
            looks = job.looks()
            assert [at_end for at_end, _ in looks][-2:] == [0, AT_END], (name, looks)
            assert sum(1 for at_end, _ in looks if at_end) == 1, (name, looks)
            assert job.report()["overhead"]["looks"] == len(looks) and all(job.pauses()), (name, job.pauses())
        assert jobs["everywhere"].looks()[-1][1] > 36e6, jobs["everywhere"].looks()
        assert jobs["inside"].looks()[-1][1] < 20e6, "its variable is gone"
        assert jobs["raises"].looks()[-1][1] > 36e6, "the traceback keeps it"
        paths = {name: job.report()["holders"][0]["path"] for name, job in jobs.items()}
        assert paths["everywhere"] == "__main__.history", paths
        # What is gone at the end has lost nothing: it is named by the looks before.
        assert paths["inside"] == paths["raises"] == "__main__.main.history", paths


def job_ends_as_it_would(binary):
    with tempfile.TemporaryDirectory() as folder:
        jobs, status = _run_all(binary, folder, late=IMPORTS_LATE, at_once=EXITS_AT_ONCE, forks=FORKS)
        assert status == {"late": 0, "at_once": 3, "forks": 0}, status
        assert jobs["late"].said == ["bye"] and jobs["at_once"].said == ["done"] and jobs["forks"].said == ["5"]
        assert not any(job.complained for job in jobs.values()), [job.complained for job in jobs.values()]
        at_end = {name: sum(1 for flag, _ in job.looks() if flag) for name, job in jobs.items()}
        assert at_end["late"] == 1 and at_end["at_once"] == 0, at_end
        assert jobs["forks"].looks()[-1][1] > 36e6, "the parent's, and not that of its child"


def every_python_tells_its_end(binary):
    with tempfile.TemporaryDirectory() as folder:
        jobs = {version: _Job(binary, folder, f"of_{version}", GLOBAL, python)
                for version, python in pythons(range(9, 15)).items()}
        for version, job in jobs.items():
            assert job.end() == 0 and job.said == ["done"], (version, job.said, job.complained)
            assert job.looks()[-1][0] == AT_END, (version, job.looks())


def we_end_after_the_look_and_not_before(binary):
    with tempfile.TemporaryDirectory() as folder:
        job = _Job(binary, folder, "large", LARGE)
        assert job.end() == 0
        assert job.looks()[-1][0] == AT_END, job.looks()
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
