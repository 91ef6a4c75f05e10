"""The memory of this process, for a log: some microseconds a reading, no import of anything, no reference to anything.

What is counted is what nobody can take back: anonymous and shared memory and swap. Pages of files (the 1 GB of a torch
with CUDA, mapped data sets) come and go as the kernel likes, and would drown the growth.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lowtide._watch import Watch

_COUNTED = (b"RssAnon:", b"RssShmem:", b"VmSwap:")


def own_bytes() -> int:
    """What this process alone has; 0 where /proc does not tell."""
    try:
        with open("/proc/self/status", "rb", buffering=0) as file:
            text = file.read(8192)
    except OSError:
        return 0
    total = 0
    for key in _COUNTED:
        at = text.find(key)
        if at >= 0:
            total += int(text[at + len(key):text.index(b"kB", at)])
    return total * 1024


def _cuda() -> Any:
    """torch.cuda where the job uses it; asking must not be what starts it."""
    cuda = sys.modules.get("torch.cuda")
    return cuda if cuda is not None and cuda.is_initialized() else None


def device_bytes() -> tuple[int, int] | None:
    """Allocated and reserved by torch on the current device; None without one in use."""
    try:
        cuda = _cuda()
        return None if cuda is None else (int(cuda.memory_allocated()), int(cuda.memory_reserved()))
    except Exception:  # a device that has failed is the job's matter
        return None


def metrics(watch: Watch | None = None) -> dict[str, float]:
    """Numbers for a trainer's log, in MB (10^6 bytes): `memory/process_mb` of this process, `memory/tree_mb` with
    workers and shared pages counted once (while a watch is on), `memory/gpu_allocated_mb` and `memory/gpu_reserved_mb`."""
    told = {"memory/process_mb": round(own_bytes() / 1e6, 3)}
    tree = watch.tree_bytes() if watch is not None else None
    if tree is not None:
        told["memory/tree_mb"] = round(tree / 1e6, 3)
    device = device_bytes()
    if device is not None:
        told["memory/gpu_allocated_mb"] = round(device[0] / 1e6, 3)
        told["memory/gpu_reserved_mb"] = round(device[1] / 1e6, 3)
    return told
