"""A Python process that holds much in known ways, says what it counts itself, and grows when told.

  holding.py            prints a line of JSON with what it counts, then reads lines: "grow N" grows N times and prints
                        again, "end" ends it.
"""
import collections
import functools
import gc
import json
import queue
import sys
import threading


class Plain:
    def __init__(self, payload):
        self.payload = payload


class Slotted:
    __slots__ = ("payload", "next")

    def __init__(self, payload, following=None):
        self.payload = payload
        self.next = following


class Registry:
    entries = {}


class Trainer:
    def __init__(self):
        self.history = []
        self.callbacks = []
        self.model = {"layers": [{"weights": bytearray(300_000)} for _ in range(4)]}

    def remember(self, step):
        self.history.append({"step": step, "preview": bytes(4000 + step)})

    def subscribe(self, step):
        batch = bytearray(3000 + step)
        self.callbacks.append(lambda: (step, len(batch)))


@functools.lru_cache(maxsize=50)
def bounded(step):
    return bytearray(2000 + step)


@functools.lru_cache(maxsize=None)
def unbounded(step):
    return bytearray(2500 + step)


def waiting_generator(pool):
    kept = pool
    while True:
        yield len(kept)


in_module = []
window = collections.deque()
recent = collections.deque((bytearray(2700) for _ in range(400)), maxlen=500)
seen = set()
tuples = ()
chain = None
inbox = queue.Queue()


def grow(trainer, steps, step):
    global tuples, chain
    for _ in range(steps):
        step += 1
        trainer.remember(step)
        trainer.subscribe(step)
        in_module.append(Plain(bytes(5000 + step)))
        window.append(bytes(3500 + step))
        seen.add("%06d" % step * 500)
        tuples = (tuples, bytes(2200 + step))
        chain = Slotted(bytes(2600 + step), chain)
        inbox.put(bytes(1800 + step))
        Registry.entries["%d" % step] = bytes(2100 + step)
        bounded(step)
        unbounded(step)
    return step


def gc_counts():
    """Container objects that the collector knows, by type: what a walk must at least see."""
    counts = collections.Counter(type(item).__name__ for item in gc.get_objects())
    return {name: counts[name] for name in ("Plain", "Slotted", "Trainer", "deque", "function", "module")}


def in_a_thread(event, kept):
    event.wait()


def main():
    trainer = Trainer()
    local_list = []
    suspended = waiting_generator(local_list)
    next(suspended)
    event = threading.Event()
    of_thread = [bytearray(700_000)]
    thread = threading.Thread(target=in_a_thread, args=(event, of_thread), daemon=True)
    thread.start()
    del of_thread
    step = grow(trainer, 60, 0)
    while True:
        gc.collect()
        print(json.dumps({"step": step, "gc_counts": gc_counts(), "sizes": {
            "in_module": sys.getsizeof(in_module), "history": sys.getsizeof(trainer.history)}}), flush=True)
        words = sys.stdin.readline().split()
        if not words or words[0] == "end":
            break
        step = grow(trainer, int(words[1]), step)
        for _ in range(int(words[1])):
            local_list.append(bytes(1500 + len(local_list)))
    event.set()
    thread.join()
    print("done", step, sum(item["step"] for item in trainer.history), flush=True)


if __name__ == "__main__":
    main()
