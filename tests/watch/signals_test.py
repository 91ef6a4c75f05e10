"""Signals to the monitor, and what survives when the monitor or the job is killed."""

import os
import signal
import subprocess
import sys

from box import LIMIT_S, Box, children_of, is_alive, job_of, main, need_program, state_of, text_of, wait_until
from functions import read_line

COUNTS_SIGNALS = """
import os, signal, sys, time
seen = {}
def count(number, frame):
    seen[number] = seen.get(number, 0) + 1
    with open('seen.part', 'w') as file:
        file.write(' '.join('%d:%d' % pair for pair in sorted(seen.items())))
    os.rename('seen.part', 'seen')
for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2):
    signal.signal(number, count)
open('ready', 'w').close()
while not os.path.exists('finish'):
    time.sleep(0.01)
sys.exit(9)
"""

# Ends when it has written all lines and the file exists. A test that kills the monitor does so before it makes the file.
WRITES_LINES = """
import os, time
for number in range(30):
    print('line', number, flush=True)
    while number == 15 and not os.path.exists('finish'):
        time.sleep(0.01)
"""


def signals_sent_to_us_reach_the_job_once(box: Box):
    process = box.start(*box.script("counts.py", COUNTS_SIGNALS))
    wait_until(box.path("ready").exists, "the job")
    wait_until(box.recordings, "a recording")
    wanted = {}
    # The last one is sent twice, the second time as a fence: a signal that was passed on twice has come before it.
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2, signal.SIGINT, signal.SIGQUIT, signal.SIGQUIT):
        os.kill(process.pid, number)
        wanted[int(number)] = wanted.get(int(number), 0) + 1
        expected = " ".join(f"{key}:{count}" for key, count in sorted(wanted.items()))
        wait_until(lambda: text_of(box.path("seen")) == expected, lambda: f"{expected}, not {text_of(box.path('seen'))}")

    assert text_of(box.path("seen")) == expected, text_of(box.path("seen"))
    box.path("finish").touch()
    assert process.wait(LIMIT_S) == 9


def signals_to_the_whole_group_reach_the_job_once(box: Box):
    """As timeout, scancel, supervisors and shells send them: the job is in the group too."""
    process = box.start(*box.script("counts.py", COUNTS_SIGNALS), start_new_session=True)
    wait_until(box.path("ready").exists, "the job")
    wait_until(box.recordings, "a recording")
    wanted = {}
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        os.killpg(process.pid, number)
        wanted[int(number)] = 1
        expected = " ".join(f"{key}:{count}" for key, count in sorted(wanted.items()))
        wait_until(lambda: text_of(box.path("seen")) == expected, lambda: f"{expected}, not {text_of(box.path('seen'))}")
    # To us alone, as a fence: what was passed on has come before it.
    os.kill(process.pid, signal.SIGUSR1)
    wanted[int(signal.SIGUSR1)] = 1
    expected = " ".join(f"{key}:{count}" for key, count in sorted(wanted.items()))
    wait_until(lambda: text_of(box.path("seen")) == expected, lambda: f"{expected}, not {text_of(box.path('seen'))}")
    box.path("finish").touch()
    assert process.wait(LIMIT_S) == 9


def signal_by_the_name_of_our_program_reaches_the_job(box: Box):
    need_program("pkill")
    for turn, pick in enumerate((["-f", "run --output by-name"], ["-x", "lowtide"], ["lowtide"])):
        name = f"by-name-{turn}.lowtide"
        process = box.start("sleep", "60", options=("--output", name), start_new_session=True)
        box.wait_for_samples(name)
        # Of this session only: others may be at work here.
        subprocess.run(["pkill", "-TERM", "-s", str(process.pid), *pick], check=True)

        assert process.wait(LIMIT_S) == 143


def signal_in_the_first_moment_is_not_lost(box: Box):
    for _ in range(5):
        process = box.start("sleep", "60")
        wait_until(lambda: children_of(process.pid), "the job")
        process.terminate()
        assert process.wait(LIMIT_S) == 143


