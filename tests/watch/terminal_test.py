"""A job on a terminal: it has it as if lowtide were not there, and job control works on both."""

import fcntl
import os
import re
import shutil
import struct
import sys
import termios

from box import Box, Skip, Terminal, children_of, jobs_of, main, state_of, text_of, wait_until

STATUS_IS_DRAWN_S = 2.5  # from the second second on

ABOUT = """
import os, sys
print('ttys', [os.isatty(fd) for fd in (0, 1, 2)])
print('foreground', os.tcgetpgrp(0) == os.getpgrp())
print('size', tuple(os.get_terminal_size(0)), flush=True)
print('line', repr(sys.stdin.readline()), flush=True)
"""

COUNTS_INTERRUPTS = """
import signal, sys, time
seen = []
signal.signal(signal.SIGINT, lambda *_: seen.append(1))
print('rea' + 'dy', flush=True)
while not seen:
    time.sleep(0.01)
time.sleep(0.7)
print('interrupts:', len(seen), flush=True)
sys.exit(7)
"""

TICKS = """
import time
for number in range(1, 3000):
    print('count %d.' % number, flush=True)
    time.sleep(0.1)
"""


def _run(box, *job, options=(), streams=None):
    return Terminal(box.command(*job, options=options), box.folder, box.environment, streams)


def _sleeps_below(lowtide):
    """Whether the job of this lowtide is `sleep`, and waits."""
    return any(text_of(f"/proc/{pid}/comm") == "sleep\n" and state_of(pid) == "S" for pid in children_of(lowtide))


def job_has_the_terminal(box: Box):
    def set_size():
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 33, 101, 0, 0))

    terminal = _run(box, *box.script("about.py", ABOUT), streams=set_size)
    terminal.expect(b"size (101, 33)")
    terminal.type(b"typed\n")
    terminal.expect(b"line 'typed\\n'")

    assert terminal.wait() == 0
    assert b"ttys [True, True, True]" in terminal.seen, terminal.seen
    assert b"foreground True" in terminal.seen, terminal.seen


def new_size_of_the_window_reaches_the_job_once(box: Box):
    job = box.script("size.py", "import os, signal, time\nseen = []\n"
                     "signal.signal(signal.SIGWINCH, lambda *_: seen.append(1))\nprint('rea' + 'dy', flush=True)\n"
                     "while not seen: time.sleep(0.01)\ntime.sleep(0.5)\n"
                     "print('sizes:', len(seen), os.get_terminal_size(0).columns)\n")
    terminal = _run(box, *job)
    terminal.expect(b"ready")
    fcntl.ioctl(terminal.master, termios.TIOCSWINSZ, struct.pack("HHHH", 20, 57, 0, 0))

    terminal.expect(b"sizes: 1 57")
    assert terminal.wait() == 0


def interrupt_key_reaches_the_job_once_and_we_report(box: Box):
    terminal = _run(box, *box.script("counts.py", COUNTS_INTERRUPTS))
    terminal.expect(b"ready")
    box.wait_for_recording()
    terminal.type(b"\x03")

    assert terminal.wait() == 7, terminal.seen
    assert b"interrupts: 1\r" in terminal.seen, terminal.seen
    assert b"INCONCLUSIVE" in terminal.seen and len(box.recordings()) == 1, terminal.seen
    assert box.recording().meta("closed") == "1"


def interrupt_key_ends_a_plain_job(box: Box):
    terminal = _run(box, "sh", "-c", "echo rea''dy; exec sleep 60")
    terminal.expect(b"ready")
    wait_until(lambda: _sleeps_below(terminal.pid), "the job")
    box.wait_for_recording()
    terminal.type(b"\x03")

    assert terminal.wait() == 130, terminal.seen
    assert box.recording().meta("closed") == "1"


def interrupt_key_ends_a_loop_of_the_shell_as_without_us(box: Box):
    if not (bash := shutil.which("bash")):
        raise Skip("needs bash")
    words = " ".join(box.command("sleep", "60", options=("--no-report",)))
    script = f"for turn in 1 2 3; do echo turn''$turn; {words}; done; echo loop''end"
    terminal = Terminal([bash, "--norc", "--noprofile", "-c", script], box.folder, box.environment)
    terminal.expect(b"turn1")
    wait_until(lambda: any(map(_sleeps_below, children_of(terminal.pid))), "the job")
    box.wait_for_recording()
    terminal.type(b"\x03")

    assert terminal.wait() == 130, terminal.seen
    assert b"turn2" not in terminal.seen and b"loopend" not in terminal.seen, terminal.seen


def interrupt_key_before_the_first_sample_ends_a_loop_of_the_shell(box: Box):
    if not (bash := shutil.which("bash")):
        raise Skip("needs bash")
    words = " ".join(box.command("sleep", "60", options=("--no-report", "--no-recording")))
    script = f"for turn in 1 2 3; do echo turn''$turn; {words}; done; echo loop''end"
    for _ in range(5):
        terminal = Terminal([bash, "--norc", "--noprofile", "-c", script], box.folder, box.environment)
        terminal.expect(b"turn1")
        wait_until(lambda: any(map(_sleeps_below, children_of(terminal.pid))), "the job")
        terminal.type(b"\x03")

        assert terminal.wait() == 130, terminal.seen
        assert b"turn2" not in terminal.seen and b"loopend" not in terminal.seen, terminal.seen


