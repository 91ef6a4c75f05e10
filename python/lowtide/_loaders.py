"""Warnings before harm: what a DataLoader with workers will do to memory.

A forked worker shares the dataset with its parent until somebody writes to it; and to look at a Python object is to
write to it, since its reference count lies beside it. So every worker ends up with a copy of its own of every list of
Python objects (pytorch #13246). Arrays and tensors have one count for all of their bytes, and stay shared. A spawned
worker gets a pickled copy of everything at once.

Nothing is run here that belongs to the job: no item of the dataset is made. Containers are looked at by samples of
their elements, so that a dataset of a hundred million entries takes no longer than one of a thousand.
"""

from __future__ import annotations

import dataclasses
import os
import sys
from collections.abc import Iterator
from typing import Any

from lowtide._log import warn_once
from lowtide._units import format_bytes

_SAMPLED = 64
_DEEPEST = 6
_MOST_OBJECTS = 5_000
_OVERHEAD_BYTES = 16  # of the collector and the allocator, beside what sys.getsizeof tells
_SHARE_WORTH_A_WORD = 0.02
_BYTES_WORTH_A_WORD = 100_000_000


@dataclasses.dataclass(frozen=True)
class LoaderWarning:
    """What will be used, by what, and what to do."""

    kind: str  # copy-on-write, worker-copies, prefetch, pinned
    bytes: int
    text: str

    def __str__(self) -> str:
        return self.text


@dataclasses.dataclass
class _Weight:
    objects: float = 0.0  # bytes in Python objects, whose counts are written to
    arrays: float = 0.0  # bytes in arrays and tensors
    largest: str = ""
    largest_bytes: float = 0.0


def _array_bytes(thing: Any) -> int | None:
    """The bytes of arrays, tensors, arrow tables; None for what is none."""
    size = getattr(thing, "nbytes", None)
    if isinstance(size, int) and not isinstance(thing, (list, tuple, dict, set)):
        return size
    if isinstance(thing, (bytes, bytearray, memoryview)):
        return len(thing)
    if hasattr(thing, "element_size") and hasattr(thing, "nelement"):  # tensors before torch 2
        return int(thing.element_size() * thing.nelement())
    return None


