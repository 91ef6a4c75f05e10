"""The marks memory_stable, limit_memory and limit_leaks, and --lowtide. Every function without an underscore is a test.

usage: plugin_test.py --binary LOWTIDE [NAME...] | --list
"""

import os
import re
import sys

from environment import PYTHON, folder, main, need, run, told
from marked import EXPECTED, SUITE, outcomes, run_suite


def marks_pass_and_fail_as_they_should(binary):
    need(PYTHON, "pytest")
    with folder() as place:
        done = run_suite(binary, place)
    assert outcomes(done.stdout) == EXPECTED, done.stdout
    assert "PytestUnknownMarkWarning" not in done.stdout, done.stdout
    for words in ("memory_stable has no argument step", "max_growth='much' is not a size", "cannot measure test_async_method"):
        assert f"lowtide: {words}\n  why:" in done.stdout, done.stdout


def rise_is_steady_only_where_it_goes_on(binary):
    code = ("import json, random\nfrom lowtide._steady import rises_steadily as rises\n"
            "def leak(rate, n, noise=0): return [int(1e8 + rate * i + (random.random() * noise)) for i in range(n)]\n"
            "random.seed(1)\n"
            "flat = sum(rises(leak(0, n, 20e6)) for n in (20, 60, 120, 400) for _ in range(500))\n"
            "filled = [rises([int(1e8 + 8e5 * min(i, stop)) for i in range(120)]) for stop in (0, 1, 40, 60, 80, 100)]\n"
            "highest = sum(rises([max(leak(0, 120, 50e6)[:i + 1]) for i in range(120)]) for _ in range(100))\n"
            "leaks = [rises(leak(rate, n)) for rate in (1e5, 8e5) for n in (20, 60, 120, 400)]\n"
            "noisy = sum(rises(leak(8e5, 120, 5e6)) for _ in range(100))\n"
            "late = [rises(leak(8e5, 120), 100), rises([int(1e8)] * 119 + [int(1e9)], 100), rises([]), rises([1] * 20, 110)]\n"
            "print(json.dumps([flat, filled, highest, leaks, noisy, late]))")
    flat, filled, highest, leaks, noisy, late = told(run(binary, [PYTHON, "-c", code]))
    assert flat <= 2 and not any(filled) and highest == 0, (flat, filled, highest)
    assert all(leaks) and noisy >= 95 and late == [True, False, False, False], (leaks, noisy, late)


def failure_is_a_finding_with_numbers_site_and_holder(binary):
    need(PYTHON, "pytest")
    with folder() as place:
        done = run_suite(binary, place, "-k", "test_leaking and not test_leaking_")
        recordings = list((place / "cache").rglob("*.lowtide"))
    text = done.stdout
    grown = re.search(r"memory grew by ([0-9.]+) MB in steps \d+ to 120, 2\.0\d MB per step; the limit is 50\.0 MB", text)
    assert grown and 100 < float(grown[1]) < 250, text
    line = next(number for number, line in enumerate(SUITE.read_text().splitlines(), 1) if "block = " in line)
    assert "held by memory_suite.kept" in text and f"memory_suite.py:{line}" in text, text
    assert len(recordings) == 1 and str(recordings[0]) in text, (recordings, text)


def lines_that_allocated_are_shown_when_a_limit_is_exceeded(binary):
    need(PYTHON, "pytest")
    with folder() as place:
        done = run_suite(binary, place, "-k", "test_holding_beyond or test_leaking_once")
    assert outcomes(done.stdout) == {"test_holding_beyond_the_limit": "FAILED", "test_leaking_once": "FAILED"}, done.stdout
    assert "MB at its peak; the limit is 100 MB" in done.stdout, done.stdout
    assert f"allocated at {SUITE}:{_line_with('held = ')}: up to 300 MB in use" in done.stdout, done.stdout
    assert f"allocated at {SUITE}:{_line_with('return bytearray')}: +20.0 MB in use" in done.stdout, done.stdout
    assert re.search(r"(19|2\d)\.\d MB is still in use after the test; the limit is 5\.00 MB", done.stdout), done.stdout
    assert "held by memory_suite.kept (list): +" in done.stdout, done.stdout


def _line_with(text):
    return next(number for number, line in enumerate(SUITE.read_text().splitlines(), 1) if text in line)


def tests_with_the_highest_peaks_are_listed(binary):
    need(PYTHON, "pytest")
    with folder() as place:
        done = run_suite(binary, place, "--lowtide", "--lowtide-most", "2", "--junitxml", place / "junit.xml", "-k", "test_beyond or test_within or without",
                         LOWTIDE_COMMAND="/nonexistent")
        junit = (place / "junit.xml").read_text()
        without = run_suite(binary, place, "-k", "test_without_a_mark", expect=0)
    listed = re.findall(r"^ +([0-9.]+)  +([+-][0-9.]+)  \S*::(\w+)$", done.stdout, re.M)
    assert [name for _, _, name in listed] == ["test_beyond_the_limit", "test_within_the_limit"], done.stdout
    assert 290 < float(listed[0][0]) < 400 and 45 < float(listed[1][0]) < 100, listed
    assert junit.count('name="memory_peak_mb"') == 3, junit
    assert "memory per test" not in without.stdout, without.stdout


def marks_of_pytest_memray_are_left_to_it(binary):
    """It has marks of the same names, and its own units."""
    need(PYTHON, "pytest")
    with folder() as place:
        (place / "stand_in.py").write_text("def pytest_configure(config): config.pluginmanager.register(object(), 'memray')")
        done = run_suite(binary, place, "-p", "stand_in", "-k", "test_beyond_the_limit or test_leaking_once", expect=0)
    assert outcomes(done.stdout) == dict.fromkeys(("test_beyond_the_limit", "test_leaking_once"), "PASSED"), done.stdout


def recording_that_was_there_before_is_left_alone(binary):
    need(PYTHON, "pytest")
    with folder() as place:
        run(binary, [binary, "run", "--output", place / "outer.lowtide", "--no-report", "--quiet", "--", PYTHON, "-m", "pytest", "-p",
                     "lowtide.pytest_plugin", "-q", "-p", "no:cacheprovider", "-k", "within or stable_after", SUITE], cwd=place)
        assert os.listdir(place) == ["outer.lowtide"], os.listdir(place)


def without_the_program_growth_still_fails(binary):
    need(PYTHON, "pytest")
    with folder() as place:
        done = run(binary, [PYTHON, "-m", "pytest", "-p", "lowtide.pytest_plugin", "-q", "-rA", "-p", "no:cacheprovider", "-k", "test_beyond", SUITE],
                   expect=1, cwd=place, LOWTIDE_COMMAND="/nonexistent")
    assert outcomes(done.stdout) == {"test_beyond_the_limit": "FAILED"} and "300 MB" in done.stdout, done.stdout


if __name__ == "__main__":
    sys.exit(main(globals(), lambda test, words: test(words.binary), binary=str))
