"""The injector against processes with a known truth. Every function without an underscore is a test.

usage: attach_test.py --probe PROBE --agent AGENT --targets FOLDER [--rounds N] [NAME...] | --list
"""

import contextlib
import json
import os
import pathlib
import random
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from functions import LIMIT_S, Skip, main, read_line, state_of, wait_until  # noqa: E402

HERE = pathlib.Path(__file__).parent
PYTHON = "/usr/bin/python3" if os.path.exists("/usr/bin/python3") else sys.executable
NOBODY = 65534


class Lab:
    def __init__(self, probe, agent, targets, rounds):
        self.probe, self.agent, self.targets, self.rounds = probe, os.path.abspath(agent), targets, rounds

    @contextlib.contextmanager
    def running(self, *command, ready="stdout", **more):
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)
        try:
            line = read_line(getattr(process, ready), "the job to be ready") if ready else b"ready"
            assert line.startswith(b"ready"), (line, process.stderr.read() if process.poll() is not None else "")
            process.said = line.decode()
            yield process
        finally:
            process.kill()
            process.communicate(timeout=LIMIT_S)

    def target(self, name, *words, **more):
        return self.running(str(self.targets / "attach_target"), name, *map(str, words), **more)

    def python(self, turns=3000):
        # It forks while it has threads: newer versions of Python print a warning.
        return self.running(PYTHON, "-W", "ignore", str(HERE / "busy.py"), str(turns), ready="stderr")

    def attach(self, pid, *words, **more):
        """What the probe said, as data; `code` is its status."""
        ended = subprocess.run([self.probe, self.agent, str(pid), *map(str, words)], capture_output=True, timeout=300, **more)
        assert ended.returncode in (0, 1), ended
        return {"code": ended.returncode, **json.loads(ended.stdout)}


def _ends_well(process, output=None):
    out, err = process.communicate(timeout=LIMIT_S)
    assert process.returncode == 0, (process.returncode, err.decode())
    assert output is None or out == output, (out, output)
    return out


def _state(pid):
    text = pathlib.Path(f"/proc/{pid}/status").read_text()
    return re.search(r"State:\t(.)", text)[1], int(re.search(r"TracerPid:\t(\d+)", text)[1])


def _refused(told, *pieces):
    words = " ".join(told["failed"]) + " | " + told["advice"]
    assert told["code"] == 1 and told["failed"], told
    for piece in pieces:
        assert piece in words, (piece, words)


