"""`lowtide attach` on a running process; a wrong pid is an error in three lines."""

import os
import signal
import subprocess
import sys
import time

from box import LIMIT_S, Box, Skip, children_of, is_alive, main, need_root, text_of, wait_until
from functions import age_of

WORKS = """
import time
number = 0
while True:
    number += 1
    with open('beat', 'w') as file:
        file.write(str(number))
    time.sleep(0.05)
"""


def _attach(box, *words, **more):
    return box.run(*words, verb="attach", **more)


def _refused(ended, status, *pieces):
    assert ended.returncode == status, ended
    assert ended.stdout == b"", ended
    lines = ended.stderr.decode().splitlines()
    assert len(lines) == 3 and lines[1].startswith("  why:") and lines[2].startswith("  try:"), lines
    for piece in pieces:
        assert piece in ended.stderr.decode(), (piece, lines)


def _beats_on(box):
    before = text_of(box.path("beat"))
    wait_until(lambda: text_of(box.path("beat")) not in ("", before), "the job to go on")


def words_that_are_no_pid_are_refused(box: Box):
    for word in ("0", "-1", "abc", "12x", "1.5", "", "99999999999999999999", "+5", " 7"):
        ended = _attach(box, "--", word) if word.startswith("-") else _attach(box, word)
        _refused(ended, 2)
    assert box.recordings() == []


def pid_that_is_not_there_is_refused(box: Box):
    gone = box.spawn(["true"])
    gone.wait(LIMIT_S)

    _refused(_attach(box, str(gone.pid)), 3, "no running process has this pid")
    _refused(_attach(box, str(2**22 + 1)), 3)
    assert box.recordings() == []


def kernel_thread_is_refused(box: Box):
    if text_of("/proc/2/comm").strip() != "kthreadd":
        raise Skip("no kernel threads are seen here")

    _refused(_attach(box, "2"), 3, "kernel")
    assert box.recordings() == []


def zombie_is_refused(box: Box):
    dead = box.spawn(["true"])
    wait_until(lambda: not is_alive(dead.pid), "the end")

    _refused(_attach(box, str(dead.pid)), 3, "ended")
    assert box.recordings() == []


def process_of_another_user_is_watched_or_refused_in_words(box: Box):
    need_root()
    job = box.spawn(["sleep", "60"])

    ended = _attach(box, str(job.pid), "--duration", "1s", **box.as_nobody())

    # Every user can read /proc/PID/status, but not smaps_rollup: the recording has a note of that.
    assert ended.returncode == 0, ended
    assert box.recording().samples >= 1
    notes = " ".join(row[0] for row in box.recording().rows("SELECT value FROM meta WHERE key LIKE 'not_seen%'"))
    assert notes != "", box.recording().rows("SELECT * FROM meta")
    assert is_alive(job.pid)


def own_shell_is_watched_without_us(box: Box):
    ended = subprocess.run(["sh", "-c", '"$0" attach --duration 1s --output run.lowtide $$; exit $?', box.binary],
                           cwd=box.folder, env=box.environment, capture_output=True, timeout=LIMIT_S)

    assert ended.returncode == 0, ended
    assert not any("attach" in command and not command.startswith("sh") for command in
                   box.recording("run.lowtide").commands), box.recording("run.lowtide").commands


def attaching_to_ourselves_is_refused(box: Box):
    ended = subprocess.run(["sh", "-c", 'exec "$0" attach --duration 1s $$', box.binary], cwd=box.folder,
                           env=box.environment, capture_output=True, timeout=LIMIT_S)

    _refused(ended, 2, "lowtide")
    assert box.recordings() == []


def job_that_ends_at_once_is_no_crash(box: Box):
    statuses = []
    for delay in ("0.01", "0.05", "0.1", "0.2", "0.5"):
        job = box.spawn(["sleep", delay])
        ended = _attach(box, str(job.pid))
        job.wait(LIMIT_S)
        statuses.append(ended.returncode)
        # It was there and has ended; or it had ended before, which is an error in three lines.
        if ended.returncode == 0:
            assert b"lowtide: watching" in ended.stderr and b"error" not in ended.stderr, ended
        else:
            _refused(ended, 3, str(job.pid))
    assert len(statuses) == 5 and set(statuses) <= {0, 3}, statuses


