"""What the tests of `run` and `attach` share: a folder, the binary, and jobs that tell what they see.

    some_test.py --binary build/dev/src/cli/lowtide [NAME ...]
    some_test.py --list             the names, one a line

A test is a function that takes a Box and asserts. Where a right or a program is
missing it raises Skip, and the exit status is 77.
"""

import contextlib
import os
import pathlib
import pty
import select
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import functions  # noqa: E402
from functions import LIMIT_S, Skip, children_of, state_of, wait_until  # noqa: E402

__all__ = ["Box", "LIMIT_S", "NOBODY", "Recording", "Skip", "Terminal", "children_of", "is_alive", "job_of", "jobs_of", "main", "need_program",
           "need_root", "state_of", "text_of", "wait_until"]

NOBODY = 65534

# Ends when a sample of it is on record, no earlier than asked for: a machine may be so busy that it takes seconds.
SEEN_JOB = """
import contextlib, os, pathlib, sqlite3, sys, time
def is_seen(path):
    try:
        with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as link:
            return link.execute("SELECT 1 FROM target_memory, process WHERE pid = ? AND at_s >= ?", (os.getpid(), %r)).fetchone()
    except sqlite3.Error:
        return False
until = time.monotonic() + %d
while time.monotonic() < until and not any(map(is_seen, pathlib.Path(%r).rglob("*.lowtide"))):
    time.sleep(0.05)
print("done")
sys.exit(3)
"""


def is_alive(pid):
    return state_of(pid) not in ("", "Z", "X")


def jobs_of(lowtide):
    """What a `lowtide run` has started by now, but for its own helper, and for a job that has not begun."""
    return [pid for pid in children_of(lowtide) if text_of(f"/proc/{pid}/comm").strip() not in ("", "signal-witness", "lowtide")]


def job_of(process):
    """The pid of the job that a `lowtide run` has started."""
    return wait_until(lambda: jobs_of(process.pid), "the job")[0]


def text_of(path):
    try:
        return pathlib.Path(path).read_text(errors="replace")  # a command line of another test may be any bytes
    except OSError:
        return ""


def _doing(process):
    """What a process that was started waits for, and its children."""
    return (process.pid, process.poll(), state_of(process.pid), text_of(f"/proc/{process.pid}/wchan"),
            text_of(f"/proc/{process.pid}/syscall"), [(pid, state_of(pid)) for pid in children_of(process.pid)])


class Recording:
    """Read as any SQLite client reads it, without lowtide. A connection is closed at once: while one is open, a recording
    that ends keeps its log."""

    def __init__(self, path):
        self.path = str(path)

    def rows(self, sql):
        with contextlib.closing(sqlite3.connect(f"file:{self.path}?mode=ro", uri=True, timeout=20)) as link:
            return link.execute(sql).fetchall()

    def one(self, sql):
        return self.rows(sql)[0][0]

    def meta(self, key):
        found = self.rows(f"SELECT value FROM meta WHERE key = '{key}'")
        return found[0][0] if found else None

    @property
    def samples(self):
        return self.one("SELECT count(*) FROM target_memory")

    @property
    def last_s(self):
        return self.one("SELECT max(at_s) FROM target_memory")

    @property
    def commands(self):
        return [row[0] for row in self.rows("SELECT command FROM process ORDER BY id")]

    @property
    def pids(self):
        return [row[0] for row in self.rows("SELECT pid FROM process")]


