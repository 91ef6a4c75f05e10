"""The allocation hooks in programs of C++: they change nothing, and what they say is true."""

import math
import os
import pathlib
import re
import shutil
import subprocess
import sys

from probing import MMAP, SANITIZER, SHARED_MMAP, STATE_OFF, STATE_ON, VALGRIND, Skip, library, main, missed_bytes
from functions import read_line  # after probing, which makes it known

ALLOCATORS = ("libjemalloc.so.2", "libtcmalloc_minimal.so.4", "libmimalloc.so.2*")
CHECKED = "#include <cstdlib>\nint main() { for (int i = 0; i < 99; ++i) free(malloc(1 << 20)); }\n"


def eight_threads_lose_nothing_and_leave_nothing(bench):
    process = bench.run(bench.target, "storm", 300000).only()

    assert process["state"] == STATE_ON
    left = {name: process[name] for name in ("live", "live_bytes", "sites")}
    assert process["live"] == 0, left
    assert process["live_bytes"] == 0, left
    assert process["frees"] == process["samples"] - sum(process["drops"])


def live_bytes_are_estimated_within_the_stated_error(bench):
    said = bench.run(bench.target, "keep", 400, environment={"LOWTIDE_AGENT_RATE": "100000"})
    process, kept = said.only(), int(said.output)

    # Each sample stands for the mean, and their number is Poisson distributed: the relative
    # error is 1 / sqrt(samples). Five times that is passed once in two million runs.
    error = 5 / math.sqrt(process["live"])
    assert abs(process["live_bytes"] - kept) < error * kept, (process["live_bytes"], kept, error)
    assert abs(process["sampled_bytes"] - 2 * kept) < error * 2 * kept


def a_lower_rate_that_the_monitor_asks_for_keeps_the_estimates_right(bench):
    settings = {"LOWTIDE_AGENT_RATE": "100000"}
    full = bench.run(bench.target, "keep", 400, environment=settings).only()
    said = bench.run(bench.target, "keep", 400, environment={**settings, "PROBE_MOST_SAMPLES": "50"})
    process, kept = said.only(), int(said.output)

    assert process["samples"] < full["samples"] / 2, (process["samples"], full["samples"])
    assert process["mean_bytes"] > full["mean_bytes"], process["mean_bytes"]
    # The variance is at most the largest weight times the sum; the mean may have fallen since the largest.
    error = 5 * math.sqrt(4 * process["mean_bytes"] * kept)
    assert abs(process["live_bytes"] - kept) < error, (process["live_bytes"], kept, error)


def what_an_allocator_promises_is_kept(bench):
    assert bench.run(bench.target, "promises").only()["live"] == 0


def a_chain_of_reallocs_is_one_block(bench):
    process = bench.run(bench.target, "realloc").only()

    assert process["live"] == 1 and process["live_bytes"] == 3_000_000


def malloc_may_fail(bench):
    assert bench.run(bench.target, "limit").only()["live"] == 0


def forks_among_threads_have_agents_of_their_own(bench):
    said = bench.run(bench.target, "forks", 30)

    assert len({process["pid"] for process in said.processes}) == 31
    assert all(process["live"] == 0 for process in said.processes)


# Forks children that each run the same lines.
FORKS = """
import os, time
before = {before}
children = []
for _ in range({count}):
    child = os.fork()
    if child == 0:
        kept = {kept}
        time.sleep({seconds})
        os._exit(0)
    children.append(child)
for child in children:
    os.waitpid(child, 0)
"""
BURST = FORKS.format(before="None", count=100, kept="bytearray(50_000_000)", seconds=1)


def each_of_a_hundred_children_that_allocate_once_is_heard(bench):
    said = bench.run(sys.executable, "-c", BURST)

    heard = [process for process in said.processes if process["live_bytes"] > 40e6]
    assert len(heard) == 100, len(heard)


