"""What the agent adds to a load, counted instead of timed: valgrind's callgrind counts the instructions of the job and of its
children with and without the agent. Other work on the machine does not change them.

Under Valgrind the agent switches itself off, because a checker of memory replaces malloc. Callgrind does not, so here the
agent is a copy of the library that does not know Valgrind's name. It takes a sample for each half megabyte, as in the first
30 seconds of a job. The instructions of the kernel are not counted, and no snapshots are taken.
"""
import glob
import os
import pathlib
import shutil
import subprocess

from tools import BUILD, LOWTIDE, import_error
from twins import LIBRARY, LOADS

PARTS = (("torch training step", "training.py", ["60"], 1.01, "torch"), ("DataLoader, 4 workers", "loader.py", ["16"], 1.02, "torch"),
         ("Python objects", "objects.py", ["100000"], 1.03, None), ("malloc + free, 1 thread", "pairs.py", ["200000", "1", LIBRARY], 1.05, None))


def _agent(folder):
    """A copy of the library that works under Valgrind."""
    built = os.environ.get("LOWTIDE_AGENT", str(BUILD / "src/agent/liblowtide_agent.so"))
    copy = pathlib.Path(folder) / "liblowtide_agent.so"
    name = b"vgpreload_\0"
    library = pathlib.Path(built).read_bytes()
    assert library.count(name) == 1, built
    copy.write_bytes(library.replace(name, b"?" * (len(name) - 1) + b"\0"))
    return str(copy)


def _count(words, python, script, arguments, folder, **environment):
    out = os.path.join(folder, "callgrind")
    subprocess.run([*words, "valgrind", "-q", f"--log-file={out}.log", "--tool=callgrind", "--instr-atstart=no",
                    f"--callgrind-out-file={out}.%p", python, os.path.join(LOADS, script),
                    os.path.join(folder, "result"), *arguments], check=True, stdin=subprocess.DEVNULL,
                   env={**os.environ, "PYTHONHASHSEED": "0", **environment})
    total = 0
    for path in glob.glob(out + ".[0-9]*"):
        with open(path) as file:
            total += sum(int(line.split()[1]) for line in file if line.startswith("totals:"))
        os.remove(path)
    return total


def bench_counted(python, wanted, folder, aims):
    if shutil.which("valgrind") is None:
        print("SKIPPED counted: there is no valgrind (apt-get install valgrind)")
        return
    watch = [LOWTIDE, "run", "--quiet", "--no-report", "--no-recording", "--no-snapshots", "--"]
    agent = _agent(folder)
    print("\ninstructions with the agent / without (callgrind), with a sample for each half megabyte")
    for name, script, arguments, aim, module in PARTS:
        if wanted and not any(word in name for word in wanted):
            continue
        if why := import_error(python, module) if module else None:
            print(f"SKIPPED {name}: {why}")
            continue
        bare, again = (_count([], python, script, arguments, folder) for _ in range(2))
        watched = _count(watch, python, script, arguments, folder, LOWTIDE_AGENT=agent)
        ratio = 2 * watched / (bare + again)
        aims.report(f"  {name:26}{ratio:.4f} (bare twice: {again / bare:.4f}), aim <= {aim:.2f}", ratio <= aim)