class Box:
    def __init__(self, binary, folder):
        self.binary, self.folder = str(binary), pathlib.Path(folder)
        self.environment = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
        self.environment.update(LC_ALL="C.UTF-8", TERM="xterm", TMPDIR=str(folder))
        self.started = []

    def path(self, name):
        return self.folder / name

    def script(self, name, text):
        """A Python job; the words that start it."""
        self.path(name).write_text(text)
        return [sys.executable, str(self.path(name))]

    def seen_job(self, after_s=0):
        """A job that says "done" and ends with 3, not before a sample is on record that is `after_s` old or older."""
        return self.script("seen.py", SEEN_JOB % (after_s, LIMIT_S, str(self.folder)))

    def command(self, *job, options=(), verb="run"):
        words = [self.binary, verb, *options]
        return words + (["--", *job] if verb == "run" else list(job))

    def run(self, *job, options=(), verb="run", timeout=LIMIT_S, **more):
        more = {"cwd": self.folder, "env": self.environment, "stdin": subprocess.DEVNULL, "capture_output": True} | more
        return subprocess.run(self.command(*job, options=options, verb=verb), timeout=timeout, **more)

    def start(self, *job, options=(), verb="run", **more):
        return self.spawn(self.command(*job, options=options, verb=verb), **more)

    def spawn(self, words, **more):
        more = {"cwd": self.folder, "env": self.environment, "stdin": subprocess.DEVNULL,
                "stdout": subprocess.DEVNULL, "stderr": open(self.path("err"), "ab")} | more
        process = subprocess.Popen(words, **more)
        self.started.append(process)
        return process

    def as_nobody(self):
        """Keywords that make a run one of an ordinary user, with a binary that is there for all: ours may lie in /root."""
        if os.geteuid() != 0:
            return {}
        self.binary = shutil.copy(self.binary, self.path("lowtide"))
        self.folder.chmod(0o777)
        return {"user": NOBODY, "group": NOBODY, "extra_groups": []}

    def recordings(self):
        return sorted(path for path in self.folder.rglob("*.lowtide"))

    def recording(self, name=None):
        if name:
            return Recording(self.path(name))
        found = self.recordings()
        assert len(found) == 1, f"recordings: {found}"
        return Recording(found[0])

    def wait_for_samples(self, name, count=1):
        def enough():
            with contextlib.suppress(sqlite3.Error):
                return Recording(self.path(name)).samples >= count
        wait_until(enough, lambda: f"{count} samples in {name}; what was started: {[_doing(each) for each in self.started]}; "
                   f"it said {text_of(self.path('err'))!r}; files: {sorted(os.listdir(self.folder))}")

    def wait_for_recording(self):
        """Waits for the one recording, whatever its name, and its first sample."""
        self.wait_for_samples(wait_until(self.recordings, "a recording")[0])

    def wait_for_more_samples(self, name, count):
        """Waits until so many ticks more are on record: what a fixed time would only hope for."""
        self.wait_for_samples(name, Recording(self.path(name)).samples + count)

    def end(self):
        for process in self.started:
            if process.poll() is None:
                for child in children_of(process.pid):
                    with contextlib.suppress(OSError):
                        os.kill(child, signal.SIGKILL)
                process.kill()
                process.wait()


class Terminal:
    """A program on a terminal of its own, as a person has it."""

    def __init__(self, words, cwd, environment, streams=None):
        self.seen = b""
        self.pid, self.master = pty.fork()
        if self.pid == 0:
            try:
                os.chdir(cwd)
                if streams:
                    streams()
                os.execve(words[0], words, environment)
            finally:
                os._exit(127)

    def read(self, seconds=0.05):
        ready, _, _ = select.select([self.master], [], [], seconds)
        if not ready:
            return False
        try:
            piece = os.read(self.master, 65536)
        except OSError:  # the last one has closed it
            return False
        self.seen += piece
        return bool(piece)

    def expect(self, text, after=0):
        """Waits until `text` was shown, and returns where it ends."""
        def shown():
            self.read()
            at = self.seen.find(text, after)
            return at >= 0 and at + len(text)
        try:
            return wait_until(shown, f"{text!r} on the terminal")
        except AssertionError as error:
            raise AssertionError(f"{error}; there is {self.seen!r}") from None

    def type(self, keys):
        os.write(self.master, keys)

    def wait(self):
        """The exit status as in $? of a shell."""
        def ended():
            self.read()
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            return pid and (status,)
        status = wait_until(ended, "the end of the program on the terminal")[0]
        wait_until(lambda: not self.read(), "the end of what is written to the terminal")
        os.close(self.master)
        code = os.waitstatus_to_exitcode(status)
        return code if code >= 0 else 128 - code

    def kill(self):
        with contextlib.suppress(OSError):
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)


def need_root():
    if os.geteuid() != 0:
        raise Skip("needs root")


def need_program(name):
    if not shutil.which(name):
        raise Skip(f"needs {name}")


def _run(test, words):
    with tempfile.TemporaryDirectory(prefix="lowtide-watch-") as folder:
        os.chmod(folder, 0o755)
        box = Box(words.binary.resolve(), folder)
        try:
            test(box)
        except Exception as why:
            if not isinstance(why, Skip):
                print(f"--- standard error of what was started:\n{text_of(box.path('err'))[-3000:]}")
            raise
        finally:
            box.end()


def main(module):
    functions.main(module, _run, binary=pathlib.Path)
