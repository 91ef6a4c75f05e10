"""The agent under the real binary: what is left behind, and the trim trial."""

import contextlib
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time

from box import LIMIT_S, NOBODY, Box, Skip, main, need_root, text_of, wait_until

# 150 MB are freed and cannot go back by themselves: small blocks in use lie between.
RETAINS = """
import time
pairs = [(bytearray(100_000), bytearray(2_000)) for _ in range(1_500)]
kept = [small for _, small in pairs]
del pairs
open('ready', 'w').close()
while True:
    for _ in range(20):
        bytearray(90_000)
    time.sleep(0.01)
"""

WAITS = """
import time
block = bytearray(3_000_000)
open('ready', 'w').close()
time.sleep(60)
"""


def _sockets(box):
    return sorted(box.folder.glob("runtime/lowtide-*/agents"))


def what_a_killed_lowtide_left_is_removed_by_the_next(box: Box):
    box.path("runtime").mkdir()
    box.environment["XDG_RUNTIME_DIR"] = str(box.path("runtime"))
    lives = box.start("sleep", "60", options=("--output", "lives.lowtide"))
    dies = box.start("sleep", "60", options=("--output", "dies.lowtide"))
    wait_until(lambda: len(_sockets(box)) == 2, "the sockets of both")
    os.kill(dies.pid, signal.SIGKILL)
    dies.wait(LIMIT_S)
    assert len(_sockets(box)) == 2

    box.run("true", options=("--no-recording",))

    assert len(_sockets(box)) == 1 and len(list(box.path("runtime").iterdir())) == 1
    assert lives.poll() is None


def runtime_folder_that_another_user_may_change_is_not_used(box: Box):
    """Its owner could put another socket in its place, and would get copies of the stacks of a job of root."""
    need_root()
    runtime = box.path("runtime")
    runtime.mkdir()
    box.environment["XDG_RUNTIME_DIR"] = str(runtime)
    print_socket = ("-c", "import os; print(os.environ['LOWTIDE_AGENT_SOCKET'])")
    used = []
    for owner, mode in ((0, 0o700), (NOBODY, 0o700), (0, 0o770)):
        os.chown(runtime, owner, owner)
        runtime.chmod(mode)
        used.append(box.run(sys.executable, *print_socket, options=("--no-recording",)).stdout.decode().startswith(f"{runtime}/"))

    assert used == [True, False, False], used


def _is_closed(box):
    with contextlib.suppress(sqlite3.Error):
        return box.recording("run.lowtide").meta("closed") == "1"


def _trial(box, job, *options):
    # The trial comes at the end of the watching. The job must be ready by then: how long that takes here is measured first.
    began = time.monotonic()
    first = box.spawn(box.script("job.py", job))
    wait_until(box.path("ready").exists, "the job")
    duration_s = max(5.0, 8 * (time.monotonic() - began))
    first.kill()
    box.path("ready").unlink()
    process = box.start(*box.script("job.py", job), options=("--output", "run.lowtide", "--duration", f"{duration_s:.1f}s", *options))
    wait_until(lambda: _is_closed(box), "the end of the watching", duration_s + LIMIT_S)
    assert box.path("ready").exists(), f"the job was not ready after {duration_s} s"
    process.send_signal(signal.SIGTERM)
    process.wait(LIMIT_S)
    return box.recording("run.lowtide").rows(
        "SELECT pid, outcome, rss_before_bytes, rss_after_bytes, trim_s, free_bytes FROM trim_trial JOIN process "
        "ON process.id = trim_trial.process")


def trim_trial_shows_what_the_allocator_kept(box: Box):
    (pid, outcome, before, after, trim_s, free), = _trial(box, RETAINS, "--trim-trial")

    assert outcome == "done" and before - after > 110e6 and trim_s > 0, (before, after)
    assert free is None or free > 130e6, free  # before glibc 2.33 it is not known
    report = json.loads(box.run("run.lowtide", options=("--json",), verb="report").stdout)
    trial, = report["trim_trials"]
    assert (trial["pid"], trial["given_back_bytes"]) == (pid, before - after), trial
    for style in ((), ("--markdown",)):
        words = box.run("run.lowtide", options=style, verb="report").stdout.decode().replace("\\", "")
        assert "malloc_trim(0) released 1" in words, words


def trim_trial_of_a_job_that_runs_already_leaves_it_running(box: Box):
    job = box.spawn(box.script("job.py", RETAINS))
    wait_until(box.path("ready").exists, "the job")

    done = box.run(str(job.pid), verb="attach",
                   options=("--deep", "--trim-trial", "--duration", "2s", "--output", "run.lowtide"))

    if b"cannot enter process" in done.stderr:
        raise Skip(done.stderr.decode())
    assert done.returncode == 0, done.stderr
    (outcome, before, after), = box.recording("run.lowtide").rows(
        "SELECT outcome, rss_before_bytes, rss_after_bytes FROM trim_trial")
    assert outcome == "done" and before - after > 110e6, (before, after)
    assert b"malloc_trim(0) released 1" in done.stderr, done.stderr
    assert job.poll() is None


def without_the_flag_there_is_no_trim_trial(box: Box):
    assert _trial(box, RETAINS) == []


def process_that_waits_is_not_made_to_trim(box: Box):
    (_, outcome, before, *_), = _trial(box, WAITS, "--trim-trial")

    assert (outcome, before) == ("not-reached", None)


# Prints how much address space the memory file of the agent takes, once it is there.
COUNTS_MAPPED = """
import re
kept, mapped = [], 0
while not mapped and len(kept) < 1000:
    kept.append(bytearray(1_000_000))
    lines = [line for line in open('/proc/self/maps') if 'memfd:lowtide-agent' in line]
    mapped = sum(int(end, 16) - int(begin, 16) for begin, end in (re.split('[- ]', line)[:2] for line in lines))
print(mapped)
"""