@contextlib.contextmanager
def _open_to_all(lab):
    """The same with probe and agent where other users may read them: ours may lie in /root."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        yield Lab(shutil.copy(lab.probe, folder), shutil.copy(lab.agent, folder), lab.targets, 1)


def _alone(lab, turns=3000):
    with lab.python(turns) as alone:
        return _ends_well(alone)


def busy_python_is_entered_and_left_and_prints_the_same(lab):
    expected = _alone(lab)

    with lab.python() as python:
        told = lab.attach(python.pid, "--rounds", lab.rounds, "--read-ms", 30)
        assert python.poll() is None, python.communicate()
        assert _state(python.pid)[1] == 0
        _ends_well(python, expected)

    assert told["code"] == 0, told
    assert told["hellos"] >= lab.rounds and told["broken"] == 0, told
    assert told["samples"] > 0 and told["python_samples"] > 0 and told["with_frames"] > 0, told


def malloc_storm_of_eight_threads_keeps_its_blocks(lab):
    with lab.target("storm") as storm:
        told = lab.attach(storm.pid, "--rounds", lab.rounds, "--read-ms", 20)
        _ends_well(storm)

    assert told["code"] == 0 and told["samples"] > 0, told


def registers_and_errno_of_the_borrowed_thread_are_kept(lab):
    with lab.target("registers") as target:
        told = lab.attach(target.pid, "--rounds", lab.rounds, "--read-ms", 1)
        _ends_well(target)

    assert told["code"] == 0 and told["in_own_thread"] == 0, told


def sleeps_are_slept_to_their_end(lab):
    with lab.target("waits") as target:
        told = lab.attach(target.pid, "--rounds", lab.rounds, "--read-ms", 1)
        _ends_well(target)

    assert told["code"] == 0, told


def process_in_one_long_system_call_is_entered(lab):
    with lab.target("blocks") as target:
        told = lab.attach(target.pid, "--rounds", lab.rounds, "--read-ms", 1)
        assert target.poll() is None
        _ends_well(target)

    assert told["code"] == 0 and told["hellos"] == lab.rounds, told


def _hooked(target):
    target.stdin.write(b"?\n")
    target.stdin.flush()
    return read_line(target.stdout).strip()


def detaching_takes_the_hooks_out(lab):
    with lab.target("hooks") as target:
        before = _hooked(target)
        assert lab.attach(target.pid, "--keep", "--read-ms", 1)["code"] == 0
        during = _hooked(target)
        told = lab.attach(target.pid, "--read-ms", 1)
        after = _hooked(target)

    assert (before, during, after) == (b"not hooked", b"hooked", b"not hooked"), (before, during, after)
    assert told["code"] == 0, told


def _attached_while_it_goes_on(lab, target):
    """The result of the probe. The target takes a step, and prints a line, while the agent is read."""
    with subprocess.Popen([lab.probe, lab.agent, str(target.pid), "--read-ms", "3000"], stdout=subprocess.PIPE) as probe:
        # The probe maps the agent's memory only after the agent is loaded and has reported it.
        wait_until(lambda: "lowtide-agent" in pathlib.Path(f"/proc/{probe.pid}/maps").read_text() or probe.poll() is not None, "the agent")
        assert probe.poll() is None, probe.communicate()
        target.stdin.write(b"\n")
        target.stdin.flush()
        said = read_line(target.stdout)
        assert said and probe.poll() is None, (said, "the target took its step after the probe had left")
        return json.loads(probe.communicate(timeout=LIMIT_S)[0])


def library_that_is_loaded_later_is_seen(lab):
    program = """
