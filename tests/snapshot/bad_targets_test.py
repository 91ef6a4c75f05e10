"""Processes that a snapshot cannot be taken of, or hardly: a clear answer each. Every function without an underscore is a test.

usage: bad_targets_test.py --binary LOWTIDE [NAME...] | --list
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
sys.dont_write_bytecode = True
from lab import NOT_SEEN, PYTHON, Lab, ready  # noqa: E402  (it makes the others known)
from functions import Skip, main, read_line, stat_of, state_of, wait_until  # noqa: E402
from probing import KNOWN_PYTHONS  # noqa: E402

HOLDS = "import time\nkept = [bytes(1000 + n) for n in range(999)]\nprint('ready', flush=True)\nwhile True: time.sleep(0.01)"


def process_that_does_not_see_the_library_is_reported(lab):
    """In a container the same path is another file, or none."""
    if os.geteuid() != 0 or not shutil.which("unshare"):
        raise Skip("needs root and unshare")
    ours = pathlib.Path(lab.binary).resolve().parents[1]
    hide = f"mount -t tmpfs none '{ours}' && exec \"$@\""
    with lab.running("unshare", "--mount", "--propagation", "private", "sh", "-c", hide, "sh", PYTHON, "-c", HOLDS) as job:
        if not read_line(job.stdout):
            raise Skip("no namespace can be made")
        told = lab.call(job.pid, code=NOT_SEEN).stderr
        assert "cannot access" in told and "another file system" in told and "in its container" in told, told
        assert "GIL" not in told, told


FILTERS = """
import ctypes, struct
libc = ctypes.CDLL(None, use_errno=True)
rules = b"".join(struct.pack("HBBI", *rule) for rule in ((0x20, 0, 0, 0), (0x15, 0, 1, %d), (6, 0, 0, 0x80000000), (6, 0, 0, 0x7fff0000)))
code = ctypes.create_string_buffer(rules)
program = ctypes.create_string_buffer(struct.pack("HxxxxxxQ", 4, ctypes.addressof(code)))
libc.prctl(38, 1, 0, 0, 0)
if libc.prctl(22, 2, ctypes.byref(program), 0, 0):
    raise OSError(ctypes.get_errno(), "prctl")
"""


def process_with_a_filter_of_its_own_is_reported_and_lives(lab):
    """The filter kills it for a socket, which the agent would make."""
    socket_call = {"x86_64": 41, "aarch64": 198}[os.uname().machine]
    with lab.running(PYTHON, "-c", FILTERS % socket_call + HOLDS) as job:
        ready(job)
        assert "seccomp filter" in lab.call(job.pid, code=NOT_SEEN).stderr
        deep = subprocess.run([lab.binary, "attach", "--deep", "--no-recording", "--duration", "0.2s", str(job.pid)],
                              capture_output=True, text=True, timeout=60)
        assert deep.returncode == NOT_SEEN and "seccomp filter" in deep.stderr, (deep.returncode, deep.stderr)
        assert job.poll() is None


EXITING = 4  # of the flags in /proc/PID/stat
LARGE = "kept = bytearray(b'x') * (600 << 20)\nprint('ready', flush=True)\nimport time\ntime.sleep(100)"


def process_that_is_about_to_end_is_reported(lab):
    """Its memory is given back for a while, and nobody may enter it then."""
    moments = {"the kill": lambda: True,
               "its end": lambda: int(stat_of(job.pid)[6]) & EXITING,
               "a zombie": lambda: state_of(job.pid) == "Z"}
    for moment, has_come in moments.items():
        with lab.running(PYTHON, "-c", LARGE) as job:
            ready(job)
            job.kill()
            wait_until(has_come, moment)
            told = lab.call(job.pid, code=NOT_SEEN).stderr
            assert "has ended" in told and "no running process has this pid" in told, told


def process_in_uninterruptible_sleep_is_reported_and_goes_on(lab):
    with tempfile.TemporaryDirectory() as folder:
        pipe = f"{folder}/pipe"
        os.mkfifo(pipe)
        # A spawn waits, and cannot be woken, until the child runs its program: which waits for the pipe.
        waits = f"import os\nprint('ready', flush=True)\nchild = os.posix_spawn('/bin/true', ['true'], os.environ, file_actions=" \
                f"[(os.POSIX_SPAWN_OPEN, 0, {pipe!r}, os.O_RDONLY, 0)])\nos.waitpid(child, 0)\nprint('woke', flush=True)\n" \
                "kept = [n for n in range(1000)]\nimport time\ntime.sleep(100)"
        with lab.running(PYTHON, "-c", waits) as job:
            ready(job)
            wait_until(lambda: state_of(job.pid) == "D", "an uninterruptible sleep")
            told = lab.call(job.pid, code=NOT_SEEN).stderr
            assert "waiting in the kernel" in told and "did not change it" in told, told
            with open(pipe, "w"):
                assert read_line(job.stdout, "the end of its sleep") == "woke\n"
            assert lab.take(job.pid)["snapshot"]["objects"] > 1000


def python_without_symbols_is_seen(lab):
    if not shutil.which("strip"):
        raise Skip("no strip")
    with tempfile.TemporaryDirectory() as folder:
        copy = f"{folder}/python"
        shutil.copy(os.path.realpath(PYTHON), copy)
        subprocess.run(["strip", "--strip-all", copy], check=True)
        with lab.running(copy, "-c", HOLDS, env=os.environ | {"PYTHONHOME": _home()}) as job:
            ready(job)
            paths = [holder["path"] for holder in lab.take(job.pid)["holders"]]
            assert "__main__.kept" in paths, paths


def _home():
    return subprocess.run([PYTHON, "-c", "import sys; print(sys.prefix)"], capture_output=True, text=True).stdout.strip()


def free_threaded_python_is_reported(lab):
    found = [python for python in [shutil.which(f"python3.{minor}t") for minor in KNOWN_PYTHONS if minor >= 13] if python]
    if not found:
        raise Skip("no python3.13t or python3.14t")
    with lab.running(found[-1], "-c", HOLDS) as job:
        ready(job)
        assert "free-threaded" in lab.call(job.pid, code=NOT_SEEN).stderr


if __name__ == "__main__":
    main(globals(), lambda test, words: test(Lab(words.binary, words.rounds)), binary=str)
