"""Where the recording goes, and what happens to the job where it cannot go there: nothing."""

import contextlib
import json
import os
import re
import resource
import shutil
import sqlite3
import subprocess
import sys

from box import LIMIT_S, Box, Recording, Skip, main, need_root, text_of, wait_until


def _long_job(box):
    return ("sh", "-c", 'while [ ! -e "$0" ]; do sleep 0.05; done; echo done; exit 3', str(box.path("finish")))


def _naps_of(pid):
    return int(re.search(r"^voluntary_ctxt_switches:\s*(\d+)", text_of(f"/proc/{pid}/status"), re.M)[1])


def _check_long_job(box, process):
    """It goes on until the file is there, and ends as it would."""
    before = _naps_of(process.pid)
    wait_until(lambda: _naps_of(process.pid) >= before + 20, "ticks that cannot be written: it sleeps after each")
    box.path("finish").touch()
    output, _ = process.communicate(timeout=LIMIT_S)
    assert (process.returncode, output) == (3, b"done\n"), (process.returncode, output)


def _check_job(ended):
    assert (ended.returncode, ended.stdout) == (3, b"done\n"), ended


def recording_is_here_under_a_name_of_its_own(box: Box):
    ended = box.run(*box.seen_job())

    _check_job(ended)
    (path,) = box.recordings()
    assert path.parent == box.folder and path.name.startswith("lowtide-"), path
    assert path.name.encode() in ended.stderr, ended.stderr
    assert Recording(path).samples >= 1
    assert Recording(path).one("PRAGMA application_id") == 1819244404


def no_recording_leaves_nothing(box: Box):
    ended = box.run(*box.seen_job(), options=("--no-recording",))

    _check_job(ended)
    assert os.listdir(box.folder) == ["seen.py"], os.listdir(box.folder)


def recording_that_nobody_keeps_goes_with_a_killed_monitor(box: Box):
    """The next monitor that keeps no recording removes it, and leaves that of a living one alone."""
    finish = box.path("finish")
    job = ("-c", "import os, sys, time\nwhile not os.path.exists(sys.argv[1]): time.sleep(0.02)", str(finish))
    killed, living = (box.start(sys.executable, *job, options=("--no-recording",)) for _ in range(2))
    wait_until(lambda: len(box.recordings()) == 2, lambda: f"two recordings: {box.recordings()}")
    assert all(path.parent.stat().st_mode & 0o077 == 0 for path in box.recordings()), box.recordings()

    killed.kill()
    killed.wait()
    box.run("true", options=("--no-recording",))

    assert len(box.recordings()) == 1, box.recordings()
    finish.touch()
    assert living.wait(LIMIT_S) == 0
    assert sorted(os.listdir(box.folder)) == ["err", "finish"], os.listdir(box.folder)


def folder_that_is_missing_is_reported_and_another_one_is_used(box: Box):
    ended = box.run(*box.seen_job(), options=("--output", "no/such/folder/run.lowtide"))

    _check_job(ended)
    assert b"no/such/folder/run.lowtide" in ended.stderr, ended.stderr
    assert box.recording().samples >= 1


def folder_that_is_read_only_sends_it_to_the_temporary_one(box: Box):
    user = box.as_nobody()
    there, here = box.path("temporary"), box.path("read-only")
    there.mkdir()
    there.chmod(0o777)
    here.mkdir()
    here.chmod(0o555)

    ended = box.run(*box.seen_job(), cwd=here, env=box.environment | {"TMPDIR": str(there)}, **user)

    _check_job(ended)
    assert b"cannot write" in ended.stderr, ended.stderr
    assert box.recording().path.startswith(str(there)), box.recordings()


def nowhere_to_write_is_a_warning(box: Box):
    user = box.as_nobody()
    here = box.path("read-only")
    here.mkdir()
    here.chmod(0o555)

    process = box.start(*_long_job(box), cwd=here, env=box.environment | {"TMPDIR": "/no/such/folder"}, stdout=subprocess.PIPE, **user)
    _check_long_job(box, process)

    assert "nothing is recorded" in text_of(box.path("err")), text_of(box.path("err"))
    assert box.recordings() == []


def earlier_recording_is_put_aside(box: Box):
    for _ in range(3):
        _check_job(box.run(*box.seen_job(), options=("--output", "run.lowtide")))

    assert [path.name for path in box.recordings()] == ["run.1.lowtide", "run.2.lowtide", "run.lowtide"]
    for path in box.recordings():
        assert Recording(path).samples >= 1


def file_of_another_kind_is_left_as_it_is(box: Box):
    box.path("model.pt").write_bytes(b"weights\n" * 100)
    box.path("other.db").unlink(missing_ok=True)
    with sqlite3.connect(box.path("other.db")) as other:
        other.execute("CREATE TABLE mine (x)")
    kept = box.path("other.db").read_bytes()

    for name in ("model.pt", "other.db", "."):
        ended = box.run(*box.seen_job(), options=("--output", name))
        _check_job(ended)
        assert b"warning" in ended.stderr, ended.stderr

    assert box.path("model.pt").read_bytes() == b"weights\n" * 100
    assert box.path("other.db").read_bytes() == kept
    assert len(box.recordings()) == 3


