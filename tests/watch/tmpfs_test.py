"""File systems in memory under the real binary: each test mounts small ones of its own, which needs root."""

import contextlib
import json
import os
import shutil
import sqlite3
import subprocess

from box import LIMIT_S, Box, Skip, main, wait_until

SIZE_BYTES = 16 << 20


def _mounted(path, *words):
    """The words, in a mount namespace of their own with a small tmpfs at the path."""
    return ["unshare", "--mount", "sh", "-c", f'mount -t tmpfs -o size={SIZE_BYTES} lowtide-test "$0" && exec "$@"', path, *words]


def _needs_root():
    if os.geteuid() != 0 or shutil.which("unshare") is None:
        raise Skip("needs root and unshare, to mount a tmpfs")
    if subprocess.run(_mounted("/dev/shm", "true"), capture_output=True, timeout=LIMIT_S).returncode != 0:
        raise Skip("a tmpfs cannot be mounted here")


def _reading(box, path):
    """Used bytes, size and bytes of the job in the tmpfs with this path; None: not recorded yet."""
    with contextlib.suppress(sqlite3.Error, IndexError):
        recording = box.recording("run.lowtide")
        for index in range(16):
            if recording.meta(f"tmpfs_{index}_path") == path:
                return [recording.one(f"SELECT {column} FROM tmpfs_sample WHERE tmpfs = {index} ORDER BY at_s DESC LIMIT 1")
                        for column in ("used_bytes", "total_bytes", "job_bytes")]
    return None


def _report(box):
    return json.loads(box.run("run.lowtide", options=("--json",), verb="report").stdout)


WAIT = """
import os, time
def wait_for(name):
    while not os.path.exists(name):
        time.sleep(.02)
"""

# Two thirds of the file system, in a folder that is named after the job.
WRITES = WAIT + """
folder = f"{path}/batches-{os.getpid()}"
os.mkdir(folder)
for step in range(10):
    with open(f"{folder}/batch{step:03}", "wb") as file:
        file.write(bytes(1 << 20))
wait_for("end")
"""


def size_of_dev_shm_its_used_bytes_and_the_creator_are_recorded(box: Box):
    _needs_root()
    job = box.command(*box.script("job.py", WRITES.replace("{path}", "/dev/shm")), options=("--output", "run.lowtide", "--interval", "50ms"))
    process = box.spawn(_mounted("/dev/shm", *job))
    wait_until(lambda: _reading(box, "/dev/shm") == [10 << 20, SIZE_BYTES, 10 << 20], "10 MiB of 16 MiB in /dev/shm")
    box.path("end").touch()
    process.wait(LIMIT_S)

    report = _report(box)
    (tmpfs,) = [each for each in report["tmpfs"] if each["path"] == "/dev/shm"]
    assert tmpfs["total_bytes"] == SIZE_BYTES and not tmpfs["was_full"], tmpfs
    (group,) = [each for each in report["shared_memory"] if each["kind"] == "file"]
    trainer = [each for each in report["processes"] if "job.py" in each["command"]]
    assert group["name"] == "/dev/shm/batches-*/batch*" and group["count"] == 10, group
    assert group["link"] == "name" and group["pid"] in [each["pid"] for each in trainer], (group, trainer)


def _write_in_a_container(box, path):
    _needs_root()
    job = box.script("job.py", WRITES.replace("{path}", path))
    process = box.start(*_mounted(path, *job), options=("--output", "run.lowtide", "--interval", "50ms"))
    wait_until(lambda: _reading(box, path) == [10 << 20, SIZE_BYTES, 10 << 20], f"10 MiB of 16 MiB in {path}")
    box.path("end").touch()
    process.wait(LIMIT_S)


def dev_shm_of_a_container_is_read_in_its_own_namespace(box: Box):
    _write_in_a_container(box, "/dev/shm")


def other_tmpfs_of_a_container_is_found_in_its_own_namespace(box: Box):
    box.path("scratch").mkdir()
    _write_in_a_container(box, str(box.path("scratch")))


# Full, and then one write more.
FILLS = WAIT + """
import mmap
with open("/dev/shm/table", "wb", buffering=0) as file:
    try:
        while file.write(bytes(1 << 16)):
            pass
    except OSError:
        pass
wait_for("end")
"""
FAILS = FILLS + """
with open("/dev/shm/more", "wb", buffering=0) as file:
    file.write(bytes(1 << 20))
"""
IS_KILLED = FILLS + """
with open("/dev/shm/more", "w+b") as file:
    file.truncate(1 << 20)
    mmap.mmap(file.fileno(), 1 << 20)[:] = bytes(1 << 20)
"""
ENDS_WELL = FILLS


def _fill(box, text):
    _needs_root()
    job = box.command(*box.script("job.py", text), options=("--output", "run.lowtide", "--interval", "50ms"))
    process = box.spawn(_mounted("/dev/shm", *job))
    wait_until(lambda: (_reading(box, "/dev/shm") or [0])[0] >= .99 * SIZE_BYTES, "a full /dev/shm")
    box.path("end").touch()
    status = process.wait(LIMIT_S)
    report = _report(box)
    return status, report, [finding for finding in report["findings"] if finding["id"] == "tmpfs-full"]


def write_that_fails_in_a_full_dev_shm_is_reported_in_the_first_line(box: Box):
    status, report, findings = _fill(box, FAILS)

    assert status == 1, status
    assert report["answer"]["headline"].endswith("exit 1, /dev/shm was full"), report["answer"]
    assert [finding["title"] for finding in findings] == ["/dev/shm (16 MiB) was full when the job ended with status 1"], findings
    assert "not known" in " ".join(findings[0]["evidence"]), findings


def bus_error_in_a_full_dev_shm_is_reported_in_the_first_line(box: Box):
    status, report, findings = _fill(box, IS_KILLED)

    assert status == 128 + 7, status
    assert report["answer"]["headline"].endswith("ended by SIGBUS, /dev/shm was full"), report["answer"]
    assert findings[0]["title"].endswith("was ended by signal 7 (SIGBUS)") and findings[0]["severity"] == "critical", findings


def full_dev_shm_of_a_job_that_ends_well_is_no_finding(box: Box):
    status, report, findings = _fill(box, ENDS_WELL)

    assert (status, findings) == (0, []), (status, findings)
    assert "full" not in report["answer"]["headline"], report["answer"]


if __name__ == "__main__":
    main(globals())
