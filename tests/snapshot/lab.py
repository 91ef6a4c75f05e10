"""What tests of snapshots share: jobs that are looked at, and the words of the answer."""

import contextlib
import json
import os
import pathlib
import sqlite3
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "agent")]
sys.dont_write_bytecode = True
from functions import LIMIT_S, Skip, read_line  # noqa: E402

PYTHON = os.environ.get("LOWTIDE_TEST_PYTHON") or ("/usr/bin/python3" if os.path.exists("/usr/bin/python3") else sys.executable)
NOT_SEEN = 3  # the exit code: could not observe


class Lab:
    def __init__(self, binary, rounds):
        self.binary, self.rounds = binary, rounds

    @contextlib.contextmanager
    def running(self, *command, **more):
        process = subprocess.Popen([*map(str, command)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, **more)
        try:
            yield process
        finally:
            process.kill()
            process.communicate(timeout=LIMIT_S)

    def call(self, *words, code=0):
        done = subprocess.run([self.binary, "snapshot", *map(str, words)], capture_output=True, text=True, timeout=120)
        assert done.returncode == code, (done.returncode, done.stdout[-500:], done.stderr)
        return done

    def take(self, pid, *words):
        return json.loads(self.call("--json", *words, pid).stdout)

    def save(self, folder, name, pid):
        path = pathlib.Path(folder) / name
        path.write_text(self.call("--json", pid).stdout)
        return path


def write_line(process, line):
    """Writes one line to the job."""
    process.stdin.write(line + "\n")
    process.stdin.flush()


def rows_of(recording, sql, *values):
    """What a recording has by now; nothing where lowtide has not made it yet."""
    with contextlib.suppress(sqlite3.Error):
        with contextlib.closing(sqlite3.connect(f"file:{recording}?mode=ro", uri=True, timeout=20)) as database:
            return database.execute(sql, values).fetchall()
    return []


def ready(process):
    line = read_line(process.stdout, "the job to be ready")
    assert line.startswith("ready"), (line, process.stderr.read() if process.poll() is not None else "")
    return json.loads(line[6:]) if line[6:].strip() else None


def needs(module):
    if subprocess.run([PYTHON, "-c", f"import {module}"], capture_output=True).returncode:
        raise Skip(f"no {module}")


def walkers(session):
    """The states of the children that walk over a process of this session: "R", "S" and so on."""
    states = []
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            name, _, rest = stat.read_text().partition("(")[2].rpartition(")")
            if name == "lowtide-walk" and int(rest.split()[3]) == session:
                states.append(rest.split()[0])
    return states


def has_agent(pid):
    """Whether the agent is mapped into the process."""
    with contextlib.suppress(OSError):
        return "liblowtide_agent" in pathlib.Path(f"/proc/{pid}/maps").read_text()
    return False


def by_path(snapshot):
    return {(holder["path"], holder["type"]): holder for holder in snapshot["holders"]}
