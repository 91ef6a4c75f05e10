"""Warnings in advance: how much memory a DataLoader with workers will use.

A forked worker shares the dataset with its parent until one of them writes to it. Reading a Python object writes to it,
because its reference count changes. So every worker ends up with its own copy of every list of Python objects (pytorch
#13246). An array or a tensor has one reference count for all its data, and stays shared. A spawned worker gets a pickled
copy of everything at once.

No code of the job runs here: no item of the dataset is created. Of a container only a sample of the elements is measured, so
a dataset of a hundred million entries takes no longer than one of a thousand.
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
_OVERHEAD_BYTES = 16  # of the garbage collector and the allocator, in addition to sys.getsizeof
_LEAST_SHARE = 0.02  # of the memory limit; less is not worth a warning
_LEAST_BYTES = 100_000_000


@dataclasses.dataclass(frozen=True)
class LoaderWarning:
    """How much memory will be used, for what, and what to try."""

    kind: str  # copy-on-write, worker-copies, prefetch, pinned
    bytes: int
    text: str

    def __str__(self) -> str:
        return self.text


@dataclasses.dataclass
class _Weight:
    objects: float = 0.0  # bytes in Python objects, whose reference counts are written
    arrays: float = 0.0  # bytes in arrays and tensors
    largest: str = ""
    largest_bytes: float = 0.0


def _array_bytes(thing: Any) -> int | None:
    """The bytes of an array, a tensor or an arrow table; None for anything else."""
    size = getattr(thing, "nbytes", None)
    if isinstance(size, int) and not isinstance(thing, (list, tuple, dict, set)):
        return size
    if isinstance(thing, (bytes, bytearray, memoryview)):
        return len(thing)
    if hasattr(thing, "element_size") and hasattr(thing, "nelement"):  # tensors before torch 2
        return int(thing.element_size() * thing.nelement())
    return None


def _spread(things: Any) -> list[Any]:
    """Some elements, evenly distributed."""
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


class _SizeEstimator:
    """Estimates the memory of a dataset, and counts every object once."""

    def __init__(self) -> None:
        self._seen: set[int] = set()
        self._count = 0

    def estimate(self, thing: Any, depth: int = 0) -> _Weight:
        weight = _Weight()
        if depth > _DEEPEST or self._count > _MOST_OBJECTS or id(thing) in self._seen or _is_common(thing):
            return weight
        self._seen.add(id(thing))
        self._count += 1
        arrays = _array_bytes(thing)
        if arrays is not None:
            # One reference count for all of it; an array of objects is like a list.
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
                self._count = 0  # each attribute has its own limit
            part = self.estimate(value, depth + 1)
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
            parts.append(self.estimate(one, depth + 1))
        if parts:
            scale = count / len(parts)
            weight.objects += scale * sum(part.objects for part in parts)
            weight.arrays += scale * sum(part.arrays for part in parts)
        return weight


def _is_common(thing: Any) -> bool:
    """True for objects that a dataset refers to but does not own: code, types, small integers."""
    return thing is None or isinstance(thing, (bool, type)) or callable(thing) or (
        isinstance(thing, int) and -5 <= thing <= 256) or type(thing).__name__ in ("module", "Generator", "dtype", "device")


def _attributes(thing: Any) -> Iterator[tuple[str, Any]]:
    held = getattr(thing, "__dict__", None)
    if isinstance(held, dict):
        yield from list(held.items())
    for name in getattr(type(thing), "__slots__", ()) or ():
        if isinstance(name, str) and hasattr(thing, name):
            yield name, getattr(thing, name)


def memory_limit(root: str = "/") -> int | None:
    """The memory limit of this process: the lowest of its cgroup, the groups around it, and the memory of the machine."""
    limits = []
    try:
        limits.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    except (OSError, ValueError):
        pass
    for path in _limit_files(root):
        try:
            with open(path) as file:
                word = file.read().strip()
        except OSError:
            continue
        if word.isdigit():
            limits.append(int(word))
    return min(limits, default=None)


def _limit_files(root: str) -> Iterator[str]:
    """The files with the limits of the process's cgroup and of all groups around it, for both versions of cgroups."""
    try:
        with open(os.path.join(root, "proc/self/cgroup")) as file:
            lines = file.read().splitlines()
    except OSError:
        return
    for line in lines:
        number, controllers, group = line.split(":", 2)
        if number == "0":
            top, name = "sys/fs/cgroup", "memory.max"
        elif "memory" in controllers.split(","):
            top, name = "sys/fs/cgroup/memory", "memory.limit_in_bytes"
        else:
            continue
        parts = [part for part in group.split("/") if part]
        for depth in range(len(parts), -1, -1):
            yield os.path.join(root, top, *parts[:depth], name)


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

        # Without allow_none the call would set the start method, and the job could not set it any more.
        return (multiprocessing.get_start_method(allow_none=True) or multiprocessing.get_all_start_methods()[0]) == "fork"
    return str(context if isinstance(context, str) else context.get_start_method()) == "fork"