def _spread(things: Any) -> list[Any]:
    """Some elements from all over."""
    size = len(things)
    if size <= _SAMPLED:
        return list(things)
    if isinstance(things, (list, tuple)):
        return [things[number * (size - 1) // (_SAMPLED - 1)] for number in range(_SAMPLED)]
    stride, chosen = max(1, min(size, 100 * _SAMPLED) // _SAMPLED), []
    for number, thing in enumerate(things):
        if number % stride == 0:
            chosen.append(thing)
            if len(chosen) == _SAMPLED:
                break
    return chosen


class _Scales:
    """Weighs what hangs on a dataset, every object once."""

    def __init__(self) -> None:
        self._seen: set[int] = set()
        self._count = 0

    def weigh(self, thing: Any, depth: int = 0) -> _Weight:
        weight = _Weight()
        if depth > _DEEPEST or self._count > _MOST_OBJECTS or id(thing) in self._seen or _is_common(thing):
            return weight
        self._seen.add(id(thing))
        self._count += 1
        arrays = _array_bytes(thing)
        if arrays is not None:
            # One count for all of it; but an array of objects is a list by another name.
            if getattr(getattr(thing, "dtype", None), "kind", "") == "O":
                return self._elements(list(thing[:_SAMPLED]), len(thing), float(arrays), depth)
            weight.arrays = float(arrays)
            if arrays < 4096:
                weight.objects = sys.getsizeof(thing, 64)
            return weight
        own = float(sys.getsizeof(thing, 64)) + _OVERHEAD_BYTES
        if isinstance(thing, dict):
            some = [part for key in _spread(thing) for part in (key, thing[key])]
            return self._elements(some, 2 * len(thing), own, depth)
        if isinstance(thing, (list, tuple, set, frozenset)):
            return self._elements(_spread(thing), len(thing), own, depth)
        weight.objects = own
        for name, value in _attributes(thing):
            if depth == 0:
                self._count = 0  # each has its own share of the work
            part = self.weigh(value, depth + 1)
            weight.objects += part.objects
            weight.arrays += part.arrays
            if depth == 0 and part.objects > weight.largest_bytes:
                weight.largest, weight.largest_bytes = f"{type(thing).__name__}.{name}", part.objects
        return weight

    def _elements(self, some: list[Any], count: int, own: float, depth: int) -> _Weight:
        weight = _Weight(objects=own)
        parts = []
        for one in some:
            if self._count > _MOST_OBJECTS:
                break
            parts.append(self.weigh(one, depth + 1))
        if parts:
            scale = count / len(parts)
            weight.objects += scale * sum(part.objects for part in parts)
            weight.arrays += scale * sum(part.arrays for part in parts)
        return weight


def _is_common(thing: Any) -> bool:
    """What a dataset refers to and does not hold: code, types, small numbers, the interned."""
    return thing is None or isinstance(thing, (bool, type)) or callable(thing) or (
        isinstance(thing, int) and -5 <= thing <= 256) or type(thing).__name__ in ("module", "Generator", "dtype", "device")


def _attributes(thing: Any) -> Iterator[tuple[str, Any]]:
    held = getattr(thing, "__dict__", None)
    if isinstance(held, dict):
        yield from list(held.items())
    for name in getattr(type(thing), "__slots__", ()) or ():
        if isinstance(name, str) and hasattr(thing, name):
            yield name, getattr(thing, name)


def memory_limit() -> int | None:
    """What this process may have: its cgroup's limit, or the machine's memory."""
    limits = []
    try:
        limits.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    except (OSError, ValueError):
        pass
    for path in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        try:
            with open(path) as file:
                word = file.read().strip()
            if word.isdigit():
                limits.append(int(word))
        except OSError:
            pass
    return min(limits, default=None)


def batch_bytes(batch: Any, depth: int = 0) -> int:
    """The bytes of the tensors in a batch."""
    size = _array_bytes(batch)
    if size is not None:
        return size
    if depth > 4:
        return 0
    if hasattr(batch, "items"):
        return sum(batch_bytes(part, depth + 1) for _, part in batch.items())
    if isinstance(batch, (list, tuple)):
        return sum(batch_bytes(part, depth + 1) for part in batch)
    return 0


def _starts_by_fork(loader: Any) -> bool:
    context = getattr(loader, "multiprocessing_context", None)
    if context is None:
        import multiprocessing

        # With allow_none: to ask without it would choose, and the job could choose no more.
        return (multiprocessing.get_start_method(allow_none=True) or multiprocessing.get_all_start_methods()[0]) == "fork"
    return str(context if isinstance(context, str) else context.get_start_method()) == "fork"


def check_loader(loader: Any, batch: Any = None) -> list[LoaderWarning]:
    """What this DataLoader will take beside the dataset itself. `batch`: one of its batches, where there is one at
    hand; with it what is prefetched and pinned is weighed too. It is not kept."""
    workers = int(getattr(loader, "num_workers", 0) or 0)
    dataset = getattr(loader, "dataset", None)
    limit = memory_limit()

    def matters(size: float) -> bool:
        return size >= min(_BYTES_WORTH_A_WORD, _SHARE_WORTH_A_WORD * limit if limit else _BYTES_WORTH_A_WORD)

    def of_limit(size: float) -> str:
        return f" ({size / limit:.0%} of the {format_bytes(limit)} there are)" if limit else ""

    told = []
    if workers > 0 and dataset is not None:
        weight = _Scales().weigh(dataset)
        name = weight.largest or type(dataset).__name__
        if _starts_by_fork(loader):
            copies = workers * weight.objects
            if matters(copies):
                told.append(LoaderWarning(
                    "copy-on-write", round(copies),
                    f"lowtide: {workers} DataLoader workers will copy the Python objects of {name}, about "
                    f"{format_bytes(weight.objects)}, into each of them: {format_bytes(copies)} in all{of_limit(copies)}, page by "
                    "page as they read\n"
                    "  why:  to read a Python object is to write its reference count, and a forked worker copies what is written\n"
                    "  try:  keep them in numpy or torch arrays, or in one packed array of bytes with offsets; or fewer workers"))
        else:
            copies = workers * (weight.objects + weight.arrays)
            if matters(copies):
                told.append(LoaderWarning(
                    "worker-copies", round(copies),
                    f"lowtide: each of {workers} DataLoader workers gets a copy of {type(dataset).__name__}, about "
                    f"{format_bytes(weight.objects + weight.arrays)}: {format_bytes(copies)} in all{of_limit(copies)}\n"
                    "  why:  workers that are spawned get the dataset by pickle\n"
                    "  try:  open files in the workers (memory maps, arrow), and pickle only their names"))
    size = batch_bytes(batch) if batch is not None else 0
    if size and workers > 0:
        ahead = workers * int(getattr(loader, "prefetch_factor", None) or 2)
        if matters(size * ahead):
            told.append(LoaderWarning(
                "prefetch", size * ahead,
                f"lowtide: {ahead} batches of {format_bytes(size)} wait in shared memory: {format_bytes(size * ahead)}"
                f"{of_limit(size * ahead)}\n"
                f"  why:  {workers} workers make prefetch_factor={ahead // workers} batches each ahead\n"
                "  try:  a smaller prefetch_factor or fewer workers"))
    if size and getattr(loader, "pin_memory", False):
        rounded = (1 << (size - 1).bit_length()) * 2
        if matters(rounded):
            told.append(LoaderWarning(
                "pinned", rounded,
                f"lowtide: pin_memory keeps about {format_bytes(rounded)} of host memory for good{of_limit(rounded)}\n"
                "  why:  pinned blocks are rounded up to powers of two, and cached\n"
                "  try:  batches of one shape, or pin_memory=False where copies to the GPU are not what you wait for"))
    return told


def warn_of_loader(loader: Any, batch: Any = None) -> None:
    """Says once what `check_loader` finds; for callbacks."""
    try:
        for warning in check_loader(loader, batch) if loader is not None else []:
            warn_once(warning.text)
    except Exception:  # a dataset with odd attributes is not for us to complain about
        pass
