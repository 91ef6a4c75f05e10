"""lowtide and its job in a container with Docker's default filter of system calls: what it does not list fails with EPERM."""

import json
import shutil
import signal
import subprocess

from box import LIMIT_S, Box, Skip, main, need_program, text_of, wait_until

# Of the filter of Docker 20.10 and later: refused without more capabilities than a container has by default.
REFUSED = """acct add_key bpf clock_settime create_module delete_module fanotify_init finit_module fsconfig fsmount fsopen fspick
get_mempolicy init_module io_uring_enter io_uring_register io_uring_setup ioperm iopl kcmp kexec_file_load kexec_load keyctl
lookup_dcookie mbind migrate_pages mount mount_setattr move_mount move_pages nfsservctl open_by_handle_at open_tree
perf_event_open pidfd_getfd pivot_root process_madvise query_module quotactl quotactl_fd reboot request_key set_mempolicy
setdomainname sethostname setns settimeofday swapoff swapon sysfs syslog umount2 unshare uselib userfaultfd ustat vhangup
vserver""".split()
# Before that, and on a kernel before 4.8: ptrace, and what was new.
REFUSED_BEFORE = """ptrace process_vm_readv process_vm_writev close_range openat2 pidfd_open pidfd_send_signal memfd_secret
epoll_pwait2 futex_waitv process_mrelease statx""".split()

# Becomes another program behind the filter: filtered.py [REFUSED, CLONE, CLONE3] COMMAND...
FILTERED = """
import ctypes, json, os, struct, sys
EPERM, ENOSYS, ALLOW, ERROR = 1, 38, 0x7fff0000, 0x50000
NAMESPACES = 0x7e020000
KEPT = (0, 1, 3, 4, 5, 6, 7, 8, 10, 13, 18, 27, 29, 31)  # capabilities
refused, clone, clone3 = json.loads(sys.argv[1])
rules = [(0x20, 0, 0, 0)]  # the number
for number in refused:
    rules += [(0x15, 0, 1, number), (6, 0, 0, ERROR | EPERM)]
rules += [(0x15, 0, 1, clone3), (6, 0, 0, ERROR | ENOSYS)]
rules += [(0x15, 0, 4, clone), (0x20, 0, 0, 16), (0x54, 0, 0, NAMESPACES), (0x15, 1, 0, 0), (6, 0, 0, ERROR | EPERM)]
rules += [(6, 0, 0, ALLOW)]
code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *rule) for rule in rules))
program = ctypes.create_string_buffer(struct.pack("HxxxxxxQ", len(rules), ctypes.addressof(code)))
libc = ctypes.CDLL(None, use_errno=True)
if os.geteuid() == 0:
    for capability in set(range(41)) - set(KEPT):
        libc.prctl(24, capability, 0, 0, 0)
else:
    libc.prctl(38, 1, 0, 0, 0)
if libc.prctl(22, 2, ctypes.byref(program), 0, 0):
    sys.exit(77)
os.execv(sys.argv[2], sys.argv[2:])
"""

LEAKS = """
import os, time
kept = []
def leaks():
    kept.append(bytearray(512 << 10))
print('ready', flush=True)
while os.path.exists('err'):
    leaks()
    time.sleep(0.02)
"""


def _numbers():
    """Of the system calls of this machine, by name."""
    need_program("cc")
    said = subprocess.run(["cc", "-dM", "-E", "-include", "sys/syscall.h", "-x", "c", "/dev/null"], capture_output=True, text=True, check=True)
    words = (line.split() for line in said.stdout.splitlines() if line.startswith("#define __NR_"))
    return {word[1][5:]: int(word[2]) for word in words if word[2].isdigit()}


