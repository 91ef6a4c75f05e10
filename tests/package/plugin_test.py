"""The marks memory_stable and limit_memory. Every function without an underscore is a test.

usage: plugin_test.py --binary LOWTIDE [NAME...] | --list
"""

import os
import re
import sys

from environment import PYTHON, folder, main, need, run
from marked import EXPECTED, SUITE, outcomes, run_suite


def marks_pass_and_fail_as_they_should(binary):
    need(PYTHON, "pytest")
    with folder() as place:
        done = run_suite(binary, place)
    assert outcomes(done.stdout) == EXPECTED, done.stdout
    assert "PytestUnknownMarkWarning" not in done.stdout, done.stdout


def failure_is_a_finding_with_numbers_site_and_holder(binary):
    need(PYTHON, "pytest")
    with folder() as place:
        done = run_suite(binary, place, "-k", "test_leaking")
        recordings = list((place / "cache").rglob("*.lowtide"))
    text = done.stdout
    grown = re.search(r"memory grows by ([0-9.]+) MB in steps \d+ to 120, 2\.0\d MB a step; 50\.0 MB are allowed", text)
    assert grown and 100 < float(grown[1]) < 250, text
    line = next(number for number, line in enumerate(SUITE.read_text().splitlines(), 1) if "block = " in line)
    assert "holder: memory_suite.kept" in text and f"memory_suite.py:{line}" in text, text
    assert len(recordings) == 1 and str(recordings[0]) in text, (recordings, text)


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
