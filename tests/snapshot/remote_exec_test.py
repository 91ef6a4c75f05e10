"""Snapshots by sys.remote_exec. Every function without an underscore is a test; most need a CPython from 3.14 on.

usage: remote_exec_test.py --binary LOWTIDE [--rounds N] [NAME...] | --list
"""

import atexit
import contextlib
import glob
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
sys.dont_write_bytecode = True
from lab import NOT_SEEN, PYTHON, Lab, by_path, has_agent, ready, walkers, write_line  # noqa: E402  (it makes the others known)
from probing import KNOWN_PYTHONS, pythons  # noqa: E402
from functions import LIMIT_S, Skip, children_of, main, read_line, state_of, wait_until  # noqa: E402

# Its main thread comes back from every sleep, so it has chances to run a script.
HOLDS = "import time\nkept = [bytes(1000 + n) for n in range(999)]\nprint('ready', flush=True)\nwhile True: time.sleep(0.01)"

# Traces its argument as a debugger does, until its input ends.
TRACER = """
import ctypes, sys
PTRACE_SEIZE = 0x4206
libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
if libc.ptrace(PTRACE_SEIZE, int(sys.argv[1]), None, None):
    sys.exit(f"errno {ctypes.get_errno()}")
print("ready", flush=True)
sys.stdin.read()
"""


def _new_python():
    found = pythons([minor for minor in KNOWN_PYTHONS if minor >= 14])
    if not found:
        raise Skip("no CPython 3.14 (LOWTIDE_TEST_PYTHONS may name one)")
    return next(iter(found.values()))


# A place of our own: other tests leave and remove things in /tmp meanwhile.
PLACE = tempfile.mkdtemp(prefix="remote-exec-")
os.chmod(PLACE, 0o755)
atexit.register(shutil.rmtree, PLACE, ignore_errors=True)
os.environ["TMPDIR"] = os.environ["XDG_RUNTIME_DIR"] = PLACE


def _folders():
    return set(glob.glob(PLACE + "/lowtide-*"))


@contextlib.contextmanager
def _nothing_left():
    before = _folders()
    yield
    assert _folders() <= before, _folders() - before


def _has_script(before):
    return any(os.path.exists(folder + "/look.py") for folder in _folders() - before)


# How far a snapshot has come.
STAGES = {
    "started": lambda watcher, job, before: True,
    "script written": lambda watcher, job, before: _has_script(before),
    "target asked": lambda watcher, job, before: children_of(watcher.pid),
    "script begun": lambda watcher, job, before: not _has_script(before),  # it removes itself
    "agent loaded": lambda watcher, job, before: has_agent(job.pid),
    "walking": lambda watcher, job, before: walkers(job.pid),
}
MOST_TRIES = 20  # a short stage may be over before it is seen


def _reaches(stage, watcher, job, before):
    """Waits for a stage; false where the snapshot ended before it was seen."""
    if stage == "script begun":
        _reaches("script written", watcher, job, before)
    wait_until(lambda: STAGES[stage](watcher, job, before) or watcher.poll() is not None, f"stage {stage!r}")
    return watcher.poll() is None


def _is_whole(snapshot):
    assert snapshot["snapshot"]["is_whole"] and snapshot["snapshot"]["objects"] > 0, snapshot["snapshot"]


def _holder_is_named(snapshot):
    _is_whole(snapshot)
    assert 0 < snapshot["snapshot"]["pause_s"] < LIMIT_S, snapshot["snapshot"]
    assert by_path(snapshot)["__main__.kept", "list"]["length"] == 999, snapshot["holders"][:3]


def names_the_variable(lab):
    with _nothing_left(), lab.running(_new_python(), "-c", HOLDS) as job:
        ready(job)
        _holder_is_named(lab.take(job.pid, "--remote-exec"))
        lab.call("--remote-exec", job.pid)


def fifty_in_a_row_leave_nothing(lab):
    with _nothing_left(), lab.running(_new_python(), "-c", HOLDS) as job:
        ready(job)
        first = lab.take(job.pid, "--remote-exec")
        files = os.listdir(f"/proc/{job.pid}/fd")
        for _ in range(49):
            _holder_is_named(last := lab.take(job.pid, "--remote-exec"))
        assert sorted(os.listdir(f"/proc/{job.pid}/fd")) == sorted(files)
        assert len(os.listdir(f"/proc/{job.pid}/task")) == 1
        grown = last["snapshot"]["objects"] - first["snapshot"]["objects"]
        assert abs(grown) < 50, grown


