"""Steps, phases and counters that a trainer reports through the agent. Every function without an underscore is a test.

usage: marks_test.py --binary LOWTIDE [NAME...] | --list
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent))
sys.dont_write_bytecode = True
from functions import LIMIT_S, Skip, main, wait_until  # noqa: E402

PYTHON = os.environ.get("LOWTIDE_TEST_PYTHON") or ("/usr/bin/python3" if os.path.exists("/usr/bin/python3") else sys.executable)
PACKAGE = HERE.parent.parent / "python"


class _Watched:
    """A job under `run`, in a folder of its own."""

    def __init__(self, binary, folder, *command):
        self.binary, self.recording = binary, os.path.join(folder, "job.lowtide")
        self.process = subprocess.Popen([binary, "run", "--output", self.recording, "--", *map(str, command)], text=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def end(self):
        """Its report, and what it wrote."""
        output, errors = self.process.communicate(timeout=180)
        assert self.process.returncode == 0, (self.process.returncode, errors[-2000:])
        return self.report(), output

    def report(self):
        """What is known by now; {} before there is a recording."""
        told = subprocess.run([self.binary, "report", "--json", self.recording], capture_output=True, text=True, timeout=LIMIT_S)
        return json.loads(told.stdout or "{}")


def _phases(report, name):
    return [phase for phase in report.get("phases", []) if phase["name"] == name]


def _phase(report, name):
    found = _phases(report, name)
    assert len(found) == 1, report["phases"]
    return found[0]


def steps_and_phases_of_a_job_that_reports_them(binary):
    with tempfile.TemporaryDirectory() as folder:
        finish = pathlib.Path(folder, "finish")
        job = _Watched(binary, folder, PYTHON, HERE / "plain.py", PACKAGE, finish)

        def keeps_much():  # what a phase keeps is counted when it is a second old
            return any(phase["kept_bytes"] > 40e6 for phase in _phases(job.report(), "eval"))
        try:
            wait_until(lambda: job.process.poll() is not None or keeps_much(), lambda: f"a phase that keeps: {job.report()}")
        finally:
            finish.touch()
        report, _ = job.end()
    assert report["source"]["steps"] == 60, report["source"]
    train, evaluation = _phase(report, "train"), _phase(report, "eval")
    assert train["count"] == 60 and evaluation["count"] == 6, report["phases"]
    assert 30e6 < evaluation["kept_bytes"] < 55e6, evaluation
    assert train["kept_bytes"] < 5e6, train


def package_does_nothing_where_nobody_watches(_binary):
    code = "import lowtide; lowtide.step(); lowtide.step(3)\nwith lowtide.phase('x'): print('ran')"
    done = subprocess.run([PYTHON, "-B", "-c", code], env=os.environ | {"PYTHONPATH": str(PACKAGE)}, text=True,
                          capture_output=True, timeout=LIMIT_S)
    assert done.stdout == "ran\n" and not done.stderr, done


def steps_and_phases_of_torch_are_seen_without_a_word(binary):
    if subprocess.run([PYTHON, "-c", "import torch"], capture_output=True).returncode:
        raise Skip("no torch")
    steps = 100
    with tempfile.TemporaryDirectory() as folder:
        report, output = _Watched(binary, folder, PYTHON, HERE / "trainer.py", steps).end()
    assert report["source"]["steps"] == steps, report["source"]
    assert report["verdict"]["axis"] == "step", report["verdict"]
    evaluation = _phase(report, "eval")
    assert evaluation["count"] == 5 and _phase(report, "checkpoint")["count"] == 2, report["phases"]
    assert evaluation["peak_bytes"] > _phase(report, "train")["peak_bytes"] + 150e6, report["phases"]
    alone = subprocess.run([PYTHON, HERE / "trainer.py", str(steps), "alone"], capture_output=True, text=True, timeout=120)
    assert alone.stdout == output and output.startswith("losses "), "the losses are not the same"


if __name__ == "__main__":
    main(globals(), lambda test, words: test(words.binary), binary=str)
