"""A suite with marks, run by pytest, and what must come of it."""

import re

from environment import HERE, PYTHON, run

SUITE = HERE / "jobs" / "memory_suite.py"


def run_suite(binary, place, *words, python=PYTHON, expect=1, **more):
    return run(binary, [python, "-m", "pytest", "-p", "lowtide.pytest_plugin", "-q", "--rootdir", place, "-o",
                        f"cache_dir={place}/cache", "-rA", SUITE, *words], expect=expect, cwd=place, **more)


def outcomes(text):
    return {hit[2]: hit[1] for hit in re.finditer(r"^(PASSED|FAILED) \S*::(\w+)", text, re.M)}


FAILING = ("test_leaking", "test_leaking_with_defaults", "test_leaking_in_few_steps", "test_leaking_method", "test_beyond_the_limit",
           "test_method_beyond_the_limit", "test_failing_for_another_reason", "test_async_method", "test_unknown_argument",
           "test_wrong_size", "test_holding_beyond_the_limit", "test_leaking_once", "test_wrong_number_of_warmups")
PASSING = ("test_stable", "test_stable_after_a_step", "test_step_by_step", "test_within_the_limit", "test_noise_and_a_cache_that_fills",
           "test_garbage_that_waits_for_the_collector", "test_stable_method", "test_without_a_mark", "test_cache_that_is_filled_by_the_first_call")
EXPECTED = {**dict.fromkeys(FAILING, "FAILED"), **dict.fromkeys(PASSING, "PASSED")}
