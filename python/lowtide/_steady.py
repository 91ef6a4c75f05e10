"""Does memory still rise at the end of a test that repeats one step?

The verdict of `judge` needs hundreds of steps, because a training may warm up for a long time. A test makes about a hundred
equal calls, and its author states that they need no more memory. So this rule needs less: the last half of the steps is
divided into stretches, nearly every stretch has a higher floor than all stretches before it, and the rise does not slow down.
Noise, full caches and free memory kept by the allocator do not look like this (docs/python.md has the measured rates).
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

_STRETCHES = 9
_SHORTEST_STRETCH = 2
_PAIRS_FOR_AN_EXCEPTION = 18  # 2 of 36 pairs of floors may not rise; noise alone does that in 1 of 8,000 tests
_LEAST_RISE_BYTES = 1_000_000  # the interpreter, the allocator and the agent need some memory themselves
_LEAST_SHARE_OF_BEFORE = 0.6  # of the rise per step in the first half, where the rise is uneven
_LEAST_LATER_SHARE = 0.5  # of the rise in the first half of the stretches; about 1 for a leak, less for a filling cache


def rises_steadily(readings: Sequence[int], after_step: int = 0) -> bool:
    """`after_step`: the readings before it are known to be warm-up."""
    shortest = _STRETCHES * _SHORTEST_STRETCH
    begin = max(after_step, min(len(readings) // 2, len(readings) - shortest), 0)
    count = min(_STRETCHES, (len(readings) - begin) // _SHORTEST_STRETCH)
    if count < 5:
        return False
    length = (len(readings) - begin) // count
    begin = len(readings) - count * length
    floors = [min(readings[at:at + length]) for at in range(begin, len(readings), length)]
    exceptions = sum(later <= earlier for earlier, later in itertools.combinations(floors, 2))
    middle = floors[count // 2]
    return (exceptions <= count * (count - 1) // 2 // _PAIRS_FOR_AN_EXCEPTION
            and (_is_even(floors) or not _slows_down(readings, max(after_step, 1), begin, length))
            and floors[-1] > floors[-3]
            and floors[-1] - floors[0] >= _LEAST_RISE_BYTES
            and floors[-1] - middle >= _LEAST_LATER_SHARE * (middle - floors[0]))


def _is_even(floors: Sequence[int]) -> bool:
    rises = sorted(later - earlier for earlier, later in zip(floors, floors[1:]))
    return rises[0] > _LEAST_LATER_SHARE * rises[len(rises) // 2]


def _slows_down(readings: Sequence[int], earlier: int, begin: int, length: int) -> bool:
    """From `begin` on the floor rises by much less per step than from `earlier` to `begin`: something fills up."""
    if earlier >= begin:
        return False
    at_earlier, at_begin, at_end = (min(readings[at:at + length]) for at in (earlier, begin, len(readings) - length))
    return (at_end - at_begin) * (begin - earlier) < (_LEAST_SHARE_OF_BEFORE * (at_begin - at_earlier)
                                                      * (len(readings) - length - begin))
