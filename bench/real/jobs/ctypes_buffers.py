# REAL-JOB
#   about: each message is copied to memory of malloc for a C function and the memory is never freed
#   label: leak
#   process: main
#   packages:
#   kind: c
#   holder: none
#   never: graph, validation, queue, callback, hook, loss, checkpoint, list, cache
#   fix: libc.free(pointer)
# END
import ctypes
import os

from job import FIXED, steps

libc = ctypes.CDLL(None)
libc.malloc.argtypes = [ctypes.c_size_t]
libc.malloc.restype = ctypes.c_void_p
libc.free.argtypes = [ctypes.c_void_p]
libc.strnlen.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
libc.strnlen.restype = ctypes.c_size_t


def text_length(message):
    """Asks a C function how long the text at the start of the message is."""
    pointer = libc.malloc(len(message))  # <LINE>
    ctypes.memmove(pointer, message, len(message))  # <LINE>
    length = libc.strnlen(pointer, len(message))
    if FIXED:
        libc.free(pointer)
    return length


for step in steps():
    for _ in range(8):
        text_length(os.urandom(60_000))
