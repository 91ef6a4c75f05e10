# REAL-JOB
#   about: rows of each step are inserted in a table of SQLite in memory; a list of losses, which is small, grows beside it
#   label: leak
#   process: main
#   kind: c
#   holder: connection
#   library: sqlite3
#   never: losses, queue, validation, cache, hook, graph, dataset, closure
#   fix: self.connection.execute("delete from metric")
# END
import sqlite3

from job import FIXED, steps


class MetricStore:
    def __init__(self):
        self.connection = sqlite3.connect(":memory:")
        self.connection.execute("create table metric (step integer, name text, value real)")

    def add(self, step, values):
        rows = ((step, f"layer.{number}.gradient", value) for number, value in enumerate(values))
        self.connection.executemany("insert into metric values (?, ?, ?)", rows)  # <LINE>
        if FIXED:
            self.connection.execute("delete from metric")


store = MetricStore()
losses = []
for step in steps():
    store.add(step, [1 / (1 + step + number) for number in range(4_000)])
    losses.append(1 / (1 + step))
