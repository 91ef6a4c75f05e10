"""A job that leaves something behind: the caller has the status at once, and the rest is watched to its end."""

import contextlib
import json
import os
import pathlib
import subprocess
import sys

from box import LIMIT_S, Box, is_alive, main, text_of, wait_until

# Forks twice like a daemon. It grows, so that its recording has a verdict.
DAEMON = """
import os, sys, time
if os.fork():
    sys.exit(4)
os.setsid()
if os.fork():
    os._exit(0)
kept = [bytearray(20_000_000)]
with open('pid.part', 'w') as file:
    file.write(str(os.getpid()))
os.rename('pid.part', 'pid')
while not os.path.exists('finish'):
    kept.append(bytearray(1_000_000))
    time.sleep(0.1)
with open('done', 'w') as file:
    file.write(str(time.time()))
"""


def _watchers(box):
    """Processes of lowtide that write into the folder of this test."""
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        words = text_of(path).split("\0")
        with contextlib.suppress(OSError):  # it may end meanwhile
            if words[0] == "lowtide" and "attach" in words and pathlib.Path(f"/proc/{path.parts[2]}/cwd").samefile(box.folder):
                found.append(int(path.parts[2]))
    return found


def daemon_is_watched_to_its_end_by_one_that_ends_with_it(box: Box):
    process = box.start(*box.script("daemon.py", DAEMON), options=("--output", "run.lowtide", "--interval", "100ms"))

    assert process.wait(LIMIT_S) == 4
    daemon = int(text_of(box.path("pid")))
    assert is_alive(daemon) and not box.path("done").exists(), "the status came before the daemon's end"
    words = text_of(box.path("err"))
    assert "in the background, recording: run-background.lowtide" in words, words
    box.wait_for_samples("run-background.lowtide", 2)
    assert len(_watchers(box)) == 1, _watchers(box)
    box.path("finish").touch()
    wait_until(lambda: not is_alive(daemon), "the end of the daemon")
    wait_until(lambda: _watchers(box) == [], "the end of its watcher")

    first, second = box.recording("run.lowtide"), box.recording("run-background.lowtide")
    assert daemon in first.pids and second.pids == [daemon], (first.pids, second.pids, daemon)
    assert (first.meta("closed"), second.meta("closed")) == ("1", "1")
    assert second.one("PRAGMA integrity_check") == "ok"
    # From a moment after the one recording to the end of the job, at the pace that was asked for.
    # How late the last sample may be is what the others say of this machine: ticks are as far apart as it lets them be.
    began = float(second.meta("started_unix_s"))
    times = [0.0, *(row[0] for row in second.rows("SELECT at_s FROM target_memory ORDER BY at_s"))]
    longest_s = max(after - before for before, after in zip(times, times[1:]))
    assert float(text_of(box.path("done"))) - (began + second.last_s) < 1.0 + 3 * longest_s, times
    assert second.one("SELECT ended_s FROM process") >= second.last_s, second.rows("SELECT * FROM process")
    assert second.meta("interval_s").startswith("0.1"), second.rows("SELECT * FROM meta")
    assert [row[0] for row in second.rows("SELECT kind FROM event")] == ["exit"]
    report = json.loads(box.run("run-background.lowtide", options=("--json",), verb="report").stdout)
    assert report["processes"][0]["pid"] == daemon and report["target"]["ending"] == "closed", report["target"]


def background_child_of_a_shell_does_not_hold_the_caller(box: Box):
    script = ("python=$1; $python -c 'import os, time; block = bytearray(30_000_000); "
              "[time.sleep(0.05) for _ in iter(lambda: os.path.exists(\"finish\"), True)]' "
              "</dev/null >/dev/null 2>&1 & echo $! > pid; echo started; exit 3")
    ended = subprocess.run(["sh", "-c", 'words=$("$0" run --output run.lowtide -- sh -c "$1" job "$2"); echo "$words $?"',
                            box.binary, script, sys.executable],
                           cwd=box.folder, env=box.environment, capture_output=True, timeout=LIMIT_S)

    # A shell that captures the output waits until it is closed: no process of lowtide may keep it open.
    assert ended.stdout == b"started 3\n", ended
    assert is_alive(int(text_of(box.path("pid")))), "we ended, and it did not"
    box.wait_for_samples("run-background.lowtide")
    box.path("finish").touch()
    wait_until(lambda: _watchers(box) == [], "the end of its watcher")
    assert box.recording("run-background.lowtide").meta("closed") == "1"


def small_helper_that_stays_is_named_and_not_watched(box: Box):
    ended = box.run("sh", "-c", "sleep 30 </dev/null >/dev/null 2>&1 & echo $! > pid; exit 2",
                    options=("--output", "run.lowtide"))
    helper = int(text_of(box.path("pid")))

    assert ended.returncode == 2
    assert f"the largest is {helper}".encode() in ended.stderr and b"background" not in ended.stderr, ended.stderr
    assert is_alive(helper) and not box.path("run-background.lowtide").exists()
    os.kill(helper, 9)


if __name__ == "__main__":
    sys.exit(main(globals()))
