"""The job under `lowtide run` is the job without it: status, streams, surroundings."""

import json
import os
import signal
import stat
import subprocess
import sys

from box import LIMIT_S, Box, main

# What a process can know of its surroundings, as JSON. Not: its pid and its parent's.
PROBE = """
import json, os, resource, sys
fds = {}
for name in os.listdir('/proc/self/fd'):
    try:
        fds[name] = os.readlink('/proc/self/fd/' + name)
    except OSError:
        pass  # the one that listed them
mask = os.umask(0)
lines = open('/proc/self/status').read().splitlines()
json.dump({
    'argv': [os.fsencode(word).hex() for word in sys.argv[1:]],
    'environ': {key.hex(): value.hex() for key, value in os.environb.items()},
    'cwd': os.getcwd(), 'umask': mask, 'nice': os.nice(0), 'fds': fds,
    'group': os.getpgrp(), 'session': os.getsid(0), 'users': os.getresuid() + os.getresgid(),
    'limits': {name: resource.getrlimit(getattr(resource, name)) for name in dir(resource) if name.startswith('RLIMIT_')},
    'affinity': sorted(os.sched_getaffinity(0)), 'scheduler': os.sched_getscheduler(0),
    'oom_score_adj': open('/proc/self/oom_score_adj').read(),
    'status': [line for line in lines if line.split(':')[0] in ('NoNewPrivs', 'Seccomp', 'CapEff', 'CapBnd', 'Umask')],
}, open(os.environ['PROBE_OUT'], 'w'))
"""


def exit_status_passes(box: Box):
    for status in (0, 1, 3, 77, 126, 127, 255):
        assert box.run("sh", "-c", f"exit {status}").returncode == status, status


def status_of_a_signal_is_the_same_as_in_a_shell(box: Box):
    for number in (signal.SIGTERM, signal.SIGKILL, signal.SIGSEGV, signal.SIGHUP, signal.SIGINT, signal.SIGPIPE):
        ended = box.run("sh", "-c", f"kill -{int(number)} $$")
        assert ended.returncode == 128 + number, (number, ended)


def command_that_is_not_there_is_127(box: Box):
    for name in ("no-such-command-here", "./no/such/file", ""):
        ended = box.run(name)
        assert ended.returncode == 127, (name, ended)
        assert len(ended.stderr.splitlines()) == 3, ended.stderr
    assert box.recordings() == []


def command_that_is_no_program_is_126(box: Box):
    box.path("data").write_text("no program\n")
    for name in ("./data", "."):
        ended = box.run(name)
        assert ended.returncode == 126, (name, ended)
        assert len(ended.stderr.splitlines()) == 3, ended.stderr
    assert box.recordings() == []


def standard_output_is_the_jobs_alone(box: Box):
    every_byte = bytes(range(256)) * 4000
    box.path("bytes").write_bytes(every_byte)

    ended = box.run("cat", "bytes")

    assert ended.returncode == 0
    assert ended.stdout == every_byte, f"{len(ended.stdout)} bytes"


def standard_error_begins_with_the_jobs_own(box: Box):
    every_byte = bytes(range(256)) * 400
    box.path("bytes").write_bytes(every_byte)

    ended = box.run("sh", "-c", "cat bytes >&2; exec sleep 0.4", options=("--no-report", "--no-status"))

    assert ended.returncode == 0 and ended.stdout == b"", ended
    assert ended.stderr == every_byte, f"{len(ended.stderr)} bytes, {ended.stderr[len(every_byte):][:300]}"


def job_that_reads_its_input_in_part_leaves_the_rest(box: Box):
    box.path("lines").write_text("one\ntwo\nthree\n")
    with open(box.path("lines"), "rb", buffering=0) as lines:
        ended = box.run("sh", "-c", "read first; echo $first", stdin=lines)
        rest = lines.read()

    assert (ended.stdout, rest) == (b"one\n", b"two\nthree\n"), (ended, rest)


def standard_input_reaches_the_job(box: Box):
    text = b"a line\n" * 20000

    ended = box.run("cat", input=text, stdin=None)

    assert ended.stdout == text, f"{len(ended.stdout)} of {len(text)} bytes"


def closed_standard_streams_are_no_harm(box: Box):
    def close_all():
        for fd in (0, 1, 2):
            os.close(fd)

    words = box.command("sh", "-c", "echo done > out; exit 5")
    process = box.spawn(words, preexec_fn=close_all)

    assert process.wait(LIMIT_S) == 5
    assert box.path("out").read_text() == "done\n"


def reader_that_goes_away_ends_the_job_as_without_us(box: Box):
    ended = box.run("sh", "-c", f"{box.binary} run --no-recording -- seq 1000000000 | head -n 1")

    assert ended.stdout == b"1\n", ended


# Writes the next step when the one before is on record, so that none is missed.
STEPPER = """
import os, pathlib, sqlite3, sys, time
folder = pathlib.Path(%r)
def wait_for(count, sql, *values):
    until = time.monotonic() + %d
    while time.monotonic() < until:
        try:
            link = sqlite3.connect(f"file:{folder / 'run.lowtide'}?mode=ro", uri=True)
            if link.execute("SELECT count(*) FROM " + sql, values).fetchone()[0] >= count:
                return
        except sqlite3.Error:
            pass
        time.sleep(0.02)
wait_for(2, "process_memory JOIN process ON process = process.id WHERE pid = ?", os.getpid())
for step in range(3):
    print(f'step {step} loss 0.5', flush=True)
    wait_for(1, 'target_memory WHERE step = ?', step)
"""


