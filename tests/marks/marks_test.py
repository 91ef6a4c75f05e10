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
from functions import LIMIT_S, Skip, main  # noqa: E402

PYTHON = os.environ.get("LOWTIDE_TEST_PYTHON") or ("/usr/bin/python3" if os.path.exists("/usr/bin/python3") else sys.executable)
PACKAGE = HERE.parent.parent / "python"


def _watched(binary, *command):
    """The report of a job, and what the job wrote."""
    with tempfile.TemporaryDirectory() as folder:
        recording = os.path.join(folder, "job.lowtide")
        done = subprocess.run([binary, "run", "--output", recording, "--", *map(str, command)], text=True,
                              capture_output=True, timeout=180)
        assert done.returncode == 0, (done.returncode, done.stderr[-2000:])
        told = subprocess.run([binary, "report", "--json", recording], capture_output=True, text=True, timeout=60)
        return json.loads(told.stdout), done.stdout


def _phase(report, name):
    found = [phase for phase in report["phases"] if phase["name"] == name]
    assert len(found) == 1, report["phases"]
    return found[0]


def steps_and_phases_of_a_job_that_reports_them(binary):
    report, _ = _watched(binary, PYTHON, HERE / "plain.py", PACKAGE)
    assert report["source"]["steps"] == 60, report["source"]
    train, evaluation = _phase(report, "train"), _phase(report, "eval")
    assert train["count"] == 60 and evaluation["count"] == 6, report["phases"]
    assert 30e6 < evaluation["kept_bytes"] < 55e6, evaluation  # the last is not yet old
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
    report, output = _watched(binary, PYTHON, HERE / "trainer.py", steps)
    assert report["source"]["steps"] == steps, report["source"]
    assert report["verdict"]["axis"] == "step", report["verdict"]
    evaluation = _phase(report, "eval")
    assert evaluation["count"] == 5 and _phase(report, "checkpoint")["count"] == 2, report["phases"]
    assert evaluation["peak_bytes"] > _phase(report, "train")["peak_bytes"] + 150e6, report["phases"]
    alone = subprocess.run([PYTHON, HERE / "trainer.py", str(steps), "alone"], capture_output=True, text=True, timeout=120)
    assert alone.stdout == output and output.startswith("losses "), "the losses are not the same"


if __name__ == "__main__":
    main(globals(), lambda test, words: test(words.binary), binary=str)
