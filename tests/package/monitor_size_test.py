"""The monitor beside PyPI's torch, transformers and JAX, whose symbol tables have ten times the size of Debian's.

usage: monitor_size_test.py --binary LOWTIDE [NAME...] | --list
"""

import contextlib
import sqlite3

from environment import ROOT, folder, frameworks, main, run

MOST_BYTES = 48_000_000


def monitor_of_a_training_stays_small(binary):
    _check_monitor_beside(binary, "torch_loop.py")


def monitor_of_a_trainer_of_transformers_stays_small(binary):
    _check_monitor_beside(binary, "transformers_loop.py")


def monitor_of_64_processes_stays_small(binary):
    _check_monitor_beside(binary, "many_processes.py")


def monitor_of_a_training_with_jax_stays_small(binary):
    _check_monitor_beside(binary, "jax_loop.py", least_samples=50)  # JAX hardly allocates on the host


def _check_monitor_beside(binary, load, least_samples=1000):
    with folder() as place:
        run(binary, [binary, "run", "--no-status", "--no-report", "--output", place / "run.lowtide", "--",
                     frameworks(), ROOT / "bench" / "watch" / "loads" / load, 15], timeout=300)
        with contextlib.closing(sqlite3.connect(place / "run.lowtide")) as database:
            read = dict(database.execute("SELECT key, value FROM meta"))
    assert int(read["agent_samples"]) > least_samples, read  # so that there was something to name
    assert int(read["monitor_rss_bytes"]) <= MOST_BYTES, read["monitor_rss_bytes"]


if __name__ == "__main__":
    main(globals(), lambda test, words: test(words.binary), binary=str)
