"""A suite for the marks of lowtide: what passes and what fails is known."""

import time

import pytest

kept = []


def work():
    block = bytearray(b"x" * 2_000_000)
    time.sleep(0.005)
    return block


@pytest.mark.memory_stable(after_warmup=True, max_growth="50MB", steps=120)
def test_stable(memory_steps):
    warm = []
    for step in memory_steps:
        if step < 20:
            warm.append(work())
        work()


@pytest.mark.memory_stable(after_warmup=90, max_growth="20MB", steps=120)
def test_stable_after_a_step(memory_steps):
    warm = []
    for step in memory_steps:
        if step < 80:
            warm.append(work())


@pytest.mark.memory_stable(max_growth="50MB", steps=120)
def test_leaking(memory_steps):
    for _ in memory_steps:
        kept.append(work())


@pytest.mark.memory_stable(steps=200)
def test_step_by_step():
    work()


@pytest.mark.limit_memory("100MB")
def test_within_the_limit():
    assert len(b"x" * int(50e6)) == 50e6


@pytest.mark.limit_memory("100MB")
def test_beyond_the_limit():
    assert len(b"x" * int(300e6)) == 300e6  # no constant, which would be made when the file is read


@pytest.mark.memory_stable(steps=120)
def test_failing_for_another_reason(memory_steps):
    for step in memory_steps:
        assert step < 5


def test_without_a_mark():
    kept.clear()
