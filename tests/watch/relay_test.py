"""--steps-from-output: the job's words pass through us, and all is as if they did not."""

import os
import signal
import subprocess
import sys
import termios
import time

from box import LIMIT_S, Box, Terminal, children_of, is_alive, job_of, main, text_of, wait_until
from functions import read_piece

OPTIONS = ("--steps-from-output", "--output", "run.lowtide")

# Both streams at once, every byte value, more than any pipe holds.
FLOODS = """
import os, sys, threading
size = int(sys.argv[1])
def write(fd, first):
    piece = bytes((first + n) % 256 for n in range(256)) * 173
    left = size
    while left > 0:
        at = (size - left) % len(piece)
        left -= os.write(fd, piece[at:at + left])
threads = [threading.Thread(target=write, args=pair) for pair in ((1, 0), (2, 7))]
for thread in threads: thread.start()
for thread in threads: thread.join()
sys.exit(23)
"""

# Stays until its last step is on record.
STEPS = """
import os, sys, time
for step in range(int(sys.argv[1])):
    print(f'step {step} loss 0.5', flush=True)
    time.sleep(0.01)
while not os.path.exists('finish'):
    time.sleep(0.01)
sys.exit(5)
"""

# Says in a file how its writing ended.
WRITES_ON = """
import os, sys, time
try:
    while True:
        os.write(1, b'word ' * 200 + b'\\n')
        if len(sys.argv) > 1: time.sleep(float(sys.argv[1]))
except OSError as error:
    with open('how', 'w') as file:
        file.write(error.__class__.__name__ + ' %d' % error.errno)
"""


