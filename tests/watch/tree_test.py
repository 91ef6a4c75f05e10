"""Jobs that are more than one process: daemons, pipelines, orphans, many forks, many children."""

import json
import os
import resource
import subprocess
import sys
import time

from box import LIMIT_S, Box, is_alive, job_of, main, text_of, wait_until
from functions import is_sanitized

DAEMON = """
import os, sys, time
if os.fork():
    while not os.path.exists('pid'):
        time.sleep(0.001)
    sys.exit(4)
os.setsid()
if os.fork():
    os._exit(0)
block = bytearray(20_000_000)
with open('pid.part', 'w') as file:
    file.write(str(os.getpid()))
os.rename('pid.part', 'pid')
%s
with open('daemon', 'w') as file:
    file.write('done')
"""

# A hundred a second, until the file is there.
FORKS = """
import os, time
began = time.monotonic()
count = 0
while not os.path.exists('finish'):
    pid = os.fork()
    if pid == 0:
        time.sleep(0.02)
        os._exit(0)
    count += 1
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:  # a slow machine: all of them have ended
        pass
    time.sleep(max(0, began + count / 100 - time.monotonic()))
print(count)
"""

CHILDREN = """
import os, signal, sys, time
children = []
for number in range(int(sys.argv[1])):
    pid = os.fork()
    if pid == 0:
        signal.pause()
        os._exit(0)
    children.append(pid)
open('ready', 'w').close()
while not os.path.exists('finish'):
    time.sleep(0.05)
for pid in children:
    os.kill(pid, signal.SIGKILL)
for pid in children:
    os.waitpid(pid, 0)
"""


def _cost_of(process):
    """CPU seconds and peak resident bytes of lowtide until now. Not from rusage, which includes the job."""
    fields = text_of(f"/proc/{process.pid}/stat").rpartition(")")[2].split()
    peak = [line.split()[1] for line in text_of(f"/proc/{process.pid}/status").splitlines() if line.startswith("VmHWM")]
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"), int(peak[0]) * 1024


def daemon_outlives_us_and_is_seen(box: Box):
    stays = "while not os.path.exists('finish'): time.sleep(0.01)"
    process = box.start(*box.script("daemon.py", DAEMON % stays), options=("--output", "run.lowtide"))

    assert process.wait(LIMIT_S) == 4
    daemon = int(wait_until(lambda: text_of(box.path("pid")), "the daemon"))
    assert is_alive(daemon), "a shell has its prompt back while the daemon works"
    box.path("finish").touch()
    wait_until(lambda: text_of(box.path("daemon")) == "done", "the daemon's work")
    assert daemon in box.recording("run.lowtide").pids, box.recording("run.lowtide").rows("SELECT * FROM process")


def daemon_that_ends_with_lowtide_leaves_no_zombie(box: Box):
    ended = box.run(*box.script("daemon.py", DAEMON % "time.sleep(0.3)"))

    assert ended.returncode == 4
    daemon = int(text_of(box.path("pid")))
    wait_until(lambda: not is_alive(daemon), "the end of the daemon")
    assert text_of(box.path("daemon")) == "done"


def pipeline_is_one_job(box: Box):
    ended = box.run("sh", "-c", "seq 300000 | sort -n | tail -n 1")

    assert (ended.returncode, ended.stdout) == (0, b"300000\n"), ended


def us_within_a_pipeline(box: Box):
    ended = subprocess.run(["sh", "-c", 'seq 300000 | "$0" run --no-recording -- sort -n | tail -n 1', box.binary],
                           cwd=box.folder, env=box.environment, capture_output=True, timeout=LIMIT_S)

    assert ended.stdout == b"300000\n", ended