def a_child_frees_its_copy_only(bench):
    parent, child = sorted(bench.run(bench.target, "fork_frees").processes, key=lambda process: process["pid"])

    assert parent["live_bytes"] == 40 << 20
    assert child["live_bytes"] == 20 << 20 and child["frees"] == 0


def vfork_and_spawn_do_no_harm(bench):
    said = bench.run(bench.target, "vfork")

    assert said.only()["live_bytes"] == 1 << 20  # /bin/true allocates too little to be heard of


def a_program_after_exec_is_sampled_too(bench):
    said = bench.run("sh", "-c", f"{bench.target} realloc; exec {bench.target} keep 50")

    assert len(said.with_samples()) == 2


def libraries_come_and_go(bench):
    process = bench.run(bench.target, "dlopen").only()

    assert process["module_changes"] > 0
    assert process["live"] <= 2  # the loader keeps a little


def dlopen_finds_what_is_beside_the_caller(bench):
    bench.run(bench.programs / "agent_runpath_main", bench.programs / "libagent_runpath_outer.so")


def signals_may_interrupt_everything(bench):
    assert bench.run(bench.target, "signals", 10).only()["live"] == 0


def threads_may_free_while_they_end(bench):
    assert bench.run(bench.target, "thread_exits").only()["live"] == 0


def mappings_may_be_cut_and_moved(bench):
    process = bench.run(bench.target, "mappings").only()

    assert process["live_bytes"] == 8 << 20
    assert [source for source, _ in process["by_source"]] == [MMAP]


def shared_memory_is_seen_and_files_and_devices_are_not(bench):
    kind = subprocess.run(["stat", "-f", "-c", "%T", bench.folder], capture_output=True, text=True).stdout.strip()
    if kind == "tmpfs":
        raise Skip("the folder for temporary files lies in memory")

    process = bench.run(bench.target, "shared_mappings").only()

    assert process["live_bytes"] == 16 << 20
    assert [source for source, _ in process["by_source"]] == [SHARED_MMAP]


def a_stack_without_neighbours_is_not_read_past_its_end(bench):
    process = bench.run(bench.target, "small_stack").only()

    assert process["samples"] >= 50 and process["without_stack"] == 0


def the_table_of_live_samples_grows(bench):
    process = bench.run_read(bench.target, "many_live", environment={
        "LOWTIDE_AGENT_MEAN": "65536", "LOWTIDE_AGENT_RATE": "1000000", "PROBE_PAUSE_US": "200"}).only()

    assert process["drops"][1] == 0, process["drops"]
    assert process["live"] > 20_000, process["live"]  # more than the first chunk holds
    kept = 60_000 * 70_000
    assert 0.8 * kept - missed_bytes(process) < process["live_bytes"] < 1.2 * kept, (process["live_bytes"], process["drops"])


def a_reader_that_is_too_slow_gets_the_number_of_lost_samples(bench):
    process = bench.run(bench.target, "storm", 200000, environment={
        "LOWTIDE_AGENT_RATE": "1000000", "PROBE_PAUSE_US": "300000"}).only()

    assert process["drops"][0] > 0
    assert process["live"] == 0


def a_reader_that_is_away_for_a_moment_does_not_blind_the_agent(bench):
    base_bytes = 65536
    process = bench.run(bench.target, "storm", 200000, environment={
        "LOWTIDE_AGENT_MEAN": str(base_bytes), "LOWTIDE_AGENT_RATE": "1000000", "PROBE_PAUSE_US": "300000"}).only()

    assert process["drops"][0] > 100, process["drops"]
    # Each second with a loss doubles it; seconds without one bring it back.
    assert base_bytes <= process["mean_bytes"] <= 64 * base_bytes, process["mean_bytes"]