def status_of_the_job_counts_where_child_signals_are_ignored(box: Box):
    """Some supervisors leave it so, and exec keeps it: then the kernel reaps every child."""
    ignoring = (sys.executable, "-c", "import os, signal, sys\nsignal.signal(signal.SIGCHLD, signal.SIG_IGN)\n"
                "os.execv(sys.argv[1], sys.argv[1:])")
    for job in (("sh", "-c", "exit 7"), ("sh", "-c", "sleep 0.5; exit 7")):
        done = subprocess.run([*ignoring, box.binary, "run", "--no-recording", "--no-report", "--", *job], timeout=LIMIT_S)

        assert done.returncode == 7, (job, done.returncode)
    # The job finds it as it was.
    asks = "import signal\nprint(signal.getsignal(signal.SIGCHLD).name)"
    done = subprocess.run([*ignoring, box.binary, "run", "--no-recording", "--no-report", "--", sys.executable, "-c", asks],
                          capture_output=True, text=True, timeout=LIMIT_S)
    assert done.stdout == "SIG_IGN\n", (done.stdout, done.stderr)


def job_that_ends_on_a_signal_ends_us(box: Box):
    process = box.start("sleep", "60", options=("--output", "run.lowtide"))
    box.wait_for_samples("run.lowtide")
    process.terminate()

    assert process.wait(LIMIT_S) == 143
    assert box.recording("run.lowtide").meta("closed") == "1"


def job_outlives_a_killed_monitor(box: Box):
    with open(box.path("out"), "wb") as out:
        process = box.start(*box.script("lines.py", WRITES_LINES), options=("--output", "run.lowtide"), stdout=out)
    job = job_of(process)
    box.wait_for_samples("run.lowtide", 2)
    process.kill()
    process.wait(LIMIT_S)
    assert is_alive(job)
    box.path("finish").touch()
    wait_until(lambda: not is_alive(job), "the end of the job")

    assert box.path("out").read_text().splitlines() == [f"line {number}" for number in range(30)]
    recording = box.recording("run.lowtide")
    assert recording.samples >= 2
    assert recording.one("PRAGMA integrity_check") == "ok"
    assert recording.meta("closed") != "1", recording.rows("SELECT * FROM meta")


def job_outlives_a_killed_monitor_through_a_pipe(box: Box):
    process = box.start(*box.script("lines.py", WRITES_LINES), stdout=subprocess.PIPE)
    job = job_of(process)
    first = read_line(process.stdout)
    process.kill()
    box.path("finish").touch()
    rest = process.stdout.read()

    assert (first + rest).splitlines() == [b"line %d" % number for number in range(30)], (first, rest)
    wait_until(lambda: not is_alive(job), "the end of the job")


def killed_job_is_reported_and_recorded(box: Box):
    process = box.start("sleep", "60", options=("--output", "run.lowtide"))
    box.wait_for_samples("run.lowtide", 2)
    os.kill(job_of(process), signal.SIGKILL)

    assert process.wait(LIMIT_S) == 137
    recording = box.recording("run.lowtide")
    assert ("killed",) in recording.rows("SELECT kind FROM event"), recording.rows("SELECT * FROM event")
    assert recording.rows("SELECT exit_status FROM process") == [(137,)], recording.rows("SELECT * FROM process")


def job_that_is_killed_as_a_whole_group_takes_nothing_with_it(box: Box):
    process = box.start("sh", "-c", "sleep 60 & sleep 60", options=("--output", "run.lowtide"), start_new_session=True)
    box.wait_for_samples("run.lowtide", 2)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait(LIMIT_S)

    assert box.recording("run.lowtide").samples >= 2


def stopped_job_is_waited_for(box: Box):
    process = box.start("sh", "-c", "while [ ! -e finish ]; do sleep 0.05; done", options=("--output", "run.lowtide"))
    job = job_of(process)
    box.wait_for_samples("run.lowtide")
    os.kill(job, signal.SIGSTOP)
    wait_until(lambda: state_of(job) == "T", "the stop of the job")
    box.path("finish").touch()
    box.wait_for_more_samples("run.lowtide", 3)
    assert process.poll() is None and state_of(job) == "T"
    os.kill(job, signal.SIGCONT)

    assert process.wait(LIMIT_S) == 0


if __name__ == "__main__":
    sys.exit(main(globals()))
