"""The same work with and without the agent in front, within one process: by_turns.py RESULT objects | pairs THREADS LIBRARY.

A turn takes milliseconds, and they go A B B A: what a machine does by itself takes longer and cancels.
RESULT gets the ratios, one for each A B B A.

pairs    A calls libc's malloc and free by their other names.
objects  A puts back, for its turn, the functions that served Python before the agent came.
"""
import ctypes
import gc
import json
import sys
import time

from objects import BATCH, make_and_drop

DOMAINS = (1, 2)  # PYMEM_DOMAIN_MEM, PYMEM_DOMAIN_OBJ


class Allocator(ctypes.Structure):
    _fields_ = [(name, ctypes.c_void_p) for name in ("context", "malloc", "calloc", "realloc", "free")]


def allocator_of(domain):
    found = Allocator()
    ctypes.pythonapi.PyMem_GetAllocator(domain, ctypes.byref(found))
    return found


def served_before(now):
    """The allocator that the agent replaced. It is in the data of the agent, next to the address of pymalloc's free,
    which the agent does not replace."""
    for line in open("/proc/self/maps"):
        span, rights = line.split()[:2]
        begin, end = (int(word, 16) for word in span.split("-"))
        if rights != "rw-p" or "liblowtide_agent" not in line:
            continue
        words = (ctypes.c_uint64 * ((end - begin) // 8)).from_address(begin)
        for at in range(4, len(words)):
            if words[at] == now.free and words[at - 3] not in (0, now.malloc):
                return Allocator(*words[at - 4:at + 1])
    sys.exit("the agent does not stand in front of pymalloc here")


def objects(rounds):
    watched = {domain: allocator_of(domain) for domain in DOMAINS}
    before = served_before(watched[2])

    def measure(is_watched):
        for domain in DOMAINS:
            ctypes.pythonapi.PyMem_SetAllocator(domain, ctypes.byref(watched[domain] if is_watched else before))
        began = time.thread_time()
        make_and_drop()
        return time.thread_time() - began

    for _ in range(rounds):
        took = [measure(is_watched) for is_watched in (False, True, True, False)]
        yield (took[1] + took[2]) / (took[0] + took[3])


def pairs(threads, library, rounds):
    ratios = (ctypes.c_double * (threads * rounds))()
    ctypes.CDLL(library).pairs_by_turns(threads, rounds, ratios)
    return ratios


if __name__ == "__main__":
    result, what, *more = sys.argv[1:]
    until = time.monotonic() + 2
    while time.monotonic() < until:  # the agent comes with a sample
        kept = [bytes(200_000) for _ in range(50)]
        make_and_drop()
    gc.disable()
    ratios = objects(6_000_000 // BATCH) if what == "objects" else pairs(int(more[0]), more[1], 1500 // int(more[0]))
    with open(result, "w") as file:
        json.dump(list(ratios), file)
