"""What the tests of the agent share: running a command under it, and reading what it said.

    some_test.py --probe build/dev/tests/agent/agent_probe --agent .../liblowtide_agent.so [NAME ...]
    some_test.py --list             the names, one a line

A test is a function that takes a Bench and asserts. Where a program is missing it
raises Skip, and the exit status is 77.
"""

import contextlib
import glob
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import functions  # noqa: E402
from functions import Skip  # noqa: E402

PATIENCE_S = 100
STATE_ON, STATE_OFF = 1, 3
SANITIZER, VALGRIND = 1, 2
MMAP, PYTHON_OBJECT, SHARED_MMAP = 4, 6, 7
FRAMES_AND_OBJECTS, UNKNOWN_VERSION = 2, 3
_LAYOUTS = pathlib.Path(__file__).resolve().parents[2] / "src/wire/cpython.h"
_LAYOUT_TEXT = _LAYOUTS.read_text()
KNOWN_PYTHONS = [int(minor, 16) for minor in re.findall(r"\{0x03(..), kPython", _LAYOUT_TEXT)]  # 3.9 to ...


def place_of(member):
    """Where every known version of CPython keeps it: type_traverse."""
    assert f"next.{member} =" not in _LAYOUT_TEXT, f"the versions differ in {member}"
    return int(re.search(rf" {member} = (\d+);", _LAYOUT_TEXT)[1])


def _read_first():
    """The reader of the samples runs as soon as it is ready, whatever else the machine does; what it starts does not. Where
    that is not allowed, it may miss some, and says how many."""
    with contextlib.suppress(OSError):
        os.sched_setscheduler(0, os.SCHED_FIFO | os.SCHED_RESET_ON_FORK, os.sched_param(1))


class Said:
    """What the agents of one run said, and how the command ended."""

    def __init__(self, told, output, errors):
        self.status = told["status"]
        self.processes = told["processes"]
        self.output = output
        self.errors = errors

    def only(self):
        assert len(self.processes) == 1, f"{len(self.processes)} processes: {self.processes}"
        return self.processes[0]

    def with_samples(self):
        return [process for process in self.processes if process.get("samples")]


class Bench:
    def __init__(self, probe, agent, folder):
        self.probe = probe
        self.agent = agent
        self.folder = pathlib.Path(folder)
        self.programs = probe.parent
        self.target = probe.parent / "agent_target"

    def run(self, *command, preload=None, environment=(), status=0, patience_s=PATIENCE_S):
        out = self.folder / "said.json"
        settings = {**os.environ, "PROBE_OUT": str(out), **dict(environment)}
        if preload:
            settings["PROBE_PRELOAD"] = str(preload)
        done = subprocess.run([self.probe, self.agent, *map(str, command)], env=settings, capture_output=True, text=True,
                              timeout=patience_s, cwd=self.folder, preexec_fn=_read_first)
        assert done.returncode == status, f"ended with {done.returncode}: {done.stderr[-2000:]}"
        said = Said(json.loads(out.read_text()), done.stdout, done.stderr)
        for process in said.processes:
            assert not process["broken"], process["broken"]
        return said

    def run_read(self, *command, **more):
        """The same, for tests of what was sampled: most samples must have reached the reader."""
        said = self.run(*command, **more)
        for process in said.with_samples():
            assert process["drops"][0] <= process["samples"] / 10, (process["pid"], process["samples"], process["drops"])
        return said

    def without(self, *command, preload=None):
        """The same without the agent: status and complaints."""
        settings = {**os.environ}
        if preload:
            settings["LD_PRELOAD"] = str(preload)
        return subprocess.run([*map(str, command)], env=settings, capture_output=True, text=True, timeout=PATIENCE_S,
                              cwd=self.folder)

    def script(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return path

    def compile(self, name, text, *flags, compiler="g++"):
        if not shutil.which(compiler):
            raise Skip(f"no {compiler}")
        source = self.script(name + ".cpp", text)
        done = subprocess.run([compiler, source, "-o", self.folder / name, *flags], capture_output=True, text=True, timeout=PATIENCE_S)
        if done.returncode:
            raise Skip(f"{compiler} {' '.join(flags)}: {done.stderr.strip().splitlines()[-1:]}")
        return self.folder / name


def sites_of(process, name):
    """The sites whose place ends so: [{"site", "allocations", "live", "live_bytes", ...}]."""
    return [site for site in process["sites"] if name in site["site"]]


def live_bytes_of(process, name):
    return sum(site["live_bytes"] for site in sites_of(process, name))


def missed_bytes(process):
    """What the samples that the reader missed may stand for, at most: an estimate may be short by so much."""
    return 2 * process["drops"][0] * process["mean_bytes"]


def library(pattern):
    for folder in ("/usr/lib/*-linux-gnu", "/usr/lib64", "/usr/lib"):
        if found := sorted(glob.glob(f"{folder}/{pattern}")):
            return found[0]
    raise Skip(f"no {pattern}")


def pythons(minors=KNOWN_PYTHONS):
    """{"3.11": path} of the CPythons that are here."""
    found = {}
    versions = pathlib.Path(os.environ.get("PYENV_ROOT") or pathlib.Path.home() / ".pyenv") / "versions"
    places = [f"/usr/bin/python3.{minor}" for minor in KNOWN_PYTHONS]
    places += [f"/usr/local/bin/python3.{minor}" for minor in KNOWN_PYTHONS]
    places += sorted(glob.glob(f"{versions}/3.*/bin/python3"))
    places += os.environ.get("LOWTIDE_TEST_PYTHONS", "").split()
    for place in places:
        if not os.path.exists(place):
            continue
        text = subprocess.run([place, "-V"], capture_output=True, text=True).stdout
        if (hit := re.match(r"Python (3\.(\d+))", text)) and int(hit[2]) in minors:
            found.setdefault(hit[1], place)
    return found


def _run(test, words):
    with tempfile.TemporaryDirectory(prefix="lowtide-agent-") as folder:
        test(Bench(words.probe.resolve(), words.agent.resolve(), folder))


def main(module):
    functions.main(module, _run, probe=pathlib.Path, agent=pathlib.Path)