import sys
print('ready', flush=True)
sys.stdin.readline()
import _lzma
kept = [_lzma.LZMACompressor(preset=1) for _ in range(20)]
print('loaded', flush=True)
sys.stdin.read()
"""
    with lab.running(PYTHON, "-c", program) as target:
        told = _attached_while_it_goes_on(lab, target)

    # Each compressor keeps 9 MB, allocated by a library that came after us.
    assert told["live"] >= 20, told


# As many programs and wheels are made: for a fixed address (Debian's python3), by lld, which lets code begin in
# the page of the file in which data ends, and with tables of functions that hold a pointer to `free`.
_LIBRARY = """
#include <stdlib.h>
void (*release)(void*) = free;
static void* kept[64];
__asm__(".text\\n.skip 20000, 1");  // much code
void keep(void) { for (int at = 0; at < 64; ++at) kept[at] = malloc(1 << 20); }
int let_go(void) { int count = 0; for (int at = 0; at < 64; ++at) { count += kept[at] != NULL; release(kept[at]); } return count; }
"""
_PROGRAM = """
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
int main(int count, char** words) {
  void* library = count == 2 ? dlopen(words[1], RTLD_NOW) : NULL;
  void (*keep)(void) = (void (*)(void))dlsym(library, "keep");
  int (*let_go)(void) = (int (*)(void))dlsym(library, "let_go");
  puts("ready"); fflush(stdout); getchar();
  keep();
  puts("kept"); fflush(stdout); getchar();
  void (*volatile own)(void*) = free;  // of a fixed address: that of our own PLT entry, for everybody
  own(malloc(10));
  printf("%d\\n", let_go());
}
"""


@contextlib.contextmanager
def _linked_by_lld(lab):
    compiler = shutil.which("cc") or shutil.which("clang-14")
    if not shutil.which("ld.lld") or not compiler:
        raise Skip("no lld, or no compiler")
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        for name, text, words in (("keeper.so", _LIBRARY, ["-shared", "-fPIC"]),
                                  ("program", _PROGRAM, ["-no-pie", "-fno-pie"])):
            (place / f"{name}.c").write_text(text)
            subprocess.run([compiler, "-O1", "-fuse-ld=lld", *words, "-o", place / name, place / f"{name}.c", "-ldl"],
                           check=True)
        with lab.running(str(place / "program"), str(place / "keeper.so")) as target:
            yield target


def _code_in_file(path):
    """Offset and bytes of what is code in it."""
    data = pathlib.Path(path).read_bytes()
    begin, = struct.unpack_from("<Q", data, 32)
    size, count = struct.unpack_from("<HH", data, 54)
    for at in range(begin, begin + size * count, size):
        kind, flags, offset, _address, _physical, in_file = struct.unpack_from("<IIQQQQ", data, at)
        if kind == 1 and flags & 1:
            yield offset, data[offset:offset + in_file]


def _changed_code(pid):
    """The files whose code is another in the process."""
    changed = set()
    with open(f"/proc/{pid}/mem", "rb") as memory:
        for line in pathlib.Path(f"/proc/{pid}/maps").read_text().splitlines():
            found = re.match(r"(\w+)-(\w+) r-xp (\w+) \S+ \d+ +(/.*)", line)
            if not found:
                continue
            begin, end, mapped_from = (int(word, 16) for word in found.groups()[:3])
            for offset, code in _code_in_file(found[4]):
                if mapped_from <= offset < mapped_from + end - begin:
                    memory.seek(begin + offset - mapped_from)
                    if memory.read(len(code)) != code:
                        changed.add(found[4])
    return changed


def code_of_what_lld_has_linked_is_left_alone(lab):
    with _linked_by_lld(lab) as target:
        assert _changed_code(target.pid) == set()
        told = lab.attach(target.pid, "--keep", "--read-ms", 1)
        changed = _changed_code(target.pid)
        out, _ = target.communicate(b"\n\n", timeout=60)

    assert told["code"] == 0 and not changed, (told, changed)
    assert target.returncode == 0 and out.split() == [b"kept", b"64"], (target.returncode, out)


def library_that_holds_a_pointer_to_free_is_seen(lab):
    with _linked_by_lld(lab) as target:
        told = _attached_while_it_goes_on(lab, target)
        out, _ = target.communicate(b"\n", timeout=60)

    assert told["live"] >= 60, told
    assert target.returncode == 0 and out == b"64\n", (target.returncode, out)


def function_of_libc_that_is_asked_for_later_is_seen(lab):
    program = """
import ctypes, sys
print('ready', flush=True)
sys.stdin.readline()
for name in ('libc.so.6', None):
    libc = ctypes.CDLL(name)
    libc.malloc.restype, libc.free.argtypes = ctypes.c_void_p, [ctypes.c_void_p]
    kept = [libc.malloc(2_000_000) for _ in range(20)]
    for block in kept[:10]:
        libc.free(block)
print('done', flush=True)
sys.stdin.readline()
for block in kept[10:]:
    libc.free(block)
