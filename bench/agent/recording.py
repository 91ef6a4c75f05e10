"""What a recording of lowtide says about the agent, and how large it is."""
import contextlib
import os
import sqlite3


def query(path, words):
    # Closed at once: whoever is the last to close a recording puts its log away.
    with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
        return database.execute(words).fetchall()


def agents(path):
    """Samples, samples that were lost, and time spent with them, of all processes together."""
    rows = query(path, "SELECT max(samples), max(dropped_samples), max(sampling_ns) FROM heap_memory GROUP BY process")
    return {"samples": sum(row[0] or 0 for row in rows), "lost": sum(row[1] or 0 for row in rows),
            "sampling_ns": sum(row[2] or 0 for row in rows)}


def live_samples(path):
    return query(path, "SELECT live_samples FROM heap_memory ORDER BY at_s DESC LIMIT 1")[0][0]


def used_bytes(path):
    """Of a recording that is being written: with its log, but without pages that wait to be used again."""
    pages, free, page_bytes = (query(path, f"PRAGMA {name}")[0][0] for name in ("page_count", "freelist_count", "page_size"))
    return (pages - free) * page_bytes


def file_bytes(path):
    """Of all that a tool left in a folder of its own: heaptrack adds its ending, memray the pid of a child."""
    folder = os.path.dirname(path)
    return sum(entry.stat().st_size for entry in os.scandir(folder))