def a_monitor_that_is_not_there_is_not_missed(bench):
    settings = {**os.environ, "LD_PRELOAD": str(bench.agent), "LOWTIDE_AGENT_SOCKET": str(bench.folder / "nobody")}

    done = subprocess.run([bench.target, "storm", "20000"], env=settings, capture_output=True, timeout=60)

    assert done.returncode == 0 and done.stderr == b""


def other_allocators_stay_in_charge(bench):
    tried = 0
    for name in ALLOCATORS:
        try:
            path = library(name)
        except Skip as missing:
            print(missing)
            continue
        tried += 1
        for command in (("storm", 50000), ("forks", 5), ("dlopen",), ("thread_exits",)):
            # What the loader and the allocator keep for themselves may be sampled too.
            assert all(process["live"] <= 2 for process in bench.run(bench.target, *command, preload=path).processes)
        # As in live_bytes_are_estimated_within_the_stated_error.
        said = bench.run(bench.target, "keep", 400, preload=path, environment={"LOWTIDE_AGENT_RATE": "100000"})
        process, kept = said.only(), int(said.output)
        error = 5 / math.sqrt(process["live"]) + missed_bytes(process) / kept
        assert error < 0.5 and abs(process["live_bytes"] - kept) < error * kept, (name, process["live_bytes"], kept, error)
        plain = bench.without(bench.target, "promises", preload=path)
        assert bench.run(bench.target, "promises", preload=path, status=plain.returncode).errors == plain.stderr
    if not tried:
        raise Skip("none of " + " ".join(ALLOCATORS))


def a_program_under_the_address_sanitizer_is_left_alone(bench):
    checked = bench.compile("checked", CHECKED, "-fsanitize=address")

    process = bench.run(checked).only()

    assert (process["state"], process["reason"]) == (STATE_OFF, SANITIZER)


def a_program_under_the_thread_sanitizer_is_left_alone(bench):
    for compiler in filter(shutil.which, ("g++", "clang++-14")):
        checked = bench.compile(f"checked_{compiler[0]}", CHECKED, "-fsanitize=thread", compiler=compiler)

        process = bench.run(checked).only()

        assert (process["state"], process["reason"]) == (STATE_OFF, SANITIZER), compiler


def a_program_of_musl_runs_and_is_seen(bench):
    """musl calls constructors without arguments, and leaves the tables of a library as they are in its file."""
    kept = "#include <stdlib.h>\nint main(void) { for (int i = 0; i < 40; ++i) if (!malloc(1 << 20)) return 1; return 3; }\n"
    if not shutil.which("musl-gcc"):
        raise Skip("no musl-gcc")
    (bench.folder / "kept.c").write_text(kept)
    subprocess.run(["musl-gcc", bench.folder / "kept.c", "-o", bench.folder / "kept"], check=True)

    process = bench.run(bench.folder / "kept", status=3).only()

    assert process["live_bytes"] == 40 << 20, process


# Kills the process at the system calls of the agent, and at nothing that the program itself does.
FILTERED = """
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
void work() {
  for (int i = 0; i < 400; ++i) free(std::memset(malloc(100000 + i), 1, 9));
  for (int i = 0; i < 40; ++i) free(std::memset(malloc(4 << 20), 1, 9));
}
void install(bool by_syscall) {
  const unsigned calls[] = {SYS_socket, SYS_connect, SYS_sendmsg, SYS_memfd_create, SYS_ftruncate, SYS_gettid, SYS_rt_sigprocmask,
                            SYS_getpid, SYS_getppid, SYS_fcntl, SYS_fstatfs};
  sock_filter code[64] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr))};
  unsigned short length = 1;
  for (unsigned call : calls) {
    code[length++] = BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1);
    code[length++] = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
  }
  code[length++] = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  sock_fprog program = {length, code};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (by_syscall ? syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) : prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
    _exit(77);
}
int main(int, char** words) {
  const bool by_syscall = words[2][0] == 's';
  if (words[1][0] == 'e') {  // the filter outlives the program
    install(by_syscall);
    execl(words[0], words[0], "work", "-", static_cast<char*>(nullptr));
    _exit(78);
  }
  if (words[1][0] == 's') work();  // the agent is at work already
  if (words[1][0] == 'f') {
    const pid_t child = fork();
    if (child != 0) {
      int status = 0;
      waitpid(child, &status, 0);
      _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 79);
    }
  }
  if (words[1][0] != 'w') install(by_syscall);
  work();
  _exit(5);
}
"""


