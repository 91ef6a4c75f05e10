#!/usr/bin/env python3
"""Lets lowtide watch jobs with published libraries, and compares its reports with what is known of each job.

    real_jobs.py --binary LOWTIDE --python PYTHON [--seconds 60] [-j 2] [--truth] [--keep FOLDER [--again]] [--jobs FOLDER] [JOB...]

The header of a job contains the truth. A report is compared in five points:
  verdict   a leak, or leaning to one; for a job without a leak anything else
  line      the line that is marked with <LINE>, or the one with <KEPT>
  holder    the variable, or the object of a library, as the source writes it
  library   the library whose native code allocates, where no Python object holds the memory
  story     no word of `never` in the title, the cause or the fix of the first finding
A point for which the report gives no answer is open ("-"), not wrong.

--truth runs the jobs without lowtide, as they are and with --fix, and prints their memory: the sum of Pss_Anon and
Pss_Shmem of all processes and the bytes of shared memory that the job made, at a third and at the end of the run.

--jobs bench/gpu/jobs runs the jobs for a GPU instead; they need a torch that has one.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "zoo"))
import check as zoo  # noqa: E402

TORCH_PYTHON = zoo.DEBIAN_PYTHON  # Debian's torch belongs to it
POINTS = ("verdict", "line", "holder", "library", "story")
# Words that general advice may contain.
GENERAL = {"list", "cache", "closure", "log", "worker"}


def read_jobs(folder, names):
    for path in sorted(folder.glob("*.py")):
        text = path.read_text()
        if path.stem == "job" or (names and path.stem not in names):
            continue
        job = dict(re.findall(r"^#   (\w+): (.*)$", text[:text.index("# END")], re.M))
        lines = text.splitlines()
        job.update(name=path.stem, path=path.resolve(),
                   lines={number for number, line in enumerate(lines, 1) if "<LINE>" in line or "<KEPT>" in line})
        yield job


def command_of(job, options, fix=False):
    needs_debian = "torch" in job.get("packages", "").split() and options.jobs == HERE / "jobs"
    python = TORCH_PYTHON if needs_debian else options.python
    return [python, str(job["path"]), "--seconds", str(options.seconds)] + (["--fix"] if fix else [])


def environment():
    return os.environ | {"OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": str(HERE / "jobs")}


def watch(job, options, folder):
    recording = folder / f"{job['name']}.lowtide"
    if not options.again:
        recording.unlink(missing_ok=True)
        with open(folder / f"{job['name']}.log", "wb") as log:
            subprocess.run([options.binary, "run", "--output", str(recording), "--", *command_of(job, options)],
                           stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment(), check=True,
                           timeout=300 + 4 * options.seconds)
    told = subprocess.run([options.binary, "report", "--json", str(recording)], capture_output=True, timeout=120)
    text = subprocess.run([options.binary, "report", str(recording)], capture_output=True, text=True, timeout=120)
    return json.loads(told.stdout), text.stdout


def judge_verdict(job, report):
    kind = zoo.kind_of(report["verdict"])
    if job["label"] != "leak":
        return kind != "leak"
    return None if kind == "nothing" else kind == "leak"


def rows_of(text):
    """The rows of a short report: cause, held by, fix."""
    rows = {}
    name = None
    for line in text.splitlines():
        begun = re.match(r"^  (cause|held by|fix|phase) +(.*)", line)
        if begun:
            name = begun[1]
            rows[name] = begun[2]
        elif name and line.startswith("     "):
            rows[name] += " " + line.strip()
        else:
            name = None
    return rows


def judge_line(job, finding):
    lines = {line["line"] for line in finding["source_lines"] or [] if line["file"].endswith(job["path"].name)}
    if (finding["where"]["file"] or "").endswith(job["path"].name):
        lines.add(finding["where"]["line"])
    return None if not lines or not job["lines"] else bool(lines & job["lines"])


def judge_holder(job, rows):
    named = re.findall(r"`([^`]*)`", rows.get("held by", "")) or re.findall(r"`([^`]*)` may keep", rows.get("fix", ""))
    if not named or job.get("holder", "none") == "none":
        return None
    return any(job["holder"] in re.split(r"\W+", name) for name in named)


def judge_library(job, rows):
    named = re.search(r"native code of (\w+)", rows.get("cause", ""))
    return None if not named else named[1].removeprefix("lib") == job.get("library", "")


def judge_story(job, finding, rows):
    never = {word.strip() for word in job.get("never", "").split(",")} - {""}
    story = f"{finding['title']} {rows.get('cause', '')}".lower()
    advice = rows.get("fix", "").lower()
    return not any(re.search(rf"\b{word}", story) or (word not in GENERAL and re.search(rf"\b{word}", advice))
                   for word in never)


def check(job, options, folder):
    try:
        report, text = watch(job, options, folder)
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        return {}, f"{job['name']:22} failed: {error}"
    findings = [finding for finding in report["findings"] if finding["severity"] != "info"]
    first = findings[0] if findings and job["label"] == "leak" else None
    points = {"verdict": judge_verdict(job, report)}
    if first:
        rows = rows_of(text)
        points.update(line=judge_line(job, first), holder=judge_holder(job, rows),
                      library=judge_library(job, rows), story=judge_story(job, first, rows))
    words = {True: "right", False: "WRONG", None: "-"}
    cells = [words[points.get(point)] for point in POINTS]
    return points, (f"{job['name']:22} {job['label']:7} {zoo.describe(report['verdict']):34} "
                    + " ".join(f"{cell:8}" for cell in cells) + (first["id"] if first else ""))


def pss_of_tree(pid):
    """Bytes that the processes hold, without pages of files."""
    kilobytes = 0
    for each in [pid, *children_of(pid)]:
        try:
            rollup = pathlib.Path(f"/proc/{each}/smaps_rollup").read_text()
        except OSError:
            continue
        kilobytes += sum(int(number) for number in re.findall(r"^Pss_(?:Anon|Shmem): +(\d+)", rollup, re.M))
    return 1024 * kilobytes


def children_of(pid):
    try:
        text = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text()
    except OSError:
        return []
    return [deeper for child in text.split() for deeper in (int(child), *children_of(child))]


def shared_of(pid):
    """Bytes of files in /dev/shm, of System V segments and of the memfds of the process."""
    files = [path.lstat().st_blocks * 512 for path in pathlib.Path("/dev/shm").iterdir()]
    rows = pathlib.Path("/proc/sysvipc/shm").read_text().splitlines()[1:]
    segments = [int(row.split()[14]) for row in rows]
    memfds = {}
    for link in pathlib.Path(f"/proc/{pid}/fd").iterdir():
        try:
            if os.readlink(link).startswith("/memfd:"):
                status = link.stat()
                memfds[status.st_ino] = status.st_blocks * 512
        except OSError:
            continue
    return sum(files) + sum(segments) + sum(memfds.values())


def bare_run(job, options, fix):
    """The memory at a third and at the end, in MB."""
    process = subprocess.Popen(command_of(job, options, fix), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, env=environment())
    before = shared_of(process.pid) if job.get("kind") == "shared" else 0
    readings = []
    while process.poll() is None:
        shared = shared_of(process.pid) - before if job.get("kind") == "shared" else 0
        readings.append(pss_of_tree(process.pid) + shared)
        time.sleep(1)
    readings = [reading for reading in readings if reading > 0][:-1]
    return [reading / 1e6 for reading in (readings[len(readings) // 3], readings[-1])]


def show_truth(job, options):
    third, end = bare_run(job, options, False)
    row = f"{job['name']:22} {job['label']:7} {third:7.0f} -> {end:5.0f} MB"
    if job["label"] == "leak":
        third, end = bare_run(job, options, True)
        row += f"    fixed: {third:7.0f} -> {end:5.0f} MB"
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="JOB")
    parser.add_argument("--binary", type=os.path.abspath, required=True)
    parser.add_argument("--python", required=True, help="with the libraries of requirements.txt")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("-j", type=int, default=os.cpu_count() or 1, help="jobs at a time; default: one per core")
    parser.add_argument("--jobs", type=pathlib.Path, default=HERE / "jobs", metavar="FOLDER", help="the jobs; default: those of bench/real")
    parser.add_argument("--truth", action="store_true", help="measure the jobs without lowtide")
    parser.add_argument("--keep", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--again", action="store_true", help="only read the recordings in FOLDER")
    options = parser.parse_intermixed_args()
    jobs = list(read_jobs(options.jobs, options.names))
    if not jobs:
        parser.error(f"no job is called {' or '.join(options.names)}")
    if options.again and not options.keep:
        parser.error("--again needs --keep FOLDER")
    if options.truth:
        # One at a time: /dev/shm belongs to all.
        for job in jobs:
            print(show_truth(job, options), flush=True)
        return 0
    print(f"{'job':22} {'truth':7} {'verdict':34} " + " ".join(f"{point:8}" for point in POINTS) + "first finding")
    counts = {point: [0, 0, 0] for point in POINTS}
    failed = 0
    with tempfile.TemporaryDirectory(prefix="lowtide-real-") as temporary:
        folder = (options.keep or pathlib.Path(temporary)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        with concurrent.futures.ThreadPoolExecutor(options.j) as pool:
            for points, line in pool.map(lambda job: check(job, options, folder), jobs):
                failed += not points
                for point, result in points.items():
                    counts[point][0 if result else 2 if result is False else 1] += 1
                print(line, flush=True)
    for point, (right, unanswered, wrong) in counts.items():
        print(f"{point}: {right} right, {unanswered} open, {wrong} wrong")
    return 1 if failed or any(wrong for _, _, wrong in counts.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
