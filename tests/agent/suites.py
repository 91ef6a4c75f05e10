"""Runs the test suites of real programs under the agent: they must end as they do without it.

CPython's own tests of threads, garbage and the C API; numpy's core tests; stress-ng's stressors of memory and processes.
They come from Debian's packages (libpython3.11-testsuite, python3-numpy, python3-pytest, stress-ng). A slice of
PyTorch's tests, where LOWTIDE_TORCH_TESTS names the `test` folder of a checkout that belongs to the torch of
LOWTIDE_TEST_PYTHON. Interpreters are asked for steps and phases 50 times a second meanwhile.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

from probing import Skip, main

PATIENCE_S = 700


def _has(module):
    return subprocess.run([sys.executable, "-c", f"import {module}"], capture_output=True).returncode == 0


def _same_as_without(bench, command, outcome, is_python=True):
    plain = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, cwd=bench.folder)
    if not outcome(plain.stdout + plain.stderr):
        raise Skip("without the agent it does not run here either: " + (plain.stdout + plain.stderr).strip()[-200:])
    said = bench.run(*command, status=plain.returncode, patience_s=PATIENCE_S, environment={"PROBE_MARKS": "1"})

    expected, seen = outcome(plain.stdout + plain.stderr), outcome(said.output + said.errors)
    assert expected and seen == expected, (expected, seen)
    assert said.with_samples()
    if is_python:
        assert any(process["marks"]["state"] for process in said.with_samples()), "nobody was asked for steps"


def _pytest_outcome(text):
    return [re.sub(r" in [\d.:() s]+", "", line) for line in re.findall(r"^=* ?\d+ (?:passed|failed).*", text, re.M)]


def cpython(bench):
    if not _has("test.test_gc"):
        raise Skip("no test suite of CPython")
    tests = [name for name in ("test_gc", "test_threading", "test_capi") if _has(f"test.{name}")]
    _same_as_without(bench, [sys.executable, "-m", "test", *tests],
                     lambda text: re.findall(r"^(?:Tests result|== Tests result|Result): .*|^\d+ tests? .*", text, re.M))


def numpy(bench):
    if not _has("numpy") or not _has("pytest") or not _has("hypothesis"):
        raise Skip("no numpy, pytest or hypothesis")
    folder = subprocess.run([sys.executable, "-c", "import numpy.core as c; print(c.__path__[0])"], capture_output=True,
                            text=True).stdout.strip()
    files = [f"{folder}/tests/test_{name}.py" for name in ("multiarray", "mem_overlap", "numeric", "dtype")]
    _same_as_without(bench, [sys.executable, "-m", "pytest", "-q", "--continue-on-collection-errors", "-p", "no:cacheprovider", "-m", "not slow", *files],
                     _pytest_outcome)


def stress_ng(bench):
    if shutil.which("stress-ng") is None:
        raise Skip("no stress-ng")
    stressors = ("malloc", "vm", "fork", "clone", "mmap")
    command = ["stress-ng", "--timeout", "4s", "--verify", "--vm-bytes", "64m", "--mmap-bytes", "64m", "--malloc-bytes", "64m",
               "--clone-max", "64"]
    for stressor in stressors:
        command += [f"--{stressor}", "1"]
    _same_as_without(bench, command, lambda text: re.findall(r"(?:un)?successful run completed|\bfail\b.*|passed: \d+|failed: \d+", text),
                     is_python=False)


def torch(bench):
    folder = os.environ.get("LOWTIDE_TORCH_TESTS")
    if folder is None:
        raise Skip("LOWTIDE_TORCH_TESTS does not name the tests of PyTorch")
    python = os.environ.get("LOWTIDE_TEST_PYTHON", sys.executable)
    files = [pathlib.Path(folder) / f"test_{name}.py" for name in ("autograd", "indexing", "multiprocessing")]
    _same_as_without(bench, [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *map(str, files)],
                     _pytest_outcome)


if __name__ == "__main__":
    main(globals())
