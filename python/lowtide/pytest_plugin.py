"""Marks for pytest: a test fails if it leaks memory or uses too much.

    @pytest.mark.memory_stable(max_growth="500MB", steps=120)
    def test_training(memory_steps):
        model = make_model()
        for step in memory_steps:          # 120 steps; memory is read after each
            train(model)

    @pytest.mark.memory_stable(steps=300)
    def test_request():                    # without the fixture the test itself is the step, and is called 300 times
        handle(request)

    @pytest.mark.limit_memory("20GB")      # at its peak, above the memory before the test, with all processes it starts
    def test_loading(): ...

    @pytest.mark.limit_leaks("5MB")        # memory that is still in use after the test, and was not before
    def test_parsing(): ...

memory_stable(after_warmup=True, max_growth=None, steps=120)
    after_warmup   True: the warm-up does not count, wherever it ends; a number: the warm-up ends at that step
    max_growth     how far the floor may rise from there to the last step: "50MB", or a number of bytes; None: the floor
                   must not rise steadily in the last half of the steps (_steady.py)

limit_memory(size)
limit_leaks(size, warmups=1)
    warmups        calls of the test before the one that is measured, for imports and caches

The marks work on methods of unittest.TestCase too; setUp and tearDown are called once, around all calls. A failure shows how
much memory, the lines that allocated it, the variable that holds it, and the recording.

`pytest --lowtide` measures every test and lists those with the highest peaks.
"""

from __future__ import annotations

import inspect
import unittest
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from lowtide._pytest_limits import leak_limited, memory_limited
from lowtide._pytest_marks import leak_rule, memory_limit, stable_rule
from lowtide._pytest_stable import DEFAULT_STEPS, Steps, stable
from lowtide._pytest_summary import MOST_TESTS, Summary, measure_test


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("lowtide")
    group.addoption("--lowtide", action="store_true", default=False,
                    help="measure the memory of every test, and list the tests with the highest peaks")
    group.addoption("--lowtide-most", type=int, default=MOST_TESTS, metavar="N",
                    help=f"how many tests --lowtide lists (default {MOST_TESTS})")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "memory_stable(after_warmup=True, max_growth=None, steps=120): fail if memory grows from "
                                       "step to step after the warm-up (lowtide)")
    config.addinivalue_line("markers", "limit_memory(size): fail if the test uses more memory than this at its peak (lowtide)")
    config.addinivalue_line("markers", "limit_leaks(size, warmups=1): fail if more memory than this is still in use after the "
                                       "test (lowtide)")
    if config.getoption("--lowtide") and not hasattr(config, "workerinput"):  # not in a worker of xdist
        config.pluginmanager.register(Summary(config.getoption("--lowtide-most")), "lowtide-summary")


@pytest.fixture
def memory_steps(request: pytest.FixtureRequest) -> Steps:
    """The steps of a test with the mark memory_stable. A loop over it reads memory after each step."""
    rule = stable_rule(request.node)
    steps = Steps(rule.steps if rule is not None else DEFAULT_STEPS)
    request.node._lowtide_steps = steps
    return steps


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Iterator[None]:
    """Replaces the test by one that measures, for this call. pytest calls it as it would call the test."""
    test = pyfuncitem.obj
    pyfuncitem.obj = _measured(pyfuncitem)
    yield
    pyfuncitem.obj = test


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Methods of a unittest.TestCase are not called by pytest but by unittest, from here."""
    method = item if isinstance(item, pytest.Function) and issubclass(item.cls or object, unittest.TestCase) else None
    test = None if method is None else method.obj
    if method is not None:
        method.obj = _measured(method)
    if item.config.getoption("--lowtide"):
        with measure_test(item):
            yield
    else:
        yield
    if method is not None:
        method.obj = test


def _measured(item: pytest.Function) -> Callable[..., Any]:
    """The test with the measurements that its marks request."""
    test: Callable[..., Any] = item.obj
    limit, leaks, rule = memory_limit(item), leak_rule(item), stable_rule(item)
    if limit is None and leaks is None and rule is None:
        return test
    if inspect.iscoroutinefunction(test):
        pytest.fail(f"lowtide: cannot measure {item.name}\n  why:  it is a coroutine, and this mark does not await it\n"
                    "  try:  a test that runs the coroutine with asyncio.run()", pytrace=False)
    if limit is not None:
        test = memory_limited(item, test, limit)
    if leaks is not None:
        test = leak_limited(item, test, leaks)
    if rule is not None:
        test = stable(item, test, rule)
    return test
