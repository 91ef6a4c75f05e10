"""A suite with marks, run by pytest, and what must come of it."""

import re

from environment import HERE, PYTHON, run

SUITE = HERE / "jobs" / "memory_suite.py"


def run_suite(binary, place, *words, python=PYTHON, expect=1):
    return run(binary, [python, "-m", "pytest", "-p", "lowtide.pytest_plugin", "-q", "--rootdir", place, "-o",
                        f"cache_dir={place}/cache", "-rA", SUITE, *words], expect=expect, cwd=place)


def outcomes(text):
    return {hit[2]: hit[1] for hit in re.finditer(r"^(PASSED|FAILED) \S*::(\w+)", text, re.M)}


EXPECTED = {"test_stable": "PASSED", "test_stable_after_a_step": "PASSED", "test_leaking": "FAILED", "test_step_by_step": "PASSED",
            "test_within_the_limit": "PASSED", "test_beyond_the_limit": "FAILED", "test_failing_for_another_reason": "FAILED",
            "test_without_a_mark": "PASSED"}
