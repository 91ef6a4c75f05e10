"""`attach --deep` enters every process of the job, also those that start later, and reports those that it cannot enter."""

import contextlib
import json
import os
import pathlib
import shutil
import signal
import sqlite3
import subprocess
import sys

from box import LIMIT_S, NOBODY, Box, Skip, is_alive, main, need_program, need_root, text_of, wait_until
from functions import read_line

SYSTEM_PYTHON = "/usr/bin/python3"

# Leaks 5 MB/s in a function whose name is different in every test. It ends when the folder of the test is removed.
LEAKS = """
import os, time
kept = []
def {function}():
    kept.append(bytearray(256 << 10))
while os.path.exists('err'):
    {function}()
    time.sleep(0.05)
"""

# Starts what the test asks for, a Python expression a line, and writes the pid of each child into the file `pids`.
LAUNCHER = """
import multiprocessing, os, subprocess, sys, time
import leaky
def fork(function):
    pid = os.fork()
    if pid == 0:
        function()
    return pid
def spawn(function):
    child = multiprocessing.get_context('spawn').Process(target=function, daemon=True)
    child.start()
    return child.pid
def run(*words):
    children.append(subprocess.Popen(words))
    return children[-1].pid
children = []
if __name__ == '__main__':
    open('pids', 'w').close()
    for line in sys.stdin:
        with open('pids', 'a') as file:
            print(eval(line), file=file, flush=True)
"""
LEAKY = """
import os, time
kept = []
def leaks():
    while os.path.exists('err'):
        kept.append(bytearray(256 << 10))
        time.sleep(0.05)
"""


# The same without Python.
NATIVE = """
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
void* volatile last;
void keep_a_block(void) { last = malloc(256 << 10); memset(last, 1, 256 << 10); }
int main(void) { while (access("err", F_OK) == 0) { keep_a_block(); usleep(50000); } }
"""


class _Job:
    """A Python process that starts children on demand."""

    def __init__(self, box, **more):
        self.box = box
        box.path("leaky.py").write_text(LEAKY)
        self.process = box.spawn(box.script("launcher.py", LAUNCHER), stdin=subprocess.PIPE, **more)
        self.pid = self.process.pid
        wait_until(box.path("pids").exists, "the job")

    def start(self, expression):
        """The pid of the new child."""
        before = text_of(self.box.path("pids"))
        self.process.stdin.write(expression.encode() + b"\n")
        self.process.stdin.flush()
        wait_until(lambda: text_of(self.box.path("pids"))[len(before):].endswith("\n"), expression)
        return int(text_of(self.box.path("pids"))[len(before):])

    def leak(self, function, python=sys.executable):
        return self.start(f"run({python!r}, '-c', {LEAKS.format(function=function)!r})")


def _attach(box, pid, *options, **more):
    monitor = box.start(str(pid), "--deep", "--no-status", "--output", "run.lowtide", *options, verb="attach", **more)
    wait_until(lambda: monitor.poll() is not None or b"watching" in box.path("err").read_bytes(), "the monitor")
    if monitor.poll() is not None:
        raise Skip(text_of(box.path("err"))) if os.geteuid() != 0 else AssertionError(text_of(box.path("err")))
    return monitor


def _rows(box, sql):
    with contextlib.suppress(sqlite3.Error):
        return box.recording("run.lowtide").rows(sql)
    return []


def _functions_of(box, pid):
    return {row[0] for row in _rows(box, f"""SELECT function FROM frame JOIN site ON site.id = frame.site
                                            JOIN process ON process.id = site.process WHERE pid = {pid}""")}


def _wait_for_line(box, pid, function):
    wait_until(lambda: function in _functions_of(box, pid),
               lambda: f"{function} of {pid}: {_functions_of(box, pid)}, {_not_entered(box)}, {text_of(box.path('err'))}")


def _not_entered(box):
    return [row[0] for row in _rows(box, "SELECT value FROM meta WHERE key LIKE 'not_entered_%' AND key != 'not_entered_count'")]


def _wait_for_reason(box, pid, *words):
    def found():
        return [line for line in _not_entered(box) if line.startswith(f"pid {pid} ") and all(word in line for word in words)]
    return wait_until(found, lambda: f"{pid} {words} among {_not_entered(box)}")[0]


def _end(box, monitor):
    monitor.send_signal(signal.SIGINT)
    assert monitor.wait(LIMIT_S) == 0, text_of(box.path("err"))
    assert box.recording("run.lowtide").meta("closed") == "1"


def _has_memory_file(pid):
    return "lowtide-agent" in text_of(f"/proc/{pid}/maps")