def children_that_outlive_the_job_for_a_moment_are_waited_for(box: Box):
    # The child goes on until the job is gone for the monitor too: until then `kill -0` finds it.
    script = "(while kill -0 $$ 2>/dev/null; do sleep 0.02; done; echo late) & read go; echo early; exit 6"
    process = box.start("sh", "-c", script, options=("--output", "run.lowtide"), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    box.wait_for_samples("run.lowtide")
    wait_until(lambda: len(box.recording("run.lowtide").pids) >= 2, "the job and its child")
    words, _ = process.communicate(b"go\n", LIMIT_S)

    assert (process.returncode, words) == (6, b"early\nlate\n"), (process.returncode, words)
    assert len(box.recording("run.lowtide").pids) >= 2
    left = box.recording("run.lowtide").rows("SELECT command FROM process WHERE ended_s IS NULL")
    assert left == [], left


FORKED_AT_ONCE = """
import os, time
for _ in range(5):
    if os.fork() == 0:
        break
while not os.path.exists('finish'):
    time.sleep(0.05)
"""


def forks_of_a_program_that_has_just_replaced_its_shell_are_workers(box: Box):
    job = box.script("fork.py", FORKED_AT_ONCE)
    process = box.start("sh", "-c", "read go; exec " + " ".join(map(str, job)), options=("--output", "run.lowtide"),
                        stdin=subprocess.PIPE)
    box.wait_for_samples("run.lowtide")
    process.stdin.write(b"go\n")
    process.stdin.close()
    seen = "SELECT role, count(*) FROM process WHERE command LIKE '%fork.py%' GROUP BY role"
    wait_until(lambda: sum(row[1] for row in box.recording("run.lowtide").rows(seen)) == 6, "the job and its five forks")
    box.path("finish").touch()

    assert process.wait(LIMIT_S) == 0
    roles = box.recording("run.lowtide").rows(seen)
    assert sorted(roles) == [("trainer", 1), ("worker", 5)], roles


def orphan_that_stays_does_not_hold_us(box: Box):
    process = box.start("sh", "-c", "sleep 300 </dev/null >/dev/null 2>&1 & echo $! > pid; sleep 0.3")

    assert process.wait(LIMIT_S) == 0
    assert is_alive(int(text_of(box.path("pid")))), "we ended, and it did not"
    os.kill(int(text_of(box.path("pid"))), 9)


def hundred_forks_a_second_are_borne(box: Box):
    seconds = float(os.environ.get("LOWTIDE_FORK_SECONDS", "2"))
    with open(box.path("out"), "wb") as out:
        process = box.start(*box.script("forks.py", FORKS), options=("--output", "run.lowtide"), stdout=out)
    box.wait_for_samples("run.lowtide", 6)
    wait_until(lambda: box.recording("run.lowtide").last_s >= seconds, f"a sample after {seconds} s", seconds + LIMIT_S)
    cpu_s, rss_bytes = _cost_of(process)
    box.path("finish").touch()

    assert process.wait(LIMIT_S) == 0
    forks = int(box.path("out").read_text())
    recording = box.recording("run.lowtide")
    print(f"  {forks} forks in {seconds} s: lowtide took {cpu_s:.2f} s CPU, {rss_bytes / 1e6:.1f} MB; "
          f"{recording.samples} samples, {len(recording.pids)} processes, {recording.meta('short_lived_processes')} "
          f"short-lived")
    assert recording.meta("closed") == "1"
    assert recording.samples >= 6
    assert recording.rows("SELECT * FROM outage") == []
    # Nobody sees them all; what is said is true: no more than there were, and some were seen.
    seen, bound = int(recording.meta("short_lived_processes")), int(recording.meta("short_lived_at_most"))
    assert 0 < seen <= forks <= bound + len(recording.pids), (seen, forks, bound)
    words = box.run("run.lowtide", verb="report").stdout
    assert b"at least %d short-lived processes started and ended" % seen in b" ".join(words.split()), words
    if not is_sanitized(box.binary):
        assert rss_bytes < 64e6, rss_bytes


def _tree_of(box, count):
    process = box.start(*box.script("children.py", CHILDREN), str(count), options=("--output", "run.lowtide"))
    wait_until(box.path("ready").exists, "the children", 300)

    def seen():
        return box.recording("run.lowtide").one("SELECT max(processes) FROM target_memory") == count + 1
    began = time.monotonic()
    wait_until(seen, f"{count + 1} processes in the recording", 300)
    found_s = time.monotonic() - began
    # The members of one tick, read again and again, cost what watching such a tree costs.
    box.wait_for_more_samples("run.lowtide", int(os.environ.get("LOWTIDE_TREE_TICKS", "3")))
    cpu_s, rss_bytes = _cost_of(process)
    box.path("finish").touch()
    status = process.wait(300)
    recording = box.recording("run.lowtide")
    print(f"  {count} children: all seen after {found_s:.1f} s; lowtide took {cpu_s:.2f} s CPU in {recording.last_s:.1f} s"
          f" ({recording.samples} samples), {rss_bytes / 1e6:.1f} MB; recording "
          f"{os.path.getsize(recording.path) / 1e6:.1f} MB")
    assert status == 0
    assert recording.meta("closed") == "1"
    assert recording.one("SELECT count(*) FROM process WHERE ended_s IS NULL") == 0
    seen = recording.one("SELECT count(DISTINCT process) FROM process_memory")
    assert seen == count + 1, (seen, recording.rows("SELECT at_s, processes, exact FROM target_memory"))
    return rss_bytes


def tree_of_300_children_is_seen_whole(box: Box):
    rss_bytes = _tree_of(box, int(os.environ.get("LOWTIDE_CHILDREN", "300")))

    if not is_sanitized(box.binary) and "LOWTIDE_CHILDREN" not in os.environ:
        assert rss_bytes < 64e6, rss_bytes


def few_descriptors_are_enough(box: Box):
    def few():
        resource.setrlimit(resource.RLIMIT_NOFILE, (32, 32))

    process = box.start(*box.script("children.py", CHILDREN), "60", options=("--output", "run.lowtide"), preexec_fn=few)
    wait_until(box.path("ready").exists, "the children")
    box.wait_for_samples("run.lowtide")
    wait_until(lambda: box.recording("run.lowtide").one("SELECT max(processes) FROM target_memory") == 61,
             "61 processes in the recording", 120)
    box.path("finish").touch()

    assert process.wait(LIMIT_S) == 0


# Two children write to one page after the other of what their parent has; then they wait, and end.
COPIES = """
import os, sys, time
megabyte = 1 << 20
data = bytearray(b'x') * (80 * megabyte)
for _ in range(2):
    if os.fork() == 0:
        for at in range(0, len(data), megabyte):
            for page in range(at, at + megabyte, 4096):
                data[page] = 1
            time.sleep(0.05)
        while not os.path.exists('finish'):
            time.sleep(0.01)
        os._exit(0)
for _ in range(2):
    os.wait()
while not os.path.exists('end'):
    time.sleep(0.01)
"""


def pages_that_children_copy_or_give_back_are_no_growth_of_their_parent(box: Box):
    process = box.start(*box.script("copies.py", COPIES), options=("--output", "run.lowtide", "--interval", "50ms"))
    first = job_of(process)
    box.wait_for_samples("run.lowtide")

    def own_bytes():
        rows = box.recording("run.lowtide").rows(
            f"SELECT own_bytes FROM process_sample WHERE process = (SELECT id FROM process WHERE pid = {first})")
        return [row[0] for row in rows]

    def rise():
        own = own_bytes()
        return own[-1] - min(own[len(own) // 10:]) if len(own) > 20 else 0

    def check(when):
        told = subprocess.run([box.binary, "report", "--json", box.path("run.lowtide")], capture_output=True, text=True)
        report = json.loads(told.stdout)
        parent = next(one for one in report["processes"] if one["pid"] == first)
        floor = parent["verdict"]["floor"]
        assert floor["last_bytes"] - floor["first_bytes"] < 8e6, (when, floor, parent["verdict"])
        assert parent["verdict"]["kind"] != "leak", (when, parent["verdict"])
        for finding in report["findings"]:
            accused = [finding["pid"], *(finding["process"] or {}).get("pids", [])]
            assert finding["severity"] == "info" or first not in accused, (when, finding)

    wait_until(lambda: rise() > 60e6, lambda: f"the private memory of the parent to rise: {own_bytes()[::10]}")
    check("while the children live")
    box.path("finish").touch()
    wait_until(lambda: box.recording("run.lowtide").one("SELECT count(*) FROM process WHERE ended_s IS NOT NULL") == 2,
               "the end of the children")
    samples = len(own_bytes())
    wait_until(lambda: len(own_bytes()) > samples + 20, "readings of the parent alone")
    check("after the children ended")
    box.path("end").touch()
    assert process.wait(LIMIT_S) == 0


if __name__ == "__main__":
    sys.exit(main(globals()))