def _filtered(box, refused):
    """The words that start a program behind the filter."""
    numbers = _numbers()
    filter_of = [[numbers[name] for name in refused if name in numbers], numbers["clone"], numbers["clone3"]]
    box.path("err").touch()
    words = [*box.script("filtered.py", FILTERED), json.dumps(filter_of)]
    if subprocess.run([*words, shutil.which("true")]).returncode == 77:
        raise Skip("no filter can be installed")
    return words


def _job(box, filtered):
    if text_of("/proc/sys/kernel/yama/ptrace_scope").strip() not in ("", "0"):
        raise Skip("this kernel lets only a parent trace, whatever the filter")
    job = box.spawn([*filtered, *box.script("job.py", LEAKS)], stdout=open(box.path("said"), "wb"))
    wait_until(lambda: "ready" in text_of(box.path("said")), "the job")
    return job


def _functions(box):
    return {row[0] for row in box.recording("run.lowtide").rows("SELECT function FROM frame")}


def _run(box, filtered):
    """A run of a job until its line and a snapshot of its variables are on record."""
    monitor = box.spawn([*filtered, *box.command(*box.script("job.py", LEAKS), options=("--no-status", "--output", "run.lowtide"))])
    box.wait_for_samples("run.lowtide")

    def names():
        return box.recording("run.lowtide").rows("SELECT path FROM snapshot_node WHERE path = '__main__.kept'")

    wait_until(names, "a snapshot with the variable")
    box.path("err").rename(box.path("said"))
    assert monitor.wait(LIMIT_S) == 0, text_of(box.path("said"))
    assert "leaks" in _functions(box), _functions(box)


def run_finds_line_and_variable_behind_the_filter_of_docker(box: Box):
    _run(box, _filtered(box, REFUSED))


def run_finds_line_and_variable_behind_the_filter_of_an_old_docker(box: Box):
    _run(box, _filtered(box, REFUSED + REFUSED_BEFORE))


def deep_attach_works_behind_the_filter_of_docker(box: Box):
    filtered = _filtered(box, REFUSED)
    job = _job(box, filtered)

    monitor = box.spawn([*filtered, *box.command("--deep", "--no-status", "--output", "run.lowtide", str(job.pid), verb="attach")])
    box.wait_for_samples("run.lowtide")
    wait_until(lambda: "leaks" in _functions(box), lambda: f"the line; {text_of(box.path('err'))}")
    monitor.send_signal(signal.SIGINT)

    assert monitor.wait(LIMIT_S) == 0 and job.poll() is None, text_of(box.path("err"))


def _snapshot(box, filtered, job):
    return subprocess.run([*filtered, box.binary, "snapshot", "--json", str(job.pid)], capture_output=True, text=True, timeout=LIMIT_S)


def snapshot_works_behind_the_filter_of_docker(box: Box):
    filtered = _filtered(box, REFUSED)
    job = _job(box, filtered)

    done = _snapshot(box, filtered, job)

    assert done.returncode == 0 and job.poll() is None, done.stderr
    assert "__main__.kept" in [holder["path"] for holder in json.loads(done.stdout)["holders"]], done.stdout[-2000:]


def without_ptrace_the_job_goes_on_and_the_reason_is_given(box: Box):
    filtered = _filtered(box, REFUSED + REFUSED_BEFORE)
    job = _job(box, filtered)

    def attach(*options):
        return subprocess.run([*filtered, box.binary, "attach", "--no-status", "--duration", "0.5s", *options, str(job.pid)],
                              cwd=box.folder, capture_output=True, text=True, timeout=LIMIT_S)

    for said in (attach("--deep", "--no-recording"), _snapshot(box, filtered, job)):
        assert said.returncode == 3, (said.returncode, said.stderr)
        assert "forbids ptrace" in said.stderr and "lowtide run" in said.stderr, said.stderr
    assert job.poll() is None
    # What needs no entry works.
    watched = attach("--no-report", "--output", "run.lowtide")
    assert watched.returncode == 0 and box.recording("run.lowtide").samples > 0, watched.stderr


if __name__ == "__main__":
    main(globals())