def busy_threads_do_not_keep_it_out(lab):
    busy = "import os, threading\ndef spin():\n  while True: sum(range(1000))\n" \
           "[threading.Thread(target=spin, daemon=True).start() for _ in range(4)]\n"
    with _nothing_left(), lab.running(_new_python(), "-c", busy + HOLDS.replace("time.sleep(0.01)", "sum(range(1000))")) as job:
        ready(job)
        for _ in range(3):
            _holder_is_named(lab.take(job.pid, "--remote-exec"))


def traced_process_is_entered_all_the_same(lab):
    with lab.running(_new_python(), "-c", HOLDS) as job:
        ready(job)
        with lab.running(PYTHON, "-c", TRACER, job.pid) as tracer:
            ready(tracer)
            _holder_is_named(lab.take(job.pid))
            _holder_is_named(lab.take(job.pid, "--remote-exec"))


def process_under_strace_is_entered_all_the_same(lab):
    if not shutil.which("strace"):
        raise Skip("no strace")
    with lab.running(_new_python(), "-c", HOLDS) as job:
        ready(job)
        with lab.running("strace", "-f", "-o", "/dev/null", "-p", job.pid):
            wait_until(lambda: "TracerPid:\t0\n" not in pathlib.Path(f"/proc/{job.pid}/status").read_text(), "strace")
            _holder_is_named(lab.take(job.pid))


def traced_process_of_an_older_python_is_reported_as_before(lab):
    found = pythons(range(9, 14))
    if not found:
        raise Skip("no CPython before 3.14")
    with lab.running(next(iter(found.values())), "-c", HOLDS) as job:
        ready(job)
        with lab.running(PYTHON, "-c", TRACER, job.pid) as tracer:
            ready(tracer)
            told = lab.call(job.pid, code=NOT_SEEN).stderr
            assert "already traces it" in told and "remote_exec" not in told, told


def older_python_is_reported(lab):
    found = pythons(range(9, 14))
    if not found:
        raise Skip("no CPython before 3.14")
    for version, python in found.items():
        with _nothing_left(), lab.running(python, "-c", HOLDS) as job:
            ready(job)
            told = lab.call("--remote-exec", job.pid, code=NOT_SEEN).stderr
            assert f"its Python is {version}, and sys.remote_exec needs 3.14 or newer" in told, told


def process_without_python_is_reported(lab):
    with lab.running("sleep", "100") as job:
        wait_until(lambda: state_of(job.pid) == "S", "the sleep")
        told = lab.call("--remote-exec", job.pid, code=NOT_SEEN).stderr
        assert "is not a Python with a known version" in told, told
        assert "no running process has this pid" in lab.call("--remote-exec", 2**22 - 5, code=NOT_SEEN).stderr


def embedded_python_is_reported(lab):
    if not shutil.which("cc"):
        raise Skip("no cc")
    with tempfile.TemporaryDirectory() as folder, _nothing_left():
        for name, words in (("libpython3.14.so.1.0", ["-shared", "-fPIC"]), ("embeds", [])):
            subprocess.run(["cc", *words, "-x", "c", "-", "-o", f"{folder}/{name}"], text=True, check=True, input="""
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>
int main(int count, char** words) { if (dlopen(words[1], RTLD_NOW)) { puts("ready"); fflush(stdout); pause(); } return 1; }
""")
        with lab.running(folder + "/embeds", folder + "/libpython3.14.so.1.0") as job:
            ready(job)
            told = lab.call("--remote-exec", job.pid, code=NOT_SEEN).stderr
            assert "its Python is embedded in" in told and "needs a python executable" in told, told


def python_that_forbids_it_is_reported(lab):
    python = _new_python()
    for words, more in ((["-X", "disable-remote-debug"], {}), ([], {"PYTHON_DISABLE_REMOTE_DEBUG": "1"})):
        with _nothing_left(), lab.running(python, *words, "-c", HOLDS, env={**os.environ, **more}) as job:
            ready(job)
            told = lab.call("--remote-exec", job.pid, code=NOT_SEEN).stderr
            assert "does not allow remote debugging" in told, told
            with lab.running(PYTHON, "-c", TRACER, job.pid) as tracer:
                ready(tracer)
                told = lab.call(job.pid, code=NOT_SEEN).stderr
                assert "already traces it" in told and "does not allow remote debugging" in told, told