# 400 MB are allocated at once, and 300 MB of them are written one by one: two between two samples, however slow the machine is.
WRITES = '''
import contextlib, mmap, sqlite3, time
table = mmap.mmap(-1, 400_000_000, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
def samples():
    try:
        with contextlib.closing(sqlite3.connect("file:run.lowtide?mode=ro", uri=True)) as link:
            return link.execute("SELECT count(*) FROM target_memory").fetchone()[0]
    except sqlite3.Error:
        return 0
until = time.monotonic() + 100
for part in range(0, 300):
    table[part * 1_000_000:(part + 1) * 1_000_000] = b"x" * 1_000_000
    while samples() < part // 2 and time.monotonic() < until:
        time.sleep(.01)
'''


def memory_that_is_written_for_the_first_time_is_not_called_freed(box: Box):
    box.run(*box.script("job.py", WRITES), options=("--output", "run.lowtide", "--interval", "50ms"), timeout=110)
    report = json.loads(box.run("run.lowtide", options=("--json",), verb="report").stdout)

    first, *_ = [finding for finding in report["findings"] if finding["severity"] != "info"]
    assert first["id"] == "first-touch" and first["where"]["line"] == 3, report["findings"]
    assert report["verdict"]["kind"] != "leak" and report["answer"]["kind"] == "bounded", report["answer"]
    assert 400e6 < report["answer"]["end_bytes"] < 450e6, report["answer"]
    assert not any(finding["id"] == "allocator-retention" for finding in report["findings"]), report["findings"]


SHARES = '''
import os, time
for number in range(20):
    os.write(os.memfd_create(f"frame{number}"), b"x" * 1_000_000)
    time.sleep(.05)
while not os.path.exists("end"):
    time.sleep(.05)
'''


def shared_memory_that_no_process_maps_is_counted_and_named(box: Box):
    process = box.start(*box.script("job.py", SHARES), options=("--output", "run.lowtide", "--interval", "50ms"))

    def counted():
        with contextlib.suppress(sqlite3.Error):
            recording = box.recording("run.lowtide")
            return (recording.one("SELECT max(unmapped_bytes) FROM target_sample") or 0, recording.meta("shared_objects"))
        return (0, "")

    # The memory that the agent shares with the monitor is mapped, and is taken off.
    wait_until(lambda: counted()[0] >= 15e6 and counted()[1].startswith("20 "), "20 MB of shared memory")
    box.path("end").touch()
    process.wait(LIMIT_S)

    assert counted()[1].startswith("20 memfds like frame* (20"), counted()


def job_with_a_limit_on_its_address_space_loses_little_of_it(box: Box):
    words = box.command("sh", "-c", 'ulimit -v 4000000; exec python3 -c "$0"', COUNTS_MAPPED, options=("--no-recording",))

    ended = subprocess.run(words, cwd=box.folder, env=box.environment, capture_output=True, text=True, timeout=LIMIT_S)

    assert 0 < int(ended.stdout) < 6_000_000, ended

# Keeps more memory than a helper does, until the folder of the test is removed.
HOLDS = """
import os, time
kept = os.urandom(48 << 20)
while os.path.exists('err') and not os.path.exists('finish'):
    time.sleep(0.05)
"""


def large_process_that_runs_without_the_agent_is_listed_with_its_reason(box: Box):
    job = box.script("holds.py", HOLDS)
    box.path("err").touch()
    run = box.start("sh", "-c", 'env -i "$@" & "$@"; wait', "sh", *job, options=("--no-status", "--output", "run.lowtide"))

    def listed():
        with contextlib.suppress(sqlite3.Error):
            return box.recording("run.lowtide").rows("SELECT value FROM meta WHERE key LIKE 'not_entered__'")
    texts = wait_until(listed, lambda: f"a process without the agent; {text_of(box.path('err'))}")
    box.path("finish").touch()
    assert run.wait(LIMIT_S) == 0

    assert len(texts) == 1 and "LD_PRELOAD was removed" in texts[0][0], texts
    assert "not entered  pid " in text_of(box.path("err")), text_of(box.path("err"))

# Allocates under the agent, and becomes another program without it.
REPLACES = """
import os, sys, time
kept = [bytes(range(256)) * 4000 for _ in range(50)]
while not os.path.exists('go'):
    time.sleep(0.05)
os.execve(sys.executable, [sys.executable, sys.argv[1]], {})
"""


def memory_of_a_program_is_gone_when_its_process_runs_another_without_the_agent(box: Box):
    holds = box.script("holds.py", HOLDS)[-1]
    run = box.start(*box.script("replaces.py", REPLACES), holds, options=("--no-status", "--output", "run.lowtide"))
    rows = [0]

    def has_rows(sql):
        with contextlib.suppress(sqlite3.Error):
            rows[0] = box.recording("run.lowtide").one(sql)
        return rows[0]
    wait_until(lambda: has_rows("SELECT max(live_samples) FROM heap_memory"), lambda: f"samples; {text_of(box.path('err'))}")
    box.path("go").touch()
    wait_until(lambda: has_rows("SELECT count(*) FROM meta WHERE key LIKE 'not_entered__' AND value LIKE '%LD_PRELOAD%'"),
               lambda: f"the program without the agent; {text_of(box.path('err'))}")

    last_s = box.recording("run.lowtide").one("SELECT max(at_s) FROM heap_memory")
    box.wait_for_more_samples("run.lowtide", 8)

    assert box.recording("run.lowtide").one("SELECT max(at_s) FROM heap_memory") == last_s
    box.path("finish").touch()
    assert run.wait(LIMIT_S) == 0


if __name__ == "__main__":
    main(globals())
