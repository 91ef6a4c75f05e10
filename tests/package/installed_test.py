"""Tests that need packages from pip: numpy, pandas, xdist, mypy, ipykernel. Every function without an underscore is a test.

usage: installed_test.py --binary LOWTIDE [NAME...] | --list
"""

import sys

from environment import HERE, PYTHON, ROOT, WAIT_FOR_READINGS, folder, frameworks, kind_of, main, run, told
from marked import EXPECTED, outcomes, run_suite


def _say(binary, code):
    return told(run(binary, [frameworks(), "-c", "import json, lowtide\n" + code]))


def judge_takes_arrays_and_series_with_gaps(binary):
    code = ("import numpy, pandas\nvalues = 500e6 + 1e6 * numpy.arange(2000); values[5] = numpy.nan\n"
            "a = lowtide.judge(values, steps=numpy.arange(2000))\n"
            "b = lowtide.judge(pandas.Series(values, index=numpy.arange(2000) * 10))\n"
            "c = lowtide.judge(pandas.Series(values, index=pandas.to_timedelta(numpy.arange(2000), unit='s')))\n"
            "print(json.dumps([a.kind, b.kind, b.rate.bytes, b.axis, c.kind, c.axis]))")
    a, b, rate, axis, c, times = _say(binary, code)
    assert (a, b, c) == ("leak", "leak", "leak") and axis == "step" and abs(rate - 1e5) < 2e3 and times == "time", (a, b, c, rate)


def recording_opens_as_tables(binary):
    with folder() as place:
        run(binary, [binary, "run", "--output", place / "job.lowtide", "--", PYTHON, "-c", WAIT_FOR_READINGS + "wait_for_readings(4)"], cwd=place)
        told_by_program = kind_of(binary, place / "job.lowtide")
        code = (f"r = lowtide.open({str(place / 'job.lowtide')!r})\n"
                "m, p = r.memory(), r.memory('process')\n"
                "print(json.dumps([len(m), list(m.columns)[:3], len(p), len(r.processes), r.verdict().kind, r.meta['closed'],\n"
                "  r.text()[:400], '<svg' in r._repr_html_()]))")
        rows, columns, processes, table, kind, closed, text, plotted = _say(binary, code)
        missing = run(binary, [PYTHON, "-c", f"import lowtide; lowtide.open({str(place / 'none')!r})"], expect=1)
        other = run(binary, [PYTHON, "-c", f"import lowtide; lowtide.open({str(HERE / 'face_test.py')!r})"], expect=1)
    assert rows >= 3 and processes >= rows - 1 and table >= 1 and columns[0] == "at_s" and plotted, (rows, columns, processes)
    assert kind == told_by_program and closed == "1" and "readings" in text, (kind, told_by_program, closed, text)
    assert "FileNotFoundError" in missing.stderr and "is not a recording" in other.stderr, (missing.stderr, other.stderr)


def marks_and_summary_work_in_several_processes(binary):
    with folder() as place:
        done = run_suite(binary, place, "-n", "2", "--lowtide", python=frameworks())
    assert outcomes(done.stdout) == EXPECTED, done.stdout
    assert "memory per test, highest peak first" in done.stdout and done.stdout.count("::test_beyond_the_limit\n") == 1, done.stdout


def cell_of_a_notebook_is_named_by_its_number(binary):
    code = ("import os\nfrom IPython.core.interactiveshell import InteractiveShell\nfrom ipykernel.compiler import XCachingCompiler\n"
            "from lowtide._text import readable\n"
            "shell = InteractiveShell.instance(); shell.compile = XCachingCompiler()\n"
            "shell.run_cell('1', store_history=True); shell.run_cell('def leak():\\n    return 1', store_history=True)\n"
            "path = shell.user_ns['leak'].__code__.co_filename\n"
            "print(json.dumps([path, [readable(f'{name}:2 leaks') for name in (path, os.path.basename(path))]]))")
    path, shown = _say(binary, code)
    assert "ipykernel" in path and shown == ["cell [2], line 2 leaks"] * 2, (path, shown)


def script_can_rely_on_the_kinds_of_a_verdict(binary):
    script = ("from typing import Literal\nimport lowtide\n"
              "kind: Literal['leak', 'warmup', 'spikes', 'stable', 'inconclusive'] = lowtide.judge([1.0]).kind\n"
              "answer = lowtide.open('job.lowtide').report().answer\nheadline: str = '' if answer is None else answer.headline\n")
    with folder() as place:
        (place / "job.py").write_text(script)
        done = run(binary, [frameworks(), "-m", "mypy", "--strict", "--cache-dir=/dev/null", "job.py"], cwd=place, MYPYPATH=str(ROOT / "python"))
    assert "no issues" in done.stdout, done.stdout


def package_is_typed_to_the_last(binary):
    done = run(binary, [frameworks(), "-m", "mypy", "--config-file", ROOT / "pyproject.toml", "--cache-dir=/dev/null"], cwd=ROOT)
    assert "no issues" in done.stdout, done.stdout


if __name__ == "__main__":
    sys.exit(main(globals(), lambda test, words: test(words.binary), binary=str))
