"""The job's Python files in the recording: reports quote them on any machine, and after they were changed."""

import contextlib
import json
import os
import sqlite3

from box import LIMIT_S, Box, Skip, main, wait_until

# Grows until it is asked to end. It changes its working directory first.
JOB = """
import os, time
os.makedirs("elsewhere", exist_ok=True)
os.chdir("elsewhere")
kept = []
def keep():
    kept.append(bytearray(b"x") * 400_000)  # a comment
while not os.path.exists("../end"):
    keep()
    time.sleep(0.01)
"""
KEEPS = 'kept.append(bytearray(b"x") * 400_000)'


def _source(box):
    with contextlib.suppress(sqlite3.Error):
        return dict(box.recording("run.lowtide").rows("SELECT path, text FROM source_file"))
    return {}


def _has_site(box):
    with contextlib.suppress(sqlite3.Error):
        return box.recording("run.lowtide").rows("SELECT 1 FROM frame WHERE file LIKE '%job.py'")


def _quoted(box):
    done = box.run("run.lowtide", options=("--json",), verb="report")
    report = json.loads(done.stdout or '{"findings": []}')  # the recording may not be there yet
    return [line["source"] for finding in report["findings"] for line in finding.get("source_lines", ())]


def _end(box, process):
    box.path("end").touch()
    process.wait(LIMIT_S)


def _start(box, *options):
    """The path of the job is relative."""
    python, _ = box.script("job.py", JOB)
    return box.start(python, "job.py", options=("--output", "run.lowtide", "--interval", "50ms", *options))


def report_quotes_the_code_after_the_file_has_changed(box: Box):
    job = _start(box)
    wait_until(lambda: KEEPS in _quoted(box), "a finding with the line")

    box.path("job.py").write_text(JOB.replace("400_000", "4"))
    _end(box, job)

    assert list(_source(box).values()) == [JOB], _source(box)
    assert KEEPS in _quoted(box), _quoted(box)


def file_that_changed_before_it_could_be_read_is_not_quoted(box: Box):
    python, _ = box.script("job.py", JOB)
    job = box.spawn([python, "job.py"])
    wait_until(box.path("elsewhere").exists, "the job")
    changed_s = 2_000_000_000
    os.utime(box.path("job.py"), (changed_s, changed_s))

    watched = box.start(str(job.pid), verb="attach", options=("--deep", "--output", "run.lowtide", "--interval", "50ms"))
    wait_until(lambda: _has_site(box) or watched.poll() is not None, "an allocation site")
    if not _has_site(box):
        raise Skip("lowtide cannot enter a process that runs already")
    _end(box, watched)

    assert _source(box) == {}, _source(box)


def without_source_no_file_is_copied_and_no_line_is_quoted(box: Box):
    job = _start(box, "--no-source")
    wait_until(lambda: _has_site(box), "an allocation site")
    _end(box, job)

    assert _source(box) == {} and _quoted(box) == [], _quoted(box)


if __name__ == "__main__":
    main(globals())
