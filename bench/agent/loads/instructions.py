"""Instructions that this process and its children have executed, by perf_event_open. Other work on the machine does not change them."""
import ctypes
import os
import platform
import struct

_CALL = {"x86_64": 298, "aarch64": 241}.get(platform.machine())
_HARDWARE, _INSTRUCTIONS = 0, 1
_INHERIT, _NO_KERNEL, _NO_HYPERVISOR = 1 << 1, 1 << 5, 1 << 6
_ATTRIBUTE_BYTES = 64


def _open():
    attribute = struct.pack("=IIQQQQQ", _HARDWARE, _ATTRIBUTE_BYTES, _INSTRUCTIONS, 0, 0, 0, _INHERIT | _NO_KERNEL | _NO_HYPERVISOR)
    buffer = ctypes.create_string_buffer(attribute.ljust(_ATTRIBUTE_BYTES, b"\0"), _ATTRIBUTE_BYTES)
    return -1 if _CALL is None else ctypes.CDLL(None).syscall(_CALL, buffer, 0, -1, -1, 0)


_FILE = _open()


def instructions():
    """None where this machine has no such counter, as many virtual machines."""
    return struct.unpack("=Q", os.read(_FILE, 8))[0] if _FILE >= 0 else None
