"""A suite for the marks of lowtide: what passes and what fails is known."""

import random
import time
import unittest

import pytest

kept, cache, filled = [], [], []
numbers = random.Random(0)


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


@pytest.mark.limit_memory("100MB")
def test_holding_beyond_the_limit():
    held = b"x" * int(300e6)
    time.sleep(0.5)  # long enough for the lines to be read
    assert held


def make_block():
    return bytearray(b"x" * int(20e6))


@pytest.mark.limit_leaks("5MB")
def test_leaking_once():
    kept.append(make_block())


@pytest.mark.limit_leaks("5MB")
def test_cache_that_is_filled_by_the_first_call():
    if not filled:
        filled.append(make_block())
    make_block()


@pytest.mark.limit_leaks("5MB", warmups=-1)
def test_wrong_number_of_warmups():
    pass


@pytest.mark.memory_stable(steps=120)
def test_failing_for_another_reason(memory_steps):
    for step in memory_steps:
        assert step < 5


@pytest.mark.memory_stable
def test_leaking_with_defaults():
    kept.append(bytearray(b"x" * 800_000))


@pytest.mark.memory_stable(steps=60)
def test_leaking_in_few_steps():
    kept.append(bytearray(b"x" * 800_000))


@pytest.mark.memory_stable
def test_noise_and_a_cache_that_fills():
    if len(cache) < 50:
        cache.append(bytearray(b"x" * 800_000))
    bytearray(b"x" * numbers.randrange(5_000_000))


class Garbage:
    def __init__(self):
        self.me = self  # it waits for the collector
        self.block = bytearray(b"x" * 300_000)


@pytest.mark.memory_stable
def test_garbage_that_waits_for_the_collector():
    Garbage()


class Case(unittest.TestCase):
    @pytest.mark.memory_stable
    def test_leaking_method(self):
        kept.append(bytearray(b"x" * 800_000))

    @pytest.mark.memory_stable
    def test_stable_method(self):
        self.assertTrue(bytearray(b"x" * 800_000))

    @pytest.mark.limit_memory(10e6)
    def test_method_beyond_the_limit(self):
        self.assertTrue(bytearray(30_000_000))

    @pytest.mark.memory_stable
    async def test_async_method(self):
        pass


@pytest.mark.memory_stable(step=50)
def test_unknown_argument():
    pass


@pytest.mark.memory_stable(max_growth="much")
def test_wrong_size():
    pass


def test_without_a_mark():
    kept.clear()