def end_of_the_job_ends_the_watching(box: Box):
    job = box.spawn(["sleep", "60"])
    process = box.start(str(job.pid), "--output", "run.lowtide", verb="attach")
    box.wait_for_samples("run.lowtide", 2)
    job.terminate()
    job.wait(LIMIT_S)

    assert process.wait(LIMIT_S) == 0
    assert box.recording("run.lowtide").meta("closed") == "1"
    assert "exit" in [row[0] for row in box.recording("run.lowtide").rows("SELECT kind FROM event")]


def kernel_that_needs_memory_ends_the_watcher_before_the_job(box: Box):
    job = box.spawn(["sleep", "60"])
    before = text_of(f"/proc/{job.pid}/oom_score_adj")
    process = box.start(str(job.pid), "--output", "run.lowtide", verb="attach")
    box.wait_for_samples("run.lowtide")

    assert text_of(f"/proc/{process.pid}/oom_score_adj") == "1000\n"
    assert text_of(f"/proc/{job.pid}/oom_score_adj") == before


def interrupt_detaches_and_leaves_the_job_alone(box: Box):
    for number in (signal.SIGINT, signal.SIGTERM):
        job = box.spawn(box.script("works.py", WORKS))
        process = box.start(str(job.pid), "--output", f"{number}.lowtide", verb="attach")
        box.wait_for_samples(f"{number}.lowtide", 2)
        process.send_signal(number)

        assert process.wait(LIMIT_S) == 0
        _beats_on(box)
        assert box.recording(f"{number}.lowtide").meta("closed") == "1"
        job.kill()


def killed_watcher_leaves_the_job_alone(box: Box):
    job = box.spawn(box.script("works.py", WORKS))
    process = box.start(str(job.pid), "--output", "run.lowtide", verb="attach")
    box.wait_for_samples("run.lowtide", 2)
    process.kill()
    process.wait(LIMIT_S)

    _beats_on(box)
    assert box.recording("run.lowtide").samples >= 2


def duration_ends_the_watching_and_not_the_job(box: Box):
    job = box.spawn(box.script("works.py", WORKS))
    wait_until(box.path("beat").exists, "the job")
    began = time.monotonic()
    ended = _attach(box, str(job.pid), "--duration", "1s")

    assert ended.returncode == 0, ended
    assert time.monotonic() - began >= 0.9
    _beats_on(box)


def wrapper_is_reported_as_a_wrapper(box: Box):
    wrapper = box.spawn(["sh", "-c", "sleep 60 & wait"])
    # One that was started just now may be gone at once, and is not counted yet.
    wait_until(lambda: [age_of(pid) > 0.2 for pid in children_of(wrapper.pid)] == [True], "the process below it")
    ended = _attach(box, str(wrapper.pid), "--duration", "500ms")

    assert ended.returncode == 0, ended
    assert b"a wrapper, and 1 descendant;" in ended.stderr, ended.stderr


def two_may_watch_one_job(box: Box):
    job = box.spawn(["sleep", "60"])
    both = [box.start(str(job.pid), "--duration", "1s", "--output", f"{name}.lowtide", verb="attach") for name in "ab"]

    assert [process.wait(LIMIT_S) for process in both] == [0, 0]
    assert all(box.recording(f"{name}.lowtide").samples >= 1 for name in "ab")


def pid_and_find_exclude_each_other(box: Box):
    _refused(_attach(box, "--find", "1"), 2, "both were given")
    _refused(_attach(box), 2, "neither was given")


def find_without_a_training_process_is_an_error(box: Box):
    need_root()

    # The user nobody can read only its own processes.
    _refused(_attach(box, "--find", **box.as_nobody()), 3, "found no training process")


def find_takes_the_training_process(box: Box):
    look = "import importlib.util, sys; sys.exit(not importlib.util.find_spec('torch'))"
    pythons = [python for python in (sys.executable, "/usr/bin/python3")
               if os.access(python, os.X_OK) and subprocess.run([python, "-c", look]).returncode == 0]
    if not pythons:
        raise Skip("needs torch")
    _, script = box.script("train.py", "import torch, time, os\nblock = torch.ones(100_000_000)\n"
                           "open('ready', 'w').close()\ntime.sleep(100)\n")
    job = box.spawn([pythons[0], script])
    wait_until(lambda: box.path("ready").exists() or job.poll() is not None, "torch", 100)
    assert job.poll() is None

    ended = _attach(box, "--find", "--duration", "1s", "--output", "run.lowtide")

    assert ended.returncode == 0, ended
    words = ended.stderr.decode()
    assert "torch loaded" in words and "lowtide: watching" in words, words
    # Others of this machine may be larger; ours is at least among those told.
    assert str(job.pid) in words, words


if __name__ == "__main__":
    sys.exit(main(globals()))