print('freed', flush=True)
"""
    with lab.running(PYTHON, "-c", program) as target:
        told = _attached_while_it_goes_on(lab, target)
        # Detached: what was given out goes on to libc through us.
        assert _ends_well(target).endswith(b"freed\n")

    assert 20 <= told["live"] < 30, told


def stopped_process_is_refused_and_stays_stopped(lab):
    with lab.target("storm", 2) as target:
        target.send_signal(signal.SIGSTOP)
        wait_until(lambda: state_of(target.pid) == "T", "the stop")
        _refused(lab.attach(target.pid), "stopped")
        assert _state(target.pid) == ("T", 0)
        target.send_signal(signal.SIGCONT)
        _ends_well(target)


def process_that_is_stopped_while_we_are_inside_goes_on_later(lab):
    with lab.target("storm", 2) as target:
        probe = subprocess.Popen([lab.probe, lab.agent, str(target.pid), "--rounds", "40", "--read-ms", "1", "--place-ms",
                                  "300"], stdout=subprocess.PIPE)
        chance = random.Random(1)
        for _ in range(20):
            time.sleep(chance.uniform(0, 0.03))
            target.send_signal(signal.SIGSTOP)
            time.sleep(chance.uniform(0, 0.03))
            target.send_signal(signal.SIGCONT)
        told = json.loads(probe.communicate(timeout=120)[0])
        assert told["broken"] == 0 and probe.returncode == (1 if told["failed"] else 0), (probe.returncode, told)
        assert told["hellos"] + sum(told["failed"].values()) >= 40, told
        # It can be entered as before.
        assert lab.attach(target.pid, "--read-ms", 1)["code"] == 0
        assert target.poll() is None
        _ends_well(target)


def process_that_a_debugger_has_is_refused(lab):
    with lab.target("traced") as target:
        child = int(target.said.split()[1])
        _refused(lab.attach(child), f"process {target.pid} already traces it", "one tracer")
        assert _state(child)[1] == target.pid
        _ends_well(target)


def static_program_is_refused(lab):
    static = lab.targets / "attach_static"
    if not static.exists():
        raise Skip("no static program could be built here")
    with lab.running(str(static), "blocks") as target:
        _refused(lab.attach(target.pid), "statically linked")
        _ends_well(target)


def program_under_a_sanitizer_is_refused(lab):
    program = lab.targets / "attach_asan"
    if not program.exists():
        raise Skip("no program with the address sanitizer could be built here")
    with lab.running(str(program), "blocks") as target:
        _refused(lab.attach(target.pid), "sanitizer")
        _ends_well(target)


def program_under_valgrind_is_refused(lab):
    if not shutil.which("valgrind"):
        raise Skip("no valgrind here")
    with lab.running("valgrind", "-q", str(lab.targets / "attach_target"), "blocks") as target:
        _refused(lab.attach(target.pid), "it runs under Valgrind")
        _ends_well(target)


def program_of_another_user_is_refused(lab):
    if os.geteuid() != 0:
        raise Skip("only root has another user at hand")
    with lab.target("blocks") as target:
        with _open_to_all(lab) as opened:
            _refused(opened.attach(target.pid, user=NOBODY, group=NOBODY, extra_groups=[]), "as root")
        _ends_well(target)


def root_enters_a_program_of_another_user(lab):
    if os.geteuid() != 0:
        raise Skip("only root has another user at hand")
    program = "print('ready', flush=True)\nimport sys; sys.stdin.read()"
    with _open_to_all(lab) as opened, \
            lab.running(PYTHON, "-c", program, user=NOBODY, group=NOBODY, extra_groups=[]) as target:
        told = opened.attach(target.pid)
        _ends_well(target)

    assert told["code"] == 0 and told["hellos"] == 1, told


def program_that_execs_meanwhile_is_not_hurt(lab):
    with lab.target("execs", 1000) as target:
        told = lab.attach(target.pid, "--rounds", lab.rounds, "--read-ms", 1, "--place-ms", 500)
        assert target.poll() is None, target.communicate()
        _ends_well(target)
    # Each round enters one of its programs, or says why it could not.
    assert told["hellos"] + sum(told["failed"].values()) >= lab.rounds and told["broken"] == 0, told


def program_that_ends_meanwhile_is_not_an_accident(lab):
    failures = {}
    for round_number in range(lab.rounds):
        with lab.target("storm", 3) as target:
            probe = subprocess.Popen([lab.probe, lab.agent, str(target.pid), "--read-ms", "5"], stdout=subprocess.PIPE)
            time.sleep(random.Random(round_number).uniform(0, 0.1))
            _ends_well(target)
            told = json.loads(probe.communicate(timeout=LIMIT_S)[0])
            assert probe.returncode in (0, 1) and told["broken"] == 0, (probe.returncode, told)
            assert (probe.returncode == 1) == bool(told["failed"]), told
            failures.update(told["failed"])
    assert all("the process has ended" in failure for failure in failures), failures


def killing_the_injector_hurts_nobody(lab):
    seed = random.randrange(1 << 30)
    chance = random.Random(seed)
    expected = _alone(lab)

    with lab.python() as python, lab.target("storm", 3) as storm, lab.target("registers") as registers:
        victims = (python, storm, registers)
        for kill in range(3 * lab.rounds):
            victim = victims[kill % 3]
            probe = subprocess.Popen([lab.probe, lab.agent, str(victim.pid), "--rounds", "50", "--read-ms", "0"],
                                     stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(chance.uniform(0, 0.1))
            assert probe.poll() is None, (seed, kill, "it had ended before it was killed")
            probe.kill()
            probe.wait(LIMIT_S)
            assert victim.poll() is None, (seed, kill, victim.communicate())
        for victim in victims:
            wait_until(lambda: _state(victim.pid)[1] == 0, "the kernel to end the tracing")
            assert state_of(victim.pid) != "t", seed
            told = lab.attach(victim.pid, "--read-ms", 5)
            assert told["code"] == 0, (seed, told)
        _ends_well(python, expected)
        _ends_well(storm)
        _ends_well(registers)


def injector_that_dies_at_any_system_call_of_its_work_hurts_nobody(lab):
    """The same, but at every step: strace kills the injector at its N-th call of a kind."""
    if not shutil.which("strace"):
        raise Skip("no strace here")
    steps = [("ptrace", when) for when in (*range(1, 10), *range(10, 10 + 8 * lab.rounds, 8))]
    steps += [("process_vm_writev", when) for when in (1, 2)] + [("process_vm_readv", when) for when in range(1, 12)]
    killed = 0
    survived = set()  # it makes fewer calls of the kind than that
    for name in ("registers", "storm"):
        for call, when in steps:
            if (name, call) in survived:
                continue
            with lab.target(name, 2) as target:
                ended = subprocess.run(["strace", "-f", "-o", "/dev/null", "-e", f"trace={call}", "-e",
                                f"inject={call}:signal=SIGKILL:when={when}", lab.probe, lab.agent, str(target.pid),
                                "--read-ms", "1"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False,
                                       timeout=LIMIT_S)
                killed += ended.returncode == -signal.SIGKILL
                if ended.returncode == 0:
                    survived.add((name, call))
                assert target.poll() is None, (name, call, when, target.communicate())
                assert _state(target.pid)[1] == 0
                _ends_well(target)
    assert killed >= 10, killed


def _under_allocator(lab, name):
    found = sorted(pathlib.Path("/usr/lib").glob(f"*/lib{name}.so.*"))
    if not found:
        raise Skip(f"no {name} here")
    with lab.target("storm", 4, env={**os.environ, "LD_PRELOAD": str(found[0])}) as storm:
        told = lab.attach(storm.pid, "--rounds", lab.rounds, "--read-ms", 20)
        _ends_well(storm)
    assert told["code"] == 0 and told["samples"] > 0, told


def program_with_jemalloc_is_entered(lab):
    _under_allocator(lab, "jemalloc")


def program_with_tcmalloc_is_entered(lab):
    _under_allocator(lab, "tcmalloc_minimal")


def program_with_mimalloc_is_entered(lab):
    _under_allocator(lab, "mimalloc")


if __name__ == "__main__":
    main(globals(), lambda test, words: test(Lab(words.probe, words.agent, words.targets, words.rounds)),
         probe=str, agent=str, targets=pathlib.Path)
