# REAL-JOB
#   about: rounds of small messages are made and dropped and grow at first; malloc keeps the memory of the largest round
#   label: warmup
#   process: main
#   packages:
#   kind: c
#   holder: none
#   never: graph, validation, callback, hook, loss, checkpoint, worker
# END
import random
from collections import deque

from job import steps


class Inbox:
    """Reads rounds of messages. Some of the newest messages stay for the view of the user."""

    def __init__(self, shown):
        self.shown = deque(maxlen=shown)

    def read_round(self, count):
        messages = [b"x" * random.randint(600, 6000) for _ in range(count)]
        random.shuffle(messages)
        self.shown.extend(messages[:20])
        return sum(map(len, messages))


random.seed(3)
inbox = Inbox(shown=400)
for step in steps():
    most = min(1000 + 100 * step, 11_000)
    inbox.read_round(random.randint(most // 2, most))
