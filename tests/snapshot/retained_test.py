"""What objects retain, compared with its definition. Every function without an underscore is a test.

usage: retained_test.py --binary LOWTIDE [NAME...] | --list
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
sys.dont_write_bytecode = True
from lab import PYTHON, Lab, ready  # noqa: E402  (it makes the others known)
from functions import main  # noqa: E402

# Lists that refer to each other, to bytes of their own and to bytes that several share. The length of a list is its
# number. What a list retains is what cannot be reached from `roots` without it.
GRAPH = """
import json, random, sys
random.seed(SEED)
LISTS, LEAST = 120, 100

def grow():
    lists = [[] for _ in range(LISTS)]
    shared = [bytes(5000 + number) for number in range(30)]
    for number, one in enumerate(lists):
        one += [bytes(9000 + number), [str(number + 1000) * 50, (number + 0.5, str(number + 2000))]]
        one += random.sample(lists, random.choice((0, 0, 1, 1, 2, 3)))
        one += random.sample(shared, random.choice((0, 1, 2)))
        one += [None] * (LEAST + number - len(one))
    for before, after in zip(lists[:20], lists[1:20]):  # linked both ways
        before[-1], after[-2] = after, before
    return random.sample(lists, 8)

def reach(roots, without=None):
    found, waiting = {}, [one for one in roots if one is not without]
    while waiting:
        one = waiting.pop()
        if id(one) in found or one is None:
            continue
        found[id(one)] = sys.getsizeof(one)
        waiting += [item for item in one if item is not without] if isinstance(one, (list, tuple)) else []
    return found

roots = grow()
everything = reach(roots)
retained, waiting, seen = {}, list(roots), set()
while waiting:
    one = waiting.pop()
    if id(one) in seen:
        continue
    seen.add(id(one))
    waiting += [item for item in one if isinstance(item, list) and len(item) >= LEAST]
    left = reach(roots, one)
    retained[len(one)] = sum(size for key, size in everything.items() if key not in left)
del one, waiting, seen, everything, left
print("ready", json.dumps(retained), flush=True)
sys.stdin.readline()
"""


def what_a_list_retains_is_what_cannot_be_reached_without_it(lab):
    for seed in range(lab.rounds):
        with lab.running(PYTHON, "-c", GRAPH.replace("SEED", str(seed))) as job:
            expected = {int(length): size for length, size in ready(job).items()}
            holders = [one for one in lab.take(job.pid)["holders"] if one["type"] == "list" and one["path"].startswith("__main__.roots[")]
        found = {one["length"]: one["retained_bytes"] for one in holders if one["length"] >= 100}
        assert len(found) >= 60 and found == {length: expected[length] for length in found}, (seed, {
            length: (size, expected[length]) for length, size in found.items() if size != expected[length]})


if __name__ == "__main__":
    main(globals(), lambda test, words: test(Lab(words.binary, min(words.rounds, 5))), binary=str)
