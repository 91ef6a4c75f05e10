"""Signals to the monitor, and what survives when the monitor or the job is killed."""

import os
import signal
import subprocess
import sys
import time

from box import Box, children_of, is_alive, main, need_program, text_of, wait_for

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

WRITES_LINES = """
import time
for number in range(30):
    print('line', number, flush=True)
    time.sleep(0.1)
"""


def _job_of(process):
    return wait_for(lambda: children_of(process.pid), "the job")[0]


def signals_sent_to_us_reach_the_job_once(box: Box):
    process = box.start(*box.script("counts.py", COUNTS_SIGNALS))
    wait_for(box.path("ready").exists, "the job")
    wait_for(box.recordings, "a recording")
    wanted = {}
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2, signal.SIGINT, signal.SIGQUIT):
        os.kill(process.pid, number)
        wanted[int(number)] = 1
        expected = " ".join(f"{key}:{count}" for key, count in sorted(wanted.items()))
        wait_for(lambda: text_of(box.path("seen")) == expected, f"{expected}, not {text_of(box.path('seen'))}")
    time.sleep(0.4)

    assert text_of(box.path("seen")) == expected, text_of(box.path("seen"))
    box.path("finish").touch()
    assert process.wait(30) == 9


def signal_by_the_name_of_our_program_reaches_the_job(box: Box):
    need_program("pkill")
    for turn, pick in enumerate((["-f", "run --output by-name"], ["-x", "lowtide"], ["lowtide"])):
        name = f"by-name-{turn}.lowtide"
        process = box.start("sleep", "60", options=("--output", name), start_new_session=True)
        box.wait_for_samples(name)
        # Of this session only: others may be at work here.
        subprocess.run(["pkill", "-TERM", "-s", str(process.pid), *pick], check=True)

        assert process.wait(30) == 143


def signal_in_the_first_moment_is_not_lost(box: Box):
    for _ in range(5):
        process = box.start("sleep", "60")
        wait_for(lambda: children_of(process.pid), "the job")
        process.terminate()
        assert process.wait(30) == 143


def job_that_ends_on_a_signal_ends_us(box: Box):
    process = box.start("sleep", "60", options=("--output", "run.lowtide"))
    box.wait_for_samples("run.lowtide")
    process.terminate()

    assert process.wait(30) == 143
    assert box.recording("run.lowtide").meta("closed") == "1"


def job_outlives_a_killed_monitor(box: Box):
    with open(box.path("out"), "wb") as out:
        process = box.start(*box.script("lines.py", WRITES_LINES), options=("--output", "run.lowtide"), stdout=out)
    job = _job_of(process)
    box.wait_for_samples("run.lowtide", 2)
    process.kill()
    process.wait()
    assert is_alive(job)
    wait_for(lambda: not is_alive(job), "the end of the job")

    assert box.path("out").read_text().splitlines() == [f"line {number}" for number in range(30)]
    recording = box.recording("run.lowtide")
    assert recording.samples >= 2
    assert recording.one("PRAGMA integrity_check") == "ok"
    assert recording.meta("closed") != "1", recording.rows("SELECT * FROM meta")


def job_outlives_a_killed_monitor_through_a_pipe(box: Box):
    process = box.start(*box.script("lines.py", WRITES_LINES), stdout=subprocess.PIPE)
    job = _job_of(process)
    process.stdout.readline()
    process.kill()
    rest = process.stdout.read()

    assert rest.splitlines()[-1] == b"line 29", rest
    wait_for(lambda: not is_alive(job), "the end of the job")


def killed_job_is_told_and_recorded(box: Box):
    process = box.start("sleep", "60", options=("--output", "run.lowtide"))
    box.wait_for_samples("run.lowtide", 2)
    os.kill(_job_of(process), signal.SIGKILL)

    assert process.wait(30) == 137
    recording = box.recording("run.lowtide")
    assert ("killed",) in recording.rows("SELECT kind FROM event"), recording.rows("SELECT * FROM event")
    assert recording.rows("SELECT exit_status FROM process") == [(137,)], recording.rows("SELECT * FROM process")


def job_that_is_killed_as_a_whole_group_takes_nothing_with_it(box: Box):
    process = box.start("sh", "-c", "sleep 60 & sleep 60", options=("--output", "run.lowtide"), start_new_session=True)
    box.wait_for_samples("run.lowtide", 2)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait(30)

    assert box.recording("run.lowtide").samples >= 2


def stopped_job_is_waited_for(box: Box):
    process = box.start("sleep", "0.6", options=("--output", "run.lowtide"))
    job = _job_of(process)
    os.kill(job, signal.SIGSTOP)
    time.sleep(1.2)
    assert process.poll() is None
    os.kill(job, signal.SIGCONT)

    assert process.wait(30) == 0


if __name__ == "__main__":
    sys.exit(main(globals()))
