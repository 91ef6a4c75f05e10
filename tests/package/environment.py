"""The two interpreters that test the package: the system's Python with the source tree, and one with real frameworks.

The frameworks are some gigabytes. They are installed once, into build/package-venv of the checkout, or taken from the
environment that LOWTIDE_TEST_VENV names. If packages cannot be installed, the tests that need them are skipped.
"""

import contextlib
import fcntl
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent))
sys.dont_write_bytecode = True
from functions import Skip, main  # noqa: E402

__all__ = ["HERE", "PYTHON", "ROOT", "Skip", "WAIT_FOR_READINGS", "folder", "frameworks", "has", "kind_of", "main", "need", "run",
           "told"]

PYTHON = os.environ.get("LOWTIDE_TEST_PYTHON") or ("/usr/bin/python3" if os.path.exists("/usr/bin/python3") else sys.executable)
PACKAGES = HERE / "requirements.txt"

# For the code of a job: goes on once so many readings are on record, in the one recording of the folder.
WAIT_FOR_READINGS = """
import contextlib, glob, os, sqlite3, time
def wait_for_readings(count, folder=".", limit_s=60):
    until = time.monotonic() + limit_s
    while True:
        try:
            path, = glob.glob(folder + "/*.lowtide")
            with contextlib.closing(sqlite3.connect("file:" + os.path.abspath(path) + "?mode=ro", uri=True)) as link:
                if link.execute("SELECT count(*) FROM target_memory").fetchone()[0] >= count: return
        except (ValueError, sqlite3.Error):
            pass
        assert time.monotonic() < until, "no recording with so many readings: " + str(os.listdir(folder))
        time.sleep(0.01)
"""


def settings(binary, **more):
    """The environment of a job that has the package from the source tree."""
    return {**os.environ, "PYTHONPATH": str(ROOT / "python"), "LOWTIDE_COMMAND": str(pathlib.Path(binary).resolve()),
            "PYTHONDONTWRITEBYTECODE": "1", **more}


def run(binary, command, timeout=300, expect=0, cwd=None, **more):
    done = subprocess.run([str(word) for word in command], env=settings(binary, **more), text=True, capture_output=True,
                          timeout=timeout, cwd=cwd)
    assert expect is None or done.returncode == expect, (done.returncode, done.stdout[-3000:], done.stderr[-3000:])
    return done


def told(done):
    """The result that a test job prints as its last line: JSON."""
    return json.loads(done.stdout.strip().splitlines()[-1])


def kind_of(binary, recording):
    """The verdict of the program on a recording."""
    return json.loads(run(binary, [binary, "report", "--json", recording], expect=None).stdout)["verdict"]["kind"]


@contextlib.contextmanager
def folder():
    with tempfile.TemporaryDirectory(prefix="lowtide-package-") as name:
        yield pathlib.Path(name)


def has(python, *modules):
    code = "import importlib.util, sys; sys.exit(any(importlib.util.find_spec(name) is None for name in sys.argv[1:]))"
    return subprocess.run([python, "-c", code, *modules], capture_output=True).returncode == 0


def need(python, *modules):
    if not has(python, *modules):
        raise Skip(f"{python} has no {' or no '.join(modules)}")


def frameworks():
    """A Python with the frameworks; made where it is not there."""
    named = os.environ.get("LOWTIDE_TEST_VENV")
    if named:
        return str(pathlib.Path(named) / "bin" / "python")
    place = ROOT / "build" / "package-venv"
    place.parent.mkdir(exist_ok=True)
    with open(f"{place}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (place / "whole").exists():
            _make(place)
        if not (place / "whole").read_text().startswith("yes"):
            raise Skip((place / "whole").read_text())
    return str(place / "bin" / "python")


def _make(place):
    made = subprocess.run([PYTHON, "-m", "venv", "--clear", place], capture_output=True, text=True)
    if made.returncode == 0:
        made = subprocess.run([place / "bin" / "pip", "install", "-q", "--retries", "1", "-r", PACKAGES], capture_output=True, text=True)
    place.mkdir(exist_ok=True)
    words = (made.stderr.strip().splitlines() or [""])[-1]
    # Said again by every test, and tried again in a fresh build folder.
    (place / "whole").write_text("yes" if made.returncode == 0 else f"the frameworks cannot be installed: {words[:200]}")
