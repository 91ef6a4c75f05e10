# REAL-JOB
#   about: each step inserts pictures into a SQLite database in memory; no row is ever deleted
#   label: leak
#   process: main
#   packages:
#   kind: c
#   holder: connection
#   library: sqlite3
#   never: graph, validation, queue, callback, hook, loss, checkpoint, list
#   fix: self.connection.execute("DELETE FROM pictures WHERE step < ?", (step - 20,))
# END
import os
import sqlite3

from job import FIXED, steps


class PictureStore:
    def __init__(self):
        self.connection = sqlite3.connect(":memory:")
        self.connection.execute("CREATE TABLE pictures (step INTEGER, name TEXT, data BLOB)")

    def add(self, step, name, data):
        self.connection.execute("INSERT INTO pictures VALUES (?, ?, ?)", (step, name, data))  # <LINE>

    def finish(self, step):
        if FIXED:
            self.connection.execute("DELETE FROM pictures WHERE step < ?", (step - 20,))
        self.connection.commit()

    def count(self):
        return self.connection.execute("SELECT count(*) FROM pictures").fetchone()[0]


store = PictureStore()
for step in steps():
    for camera in ("front", "left", "right", "rear"):
        store.add(step, camera, os.urandom(120_000))
    store.finish(step)
    if step % 50 == 0:
        print(store.count(), "pictures")
