"""What the file of a recording had at one moment of its run, so that a recording can be replayed tick by tick.

Rows of later moments are deleted, and the run is open again. Rows that are updated in place while a job runs (the sums
of phases and of shared memory) keep their last values: every reader of the copy sees the same ones.
"""
import sqlite3


def cut(recording, copy, at_s):
    copy.unlink(missing_ok=True)
    source = sqlite3.connect(f"file:{recording}?mode=ro", uri=True)
    target = sqlite3.connect(copy)
    try:
        source.backup(target)
        with target:
            _delete_later(target, at_s)
        target.execute("PRAGMA journal_mode = DELETE")
    finally:
        source.close()
        target.close()


def _delete_later(database, at_s):
    tables = [name for name, in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    columns = {table: [row[1] for row in database.execute(f"PRAGMA table_info({table})")] for table in tables}
    for table in tables:
        if table == "tier":  # from_s is the age of the table there
            continue
        for begin in ("at_s", "from_s", "started_s"):
            if begin in columns[table]:
                database.execute(f"DELETE FROM {table} WHERE {begin} > ?", (at_s,))
    database.execute("UPDATE process SET ended_s = NULL, exit_status = NULL WHERE ended_s > ?", (at_s,))
    for table in tables:
        for owner in ("process", "site", "snapshot"):
            if owner in columns[table]:
                database.execute(f"DELETE FROM {table} WHERE {owner} NOT IN (SELECT id FROM {owner})")
    database.execute("UPDATE meta SET value = '0' WHERE key = 'closed'")


def moments(recording, count):
    """`count` moments of the run, spread evenly; the last one is the end."""
    database = sqlite3.connect(f"file:{recording}?mode=ro", uri=True)
    try:
        first_s, last_s = database.execute("SELECT min(at_s), max(at_s) FROM target_sample").fetchone()
    finally:
        database.close()
    return [first_s + (last_s - first_s) * number / count for number in range(1, count + 1)]
