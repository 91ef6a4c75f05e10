"""`lowtide snapshot` as a user calls it: --watch, hints about other processes, wrappers.

usage: snapshot_verb_test.py --binary LOWTIDE [NAME...] | --list
"""

import json
import pathlib
import re
import signal
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE))
sys.dont_write_bytecode = True
from lab import PYTHON, Lab, by_path, ready  # noqa: E402  (it makes the others known)
from functions import LIMIT_S, children_of, main, read_line  # noqa: E402


def watching_shows_what_grows_until_it_is_ended(lab):
    script = "import time\nkept = []\nprint('ready', flush=True)\nwhile True:\n    kept.append(bytes(100_000)); time.sleep(0.005)"
    with lab.running(PYTHON, "-c", script) as job:
        ready(job)
        watcher = subprocess.Popen([lab.binary, "snapshot", "--watch", "500ms", str(job.pid)], stdout=subprocess.PIPE, text=True)
        out = ""
        heading = "Growth since this snapshot"
        while "__main__.kept (list)" not in out.partition(heading)[2]:
            line = read_line(watcher.stdout, "growth")
            assert line, (watcher.poll(), out)
            out += line
        watcher.send_signal(signal.SIGINT)
        rest, _ = watcher.communicate(timeout=LIMIT_S)
        out += rest
        assert watcher.returncode == 0, watcher.returncode
        assert out.index("Variables that hold the most memory") < out.index(heading), out
        growth = out.partition(heading)[2]
        assert re.search(r"\+[\d.]+ [kM]B/s +[\d,]+ \(\+[\d,]+\) items +__main__\.kept \(list\)", growth), growth
        assert len(growth.splitlines()) <= 4 * (growth.count(" in ") + 1), growth


def child_that_holds_much_more_is_mentioned(lab):
    script = ("import os, time\nparent = os.getpid()\nif os.fork() == 0:\n"
              "    kept = b'x' * 150_000_000\n    print('ready', flush=True)\n"
              "    while os.getppid() == parent: time.sleep(0.05)\n    os._exit(0)\nos.wait()")
    with lab.running(PYTHON, "-c", script) as job:
        ready(job)
        child = children_of(job.pid)[0]
        told = lab.call("--quiet", job.pid).stderr
        assert re.search(rf"process {child} of the same process tree holds 1\d\d MB", told), told
        assert f"lowtide snapshot {child}" in told, told
        assert "same process tree" not in lab.call("--quiet", child).stderr


def wrapper_leads_to_its_python(lab):
    with lab.running("sh", "-c", f"{PYTHON} -c \"kept = [bytes(1000+n) for n in range(999)]; print('ready', flush=True); "
                     "input()\"; true") as job:
        ready(job)
        done = lab.call("--json", job.pid)
        assert "is a wrapper" in done.stderr, done.stderr
        assert by_path(json.loads(done.stdout))["__main__.kept", "list"]["length"] == 999


if __name__ == "__main__":
    main(globals(), lambda test, words: test(Lab(words.binary, words.rounds)), binary=str)