def recording_that_is_being_written_is_not_taken_over(box: Box):
    first = box.start("sleep", "60", options=("--output", "run.lowtide"))
    box.wait_for_samples("run.lowtide")
    ended = box.run(*box.seen_job(), options=("--output", "run.lowtide"))
    _check_job(ended)
    first.terminate()

    assert first.wait(LIMIT_S) == 143
    for path in box.recordings():
        assert Recording(path).one("PRAGMA integrity_check") == "ok", path
    assert len(box.recordings()) == 2, box.recordings()


@contextlib.contextmanager
def _small_disk(box, size):
    need_root()
    folder = box.path("small")
    folder.mkdir()
    if not shutil.which("mount") or subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder],
                                                   capture_output=True).returncode != 0:
        raise Skip("a small tmpfs cannot be mounted here")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", folder], check=True)


def full_disk_costs_the_job_nothing(box: Box):
    with _small_disk(box, "3m") as small:
        process = box.start(*_long_job(box), options=("--output", str(small / "run.lowtide"), "--interval", "10ms"), stdout=subprocess.PIPE)
        box.wait_for_samples(small / "run.lowtide")
        disk = os.statvfs(small)
        (small / "other").write_bytes(bytes(disk.f_bavail * disk.f_frsize - 40_000))
        wait_until(lambda: os.statvfs(small).f_bavail == 0, "a full disk")
        _check_long_job(box, process)
        recording = Recording(small / "run.lowtide")
        assert recording.samples >= 1
        # After the log was moved into the file there is room for the last rows.
        assert recording.meta("closed") == "1", recording.rows("SELECT * FROM meta")
        assert recording.rows("SELECT why FROM outage") != []


def disk_that_is_full_from_the_start_is_reported_and_another_place_taken(box: Box):
    with _small_disk(box, "300k") as full:
        done = box.run(*box.seen_job(), options=("--output", str(full / "run.lowtide")))
        assert done.returncode == 3 and b"the disk is full" in done.stderr, done
        assert not list(full.iterdir())
        assert box.recording().samples >= 1


def limit_on_the_size_of_files_costs_the_job_nothing(box: Box):
    def small_files():
        resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))

    process = box.start(*_long_job(box), options=("--output", "run.lowtide", "--interval", "10ms"), preexec_fn=small_files,
                        stdout=subprocess.PIPE)
    wait_until(lambda: any(path.stat().st_size >= 390_000 for path in box.folder.glob("run.lowtide*")), "a file that is full")
    _check_long_job(box, process)
    assert box.recording("run.lowtide").samples >= 1


def limit_on_the_size_of_files_still_ends_the_job(box: Box):
    def small_files():
        resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))

    words = ("sh", "-c", "exec head -c 1000000 /dev/zero > big")
    bare = box.spawn(words, preexec_fn=small_files).wait(LIMIT_S)
    ended = box.run(*words, preexec_fn=small_files)

    assert 128 - bare == ended.returncode, (bare, ended)


def report_of_a_recording_with_very_many_rows_takes_little_memory(box: Box):
    """A recording may come from anywhere: 500,000 events take 10 MB in the file and took 400 MB in the report."""
    box.run(*box.seen_job())
    (path,) = box.recordings()
    with contextlib.closing(sqlite3.connect(path)) as link, link:
        link.executemany("INSERT INTO event(at_s, kind, text) VALUES(1, 'restart', ?)", (("x",) for _ in range(500_000)))

    with open(box.path("report.json"), "wb") as output:
        report = box.spawn((box.binary, "report", "--json", path), stdout=output)
    _, _, used = wait_until(lambda: (ended := os.wait4(report.pid, os.WNOHANG))[0] and ended, "the report")

    warnings = [warning["text"] for warning in json.loads(text_of(box.path("report.json")))["warnings"]]
    assert any("table event" in text and "only the first 5000 rows were read" in text for text in warnings), warnings
    assert used.ru_maxrss < 100_000, used.ru_maxrss


def invisible_characters_of_names_are_escaped_wherever_json_is_written(box: Box):
    """U+009B begins a terminal command, U+202E turns the text round: a name that holds them must not reach a terminal."""
    hidden = "a\u009b31m\u202eb\u2066\u200b\u061c"
    name = f"{hidden}.lowtide"
    box.run(*box.seen_job(), hidden, options=("--output", name))
    page, trace, junit = box.path("page.html"), box.path("trace.json"), box.path("junit.xml")

    def written(*words):
        return subprocess.run((box.binary, *words), capture_output=True, cwd=box.folder, timeout=LIMIT_S).stdout.decode()

    report, comparison = written("report", "--json", name), written("compare", "--json", name, name)
    written("report", "--html", page, name)
    written("report", "--perfetto", trace, name)
    written("check", "--max-growth", "1G", "--junit", junit, name)

    assert json.loads(report)["source"]["path"].endswith(name), report
    assert hidden in json.dumps(json.loads(comparison), ensure_ascii=False), comparison
    for text in (report, comparison, page.read_text(), trace.read_text(), junit.read_text(), written("doctor", "--json")):
        shown = [text[max(0, text.index(letter) - 80):][:160] for letter in hidden if ord(letter) > 126 and letter in text]
        assert not shown, shown


if __name__ == "__main__":
    sys.exit(main(globals()))