def child_that_ran_before_the_attach_is_entered(box: Box):
    job = _Job(box)
    forked = job.start("fork(leaky.leaks)")
    started = job.leak("leaks_from_before")
    monitor = _attach(box, job.pid)

    _wait_for_line(box, forked, "leaks")
    _wait_for_line(box, started, "leaks_from_before")

    assert _not_entered(box) == []
    _end(box, monitor)


def child_that_is_forked_later_is_seen(box: Box):
    job = _Job(box)
    monitor = _attach(box, job.pid)

    _wait_for_line(box, job.start("fork(leaky.leaks)"), "leaks")

    _end(box, monitor)


def child_that_is_started_by_exec_later_is_entered(box: Box):
    job = _Job(box)
    monitor = _attach(box, job.pid)

    _wait_for_line(box, job.leak("leaks_after_exec"), "leaks_after_exec")

    _end(box, monitor)


def native_program_that_is_started_later_is_entered(box: Box):
    job = _Job(box)
    program = _compiled(box, "keeps", NATIVE, "-O0", "-g")
    monitor = _attach(box, job.pid)

    native = job.start(f"run({program!r})")

    _wait_for_line(box, native, "keep_a_block")
    _end(box, monitor)


def process_that_runs_another_program_is_entered_again(box: Box):
    job = _Job(box)
    monitor = _attach(box, job.pid)
    again = f"os.execv({sys.executable!r}, [{sys.executable!r}, '-c', {LEAKS.format(function='leaks_as_another_program')!r}])"
    pid = job.start("fork(leaky.leaks)")
    _wait_for_line(box, pid, "leaks")

    job.process.stdin.write(again.encode() + b"\n")
    job.process.stdin.flush()

    _wait_for_line(box, job.pid, "leaks_as_another_program")
    _end(box, monitor)


def report_names_the_line_of_a_spawned_worker_that_leaks(box: Box):
    job = _Job(box)
    monitor = _attach(box, job.pid)
    worker = job.start("spawn(leaky.leaks)")
    _wait_for_line(box, worker, "leaks")
    samples = int(box.recording("run.lowtide").one("SELECT max(live_samples) FROM site_memory"))
    wait_until(lambda: box.recording("run.lowtide").one("SELECT max(live_samples) FROM site_memory") > samples + 20, "a leak")
    _end(box, monitor)

    report = json.loads(box.run("run.lowtide", options=("--json",), verb="report").stdout)

    first = report["sites"][0]
    assert first["pid"] == worker, report["sites"]
    assert any(frame["function"] == "leaks" and frame["file"].endswith("leaky.py") for frame in first["frames"]), first


def process_that_cannot_be_entered_is_listed_with_its_reason(box: Box):
    job = _Job(box)
    beside = job.leak("leaks_beside_it")
    monitor = _attach(box, job.pid)
    _wait_for_line(box, beside, "leaks_beside_it")
    static = job.start(f"run({_static_program(box)!r})")

    _wait_for_reason(box, static, "static")
    assert len(_not_entered(box)) == 1, _not_entered(box)
    _end(box, monitor)
    report = box.run("run.lowtide", verb="report").stdout.decode()
    assert f"not entered  pid {static} " in report, report
    overhead = json.loads(box.run("run.lowtide", options=("--json",), verb="report").stdout)["overhead"]
    assert overhead["not_entered_count"] == len(overhead["not_entered"]) == 1, overhead


def _compiled(box, name, source, *options):
    compiler = shutil.which("cc")
    box.path(f"{name}.c").write_text(source)
    words = [compiler, *options, "-o", name, f"{name}.c"]
    if not compiler or subprocess.run(words, cwd=box.folder, capture_output=True).returncode != 0:
        raise Skip(f"no program can be built here: cc {' '.join(options)}")
    return str(box.path(name))


def _static_program(box):
    return _compiled(box, "static", "#include <unistd.h>\nint main(void) { for (;;) pause(); }\n", "-static")


def process_of_another_user_is_listed_with_its_reason(box: Box):
    need_root()
    box.environment["LOWTIDE_AGENT"] = _agent_for_all(box)
    nobody = box.as_nobody()
    # Its child is root's; it becomes nobody's afterwards, and by exec a program that may be traced.
    program = f"""
import os, subprocess, sys
child = subprocess.Popen(['sleep', '1000'])
os.setgroups([]); os.setgid({NOBODY}); os.setuid({NOBODY})
os.execv({SYSTEM_PYTHON!r}, [{SYSTEM_PYTHON!r}, '-c', "import time; open('child', 'w').write('%d'); time.sleep(1000)" % child.pid])
"""
    job = box.spawn([SYSTEM_PYTHON, "-c", program])
    child = int(wait_until(lambda: text_of(box.path("child")), "the job"))
    monitor = _attach(box, job.pid, **nobody)

    _wait_for_reason(box, child, "another user")

    _end(box, monitor)
    assert is_alive(child)
    os.kill(child, signal.SIGKILL)