def steps_of_an_earlier_run_in_the_same_file_are_not_those_of_the_job(box: Box):
    """An appended log, and what another program wrote to the file of standard error."""
    for name in ("log", "errors", "childs.log"):
        box.path(name).write_text("step 900 loss 0.1\n")
    stepper = box.script("stepper.py", STEPPER % (str(box.folder), LIMIT_S))
    for name, words in (("run", stepper), ("child", ["sh", "-c", f"{' '.join(stepper)} >> childs.log; true"])):
        with open(box.path("log"), "a") as log, open(box.path("errors"), "a") as errors:
            assert box.run(*words, options=("--output", "run.lowtide"), stdout=log, stderr=errors, capture_output=False).returncode == 0
        steps = {row[0] for row in box.recording("run.lowtide").rows("SELECT step FROM target_memory WHERE step IS NOT NULL")}
        assert steps == {0, 1, 2}, (name, steps)
        box.path("run.lowtide").unlink()


def signal_mask_and_dispositions_are_as_without_us(box: Box):
    def odd_signals():
        signal.pthread_sigmask(signal.SIG_SETMASK, [signal.SIGUSR1, signal.SIGWINCH])
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        signal.signal(signal.SIGQUIT, signal.SIG_IGN)

    for prepare in (None, odd_signals):
        job = ["grep", "-E", "^(Sig|Shd)(Blk|Ign|Cgt)", "/proc/self/status"]
        plain = box.run(*job, preexec_fn=prepare)
        bare = box.spawn(job, preexec_fn=prepare, stdout=-1).communicate(timeout=LIMIT_S)[0]

        assert plain.stdout == bare, (plain.stdout, bare)


def ignored_broken_pipe_stays_ignored(box: Box):
    def ignore():
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)

    job = ["grep", "^SigIgn", "/proc/self/status"]
    watched = box.run(*job, preexec_fn=ignore, restore_signals=False)
    bare = box.spawn(job, preexec_fn=ignore, restore_signals=False, stdout=-1).communicate(timeout=LIMIT_S)[0]

    assert watched.stdout == bare, (watched.stdout, bare)
    assert int(bare.split()[1], 16) >> (signal.SIGPIPE - 1) & 1, bare


def surroundings_are_as_without_us(box: Box):
    def odd_place():
        os.umask(0o027)
        os.nice(5)
        os.dup2(os.open("/dev/null", os.O_RDWR), 9)
        os.set_inheritable(9, True)

    odd_words = [b"\xff\xfe", b"", b"--", b"--limit", b"a\nb", b"\x1b[31m", "Gezeiten \u2248".encode()]
    job = [word.encode() for word in box.script("probe.py", PROBE)] + odd_words
    here = box.path("a place")
    here.mkdir()
    seen = {}
    for name, words in (("bare", job), ("watched", box.command(*job, options=("--no-recording",)))):
        environment = {os.fsencode(key): os.fsencode(value) for key, value in box.environment.items()}
        environment |= {b"ODD": b"\xff=\n", b"EMPTY": b"", b"PROBE_OUT": os.fsencode(box.path(name))}
        process = box.spawn(words, cwd=here, env=environment, preexec_fn=odd_place, close_fds=False,
                            stderr=subprocess.DEVNULL)
        assert process.wait(LIMIT_S) == 0
        seen[name] = json.loads(box.path(name).read_text())
        del seen[name]["environ"][b"PROBE_OUT".hex()]

    # The agent is loaded by the job's own loader, which is asked by its environment.
    for key in (b"LD_PRELOAD", b"LOWTIDE_AGENT_SOCKET", b"LOWTIDE_AGENT_FILTERS"):
        seen["watched"]["environ"].pop(key.hex(), None)
    for key, value in seen["bare"].items():
        assert seen["watched"][key] == value, (key, value, seen["watched"][key])
    assert seen["bare"]["umask"] == 0o027 and "9" in seen["bare"]["fds"], seen["bare"]


def job_writes_to_the_files_it_was_given(box: Box):
    with open(box.path("log"), "ab") as log:
        log.write(b"before\n")
        log.flush()
        box.run("sh", "-c", "echo out; echo err >&2", capture_output=False, stdout=log, stderr=log)

    lines = box.path("log").read_text().splitlines()
    assert lines[:3] == ["before", "out", "err"], lines


def job_sees_no_descriptor_of_lowtide(box: Box):
    ended = box.run("ls", "-l", "/proc/self/fd", options=("--output", "mine.lowtide"))

    assert b"mine.lowtide" not in ended.stdout and b"signalfd" not in ended.stdout, ended.stdout


def recording_is_only_for_the_user_of_the_umask(box: Box):
    box.run(*box.seen_job(), options=("--output", "mine.lowtide"), umask=0o077)

    assert stat.S_IMODE(box.path("mine.lowtide").stat().st_mode) == 0o600


def job_that_ends_before_the_first_sample_is_no_error(box: Box):
    for _ in range(10):
        ended = box.run("/bin/true")
        assert ended.returncode == 0, ended
        assert ended.stdout == b"", ended
    for path in box.recordings():
        box.recording(path).rows("SELECT * FROM meta")
    assert not any(name.name.endswith(("-wal", "-shm")) for name in box.folder.iterdir()), os.listdir(box.folder)


if __name__ == "__main__":
    sys.exit(main(globals()))