def audit_hook_that_forbids_it_is_reported(lab):
    hook = "import sys\ndef hook(event, _):\n  if event == 'ctypes.dlopen': raise RuntimeError('not here')\nsys.addaudithook(hook)\n"
    with _nothing_left(), lab.running(_new_python(), "-c", hook + HOLDS) as job:
        ready(job)
        told = lab.call("--remote-exec", job.pid, code=NOT_SEEN).stderr
        assert "rejected the agent: RuntimeError: not here" in told, told
        assert job.poll() is None


SAYS_WHAT_IT_HAS = """
import gc, select, signal, sys, threading
signal.signal(signal.SIGPIPE, signal.SIG_DFL)
gc.collect(); gc.disable()
def names():
    return sorted(globals()), sorted(set(sys.modules) - {"_ctypes"}), threading.active_count(), sorted(vars(__builtins__))
before = None
before = names()
print("ready", flush=True)
while not select.select([sys.stdin], [], [], 0)[0]:
    sum(range(1000))
print(names() == before or set(sys.modules) - set(before[1]), gc.collect(), flush=True)
"""


def output_and_names_of_the_job_stay_the_same(lab):
    with lab.running(_new_python(), "-X", "dev", "-W", "always", "-c", SAYS_WHAT_IT_HAS) as job:
        ready(job)
        for _ in range(8):
            _is_whole(lab.take(job.pid, "--remote-exec"))
        out, err = job.communicate("end\n", timeout=LIMIT_S)
        assert (out, err, job.returncode) == ("True 0\n", "", 0), (out, err, job.returncode)


def main_thread_that_waits_gets_to_it_too_late_and_does_nothing(lab):
    script = "import sys\nprint('ready', flush=True)\nsys.stdin.readline()\nfor _ in range(1000): sum(range(1000))\n" \
             "print('done', flush=True)\nsys.stdin.readline()\nprint('_ctypes' in sys.modules, flush=True)"
    before = _folders()
    with lab.running(_new_python(), "-c", script) as job:
        ready(job)
        told = lab.call("--remote-exec", job.pid, code=NOT_SEEN).stderr
        assert "did not run the script in time" in told, told
        (left,) = _folders() - before
        assert os.listdir(left) == ["look.py"]
        write_line(job, "go")
        assert read_line(job.stdout) == "done\n"
        wait_until(lambda: _folders() <= before, "the script to remove itself")
        out, err = job.communicate("go\n", timeout=LIMIT_S)
        assert (out, err, job.returncode) == ("False\n", "", 0), (out, err)


KILLS = 3  # at each stage


def lowtide_that_is_killed_is_not_missed(lab):
    before, kills = _folders(), {}
    holds_many = "kept = [[n] for n in range(200_000)]\n"  # the walk lasts long enough to be seen
    with lab.running(_new_python(), "-X", "dev", "-c", holds_many + SAYS_WHAT_IT_HAS, start_new_session=True) as job:
        ready(job)
        # The agent stays loaded after the first time.
        for stage in [name for name in STAGES if name != "agent loaded"]:
            for _ in range(MOST_TRIES):
                seen = _folders()
                watcher = subprocess.Popen([lab.binary, "snapshot", "--remote-exec", str(job.pid)], stdout=subprocess.DEVNULL,
                                           stderr=subprocess.DEVNULL)
                kills[stage] = kills.get(stage, 0) + _reaches(stage, watcher, job, seen)
                watcher.kill()
                watcher.wait(LIMIT_S)
                wait_until(lambda: not walkers(job.pid), "the end of the walk")
                if kills[stage] == KILLS:
                    break
        print(f"  killed at {kills}")
        assert set(kills.values()) == {KILLS}, kills
        out, err = job.communicate("end\n", timeout=LIMIT_S)
        assert (out, err, job.returncode) == ("True 0\n", "", 0), (out, err, job.returncode)
    with lab.running(_new_python(), "-c", HOLDS) as job:
        ready(job)
        lab.take(job.pid, "--remote-exec")  # removes what the killed ones left, except scripts that no target was asked to run
    for folder in _folders() - before:
        assert set(os.listdir(folder)) <= {"look.py", "answer"}, os.listdir(folder)
        shutil.rmtree(folder)


