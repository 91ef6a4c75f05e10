"""What a recording of lowtide says about the agent, and how large it is."""
import contextlib
import os
import sqlite3


def query(path, words):
    # Closed at once: the last connection that closes a recording removes its write-ahead log.
    with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
        return database.execute(words).fetchall()


def agents(path):
    """Samples, samples that were lost, and time spent with them, of all processes together."""
    meta = dict(query(path, "SELECT key, value FROM meta WHERE key LIKE 'agent%'"))
    return {"samples": int(meta.get("agent_samples", 0)), "lost": int(meta.get("agent_samples_lost", 0)),
            "sampling_ns": 1e9 * float(meta.get("agent_seconds", 0))}


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