def check_loader(loader: Any, batch: Any = None) -> list[LoaderWarning]:
    """Estimates the memory that this DataLoader will use in addition to the dataset. With a `batch`, prefetched and pinned
    memory are estimated too. The batch is not kept."""
    workers = int(getattr(loader, "num_workers", 0) or 0)
    dataset = getattr(loader, "dataset", None)
    limit = memory_limit()

    def matters(size: float) -> bool:
        return size >= min(_LEAST_BYTES, _LEAST_SHARE * limit if limit else _LEAST_BYTES)

    def of_limit(size: float) -> str:
        return f" ({size / limit:.0%} of {format_bytes(limit)})" if limit else ""

    warnings = []
    if workers > 0 and dataset is not None:
        weight = _SizeEstimator().estimate(dataset)
        name = weight.largest or type(dataset).__name__
        if _starts_by_fork(loader):
            copies = workers * weight.objects
            if matters(copies):
                warnings.append(LoaderWarning(
                    "copy-on-write", round(copies),
                    f"lowtide: {workers} DataLoader workers will copy the Python objects of {name}, about "
                    f"{format_bytes(weight.objects)} each: {format_bytes(copies)} in all{of_limit(copies)}, page by page as they "
                    "read\n"
                    "  why:  reading a Python object writes its reference count, and a worker copies each page that it writes\n"
                    "  try:  store the data in numpy or torch arrays, or in one bytes blob with offsets, or use fewer workers"))
        else:
            copies = workers * (weight.objects + weight.arrays)
            if matters(copies):
                warnings.append(LoaderWarning(
                    "worker-copies", round(copies),
                    f"lowtide: each of {workers} DataLoader workers gets a copy of {type(dataset).__name__}, about "
                    f"{format_bytes(weight.objects + weight.arrays)}: {format_bytes(copies)} in all{of_limit(copies)}\n"
                    "  why:  a spawned worker gets a pickled copy of the dataset\n"
                    "  try:  open files (memory maps, arrow) in the workers, and pickle only their names"))
    size = batch_bytes(batch) if batch is not None else 0
    if size and workers > 0:
        ahead = workers * int(getattr(loader, "prefetch_factor", None) or 2)
        if matters(size * ahead):
            warnings.append(LoaderWarning(
                "prefetch", size * ahead,
                f"lowtide: {ahead} batches of {format_bytes(size)} wait in shared memory: {format_bytes(size * ahead)}"
                f"{of_limit(size * ahead)}\n"
                f"  why:  each of {workers} workers prepares prefetch_factor={ahead // workers} batches ahead\n"
                "  try:  a smaller prefetch_factor, or fewer workers"))
    if size and getattr(loader, "pin_memory", False):
        rounded = (1 << (size - 1).bit_length()) * 2
        if matters(rounded):
            warnings.append(LoaderWarning(
                "pinned", rounded,
                f"lowtide: pin_memory keeps about {format_bytes(rounded)} of host memory until the end{of_limit(rounded)}\n"
                "  why:  pinned blocks are rounded up to powers of two, and cached\n"
                "  try:  batches of equal shape, or pin_memory=False if copies to the GPU are not the bottleneck"))
    return warnings


def warn_about_loader(loader: Any, batch: Any = None) -> None:
    """Logs the warnings of `check_loader` once; for callbacks."""
    try:
        for warning in check_loader(loader, batch) if loader is not None else []:
            warn_once(warning.text)
    except Exception:  # a dataset with unusual attributes must not break a training
        pass