def a_filter_of_system_calls_that_the_job_installs_does_not_kill_it(bench):
    filtered = bench.compile("filtered", FILTERED)
    # The monitor passes the number of filters that it has itself.
    filters = re.search(r"Seccomp_filters:\s*(\d+)", pathlib.Path("/proc/self/status").read_text())
    known = {"LOWTIDE_AGENT_FILTERS": filters[1] if filters else "0"}
    for way in ("prctl", "syscall"):
        for moment in ("at_once", "sampled", "forked", "exec"):
            assert bench.without(filtered, moment, way).returncode == 5, (way, moment)

            bench.run(filtered, moment, way, status=5, environment=known)


LISTENS = """
import os, socket, sys
listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
listener.bind(sys.argv[1])
os.chmod(sys.argv[1], 0o777)
listener.listen(9)
print("ready", flush=True)
connection, _ = listener.accept()
message, rights, _, _ = connection.recvmsg(256, socket.CMSG_SPACE(16))
print(len(rights), "files", flush=True)
"""


def a_listener_of_another_user_gets_nothing(bench):
    """After a monitor has ended, any user can create its directory again."""
    if os.geteuid() != 0:
        raise Skip("needs root")
    os.chmod(bench.folder, 0o777)
    for uid, heard in ((65534, "0 files"), (0, "1 files")):
        path = bench.folder / f"agents{uid}"
        listener = subprocess.Popen([sys.executable, "-c", LISTENS, path], stdout=subprocess.PIPE, text=True, user=uid)
        assert read_line(listener.stdout).strip() == "ready"
        settings = {**os.environ, "LD_PRELOAD": str(bench.agent), "LOWTIDE_AGENT_SOCKET": str(path)}

        subprocess.run([bench.target, "storm", "20000"], env=settings, check=True, timeout=60)

        assert read_line(listener.stdout).strip() == heard, uid
        listener.wait(60)


WORKERS = FORKS.format(before="[bytearray(100_000) for _ in range(60)]", count=60, kept="[bytearray(40_000) for _ in range(10)]", seconds=0)


def forked_children_do_not_sample_the_same_allocations(bench):
    """Each allocates 0.4 MB, which is sampled about once in half a megabyte: about half of them are heard, not all or none."""
    said = bench.run(sys.executable, "-c", WORKERS)

    children = [process for process in said.with_samples() if process["sampled_bytes"] < 5_000_000]
    assert 12 <= len(children) <= 52, len(children)


def a_program_under_valgrind_is_left_alone(bench):
    try:
        said = bench.run("valgrind", "-q", "/bin/true")
    except AssertionError as error:
        if "127" in str(error):
            raise Skip("no valgrind") from None
        raise

    # The launcher `valgrind` is a separate program and may be sampled before it starts the tool.
    assert [process["reason"] for process in said.processes if process["state"] == STATE_OFF] == [VALGRIND]


def a_static_program_just_runs(bench):
    static = bench.compile("static", CHECKED, "-static")

    assert bench.run(static).processes == []


def without_a_socket_the_agent_sleeps(bench):
    settings = {**os.environ, "LD_PRELOAD": str(bench.agent)}
    settings.pop("LOWTIDE_AGENT_SOCKET", None)

    done = subprocess.run([bench.target, "promises"], env=settings, capture_output=True, timeout=60)

    assert done.returncode == 0 and done.stderr == b""


if __name__ == "__main__":
    main(globals())