def stop_key_stops_both_and_fg_continues_both(box: Box):
    if not (bash := shutil.which("bash")):
        raise Skip("needs bash")
    words = " ".join(box.command(*box.script("ticks.py", TICKS), options=("--output", "run.lowtide")))
    environment = box.environment | {"PS1": "prompt$ ", "HISTFILE": "/dev/null"}
    terminal = Terminal([bash, "--norc", "--noprofile", "-i"], box.folder, environment)
    terminal.expect(b"prompt$ ")
    terminal.type(words.encode() + b"\n")
    terminal.expect(b"count 3.")
    (lowtide,) = children_of(terminal.pid)
    job = jobs_of(lowtide)[0]
    box.wait_for_samples("run.lowtide")

    terminal.type(b"\x1a")
    stopped_at = terminal.expect(b"Stopped")
    wait_until(lambda: state_of(lowtide) == state_of(job) == "T", "the stop of both")
    terminal.expect(b"prompt$ ", stopped_at)
    counted = int(re.findall(rb"count (\d+)\.", terminal.seen)[-1])
    samples = box.recording("run.lowtide").samples
    terminal.type(b"echo still''-stopped\n")
    terminal.expect(b"still-stopped")
    assert state_of(lowtide) == state_of(job) == "T"
    assert int(re.findall(rb"count (\d+)\.", terminal.seen)[-1]) == counted
    assert box.recording("run.lowtide").samples == samples

    terminal.type(b"fg\n")
    terminal.expect(b"count %d." % (counted + 5))
    wait_until(lambda: box.recording("run.lowtide").samples > samples, "more samples")
    terminal.type(b"\x03")
    terminal.expect(b"KeyboardInterrupt")
    terminal.type(b"echo status $?\n")
    terminal.expect(b"status 130\r")
    terminal.type(b"exit\n")
    terminal.wait()


def job_in_the_background_is_left_there(box: Box):
    if not (bash := shutil.which("bash")):
        raise Skip("needs bash")
    words = " ".join(box.command("sleep", "0.5"))
    terminal = Terminal([bash, "--norc", "--noprofile", "-i"], box.folder, box.environment | {"PS1": "prompt$ "})
    terminal.expect(b"prompt$ ")
    terminal.type(words.encode() + b" & wait $!; echo status $?\n")

    terminal.expect(b"status 0\r")
    terminal.type(b"exit\n")
    terminal.wait()


def status_line_is_drawn_where_only_we_use_the_terminal(box: Box):
    def output_to_file():
        file = os.open("out", os.O_CREAT | os.O_WRONLY, 0o644)
        os.dup2(file, 1)

    terminal = _run(box, "sleep", "60", streams=output_to_file)
    terminal.expect(b"\r\x1b[Klowtide 0:0")
    job = wait_until(lambda: jobs_of(terminal.pid), "the job")[0]
    os.kill(job, 15)

    assert terminal.wait() == 143
    assert box.path("out").read_text() == ""


def report_has_width_and_colour_of_the_terminal_that_shows_it(box: Box):
    def output_to_file():
        os.dup2(os.open("out", os.O_CREAT | os.O_WRONLY, 0o644), 1)
        fcntl.ioctl(2, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 60, 0, 0))

    environment = {name: value for name, value in box.environment.items() if name not in ("NO_COLOR", "COLUMNS")}
    words = box.command("sleep", "60", options=("--quiet", "--no-status", "--output", "run.lowtide"))
    terminal = Terminal(words, box.folder, environment | {"TERM": "xterm"}, output_to_file)
    box.wait_for_samples("run.lowtide")
    os.kill(jobs_of(terminal.pid)[0], 15)

    assert terminal.wait() == 143
    assert b"\x1b[1" in terminal.seen, terminal.seen
    lines = re.sub(rb"\x1b\[[0-9;]*m", b"", terminal.seen).decode().splitlines()
    assert 1 < len(lines) and max(map(len, lines)) <= 60, lines


def no_status_line_where_there_is_no_terminal(box: Box):
    ended = box.run(*box.seen_job(after_s=STATUS_IS_DRAWN_S), options=("--interval", "100ms"))

    assert ended.returncode == 3 and box.recording().last_s >= STATUS_IS_DRAWN_S, ended
    assert b"\r" not in ended.stderr and b"\x1b" not in ended.stderr, ended.stderr


def no_status_line_when_it_is_not_wanted(box: Box):
    def output_to_file():
        os.dup2(os.open("out", os.O_CREAT | os.O_WRONLY, 0o644), 1)

    terminal = _run(box, *box.seen_job(after_s=STATUS_IS_DRAWN_S), options=("--no-status", "--interval", "100ms"),
                    streams=output_to_file)

    assert terminal.wait() == 3
    assert box.recording().last_s >= STATUS_IS_DRAWN_S
    assert b"\x1b[K" not in terminal.seen, terminal.seen


def terminal_that_hangs_up_leaves_a_closed_recording(box: Box):
    terminal = _run(box, *box.script("ticks.py", TICKS), options=("--output", "run.lowtide"))
    terminal.expect(b"count 2.")
    box.wait_for_samples("run.lowtide")
    os.close(terminal.master)
    _, status = wait_until(lambda: (ended := os.waitpid(terminal.pid, os.WNOHANG))[0] and ended, "the end of lowtide")

    # The job dies of the hang-up (129), or of the write that fails after it: Python ends with 1, or with 120 where the
    # write fails as it flushes at its end.
    assert os.waitstatus_to_exitcode(status) in (129, 1, 120), status
    assert box.recording("run.lowtide").meta("closed") == "1"


if __name__ == "__main__":
    sys.exit(main(globals()))
