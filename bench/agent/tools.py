"""The tools that are measured side by side, and how they are had.

heaptrack is Debian's (group `peers` of tools/packages.txt). memray comes from the Python
package index into an environment under build/, which sees the system's torch and numpy;
all loads run with that environment's Python, so that no tool has another one.
A tool that is not to be had is left out, and it is said.
"""
import os
import pathlib
import shutil
import subprocess
import sys

BUILD = pathlib.Path(__file__).resolve().parent.parent.parent
LOWTIDE = os.environ.get("LOWTIDE", str(BUILD / "src/cli/lowtide"))
PEERS = BUILD.parent / "peers"


def import_error(python, module):
    """None, or the last line of why it cannot be imported."""
    done = subprocess.run([python, "-c", f"import {module}"], capture_output=True, text=True)
    lines = done.stderr.strip().splitlines() or ["it was killed"]
    return lines[-1] if done.returncode else None


def make_environment(base_python):
    """The Python for all loads: that of build/peers, or the given one where it cannot be made."""
    python = PEERS / "bin/python"
    if not python.exists():
        made = subprocess.run([base_python, "-m", "venv", "--system-site-packages", PEERS], capture_output=True, text=True)
        if made.returncode:
            shutil.rmtree(PEERS, ignore_errors=True)
            print(f"no environment of Python could be made in {PEERS}: {(made.stdout + made.stderr).strip()}")
            return base_python
    if import_error(python, "memray"):
        print("installing memray ...", flush=True)
        done = subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "memray"],
                              capture_output=True, text=True)
        if done.returncode:
            print("  " + (done.stderr.strip().splitlines() or ["pip failed"])[-1])
    return str(python)


class Tool:
    """How a job is put under a tool, and what the tool leaves behind."""

    def __init__(self, name, words=(), python_words=(), slow=False, only=None, follow=()):
        self.name = name
        self.words = list(words)                # before the whole command
        self.python_words = list(python_words)  # between the Python and the script
        self.slow = slow                        # gets a tenth of the work: what it costs is seen all the same
        self.only = only                        # the loads that it is for; None: all
        self.follow = list(follow)              # further words for a job with children

    def command(self, python, script, arguments, recording, has_children=False):
        words = [word.replace("RECORDING", recording) for word in self.words]
        inner = [word.replace("RECORDING", recording) for word in self.python_words]
        return words + [python] + inner + (self.follow if has_children and inner else []) + [script] + arguments


def find_tools(python):
    """Bare first, then ours, then the peers that are there."""
    watch = [LOWTIDE, "run", "--quiet", "--no-report", "--output", "RECORDING"]
    memray = ["-m", "memray", "run", "--quiet", "--output", "RECORDING"]
    yield Tool("bare")
    yield Tool("lowtide", watch + ["--"])
    yield Tool("lowtide --no-agent", watch + ["--no-agent", "--"])
    if shutil.which("heaptrack"):
        yield Tool("heaptrack", ["heaptrack", "--output", "RECORDING"], slow=True)
    else:
        print("SKIPPED heaptrack: it is not here (apt-get install heaptrack)")
    why = import_error(python, "memray")
    if why is None:
        yield Tool("memray", python_words=memray, slow=True, follow=["--follow-fork"])
        yield Tool("memray --native", python_words=memray + ["--native"], slow=True, follow=["--follow-fork"])
        yield Tool("memray, objects too", python_words=memray + ["--trace-python-allocators"], slow=True,
                   only=["Python objects"])
    else:
        print(f"SKIPPED memray: {why}")
    yield Tool("tracemalloc", python_words=["-X", "tracemalloc"], slow=True,
               only=["torch training step", "Python objects", "DataLoader, 4 workers"])


def version_of(command):
    try:
        done = subprocess.run(command, capture_output=True, text=True)
    except OSError:
        return None
    lines = (done.stdout + done.stderr).strip().splitlines()
    return lines[-1] if lines and not done.returncode else None


def describe(python):
    """One line with what is compared."""
    found = {"python": version_of([python, "--version"]), "torch": version_of([python, "-c", "import torch; print(torch.__version__)"]),
             "heaptrack": version_of(["heaptrack", "--version"]), "memray": version_of([python, "-m", "memray", "--version"])}
    load = os.getloadavg()
    return (", ".join(f"{name} {version.split()[-1]}" for name, version in found.items() if version)
            + f"; {os.cpu_count()} CPUs, load average {load[0]:.1f}")


def python_of(argument):
    if argument:
        return argument
    return "/usr/bin/python3" if os.path.exists("/usr/bin/python3") else sys.executable