def _expected(first, size):
    piece = bytes((first + n) % 256 for n in range(256)) * 173
    return (piece * (size // len(piece) + 1))[:size]


def every_byte_of_both_streams_passes(box: Box):
    size = 6_000_000
    ended = box.run(*box.script("floods.py", FLOODS), str(size), options=(*OPTIONS, "--no-report"), timeout=90)

    assert ended.returncode == 23, ended.returncode
    assert ended.stdout == _expected(0, size), len(ended.stdout)
    # Our own words come after the job's.
    assert ended.stderr[:size] == _expected(7, size), len(ended.stderr)


def bytes_pass_a_terminal_unchanged(box: Box):
    def raw():
        mode = termios.tcgetattr(1)
        mode[1] &= ~termios.OPOST
        termios.tcsetattr(1, termios.TCSANOW, mode)

    size = 307_200
    script = ("import os, sys\n"
              "assert os.isatty(1) and os.isatty(2)\n"
              "data = bytes(range(256)) * 4\nleft = int(sys.argv[1]) // 1024 * 1024\n"
              "while left > 0: left -= os.write(1, data[-left % 1024:][:left])\nsys.exit(9)\n")
    words = box.command(*box.script("bytes.py", script), str(size), options=(*OPTIONS, "--no-report", "--no-status"))
    terminal = Terminal(words, box.folder, box.environment, raw)

    assert terminal.wait() == 9, terminal.seen[-300:]
    assert terminal.seen[:size] == _expected_piece(size), len(terminal.seen)


def _expected_piece(size):
    piece = bytes(range(256)) * 4
    return (piece * (size // len(piece) + 1))[:size]


def streams_that_are_one_keep_the_order_of_their_lines(box: Box):
    script = "import os\nfor n in range(3000): os.write(1 + n % 2, b'%d\\n' % n)\n"
    ended = box.run(*box.script("both.py", script), options=(*OPTIONS, "--no-report"), capture_output=False,
                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    lines = ended.stdout.splitlines()
    assert lines[:3000] == [b"%d" % n for n in range(3000)], lines[:40]


def steps_that_pass_are_on_record(box: Box):
    piped = box.start(*box.script("steps.py", STEPS), "40", options=("--steps-from-output", "--output", "pipe.lowtide"),
                      stdout=subprocess.PIPE)
    words = box.command(*box.script("steps.py", STEPS), "40", options=("--steps-from-output", "--output", "tty.lowtide"))
    terminal = Terminal(words, box.folder, box.environment)

    for name in ("pipe.lowtide", "tty.lowtide"):
        box.wait_for_samples(name)
        wait_until(lambda: box.recording(name).one("SELECT max(step) FROM target_memory") == 39, f"the last step in {name}")
    box.path("finish").touch()

    output, _ = piped.communicate(timeout=LIMIT_S)
    assert (piped.returncode, terminal.wait()) == (5, 5), piped
    assert output.splitlines() == [b"step %d loss 0.5" % step for step in range(40)]
    for name in ("pipe.lowtide", "tty.lowtide"):
        steps = [row[0] for row in box.recording(name).rows("SELECT step FROM target_memory WHERE step IS NOT NULL ORDER BY at_s")]
        assert steps == sorted(steps) and steps[-1] == 39, (name, steps)
        assert box.recording(name).meta("closed") == "1"


def reader_that_sleeps_holds_the_job_and_not_us(box: Box):
    process = box.start(*box.script("writes.py", WRITES_ON), options=OPTIONS, stdout=subprocess.PIPE)
    box.wait_for_samples("run.lowtide", 2)
    job = job_of(process)
    before = box.recording("run.lowtide").samples
    wait_until(lambda: box.recording("run.lowtide").samples > before + 3, "samples while nobody reads")
    # It is still there for signals.
    process.send_signal(signal.SIGTERM)

    wait_until(lambda: not is_alive(job), "the end of the job")
    rest, _ = process.communicate(timeout=LIMIT_S)
    assert process.returncode == 143, process.returncode
    assert rest and set(rest.splitlines()[:-1]) == {b"word " * 200}, rest[:100]


def slow_reader_gets_everything(box: Box):
    size = 1_000_000
    process = box.start(*box.script("floods.py", FLOODS), str(size), options=(*OPTIONS, "--no-report"),
                        stdout=subprocess.PIPE)
    got = b""
    while piece := read_piece(process.stdout, 20_000):
        got += piece
        time.sleep(0.01)

    assert process.wait(LIMIT_S) == 23
    assert got == _expected(0, size), len(got)


def reader_that_goes_away_is_gone_for_the_job(box: Box):
    process = box.start(*box.script("writes.py", WRITES_ON), options=OPTIONS, stdout=subprocess.PIPE)
    assert read_piece(process.stdout, 1000)
    process.stdout.close()

    assert process.wait(LIMIT_S) == 0
    assert text_of(box.path("how")) == "BrokenPipeError 32", text_of(box.path("how"))


def reader_that_goes_away_ends_a_plain_job_by_sigpipe(box: Box):
    ended = subprocess.run(["bash", "-c", '"$0" run --steps-from-output --no-recording -- seq 1000000000 | head -n 1; '
                            'echo ${PIPESTATUS[0]}', box.binary], cwd=box.folder, env=box.environment,
                           capture_output=True, timeout=LIMIT_S)

    assert ended.stdout == b"1\n141\n", ended


def what_outlives_the_job_keeps_its_output(box: Box):
    # The background process ends only after the test has the exit status. A monitor that waited for it would never end.
    script = "(while [ ! -e finish ]; do sleep 0.05; done; echo late) & echo early; exit 6"
    process = box.start("sh", "-c", script, options=OPTIONS, stdout=subprocess.PIPE)
    status = process.wait(LIMIT_S)
    box.path("finish").touch()
    words, _ = process.communicate(timeout=LIMIT_S)

    assert status == 6
    assert words == b"early\nlate\n", words


def killed_monitor_breaks_the_output_of_the_job(box: Box):
    """The help of the flag states this cost: a pipe breaks, and a terminal returns an input/output error."""
    process = box.start(*box.script("writes.py", WRITES_ON), "0.05", options=OPTIONS, stdout=subprocess.PIPE)
    box.wait_for_samples("run.lowtide", 2)
    job = job_of(process)
    process.kill()
    wait_until(lambda: not is_alive(job), "the end of the job")

    assert text_of(box.path("how")) == "BrokenPipeError 32", text_of(box.path("how"))
    assert box.recording("run.lowtide").samples >= 2
    assert box.recording("run.lowtide").one("PRAGMA integrity_check") == "ok"
    box.path("how").unlink()

    # Under a shell: the end of a session's leader would hang up the terminal.
    words = " ".join(box.command(*box.script("writes.py", WRITES_ON), "0.05", options=OPTIONS))
    terminal = Terminal(["/bin/sh", "-c", f"{words}; sleep 30"], box.folder, box.environment)
    terminal.expect(b"word")
    (lowtide,) = children_of(terminal.pid)
    os.kill(lowtide, signal.SIGKILL)
    assert wait_until(lambda: terminal.read() or text_of(box.path("how")), "how it ended")
    assert wait_until(lambda: text_of(box.path("how")), "how it ended") == "OSError 5"
    assert b"can no longer write" in b" ".join(box.run(options=("--help",)).stdout.split())
    terminal.kill()


if __name__ == "__main__":
    sys.exit(main(globals()))
