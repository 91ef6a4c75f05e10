"""A Python under load: eight threads, of which six allocate, children, signals. Its output is always the same.

usage: busy.py TURNS      says "ready" on stderr; works for at least TURNS turns, and until its input ends
"""

import hashlib
import os
import select
import signal
import sys
import threading

LEAST = int(sys.argv[1])
digests = {}
signals = 0


def on_signal(_number, _frame):
    global signals
    signals += 1


def work(number):
    digest = hashlib.sha256()
    kept = []
    for turn in range(LEAST):
        kept.append(bytearray(700 + turn % 50))
        if len(kept) > 400:
            kept = kept[200:]
        table = {at: str(at * number) for at in range(60)}
        digest.update(repr(sorted(table.items())[turn % 60]).encode())
        digest.update(bytes(kept[-1]))
    digests[number] = digest.hexdigest()
    while not ended.is_set():
        kept = [bytearray(900) for _ in range(200)]
        ended.wait(0.0005)


def have_children():
    codes = []
    for number in range(20):
        child = os.fork()
        if child == 0:
            table = [str(at) for at in range(2000)]
            os._exit(len(table) % 251 + number % 2)
        codes.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    digests["children"] = codes


signal.signal(signal.SIGALRM, on_signal)
signal.setitimer(signal.ITIMER_REAL, 0.005, 0.005)
ended = threading.Event()
threads = [threading.Thread(target=work, args=(number,)) for number in range(1, 7)]
threads.append(threading.Thread(target=have_children))
for thread in threads:
    thread.start()
print("ready", file=sys.stderr, flush=True)
while not select.select([sys.stdin], [], [], 0.05)[0]:
    pass
ended.set()
for thread in threads:
    thread.join()
signal.setitimer(signal.ITIMER_REAL, 0)
assert signals > 0
for name in sorted(digests, key=str):
    print(name, digests[name])
