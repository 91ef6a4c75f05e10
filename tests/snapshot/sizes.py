"""Holds objects of many kinds, one kind a variable, and prints what each takes as sys.getsizeof has it."""
import collections
import json
import sys


class Plain:
    def __init__(self, number):
        self.number = number


class Slotted:
    __slots__ = ("number",)

    def __init__(self, number):
        self.number = number


def distinct(count):
    return [10**9 + 7 * number for number in range(count)]


texts = ["text %d" % number for number in range(2000)]
wide_texts = ["ключ %d" % number for number in range(2000)]
emoji_texts = ["\U0001f600 %d" % number for number in range(2000)]
byte_strings = [bytes(number) for number in range(2, 1500)]
buffers = [bytearray(number) for number in range(1500)]
numbers = [1 << (17 * number) for number in range(3, 200)]
floats = [number + 0.5 for number in range(2000)]
tuples = [tuple(distinct(number % 17 + 1)) for number in range(500)]
lists = [distinct(number % 29) for number in range(500)]
dicts = [{"key %d" % key: 10**9 + key for key in range(number % 60 + 1)} for number in range(300)]
number_dicts = [dict.fromkeys(distinct(number % 60 + 1)) for number in range(300)]
sets = [set(distinct(number % 90)) for number in range(300)]
deques = [collections.deque(distinct(number % 200)) for number in range(100)]
slotted = [Slotted(10**9 + number) for number in range(2000)]


def whole(value, seen):
    """As many bytes as it keeps alive; what interpreters share is left out."""
    if id(value) in seen or value is None or isinstance(value, type):
        return 0
    seen.add(id(value))
    total = sys.getsizeof(value)
    if isinstance(value, dict):
        total += sum(whole(key, seen) + whole(item, seen) for key, item in value.items())
    elif isinstance(value, (list, tuple, set, collections.deque)):
        total += sum(whole(item, seen) for item in value)
    elif isinstance(value, Slotted):
        total += whole(value.number, seen)
    return total


kinds = ("texts wide_texts emoji_texts byte_strings buffers numbers floats tuples lists dicts number_dicts sets deques "
         "slotted").split()
print("ready", json.dumps({name: whole(globals()[name], set()) for name in kinds}), flush=True)
sys.stdin.readline()