def target_that_dies_in_the_middle_is_reported(lab):
    python = _new_python()
    holds_many = HOLDS.replace("[bytes(1000 + n) for n in range(999)]", "[[n] for n in range(200_000)]")
    for stage in STAGES:
        assert any(_dies_at(lab, python, holds_many, stage) for _ in range(MOST_TRIES)), f"never {stage}"


def _dies_at(lab, python, script, stage):
    with _nothing_left(), lab.running(python, "-c", script, start_new_session=True) as job:
        ready(job)
        before = _folders()
        watcher = subprocess.Popen([lab.binary, "snapshot", "--remote-exec", str(job.pid)], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        is_in_time = _reaches(stage, watcher, job, before)
        job.kill()
        out, err = watcher.communicate(timeout=LIMIT_S)
        if watcher.returncode == 0:
            assert "__main__.kept (list)" in out and not err, (stage, out, err)
        else:
            assert watcher.returncode == NOT_SEEN and not out, (stage, watcher.returncode, out, err)
            assert f"process {job.pid}" in err and len(err.splitlines()) == 3, (stage, err)
        return is_in_time


def signals_of_the_job_come_to_it(lab):
    script = "import signal, time\nseen = []\nsignal.signal(signal.SIGUSR1, lambda *_: (seen.append(1), print(len(seen), flush=True)))\n" \
             "print('ready', flush=True)\nwhile True: time.sleep(0.001)"
    with lab.running(_new_python(), "-c", script) as job:
        ready(job)
        sent = 0
        for _ in range(5):
            watcher = subprocess.Popen([lab.binary, "snapshot", "--remote-exec", str(job.pid)], stdout=subprocess.DEVNULL)
            # One after the other: two that are pending at once are one.
            while watcher.poll() is None:
                job.send_signal(signal.SIGUSR1)
                sent += 1
                assert int(read_line(job.stdout, f"signal {sent}")) == sent
            assert watcher.returncode == 0
        assert sent >= 5, sent


AS_NOBODY = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")


def _needs_other_users():
    if os.geteuid() != 0 or not shutil.which("setpriv"):
        raise Skip("needs root and setpriv")


def other_users_process_is_entered(lab):
    _needs_other_users()
    scope = pathlib.Path("/proc/sys/kernel/yama/ptrace_scope")
    if scope.exists() and scope.read_text().strip() != "0":
        raise Skip("needs ptrace_scope 0")
    with _nothing_left(), lab.running(*AS_NOBODY, _new_python(), "-c", HOLDS) as job:
        ready(job)
        _holder_is_named(lab.take(job.pid, "--remote-exec"))


FAKE = """
#include <stdio.h>
#include <unistd.h>
int main(int count, char** words) {
  if (count == 1) { puts("ready"); fflush(stdout); pause(); }
  gid_t groups[9];
  fprintf(stderr, "first\\nuids %d %d, gids %d %d, groups %d, next fd %d", getuid(), geteuid(), getgid(), getegid(),
          getgroups(9, groups), dup(0));
  return 1;
}
"""


def interpreter_of_another_user_is_run_as_that_user(lab):
    _needs_other_users()
    if not shutil.which("cc"):
        raise Skip("no cc")
    with tempfile.TemporaryDirectory() as folder, _nothing_left():
        os.chmod(folder, 0o755)
        fake = folder + "/python3.14"
        subprocess.run(["cc", "-x", "c", "-", "-o", fake], input=FAKE, text=True, check=True)
        with lab.running(*AS_NOBODY, fake) as job:
            ready(job)
            told = lab.call("--remote-exec", job.pid, code=NOT_SEEN).stderr
            assert "failed: uids 65534 65534, gids 65534 65534, groups 0, next fd 3\n" in told, told


def process_in_a_container_is_reported(lab):
    python = _new_python()
    if os.geteuid() != 0 or not shutil.which("unshare"):
        raise Skip("needs root and unshare")
    with _nothing_left(), lab.running("unshare", "--mount", python, "-c", HOLDS) as job:
        if not read_line(job.stdout):
            raise Skip("no namespace can be made")
        told = lab.call("--remote-exec", job.pid, code=NOT_SEEN).stderr
        assert "in another namespace" in told, told


if __name__ == "__main__":
    main(globals(), lambda test, words: test(Lab(words.binary, words.rounds)), binary=str)
