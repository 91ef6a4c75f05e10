"""Memory of this process for a trainer's log. A reading takes some microseconds, imports nothing and keeps nothing.

It counts memory that the kernel cannot reclaim: anonymous memory, shared memory and swap. Pages of files (the 1 GB of a torch
with CUDA, mapped datasets) come and go as the kernel decides, and would hide the growth.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lowtide._watch import Watch

_COUNTED = (b"RssAnon:", b"RssShmem:", b"VmSwap:")


def _read(path: str) -> bytes:
    try:
        with open(path, "rb", buffering=0) as file:
            return file.read(8192)
    except OSError:
        return b""


def _bytes_of(text: bytes, key: bytes) -> int | None:
    at = text.find(key)
    return None if at < 0 else int(text[at + len(key):text.index(b"kB", at)]) * 1024


def own_bytes() -> int:
    """Memory of this process alone; 0 if /proc cannot be read."""
    text = _read("/proc/self/status")
    return sum(_bytes_of(text, key) or 0 for key in _COUNTED)


def available_bytes() -> int | None:
    """Memory of the machine that programs can still get without swapping."""
    return _bytes_of(_read("/proc/meminfo"), b"MemAvailable:")


def _cuda() -> Any:
    """torch.cuda if the job uses it. A reading must not initialize it."""
    cuda = sys.modules.get("torch.cuda")
    return cuda if cuda is not None and cuda.is_initialized() else None


def device_bytes() -> tuple[int, int] | None:
    """Allocated and reserved by torch on the current device; None without one in use."""
    try:
        cuda = _cuda()
        return None if cuda is None else (int(cuda.memory_allocated()), int(cuda.memory_reserved()))
    except Exception:  # a device that has failed is not for a reading to report
        return None


def to_mb(count: float) -> float:
    return round(count / 1e6, 3)


def metrics(watch: Watch | None = None) -> dict[str, float]:
    """Numbers for a trainer's log, in MB (10^6 bytes).

    memory/process_mb         this process: anonymous memory, shared memory and swap
    memory/swap_mb            the part of it that is swapped out
    memory/tree_mb            the process tree, shared pages counted once (PSS); only while a watch is on
    memory/host_available_mb  memory of the machine that programs can still get
    memory/gpu_allocated_mb   allocated by torch on the current GPU
    memory/gpu_reserved_mb    reserved by torch there
    """
    status = _read("/proc/self/status")
    process = sum(_bytes_of(status, key) or 0 for key in _COUNTED)
    numbers = {"memory/process_mb": to_mb(process), "memory/swap_mb": to_mb(_bytes_of(status, b"VmSwap:") or 0)}
    tree = watch.tree_bytes() if watch is not None else None
    if tree is not None:
        # The tree was read up to a second ago, and this process belongs to it.
        numbers["memory/tree_mb"] = to_mb(max(tree, process))
    available = available_bytes()
    if available is not None:
        numbers["memory/host_available_mb"] = to_mb(available)
    device = device_bytes()
    if device is not None:
        numbers["memory/gpu_allocated_mb"], numbers["memory/gpu_reserved_mb"] = to_mb(device[0]), to_mb(device[1])
    return numbers