def _agent_for_all(box):
    """A copy of the agent that every user may read."""
    found = next(pathlib.Path(box.binary).resolve().parents[1].rglob("liblowtide_agent.so"))
    return shutil.copy(found, box.path("liblowtide_agent.so"))


def _need_namespaces(*kinds):
    need_root()
    need_program("unshare")
    if subprocess.run(["unshare", *kinds, "true"], capture_output=True).returncode != 0:
        raise Skip(f"no unshare {kinds} here")


def _find_leaking(function):
    """The process with this function in its command; namespaces put others between it and its launcher."""
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        words = text_of(folder / "cmdline").split("\0")
        if "python" in os.path.basename(words[0]) and any(f"def {function}()" in word for word in words):
            return int(folder.name)
    return None


def _inside(box, function, kinds, setup="true", runner=""):
    """A leaking process in namespaces of its own, started later; its pid as we see it, and the monitor."""
    _need_namespaces(*kinds)
    job = _Job(box)
    monitor = _attach(box, job.pid)
    box.path("leak.py").write_text(LEAKS.format(function=function))
    # The program is an argument and not a file: the process may see other files than this test.
    shell = f'{setup} && exec {runner} {SYSTEM_PYTHON} -c "$1"'
    job.start(f"run('unshare', *{list(kinds)!r}, 'sh', '-c', {shell!r}, 'sh', open('leak.py').read())")
    pid = wait_until(lambda: _find_leaking(function), "the process inside")
    return pid, monitor


NEW_TMP = "mount -t tmpfs none /tmp && chmod 1777 /tmp"


def _temporary_folder(pid):
    """The /tmp that the process sees."""
    return pathlib.Path(f"/proc/{pid}/root", "tmp")


def _is_empty(folder):
    return not [name for name in os.listdir(folder) if name.startswith("lowtide-")]


def process_in_another_mount_namespace_is_entered_and_left_without_a_trace(box: Box):
    pid, monitor = _inside(box, "leaks_in_a_mount_namespace", ("-m",), NEW_TMP)

    _wait_for_line(box, pid, "leaks_in_a_mount_namespace")

    assert not _is_empty(_temporary_folder(pid))
    _end(box, monitor)
    assert _is_empty(_temporary_folder(pid)) and not _has_memory_file(pid)
    assert is_alive(pid)


def process_in_another_pid_namespace_is_entered(box: Box):
    pid, monitor = _inside(box, "leaks_in_a_pid_namespace", ("-p", "-f", "--mount-proc"))
    assert "NSpid:" in text_of(f"/proc/{pid}/status")

    _wait_for_line(box, pid, "leaks_in_a_pid_namespace")

    _end(box, monitor)
    assert is_alive(pid) and not _has_memory_file(pid)


def process_of_another_user_in_a_user_namespace_is_refused_with_the_reason(box: Box):
    need_root()
    need_program("setpriv")
    function = "leaks_in_a_user_namespace"
    box.spawn(["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "unshare", "-Ur", SYSTEM_PYTHON, "-c",
               f"import time\ndef {function}(): time.sleep(0.01)\nfor _ in range(6000): {function}()"], cwd="/")
    with contextlib.suppress(AssertionError):
        wait_until(lambda: _find_leaking(function), "the process inside", limit_s=10)
    if (pid := _find_leaking(function)) is None:
        raise Skip("no user namespaces here")

    done = box.run(str(pid), options=("--deep", "--duration", "1s"), verb="attach", text=True)

    assert done.returncode == 3 and "user namespace" in done.stderr, (done.returncode, done.stderr)
    assert is_alive(pid)


def process_of_another_user_in_a_container_is_entered(box: Box):
    need_program("setpriv")
    pid, monitor = _inside(box, "leaks_in_a_container", ("-m", "-p", "-f", "-n", "--mount-proc"), NEW_TMP,
                           f"setpriv --reuid {NOBODY} --regid {NOBODY} --clear-groups")

    _wait_for_line(box, pid, "leaks_in_a_container")

    _end(box, monitor)
    assert is_alive(pid) and _is_empty(_temporary_folder(pid)) and not _has_memory_file(pid)


def container_without_a_folder_to_write_to_is_listed_with_its_reason(box: Box):
    read_only = " && ".join(f"mount -t tmpfs -o ro none {folder}" for folder in ("/tmp", "/var/tmp", "/dev/shm", "/run"))
    pid, monitor = _inside(box, "leaks_without_a_folder", ("-m",), read_only)

    _wait_for_reason(box, pid, "no folder in it for the agent")

    _end(box, monitor)
    assert is_alive(pid)


def first_process_may_be_in_a_container(box: Box):
    _need_namespaces("-m")
    box.spawn(["unshare", "-m", "sh", "-c", f'{NEW_TMP} && exec {SYSTEM_PYTHON} -c "$0"', LEAKS.format(function="leaks_at_the_root")])
    pid = wait_until(lambda: _find_leaking("leaks_at_the_root"), "the job")
    monitor = _attach(box, pid)

    _wait_for_line(box, pid, "leaks_at_the_root")

    _end(box, monitor)
    assert _is_empty(_temporary_folder(pid)) and not _has_memory_file(pid)


def detaching_leaves_every_process_without_the_agents_memory(box: Box):
    job = _Job(box)
    children = {job.start("fork(leaky.leaks)"): "leaks"}
    monitor = _attach(box, job.pid)
    children[job.start("fork(leaky.leaks)")] = "leaks"
    children[job.leak("leaks_on")] = "leaks_on"
    for pid, function in children.items():
        _wait_for_line(box, pid, function)

    _end(box, monitor)

    assert all(is_alive(pid) for pid in (job.pid, *children))
    assert [pid for pid in (job.pid, *children) if _has_memory_file(pid)] == []
    assert b"hooks are still" not in box.path("err").read_bytes()


def killed_monitor_leaves_every_process_running_and_the_next_enters_them(box: Box):
    job = _Job(box)
    monitor = _attach(box, job.pid)
    child = job.leak("leaks_on")
    _wait_for_line(box, child, "leaks_on")
    monitor.kill()
    monitor.wait(LIMIT_S)
    for path in box.folder.glob("run.lowtide*"):
        path.unlink()
    box.path("err").write_bytes(b"")

    second = _attach(box, job.pid)

    _wait_for_line(box, child, "leaks_on")
    _end(box, second)
    assert [pid for pid in (job.pid, child) if _has_memory_file(pid)] == []
    assert is_alive(child) and job.process.poll() is None


# Each child says how old it is when it looks at what is mapped into it, and whether the agent is.
MANY = """
import os, subprocess, sys, time
LOOK = '''
with open("/proc/self/maps") as file: has_agent = "lowtide" in file.read()
with open("/proc/self/stat") as file: started = float(file.read().rpartition(")")[2].split()[19])
with open("/proc/uptime") as file: up = float(file.read().split()[0])
print(up - started / __import__("os").sysconf("SC_CLK_TCK"), has_agent)
'''
leaking = subprocess.Popen([sys.executable, 'leak.py'])
open('ready', 'w').write(str(leaking.pid))
sys.stdin.readline()
wrong = []
for number in range(100):
    some = [(code, subprocess.Popen(['sh', '-c', f'exit {code}'])) for code in range(4)]
    pid = os.fork()
    if pid == 0:
        os._exit(number % 100)
    look = subprocess.run([sys.executable, '-S', '-c', LOOK], stdout=subprocess.PIPE)
    age, has_agent = look.stdout.split()
    if look.returncode != 0 or (has_agent == b'True' and float(age) < 1):
        wrong.append(look)
    if os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) != number % 100:
        wrong.append(pid)
    wrong += [(code, child.returncode) for code, child in some if child.wait() != code]
print(wrong or 'all right', leaking.poll(), flush=True)
sys.stdin.readline()
"""


def tree_of_five_hundred_short_lived_children_is_not_disturbed(box: Box):
    box.path("leak.py").write_text(LEAKS.format(function="leaks_beside_them"))
    job = box.spawn(box.script("many.py", MANY), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    leaking = int(wait_until(lambda: text_of(box.path("ready")), "the job"))
    monitor = _attach(box, job.pid)
    job.stdin.write(b"\n")
    job.stdin.flush()

    said = read_line(job.stdout, "what the job has seen of its children", 100)
    _wait_for_line(box, leaking, "leaks_beside_them")

    assert said == b"all right None\n", said
    _end(box, monitor)
    assert job.poll() is None and is_alive(leaking)


if __name__ == "__main__":
    sys.exit(main(globals()))
